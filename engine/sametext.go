package engine

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

const (
	fewSame   = 3       // repeated texts that are reported; two addresses of one page are usual
	mostTexts = 100_000 // remembered texts: 1.6 MB of a file, some 4 MB of memory
)

// SeenTexts remembers the texts of pages, to find addresses with the same text. A text is known by its
// fingerprint, with that of the address that had it first: a page that is read again repeats nothing.
type SeenTexts struct {
	mu   sync.Mutex
	seen map[uint64]uint64
	file io.Writer // nil: none, or it could not be written
}

// TextsFile is a file that is appended to.
type TextsFile interface {
	io.ReadWriter
	Truncate(size int64) error
}

// Keep adds the texts of a file, and appends the new ones of this session to it. A kill can cut the last
// record of the file, which is then removed.
func (t *SeenTexts) Keep(file TextsFile) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = map[uint64]uint64{}
	r := bufio.NewReader(file)
	var record [16]byte
	for n := range int64(mostTexts) {
		_, err := io.ReadFull(r, record[:])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			t.file = file
			return file.Truncate(n * int64(len(record)))
		}
		if err != nil {
			return err
		}
		t.seen[binary.LittleEndian.Uint64(record[:])] = binary.LittleEndian.Uint64(record[8:])
	}
	return nil // it is full
}

// repeated reports whether another address had the same text before. Beyond mostTexts, new texts are
// not remembered.
func (t *SeenTexts) repeated(text uint64, address string) bool {
	at := fingerprint(fingerprintSeed, address)
	t.mu.Lock()
	defer t.mu.Unlock()
	if first, known := t.seen[text]; known {
		return first != at
	}
	if len(t.seen) >= mostTexts {
		return false
	}
	if t.seen == nil {
		t.seen = map[uint64]uint64{}
	}
	t.seen[text] = at
	if t.file != nil {
		record := binary.LittleEndian.AppendUint64(nil, text)
		if _, err := t.file.Write(binary.LittleEndian.AppendUint64(record, at)); err != nil {
			t.file = nil // a later session finds fewer repetitions
		}
	}
	return false
}

// fingerprintSeed and fingerprint are FNV-1a, which is the same in each process.
const fingerprintSeed = 14695981039346656037

func fingerprint(h uint64, text string) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

// SeenTexts are the remembered texts of the crawl.
func (e *Engine) SeenTexts() *SeenTexts { return &e.texts }
