package fetch

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// gunzip reads members of gzip. Unlike gzip.Reader it takes a last member without its trailer, or
// with a part of it, for whole, as browsers do: all of its data is there.
type gunzip struct {
	in        *bufio.Reader
	data      io.Reader
	crc, size uint32
}

func openGzip(r io.Reader) (io.Reader, error) {
	g := &gunzip{in: bufio.NewReader(r)}
	return g, g.next()
}

// next begins a member.
func (g *gunzip) next() error {
	if _, err := gzip.NewReader(g.in); err != nil { // it reads the header and no more
		return err
	}
	g.data, g.crc, g.size = flate.NewReader(g.in), 0, 0
	return nil
}

// Read implements io.Reader.
func (g *gunzip) Read(p []byte) (int, error) {
	for {
		n, err := g.data.Read(p)
		g.crc, g.size = crc32.Update(g.crc, crc32.IEEETable, p[:n]), g.size+uint32(n)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		if err = g.trailer(); err == nil {
			err = g.next()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// trailer reads what follows the data of a member. It returns io.EOF where nothing follows it.
func (g *gunzip) trailer() error {
	var b [8]byte
	_, err := io.ReadFull(g.in, b[:])
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return io.EOF
	case err != nil:
		return err
	case binary.LittleEndian.Uint32(b[:]) != g.crc || binary.LittleEndian.Uint32(b[4:]) != g.size:
		return gzip.ErrChecksum
	}
	_, err = g.in.Peek(1)
	return err
}
