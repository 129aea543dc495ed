package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

const (
	// metaDied starts the names of settings that count how often the process died while a
	// page was read; the key of its URL follows.
	metaDied = "died reading "
	// maxDeaths is how often that may happen before a page is not read any more. A kill
	// from outside hits a page that is being read now and then, of 200 kills one page twice.
	maxDeaths = 3

	poisonKind  = "poison_page"
	poisonFault = "poison page: the process died three times while it was read; it is archived unread"
)

// poison keeps a page that ends the process, by its size or by an error that cannot be
// recovered from, from doing so in each session. What is being read stands in a file
// each; the files need to survive the process and not the machine, so they are not synced.
type poison struct {
	dir string // "": no notes are kept

	mu   sync.Mutex
	died map[string]int // by key of the URL
}

// open counts what was being read when the last session died.
func (p *poison) open(dir string, f Frontier) error {
	p.dir, p.died = dir, map[string]int{}
	err := f.EachMeta(metaDied, func(name string, value []byte) error {
		n, err := strconv.Atoi(string(value))
		if err != nil {
			return fmt.Errorf("the setting %q: %w", name, err)
		}
		p.died[name[len(metaDied):]] = n
		return nil
	})
	if err != nil || dir == "" {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	notes, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, note := range notes {
		file := filepath.Join(dir, note.Name())
		key, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if noteName(string(key)) == note.Name() { // else the process died while it was written
			p.died[string(key)]++
			if err := f.PutMeta(metaDied+string(key), strconv.AppendInt(nil, int64(p.died[string(key)]), 10)); err != nil {
				return err
			}
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

func noteName(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// poisonous reports whether the page of a URL ended the process too often to be read.
func (e *Engine) poisonous(key string) bool {
	e.poison.mu.Lock()
	defer e.poison.mu.Unlock()
	return e.poison.died[key] >= maxDeaths
}

// beginReading notes that a page is being read, until the function that it returns is
// called: then it was read to its end, and is forgiven what happened before, with the settings
// that the function returns.
func (e *Engine) beginReading(key string) (done func() map[string][]byte) {
	p := &e.poison
	if p.dir == "" {
		return func() map[string][]byte { return nil }
	}
	file := filepath.Join(p.dir, noteName(key))
	if err := os.WriteFile(file, []byte(key), 0o644); err != nil {
		e.warn("it could not be noted that a page is being read", "key", key, "error", err.Error())
	}
	return func() map[string][]byte {
		_ = os.Remove(file) // a note that stays counts as one death
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.died[key] == 0 {
			return nil
		}
		delete(p.died, key)
		return map[string][]byte{metaDied + key: nil}
	}
}
