package module

import (
	"math/rand/v2"
	"slices"

	mt "github.com/awarc/awarc/plugins/module/moduletest"
)

// generator writes random valid plugins that end: loops count down a global that
// all share, and functions call only those after them. The instructions come from
// the opcode tables, so that every row is met.
type generator struct {
	*rand.Rand
	m      mt.Module
	first  int // index of the first function of m
	sigs   []mt.Sig
	locals string   // of the function being written, parameters included
	now    int      // the function being written
	labels []string // what a branch to each open block carries, outermost first
	room   int      // instructions that may still be written
}

// letters of the value types that the generator computes with.
const letters = "iIfFv"

// Globals of a generated module: the turns that loops have left, and one of each
// type.
const turns = 0

// loopLabel marks a label that is not branched to but by its own loop, which counts.
const loopLabel = "loop"

// producers and consumers are the instructions of the tables that give a value of
// a type, or give none.
var producers, consumers = func() (p map[byte][][]byte, c [][]byte) {
	p = map[byte][][]byte{}
	for prefix, table := range map[byte]*[256]instruction{0: &plain, prefixMisc: &misc, prefixVector: &vector} {
		for i, in := range table {
			code := []byte{byte(i)}
			if prefix != 0 {
				code = append([]byte{prefix}, mt.U(uint64(i))...)
			}
			switch {
			case !in.typed || in.imm == immZero && in.name != "memory.size" || in.imm == immZeroZero || in.imm == immData || in.imm ==
				immTwo || in.imm == immIndex:
			case in.out == unknown:
				c = append(c, code)
			default:
				p[in.out] = append(p[in.out], code)
			}
		}
	}
	order := func(a, b []byte) int { return slices.Compare(a, b) }
	for _, list := range p {
		slices.SortFunc(list, order)
	}
	slices.SortFunc(c, order)
	return p, c
}()

// lookup finds the row of an encoded opcode.
func lookup(code []byte) *instruction {
	r := reader{b: code, end: len(code)}
	switch op := r.byte(); op {
	case prefixMisc:
		return &misc[r.u32()]
	case prefixVector:
		return &vector[r.u32()]
	default:
		return &plain[op]
	}
}

// generate writes a plugin whose awarc_score runs for a while and writes the first
// 4 KiB of its memory.
func generate(seed uint64) []byte {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), first: mt.First(mt.Module{})}
	for range 2 + g.IntN(5) {
		g.sigs = append(g.sigs, mt.Sig(g.letters(3)+">"+g.letters(2)))
	}
	g.m = mt.Module{
		More:    append([]mt.Sig{">", "i>II", "iF>Fi"}, g.sigs...),
		Table:   len(g.sigs) + 3,
		Memory:  []int{1, 1 + g.IntN(3)},
		Globals: []mt.Global{{Type: mt.I32, Init: mt.I32Const(300)}},
		Passive: [][]byte{{1, 2, 3, 4, 5, 6, 7, 8}},
	}
	for _, l := range letters {
		g.m.Globals = append(g.m.Globals, mt.Global{Type: mt.Types(string(l))[0], Init: g.constant(byte(l))})
	}
	for i := range g.sigs {
		g.m.Elem = append(g.m.Elem, g.first+i)
	}
	for i, sig := range g.sigs {
		params, results := cut(sig)
		more := g.letters(4) + "re"
		g.now, g.locals, g.labels, g.room = i, params+more, []string{results}, 150
		code := g.statements(4)
		for _, r := range results {
			code = append(code, g.expr(byte(r), 3)...)
		}
		g.m.Funcs = append(g.m.Funcs, mt.Func{Sig: sig, Locals: more, Code: code})
	}
	var code []byte
	g.now, g.locals, g.room = -1, "", 200
	for i, sig := range g.sigs {
		params, results := cut(sig)
		for _, p := range params {
			code = append(code, g.constant(byte(p))...)
		}
		code = append(code, mt.Call(g.first+i)...)
		for range results {
			code = append(code, mt.Drop)
		}
	}
	return mt.Plugin(g.m, mt.Code(code, mt.I32Const(0), mt.I32Const(4096), mt.Call(mt.OutputWrite), mt.Drop, mt.GlobalGet(turns),
		mt.I32Const(3), 0x71)).Bytes()
}

