package conformance

import (
	"encoding/binary"
	"slices"
)

// field is one field of an encoded message, tag included.
type field struct {
	number uint64
	wire   uint64
	bytes  []byte // the whole of it
	body   []byte // of an embedded message or text
}

// split takes apart what this program encoded: it is well formed.
func split(message []byte) []field {
	var fields []field
	for len(message) > 0 {
		tag, at := binary.Uvarint(message)
		f := field{number: tag >> 3, wire: tag & 7}
		switch f.wire {
		case 0:
			_, n := binary.Uvarint(message[at:])
			at += n
		case 1:
			at += 8
		case 2:
			length, n := binary.Uvarint(message[at:])
			at += n + int(length)
			f.body = message[at-int(length) : at]
		case 5:
			at += 4
		}
		f.bytes = message[:at]
		fields = append(fields, f)
		message = message[at:]
	}
	return fields
}

func join(fields []field) (message []byte) {
	for _, f := range fields {
		message = append(message, f.bytes...)
	}
	return message
}

func embed(number uint64, body []byte) []byte {
	b := binary.AppendUvarint(nil, number<<3|2)
	b = binary.AppendUvarint(b, uint64(len(body)))
	return append(b, body...)
}

// unknown are fields of each wire type that no version has.
var unknown = slices.Concat(
	binary.AppendUvarint(binary.AppendUvarint(nil, 99<<3), 1<<40),
	embed(1000, []byte("from a later version")),
	append(binary.AppendUvarint(nil, 101<<3|5), 1, 2, 3, 4),
	append(binary.AppendUvarint(nil, (1<<29-1)<<3|1), 1, 2, 3, 4, 5, 6, 7, 8),
)

// parts and links of a request.
const partsField, linksField = 3, 4

// withUnknown has unknown fields before, between and within.
func withUnknown(request []byte) []byte {
	b := slices.Clone(unknown)
	for _, f := range split(request) {
		if f.number == partsField || f.number == linksField {
			b = append(b, embed(f.number, slices.Concat(unknown, f.body, unknown))...)
		} else {
			b = append(b, f.bytes...)
		}
		b = append(b, unknown...)
	}
	return b
}

// backwards has the fields in the order of falling numbers, repeated ones in their own.
func backwards(request []byte) []byte {
	fields := split(request)
	slices.SortStableFunc(fields, func(a, b field) int { return int(b.number) - int(a.number) })
	return join(fields)
}

// twice has every scalar and text twice, at first with another value.
func twice(request []byte) []byte {
	fields := split(request)
	var b []byte
	for _, f := range fields {
		switch {
		case f.number == partsField || f.number == linksField:
		case f.wire == 2:
			b = append(b, embed(f.number, []byte("another"))...)
		case f.wire == 0:
			b = append(binary.AppendUvarint(b, f.number<<3), 77)
		default:
			other := slices.Clone(f.bytes)
			other[len(other)-1] ^= 1
			b = append(b, other...)
		}
	}
	return append(b, join(fields)...)
}

// longVarints has the lengths of texts in more bytes than they need.
func longVarints(request []byte) (b []byte) {
	for _, f := range split(request) {
		if f.wire != 2 {
			b = append(b, f.bytes...)
			continue
		}
		b = binary.AppendUvarint(b, f.number<<3|2)
		n := uint64(len(f.body))
		for range 4 {
			b = append(b, byte(n)|0x80)
			n >>= 7
		}
		b = append(append(b, byte(n)), f.body...)
	}
	return b
}
