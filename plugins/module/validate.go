package module

// body is the state of the validation of one function, after the appendix
// "Validation Algorithm" of the specification. Its slices are reused.
type body struct {
	locals []byte // types of parameters and locals
	stack  []byte // types of operands
	blocks []block
	count  int // what Limits.Blocks counts
}

type block struct {
	op              byte // opBlock, opLoop, opIf, opElse; opBlock for the function
	params, results []byte
	height          int  // of the stack where the block began
	dead            bool // the rest cannot be reached
}

// label is what a branch to the block carries.
func (b *block) label() []byte {
	if b.op == opLoop {
		return b.params
	}
	return b.results
}

// validate checks the body of a function of the type: all of p.pos to p.end.
func (p *parser) validate(t funcType) {
	v := &p.body
	v.locals = append(v.locals[:0], t.params...)
	v.stack = v.stack[:0]
	v.count = 0
	v.blocks = append(v.blocks[:0], block{op: opBlock, results: t.results})
	p.readLocals(len(t.params))
	for len(v.blocks) > 0 && p.err == nil {
		p.instruction()
	}
	if p.err == nil && p.pos != p.end {
		p.fail(Malformed, p.pos, doToolchain, "code after the end of the function")
	}
}

func (p *parser) readLocals(params int) {
	v := &p.body
	for range p.count(p.l.Locals, "groups of locals") {
		at := p.pos
		n, t := p.u32(), p.valueType()
		if sum := uint64(n) + uint64(len(v.locals)-params); sum > uint64(p.l.Locals) {
			p.fail(OverLimit, at, "split the function", "%d locals and perhaps more; %d are allowed", sum, p.l.Locals)
		}
		if p.err != nil {
			return
		}
		for range n {
			v.locals = append(v.locals, t)
		}
	}
}

// costly counts what makes the engine's work quadratic.
func (p *parser) costly(n int) {
	if p.body.count += n; p.body.count > p.l.Blocks {
		p.fail(OverLimit, p.pos, "split the function", "more than %d blocks and branches in a function", p.l.Blocks)
	}
}

func (p *parser) push(t byte) {
	v := &p.body
	if len(v.stack) >= p.l.Operands {
		p.fail(OverLimit, p.pos, "split the function", "more than %d values on the operand stack", p.l.Operands)
		return
	}
	v.stack = append(v.stack, t)
}

func (p *parser) pushAll(types []byte) {
	for _, t := range types {
		p.push(t)
	}
}

// pop takes a value of the type, or of any where want is unknown, and returns its
// type.
func (p *parser) pop(want byte) byte {
	v := &p.body
	b := &v.blocks[len(v.blocks)-1]
	if len(v.stack) == b.height {
		if !b.dead {
			p.fail(Invalid, p.pos, doToolchain, "an instruction that finds no operand where it needs %s", typeName(want))
		}
		return want
	}
	got := v.stack[len(v.stack)-1]
	v.stack = v.stack[:len(v.stack)-1]
	if got == want || want == unknown {
		return got
	}
	if got != unknown {
		p.fail(Invalid, p.pos, doToolchain, "an operand of the type %s where %s is needed", typeName(got), typeName(want))
	}
	return want
}

func (p *parser) popAll(types []byte) {
	for i := len(types) - 1; i >= 0; i-- {
		p.pop(types[i])
	}
}

// unreachable marks the rest of the block as dead.
func (p *parser) unreachable() {
	v := &p.body
	b := &v.blocks[len(v.blocks)-1]
	v.stack = v.stack[:b.height]
	b.dead = true
}

// begin opens a block, whose parameters are on the stack.
func (p *parser) begin(op byte, params, results []byte) {
	v := &p.body
	// The function itself is a block that the limit does not count.
	if len(v.blocks) > p.l.Nesting {
		p.fail(OverLimit, p.pos, "split the function", "blocks nested more than %d deep", p.l.Nesting)
		return
	}
	p.popAll(params)
	v.blocks = append(v.blocks, block{op: op, params: params, results: results, height: len(v.stack)})
	p.pushAll(params)
}