func cut(sig mt.Sig) (params, results string) {
	i := slices.Index([]byte(sig), '>')
	return string(sig[:i]), string(sig[i+1:])
}

// letters returns up to n random types.
func (g *generator) letters(n int) string {
	s := make([]byte, g.IntN(n+1))
	for i := range s {
		s[i] = letters[g.IntN(len(letters))]
	}
	return string(s)
}

func (g *generator) constant(letter byte) []byte {
	raw := func(op []byte, n int) []byte {
		for range n {
			op = append(op, byte(g.Uint32()>>g.IntN(30)))
		}
		return op
	}
	switch letter {
	case 'i':
		return mt.I32Const(int(int32(g.Uint32()) >> g.IntN(32)))
	case 'I':
		return mt.I64Const(int64(g.Uint64()) >> g.IntN(64))
	case 'f':
		return raw([]byte{opF32Const}, 4)
	case 'F':
		return raw([]byte{opF64Const}, 8)
	case 'v':
		return raw([]byte{prefixVector, vectorConst}, 16)
	case 'r':
		return []byte{opRefNull, mt.FuncRef}
	default:
		return []byte{opRefNull, mt.ExternRef}
	}
}

// local returns the index of a local of the type, or -1.
func (g *generator) local(letter byte) int {
	if len(g.locals) == 0 {
		return -1
	}
	for i, at := 0, g.IntN(len(g.locals)); i < len(g.locals); i++ {
		if x := (at + i) % len(g.locals); g.locals[x] == letter {
			return x
		}
	}
	return -1
}

func global(letter byte) int { return 1 + slices.Index([]byte(letters), letter) }

// in writes code within a block whose label carries the types.
func (g *generator) in(label string, write func() []byte) []byte {
	g.labels = append(g.labels, label)
	code := write()
	g.labels = g.labels[:len(g.labels)-1]
	return code
}

// expr writes code that leaves a value of the type.
func (g *generator) expr(letter byte, depth int) []byte {
	g.room--
	if depth <= 0 || g.room < 0 || letter == 'r' || letter == 'e' {
		return g.leaf(letter)
	}
	typ := mt.Types(string(letter))[0]
	switch g.IntN(12) {
	case 0:
		return g.leaf(letter)
	case 1: // a block that may be left with its value
		return mt.Block(typ, g.in(string(letter), func() []byte {
			return mt.Code(g.statements(1), g.expr(letter, depth-1), g.expr('i', depth-1), mt.BrIf(0))
		}))
	case 2:
		arm := func() []byte {
			return g.in(string(letter), func() []byte { return mt.Code(g.statements(1), g.expr(letter, depth-1)) })
		}
		return mt.Code(g.expr('i', depth-1), mt.If(typ, arm(), mt.Else, arm()))
	case 3:
		return mt.Code(g.expr(letter, depth-1), g.expr(letter, depth-1), g.expr('i', depth-1), opSelect)
	case 4:
		return mt.Code(g.expr(letter, depth-1), g.expr(letter, depth-1), g.expr('i', depth-1), opSelectTyped, 1, typ)
	case 5:
		if x := g.local(letter); x >= 0 {
			return mt.Code(g.expr(letter, depth-1), mt.LocalTee(x))
		}
	case 6: // several values from a block: its type is number 1 or 2
		if letter == 'I' {
			return mt.Code(g.expr('i', depth-1), mt.Block(1, g.in("II", func() []byte {
				return mt.Code(mt.Drop, g.expr('I', depth-1), g.expr('I', depth-1))
			})), 0x85)
		}
		if x := g.local('i'); x >= 0 && letter == 'i' {
			return mt.Code(g.expr('i', depth-1), g.expr('F', depth-1), mt.Block(2, g.in("Fi", func() []byte {
				return mt.Code(mt.Drop, mt.Drop, g.expr('F', depth-1), g.expr('i', depth-1), g.expr('i', depth-1), mt.BrTable(0, 0))
			})), mt.LocalSet(x), mt.Drop, mt.LocalGet(x))
		}
	case 7:
		if code := g.call(letter, depth); code != nil {
			return code
		}
	case 8:
		if letter == 'i' {
			return mt.Code(g.expr([]byte("re")[g.IntN(2)], depth-1), opRefIsNull)
		}
	}
	list := producers[typ]
	return g.apply(list[g.IntN(len(list))], depth)
}

