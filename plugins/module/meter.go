package module

import "errors"

// MeterVersion changes whenever Meter writes something else for the same file. It
// belongs into the key of every cache of compiled modules.
const MeterVersion = 2

// FuelGlobal is the name under which a metered module exports its fuel, a mutable
// i64. A host may set it before a call and read it afterwards. Where a charge
// takes it below zero the module calls the import awarc.refuel, of type () -> i64,
// and adds the answer, which must be positive, until it is not below zero. So what
// was used is what was given less what is left, exactly. The host ends a run by a
// panic in refuel.
const FuelGlobal = reserved + "fuel"

// Costs in units of fuel, beyond the one unit of every instruction that computes,
// reads, writes or branches. They follow the time that the instructions take.
const (
	costCall     = 5   // of a function of the module
	costHostCall = 100 // of an import, and of instructions that the engine executes outside compiled code

	// bytesPerUnit, as a power of two, is how much of a bulk operation on memory
	// costs a unit. Entries of tables cost one unit each, and so do the bytes of
	// all whole pieces of an operation that is cut in pieces: such a one is likely to be
	// the first to touch its pages.
	bytesPerUnit = 3
)

// bulkBytes is how much of the memory one instruction fills or copies at most; the host can
// end a call between two.
const bulkBytes = 256 << 10

// Meter returns the module rewritten so that it pays for what it does: at the
// entry of each function, at each loop, where control may have left a block, and
// before each bulk operation for its length. What is paid is never less than what
// is executed, and little more.
//
// The result imports awarc.refuel besides what the module imports, exports
// FuelGlobal, and declares MemoryMax as the maximum of its memory. Names of
// functions and locals are kept; all other custom sections are dropped, because
// their offsets become wrong.
func (m *Module) Meter() ([]byte, error) {
	w := writer{m: m, refuel: uint32(m.imported), fuel: uint32(len(m.globals))}
	w.charge = uint32(len(m.funcs)) + 1
	w.chargeBytes, w.chargeEntries, w.fill, w.copy = w.charge+1, w.charge+2, w.charge+3, w.charge+4
	w.module()
	if w.err != nil {
		// Verify has read every byte of this.
		return nil, errors.New("the file was changed after it was verified")
	}
	return w.out, nil
}

// writer writes a metered module.
type writer struct {
	m   *Module
	err *Error
	out []byte

	refuel uint32 // index of the import
	fuel   uint32 // index of the global
	// Indices of functions that are added at the end: charge asks for fuel, the next two
	// charge for their argument, a length, and return it, and the last two do what
	// memory.fill and memory.copy do.
	charge, chargeBytes, chargeEntries, fill, copy uint32

	typeRefuel, typeCharge, typeLength, typeBulk uint32

	body function
	code []byte // of one function, reused
}

// function returns the new index of a function.
func (w *writer) function(x uint32) uint32 {
	if x >= w.refuel {
		x++
	}
	return x
}

// read returns a reader of a section's content; one that is not there is empty.
func (w *writer) read(id byte) reader {
	s := w.m.sections[id]
	return reader{b: w.m.file, pos: s.start, end: s.end}
}

// section writes a section.
func (w *writer) section(id byte, content []byte) {
	w.out = append(w.out, id)
	w.out = appendU32(w.out, uint32(len(content)))
	w.out = append(w.out, content...)
}

// grown returns the content of a section of a vector with more entries, whose
// encoding is added.
func (w *writer) grown(id byte, more uint32, added []byte) []byte {
	r := w.read(id)
	var n uint32
	if r.more() {
		n = r.u32()
	}
	content := appendU32(nil, n+more)
	content = append(content, r.b[r.pos:r.end]...)
	return append(content, added...)
}

func (w *writer) module() {
	w.out = append(make([]byte, 0, len(w.m.file)+len(w.m.file)/4+1024), header...)
	for _, id := range sectionOrder {
		present := w.m.sections[id].end != 0
		switch {
		case id == sectionType:
			w.types()
		case id == sectionImport:
			added := append([]byte{}, byte(len(refuelModule)))
			added = append(added, refuelModule...)
			added = append(added, byte(len(refuelName)))
			added = append(added, refuelName...)
			added = append(added, kindFunc)
			w.section(id, w.grown(id, 1, appendU32(added, w.typeRefuel)))
		case id == sectionFunction:
			added := appendU32(nil, w.typeCharge)
			for _, t := range []uint32{w.typeLength, w.typeLength, w.typeBulk, w.typeBulk} {
				added = appendU32(added, t)
			}
			w.section(id, w.grown(id, 5, added))
		case id == sectionMemory:
			content := []byte{1, 1}
			content = appendU32(content, uint32(w.m.MemoryMin))
			w.section(id, appendU32(content, uint32(w.m.MemoryMax)))
		case id == sectionGlobal:
			w.globals()
		case id == sectionExport:
			w.exports()
		case id == sectionCode:
			w.codes()
		case !present:
		case id == sectionStart:
			r := w.read(id)
			w.section(id, appendU32(nil, w.function(r.u32())))
		case id == sectionElement:
			w.elements()
		default:
			s := w.m.sections[id]
			w.section(id, w.m.file[s.start:s.end])
		}
	}
	w.nameSection()
}

