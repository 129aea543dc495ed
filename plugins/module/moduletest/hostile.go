package moduletest

import (
	"bytes"
	"slices"
	"strings"
)

// Phase is the time at which a hostile module attacks.
type Phase string

// The phases of a plugin's life.
const (
	OnLoad    Phase = "load"    // refused before compilation
	OnInit    Phase = "init"    // in instantiation, _initialize or awarc_configure
	OnScore   Phase = "score"   // in awarc_score, with any page
	OnExtract Phase = "extract" // in awarc_extract, with any page
)

// Outcome is the expected end of a call, under the name that the host counts.
type Outcome string

// The outcomes.
const (
	OK          Outcome = "ok"
	Trap        Outcome = "trap"
	Fuel        Outcome = "fuel"
	Deadline    Outcome = "deadline"
	Exit        Outcome = "exit"
	OutputLimit Outcome = "output_limit"
	BadOutput   Outcome = "bad_output"
	Violation   Outcome = "abi" // a status that ABI 1 does not define
)

var stopped = []Outcome{Fuel, Deadline}

// Hostile is a module that tries to harm its host.
type Hostile struct {
	Name string
	File []byte
	When Phase
	// Refusal is a part of the error of a module that is refused at load.
	Refusal string
	// Want lists the permitted outcomes of the other phases.
	Want []Outcome
}

// All returns every hostile module: modules that the host refuses at load, modules that it stops
// while they run, and modules with invalid answers.
func All() []Hostile { return slices.Concat(AtLoad(), AtRun(), AtOutput()) }

// Replace returns the file with the content of its section replaced. A missing section is added at
// the end.
func Replace(file []byte, id byte, content []byte) []byte {
	out := []byte(Header)
	done := false
	for _, s := range Split(file) {
		if s.ID == id {
			s.Content = content
			done = true
		}
		out = append(out, Section(s.ID, s.Content)...)
	}
	if !done {
		out = append(out, Section(id, content)...)
	}
	return out
}

// RawSection is a section of a file.
type RawSection struct {
	ID      byte
	Content []byte
}

// Split returns the sections of a well-formed file.
func Split(file []byte) []RawSection {
	var sections []RawSection
	for b := file[len(Header):]; len(b) > 0; {
		n, size := uint64(0), 1
		for shift := 0; ; shift += 7 {
			c := b[size]
			size++
			n |= uint64(c&0x7f) << shift
			if c < 0x80 {
				break
			}
		}
		sections = append(sections, RawSection{b[0], b[size : size+int(n)]})
		b = b[size+int(n):]
	}
	return sections
}

// ok is the code of a scorer that says nothing wrong.
var ok = I32Const(0)

func padded(n int) string { return strings.Repeat(" ", n) }

