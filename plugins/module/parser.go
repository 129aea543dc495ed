package module

import "strings"

// parser reads the sections of a file into a Module and judges them.
type parser struct {
	reader
	m *Module
	l Limits

	section  int // being read, or -1
	function int // whose body is being read, or -1

	imports  []declaredImport
	declared []bool // functions that code may take references of
	defined  int    // bodies that were read
	work     int    // estimated, to compile the bodies that were read
	memory   bool
	manifest span
	body     body
}

type declaredImport struct {
	Import
	offset int
}

func (p *parser) module() {
	file, rank := p.end, -1
	for p.pos < file && p.err == nil {
		at := p.pos
		id := p.byte()
		content := p.bytes(p.u32(), "a section")
		if p.err != nil {
			return
		}
		if int(id) >= len(sectionNames) {
			p.fail(Unsupported, at, doFeatures, "a section of the unknown kind %d", id)
			return
		}
		p.section = int(id)
		s := span{p.pos - len(content), p.pos}
		if id != sectionCustom {
			r := 0
			for sectionOrder[r] != id {
				r++
			}
			if r <= rank {
				p.fail(Malformed, at, doToolchain, "it is there twice, or after a section that it must precede")
				return
			}
			rank = r
			p.m.sections[id] = s
		}
		p.pos, p.end = s.start, s.end
		p.content(id)
		if p.err == nil && p.pos != p.end {
			p.fail(Malformed, p.pos, doToolchain, "%d bytes that belong to nothing", p.end-p.pos)
		}
		if p.err != nil {
			return
		}
		p.pos, p.end = s.end, file
		p.section = -1
	}
	if p.err == nil {
		p.complete()
	}
	if p.err == nil {
		p.judge()
	}
}

func (p *parser) content(id byte) {
	switch id {
	case sectionCustom:
		p.custom()
	case sectionType:
		p.typeSection()
	case sectionImport:
		p.importSection()
	case sectionFunction:
		p.functionSection()
	case sectionTable:
		p.tableSection()
	case sectionMemory:
		p.memorySection()
	case sectionGlobal:
		p.globalSection()
	case sectionExport:
		p.exportSection()
	case sectionStart:
		p.startSection()
	case sectionElement:
		p.elementSection()
	case sectionDataCount:
		p.m.datas = p.countOf(p.l.DataSegments, "data segments")
	case sectionCode:
		p.codeSection()
	case sectionData:
		p.dataSection()
	}
}

// countOf reads a number that counts nothing in its own section.
func (p *parser) countOf(most int, what string) int {
	at := p.pos
	n := p.u32()
	if uint64(n) > uint64(most) {
		p.fail(OverLimit, at, "use fewer", "%d %s; %d are allowed", n, what, most)
		return 0
	}
	return int(n)
}

// custom keeps where the manifest and the names are; other sections are ignored.
func (p *parser) custom() {
	at := p.pos
	switch p.name() {
	case ManifestSection:
		if p.manifest.end != 0 {
			p.fail(BadManifest, at, "pack the plugin again: plugin pack replaces the manifest", "a second manifest")
			return
		}
		p.manifest = span{p.pos, p.end}
		if n := p.end - p.pos; n > p.l.ManifestBytes {
			p.fail(BadManifest, at, "shorten it", "a manifest of %d bytes; %d are allowed", n, p.l.ManifestBytes)
		}
	case "name":
		if p.m.names.end == 0 {
			p.m.names = span{p.pos, p.end}
		}
	}
	p.pos = p.end
}

func (p *parser) valueType() byte {
	at := p.pos
	t := p.byte()
	if !isValueType(t) && p.err == nil {
		p.fail(Unsupported, at, doFeatures, "a value type %#x", t)
	}
	return t
}

func (p *parser) refType() byte {
	at := p.pos
	t := p.byte()
	if !isRefType(t) && p.err == nil {
		p.fail(Unsupported, at, doFeatures, "a reference type %#x", t)
	}
	return t
}