// types adds the types that the additions need.
func (w *writer) types() {
	added, more := []byte(nil), uint32(0)
	index := func(want string, encoded ...byte) uint32 {
		for i, t := range w.m.types {
			if signature(t.params, t.results) == want {
				return uint32(i)
			}
		}
		added = append(added, encoded...)
		more++
		return uint32(len(w.m.types)) + more - 1
	}
	w.typeRefuel = index(">I", 0x60, 0, 1, i64)
	w.typeCharge = index(">", 0x60, 0, 0)
	w.typeLength = index("i>i", 0x60, 1, i32, 1, i32)
	w.typeBulk = index("iii>", 0x60, 3, i32, i32, i32, 0)
	w.section(sectionType, w.grown(sectionType, more, added))
}

// globals adds the fuel; a module begins with none, so that its first charge asks
// the host.
func (w *writer) globals() {
	r := w.read(sectionGlobal)
	var content []byte
	if r.more() {
		r.u32()
	}
	content = appendU32(content, w.fuel+1)
	for range w.m.globals {
		content = append(content, r.byte(), r.byte())
		content = w.constant(&r, content)
	}
	content = append(content, i64, 1, opI64Const, 0, opEnd)
	w.section(sectionGlobal, content)
	w.keep(&r)
}

func (w *writer) keep(r *reader) {
	if w.err == nil {
		w.err = r.err
	}
}

// constant copies a constant expression.
func (w *writer) constant(r *reader, to []byte) []byte {
	start := r.pos
	in, op := r.decode()
	if in == &plain[opRefFunc] {
		to = append(to, opRefFunc)
		to = appendU32(to, w.function(op.index))
	} else {
		to = append(to, r.b[start:r.pos]...)
	}
	return append(to, r.byte()) // end
}

func (w *writer) exports() {
	r := w.read(sectionExport)
	content := appendU32(nil, r.u32()+1)
	for r.more() {
		start := r.pos
		r.bytes(r.u32(), "a name")
		kind := r.byte()
		content = append(content, r.b[start:r.pos]...)
		x := r.u32()
		if kind == kindFunc {
			x = w.function(x)
		}
		content = appendU32(content, x)
	}
	content = append(content, byte(len(FuelGlobal)))
	content = append(content, FuelGlobal...)
	content = append(content, kindGlobal)
	w.section(sectionExport, appendU32(content, w.fuel))
	w.keep(&r)
}

func (w *writer) elements() {
	r := w.read(sectionElement)
	content := appendU32(nil, r.u32())
	for r.more() {
		kind := r.u32()
		content = append(content, byte(kind))
		if kind&1 == 0 {
			if kind&2 != 0 {
				content = appendU32(content, r.u32())
			}
			content = w.constant(&r, content)
		}
		if kind&3 != 0 {
			content = append(content, r.byte())
		}
		n := r.u32()
		content = appendU32(content, n)
		for range n {
			if r.err != nil {
				break
			}
			if kind&4 != 0 {
				content = w.constant(&r, content)
			} else {
				content = appendU32(content, w.function(r.u32()))
			}
		}
	}
	w.section(sectionElement, content)
	w.keep(&r)
}

func (w *writer) codes() {
	r := w.read(sectionCode)
	n := uint32(0)
	if r.more() {
		n = r.u32()
	}
	content := appendU32(make([]byte, 0, r.end-r.pos+(r.end-r.pos)/4), n+5)
	for i := range n {
		size := r.u32()
		body := reader{b: r.b, pos: r.pos, end: r.pos + int(size)}
		if r.bytes(size, "a function"); r.err != nil {
			break
		}
		w.code = w.code[:0]
		w.meter(&body, len(w.m.types[w.m.funcs[w.m.imported+int(i)]].params))
		w.keep(&body)
		content = appendU32(content, uint32(len(w.code)))
		content = append(content, w.code...)
	}
	for _, code := range [][]byte{w.chargeBody(), w.lengthBody(bytesPerUnit), w.lengthBody(0), w.fillBody(), w.copyBody()} {
		content = appendU32(content, uint32(len(code)))
		content = append(content, code...)
	}
	w.section(sectionCode, content)
	w.keep(&r)
}

// chargeBody asks the host for fuel until the debt is paid.
func (w *writer) chargeBody() []byte {
	b := appendU32([]byte{0, opLoop, 0x40, opGlobalGet}, w.fuel)
	b = appendU32(append(b, opCall), w.refuel)
	b = appendU32(append(b, opI64Add, opGlobalSet), w.fuel)
	b = appendU32(append(b, opGlobalGet), w.fuel)
	return append(b, opI64Const, 0, opI64LtS, opBrIf, 0, opEnd, opEnd)
}

