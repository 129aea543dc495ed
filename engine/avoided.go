package engine

import (
	"bufio"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/axiomhq/hyperloglog"
)

const (
	// mostLogged bounds the URLs that an Avoided logs between two sketches, in memory and on disk. It is arbitrary: more
	// than a crawl meets between two checkpoints.
	mostLogged = 50_000
	// longestLogged bounds each of them, in bytes; longer links are not followed either.
	longestLogged = 4000
)

// Avoided estimates how many distinct URLs of the site no action leads to, all sessions and nodes together: requests that a
// blind crawl would have made at least. A sketch of 16 KiB is within a hundredth of the number, and exact of some thousand. The
// zero value has none.
type Avoided struct {
	mu     sync.Mutex
	sketch *hyperloglog.Sketch
	log    AvoidedLog      // of URLs that no kept sketch has; nil: none
	logged map[string]bool // URLs in it
}

// Count returns the estimate.
func (a *Avoided) Count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sketch == nil {
		return 0
	}
	return int(a.sketch.Estimate())
}

// Merge adds a sketch that Keep gave to an earlier session, or to another node.
func (a *Avoided) Merge(sketch []byte) error {
	other := hyperloglog.New14()
	if err := other.UnmarshalBinary(sketch); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sketch == nil {
		a.sketch = other
		return nil
	}
	return a.sketch.Merge(other)
}

// Read adds the URLs of a log and returns the length of its whole lines: a kill can cut the last one.
func (a *Avoided) Read(log io.Reader) (whole int64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := bufio.NewReaderSize(io.LimitReader(log, 2*mostLogged*longestLogged), 2*longestLogged)
	for {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, io.EOF) || errors.Is(err, bufio.ErrBufferFull) { // no line that add wrote is as long
			return whole, nil
		}
		if err != nil {
			return whole, err
		}
		a.insert(string(line[:len(line)-1]))
		whole += int64(len(line))
	}
}

// AvoidedLog is a file that is appended to.
type AvoidedLog interface {
	io.Writer
	Truncate(size int64) error
}

// Log appends the URLs that are added from now on to a file, one a line, until a sketch with them is kept.
func (a *Avoided) Log(file AvoidedLog) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log, a.logged = file, map[string]bool{}
}

// Keep calls keep with the sketch, unless there is none. If that succeeds, the log begins anew, with the URLs added meanwhile. It is
// called from one goroutine at a time.
func (a *Avoided) Keep(keep func(sketch []byte) error) error {
	a.mu.Lock()
	if a.sketch == nil {
		a.mu.Unlock()
		return nil
	}
	data, err := a.sketch.MarshalBinary()
	before := a.logged
	a.logged = map[string]bool{}
	a.mu.Unlock()
	if err == nil {
		err = keep(data) // may wait for a server
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		maps.Copy(a.logged, before)
		return err
	}
	if a.log == nil {
		return nil
	}
	if err := a.log.Truncate(0); err != nil {
		return err
	}
	return a.write(slices.Collect(maps.Keys(a.logged)))
}

// add counts URLs. Where the log cannot be written they are lost to a kill, and the count is still a lower bound.
func (a *Avoided) add(urls []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var logged []string
	for _, u := range urls {
		a.insert(u)
		if a.log != nil && len(a.logged) < mostLogged && len(u) < longestLogged && !a.logged[u] {
			a.logged[u] = true
			logged = append(logged, u)
		}
	}
	_ = a.write(logged)
}

// write appends URLs to the log. The caller holds mu.
func (a *Avoided) write(urls []string) error {
	if len(urls) == 0 {
		return nil
	}
	_, err := a.log.Write([]byte(strings.Join(urls, "\n") + "\n"))
	return err
}

// insert adds a URL to the sketch. The caller holds mu.
func (a *Avoided) insert(u string) {
	if a.sketch == nil {
		a.sketch = hyperloglog.New14()
	}
	a.sketch.Insert([]byte(u))
}

// Avoided is that of the crawl.
func (e *Engine) Avoided() *Avoided { return &e.follower.avoided }
