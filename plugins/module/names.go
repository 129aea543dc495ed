package module

import "unicode/utf8"

// Subsections of the name section that are kept.
const (
	namesModule    = 0
	namesFunctions = 1
	namesLocals    = 2
)

// nameSection writes the names of the module, its functions and its locals. A name
// section says nothing about what a module does, so a malformed one is dropped and
// not a mistake.
func (w *writer) nameSection() {
	r := reader{b: w.m.file, pos: w.m.names.start, end: w.m.names.end}
	content := append([]byte{}, "\x04name"...)
	last := -1
	for r.more() {
		id := r.byte()
		sub := reader{b: r.b, end: 0}
		data := r.bytes(r.u32(), "names")
		sub.pos, sub.end = r.pos-len(data), r.pos
		if r.err != nil || int(id) <= last {
			return
		}
		last = int(id)
		var names []byte
		switch id {
		case namesModule:
			names = append(names, data...)
			sub.name()
		case namesFunctions:
			names = w.functionNames(&sub)
		case namesLocals:
			names = w.localNames(&sub)
		default:
			continue
		}
		if sub.err != nil || sub.more() {
			return
		}
		content = append(content, id)
		content = appendU32(content, uint32(len(names)))
		content = append(content, names...)
	}
	if last >= 0 {
		w.section(sectionCustom, content)
	}
}

// functionNames renumbers a map of function names and adds those of the functions
// that are added.
func (w *writer) functionNames(r *reader) []byte {
	type named struct {
		index uint32
		name  []byte
	}
	own := []named{{w.refuel, []byte("awarc.refuel")}, {w.charge, []byte("awarc.charge")}, {w.chargeBytes, []byte("awarc.charge_bytes")},
		{w.chargeEntries, []byte("awarc.charge_entries")},
		{w.fill, []byte("awarc.fill")}, {w.copy, []byte("awarc.copy")}}
	n := r.count(len(w.m.funcs), "names")
	names := appendU32(nil, uint32(n+len(own)))
	write := func(x uint32, name []byte) {
		names = appendU32(names, x)
		names = appendU32(names, uint32(len(name)))
		names = append(names, name...)
	}
	next := uint32(0) // names are in ascending order of their indices
	for range n {
		x := r.funcIndexBelow(next, uint32(len(w.m.funcs)))
		name := r.bytes(r.u32(), "a name")
		if r.err == nil && !utf8.Valid(name) {
			r.fail(Malformed, r.pos, doToolchain, "a name that is not UTF-8")
		}
		if r.err != nil {
			return nil
		}
		next = x + 1
		for x = w.function(x); len(own) > 0 && own[0].index < x; own = own[1:] {
			write(own[0].index, own[0].name)
		}
		write(x, name)
	}
	for _, o := range own {
		write(o.index, o.name)
	}
	return names
}

// funcIndexBelow reads an index of at least least and below most.
func (r *reader) funcIndexBelow(least, most uint32) uint32 {
	at := r.pos
	x := r.u32()
	if x < least || x >= most {
		r.fail(Malformed, at, doToolchain, "a name of the function %d", x)
		return 0
	}
	return x
}

// localNames renumbers the functions in a map of names of locals.
func (w *writer) localNames(r *reader) []byte {
	n := r.count(len(w.m.funcs), "functions with names of locals")
	names := appendU32(nil, uint32(n))
	next := uint32(0)
	for range n {
		x := r.funcIndexBelow(next, uint32(len(w.m.funcs)))
		next = x + 1
		names = appendU32(names, w.function(x))
		start := r.pos
		for range r.count(r.end, "names of locals") {
			r.u32()
			r.name()
			if r.err != nil {
				return nil
			}
		}
		names = append(names, r.b[start:r.pos]...)
	}
	return names
}