// AtLoad returns modules that no host compiles.
func AtLoad() []Hostile {
	good := Plugin(Module{}, ok).Bytes()
	of := func(m Module, code ...any) []byte { return Plugin(m, Code(append(code, ok)...)).Bytes() }
	raw := func(id byte, content ...[]byte) []byte { return Replace(good, id, slices.Concat(content...)) }
	imports := func(im Import) []byte { return of(Module{Imports: []Import{im}}) }
	manifest := func(manifest string) []byte { return Plugin(Module{Manifest: manifest}, ok).Bytes() }
	word := func(old, new string) []byte { return manifest(strings.Replace(Manifest, old, new, 1)) }
	exporting := func(exports ...[]byte) []byte { return raw(SecExport, Vec(exports...)) }
	score, abi := Export("awarc_score", 0, Score(Module{})), Export("awarc_abi_1", 0, Score(Module{})+1)
	memory := Export("memory", 2, 0)
	most := U(1<<32 - 1)

	nested := bytes.Repeat([]byte{opBlock, Void}, 20_000)
	nested = append(nested, bytes.Repeat([]byte{End}, 20_000)...)
	targets := append(with(opBrTable, 1_000_000), bytes.Repeat([]byte{0}, 1_000_001)...)
	functions := make([]Func, 100_000)
	for i := range functions {
		functions[i] = Func{Sig: ">"}
	}
	sections := Split(good)
	data := Plugin(Module{Data: []Data{{0, []byte("x")}}}, ok).Bytes()
	swapped := Replace(without(data, SecCode), SecCode, Vec()) // the code comes last, after the data
	twice := slices.Concat(good[:len(Header)], Section(sections[0].ID, sections[0].Content), good[len(Header):])
	locals := func(groups ...[]byte) []byte {
		body := slices.Concat(Vec(groups...), ok, []byte{End})
		return raw(SecCode, Vec(append(U(uint64(len(body))), body...), Body("", nil)))
	}
	code := func(parts ...any) []byte { return of(Module{}, parts...) }
	bomb := func(id byte) []byte { return raw(id, most) }

	all := []Hostile{
		{Name: "empty file", File: nil, Refusal: "not a WebAssembly binary (0 bytes)"},
		{Name: "one byte", File: []byte{0}, Refusal: "not a WebAssembly binary (1 bytes)"},
		{Name: "header only", File: []byte(Header), Refusal: "no manifest"},
		{Name: "gzip", File: []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"), Refusal: "a gzip file"},
		{Name: "ELF", File: []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00"), Refusal: "an ELF file"},
		{Name: "component", File: []byte("\x00asm\x0d\x00\x01\x00"), Refusal: "a WebAssembly component"},
		{Name: "version 2", File: []byte("\x00asm\x02\x00\x00\x00"), Refusal: "version"},

		{Name: "section past the end", File: append(slices.Clone(good), SecCustom, 100, 1, 'x'),
			Refusal: "a section of 100 bytes, and 2 are left"},
		{Name: "section of 4 GiB", File: slices.Concat(good, []byte{SecCustom}, most), Refusal: "a section of 4294967295 bytes"},
		{Name: "section of an unknown kind", File: append(slices.Clone(good), 13, 0), Refusal: "unknown kind 13"},
		{Name: "duplicate section", File: twice, Refusal: "repeated or in the wrong order"},
		{Name: "misordered sections", File: swapped, Refusal: "repeated or in the wrong order"},
		{Name: "section with bytes too many", File: raw(SecMemory, []byte{1, 0, 1, 0}), Refusal: "1 unexpected bytes"},
		{Name: "overlong integer", File: raw(SecMemory, []byte{0x81, 0x80, 0x80, 0x80, 0x80, 0x00, 0, 1}),
			Refusal: "an integer of more than 32 bits"},
		{Name: "integer overflow", File: raw(SecMemory, []byte{0xff, 0xff, 0xff, 0xff, 0x1f, 0, 1}),
			Refusal: "an integer of more than 32 bits"},
		{Name: "endless integer", File: raw(SecMemory, bytes.Repeat([]byte{0x80}, 1<<20)), Refusal: "an integer of more than 32 bits"},

		{Name: "2^32-1 types", File: bomb(SecType), Refusal: "4294967295 types"},
		{Name: "2^32-1 imports", File: bomb(SecImport), Refusal: "4294967295 imports"},
		{Name: "2^32-1 functions", File: bomb(SecFunction), Refusal: "4294967295 functions"},
		{Name: "2^32-1 exports", File: bomb(SecExport), Refusal: "4294967295 exports"},
		{Name: "2^32-1 bodies", File: bomb(SecCode), Refusal: "4294967295 function bodies"},
		{Name: "2^32-1 globals", File: slices.Concat(Plugin(Module{}, ok).head(SecMemory), Section(SecGlobal, most)),
			Refusal: "4294967295 globals"},
		{Name: "2^32-1 elements", File: slices.Concat(Plugin(Module{Table: 1}, ok).head(SecExport),
			Section(SecElement, []byte{1}, []byte{0}, I32Const(0), []byte{End}, most)), Refusal: "4294967295 elements"},
		{Name: "2^32-1 data segments", File: slices.Concat(Plugin(Module{}, ok).head(SecExport), Section(SecDataCount, most)),
			Refusal: "4294967295 data segments"},
		{Name: "2^32-1 parameters", File: raw(SecType, []byte{1, 0x60}, most), Refusal: "4294967295 parameters"},
		{Name: "1000 results", File: raw(SecType, []byte{1, 0x60, 0}, U(1000), bytes.Repeat([]byte{I32}, 1000)), Refusal: "1000 results"},
		{Name: "name of 4 GiB", File: raw(SecImport, []byte{1}, most), Refusal: "a name of 4294967295 bytes"},
		{Name: "50,000 locals", File: locals(append(U(50_000), I64)), Refusal: "50000 locals"},
		{Name: "2^32-1 locals", File: locals(append(slices.Clone(most), I64)), Refusal: "4294967295 locals"},
		{Name: "2^32-1 locals in two groups", File: locals([]byte{1, I32}, append(slices.Clone(most), I64)), Refusal: "4294967296 locals"},
		{Name: "function of 1.5 MB", File: code(bytes.Repeat([]byte{opI32Const, 0, Drop}, 500_000)), Refusal: "a function of 15000"},
		{Name: "100,000 functions", File: Plugin(Module{Funcs: functions}, ok).Bytes(), Refusal: "100002 functions"},
		{Name: "20,000 nested blocks", File: code(nested), Refusal: "nested more than"},
		{Name: "br_table of 1,000,000", File: Replace(good, SecCode, Vec(Body("", Code(I32Const(0), targets)))),
			Refusal: "a function of 1000"},
		{Name: "br_table of 60,000", File: code(I32Const(0), with(opBrTable, 60_000), make([]byte, 60_001)), Refusal: "60000 targets"},
		{Name: "br_table of 2^32-1", File: code(I32Const(0), opBrTable, most), Refusal: "4294967295 targets"},
		{Name: "18,000 loops in one function", File: code(bytes.Repeat(Loop(Void, LocalGet(0), BrIf(0)), 18_000)),
			Refusal: "blocks and branches"},
		{Name: "11,000 memory.fill in one function",
			File: code(bytes.Repeat(Code(LocalGet(0), LocalGet(0), LocalGet(0), MemoryFill), 11_000)), Refusal: "blocks and branches"},
		{Name: "loops in many functions", File: Plugin(Module{Funcs: slices.Repeat([]Func{{Sig: ">",
			Code: bytes.Repeat(Loop(Void, I32Const(0), BrIf(0)), 500)}}, 200)}, ok).Bytes(),
			Refusal: "takes the engine too long to compile"},
		{Name: "operands", File: code(bytes.Repeat(I32Const(0), 10_000)), Refusal: "values on the operand stack"},

		{Name: "memory of 65,536 pages to begin with", File: of(Module{Memory: []int{65_536}}),
			Refusal: "a memory of 65536 pages to begin with"},
		{Name: "memory of 65,537 pages", File: of(Module{Memory: []int{65_537}}), Refusal: "more than 65536 pages"},
		{Name: "memory smaller than it begins", File: of(Module{Memory: []int{2, 1}}), Refusal: "a least size of 2 and a greatest of 1"},
		{Name: "two memories", File: raw(SecMemory, []byte{2, 0, 1, 0, 1}), Refusal: "2 memories"},
		{Name: "shared memory", File: raw(SecMemory, []byte{1, 3, 1, 1}), Refusal: "shared or 64-bit"},
		{Name: "64-bit memory", File: raw(SecMemory, []byte{1, 4, 1}), Refusal: "shared or 64-bit"},
		{Name: "imported memory", File: raw(SecImport, []byte{1}, Str("env"), Str("memory"), []byte{2, 0, 1}),
			Refusal: `it imports the memory "env.memory"`},
		{Name: "imported table", File: raw(SecImport, []byte{1}, Str("env"), Str("t"), []byte{1, FuncRef, 0, 1}),
			Refusal: `it imports the table "env.t"`},
		{Name: "imported global", File: raw(SecImport, []byte{1}, Str("env"), Str("g"), []byte{3, I32, 0}),
			Refusal: `it imports the global "env.g"`},
		{Name: "imported tag", File: raw(SecImport, []byte{1}, Str("env"), Str("t"), []byte{4, 0, 0}),
			Refusal: "an import of the kind 0x4"},
		{Name: "no memory", File: without(good, SecMemory), Refusal: "the export \"memory\" of an undefined item"},
		{Name: "no memory and no export of it", File: Replace(without(good, SecMemory), SecExport, Vec(score, abi)),
			Refusal: "no export named memory"},
		{Name: "memory exported by another name", File: exporting(Export("mem", 2, 0), score, abi),
			Refusal: "the module has no export named memory"},
		{Name: "exported memory is a function", File: exporting(Export("memory", 0, Score(Module{})), score, abi),
			Refusal: "the module has no export named memory"},
		{Name: "table of 10,000,000", File: of(Module{Table: 10_000_000}), Refusal: "a table of 10000000 entries"},
		{Name: "two tables", File: slices.Concat(Plugin(Module{}, ok).head(SecFunction),
			Section(SecTable, []byte{2, FuncRef, 0, 1, FuncRef, 0, 1})), Refusal: "2 tables"},
		{Name: "table.grow", File: of(Module{Table: 1}, 0xd0, FuncRef, I32Const(100_000_000), 0xfc, 15, 0, Drop),
			Refusal: "tables of plugins do not grow"},

		{Name: "unknown import", File: imports(Import{"awarc", "shell", "ii>i"}), Refusal: `"awarc.shell", which ABI 1 does not have`},
		{Name: "import of an unknown module", File: imports(Import{"host\x1b[2J", "exec", ">"}), Refusal: `"host\x1b[2J.exec"`},
		{Name: "import that is not UTF-8", File: imports(Import{"awarc", "log\xff", "iii>"}), Refusal: "not UTF-8"},
		{Name: "import of awarc.refuel", File: imports(Import{"awarc", "refuel", ">I"}), Refusal: "awarc.refuel, which the host adds"},
		{Name: "import with a wrong signature", File: imports(Import{"awarc", "output_write", "II>i"}),
			Refusal: "output_write as (i64 i64 -> i32); expected (i32 i32 -> i32)"},
		{Name: "path_open", File: imports(Import{"wasi_snapshot_preview1", "path_open", "iiiiiIIii>i"}),
			Refusal: "wasi_snapshot_preview1.path_open"},
		{Name: "sock_accept", File: imports(Import{"wasi_snapshot_preview1", "sock_accept", "iii>i"}),
			Refusal: "wasi_snapshot_preview1.sock_accept"},
		{Name: "WASI of a wrong signature", File: imports(Import{"wasi_snapshot_preview1", "fd_write", "iiii>"}),
			Refusal: "fd_write as (i32 i32 i32 i32 ->)"},
		{Name: "newer WASI", File: imports(Import{"wasi:io/streams@0.2.0", "write", "i>"}), Refusal: "wasi:io/streams@0.2.0"},

		{Name: "command with _start", File: of(Module{Funcs: []Func{{Sig: ">", Export: "_start"}}}), Refusal: "it exports _start"},
		{Name: "no marker of the ABI", File: exporting(memory, score), Refusal: "awarc_abi_1 is not exported"},
		{Name: "no function of its kind", File: exporting(memory, abi), Refusal: "awarc_score is not exported"},
		{Name: "function of its kind with a wrong signature", File: exporting(memory, abi, Export("awarc_score", 0, Score(Module{})+1)),
			Refusal: "awarc_score is (->), which must be (-> i32)"},
		{Name: "function of its kind is the memory", File: exporting(memory, abi, Export("awarc_score", 2, 0)),
			Refusal: "awarc_score is not a function"},
		{Name: "_initialize with a wrong signature", File: exporting(memory, abi, score, Export("_initialize", 0, Score(Module{}))),
			Refusal: "_initialize is (-> i32)"},
		{Name: "duplicate export", File: exporting(memory, score, abi, score), Refusal: `the export "awarc_score" twice`},
		{Name: "export of a name of the host", File: exporting(memory, score, abi, Export("awarc.fuel", 2, 0)),
			Refusal: "belong to the host"},
		{Name: "start function with results", File: of(Module{Start: Score(Module{})}),
			Refusal: "a start function with parameters or results"},

		{Name: "operand of a wrong type", File: code(I64Const(0), 0x45, Drop), Refusal: "an operand of the type i64 where i32 is needed"},
		{Name: "select of other types than it says", File: code(I32Const(0), I32Const(0), I32Const(0), 0x1c, 1, ExternRef, Drop),
			Refusal: "an operand of the type i32 where externref is needed"},
		{Name: "function of a type that is not there", File: raw(SecFunction, []byte{2, 0, 99}), Refusal: "type 99 of"},
		{Name: "missing operand", File: code(Drop), Refusal: "no operand"},
		{Name: "value too many", File: code(I32Const(0)), Refusal: "values too many"},
		{Name: "branch out of the function", File: code(Br(5)), Refusal: "a branch out of 6 blocks"},
		{Name: "local that is not there", File: code(LocalGet(4), Drop), Refusal: "local 4 of 4"},
		{Name: "call of a function that is not there", File: code(Call(99)), Refusal: "function 99 of 9"},
		{Name: "function without end", File: Replace(good, SecCode, append([]byte{1, 3, 0}, I32Const(0)...)),
			Refusal: "ends in the middle"},
		{Name: "missing bodies", File: raw(SecCode, Vec()), Refusal: "0 bodies for 2 functions"},
		{Name: "no code section", File: without(good, SecCode), Refusal: "without a body"},
		{Name: "unknown instruction", File: code(0xff), Refusal: "the unknown instruction 0xff"},
		{Name: "tail call", File: code(0x12, 0), Refusal: "the unknown instruction 0x12"},
		{Name: "exceptions", File: code(0x06, Void, End), Refusal: "the unknown instruction 0x6"},
		{Name: "atomics", File: code(0xfe, 0x03, 0), Refusal: "the unknown instruction 0xfe"},
		{Name: "relaxed SIMD", File: code(0xfd, U(0x100)), Refusal: "the unknown instruction 0xfd 256"},
		{Name: "garbage collection", File: code(0xfb, 0), Refusal: "the unknown instruction 0xfb"},

		{Name: "no manifest", File: Plugin(Module{}, ok).strip(), Refusal: "no manifest"},
		{Name: "manifest of 10 MB", File: manifest(Manifest + padded(10<<20)), Refusal: "65536 are allowed"},
		{Name: "two manifests", File: append(slices.Clone(good), Custom("awarc.plugin", []byte(Manifest))...),
			Refusal: "a second manifest"},
		{Name: "manifest that is not UTF-8", File: word("org.example.test", "org\xff"), Refusal: "not UTF-8"},
		{Name: "manifest that is not JSON", File: manifest("name: x"), Refusal: "does not begin with {"},
		{Name: "manifest nested 20,000 deep", File: word(`"kind"`,
			`"config_schema":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+`,"kind"`), Refusal: "config_schema"},
		{Name: "manifest with a key twice", File: word(`"abi"`, `"name":"a","abi"`), Refusal: `"name" twice`},
		{Name: "name with ../", File: word("org.example.test", "../../etc/passwd"), Refusal: `name is "../../etc/passwd"`},
		{Name: "name with an escape sequence", File: word("org.example.test", `\u001b[2J`), Refusal: `name is "\x1b[2J"`},
		{Name: "version that is none", File: word("1.0.0", "1.0"), Refusal: "semantic version"},
		{Name: "ABI 2", File: word(`"1.0"`, `"2.0"`), Refusal: `abi is "2.0"`},
		{Name: "unknown kind", File: word("scorer", "shell"), Refusal: `kind has "shell"`},
		{Name: "unknown need", File: word(`"kind"`, `"needs":["cookies"],"kind"`), Refusal: `needs has "cookies"`},
		{Name: "unknown capability", File: word(`"kind"`, `"may":["exec"],"kind"`), Refusal: `may has "exec"`},
		{Name: "memory over the operator's limit", File: word(`"kind"`, `"memory_mb":1024,"kind"`), Refusal: "memory_mb is 1024"},
	}
	for i := range all {
		all[i].When = OnLoad
	}
	return all
}

// without returns the file without a section.
func without(file []byte, id byte) []byte {
	out := []byte(Header)
	for _, s := range Split(file) {
		if s.ID != id {
			out = append(out, Section(s.ID, s.Content)...)
		}
	}
	return out
}

// head returns the module up to a section, which is the last.
func (m Module) head(last byte) []byte {
	out := []byte(Header)
	for _, s := range Split(m.Bytes()) {
		out = append(out, Section(s.ID, s.Content)...)
		if s.ID == last {
			break
		}
	}
	return out
}

// strip returns the module without its manifest.
func (m Module) strip() []byte {
	m.Manifest = ""
	return m.Bytes()
}
