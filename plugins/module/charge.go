package module

// function is the state of the rewriting of one function. Its slices are reused.
type function struct {
	heads []head
	edits []edit
	open  []scope
}

// head is a place that may charge for a region of code: the function from its
// entry, the body of a loop, an arm of an if, or the rest of a block after a place
// where control may have left. Whenever code of the region is executed, its head
// was passed before, and once for each time: only a loop leads back, and its body
// is a region of its own.
type head struct {
	cost   int64
	parent int   // the head of the region around this one, which comes earlier
	merged int64 // cost of the regions that are charged for here, though they may not be executed
	kind   headKind
}

type headKind uint8

const (
	headRest    headKind = iota // charges if that is worth it
	headMerged                  // charges at its parent
	headChecked                 // the entry, or a loop that is branched back to: charges and asks for fuel
)

// mergeBelow is how many units a head may charge for regions that may not be
// executed, so that those need no charge of their own. More makes the code faster
// and smaller and the fuel a worse measure of time.
const mergeBelow = 16

// scope is an open block.
type scope struct {
	loop   int // head of the loop, or -1
	outer  int // head in force around the block
	lowest int // the outermost scope that a branch in the block goes to
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
	editBulk                   // call the function arg instead
)

// meter writes the function that body reads to w.code, locals included.
func (w *writer) meter(body *reader, params int) {
	local := w.locals(body, params)
	at := body.pos
	w.plan(body)
	f := &w.body
	for _, e := range f.edits {
		w.code = append(w.code, body.b[at:e.at]...)
		at = e.at + e.skip
		switch e.kind {
		case editCharge:
			w.writeCharge(&f.heads[e.arg], local)
		case editIndex:
			w.code = appendU32(w.code, e.arg)
		case editLength, editBulk:
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

// writeCharge takes a head's cost from the fuel; at a checked one it asks for more
// where that is below zero. Between two checked heads code only goes forward.
func (w *writer) writeCharge(h *head, local uint32) {
	if h.kind == headMerged {
		return
	}
	w.code = appendU32(append(w.code, opGlobalGet), w.fuel)
	w.code = appendS64(append(w.code, opI64Const), max(h.cost, 1))
	w.code = append(w.code, opI64Sub)
	if h.kind == headChecked {
		w.code = appendU32(append(w.code, opLocalTee), local)
	}
	w.code = appendU32(append(w.code, opGlobalSet), w.fuel)
	if h.kind == headChecked {
		w.code = appendU32(append(w.code, opLocalGet), local)
		w.code = append(w.code, opI64Const, 0, opI64LtS, opIf, 0x40)
		w.code = appendU32(append(w.code, opCall), w.charge)
		w.code = append(w.code, opEnd)
	}
}

// plan finds the heads of a body with their costs, and the edits in order.
func (w *writer) plan(body *reader) {
	f := &w.body
	f.heads, f.edits, f.open = f.heads[:0], f.edits[:0], f.open[:0]
	now := f.head(body.pos, 0) // the head in force
	f.heads[now].kind = headChecked
	f.begin(-1, now)
	for body.more() && len(f.open) > 0 {
		at := body.pos
		_, o := body.decode()
		op := body.b[at]
		if op != opEnd && op != opElse {
			f.heads[now].cost += w.cost(op, o)
		}
		switch op {
		case opBlock:
			f.begin(-1, now)
		case opLoop:
			outer := now
			now = f.head(body.pos, outer)
			f.begin(now, outer)
		case opIf:
			f.begin(-1, now)
			now = f.head(body.pos, now)
		case opElse:
			now = f.head(body.pos, f.open[len(f.open)-1].outer)
		case opEnd:
			now = f.end(body.pos)
		case opBr:
			f.branch(o.index)
		case opBrIf:
			f.branch(o.index)
			now = f.head(body.pos, now)
		case opBrTable:
			for range body.u32() + 1 {
				f.branch(body.u32())
			}
		case opReturn:
			f.branch(uint32(len(f.open) - 1))
		case opCall, opRefFunc:
			w.renumber(body, at+1, o.index)
		case prefixMisc:
			switch o.code {
			case miscMemoryCopy:
				f.edits = append(f.edits, edit{at: at, skip: body.pos - at, kind: editBulk, arg: w.copy})
			case miscMemoryFill:
				f.edits = append(f.edits, edit{at: at, skip: body.pos - at, kind: editBulk, arg: w.fill})
			case miscMemoryInit: // as long as the file at most
				f.edits = append(f.edits, edit{at: at, kind: editLength, arg: w.chargeBytes})
			case miscTableInit, miscTableCopy, miscTableFill:
				f.edits = append(f.edits, edit{at: at, kind: editLength, arg: w.chargeEntries})
			}
		}
	}
	f.merge()
}

// cost is what an instruction costs besides a length.
func (w *writer) cost(op byte, o operand) int64 {
	switch op {
	case opBlock, opLoop, opElse, opEnd:
		return 0
	case opCall:
		if o.index < w.refuel {
			return costHostCall
		}
		return costCall
	case opCallIndirect:
		if w.m.indirectImports {
			return costHostCall
		}
		return costCall
	case opRefFunc, opMemoryGrow:
		return costHostCall
	case prefixMisc:
		if o.code >= miscTableInit && o.code != miscElemDrop {
			return costHostCall
		}
		if o.code >= miscMemoryInit {
			return costCall
		}
	}
	return 1
}

// head adds a head that stands at the offset, and returns it.
func (f *function) head(at, parent int) int {
	f.heads = append(f.heads, head{parent: parent})
	f.edits = append(f.edits, edit{at: at, kind: editCharge, arg: uint32(len(f.heads) - 1)})
	return len(f.heads) - 1
}

func (f *function) begin(loop, outer int) {
	f.open = append(f.open, scope{loop: loop, outer: outer, lowest: len(f.open)})
}

// end closes a block and returns the head of what follows it: a new one where a
// branch may have left the block for somewhere else.
func (f *function) end(at int) int {
	s := f.open[len(f.open)-1]
	f.open = f.open[:len(f.open)-1]
	if s.lowest >= len(f.open) || len(f.open) == 0 {
		return s.outer
	}
	around := &f.open[len(f.open)-1]
	around.lowest = min(around.lowest, s.lowest)
	return f.head(at, s.outer)
}

// branch notes a branch to a label.
func (f *function) branch(label uint32) {
	to := len(f.open) - 1 - int(label)
	if to < 0 {
		return // not in a valid module
	}
	inner := &f.open[len(f.open)-1]
	inner.lowest = min(inner.lowest, to)
	if loop := f.open[to].loop; loop >= 0 {
		f.heads[loop].kind = headChecked
	}
}

// merge lets heads charge for small regions in them. A head comes after its
// parent, so one pass from the end sees the whole cost of each.
func (f *function) merge() {
	for i := len(f.heads) - 1; i > 0; i-- {
		h := &f.heads[i]
		if parent := &f.heads[h.parent]; h.kind == headRest && parent.merged+h.cost <= mergeBelow {
			h.kind = headMerged
			parent.cost += h.cost
			parent.merged += h.cost
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
