package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
)

// opened are the crawls or campaigns of a folder, one in each folder below it, that this process runs.
type opened struct {
	dir     string
	streams streams
	ctx     context.Context // ends what is under way
	pool    *crawl.Pool
	turn    sync.Mutex // of the messages

	mu      sync.Mutex
	running map[string]*running
	closed  bool // no more are begun
}

// running is one that is open.
type running struct {
	*session
	ended chan struct{}
}

var (
	errRunning = errors.New("a crawl of this name exists already or is running")
	errNone    = errors.New("no crawl has this name")
	errClosed  = errors.New("the server is stopping; try again later")
)

func newOpened(ctx context.Context, dir string, s streams, atOnce int) *opened {
	return &opened{dir: dir, streams: s, ctx: ctx, pool: crawl.NewPool(atOnce), running: map[string]*running{}}
}

func (m *opened) folder(name string) string { return filepath.Join(m.dir, name) }

// names are those of all, sorted.
func (m *opened) names() []string {
	kept, _ := filepath.Glob(filepath.Join(m.dir, "*", crawl.SettingsFile)) // badly formed, it finds nothing
	names := make([]string, len(kept))
	for i, file := range kept {
		names[i] = filepath.Base(filepath.Dir(filepath.Dir(file)))
	}
	slices.Sort(names)
	return names
}

// exists reports whether there is one of that name, open or not. No name leads out of the folder.
func (m *opened) exists(name string) bool {
	if name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, `/\`+"\x00") || !filepath.IsLocal(name) {
		return false
	}
	_, err := os.Stat(filepath.Join(m.folder(name), crawl.SettingsFile))
	return err == nil
}

// start opens and runs the one of a name: one that there is not yet if it is fresh.
func (m *opened) start(name string, fresh bool, open func(dir string, s streams) (*session, error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return errClosed
	case m.running[name] != nil || fresh && m.exists(name):
		return errRunning
	case !fresh && !m.exists(name):
		return errNone
	}
	s := m.streams
	s.in, s.err = strings.NewReader(""), &label{&m.turn, s.err, name}
	x, err := open(m.folder(name), s)
	if err != nil {
		return err
	}
	r := &running{x, make(chan struct{})}
	m.running[name] = r
	go func() {
		status, err := x.run(m.ctx)
		err = errors.Join(err, x.crawl.Close())
		m.mu.Lock()
		delete(m.running, name)
		m.mu.Unlock()
		if err != nil {
			fmt.Fprintf(s.err, "awarc: ended with status %d: %v\n", status, err)
		}
		close(r.ended)
	}()
	return nil
}

// goOn resumes the one of a name.
func (m *opened) goOn(name string, o crawl.ResumeOptions) error {
	o.Pool = m.pool
	return m.start(name, false, func(dir string, s streams) (*session, error) { return resume(dir, s, o) })
}

// resumed resumes the one of a name, as a request over HTTP asks, and answers it.
func (m *opened) resumed(w http.ResponseWriter, r *http.Request, name string) {
	failed, err := wantsFailed(r)
	if err == nil {
		err = m.goOn(name, crawl.ResumeOptions{Failed: failed})
	}
	started(w, name, err)
}

// started answers a request that was to start the one of a name.
func started(w http.ResponseWriter, name string, err error) {
	switch {
	case err == nil:
		answer(w, http.StatusCreated, map[string]string{"name": name, "state": "running"})
	case errors.Is(err, errRunning):
		refuse(w, http.StatusConflict, err.Error())
	case errors.Is(err, errNone):
		refuse(w, http.StatusNotFound, err.Error())
	default:
		refuse(w, http.StatusBadRequest, err.Error())
	}
}

// stop stops all and waits for their ends.
func (m *opened) stop() {
	m.mu.Lock()
	m.closed = true
	var all []*running
	for _, r := range m.running {
		all = append(all, r)
	}
	m.mu.Unlock()
	for _, r := range all {
		r.crawl.Stop()
	}
	for _, r := range all {
		<-r.ended
	}
}

// find is the one of a name that is open, nil for none.
func (m *opened) find(name string) *running {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.running[name]
}

// untilInterrupted waits for an interrupt, then stops all; a second interrupt ends at once what is in flight.
func (m *opened) untilInterrupted(stop *stopper, note func(string)) error {
	asked := make(chan struct{})
	stop.onFirst(func() {
		note("finishing the requests in flight, for " + stopGrace.String() + " at most; Ctrl-C again stops at once")
		close(asked)
	})
	select {
	case <-m.ctx.Done():
	case <-asked:
	}
	m.stop()
	return &statusError{exitInterrupted, nil}
}

// answer is the API of one, that of a crawl; one that is not running has only its report, and can
// be resumed.
func (m *opened) answer(w http.ResponseWriter, r *http.Request, name, path string) {
	x := m.find(name)
	switch {
	case x != nil:
		r.URL.Path, r.URL.RawPath = "/api/v1/"+path, ""
		x.routes().ServeHTTP(w, r)
	case !m.exists(name):
		refuse(w, http.StatusNotFound, errNone.Error())
	case r.Method == http.MethodGet && path == "report":
		report, err := engine.ReadReport(filepath.Join(m.folder(name), "report.json"))
		if err != nil {
			refuse(w, http.StatusInternalServerError, err.Error())
			return
		}
		answer(w, http.StatusOK, report)
	case r.Method == http.MethodPost && path == "resume":
		m.resumed(w, r, name)
	default:
		refuse(w, http.StatusConflict, "the crawl is not running")
	}
}
