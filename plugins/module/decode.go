package module

// operand is what the rewriter needs of the immediates of an instruction.
type operand struct {
	code  uint32 // the opcode after a prefix
	index uint32 // the first index
}

// decode reads the next instruction of valid code without checking it. A br_table
// is left at its labels.
func (r *reader) decode() (*instruction, operand) {
	var o operand
	op := r.byte()
	in := &plain[op]
	switch op {
	case prefixMisc:
		o.code = r.u32()
		in = &misc[byte(o.code)]
	case prefixVector:
		o.code = r.u32()
		in = &vector[byte(o.code)]
	case opRefNull:
		r.byte()
	}
	switch in.imm {
	case immUnknown:
		r.fail(Unsupported, r.pos, doFeatures, "an unknown instruction")
	case immMemory:
		r.u32()
		r.u32()
	case immMemLane:
		r.u32()
		r.u32()
		r.byte()
	case immLane, immZero:
		r.byte()
	case immI32:
		r.s32()
	case immI64:
		r.s64()
	case imm4:
		r.bytes(4, "a constant")
	case imm8:
		r.bytes(8, "a constant")
	case imm16, immShuffle:
		r.bytes(16, "a constant")
	case immIndex:
		o.index = r.u32()
	case immTwo, immData:
		o.index = r.u32()
		r.u32()
	case immZeroZero:
		r.bytes(2, "two memories")
	case immBlock:
		r.s33()
	case immTypes:
		r.bytes(r.u32(), "types")
	}
	return in, o
}
