// Package moduletest assembles WebAssembly modules for tests: valid modules from parts, and hostile
// modules that must not harm a plugin host.
package moduletest

import (
	"encoding/binary"
	"slices"
)

// Value types, as the binary format encodes them.
const (
	I32       byte = 0x7f
	I64       byte = 0x7e
	F32       byte = 0x7d
	F64       byte = 0x7c
	V128      byte = 0x7b
	FuncRef   byte = 0x70
	ExternRef byte = 0x6f
)

// Section ids.
const (
	SecCustom byte = iota
	SecType
	SecImport
	SecFunction
	SecTable
	SecMemory
	SecGlobal
	SecExport
	SecStart
	SecElement
	SecCode
	SecData
	SecDataCount
)

// Header is the first eight bytes of every module.
const Header = "\x00asm\x01\x00\x00\x00"

// U returns v as LEB128, unsigned.
func U(v uint64) []byte { return binary.AppendUvarint(nil, v) }

// S returns v as LEB128, signed.
func S(v int64) []byte {
	var b []byte
	for v < -64 || v > 63 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}

// Vec returns a vector: the number of its items and the items.
func Vec(items ...[]byte) []byte { return append(U(uint64(len(items))), slices.Concat(items...)...) }

// Str returns a string with its length before it.
func Str(s string) []byte { return append(U(uint64(len(s))), s...) }

// Section returns a section of the parts.
func Section(id byte, parts ...[]byte) []byte {
	content := slices.Concat(parts...)
	return slices.Concat([]byte{id}, U(uint64(len(content))), content)
}

// Custom returns a custom section.
func Custom(name string, content []byte) []byte { return Section(SecCustom, Str(name), content) }

// Types converts letters to value types: i I f F v r e for i32 i64 f32 f64 v128 funcref externref.
func Types(letters string) []byte {
	types := map[rune]byte{'i': I32, 'I': I64, 'f': F32, 'F': F64, 'v': V128, 'r': FuncRef, 'e': ExternRef}
	b := make([]byte, 0, len(letters))
	for _, l := range letters {
		b = append(b, types[l])
	}
	return b
}

// Sig is a function type, written with the letters of Types as "ii>i".
type Sig string

func (s Sig) encode() []byte {
	i := slices.Index([]byte(s), '>')
	in, out := Types(string(s[:i])), Types(string(s[i+1:]))
	return slices.Concat([]byte{0x60}, U(uint64(len(in))), in, U(uint64(len(out))), out)
}

// Import is an imported function.
type Import struct {
	Module, Name string
	Sig          Sig
}

// Func is a defined function. Bytes adds the end instruction to Code.
type Func struct {
	Sig    Sig
	Locals string // letters of Types
	Code   []byte
	Export string // or ""
}

// Global is a mutable global with its initial value as an instruction.
type Global struct {
	Type byte
	Init []byte
}

// Data is an active data segment.
type Data struct {
	At    int
	Bytes []byte
}

// Module is a module in parts. Function indices count imports first. Types are numbered in the
// order of their first use: in More, Imports, Funcs.
type Module struct {
	More     []Sig // types for blocks and indirect calls, by index
	Imports  []Import
	Funcs    []Func
	Table    int   // entries of funcref; 0: no table
	Elem     []int // functions from entry 0 on
	Memory   []int // pages: minimum, and optionally maximum; empty: no memory
	Globals  []Global
	Start    int // function index, or 0: a start function cannot be the first
	Data     []Data
	Passive  [][]byte // passive data segments, before Data
	Exports  [][]byte // further exports, encoded by Export
	Manifest string   // or ""
	Name     []byte   // content of the name section, or nil
}

// Export returns an export; kinds are 0 function, 1 table, 2 memory, 3 global.
func Export(name string, kind byte, index int) []byte {
	return slices.Concat(Str(name), []byte{kind}, U(uint64(index)))
}

// Bytes assembles the module.
func (m Module) Bytes() []byte {
	sigs := slices.Clone(m.More)
	typeOf := func(s Sig) []byte {
		i := slices.Index(sigs, s)
		if i < 0 {
			i = len(sigs)
			sigs = append(sigs, s)
		}
		return U(uint64(i))
	}
	var imports, funcs, exports, codes, globals, elems, data [][]byte
	for _, im := range m.Imports {
		imports = append(imports, slices.Concat(Str(im.Module), Str(im.Name), []byte{0}, typeOf(im.Sig)))
	}
	for i, f := range m.Funcs {
		funcs = append(funcs, typeOf(f.Sig))
		if f.Export != "" {
			exports = append(exports, Export(f.Export, 0, len(m.Imports)+i))
		}
		codes = append(codes, Body(f.Locals, f.Code))
	}
	exports = append(exports, m.Exports...)
	var types [][]byte
	for _, s := range sigs {
		types = append(types, s.encode())
	}
	out := slices.Concat([]byte(Header), Section(SecType, Vec(types...)))
	add := func(id byte, items [][]byte) {
		if len(items) > 0 {
			out = append(out, Section(id, Vec(items...))...)
		}
	}
	add(SecImport, imports)
	add(SecFunction, funcs)
	if m.Table > 0 {
		add(SecTable, [][]byte{slices.Concat([]byte{FuncRef, 0}, U(uint64(m.Table)))})
	}
	switch len(m.Memory) {
	case 1:
		add(SecMemory, [][]byte{append([]byte{0}, U(uint64(m.Memory[0]))...)})
	case 2:
		add(SecMemory, [][]byte{slices.Concat([]byte{1}, U(uint64(m.Memory[0])), U(uint64(m.Memory[1])))})
	}
	for _, g := range m.Globals {
		globals = append(globals, slices.Concat([]byte{g.Type, 1}, g.Init, []byte{End}))
	}
	add(SecGlobal, globals)
	add(SecExport, exports)
	if m.Start > 0 {
		out = append(out, Section(SecStart, U(uint64(m.Start)))...)
	}
	if len(m.Elem) > 0 {
		var indices [][]byte
		for _, x := range m.Elem {
			indices = append(indices, U(uint64(x)))
		}
		elems = append(elems, slices.Concat([]byte{0}, I32Const(0), []byte{End}, Vec(indices...)))
	}
	add(SecElement, elems)
	for _, b := range m.Passive {
		data = append(data, append([]byte{1}, Str(string(b))...))
	}
	for _, d := range m.Data {
		data = append(data, slices.Concat([]byte{0}, I32Const(d.At), []byte{End}, Str(string(d.Bytes))))
	}
	if len(data) > 0 {
		out = append(out, Section(SecDataCount, U(uint64(len(data))))...)
	}
	add(SecCode, codes)
	add(SecData, data)
	if m.Name != nil {
		out = append(out, Custom("name", m.Name)...)
	}
	if m.Manifest != "" {
		out = append(out, Custom("awarc.plugin", []byte(m.Manifest))...)
	}
	return out
}

// Body returns an entry of the code section.
func Body(locals string, code []byte) []byte {
	var groups [][]byte
	for _, t := range Types(locals) {
		groups = append(groups, []byte{1, t})
	}
	body := slices.Concat(Vec(groups...), code, []byte{End})
	return append(U(uint64(len(body))), body...)
}