func (g *generator) leaf(letter byte) []byte {
	switch g.IntN(4) {
	case 0:
		if x := g.local(letter); x >= 0 {
			return mt.LocalGet(x)
		}
	case 1:
		if letter != 'r' && letter != 'e' {
			return mt.GlobalGet(global(letter))
		}
	case 2:
		if letter == 'r' {
			return mt.Code(opRefFunc, mt.U(uint64(g.first+g.IntN(len(g.sigs)))))
		}
	}
	return g.constant(letter)
}

// apply writes operands and immediates of an instruction of the tables. Most
// addresses are inside the memory.
func (g *generator) apply(code []byte, depth int) []byte {
	in := lookup(code)
	var out []byte
	for i := range in.nin {
		letter := signature(in.in[i:i+1], nil)[0]
		out = append(out, g.expr(letter, depth-1)...)
		if i == 0 && (in.imm == immMemory || in.imm == immMemLane) && g.IntN(50) > 0 {
			out = append(out, mt.Code(mt.I32Const(0x7fff), 0x71)...)
		}
	}
	out = append(out, code...)
	switch in.imm {
	case immMemory, immMemLane:
		align := 0
		for 1<<align < int(in.bytes) {
			align++
		}
		out = append(out, byte(g.IntN(align+1)))
		out = append(out, mt.U(uint64(g.IntN(0x7000)))...)
		if in.imm == immMemLane {
			out = append(out, byte(g.IntN(int(16/in.bytes))))
		}
	case immLane:
		out = append(out, byte(g.IntN(int(in.bytes))))
	case immShuffle:
		for range 16 {
			out = append(out, byte(g.IntN(32)))
		}
	case immZero:
		out = append(out, 0)
	case immI32, immI64, imm4, imm8, imm16:
		letter := signature([]byte{in.out}, nil)[0]
		return append(out[:len(out)-len(code)], g.constant(letter)...)
	}
	return out
}

// call writes a call, direct or through the table, of a later function with the
// one result.
func (g *generator) call(letter byte, depth int) []byte {
	for i := g.now + 1; i < len(g.sigs); i++ {
		params, results := cut(g.sigs[i])
		if results != string(letter) || g.IntN(2) == 0 {
			continue
		}
		var code []byte
		for _, p := range params {
			code = append(code, g.expr(byte(p), depth-1)...)
		}
		if g.IntN(2) == 0 {
			return append(code, mt.Call(g.first+i)...)
		}
		return mt.Code(code, mt.I32Const(i), mt.CallIndirect(3+i))
	}
	return nil
}

// statements writes code that leaves the stack as it is.
func (g *generator) statements(depth int) []byte {
	var code []byte
	for range 1 + g.IntN(4) {
		if g.room > 0 {
			code = append(code, g.statement(depth)...)
		}
	}
	return code
}

