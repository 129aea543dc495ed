package abi

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Wire types of protobuf. Groups (3 and 4) are refused.
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wire32     = 5
)

// MaxElements bounds the parts, links, terms, seeds and params of one request:
// what a decoder accepts, and so what an encoder may be given.
const MaxElements = 1 << 16

// DecodeError says at which byte of a message decoding failed, and why.
type DecodeError struct {
	Offset int
	Reason string
}

func (e *DecodeError) Error() string {
	return "byte " + strconv.Itoa(e.Offset) + " of the message: " + e.Reason
}

// decoder walks over the fields of a message. The first error stays, and ends
// every loop over next; values read after it are zero.
type decoder struct {
	s    string
	pos  int
	end  int // of the message that is being decoded
	num  uint32
	wire uint8
	// trusted skips the check of UTF-8: requests come from the host's encoder.
	trusted bool
	err     error
}

func (d *decoder) fail(reason string) {
	if d.err == nil {
		d.err = &DecodeError{d.pos, reason}
	}
	d.pos = d.end
}

// next reads the tag of the next field of the current message; false at its end.
func (d *decoder) next() bool {
	if d.pos >= d.end {
		return false
	}
	tag := d.varint()
	switch {
	case d.err != nil:
		return false
	case tag>>3 == 0 || tag>>3 >= 1<<29:
		d.fail("field number out of range")
		return false
	}
	d.num, d.wire = uint32(tag>>3), uint8(tag&7)
	return true
}

