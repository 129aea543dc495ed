package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

const (
	// maxDeaths is how often the process may die while a page is read, before it is not read any more. A kill
	// from outside hits a page that is being read now and then, of 200 kills one page twice.
	maxDeaths = 3

	poisonKind  = "poison_page"
	poisonFault = "poison page: awarc crashed three times while reading it; it is archived without extraction"
)

// readingFile has a slot for each page that is being read: the digest of its key, or zeros.
const readingFile = "now"

// digest stands for the key of a page.
type digest [sha256.Size]byte

// poison keeps a page that ends the process, by its size or by an error that cannot be
// recovered from, from doing so in each session. While a page is read it stands in a slot of readingFile; whoever opens
// the folder next finds there at which pages the process died. Each of these, a suspect, has a file that is as many bytes long as that
// happened since the page was last read to its end. The files need to survive the process and not the machine, so they are not synced.
type poison struct {
	dir  string   // "": no notes are kept
	file *os.File // readingFile

	mu       sync.Mutex
	suspects map[digest]int64 // how often the process died at each
	free     []int64          // slots of the file that are not in use
	slots    int64

	// alone is held for writing while a suspect is read, and for reading by the others: so no page is blamed again for what
	// another one did.
	alone sync.RWMutex
}

// open takes over what is in a folder, which is made.
func (p *poison) open(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	p.dir, p.suspects = dir, map[digest]int64{}
	f, err := os.OpenFile(filepath.Join(dir, readingFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	p.file = f
	for {
		var d digest
		if _, err := io.ReadFull(f, d[:]); err != nil { // the end, or a slot that the process died at
			break
		}
		if d == (digest{}) {
			continue
		}
		if err := lengthen(p.note(d)); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	notes, err := os.ReadDir(dir)
	if err == nil {
		err = f.Truncate(0)
	}
	for _, note := range notes {
		var d digest
		if n, _ := hex.Decode(d[:], []byte(note.Name())); len(note.Name()) != hex.EncodedLen(n) || n != len(d) {
			continue
		}
		if info, err := note.Info(); err == nil {
			p.suspects[d] = info.Size()
		}
	}
	return err
}

// close ends the keeping of notes. No page is being read any more.
func (p *poison) close() {
	if p.file != nil {
		_ = errors.Join(p.file.Close(), os.Remove(p.file.Name())) // one that stays has free slots only
	}
}

// note is the file of a suspect.
func (p *poison) note(d digest) string { return filepath.Join(p.dir, hex.EncodeToString(d[:])) }

// deaths is how often the process died while a page was read.
func (p *poison) deaths(key string) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.suspects) == 0 {
		return 0
	}
	return p.suspects[sha256.Sum256([]byte(key))]
}

// suspicion reports whether a page that may yet be read is a suspect.
func (p *poison) suspicion() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, deaths := range p.suspects {
		if deaths < maxDeaths {
			return true
		}
	}
	return false
}

// begin puts a page into a slot.
func (p *poison) begin(d digest) (slot int64, err error) {
	p.mu.Lock()
	if last := len(p.free) - 1; last >= 0 {
		slot, p.free = p.free[last], p.free[:last]
	} else {
		slot = p.slots
		p.slots++
	}
	p.mu.Unlock()
	_, err = p.file.WriteAt(d[:], slot*int64(len(d)))
	return slot, err
}

// end takes a page out of its slot, and from the suspects.
func (p *poison) end(d digest, slot int64) {
	_, _ = p.file.WriteAt(make([]byte, len(d)), slot*int64(len(d))) // what stays counts as one death
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, slot)
	if p.suspects[d] > 0 {
		delete(p.suspects, d)
		_ = os.Remove(p.note(d))
	}
}

// poisonous reports whether the page of a URL ended the process too often to be read.
func (e *Engine) poisonous(key string) bool { return e.poison.deaths(key) >= maxDeaths }

// beginReading notes that a page is being read, until the function that it returns is called: then it was read to
// its end, and is forgiven what happened before. It waits until the page may be read.
func (e *Engine) beginReading(key string) (done func()) {
	p := &e.poison
	if p.dir == "" {
		return func() {}
	}
	release := p.alone.RUnlock
	if p.deaths(key) == 0 {
		p.alone.RLock()
	} else {
		p.alone.Lock()
		release = p.alone.Unlock
	}
	d := digest(sha256.Sum256([]byte(key)))
	slot, err := p.begin(d)
	if err != nil {
		e.warn("the page in progress could not be noted", "key", key, "error", err.Error())
	}
	return func() {
		p.end(d, slot)
		release()
	}
}

// lengthen appends a byte to a file, and makes it where there is none.
func lengthen(file string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("noting the page on which the process died: %w", err)
	}
	_, err = f.Write([]byte("."))
	return errors.Join(err, f.Close())
}