// finish closes a block: its results, and nothing else, are on the stack.
func (p *parser) finish() block {
	v := &p.body
	b := v.blocks[len(v.blocks)-1]
	p.popAll(b.results)
	if len(v.stack) != b.height {
		p.fail(Invalid, p.pos, doToolchain, "a block that leaves %d values too many", len(v.stack)-b.height)
	}
	v.blocks = v.blocks[:len(v.blocks)-1]
	return b
}

// labelTypes reads a label and returns what a branch to it carries.
func (p *parser) labelTypes() []byte {
	at := p.pos
	x := p.u32()
	if int64(x) >= int64(len(p.body.blocks)) {
		p.fail(Invalid, at, doToolchain, "a branch out of %d blocks, but there are %d", int64(x)+1, len(p.body.blocks))
		return nil
	}
	return p.body.blocks[len(p.body.blocks)-1-int(x)].label()
}

// blockType reads a block type.
func (p *parser) blockType() (params, results []byte) {
	at := p.pos
	x := p.s33()
	switch {
	case p.err != nil:
		return nil, nil
	case x >= 0 && x < int64(len(p.m.types)):
		t := p.m.types[x]
		return t.params, t.results
	case x == -0x40:
		return nil, nil
	case p.pos == at+1 && isValueType(p.b[at]):
		return nil, p.b[at:p.pos]
	}
	p.fail(Invalid, at, doToolchain, "a block of the undefined type %d", x)
	return nil, nil
}

// local reads the index of a local and returns its type.
func (p *parser) local() byte {
	at := p.pos
	x := p.u32()
	if int64(x) >= int64(len(p.body.locals)) {
		p.fail(Invalid, at, doToolchain, "local %d of %d", x, len(p.body.locals))
		return unknown
	}
	return p.body.locals[x]
}

func (p *parser) global() globalType {
	at := p.pos
	x := p.u32()
	if int64(x) >= int64(len(p.m.globals)) {
		p.fail(Invalid, at, doToolchain, "global %d of %d", x, len(p.m.globals))
		return globalType{}
	}
	return p.m.globals[x]
}

// tableType reads the index of a table, of which there is at most one, and
// returns the type of its entries.
func (p *parser) tableType() byte {
	at := p.pos
	if x := p.u32(); x != 0 || p.m.table == unknown {
		p.fail(Invalid, at, doToolchain, "undefined table %d", x)
	}
	return p.m.table
}

func (p *parser) needMemory(at int) {
	if !p.memory {
		p.fail(Invalid, at, doToolchain, "an instruction on memory in a module without one")
	}
}

// instruction validates the next instruction.
func (p *parser) instruction() {
	at := p.pos
	op := p.byte()
	in := &plain[op]
	switch op {
	case prefixMisc, prefixVector:
		p.prefixed(at, op)
		return
	}
	if in.typed {
		p.immediates(at, in)
		p.apply(in)
		return
	}
	if in.imm == immUnknown {
		p.fail(Unsupported, at, doFeatures, "the unknown instruction %#x", op)
		return
	}
	p.special(op)
}

// apply pops and pushes what the signature says.
func (p *parser) apply(in *instruction) {
	for i := int(in.nin) - 1; i >= 0; i-- {
		p.pop(in.in[i])
	}
	if in.out != unknown {
		p.push(in.out)
	}
}

// immediates reads and checks what follows an opcode with a signature.
func (p *parser) immediates(at int, in *instruction) {
	switch in.imm {
	case immMemory, immMemLane:
		p.needMemory(at)
		align := p.u32()
		if align > 31 || 1<<align > uint32(in.bytes) {
			p.fail(Invalid, at, doToolchain, "%s with an alignment of 2^%d; %d is the greatest", in.name, align, in.bytes)
		}
		p.u32()
		if in.imm == immMemLane {
			p.lane(at, in, 16/in.bytes)
		}
	case immLane:
		p.lane(at, in, in.bytes)
	case immShuffle:
		for range 16 {
			p.lane(at, in, 32)
		}
	case immI32:
		p.s32()
	case immI64:
		p.s64()
	case imm4:
		p.bytes(4, "a constant")
	case imm8:
		p.bytes(8, "a constant")
	case imm16:
		p.bytes(16, "a constant")
	case immZero:
		p.needMemory(at)
		p.zero(at, in)
	case immZeroZero:
		p.needMemory(at)
		p.zero(at, in)
		p.zero(at, in)
	case immData:
		p.needMemory(at)
		p.data(at)
		p.zero(at, in)
	}
}

