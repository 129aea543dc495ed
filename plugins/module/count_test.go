package module

import "testing"

// countInstructions is the slow, obvious meter: the module with the cost of every
// instruction added to a global, exported as counter, just before the instruction
// is executed.
func countInstructions(t testing.TB, m *Module) []byte {
	counter := uint32(len(m.globals))
	out := []byte(header)
	section := func(id byte, content []byte) {
		out = append(append(append(out, id), appendU32(nil, uint32(len(content)))...), content...)
	}
	more := func(id byte, entry []byte) []byte {
		r := reader{b: m.file, pos: m.sections[id].start, end: m.sections[id].end}
		n := uint32(0)
		if r.more() {
			n = r.u32()
		}
		return append(append(appendU32(nil, n+1), r.b[r.pos:r.end]...), entry...)
	}
	for _, id := range sectionOrder {
		s := m.sections[id]
		switch {
		case id == sectionGlobal:
			section(id, more(id, []byte{i64, 1, opI64Const, 0, opEnd}))
		case id == sectionExport:
			section(id, more(id, append([]byte("\x07counter\x03"), appendU32(nil, counter)...)))
		case id == sectionCode && s.end != 0:
			r := reader{b: m.file, pos: s.start, end: s.end}
			n := r.u32()
			content := appendU32(nil, n)
			for range n {
				size := r.u32()
				code := counting(m, reader{b: m.file, pos: r.pos, end: r.pos + int(size)}, counter)
				r.bytes(size, "")
				content = append(appendU32(content, uint32(len(code))), code...)
			}
			section(id, content)
		case s.end != 0:
			section(id, m.file[s.start:s.end])
		}
	}
	return out
}

func counting(m *Module, r reader, counter uint32) []byte {
	start := r.pos
	for range r.u32() {
		r.u32()
		r.byte()
	}
	out := append([]byte{}, r.b[start:r.pos]...)
	for r.more() {
		at := r.pos
		in, o := r.decode()
		if in.imm == immTable {
			for range r.u32() + 1 {
				r.u32()
			}
		}
		cost := int64(1)
		switch in.name {
		case "block", "loop", "else", "end":
			cost = 0
		case "call":
			cost = costCall
			if int(o.index) < m.imported {
				cost = costHostCall
			}
		case "call_indirect":
			cost = costCall
		case "ref.func", "memory.grow":
			cost = costHostCall
		}
		if cost > 0 {
			out = appendU32(append(out, opGlobalGet), counter)
			out = appendS64(append(out, opI64Const), cost)
			out = appendU32(append(out, opI64Add, opGlobalSet), counter)
		}
		out = append(out, r.b[at:r.pos]...)
	}
	return out
}