func (p *parser) valueTypes(most int, what string) []byte {
	n := p.count(most, what)
	start := p.pos
	for range n {
		p.valueType()
	}
	if p.err != nil {
		return nil
	}
	return p.b[start:p.pos:p.pos]
}

func (p *parser) typeSection() {
	n := p.count(p.l.Types, "types")
	p.m.types = make([]funcType, 0, n)
	for range n {
		at := p.pos
		if form := p.byte(); form != 0x60 && p.err == nil {
			p.fail(Unsupported, at, doFeatures, "a type of the form %#x", form)
		}
		t := funcType{params: p.valueTypes(p.l.Params, "parameters of a function"), results: p.valueTypes(p.l.Results, "results of a function")}
		if p.err != nil {
			return
		}
		p.m.types = append(p.m.types, t)
	}
}

// typeIndex reads the index of a type.
func (p *parser) typeIndex() uint32 {
	at := p.pos
	x := p.u32()
	if int64(x) >= int64(len(p.m.types)) && p.err == nil {
		p.fail(Invalid, at, doToolchain, "type %d of %d", x, len(p.m.types))
	}
	return x
}

// funcIndex reads the index of a function.
func (p *parser) funcIndex() uint32 {
	at := p.pos
	x := p.u32()
	if int64(x) >= int64(len(p.m.funcs)) {
		p.fail(Invalid, at, doToolchain, "function %d of %d", x, len(p.m.funcs))
		return 0
	}
	return x
}

func (p *parser) importSection() {
	for range p.count(p.l.Imports, "imports") {
		im := declaredImport{offset: p.pos}
		im.Module, im.Name = p.name(), p.name()
		at := p.pos
		switch kind := p.byte(); {
		case p.err != nil:
			return
		case kind <= kindGlobal && kind != kindFunc:
			what := [...]string{kindTable: "table", kindMemory: "memory", kindGlobal: "global"}[kind]
			p.fail(BadImport, im.offset, "define it in the module", "it imports the %s %q; a plugin may import functions only", what, im.Module+"."+im.Name)
			return
		case kind != kindFunc:
			p.fail(Unsupported, at, doFeatures, "an import of the kind %#x", kind)
			return
		}
		x := p.typeIndex()
		if p.err != nil {
			return
		}
		im.Params, im.Results = p.m.types[x].params, p.m.types[x].results
		p.imports = append(p.imports, im)
		p.m.funcs = append(p.m.funcs, x)
	}
	p.m.imported = len(p.m.funcs)
}

func (p *parser) functionSection() {
	for range p.count(max(0, p.l.Functions-p.m.imported), "functions") {
		p.m.funcs = append(p.m.funcs, p.typeIndex())
	}
}

// limits reads the limits of a table or memory; most is -1 where there is none.
func (p *parser) limits() (least uint32, most int64) {
	at := p.pos
	switch flag := p.byte(); flag {
	case 0:
		return p.u32(), -1
	case 1:
		least, most = p.u32(), int64(p.u32())
		if int64(least) > most && p.err == nil {
			p.fail(Invalid, at, doToolchain, "a least size of %d and a greatest of %d", least, most)
		}
		return least, most
	default:
		p.fail(Unsupported, at, doFeatures, "limits of the kind %#x: shared or 64-bit", flag)
		return 0, 0
	}
}

func (p *parser) tableSection() {
	n := p.count(1, "tables")
	if n == 0 {
		return
	}
	p.m.table = p.refType()
	at := p.pos
	if least, _ := p.limits(); int64(least) > int64(p.l.TableEntries) {
		p.fail(OverLimit, at, "use fewer indirect functions", "a table of %d entries; %d are allowed", least, p.l.TableEntries)
	}
}

// pageLimit is what any memory of WebAssembly can have.
const pageLimit = 1 << 16