func (p *parser) lane(at int, in *instruction, lanes byte) {
	if x := p.byte(); x >= lanes && p.err == nil {
		p.fail(Invalid, at, doToolchain, "%s of lane %d; there are %d", in.name, x, lanes)
	}
}

func (p *parser) zero(at int, in *instruction) {
	if x := p.byte(); x != 0 && p.err == nil {
		p.fail(Unsupported, at, doFeatures, "%s of the memory %d", in.name, x)
	}
}

func (p *parser) data(at int) {
	x := p.u32()
	if int64(x) >= int64(p.m.datas) && p.err == nil {
		p.fail(Invalid, at, doToolchain, "undeclared data segment %d", x)
	}
}

func (p *parser) element(at int) byte {
	x := p.u32()
	if int64(x) >= int64(len(p.m.elements)) {
		p.fail(Invalid, at, doToolchain, "element segment %d of %d", x, len(p.m.elements))
		return unknown
	}
	return p.m.elements[x]
}

// prefixed validates an instruction of two opcodes.
func (p *parser) prefixed(at int, prefix byte) {
	table := &misc
	if prefix == prefixVector {
		table = &vector
	}
	op := p.u32()
	if op >= uint32(len(table)) || table[op].imm == immUnknown {
		p.fail(Unsupported, at, doFeatures, "the unknown instruction %#x %d", prefix, op)
		return
	}
	in := &table[op]
	if prefix == prefixVector {
		p.immediates(at, in)
		p.apply(in)
		return
	}
	switch op {
	case miscDataDrop:
		p.data(at)
	case miscElemDrop:
		p.element(at)
	case miscTableInit:
		if e, t := p.element(at), p.tableType(); e != t && p.err == nil {
			p.fail(Invalid, at, doToolchain, "table.init of %s into a table of %s", typeName(e), typeName(t))
		}
	case miscTableCopy:
		p.tableType()
		p.tableType()
	case miscTableSize:
		p.tableType()
	case miscTableGrow:
		p.fail(Unsupported, at, "give the table its final size", "table.grow: tables of plugins do not grow")
	case miscTableFill:
		t := p.tableType()
		p.pop(i32)
		p.pop(t)
		p.pop(i32)
	case miscMemoryInit, miscMemoryCopy, miscMemoryFill:
		p.costly(2)
		p.immediates(at, in)
	default:
		p.immediates(at, in)
	}
	p.apply(in)
}

// special validates the instructions whose types depend on what surrounds them.
func (p *parser) special(op byte) {
	switch op {
	case opDrop:
		p.pop(unknown)
	case opSelect:
		p.pop(i32)
		a := p.pop(unknown)
		b := p.pop(a)
		if isRefType(a) || isRefType(b) {
			p.fail(Invalid, p.pos, doToolchain, "a select of references without their type")
		}
		p.push(max(a, b))
	case opSelectTyped:
		if n := p.u32(); n != 1 && p.err == nil {
			p.fail(Invalid, p.pos, doToolchain, "a select of %d types", n)
		}
		t := p.valueType()
		p.pop(i32)
		p.pop(t)
		p.pop(t)
		p.push(t)
	case opLocalGet:
		p.push(p.local())
	case opLocalSet:
		p.pop(p.local())
	case opLocalTee:
		t := p.local()
		p.pop(t)
		p.push(t)
	case opGlobalGet:
		p.push(p.global().value)
	case opGlobalSet:
		g := p.global()
		if !g.mutable {
			p.fail(Invalid, p.pos, doToolchain, "global.set of a constant")
		}
		p.pop(g.value)
	case opTableGet:
		t := p.tableType()
		p.pop(i32)
		p.push(t)
	case opTableSet:
		t := p.tableType()
		p.pop(t)
		p.pop(i32)
	case opRefNull:
		p.push(p.refType())
	case opRefIsNull:
		if t := p.pop(unknown); t != unknown && !isRefType(t) {
			p.fail(Invalid, p.pos, doToolchain, "ref.is_null of %s", typeName(t))
		}
		p.push(i32)
	case opRefFunc:
		at := p.pos
		x := p.funcIndex()
		if p.err == nil && (p.declared == nil || !p.declared[x]) {
			p.fail(Invalid, at, doToolchain, "a reference of function %d, which no element segment, export or global names", x)
		}
		p.push(funcref)
	default:
		p.control(op)
	}
}

