package archive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

const (
	gzipAround   = 10 + 8    // bytes of a gzip member around its blocks
	storedAround = 5         // bytes of a stored block around its content
	storedMost   = 1<<16 - 1 // bytes in a stored block

	lengthDigits = 8 // of the number in a filler's Content-Length, leading spaces included
)

// gapPiece is about how many bytes of a gap one record fills.
const gapPiece = 1 << 20

// fill writes records over a part of a WARC file in which captures are damaged, so that those behind keep their places, which the
// graph and the crawl log name. date is that of the records.
func fill(f io.WriterAt, gap Span, date, why string) error {
	for off, end := gap.Offset, gap.Offset+gap.Length; off < end; {
		size := end - off
		if size > 2*gapPiece {
			size = gapPiece
		}
		b, err := filler(size, date, why)
		if err != nil {
			return err
		}
		if _, err := f.WriteAt(b, off); err != nil {
			return err
		}
		off += size
	}
	return nil
}

// filler returns a gzip member of exactly size bytes with one metadata record, which says why it is there.
func filler(size int64, date, why string) ([]byte, error) {
	// Content that is stored, not compressed, has a length that can be chosen: of so many blocks, all of about one size.
	blocks := (size - gzipAround + storedAround + storedMost - 1) / (storedAround + storedMost)
	content := size - gzipAround - blocks*storedAround
	const end = "\r\n"
	header := fmt.Sprintf("WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <%s>\r\nWARC-Date: %s\r\n"+
		"Content-Type: application/warc-fields\r\nContent-Length: ", NewID(), date)
	block := content - int64(len(header)+lengthDigits+len(end+end)+len(end+end))
	why = "note: " + why
	if block < int64(len(why+end)) {
		return nil, fmt.Errorf("a gap of %d bytes is too small for a record", size)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%*d%s%s", header, lengthDigits, block, end+end, why)
	b.WriteString(strings.Repeat(" ", int(block)-len(why+end)) + end + end + end)
	record := b.Bytes()

	const unknownSystem = 0xff
	member := bytes.NewBuffer([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, unknownSystem})
	storeBlocks(member, record, (len(record)+int(blocks)-1)/int(blocks))
	member.Write(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(record)))
	member.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(record))))
	return member.Bytes(), nil
}

// storeBlocks ends a deflate stream with content that is not compressed, in blocks of at most so many bytes.
func storeBlocks(b *bytes.Buffer, content []byte, most int) {
	for {
		part := content[:min(len(content), most)]
		content = content[len(part):]
		final := byte(0)
		if len(content) == 0 {
			final = 1
		}
		b.WriteByte(final) // BFINAL, then BTYPE 00: stored
		b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(part))))
		b.Write(binary.LittleEndian.AppendUint16(nil, ^uint16(len(part))))
		b.Write(part)
		if final == 1 {
			return
		}
	}
}