func (g *generator) statement(depth int) []byte {
	g.room--
	letter := letters[g.IntN(len(letters))]
	if depth <= 0 {
		return mt.Code(g.leaf(letter), mt.GlobalSet(global(letter)))
	}
	switch g.IntN(14) {
	case 0:
		return mt.Loop(mt.Void, g.in(loopLabel, func() []byte {
			return mt.Code(mt.GlobalGet(turns), mt.I32Const(1), 0x6b, mt.GlobalSet(turns), g.statements(depth-1),
				g.expr('i', 2), mt.GlobalGet(turns), mt.I32Const(0), 0x4a, 0x71, mt.BrIf(0))
		}))
	case 1:
		return mt.Block(mt.Void, g.in("", func() []byte { return g.statements(depth - 1) }))
	case 2:
		code := mt.Code(g.expr('i', 2))
		then := g.in("", func() []byte { return g.statements(depth - 1) })
		if g.IntN(2) == 0 {
			return mt.Code(code, mt.If(mt.Void, then))
		}
		return mt.Code(code, mt.If(mt.Void, then, mt.Else, g.in("", func() []byte { return g.statements(depth - 1) })))
	case 3: // a switch
		return mt.Block(mt.Void, g.in("", func() []byte {
			inner := mt.Block(mt.Void, g.in("", func() []byte {
				first := mt.Block(mt.Void, g.in("", func() []byte {
					return mt.Code(g.expr('i', 2), mt.I32Const(3), 0x71, mt.BrTable(0, 1, 2, 0))
				}))
				return mt.Code(first, g.statements(depth-1))
			}))
			return mt.Code(inner, g.statements(depth-1))
		}))
	case 4: // leave some block
		label := g.IntN(len(g.labels))
		if g.labels[len(g.labels)-1-label] == loopLabel {
			return nil
		}
		carried := g.labels[len(g.labels)-1-label]
		values := g.in("", func() (code []byte) {
			for _, l := range carried {
				code = append(code, g.expr(byte(l), 2)...)
			}
			return code
		})
		leave := mt.Br(label + 1)
		if label == len(g.labels)-1 && g.IntN(2) == 0 {
			leave = []byte{mt.Return}
		}
		return mt.Code(g.expr('i', 2), mt.If(mt.Void, values, leave))
	case 5, 6:
		return g.apply(consumers[g.IntN(len(consumers))], depth)
	case 7:
		if x := g.local(letter); x >= 0 {
			return mt.Code(g.expr(letter, depth), mt.LocalSet(x))
		}
	case 8:
		small := mt.Code(g.expr('i', 2), mt.I32Const(0xfff), 0x71)
		return mt.Code(small, small, mt.I32Const(g.IntN(600)), [][]byte{mt.MemoryFill, mt.MemoryCopy}[g.IntN(2)])
	case 9:
		switch g.IntN(8) {
		case 0:
			return mt.Code(mt.I32Const(g.IntN(4000)), mt.I32Const(g.IntN(5)), mt.I32Const(g.IntN(5)), mt.MemoryInit)
		case 1:
			return []byte{prefixMisc, miscDataDrop, 0}
		case 2:
			return []byte{prefixMisc, miscElemDrop, 0}
		case 3:
			return mt.Code(mt.I32Const(len(g.sigs)), g.leaf('r'), mt.I32Const(g.IntN(4)), prefixMisc, miscTableFill, 0)
		case 4:
			return mt.Code(mt.I32Const(len(g.sigs)), mt.I32Const(0), mt.I32Const(g.IntN(3)), prefixMisc, miscTableCopy, 0, 0)
		case 5:
			return mt.Code(mt.I32Const(len(g.sigs)+g.IntN(4)), g.leaf('r'), opTableSet, 0)
		case 6:
			return mt.Code(g.expr('i', 1), mt.MemoryGrow, mt.GlobalSet(global('i')))
		default:
			return mt.Code(mt.I32Const(g.IntN(len(g.sigs))), opTableGet, 0, opRefIsNull, prefixMisc, miscTableSize, 0, 0x6a,
				mt.GlobalSet(global('i')))
		}
	case 10:
		return []byte{0x01} // nop
	}
	return mt.Code(g.expr(letter, depth), mt.GlobalSet(global(letter)))
}