func (p *parser) memorySection() {
	if p.count(1, "memories") == 0 {
		return
	}
	p.memory = true
	at := p.pos
	least, most := p.limits()
	switch {
	case p.err != nil:
		return
	case least > pageLimit || most > pageLimit:
		p.fail(Invalid, at, doToolchain, "a memory of more than %d pages", pageLimit)
		return
	case int64(least) > int64(p.l.MemoryPages):
		p.fail(OverLimit, at, "link with a smaller stack and less data, or ask the operator for more", "a memory of %d pages to begin with; %d are allowed", least, p.l.MemoryPages)
		return
	}
	p.m.MemoryMin, p.m.MemoryMax = int(least), p.l.MemoryPages
	if most >= 0 {
		p.m.MemoryMax = min(p.m.MemoryMax, int(most))
	}
}

func (p *parser) globalSection() {
	for range p.count(p.l.Globals, "globals") {
		g := globalType{value: p.valueType()}
		at := p.pos
		mutable := p.byte()
		if mutable > 1 {
			p.fail(Malformed, at, doToolchain, "a mutability of %#x", mutable)
		}
		g.mutable = mutable == 1
		p.constant(g.value)
		if p.err != nil {
			return
		}
		p.m.globals = append(p.m.globals, g)
	}
}

// constant reads a constant expression of the type: one instruction and an end.
// A module of ABI 1 imports no globals, so there are none to get.
func (p *parser) constant(want byte) {
	at := p.pos
	var got byte
	switch op := p.byte(); op {
	case opI32Const:
		p.s32()
		got = i32
	case opI64Const:
		p.s64()
		got = i64
	case opF32Const:
		p.bytes(4, "a constant")
		got = f32
	case opF64Const:
		p.bytes(8, "a constant")
		got = f64
	case prefixVector:
		if p.u32() != vectorConst {
			p.fail(Invalid, at, doToolchain, "an instruction that is not constant")
		}
		p.bytes(16, "a constant")
		got = v128
	case opRefNull:
		got = p.refType()
	case opRefFunc:
		if x := p.funcIndex(); p.err == nil {
			p.declare(x)
		}
		got = funcref
	default:
		p.fail(Invalid, at, doToolchain, "an initial value by the instruction %#x, which is not constant", op)
	}
	if got != want {
		p.fail(Invalid, at, doToolchain, "an initial value of the type %s where %s is needed", typeName(got), typeName(want))
	}
	at = p.pos
	if p.byte() != opEnd && p.err == nil {
		p.fail(Invalid, at, doToolchain, "an initial value of more than one instruction")
	}
}

// declare lets code take a reference of the function.
func (p *parser) declare(x uint32) {
	if p.declared == nil {
		p.declared = make([]bool, len(p.m.funcs))
	}
	p.declared[x] = true
	if int(x) < p.m.imported {
		p.m.indirectImports = true
	}
}

func (p *parser) exportSection() {
	for range p.count(p.l.Exports, "exports") {
		at := p.pos
		name := p.name()
		e := export{kind: p.byte()}
		var have int
		switch e.kind {
		case kindFunc:
			have = len(p.m.funcs)
		case kindTable:
			if p.m.table != unknown {
				have = 1
			}
		case kindMemory:
			if p.memory {
				have = 1
			}
		case kindGlobal:
			have = len(p.m.globals)
		default:
			p.fail(Unsupported, at, doFeatures, "an export of the kind %#x", e.kind)
		}
		e.index = p.u32()
		if _, twice := p.m.exports[name]; twice {
			p.fail(Invalid, at, doToolchain, "the export %q twice", name)
		}
		if int64(e.index) >= int64(have) {
			p.fail(Invalid, at, doToolchain, "the export %q of something that is not there", name)
		}
		if p.err != nil {
			return
		}
		if e.kind == kindFunc {
			p.declare(e.index)
		}
		p.m.exports[name] = e
	}
}

func (p *parser) startSection() {
	at := p.pos
	x := p.funcIndex()
	if p.err != nil {
		return
	}
	if t := p.m.types[p.m.funcs[x]]; len(t.params)+len(t.results) > 0 {
		p.fail(Invalid, at, doToolchain, "a start function with parameters or results")
	}
}

