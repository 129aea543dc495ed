// Package cockpit shows crawls in a browser: a handler of pages over the crawls of a folder, of which a program says which are open.
//
// Pages are made on the server and work without scripts. A policy in each keeps the browser from asking any other host. A page is a row of
// the table in [Cockpit.pages] and a file in pages/.
package cockpit

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/crawl"
)

// Crawls are the crawls that a cockpit shows, named as their folders. Its methods may be called concurrently.
type Crawls interface {
	// Names returns the names of all crawls, sorted.
	Names() []string
	// Folder returns the folder of the crawl of a name, "" if there is none: any text of a browser may be passed.
	Folder(name string) string
	// Session is the crawl as it is open in this process, nil where it is not.
	Session(name string) *Session
	// Begin begins a crawl of that name with the flags and seeds that follow "awarc crawl".
	Begin(name string, args []string) error
	// Schedule has such a crawl begin at a time.
	Schedule(name string, at time.Time, args []string) error
	// Scheduled returns a crawl that has not started, nil if none has that name.
	Scheduled(name string) *Scheduled
	// Unschedule begins such a crawl now, or removes it.
	Unschedule(name string, begin bool) error
	// Files are the files that a new crawl may be given as "topic" or "plugin".
	Files(flag string) []string
	// Check looks at the seeds of a crawl that Begin would begin with these, and begins nothing.
	Check(ctx context.Context, args []string) ([]crawl.SeedLook, error)
	// Resume goes on with a crawl that is not open. With failed, it requests the URLs that failed
	// again, too.
	Resume(name string, failed bool) error
	// Give replaces the plugins of a crawl; a running crawl is stopped for it.
	Give(name string, plugins []string) error
	// Pack makes a WACZ file of a crawl that is not running.
	Pack(ctx context.Context, name, file string) error
	// ServeAPI answers a request to the HTTP API of a crawl; path is what follows /api/v1/.
	ServeAPI(w http.ResponseWriter, r *http.Request, name, path string)
}

// Scheduled is a crawl that begins later.
type Scheduled struct {
	At    time.Time `json:"at"`
	Args  []string  `json:"args"` // that follow "awarc crawl"
	Fault string    `json:"-"`    // why it did not begin; empty: it was not tried yet
}

// Session is a crawl that is open.
type Session struct {
	Crawl *crawl.Crawl
	Feed  *Feed
}

// Options are the options of a cockpit.
type Options struct {
	Crawls   Crawls
	Software string // as in [crawl.Options]
	Begins   bool   // new crawls can be started
	Plugins  string // folder that plugins are loaded into; empty: none are
	Secret   string // that users and callers of the API give; empty: only this machine is answered, without one
	TLS      bool   // it is served by TLS alone
}

// Cockpit is the handler of all pages.
type Cockpit struct {
	Options
	key     []byte // of what this process signs
	guesses chan struct{}
	loads   chan struct{} // plugins that are being checked
	handler http.Handler
	cited   cited

	showing sync.Mutex
	shown   map[string]shownParts // by crawl; guarded by showing

	mu         sync.Mutex
	nodes      map[string]*nodes    // by crawl
	indexes    map[string]*indexing // by crawl
	marked     map[string]*markedPage
	markedKeys []string // the oldest first
}

// New makes a cockpit.
func New(o Options) *Cockpit {
	c := &Cockpit{Options: o, key: make([]byte, 32), guesses: make(chan struct{}, guessesAtOnce), loads: make(chan struct{}, 1),
		shown: map[string]shownParts{}, nodes: map[string]*nodes{}, indexes: map[string]*indexing{}, marked: map[string]*markedPage{}}
	_, _ = rand.Read(c.key) // it never fails
	mux := http.NewServeMux()
	for _, p := range c.pages() {
		mux.Handle(p.pattern, c.guarded(p))
	}
	mux.Handle("GET /static/", http.FileServerFS(files))
	mux.HandleFunc("GET /style.css", serveStyle)
	c.handler = http.NewCrossOriginProtection().Handler(headers(mux))
	return c
}

// ServeHTTP serves a page.
func (c *Cockpit) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }
