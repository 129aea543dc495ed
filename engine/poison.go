package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"sync"
)

const (
	// maxDeaths is how often the process may die while a page is read, before it is not read any more. A kill
	// from outside hits a page that is being read now and then, of 200 kills one page twice.
	maxDeaths = 3

	poisonKind  = "poison_page"
	poisonFault = "poison page: the process died three times while it was read; it is archived unread"
)

// poison keeps a page that ends the process, by its size or by an error that cannot be
// recovered from, from doing so in each session. A page has a file while it is being read, which is as many bytes long as
// readings of the page were begun since one came to its end. The files need to survive the process and not the
// machine, so they are not synced.
type poison struct {
	dir string // "": no notes are kept
	// alone is held for writing while a suspect is read, a page at which the process died, and for reading by the others:
	// so no page is blamed again for what another one did.
	alone sync.RWMutex
}

func (p *poison) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(p.dir, hex.EncodeToString(sum[:]))
}

// deaths is how often the process died while a page was read that is not being read now.
func (p *poison) deaths(key string) int64 {
	info, err := os.Stat(p.file(key))
	if err != nil {
		return 0
	}
	return info.Size()
}

// poisonous reports whether the page of a URL ended the process too often to be read.
func (e *Engine) poisonous(key string) bool {
	return e.poison.dir != "" && e.poison.deaths(key) >= maxDeaths
}

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
	file := p.file(key)
	if err := lengthen(file); err != nil {
		e.warn("it could not be noted that a page is being read", "key", key, "error", err.Error())
	}
	return func() {
		_ = os.Remove(file) // what stays counts as one death
		release()
	}
}

// lengthen appends a byte to a file, and makes it where there is none.
func lengthen(file string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("."))
	return errors.Join(err, f.Close())
}
