package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/api"
	"github.com/awarc/awarc/engine/crawl"
)

type apiServeCmd struct {
	campaignFlags
	API    string   `name:"api" default:"127.0.0.1:8080" placeholder:"ADDR" help:"Where the HTTP API is served."`
	Secret []string `placeholder:"NAME" help:"Environment variable that campaigns begun over HTTP may name as a secret; repeatable."`
	AtOnce int      `default:"16" placeholder:"N" help:"Requests at a time, over all campaigns."`
	Dir    string   `arg:"" help:"Folder of the campaigns, one in each folder below it; all that are there go on."`
}

// Run serves until it is interrupted.
func (c *apiServeCmd) Run(ctx context.Context, s streams) error {
	if err := checkAPI(c.API, c.APIToken); err != nil {
		return err
	}
	if c.AtOnce < 1 {
		return usageError("--at-once %d: expected at least 1", c.AtOnce)
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return usageError("%v", err)
	}
	hard, abort := context.WithCancel(ctx)
	defer abort()
	m := &campaigns{cmd: c, streams: s, ctx: hard, pool: crawl.NewPool(c.AtOnce), open: map[string]*running{}}
	kept, err := filepath.Glob(filepath.Join(c.Dir, "*", crawl.SettingsFile)) // the pattern is well-formed but for the folder's name
	for _, file := range kept {
		name := filepath.Base(filepath.Dir(filepath.Dir(file)))
		if err == nil {
			err = m.start(name, nil)
		}
	}
	if err != nil {
		m.stop()
		return err
	}
	note := func(text string) { fmt.Fprintln(s.err, "awarc:", text) }
	stop, err := listen(c.API, http.NewCrossOriginProtection().Handler(guarded(c.APIToken, m.routes())), note)
	if err != nil {
		m.stop()
		return err
	}
	defer stop()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	select {
	case <-hard.Done():
	case <-signals:
		note("finishing what is in flight; once more to stop at once")
		go func() {
			<-signals
			abort()
		}()
	}
	m.stop()
	return &statusError{exitInterrupted, nil}
}

// campaigns are those of a folder.
type campaigns struct {
	cmd     *apiServeCmd
	streams streams
	ctx     context.Context // ends what is under way
	pool    *crawl.Pool
	turn    sync.Mutex // of the messages

	mu     sync.Mutex
	open   map[string]*running
	closed bool // no more are begun
}

// running is a campaign that is open.
type running struct {
	*session
	routes http.Handler
	ended  chan struct{}
}

var (
	errRunning = errors.New("the campaign is running")
	errNone    = errors.New("no such campaign")
	errClosed  = errors.New("the server is being stopped")
)

func (m *campaigns) folder(name string) string { return filepath.Join(m.cmd.Dir, name) }

// exists reports whether there is a campaign of that name, open or not.
func (m *campaigns) exists(name string) bool {
	if name == "" || fileName(name) != name {
		return false
	}
	_, err := os.Stat(filepath.Join(m.folder(name), crawl.SettingsFile))
	return err == nil
}

// start begins a campaign, or goes on with one where none is given.
func (m *campaigns) start(name string, campaign *api.Campaign) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return errClosed
	case m.open[name] != nil || campaign != nil && m.exists(name):
		return errRunning
	case campaign == nil && !m.exists(name):
		return errNone
	}
	s := m.streams
	s.in, s.err = strings.NewReader(""), &label{&m.turn, s.err, name}
	x, err := m.cmd.campaignFlags.open(m.folder(name), campaign, "", s, m.pool)
	if err != nil {
		return err
	}
	r := &running{x, x.routes(), make(chan struct{})}
	m.open[name] = r
	go func() {
		status, err := x.run(m.ctx)
		err = errors.Join(err, x.crawl.Close())
		m.mu.Lock()
		delete(m.open, name)
		m.mu.Unlock()
		if err != nil {
			fmt.Fprintf(s.err, "awarc: ended with status %d: %v\n", status, err)
		}
		close(r.ended)
	}()
	return nil
}