// elementSection reads the eight kinds of element segments: bit 0 is passive or
// declarative, bit 1 has an explicit table (or, with bit 0, is declarative), bit 2
// holds expressions instead of indices.
func (p *parser) elementSection() {
	total := 0
	for range p.count(p.l.Elements, "element segments") {
		at := p.pos
		kind := p.u32()
		if kind > 7 {
			p.fail(Malformed, at, doToolchain, "an element segment of the kind %d", kind)
			return
		}
		value := funcref
		if kind&1 == 0 {
			table := uint32(0)
			if kind&2 != 0 {
				table = p.u32()
			}
			if (table != 0 || p.m.table == unknown) && p.err == nil {
				p.fail(Invalid, at, doToolchain, "an element segment for the table %d, which is not there", table)
			}
			p.constant(i32)
		}
		if kind&3 != 0 {
			at := p.pos
			if kind&4 != 0 {
				value = p.refType()
			} else if p.byte() != 0 && p.err == nil {
				p.fail(Malformed, at, doToolchain, "an element segment of an unknown kind")
			}
		}
		if kind&1 == 0 && value != p.m.table {
			p.fail(Invalid, at, doToolchain, "an element segment of %s for a table of %s", typeName(value), typeName(p.m.table))
		}
		n := p.count(p.l.TableEntries-total, "elements")
		total += n
		for range n {
			if p.err != nil {
				return
			}
			if kind&4 != 0 {
				p.constant(value)
			} else if x := p.funcIndex(); p.err == nil {
				p.declare(x)
			}
		}
		if p.err != nil {
			return
		}
		p.m.elements = append(p.m.elements, value)
	}
}

func (p *parser) codeSection() {
	n := p.count(p.l.Functions, "function bodies")
	for range n {
		if p.defined == len(p.m.funcs)-p.m.imported || p.err != nil {
			break
		}
		at := p.pos
		size := p.u32()
		if uint64(size) > uint64(p.l.FunctionBytes) {
			p.function = p.m.imported + p.defined
			p.fail(OverLimit, at, "split the function, or let the compiler inline less", "a function of %d bytes; %d are allowed", size, p.l.FunctionBytes)
		}
		p.bytes(size, "a function")
		if p.err != nil {
			return
		}
		end, after := p.end, p.pos
		p.function = p.m.imported + p.defined
		p.pos, p.end = p.pos-int(size), p.pos
		p.validate(p.m.types[p.m.funcs[p.function]])
		if p.err != nil {
			return
		}
		if p.work += compilation(int(size), p.body.count); p.work > p.l.Compilation {
			p.fail(OverLimit, p.pos, "link less, or split it into plugins", "code that takes the engine too long to compile: more than %d units", p.l.Compilation)
			return
		}
		p.pos, p.end = after, end
		p.function = -1
		p.defined++
	}
	if p.err == nil && n != len(p.m.funcs)-p.m.imported {
		p.fail(Malformed, p.pos, doToolchain, "%d bodies for %d functions", n, len(p.m.funcs)-p.m.imported)
	}
}

func (p *parser) dataSection() {
	n := p.count(p.l.DataSegments, "data segments")
	if p.m.datas >= 0 && n != p.m.datas {
		p.fail(Malformed, p.pos, doToolchain, "%d data segments where %d were announced", n, p.m.datas)
	}
	for range n {
		if p.err != nil {
			return
		}
		at := p.pos
		kind := p.u32()
		if kind > 2 {
			p.fail(Malformed, at, doToolchain, "a data segment of the kind %d", kind)
			return
		}
		if kind != 1 {
			memory := uint32(0)
			if kind == 2 {
				memory = p.u32()
			}
			if (memory != 0 || !p.memory) && p.err == nil {
				p.fail(Invalid, at, doToolchain, "a data segment for the memory %d, which is not there", memory)
			}
			p.constant(i32)
		}
		p.bytes(p.u32(), "a data segment")
	}
}

