package module

func (p *parser) typeSection() {
	n := p.count(p.l.Types, "types")
	p.m.types = make([]funcType, 0, n)
	all := n
	for range n {
		at := p.pos
		if form := p.byte(); form != 0x60 && p.err == nil {
			p.fail(Unsupported, at, doFeatures, "a type of the form %#x", form)
		}
		t := funcType{params: p.valueTypes(p.l.Params, "parameters of a function"),
			results: p.valueTypes(p.l.Results, "results of a function")}
		if p.err != nil {
			return
		}
		if all += len(t.params) + len(t.results); all > p.l.Types {
			p.fail(OverLimit, at, doToolchain, "more than %d types with their parameters and results", p.l.Types)
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
			p.fail(BadImport, im.offset, "define it in the module", "it imports the %s %q; a plugin may import functions only", what,
				im.Module+"."+im.Name)
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
		p.fail(OverLimit, at, "link with a smaller stack and less data, or ask the operator for more",
			"a memory of %d pages to begin with; %d are allowed", least, p.l.MemoryPages)
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
			p.fail(Invalid, at, doToolchain, "the export %q of an undefined item", name)
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
				p.fail(Invalid, at, doToolchain, "an element segment for the undefined table %d", table)
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
			p.fail(OverLimit, at, "split the function, or let the compiler inline less", "a function of %d bytes; %d are allowed", size,
				p.l.FunctionBytes)
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
			p.fail(OverLimit, p.pos, "link less, or split it into plugins",
				"code that takes the engine too long to compile: more than %d units", p.l.Compilation)
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
		p.fail(Malformed, p.pos, doToolchain, "%d data segments, but %d are declared", n, p.m.datas)
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
				p.fail(Invalid, at, doToolchain, "a data segment for the undefined memory %d", memory)
			}
			p.constant(i32)
		}
		p.bytes(p.u32(), "a data segment")
	}
}