// varint reads at most ten bytes; more than 64 bits are refused.
func (d *decoder) varint() uint64 {
	var v uint64
	for shift := 0; shift < 70; shift += 7 {
		if d.pos >= d.end {
			d.fail("varint past the end")
			return 0
		}
		c := d.s[d.pos]
		d.pos++
		if shift == 63 && c > 1 {
			break
		}
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	d.fail("varint of more than 64 bits")
	return 0
}

// is reports whether the field has the wire type w, and fails if not.
func (d *decoder) is(w uint8) bool {
	if d.wire != w {
		d.fail("field " + strconv.Itoa(int(d.num)) + " has wire type " + strconv.Itoa(int(d.wire)) + ", not " + strconv.Itoa(int(w)))
		return false
	}
	return true
}

// take returns the next n bytes.
func (d *decoder) take(n uint64) string {
	if n > uint64(d.end-d.pos) {
		d.fail("length past the end")
		return ""
	}
	v := d.s[d.pos : d.pos+int(n)]
	d.pos += int(n)
	return v
}

func (d *decoder) skip() {
	switch d.wire {
	case wireVarint:
		d.varint()
	case wire64:
		d.take(8)
	case wireBytes:
		d.take(d.varint())
	case wire32:
		d.take(4)
	default:
		d.fail("wire type " + strconv.Itoa(int(d.wire)) + " is not used")
	}
}

func (d *decoder) uint64() uint64 {
	if !d.is(wireVarint) {
		return 0
	}
	return d.varint()
}

func (d *decoder) uint32() uint32 {
	v := d.uint64()
	if v > math.MaxUint32 {
		d.fail("number of more than 32 bits")
		return 0
	}
	return uint32(v)
}

func (d *decoder) bool() bool { return d.uint64() != 0 }

// sint64 undoes the zigzag encoding.
func (d *decoder) sint64() int64 {
	v := d.uint64()
	return int64(v>>1) ^ -int64(v&1)
}

func (d *decoder) float32() float32 {
	if !d.is(wire32) {
		return 0
	}
	return float32At(d.take(4))
}

func (d *decoder) float64() float64 {
	if !d.is(wire64) {
		return 0
	}
	s := d.take(8)
	if len(s) < 8 {
		return 0
	}
	var v uint64
	for i := range 8 {
		v |= uint64(s[i]) << (8 * i)
	}
	return math.Float64frombits(v)
}

func float32At(s string) float32 {
	if len(s) < 4 {
		return 0
	}
	return math.Float32frombits(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

// floats appends a repeated float, packed or not, keeping the length at most max.
func (d *decoder) floats(to []float32, max int) []float32 {
	if d.wire == wire32 {
		if len(to) >= max {
			d.fail("more numbers than requested")
			return to
		}
		return append(to, d.float32())
	}
	s := d.bytes()
	switch {
	case len(s)%4 != 0:
		d.fail("packed floats of " + strconv.Itoa(len(s)) + " bytes")
		return to
	case len(s)/4 > max-len(to):
		d.fail("more numbers than requested")
		return to
	}
	for ; len(s) > 0; s = s[4:] {
		to = append(to, float32At(s))
	}
	return to
}

func (d *decoder) bytes() string {
	if !d.is(wireBytes) {
		return ""
	}
	return d.take(d.varint())
}

func (d *decoder) string() string {
	s := d.bytes()
	if !d.trusted && !utf8.ValidString(s) {
		d.fail("string is not UTF-8")
		return ""
	}
	return s
}

// enter begins an embedded message and returns the end of the one around it,
// for leave. After an error there is nothing in it.
func (d *decoder) enter() int {
	outer := d.end
	s := d.bytes()
	d.end = d.pos
	d.pos -= len(s)
	return outer
}

func (d *decoder) leave(outer int) {
	d.end = outer
	if d.err != nil {
		d.pos = outer
	}
}

// full fails and reports true when a repeated field has max elements already.
func (d *decoder) full(have, max int) bool {
	if have < max {
		return false
	}
	d.fail("more than " + strconv.Itoa(max) + " elements")
	return true
}

// The encoder is a set of functions that append to a buffer. A scalar that is
// zero is left out, as proto3 has it.

func appendTag(b []byte, num int, wire uint8) []byte {
	return appendVarint(b, uint64(num)<<3|uint64(wire))
}

func appendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func varintLen(v int) int { return (bits.Len64(uint64(v)|1) + 6) / 7 }

func appendUint(b []byte, num int, v uint64) []byte {
	if v == 0 {
		return b
	}
	return appendVarint(appendTag(b, num, wireVarint), v)
}

func appendBool(b []byte, num int, v bool) []byte {
	if !v {
		return b
	}
	return append(appendTag(b, num, wireVarint), 1)
}

// appendFloat leaves out what is zero by its bits: minus zero is written.
func appendFloat(b []byte, num int, v float32) []byte {
	bits := math.Float32bits(v)
	if bits == 0 {
		return b
	}
	return appendFixed32(appendTag(b, num, wire32), bits)
}

func appendFixed32(b []byte, v uint32) []byte {
	return append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}

func appendDouble(b []byte, num int, v float64) []byte {
	u := math.Float64bits(v)
	return appendFixed32(appendFixed32(appendTag(b, num, wire64), uint32(u)), uint32(u>>32))
}

func appendBytes(b []byte, num int, s string) []byte {
	if s == "" {
		return b
	}
	return appendRaw(b, num, s)
}

// appendString replaces what is not UTF-8.
func appendString(b []byte, num int, s string) []byte { return appendBytes(b, num, validText(s)) }

// appendRaw writes the field even when s is empty: an element of a repeated
// field or the chosen one of a oneof.
func appendRaw(b []byte, num int, s string) []byte {
	return append(appendVarint(appendTag(b, num, wireBytes), uint64(len(s))), s...)
}

// validText is the text as it is sent: each run of invalid bytes is one U+FFFD.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// begin starts an embedded message of about size bytes and returns where its
// body starts; finish writes the length, and moves the body when the guess needed another
// number of bytes.
func begin(b []byte, num, size int) ([]byte, int) {
	b = appendTag(b, num, wireBytes)
	for range varintLen(size) {
		b = append(b, 0)
	}
	return b, len(b)
}

func finish(b []byte, start, size int) []byte {
	n, reserved := len(b)-start, varintLen(size)
	if need := varintLen(n); need != reserved {
		for range need - reserved {
			b = append(b, 0)
		}
		copy(b[start+need-reserved:], b[start:start+n])
		b = b[:start+need-reserved+n]
	}
	v, at := uint64(n), start-reserved
	for ; v >= 0x80; at++ {
		b[at] = byte(v) | 0x80
		v >>= 7
	}
	b[at] = byte(v)
	return b
}
