package archive

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

const (
	zstdDictionary = 0x184d2a5d // the skippable frame of a dictionary, by the draft of WARC-Zstandard
	zstdSkippable  = 0x184d2a50 // the first of 16 magic numbers of frames that decoders skip
	maxDictionary  = 16 << 20   // bytes of a dictionary, unpacked; those in use have about 1 MB
	maxWindow      = 128 << 20  // bytes of a window: what zstd --ultra --long=27 needs
)

// isZstdFrame reports whether bytes begin a frame of zstd, or one that decoders skip.
func isZstdFrame(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	return bytes.HasPrefix(b, zstdMagic) || binary.LittleEndian.Uint32(b)&^0xf == zstdSkippable
}

// openZstd opens the next frame of zstd that holds data. The first frame of a file may be its
// dictionary.
func (s *scanner) openZstd() error {
	for {
		start, err := s.in.Peek(8)
		switch {
		case len(start) == 0:
			return err
		case bytes.HasPrefix(start, zstdMagic):
			return s.openFrame()
		case len(start) < 8 || !isZstdFrame(start):
			return errors.New("not a zstd frame")
		}
		length := int64(binary.LittleEndian.Uint32(start[4:]))
		if _, err := s.in.Discard(8); err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, s.in, length); err != nil { // dictionaryOf reads it where it is one
			return unexpected(err)
		}
		s.start = s.offset()
	}
}

// openFrame opens a frame. Frames are told apart by the lengths of their blocks, since decoders go
// from one to the next.
func (s *scanner) openFrame() (err error) {
	if s.zst == nil {
		options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow)}
		dictionary, err := dictionaryOf(s.r, s.size)
		if err != nil {
			return err
		}
		if dictionary != nil {
			options = append(options, zstd.WithDecoderDicts(dictionary))
		}
		if s.zst, err = zstd.NewReader(nil, options...); err != nil {
			return fmt.Errorf("the dictionary of the file: %w", err)
		}
	}
	from := io.Reader(&frame{in: s.in})
	if s.across {
		from = s.in
	}
	if err = s.zst.Reset(from); err == nil {
		s.unpacked.Reset(s.zst)
	}
	return err
}

// dictionaryOf reads the dictionary in the first frame of a file, nil where there is none.
func dictionaryOf(r io.ReaderAt, size int64) ([]byte, error) {
	var start [8]byte
	if n, _ := r.ReadAt(start[:], 0); n < len(start) || binary.LittleEndian.Uint32(start[:]) != zstdDictionary {
		return nil, nil
	}
	length := int64(binary.LittleEndian.Uint32(start[4:]))
	if length > maxDictionary || length > size-8 {
		return nil, fmt.Errorf("a dictionary of %d bytes: expected at most %d, and those in the file", length, maxDictionary)
	}
	dictionary := make([]byte, length)
	if _, err := r.ReadAt(dictionary, 8); err != nil {
		return nil, unexpected(err)
	}
	if !bytes.HasPrefix(dictionary, zstdMagic) {
		return dictionary, nil
	}
	z, err := zstd.NewReader(bytes.NewReader(dictionary), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDictionary))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	dictionary, err = io.ReadAll(io.LimitReader(z, maxDictionary))
	if err != nil {
		return nil, fmt.Errorf("the dictionary of the file: %w", err)
	}
	return dictionary, nil
}

// frame reads one frame of zstd to its end.
type frame struct {
	in   *bufio.Reader
	left int64  // bytes of the part that is being read
	part []byte // that was read to find the next
	last bool   // the part that is being read is the last
	sum  bool   // a checksum follows the last block
	body bool   // the header was read
}

func (f *frame) Read(p []byte) (int, error) {
	for len(f.part) == 0 && f.left == 0 {
		if f.last {
			return 0, io.EOF
		}
		if err := f.next(); err != nil {
			return 0, unexpected(err)
		}
	}
	if len(f.part) > 0 {
		n := copy(p, f.part)
		f.part = f.part[n:]
		return n, nil
	}
	n, err := f.in.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	return n, unexpected(err)
}

// next reads the header of the frame or of a block (RFC 8878, 3.1.1).
func (f *frame) next() error {
	if !f.body {
		return f.header()
	}
	b, err := f.take(3)
	if err != nil {
		return err
	}
	header := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	f.left = int64(header >> 3)
	if header>>1&3 == 1 { // one byte, repeated
		f.left = 1
	}
	if f.last = header&1 == 1; f.last && f.sum {
		f.left += 4
	}
	return nil
}

// header reads what precedes the blocks.
func (f *frame) header() error {
	start, err := f.in.Peek(5)
	if err != nil {
		return err
	}
	descriptor := start[4]
	single := descriptor>>5&1 == 1
	size := 5 + []int{0, 1, 2, 4}[descriptor&3] // the id of a dictionary
	switch content := []int{0, 2, 4, 8}[descriptor>>6]; {
	case content > 0:
		size += content
	case single:
		size++
	}
	if !single {
		size++ // the window
	}
	f.sum, f.body = descriptor>>2&1 == 1, true
	_, err = f.take(size)
	return err
}

// take reads n bytes and hands them on.
func (f *frame) take(n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := io.ReadFull(f.in, b)
	f.part = b
	return b, err
}
