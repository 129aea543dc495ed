package module

import (
	"fmt"
	"strings"
)

// Value types, as the binary format encodes them.
const (
	i32       byte = 0x7f
	i64       byte = 0x7e
	f32       byte = 0x7d
	f64       byte = 0x7c
	v128      byte = 0x7b
	funcref   byte = 0x70
	externref byte = 0x6f
	unknown   byte = 0 // any type: below the operands of unreachable code
)

func isValueType(t byte) bool { return t >= v128 && t <= i32 || isRefType(t) }
func isRefType(t byte) bool   { return t == funcref || t == externref }

func typeName(t byte) string {
	switch t {
	case i32:
		return "i32"
	case i64:
		return "i64"
	case f32:
		return "f32"
	case f64:
		return "f64"
	case v128:
		return "v128"
	case funcref:
		return "funcref"
	case externref:
		return "externref"
	}
	return "any"
}

// immediate is what follows an opcode.
type immediate uint8

const (
	immUnknown immediate = iota // no such instruction
	immNone
	immMemory   // alignment and offset; bytes is the access width
	immLane     // a lane number below bytes
	immMemLane  // immMemory, then a lane number below 16/bytes
	immI32      // a constant
	immI64      // a constant
	imm4        // four bytes
	imm8        // eight bytes
	imm16       // sixteen bytes
	immShuffle  // sixteen lane numbers below 32
	immIndex    // one index
	immTwo      // two indices
	immZero     // one zero byte, the only memory
	immZeroZero // two zero bytes
	immData     // an index of a data segment and a zero byte
	immBlock    // a block type
	immTable    // labels of br_table
	immTypes    // the types of select
)

// instruction is one row of the opcode table. Instructions whose types depend on
// their immediates have no signature here; the validator knows them.
type instruction struct {
	name  string
	imm   immediate
	bytes byte // see immediate
	typed bool // in and out are the whole story
	in    [3]byte
	nin   uint8
	out   byte // unknown: nothing
}

// The opcode tables: of one byte, after the prefix 0xfc, after the prefix 0xfd.
var (
	plain  = expand(plainRows)
	misc   = expand(miscRows)
	vector = expand(vectorRows)
)

const (
	prefixMisc   = 0xfc
	prefixVector = 0xfd
)

// Opcodes that the validator or the rewriter treats on their own.
const (
	opUnreachable  = 0x00
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opDrop         = 0x1a
	opSelect       = 0x1b
	opSelectTyped  = 0x1c
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opLocalTee     = 0x22
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opTableGet     = 0x25
	opTableSet     = 0x26
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opI32GtU       = 0x4b
	opI32LeU       = 0x4d
	opI64LtS       = 0x53
	opI64GtU       = 0x56
	opI32Add       = 0x6a
	opI32Sub       = 0x6b
	opI64Add       = 0x7c
	opI64Sub       = 0x7d
	opI64Shl       = 0x86
	opI64ShrU      = 0x88
	opI64ExtendU   = 0xad
	opRefNull      = 0xd0
	opRefIsNull    = 0xd1
	opRefFunc      = 0xd2

	miscMemoryInit = 8
	miscDataDrop   = 9
	miscMemoryCopy = 10
	miscMemoryFill = 11
	miscTableInit  = 12
	miscElemDrop   = 13
	miscTableCopy  = 14
	miscTableGrow  = 15
	miscTableSize  = 16
	miscTableFill  = 17

	vectorConst = 12
)

// row describes consecutive opcodes of one signature. The signature is written
// "in>out" with one letter a value: i I f F v for i32 i64 f32 f64 v128; an empty
// signature leaves the types to the validator. A name "-" is an unassigned opcode.
type row struct {
	first     byte
	signature string
	imm       immediate
	bytes     byte
	names     string
}

