package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/api"
)

type apiServeCmd struct {
	campaignFlags
	API    string   `name:"api" default:"127.0.0.1:8080" placeholder:"ADDR" help:"Serve the HTTP API at this address."`
	Secret []string `placeholder:"NAME" help:"Allow campaigns started over HTTP to use this environment variable as a secret; repeatable."`
	AtOnce int      `default:"16" placeholder:"N" help:"Send N requests at a time, over all campaigns."`
	Dir    string   `arg:"" help:"Folder of the campaigns, one subfolder each; existing campaigns continue."`
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
	stopping := newStopper(ctx, s.err, stopGrace)
	defer stopping.release()
	m := &campaigns{newOpened(stopping.abandoned, c.Dir, s, c.AtOnce), c}
	for _, name := range m.names() {
		if err := m.begun(name, nil); err != nil {
			m.stop()
			return err
		}
	}
	note := func(text string) { fmt.Fprintln(s.err, "awarc:", text) }
	stop, err := listen(c.API, http.NewCrossOriginProtection().Handler(guarded(c.APIToken, m.routes())), note)
	if err != nil {
		m.stop()
		return err
	}
	defer stop()
	return m.untilInterrupted(stopping, note)
}

// campaigns are those of a folder.
type campaigns struct {
	*opened
	cmd *apiServeCmd
}

// begun begins a campaign, or goes on with one where none is given.
func (m *campaigns) begun(name string, campaign *api.Campaign) error {
	return m.start(name, campaign != nil, func(dir string, s streams) (*session, error) {
		return m.cmd.open(dir, campaign, "", s, m.pool)
	})
}

// campaignJSON is a campaign in a list.
type campaignJSON struct {
	Name     string           `json:"name"`
	State    string           `json:"state"` // running, paused, stopped or finished
	Verdict  *engine.Verdict  `json:"verdict"`
	Requests int64            `json:"requests"`
	Objects  map[string]int64 `json:"objects"`
}

func (m *campaigns) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/campaigns", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, m.list()) })
	mux.HandleFunc("POST /api/v1/campaigns", m.begin)
	mux.HandleFunc("POST /api/v1/campaigns/{name}/start", func(w http.ResponseWriter, r *http.Request) {
		m.resumed(w, r, r.PathValue("name"))
	})
	mux.HandleFunc("/api/v1/campaigns/{name}/{path...}", m.one)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	return mux
}

func (m *campaigns) list() []campaignJSON {
	out := []campaignJSON{}
	for _, name := range m.names() {
		c := campaignJSON{Name: name, State: "stopped", Objects: map[string]int64{}}
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
			c.Requests, c.Objects, c.Verdict = report.Requests, report.Objects, report.Verdict
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
		refuse(w, http.StatusBadRequest, fmt.Sprintf("name %q: expected letters, digits, - and _", c.Name))
		return
	}
	for _, s := range c.Sources {
		if s.Auth != nil && (s.Auth.Secret.File != "" || !slices.Contains(m.cmd.Secret, s.Auth.Secret.Env)) {
			refuse(w, http.StatusForbidden, "secret: expected {env: NAME} with a variable that --secret of the server names")
			return
		}
	}
	started(w, c.Name, m.begun(c.Name, c))
}

// one is the API of one campaign.
func (m *campaigns) one(w http.ResponseWriter, r *http.Request) {
	m.answer(w, r, r.PathValue("name"), r.PathValue("path"))
}
