package module

import (
	"context"
	"fmt"
	"strings"
	"testing"

	mt "github.com/awarc/awarc/plugins/module/moduletest"
	"github.com/tetratelabs/wazero"
)

// one is a plugin that executes an instruction once on operands of its types and
// stores nothing; code is the instruction with its immediates.
func one(in *instruction, code []byte) []byte {
	var body []byte
	for i := range in.nin {
		switch in.in[i] {
		case i32:
			body = append(body, mt.I32Const(3)...)
		case i64:
			body = append(body, mt.I64Const(5)...)
		case f32:
			body = append(body, opF32Const, 0, 0, 0x80, 0x3f)
		case f64:
			body = append(body, opF64Const, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f)
		case v128:
			body = append(body, mt.Code(prefixVector, vectorConst, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})...)
		}
	}
	body = append(body, code...)
	if in.out != unknown {
		body = append(body, mt.Drop)
	}
	return executing(body)
}

func executing(body []byte) []byte {
	score := mt.Score(mt.Module{})
	return mt.Plugin(mt.Module{
		Table: 5, Elem: []int{score}, Passive: [][]byte{{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		Globals: []mt.Global{{Type: mt.I32, Init: mt.I32Const(0)}}, More: []mt.Sig{">"},
		Funcs: []mt.Func{{Sig: ">"}},
	}, mt.Code(body, mt.I32Const(0))).Bytes()
}

// immediatesOf are valid immediates of an instruction of the tables.
func immediatesOf(in *instruction) []byte {
	switch in.imm {
	case immMemory, immTwo, immZeroZero, immData:
		return make([]byte, 2)
	case immMemLane:
		return make([]byte, 3)
	case imm4:
		return make([]byte, 4)
	case imm8:
		return make([]byte, 8)
	case imm16, immShuffle:
		return make([]byte, 16)
	case immNone:
		return nil
	}
	return []byte{0}
}

// Every instruction of WebAssembly 2.0, executed once: the table's types and
// immediates are those of the engine, and metering changes nothing.
func TestEveryInstructionOnce(t *testing.T) {
	h := newHostOf(t, wazero.NewRuntimeConfigInterpreter())
	tried := 0
	try := func(name string, file []byte) {
		m, err := Verify(file, DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		tried++
		t.Run(name, func(t *testing.T) { h.same(t, m, "awarc_score", nil) })
	}
	for prefix, table := range map[byte]*[256]instruction{0: &plain, prefixMisc: &misc, prefixVector: &vector} {
		for i := range table {
			if in := &table[i]; in.typed {
				code := mt.Code(byte(i), immediatesOf(in))
				if prefix != 0 {
					code = mt.Code(prefix, mt.U(uint64(i)), immediatesOf(in))
				}
				try(in.name, one(in, code))
			}
		}
	}
	special := map[string][]byte{
		"unreachable":   {opUnreachable},
		"block":         mt.Block(mt.Void),
		"loop":          mt.Loop(mt.Void),
		"if":            mt.Code(mt.I32Const(1), mt.If(mt.Void, mt.Else)),
		"br":            mt.Block(mt.Void, mt.Br(0)),
		"br_if":         mt.Block(mt.Void, mt.I32Const(1), mt.BrIf(0)),
		"br_table":      mt.Block(mt.Void, mt.I32Const(9), mt.BrTable(0, 0)),
		"return":        mt.Code(mt.I32Const(2), mt.Return),
		"call":          mt.Code(mt.Call(mt.First(mt.Module{}))),
		"call_indirect": mt.Code(mt.I32Const(0), mt.CallIndirect(0)),
		"drop":          mt.Code(mt.I32Const(0), mt.Drop),
		"select":        mt.Code(mt.I64Const(1), mt.I64Const(1), mt.I32Const(1), opSelect, mt.Drop),
		"select typed":  mt.Code(opRefNull, externref, opRefNull, externref, mt.I32Const(1), opSelectTyped, 1, externref, mt.Drop),
		"local.get":     mt.Code(mt.LocalGet(0), mt.Drop),
		"local.set":     mt.Code(mt.I32Const(0), mt.LocalSet(0)),
		"local.tee":     mt.Code(mt.I32Const(0), mt.LocalTee(0), mt.Drop),
		"global.get":    mt.Code(mt.GlobalGet(0), mt.Drop),
		"global.set":    mt.Code(mt.I32Const(0), mt.GlobalSet(0)),
		"table.get":     mt.Code(mt.I32Const(0), opTableGet, 0, mt.Drop),
		"table.set":     mt.Code(mt.I32Const(0), opRefNull, funcref, opTableSet, 0),
		"ref.null":      mt.Code(opRefNull, funcref, mt.Drop),
		"ref.is_null":   mt.Code(opRefNull, funcref, opRefIsNull, mt.Drop),
		"ref.func":      mt.Code(opRefFunc, mt.Score(mt.Module{}), mt.Drop),
		"table.fill":    mt.Code(mt.I32Const(0), opRefNull, funcref, mt.I32Const(1), prefixMisc, miscTableFill, 0),
	}
	for name, code := range special {
		try(name, executing(code))
	}
	// All but else and end, which are in blocks, and table.grow, which is refused.
	if tried != 434 {
		t.Errorf("%d instructions were tried, want 434", tried)
	}
}

// The table of opcodes is the engine's: in code that is never reached, where any
// operands will do, both know the same opcodes.
func TestTheEngineKnowsTheSameInstructions(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	known := 0
	try := func(name string, code []byte) {
		file := executing(mt.Code(opUnreachable, code, opUnreachable))
		_, ours := Verify(file, DefaultLimits())
		compiled, theirs := r.CompileModule(ctx, file)
		if compiled != nil {
			compiled.Close(ctx)
			known++
		}
		if refused := ours != nil && strings.Contains(ours.Error(), "table.grow"); (ours == nil) != (theirs == nil) && !refused {
			t.Errorf("%s: verified: %v; compiled: %v", name, ours, theirs)
		}
	}
	for op := range 256 {
		in := &plain[op]
		switch op {
		case opBlock, opLoop, opIf, opEnd, opElse, prefixMisc, prefixVector:
			continue // they do not stand alone
		case opRefNull:
			try("ref.null", []byte{opRefNull, funcref})
			continue
		case opSelectTyped:
			try("select", []byte{opSelectTyped, 1, i32})
			continue
		case opBrTable:
			try("br_table", []byte{opBrTable, 0, 0})
			continue
		case opRefFunc:
			try("ref.func", mt.Code(opRefFunc, mt.Score(mt.Module{})))
			continue
		}
		try(fmt.Sprintf("%#x %s", op, in.name), mt.Code(op, immediatesOf(in)))
	}
	for op := range 0x120 {
		for prefix, table := range map[byte]*[256]instruction{prefixMisc: &misc, prefixVector: &vector} {
			in := &instruction{}
			if op < len(table) {
				in = &table[op]
			}
			try(fmt.Sprintf("%#x %#x %s", prefix, op, in.name), mt.Code(prefix, mt.U(uint64(op)), immediatesOf(in)))
		}
	}
	if known < 430 {
		t.Errorf("only %d instructions were known", known)
	}
}
