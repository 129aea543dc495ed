package module

// function is the state of the rewriting of one function. Its slices are reused.
type function struct {
	heads []head
	edits []edit
	open  []scope
}

// head is a place that charges.
type head struct {
	cost   int64
	parent int  // the head in force around this one
	taken  bool // something branches back to it; the entry is always taken
}

// scope is an open block.
type scope struct {
	loop  bool
	head  int // in force within the block where it began
	outer int // in force where the block began
}

// edit replaces skip bytes at the offset.
type edit struct {
	at   int
	skip int
	kind editKind
	arg  uint32
}

type editKind uint8

const (
	editCharge editKind = iota // charge for the head arg
	editIndex                  // write the function index arg
	editLength                 // call the function arg, which charges for a length
)

// meter writes the function that body reads to w.code, locals included.
func (w *writer) meter(body *reader, params int) {
	locals := w.locals(body, params)
	start := body.pos
	w.plan(body)
	f := &w.body
	at := start
	for _, e := range f.edits {
		w.code = append(w.code, body.b[at:e.at]...)
		at = e.at + e.skip
		switch e.kind {
		case editCharge:
			if h := &f.heads[e.arg]; h.taken {
				w.writeCharge(h.cost, locals)
			}
		case editIndex:
			w.code = appendU32(w.code, e.arg)
		case editLength:
			w.code = appendU32(append(w.code, opCall), e.arg)
		}
	}
	w.code = append(w.code, body.b[at:body.end]...)
}

// locals copies the declaration of locals, adds an i64 and returns its index.
func (w *writer) locals(body *reader, params int) uint32 {
	n := body.u32()
	start, sum := body.pos, uint32(params)
	for range n {
		sum += body.u32()
		body.byte()
	}
	w.code = appendU32(w.code, n+1)
	w.code = append(w.code, body.b[start:body.pos]...)
	w.code = append(w.code, 1, i64)
	return sum
}

// writeCharge takes the cost from the fuel and asks for more where that is below
// zero.
func (w *writer) writeCharge(cost int64, local uint32) {
	w.code = appendU32(append(w.code, opGlobalGet), w.fuel)
	w.code = appendS64(append(w.code, opI64Const), max(cost, 1))
	w.code = appendU32(append(w.code, opI64Sub, opLocalTee), local)
	w.code = appendU32(append(w.code, opGlobalSet), w.fuel)
	w.code = appendU32(append(w.code, opLocalGet), local)
	w.code = append(w.code, opI64Const, 0, opI64LtS, opIf, 0x40)
	w.code = appendU32(append(w.code, opCall), w.charge)
	w.code = append(w.code, opEnd)
}

// plan finds the heads of a body with their costs, and the edits in order.
func (w *writer) plan(body *reader) {
	f := &w.body
	f.heads = append(f.heads[:0], head{taken: true})
	f.edits = append(f.edits[:0], edit{at: body.pos, kind: editCharge})
	f.open = append(f.open[:0], scope{})
	now := 0 // the head in force
	for body.more() && len(f.open) > 0 {
		at := body.pos
		_, o := body.decode()
		op := body.b[at]
		cost := int64(1)
		switch op {
		case opBlock, opIf:
			if op == opBlock {
				cost = 0
			}
			f.open = append(f.open, scope{head: now, outer: now})
		case opLoop:
			cost = 0
			f.heads = append(f.heads, head{parent: now})
			f.open = append(f.open, scope{loop: true, head: len(f.heads) - 1, outer: now})
			now = len(f.heads) - 1
			f.edits = append(f.edits, edit{at: body.pos, kind: editCharge, arg: uint32(now)})
		case opElse:
			cost = 0
		case opEnd:
			cost = 0
			now = f.open[len(f.open)-1].outer
			f.open = f.open[:len(f.open)-1]
		case opBr, opBrIf:
			f.branch(o.index)
		case opBrTable:
			for range body.u32() + 1 {
				f.branch(body.u32())
			}
		case opCall:
			cost = costCall
			if o.index < w.refuel {
				cost = costHostCall
			}
			w.renumber(body, at+1, o.index)
		case opCallIndirect:
			cost = costCall
			if w.m.indirectImports {
				cost = costHostCall
			}
		case opRefFunc:
			cost = costHostCall
			w.renumber(body, at+1, o.index)
		case opMemoryGrow:
			cost = costHostCall
		case prefixMisc:
			switch o.code {
			case miscMemoryInit, miscMemoryCopy, miscMemoryFill:
				cost = costCall
				f.edits = append(f.edits, edit{at: at, kind: editLength, arg: w.chargeBytes})
			case miscTableInit, miscTableCopy, miscTableFill:
				cost = costHostCall
				f.edits = append(f.edits, edit{at: at, kind: editLength, arg: w.chargeEntries})
			}
		}
		f.heads[now].cost += cost
	}
	// A loop that nothing branches back to is a block. Its own head comes after
	// those around it, so the costs add up in one pass from the end.
	for i := len(f.heads) - 1; i > 0; i-- {
		if h := &f.heads[i]; !h.taken {
			f.heads[h.parent].cost += h.cost
		}
	}
}

// branch notes a branch to a label.
func (f *function) branch(label uint32) {
	if int64(label) < int64(len(f.open)) {
		if s := f.open[len(f.open)-1-int(label)]; s.loop {
			f.heads[s.head].taken = true
		}
	}
}

// renumber plans to write the new index of a function between the offset and the
// end of the instruction.
func (w *writer) renumber(body *reader, at int, x uint32) {
	if y := w.function(x); y != x {
		w.body.edits = append(w.body.edits, edit{at: at, skip: body.pos - at, kind: editIndex, arg: y})
	}
}