// stop stops all campaigns and waits for their ends.
func (m *campaigns) stop() {
	m.mu.Lock()
	m.closed = true
	var all []*running
	for _, r := range m.open {
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

func (m *campaigns) find(name string) *running {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open[name]
}

// campaignJSON is a campaign in a list.
type campaignJSON struct {
	Name     string           `json:"name"`
	State    string           `json:"state"` // running, paused, stopped or finished
	Requests int64            `json:"requests"`
	Objects  map[string]int64 `json:"objects"`
}

func (m *campaigns) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/campaigns", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, m.list()) })
	mux.HandleFunc("POST /api/v1/campaigns", m.begin)
	mux.HandleFunc("POST /api/v1/campaigns/{name}/start", func(w http.ResponseWriter, r *http.Request) {
		m.started(w, r.PathValue("name"), m.start(r.PathValue("name"), nil))
	})
	mux.HandleFunc("/api/v1/campaigns/{name}/{path...}", m.one)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	return mux
}

func (m *campaigns) list() []campaignJSON {
	out := []campaignJSON{}
	kept, _ := filepath.Glob(filepath.Join(m.cmd.Dir, "*", crawl.SettingsFile)) // it was well-formed at the start
	slices.Sort(kept)
	for _, file := range kept {
		c := campaignJSON{Name: filepath.Base(filepath.Dir(filepath.Dir(file))), State: "stopped", Objects: map[string]int64{}}
		var report *engine.Report
		if r := m.find(c.Name); r != nil {
			if report, c.State = r.crawl.Report(), "running"; r.crawl.Paused() {
				c.State = "paused"
			}
		} else if kept, err := engine.ReadReport(filepath.Join(m.folder(c.Name), "report.json")); err == nil {
			if report = kept; report.Finished {
				c.State = "finished"
			}
		}
		if report != nil {
			c.Requests, c.Objects = report.Requests, report.Objects
		}
		out = append(out, c)
	}
	return out
}

// begin begins the campaign that a request holds, in YAML or JSON. A caller may name only secrets that the operator allows: they are sent
// to wherever the campaign says.
func (m *campaigns) begin(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxConfig))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, err.Error())
		return
	}
	c, err := parseCampaign("campaign", data)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if c.Name == "" || fileName(c.Name) != c.Name {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("name: %q; expected letters, digits, - and _", c.Name))
		return
	}
	for _, s := range c.Sources {
		if s.Auth != nil && (s.Auth.Secret.File != "" || !slices.Contains(m.cmd.Secret, s.Auth.Secret.Env)) {
			refuse(w, http.StatusForbidden, "secret: expected env with a variable that the server was started with (--secret NAME)")
			return
		}
	}
	m.started(w, c.Name, m.start(c.Name, c))
}

// started answers for a campaign that was to be started.
func (m *campaigns) started(w http.ResponseWriter, name string, err error) {
	switch {
	case err == nil:
		answer(w, http.StatusCreated, map[string]string{"name": name, "state": "running"})
	case errors.Is(err, errRunning):
		refuse(w, http.StatusConflict, "there is a campaign of that name")
	case errors.Is(err, errNone):
		refuse(w, http.StatusNotFound, err.Error())
	default:
		refuse(w, http.StatusBadRequest, err.Error())
	}
}

// one is the API of one campaign, that of a crawl; of one that is not running there is only the report.
func (m *campaigns) one(w http.ResponseWriter, r *http.Request) {
	name, path := r.PathValue("name"), r.PathValue("path")
	x := m.find(name)
	switch {
	case x != nil:
		r.URL.Path, r.URL.RawPath = "/api/v1/"+path, ""
		x.routes.ServeHTTP(w, r)
	case !m.exists(name):
		refuse(w, http.StatusNotFound, errNone.Error())
	case r.Method == http.MethodGet && path == "report":
		report, err := engine.ReadReport(filepath.Join(m.folder(name), "report.json"))
		if err != nil {
			refuse(w, http.StatusInternalServerError, err.Error())
			return
		}
		answer(w, http.StatusOK, report)
	default:
		refuse(w, http.StatusConflict, "the campaign is not running")
	}
}
