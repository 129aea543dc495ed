package moduletest

import "slices"

// Opcodes that tests write by name; others are written as bytes.
const (
	Unreachable  byte = 0x00
	Else         byte = 0x05
	End          byte = 0x0b
	Return       byte = 0x0f
	Drop         byte = 0x1a
	opBlock      byte = 0x02
	opLoop       byte = 0x03
	opIf         byte = 0x04
	opBr         byte = 0x0c
	opBrIf       byte = 0x0d
	opBrTable    byte = 0x0e
	opCall       byte = 0x10
	opCallInd    byte = 0x11
	opLocalGet   byte = 0x20
	opLocalSet   byte = 0x21
	opLocalTee   byte = 0x22
	opGlobalGet  byte = 0x23
	opGlobalSet  byte = 0x24
	opMemoryGrow byte = 0x40
	opI32Const   byte = 0x41
	opI64Const   byte = 0x42
)

// Void is the type of a block without parameters and results.
const Void byte = 0x40

// Code joins pieces of code: bytes, slices of bytes, and ints, which are opcodes.
func Code(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case byte:
			b = append(b, p)
		case int:
			b = append(b, byte(p))
		case []byte:
			b = append(b, p...)
		default:
			panic("code is made of bytes")
		}
	}
	return b
}

func with(op byte, x int) []byte { return append([]byte{op}, U(uint64(x))...) }

// I32Const and the functions below are instructions with their immediates.
func I32Const(v int) []byte   { return append([]byte{opI32Const}, S(int64(int32(v)))...) }
func I64Const(v int64) []byte { return append([]byte{opI64Const}, S(v)...) }
func Call(f int) []byte       { return with(opCall, f) }
func LocalGet(x int) []byte   { return with(opLocalGet, x) }
func LocalSet(x int) []byte   { return with(opLocalSet, x) }
func LocalTee(x int) []byte   { return with(opLocalTee, x) }
func GlobalGet(x int) []byte  { return with(opGlobalGet, x) }
func GlobalSet(x int) []byte  { return with(opGlobalSet, x) }
func Br(label int) []byte     { return with(opBr, label) }
func BrIf(label int) []byte   { return with(opBrIf, label) }

// CallIndirect calls through table 0 by the type.
func CallIndirect(typ int) []byte { return append(with(opCallInd, typ), 0) }

// BrTable branches to one of the labels, the last being the default.
func BrTable(labels ...int) []byte {
	b := with(opBrTable, len(labels)-1)
	for _, l := range labels {
		b = append(b, U(uint64(l))...)
	}
	return b
}

// Block, Loop and If are blocks of the type: Void, a value type, or the index of
// a type as S encodes it.
func Block(typ byte, parts ...any) []byte { return block(opBlock, typ, parts) }
func Loop(typ byte, parts ...any) []byte  { return block(opLoop, typ, parts) }
func If(typ byte, parts ...any) []byte    { return block(opIf, typ, parts) }

func block(op, typ byte, parts []any) []byte {
	return slices.Concat([]byte{op, typ}, Code(parts...), []byte{End})
}

// Forever loops over the code, which leaves nothing on the stack.
func Forever(parts ...any) []byte { return Loop(Void, Code(parts...), Br(0)) }

// MemoryGrow, MemoryFill and MemoryCopy take their operands from the stack.
var (
	MemoryGrow = []byte{opMemoryGrow, 0}
	MemoryFill = []byte{0xfc, 11, 0}
	MemoryCopy = []byte{0xfc, 10, 0, 0}
	MemoryInit = []byte{0xfc, 8, 0, 0} // from data segment 0
)

// Load and Store are i32.load and i32.store with the constant offset.
func Load(offset int) []byte  { return append([]byte{0x28, 2}, U(uint64(offset))...) }
func Store(offset int) []byte { return append([]byte{0x36, 2}, U(uint64(offset))...) }
