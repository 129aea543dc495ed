package module

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// reader decodes b[pos:end] of a file. The first failure is kept and moves the
// reader to its end, so that loops over its content stop; what is read after a
// failure is zero.
type reader struct {
	b        []byte
	pos, end int
	err      *Error
}

// fail records the first failure; off is an offset in the file.
func (r *reader) fail(rule Rule, off int, do, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Rule: rule, Offset: off, Function: -1, What: fmt.Sprintf(format, args...), Do: do}
	}
	r.pos = r.end
}

// more reports whether bytes are left; after a failure none are.
func (r *reader) more() bool { return r.pos < r.end }

func (r *reader) byte() byte {
	if r.pos >= r.end {
		r.fail(Malformed, r.end, doRebuild, "it ends in the middle of a value")
		return 0
	}
	c := r.b[r.pos]
	r.pos++
	return c
}

// bytes returns the next n bytes, which belong to the file.
func (r *reader) bytes(n uint32, what string) []byte {
	if uint64(n) > uint64(r.end-r.pos) {
		r.fail(Malformed, r.pos, doRebuild, "%s of %d bytes, and %d are left", what, n, r.end-r.pos)
		return nil
	}
	s := r.b[r.pos : r.pos+int(n) : r.pos+int(n)]
	r.pos += int(n)
	return s
}

func (r *reader) u32() uint32 {
	if r.pos < r.end && r.b[r.pos] < 0x80 {
		r.pos++
		return uint32(r.b[r.pos-1])
	}
	return uint32(r.leb(32, false))
}

func (r *reader) s32() int32 { return int32(r.leb(32, true)) }
func (r *reader) s33() int64 { return r.leb(33, true) }
func (r *reader) s64() int64 { return r.leb(64, true) }

// leb decodes a LEB128 integer of the given width. An encoding may be padded, but
// only to the bytes that the width can need, and the unused bits of the last byte
// must repeat the sign.
func (r *reader) leb(bits uint, signed bool) int64 {
	start := r.pos
	var v uint64
	for shift := uint(0); ; shift += 7 {
		c := r.byte()
		if r.err != nil {
			return 0
		}
		v |= uint64(c&0x7f) << shift
		if left := bits - shift; left < 7 {
			// The last byte that this width can have: left bits of it count.
			rest, ones := c>>left, byte(0x7f)>>left
			if signed {
				rest, ones = c>>(left-1), byte(0x7f)>>(left-1)
			}
			if rest != 0 && (!signed || rest != ones) {
				r.fail(Malformed, start, doRebuild, "an integer of more than %d bits", bits)
				return 0
			}
		}
		if c < 0x80 {
			if signed && shift+7 < 64 && c&0x40 != 0 {
				v |= ^uint64(0) << (shift + 7)
			}
			return int64(v)
		}
	}
}

// count reads the number of entries of a vector, refusing what is over most and
// what cannot be there because every entry has at least one byte.
func (r *reader) count(most int, what string) int {
	at := r.pos
	n := r.u32()
	if uint64(n) > uint64(most) {
		r.fail(OverLimit, at, "use fewer", "%d %s; %d are allowed", n, what, most)
		return 0
	}
	if int(n) > r.end-r.pos {
		r.fail(Malformed, at, doRebuild, "%d %s in %d bytes", n, what, r.end-r.pos)
		return 0
	}
	return int(n)
}

// name reads a string, which must be UTF-8.
func (r *reader) name() string {
	at := r.pos
	s := r.bytes(r.u32(), "a name")
	if !utf8.Valid(s) {
		r.fail(Malformed, at, doRebuild, "a name that is not UTF-8")
		return ""
	}
	return string(s)
}

// appendU32 and appendS64 write the shortest LEB128 encoding.
func appendU32(b []byte, v uint32) []byte { return binary.AppendUvarint(b, uint64(v)) }

func appendS64(b []byte, v int64) []byte {
	for v < -64 || v > 63 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}
