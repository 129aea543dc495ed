package module

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
)

// Module is a file that Verify accepted.
type Module struct {
	Hash     [32]byte // SHA-256 of the file: the plugin's identity
	Manifest Manifest
	Imports  []Import // each imported function once, in the order of the file

	// MemoryMin and MemoryMax are the pages of 64 KiB that the memory begins with
	// and can grow to: the least of the module's own maximum, the manifest's
	// memory_mb and the operator's limit. A metered module declares them.
	MemoryMin, MemoryMax int

	Initialize bool // it exports _initialize, to be called once before all others
	Configure  bool // it exports awarc_configure

	file     []byte
	sections [sectionDataCount + 1]span // where the content of each is
	types    []funcType
	funcs    []uint32 // type index of each function
	imported int      // how many functions are imported
	table    byte     // type of the table's entries, or unknown where there is none
	globals  []globalType
	exports  map[string]export
	elements []byte // type of each element segment
	datas    int    // number of data segments, as the data count section tells, or -1
	names    span   // content of the name section

	// indirectImports is set where a reference of an imported function may exist,
	// so that an indirect call can leave the module.
	indirectImports bool
}

type span struct{ start, end int }

type funcType struct{ params, results []byte }

type globalType struct {
	value   byte
	mutable bool
}

type export struct {
	kind  byte
	index uint32
}

// Kinds of imports and exports.
const (
	kindFunc byte = iota
	kindTable
	kindMemory
	kindGlobal
)

// Section ids. Their order in a file is that of sectionOrder.
const (
	sectionCustom byte = iota
	sectionType
	sectionImport
	sectionFunction
	sectionTable
	sectionMemory
	sectionGlobal
	sectionExport
	sectionStart
	sectionElement
	sectionCode
	sectionData
	sectionDataCount
)

var sectionNames = [...]string{"custom", "type", "import", "function", "table", "memory", "global", "export", "start", "element", "code",
	"data", "data count"}

var sectionOrder = [...]byte{sectionType, sectionImport, sectionFunction, sectionTable, sectionMemory, sectionGlobal, sectionExport,
	sectionStart, sectionElement, sectionDataCount, sectionCode, sectionData}

const header = "\x00asm\x01\x00\x00\x00"

// checkHeader tells what else a file is that is no module.
func checkHeader(file []byte) *Error {
	if bytes.HasPrefix(file, []byte(header)) {
		return nil
	}
	what, do := fmt.Sprintf("not a WebAssembly binary (%d bytes)", len(file)), "give the .wasm file of the plugin"
	switch {
	case bytes.HasPrefix(file, []byte("\x1f\x8b")):
		what, do = "a gzip file", "unpack it"
	case bytes.HasPrefix(file, []byte("\x7fELF")):
		what, do = "an ELF file", "build for WebAssembly"
	case bytes.HasPrefix(file, []byte(header[:4])) && len(file) >= 8 && file[6] == 1:
		what, do = "a WebAssembly component", "build a core module"
	case bytes.HasPrefix(file, []byte(header[:4])) && len(file) >= 8:
		what, do = fmt.Sprintf("WebAssembly of version %#x", file[4:8]), doFeatures
	}
	return &Error{Rule: Malformed, Offset: 0, Function: -1, What: what, Do: do}
}

// Verify accepts the file as a plugin of ABI 1 within the limits, or returns the reason
// in an *Error. It takes time and memory in proportion to the file, for any
// declarations in it. The file must not be changed as long as the Module is used.
func Verify(file []byte, l Limits) (*Module, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	if len(file) > l.FileBytes {
		return nil, &Error{Rule: OverLimit, Offset: -1, Function: -1,
			What: fmt.Sprintf("a file of %d bytes; %d are allowed", len(file), l.FileBytes), Do: "strip debug sections, or link less"}
	}
	if err := checkHeader(file); err != nil {
		return nil, err
	}
	m := &Module{Hash: sha256.Sum256(file), file: file, datas: -1, exports: map[string]export{}}
	p := parser{reader: reader{b: file, pos: len(header), end: len(file)}, m: m, l: l, section: -1, function: -1}
	p.module()
	if p.err != nil {
		if p.section >= 0 {
			p.err.Section = sectionNames[p.section]
			p.err.Function = p.function
		}
		return nil, p.err
	}
	return m, nil
}

// HasKind reports whether the manifest lists the kind; the module then exports
// its function.
func (m *Module) HasKind(k Kind) bool { return slices.Contains(m.Manifest.Kind, k) }