// control validates the instructions that branch and call.
func (p *parser) control(op byte) {
	v := &p.body
	switch op {
	case opUnreachable:
		p.unreachable()
	case opBlock, opLoop:
		if p.costly(1); op == opLoop {
			p.costly(3)
		}
		params, results := p.blockType()
		p.begin(op, params, results)
	case opIf:
		p.costly(1)
		params, results := p.blockType()
		p.pop(i32)
		p.begin(op, params, results)
	case opElse:
		p.costly(1)
		b := p.finish()
		if b.op != opIf {
			p.fail(Invalid, p.pos-1, doToolchain, "else without if")
			return
		}
		p.begin(opElse, nil, b.results)
		p.pushAll(b.params)
	case opEnd:
		b := p.finish()
		if b.op == opIf && string(b.params) != string(b.results) {
			p.fail(Invalid, p.pos-1, doToolchain, "an if without else that changes the stack")
		}
		if len(v.blocks) > 0 {
			p.pushAll(b.results)
		}
	case opBr:
		p.popAll(p.labelTypes())
		p.unreachable()
	case opBrIf:
		p.costly(1)
		types := p.labelTypes()
		p.pop(i32)
		p.popAll(types)
		p.pushAll(types)
	case opBrTable:
		p.brTable()
	case opReturn:
		p.popAll(v.blocks[0].results)
		p.unreachable()
	case opCall:
		p.callType(p.m.types[p.m.funcs[p.funcIndex()]])
	case opCallIndirect:
		x := p.typeIndex()
		if t := p.tableType(); t != funcref {
			p.fail(Invalid, p.pos, doToolchain, "an indirect call through a table of %s", typeName(t))
		}
		if p.err == nil {
			p.pop(i32)
			p.callType(p.m.types[x])
		}
	}
}

func (p *parser) callType(t funcType) {
	p.popAll(t.params)
	p.pushAll(t.results)
}

// brTable validates br_table: all labels carry as many values as the default, and
// each fits what is on the stack.
func (p *parser) brTable() {
	p.pop(i32)
	n := p.count(p.l.BranchTargets, "targets of a br_table")
	var first []byte
	for i := range n + 1 { // the last is the default
		at := p.pos
		types := p.labelTypes()
		if i == 0 {
			first = types
		}
		if len(types) != len(first) && p.err == nil {
			p.fail(Invalid, at, doToolchain, "a br_table to labels that carry %d and %d values", len(first), len(types))
		}
		p.fits(types)
		if p.err != nil {
			return
		}
	}
	p.unreachable()
}

// fits checks that values of the types are on top of the stack, and leaves them.
func (p *parser) fits(types []byte) {
	v := &p.body
	b := &v.blocks[len(v.blocks)-1]
	for i := range types {
		want := types[len(types)-1-i]
		at := len(v.stack) - 1 - i
		if at < b.height {
			if !b.dead {
				p.fail(Invalid, p.pos, doToolchain, "a branch that finds no operand where it needs %s", typeName(want))
			}
			return
		}
		if got := v.stack[at]; got != want && got != unknown {
			p.fail(Invalid, p.pos, doToolchain, "a branch with an operand of the type %s where %s is needed", typeName(got), typeName(want))
			return
		}
	}
}