// complete checks what only the end of the file tells.
func (p *parser) complete() {
	switch at := p.end; {
	case p.defined != len(p.m.funcs)-p.m.imported:
		p.fail(Malformed, at, doRebuild, "%d functions without a body", len(p.m.funcs)-p.m.imported)
	case p.m.datas > 0 && p.m.sections[sectionData].end == 0:
		p.fail(Malformed, at, doRebuild, "%d data segments were announced and none is there", p.m.datas)
	}
}

// judge holds manifest, imports and exports to ABI 1.
func (p *parser) judge() {
	if p.manifest.end == 0 {
		p.fail(BadManifest, -1, "add it: awarc plugin pack FILE.wasm plugin.json", "no manifest")
		return
	}
	text := p.b[p.manifest.start:p.manifest.end]
	manifest, err := parseManifest(text)
	if err != nil {
		err.Offset += p.manifest.start
		p.err = err
		return
	}
	p.m.Manifest = manifest

	seen := map[string]bool{}
	for _, im := range p.imports {
		if what, do := judgeImport(&im.Import, manifest.WASIFSStubs); what != "" {
			p.fail(BadImport, im.offset, do, "%s", what)
			return
		}
		if name := im.Module + "." + im.Name; !seen[name] {
			seen[name] = true
			p.m.Imports = append(p.m.Imports, im.Import)
		}
	}
	p.judgeExports()

	if mb := manifest.MemoryMB; mb > 0 && p.err == nil {
		pages := mb << 4
		if pages > p.l.MemoryPages {
			p.fail(BadManifest, p.manifest.start, "lower it, or ask the operator for more", "the manifest: memory_mb is %d; %d are allowed", mb, p.l.MemoryPages>>4)
			return
		}
		if pages < p.m.MemoryMin {
			p.fail(BadManifest, p.manifest.start, "raise it, or link with a smaller stack", "the manifest: memory_mb is %d, and the memory begins with %d pages of 64 KiB", mb, p.m.MemoryMin)
			return
		}
		p.m.MemoryMax = min(p.m.MemoryMax, pages)
	}
}

// reserved is the beginning of export names that belong to the host.
const reserved = "awarc."

func (p *parser) judgeExports() {
	refuse := func(do, format string, args ...any) { p.fail(BadExport, -1, do, format, args...) }
	for name := range p.m.exports {
		if strings.HasPrefix(name, reserved) {
			refuse("name it differently", "the export %q: names that begin with %s belong to the host", name, reserved)
			return
		}
	}
	if _, ok := p.m.exports["_start"]; ok {
		refuse("build a reactor: -buildmode=c-shared for Go, -mexec-model=reactor for C, crate type cdylib for Rust", "it exports _start, so it is a command that runs once and ends")
		return
	}
	if e, ok := p.m.exports["memory"]; !ok || e.kind != kindMemory {
		refuse("export the memory under that name", "no memory is exported as memory")
		return
	}
	p.exported("awarc_abi_1", ">", true)
	p.m.Initialize = p.exported("_initialize", ">", false)
	p.m.Configure = p.exported("awarc_configure", ">i", false)
	for _, k := range p.m.Manifest.Kind {
		p.exported(k.export(), ">i", true)
	}
}

// exported reports whether a function is exported, which must have the signature.
func (p *parser) exported(name, want string, required bool) bool {
	e, ok := p.m.exports[name]
	switch {
	case !ok && required:
		p.fail(BadExport, -1, doABI, "the function %s is not exported", name)
	case ok && e.kind != kindFunc:
		p.fail(BadExport, -1, doABI, "the export %s is not a function", name)
	case ok:
		t := p.m.types[p.m.funcs[e.index]]
		if got := signature(t.params, t.results); got != want {
			p.fail(BadExport, -1, doABI, "the export %s is (%s), which must be (%s)", name, spell(got), spell(want))
		}
	}
	return ok
}