var plainRows = []row{
	{0x00, "", immNone, 0, "unreachable"},
	{0x01, ">", immNone, 0, "nop"},
	{0x02, "", immBlock, 0, "block loop if"},
	{0x05, "", immNone, 0, "else"},
	{0x0b, "", immNone, 0, "end"},
	{0x0c, "", immIndex, 0, "br br_if"},
	{0x0e, "", immTable, 0, "br_table"},
	{0x0f, "", immNone, 0, "return"},
	{0x10, "", immIndex, 0, "call"},
	{0x11, "", immTwo, 0, "call_indirect"},
	{0x1a, "", immNone, 0, "drop select"},
	{0x1c, "", immTypes, 0, "select"},
	{0x20, "", immIndex, 0, "local.get local.set local.tee global.get global.set table.get table.set"},
	{0x28, "i>i", immMemory, 4, "i32.load"},
	{0x29, "i>I", immMemory, 8, "i64.load"},
	{0x2a, "i>f", immMemory, 4, "f32.load"},
	{0x2b, "i>F", immMemory, 8, "f64.load"},
	{0x2c, "i>i", immMemory, 1, "i32.load8_s i32.load8_u"},
	{0x2e, "i>i", immMemory, 2, "i32.load16_s i32.load16_u"},
	{0x30, "i>I", immMemory, 1, "i64.load8_s i64.load8_u"},
	{0x32, "i>I", immMemory, 2, "i64.load16_s i64.load16_u"},
	{0x34, "i>I", immMemory, 4, "i64.load32_s i64.load32_u"},
	{0x36, "ii>", immMemory, 4, "i32.store"},
	{0x37, "iI>", immMemory, 8, "i64.store"},
	{0x38, "if>", immMemory, 4, "f32.store"},
	{0x39, "iF>", immMemory, 8, "f64.store"},
	{0x3a, "ii>", immMemory, 1, "i32.store8"},
	{0x3b, "ii>", immMemory, 2, "i32.store16"},
	{0x3c, "iI>", immMemory, 1, "i64.store8"},
	{0x3d, "iI>", immMemory, 2, "i64.store16"},
	{0x3e, "iI>", immMemory, 4, "i64.store32"},
	{0x3f, ">i", immZero, 0, "memory.size"},
	{0x40, "i>i", immZero, 0, "memory.grow"},
	{0x41, ">i", immI32, 0, "i32.const"},
	{0x42, ">I", immI64, 0, "i64.const"},
	{0x43, ">f", imm4, 0, "f32.const"},
	{0x44, ">F", imm8, 0, "f64.const"},
	{0x45, "i>i", immNone, 0, "i32.eqz"},
	{0x46, "ii>i", immNone, 0, "i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u i32.ge_s i32.ge_u"},
	{0x50, "I>i", immNone, 0, "i64.eqz"},
	{0x51, "II>i", immNone, 0, "i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u i64.le_s i64.le_u i64.ge_s i64.ge_u"},
	{0x5b, "ff>i", immNone, 0, "f32.eq f32.ne f32.lt f32.gt f32.le f32.ge"},
	{0x61, "FF>i", immNone, 0, "f64.eq f64.ne f64.lt f64.gt f64.le f64.ge"},
	{0x67, "i>i", immNone, 0, "i32.clz i32.ctz i32.popcnt"},
	{0x6a, "ii>i", immNone, 0, "i32.add i32.sub i32.mul i32.div_s i32.div_u i32.rem_s i32.rem_u i32.and i32.or i32.xor i32.shl " +
		"i32.shr_s i32.shr_u i32.rotl i32.rotr"},
	{0x79, "I>I", immNone, 0, "i64.clz i64.ctz i64.popcnt"},
	{0x7c, "II>I", immNone, 0, "i64.add i64.sub i64.mul i64.div_s i64.div_u i64.rem_s i64.rem_u i64.and i64.or i64.xor i64.shl " +
		"i64.shr_s i64.shr_u i64.rotl i64.rotr"},
	{0x8b, "f>f", immNone, 0, "f32.abs f32.neg f32.ceil f32.floor f32.trunc f32.nearest f32.sqrt"},
	{0x92, "ff>f", immNone, 0, "f32.add f32.sub f32.mul f32.div f32.min f32.max f32.copysign"},
	{0x99, "F>F", immNone, 0, "f64.abs f64.neg f64.ceil f64.floor f64.trunc f64.nearest f64.sqrt"},
	{0xa0, "FF>F", immNone, 0, "f64.add f64.sub f64.mul f64.div f64.min f64.max f64.copysign"},
	{0xa7, "I>i", immNone, 0, "i32.wrap_i64"},
	{0xa8, "f>i", immNone, 0, "i32.trunc_f32_s i32.trunc_f32_u"},
	{0xaa, "F>i", immNone, 0, "i32.trunc_f64_s i32.trunc_f64_u"},
	{0xac, "i>I", immNone, 0, "i64.extend_i32_s i64.extend_i32_u"},
	{0xae, "f>I", immNone, 0, "i64.trunc_f32_s i64.trunc_f32_u"},
	{0xb0, "F>I", immNone, 0, "i64.trunc_f64_s i64.trunc_f64_u"},
	{0xb2, "i>f", immNone, 0, "f32.convert_i32_s f32.convert_i32_u"},
	{0xb4, "I>f", immNone, 0, "f32.convert_i64_s f32.convert_i64_u"},
	{0xb6, "F>f", immNone, 0, "f32.demote_f64"},
	{0xb7, "i>F", immNone, 0, "f64.convert_i32_s f64.convert_i32_u"},
	{0xb9, "I>F", immNone, 0, "f64.convert_i64_s f64.convert_i64_u"},
	{0xbb, "f>F", immNone, 0, "f64.promote_f32"},
	{0xbc, "f>i", immNone, 0, "i32.reinterpret_f32"},
	{0xbd, "F>I", immNone, 0, "i64.reinterpret_f64"},
	{0xbe, "i>f", immNone, 0, "f32.reinterpret_i32"},
	{0xbf, "I>F", immNone, 0, "f64.reinterpret_i64"},
	{0xc0, "i>i", immNone, 0, "i32.extend8_s i32.extend16_s"},
	{0xc2, "I>I", immNone, 0, "i64.extend8_s i64.extend16_s i64.extend32_s"},
	{0xd0, "", immNone, 0, "ref.null"}, // its type byte is read by whoever decodes it
	{0xd1, "", immNone, 0, "ref.is_null"},
	{0xd2, "", immIndex, 0, "ref.func"},
}