// lengthBody charges for the argument, an unsigned number, shifted to the right.
func (w *writer) lengthBody(shift byte) []byte {
	b := appendU32([]byte{0, opGlobalGet}, w.fuel)
	b = append(b, opLocalGet, 0, opI64ExtendU, opI64Const, shift, opI64ShrU)
	b = appendU32(append(b, opI64Sub, opGlobalSet), w.fuel)
	b = appendU32(append(b, opGlobalGet), w.fuel)
	b = append(b, opI64Const, 0, opI64LtS, opIf, 0x40)
	b = appendU32(append(b, opCall), w.charge)
	return append(b, opEnd, opLocalGet, 0, opEnd)
}

// Parameters of memory.fill and memory.copy.
const (
	bulkTo     = 0
	bulkFrom   = 1 // or the value
	bulkLength = 2
)

// fillBody fills in pieces, the last of which is all where that is short or would trap.
func (w *writer) fillBody() []byte {
	b := leaveShort([]byte{0, opBlock, 0x40})
	b = leavePast(b, bulkTo)
	b = w.payPiece(append(b, opLoop, 0x40))
	b = append(b, opLocalGet, bulkTo, opLocalGet, bulkFrom)
	b = append(appendPiece(b), prefixMisc, miscMemoryFill, 0)
	b = advance(b, bulkTo)
	b = append(w.lastPiece(again(b)), prefixMisc, miscMemoryFill, 0)
	return append(b, opEnd)
}

// copyBody copies in pieces as fillBody does, upwards or downwards, so that no piece overwrites
// what another has yet to read.
func (w *writer) copyBody() []byte {
	b := leaveShort([]byte{0, opBlock, 0x40})
	b = leavePast(leavePast(b, bulkTo), bulkFrom)
	b = append(b, opLocalGet, bulkTo, opLocalGet, bulkFrom, opI32GtU, opIf, 0x40)
	b = w.payPiece(append(b, opLoop, 0x40))
	b = append(b, opLocalGet, bulkLength)
	b = append(appendPiece(b), opI32Sub, opLocalSet, bulkLength)
	for _, at := range []byte{bulkTo, bulkFrom} {
		b = append(b, opLocalGet, at, opLocalGet, bulkLength, opI32Add)
	}
	b = append(appendPiece(b), prefixMisc, miscMemoryCopy, 0, 0)
	b = append(b, opLocalGet, bulkLength)
	b = append(appendPiece(b), opI32GtU, opBrIf, 0, opEnd, opElse)
	b = w.payPiece(append(b, opLoop, 0x40))
	b = append(b, opLocalGet, bulkTo, opLocalGet, bulkFrom)
	b = append(appendPiece(b), prefixMisc, miscMemoryCopy, 0, 0)
	b = again(advance(advance(b, bulkTo), bulkFrom))
	b = append(w.lastPiece(append(b, opEnd)), prefixMisc, miscMemoryCopy, 0, 0)
	return append(b, opEnd)
}

// appendPiece pushes the length of a piece.
func appendPiece(b []byte) []byte { return appendS64(append(b, opI32Const), bulkBytes) }

// leaveShort leaves the block around where all is no longer than one piece.
func leaveShort(b []byte) []byte {
	b = appendPiece(append(b, opLocalGet, bulkLength))
	return append(b, opI32LeU, opBrIf, 0)
}

// leavePast leaves the block around where the range from the address goes past the memory.
func leavePast(b []byte, address byte) []byte {
	b = append(b, opLocalGet, address, opI64ExtendU, opLocalGet, bulkLength, opI64ExtendU, opI64Add)
	return append(b, opMemorySize, 0, opI64ExtendU, opI64Const, 16, opI64Shl, opI64GtU, opBrIf, 0)
}

// payPiece charges for a piece.
func (w *writer) payPiece(b []byte) []byte {
	return append(appendU32(append(appendPiece(b), opCall), w.chargeEntries), opDrop)
}

// advance moves an address on by a piece.
func advance(b []byte, address byte) []byte {
	return append(appendPiece(append(b, opLocalGet, address)), opI32Add, opLocalSet, address)
}

// again ends the loop around, which goes on where more than a piece is left.
func again(b []byte) []byte {
	b = append(appendPiece(append(b, opLocalGet, bulkLength)), opI32Sub, opLocalTee, bulkLength)
	return append(appendPiece(b), opI32GtU, opBrIf, 0, opEnd)
}

// lastPiece ends the block around and pushes the operands of what is left, having charged for it.
func (w *writer) lastPiece(b []byte) []byte {
	b = append(b, opEnd, opLocalGet, bulkTo, opLocalGet, bulkFrom, opLocalGet, bulkLength, opCall)
	return appendU32(b, w.chargeBytes)
}
