package archive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/klauspost/compress/flate"
)

// graphMember is a gzip member that is compressed but not yet finished: the few quads that tell the place of the record
// are known only when the writer is locked, and compression is to happen before. A flushed deflate stream ends on a
// byte boundary, so the end can be appended as stored blocks.
//
// The member carries the id of its capture as the gzip comment (RFC 1952, FCOMMENT). Every capture has a member, if an
// empty one, so that recovery can pair the two files without reading quads.
type graphMember struct {
	buf  bytes.Buffer
	crc  uint32
	size uint32
}

// graphMember compresses quads.
func (w *Writer) graphMember(id string, quads []byte) (*graphMember, error) {
	if strings.ContainsRune(id, 0) {
		return nil, fmt.Errorf("archive: id %q holds a zero byte", id)
	}
	m := &graphMember{crc: crc32.ChecksumIEEE(quads), size: uint32(len(quads))}
	const flagComment, unknownSystem = 0x10, 0xff
	m.buf.Write([]byte{0x1f, 0x8b, 8, flagComment, 0, 0, 0, 0, 0, unknownSystem})
	m.buf.WriteString(id)
	m.buf.WriteByte(0)
	if len(quads) == 0 {
		return m, nil
	}
	fw, _ := w.pools.flates.Get().(*flate.Writer)
	defer w.pools.flates.Put(fw)
	fw.Reset(&m.buf)
	if _, err := fw.Write(quads); err != nil {
		return nil, err
	}
	return m, fw.Flush()
}

// seal appends the tail uncompressed and ends the member.
func (m *graphMember) seal(tail []byte) []byte {
	m.crc = crc32.Update(m.crc, crc32.IEEETable, tail)
	m.size += uint32(len(tail))
	storeBlocks(&m.buf, tail, storedMost)
	m.buf.Write(binary.LittleEndian.AppendUint32(nil, m.crc))
	m.buf.Write(binary.LittleEndian.AppendUint32(nil, m.size))
	return m.buf.Bytes()
}