var miscRows = []row{
	{0, "f>i", immNone, 0, "i32.trunc_sat_f32_s i32.trunc_sat_f32_u"},
	{2, "F>i", immNone, 0, "i32.trunc_sat_f64_s i32.trunc_sat_f64_u"},
	{4, "f>I", immNone, 0, "i64.trunc_sat_f32_s i64.trunc_sat_f32_u"},
	{6, "F>I", immNone, 0, "i64.trunc_sat_f64_s i64.trunc_sat_f64_u"},
	{8, "iii>", immData, 0, "memory.init"},
	{9, ">", immIndex, 0, "data.drop"},
	{10, "iii>", immZeroZero, 0, "memory.copy"},
	{11, "iii>", immZero, 0, "memory.fill"},
	{12, "iii>", immTwo, 0, "table.init"},
	{13, ">", immIndex, 0, "elem.drop"},
	{14, "iii>", immTwo, 0, "table.copy"},
	{15, "", immIndex, 0, "table.grow"},
	{16, ">i", immIndex, 0, "table.size"},
	{17, "", immIndex, 0, "table.fill"},
}

var vectorRows = []row{
	{0, "i>v", immMemory, 16, "v128.load"},
	{1, "i>v", immMemory, 8, "v128.load8x8_s v128.load8x8_u v128.load16x4_s v128.load16x4_u v128.load32x2_s v128.load32x2_u"},
	{7, "i>v", immMemory, 1, "v128.load8_splat"},
	{8, "i>v", immMemory, 2, "v128.load16_splat"},
	{9, "i>v", immMemory, 4, "v128.load32_splat"},
	{10, "i>v", immMemory, 8, "v128.load64_splat"},
	{11, "iv>", immMemory, 16, "v128.store"},
	{12, ">v", imm16, 0, "v128.const"},
	{13, "vv>v", immShuffle, 0, "i8x16.shuffle"},
	{14, "vv>v", immNone, 0, "i8x16.swizzle"},
	{15, "i>v", immNone, 0, "i8x16.splat i16x8.splat i32x4.splat"},
	{18, "I>v", immNone, 0, "i64x2.splat"},
	{19, "f>v", immNone, 0, "f32x4.splat"},
	{20, "F>v", immNone, 0, "f64x2.splat"},
	{21, "v>i", immLane, 16, "i8x16.extract_lane_s i8x16.extract_lane_u"},
	{23, "vi>v", immLane, 16, "i8x16.replace_lane"},
	{24, "v>i", immLane, 8, "i16x8.extract_lane_s i16x8.extract_lane_u"},
	{26, "vi>v", immLane, 8, "i16x8.replace_lane"},
	{27, "v>i", immLane, 4, "i32x4.extract_lane"},
	{28, "vi>v", immLane, 4, "i32x4.replace_lane"},
	{29, "v>I", immLane, 2, "i64x2.extract_lane"},
	{30, "vI>v", immLane, 2, "i64x2.replace_lane"},
	{31, "v>f", immLane, 4, "f32x4.extract_lane"},
	{32, "vf>v", immLane, 4, "f32x4.replace_lane"},
	{33, "v>F", immLane, 2, "f64x2.extract_lane"},
	{34, "vF>v", immLane, 2, "f64x2.replace_lane"},
	{35, "vv>v", immNone, 0, "i8x16.eq i8x16.ne i8x16.lt_s i8x16.lt_u i8x16.gt_s i8x16.gt_u i8x16.le_s i8x16.le_u i8x16.ge_s i8x16.ge_u"},
	{45, "vv>v", immNone, 0, "i16x8.eq i16x8.ne i16x8.lt_s i16x8.lt_u i16x8.gt_s i16x8.gt_u i16x8.le_s i16x8.le_u i16x8.ge_s i16x8.ge_u"},
	{55, "vv>v", immNone, 0, "i32x4.eq i32x4.ne i32x4.lt_s i32x4.lt_u i32x4.gt_s i32x4.gt_u i32x4.le_s i32x4.le_u i32x4.ge_s i32x4.ge_u"},
	{65, "vv>v", immNone, 0, "f32x4.eq f32x4.ne f32x4.lt f32x4.gt f32x4.le f32x4.ge"},
	{71, "vv>v", immNone, 0, "f64x2.eq f64x2.ne f64x2.lt f64x2.gt f64x2.le f64x2.ge"},
	{77, "v>v", immNone, 0, "v128.not"},
	{78, "vv>v", immNone, 0, "v128.and v128.andnot v128.or v128.xor"},
	{82, "vvv>v", immNone, 0, "v128.bitselect"},
	{83, "v>i", immNone, 0, "v128.any_true"},
	{84, "iv>v", immMemLane, 1, "v128.load8_lane"},
	{85, "iv>v", immMemLane, 2, "v128.load16_lane"},
	{86, "iv>v", immMemLane, 4, "v128.load32_lane"},
	{87, "iv>v", immMemLane, 8, "v128.load64_lane"},
	{88, "iv>", immMemLane, 1, "v128.store8_lane"},
	{89, "iv>", immMemLane, 2, "v128.store16_lane"},
	{90, "iv>", immMemLane, 4, "v128.store32_lane"},
	{91, "iv>", immMemLane, 8, "v128.store64_lane"},
	{92, "i>v", immMemory, 4, "v128.load32_zero"},
	{93, "i>v", immMemory, 8, "v128.load64_zero"},
	{94, "v>v", immNone, 0, "f32x4.demote_f64x2_zero f64x2.promote_low_f32x4 i8x16.abs i8x16.neg i8x16.popcnt"},
	{99, "v>i", immNone, 0, "i8x16.all_true i8x16.bitmask"},
	{101, "vv>v", immNone, 0, "i8x16.narrow_i16x8_s i8x16.narrow_i16x8_u"},
	{103, "v>v", immNone, 0, "f32x4.ceil f32x4.floor f32x4.trunc f32x4.nearest"},
	{107, "vi>v", immNone, 0, "i8x16.shl i8x16.shr_s i8x16.shr_u"},
	{110, "vv>v", immNone, 0, "i8x16.add i8x16.add_sat_s i8x16.add_sat_u i8x16.sub i8x16.sub_sat_s i8x16.sub_sat_u"},
	{116, "v>v", immNone, 0, "f64x2.ceil f64x2.floor"},
	{118, "vv>v", immNone, 0, "i8x16.min_s i8x16.min_u i8x16.max_s i8x16.max_u"},
	{122, "v>v", immNone, 0, "f64x2.trunc"},
	{123, "vv>v", immNone, 0, "i8x16.avgr_u"},
	{124, "v>v", immNone, 0, "i16x8.extadd_pairwise_i8x16_s i16x8.extadd_pairwise_i8x16_u i32x4.extadd_pairwise_i16x8_s " +
		"i32x4.extadd_pairwise_i16x8_u i16x8.abs i16x8.neg"},
	{130, "vv>v", immNone, 0, "i16x8.q15mulr_sat_s"},
	{131, "v>i", immNone, 0, "i16x8.all_true i16x8.bitmask"},
	{133, "vv>v", immNone, 0, "i16x8.narrow_i32x4_s i16x8.narrow_i32x4_u"},
	{135, "v>v", immNone, 0, "i16x8.extend_low_i8x16_s i16x8.extend_high_i8x16_s i16x8.extend_low_i8x16_u i16x8.extend_high_i8x16_u"},
	{139, "vi>v", immNone, 0, "i16x8.shl i16x8.shr_s i16x8.shr_u"},
	{142, "vv>v", immNone, 0, "i16x8.add i16x8.add_sat_s i16x8.add_sat_u i16x8.sub i16x8.sub_sat_s i16x8.sub_sat_u"},
	{148, "v>v", immNone, 0, "f64x2.nearest"},
	{149, "vv>v", immNone, 0, "i16x8.mul i16x8.min_s i16x8.min_u i16x8.max_s i16x8.max_u - i16x8.avgr_u i16x8.extmul_low_i8x16_s " +
		"i16x8.extmul_high_i8x16_s i16x8.extmul_low_i8x16_u i16x8.extmul_high_i8x16_u"},
	{160, "v>v", immNone, 0, "i32x4.abs i32x4.neg"},
	{163, "v>i", immNone, 0, "i32x4.all_true i32x4.bitmask"},
	{167, "v>v", immNone, 0, "i32x4.extend_low_i16x8_s i32x4.extend_high_i16x8_s i32x4.extend_low_i16x8_u i32x4.extend_high_i16x8_u"},
	{171, "vi>v", immNone, 0, "i32x4.shl i32x4.shr_s i32x4.shr_u"},
	{174, "vv>v", immNone, 0, "i32x4.add - - i32x4.sub - - - i32x4.mul i32x4.min_s i32x4.min_u i32x4.max_s i32x4.max_u " +
		"i32x4.dot_i16x8_s - i32x4.extmul_low_i16x8_s i32x4.extmul_high_i16x8_s i32x4.extmul_low_i16x8_u i32x4.extmul_high_i16x8_u"},
	{192, "v>v", immNone, 0, "i64x2.abs i64x2.neg"},
	{195, "v>i", immNone, 0, "i64x2.all_true i64x2.bitmask"},
	{199, "v>v", immNone, 0, "i64x2.extend_low_i32x4_s i64x2.extend_high_i32x4_s i64x2.extend_low_i32x4_u i64x2.extend_high_i32x4_u"},
	{203, "vi>v", immNone, 0, "i64x2.shl i64x2.shr_s i64x2.shr_u"},
	{206, "vv>v", immNone, 0, "i64x2.add - - i64x2.sub - - - i64x2.mul i64x2.eq i64x2.ne i64x2.lt_s i64x2.gt_s i64x2.le_s i64x2.ge_s " +
		"i64x2.extmul_low_i32x4_s i64x2.extmul_high_i32x4_s i64x2.extmul_low_i32x4_u i64x2.extmul_high_i32x4_u"},
	{224, "v>v", immNone, 0, "f32x4.abs f32x4.neg - f32x4.sqrt"},
	{228, "vv>v", immNone, 0, "f32x4.add f32x4.sub f32x4.mul f32x4.div f32x4.min f32x4.max f32x4.pmin f32x4.pmax"},
	{236, "v>v", immNone, 0, "f64x2.abs f64x2.neg - f64x2.sqrt"},
	{240, "vv>v", immNone, 0, "f64x2.add f64x2.sub f64x2.mul f64x2.div f64x2.min f64x2.max f64x2.pmin f64x2.pmax"},
	{248, "v>v", immNone, 0, "i32x4.trunc_sat_f32x4_s i32x4.trunc_sat_f32x4_u f32x4.convert_i32x4_s f32x4.convert_i32x4_u " +
		"i32x4.trunc_sat_f64x2_s_zero i32x4.trunc_sat_f64x2_u_zero f64x2.convert_low_i32x4_s f64x2.convert_low_i32x4_u"},
}

// expand makes a table of rows; an opcode described twice is a mistake here.
func expand(rows []row) (table [256]instruction) {
	letters := map[byte]byte{'i': i32, 'I': i64, 'f': f32, 'F': f64, 'v': v128}
	for _, r := range rows {
		in, out, typed := strings.Cut(r.signature, ">")
		for i, name := range strings.Fields(r.names) {
			if name == "-" {
				continue
			}
			op := &table[int(r.first)+i]
			if op.imm != immUnknown {
				panic(fmt.Sprintf("opcode %#x is both %s and %s", int(r.first)+i, op.name, name))
			}
			*op = instruction{name: name, imm: r.imm, bytes: r.bytes, typed: typed, nin: uint8(len(in))}
			for j := range len(in) {
				op.in[j] = letters[in[j]]
			}
			if out != "" {
				op.out = letters[out[0]]
			}
		}
	}
	return table
}
