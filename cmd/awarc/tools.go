package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/trap"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/testsites"
	"github.com/awarc/awarc/testsites/hostile"
)

type versionCmd struct{}

// Run prints the versions of the program, of Go and of the built-in KB, which has a type in each file and is not loaded.
func (versionCmd) Run(s streams) error {
	sources := kb.Builtin()
	_, err := fmt.Fprintf(s.out, "awarc %s\n%s\nknowledge base %s (%d types, %s)\n", version, runtime.Version(), kb.Version, len(sources), kb.Hash(sources...))
	return err
}

type robotsCmd struct {
	Robots string `required:"" placeholder:"FILE" help:"The robots.txt."`
	URL    string `name:"url" required:"" help:"The URL in question."`
	Agent  string `required:"" placeholder:"NAME" help:"Product token or User-Agent of the crawler."`
}

// Run answers by its exit status, in the form that conformance suites drive.
func (c *robotsCmd) Run(s streams) error {
	body, err := readFile(c.Robots)
	if err != nil {
		return usageError("--robots: %v", err)
	}
	if fetch.ParseRobots(http.StatusOK, body, time.Now()).Allowed(fetch.ProductToken(c.Agent), c.URL) {
		_, err = fmt.Fprintln(s.out, "allowed")
		return err
	}
	fmt.Fprintln(s.out, "disallowed")
	return &statusError{exitFailed, nil}
}

type testsiteCmd struct {
	CMS      string `name:"cms" required:"" help:"The software: see the list that a wrong name prints; or hostile, a site of misdeeds."`
	Template string `help:"Family of templates; the first of the software when left out."`
	Seed     int64  `default:"1" help:"Seed of the content: the same seed gives the same site."`
	Posts    int    `default:"200" help:"About how many posts or comments the site holds."`
	Listen   string `default:"127.0.0.1:0" placeholder:"ADDR" help:"Where to listen."`
}

// Run serves a fixture site until it is interrupted.
func (c *testsiteCmd) Run(ctx context.Context, s streams) error {
	if c.CMS == "hostile" {
		return c.runHostile(ctx, s)
	}
	site, err := newSite(c.CMS, c.Template, c.Seed, c.Posts)
	if err != nil {
		return usageError("%v", err)
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return usageError("--listen: %v", err)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	fmt.Fprintf(s.out, "http://%s/\n", l.Addr())
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// runHostile serves the hostile site, and prints a seed for each of its hosts, the main one first.
func (c *testsiteCmd) runHostile(ctx context.Context, s streams) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	site, err := hostile.Start(hostile.Options{Listen: c.Listen})
	if err != nil {
		return usageError("--listen: %v", err)
	}
	for _, seed := range site.Seeds() {
		fmt.Fprintln(s.out, seed)
	}
	<-ctx.Done()
	return site.Close()
}

func newSite(cms, template string, seed int64, posts int) (*testsites.Site, error) {
	if template == "" {
		for _, n := range testsites.Names() {
			if n.CMS == cms {
				template = n.Template
				break
			}
		}
	}
	return testsites.New(cms, template, testsites.Options{Seed: seed, Posts: posts})
}

type explainCmd struct {
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
	Dir    string `arg:"" help:"Folder of the crawl."`
	URL    string `arg:"" help:"The URL in question."`
}

type explanation struct {
	URL      string   `json:"url"`
	Known    bool     `json:"known"`
	State    string   `json:"state"`
	Why      []string `json:"why"`
	Key      string   `json:"key,omitempty"`
	Via      string   `json:"via,omitempty"`
	Hops     int      `json:"hops"`
	Priority int      `json:"priority"`
	Type     string   `json:"type,omitempty"`
	Level    string   `json:"level,omitempty"`
	Tries    int      `json:"tries"`

	Score *scoreJSON `json:"score,omitempty"` // how the priority came about, where there is scoring
}

// Run tells what the crawl knows of a URL and which rules apply to it.
func (c *explainCmd) Run(s streams) error {
	u, err := engine.SeedURL(c.URL)
	if err != nil {
		return usageError("%q: %v", c.URL, err)
	}
	data, err := os.ReadFile(filepath.Join(c.Dir, settingsFile))
	if err != nil {
		return usageError("%s holds no crawl: %v", c.Dir, err)
	}
	var set settings
	if err := json.Unmarshal(data, &set); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(c.Dir, settingsFile), err)
	}
	f, err := frontier.Open(filepath.Join(c.Dir, "state"), frontier.Options{})
	if err != nil {
		return err
	}
	defer f.Close()
	x, err := explain(f, c.Dir, set, u)
	if err != nil {
		return err
	}
	if c.Format == "json" {
		return writeJSON(s.out, x)
	}
	return x.print(s.out)
}

// explain looks a URL up under every key that the knowledge base could have
// given it, then asks the rules that kept it out.
func explain(f *frontier.Frontier, dir string, set settings, u *url.URL) (explanation, error) {
	x := explanation{URL: u.String(), State: "unknown"}
	base, err := storeOf(dir, set.Flags).Load()
	if err != nil {
		return x, err
	}
	scope, err := scopeOf(f, set)
	if err != nil {
		return x, err
	}
	rules := []*kb.URLRules{{}}
	seen := f.Counters()
	for _, t := range base.Types {
		if seen["types/"+string(t.ID)] > 0 || set.Flags.Type == string(t.ID) {
			rules = append(rules, &t.URLs)
		}
	}
	for _, r := range rules {
		key := r.Key(u)
		e, ok := f.Lookup(key)
		if !ok {
			continue
		}
		x.Known, x.Key, x.State, x.Via, x.Hops, x.Priority, x.Type, x.Level, x.Tries = true, key, e.State.String(), e.Via, e.Hops, e.Priority, e.Type, e.Level, e.Tries
		x.because(e)
		if why := engine.WhyPutOff(f, e); why != "" {
			x.Why = append(x.Why, why)
		}
		if e.State == frontier.Pending && set.Flags.Scope != "" {
			why, _ := scope.Explain(u, e.Hops, e.Seed || e.Level == engine.LevelRequisite)
			x.Why = append(x.Why, why...)
		}
		if x.Score, err = scoreOf(f, e, set.Flags.scoreFlags); err != nil {
			x.Why = append(x.Why, "how its score came about cannot be told: "+err.Error())
		}
		return x, nil
	}
	why, in := scope.Explain(u, 0, false)
	x.Why = append(x.Why, why...)
	if kind := trap.Shape(u); in && kind != "" && !set.Flags.NoTraps {
		x.Why = append(x.Why, "refused for its address, which no person wrote: "+kind+"; --no-traps follows it")
	} else if in {
		x.Why = append(x.Why, "in scope, but no navigation action on any page read so far selects a link to it")
	}
	if host, err := frontier.HostOf(u.String()); err == nil && !set.Flags.IgnoreRobots {
		if r := engine.RobotsOf(f.Note(host), u); r != nil && !r.Allowed(fetch.ProductToken(userAgent(set.Flags)), fetch.Escape(u.String())) {
			x.Why = append(x.Why, "robots.txt of "+host+" forbids it")
		}
	}
	return x, nil
}

// scopeOf gives the scope of a crawl as its next session would have it.
func scopeOf(f *frontier.Frontier, set settings) (*engine.Scope, error) {
	seeds, err := parseSeeds(set.Seeds)
	if err != nil {
		return nil, err
	}
	data, err := readScope(set.Flags.Scope)
	if err != nil {
		return nil, err
	}
	scope, err := set.Flags.scope(seeds, data)
	if err != nil {
		return nil, err
	}
	for _, seed := range engine.RedirectedSeeds(f) {
		scope.AddSeed(seed)
	}
	return scope, nil
}

func (x *explanation) because(e frontier.Entry) {
	switch {
	case e.Redirects > 0:
		x.Why = append(x.Why, "a redirect of "+e.Via)
	case e.Seed:
		x.Why = append(x.Why, "a seed")
	case e.Level == engine.LevelProbe:
		x.Why = append(x.Why, "nobody links to it: asked for to learn whether there is an end")
	case e.Level == engine.LevelRequisite:
		x.Why = append(x.Why, "needed to show "+e.Via)
	case e.Level != "":
		x.Why = append(x.Why, fmt.Sprintf("a navigation action of %s on %s leads to level %s", e.Type, e.Via, e.Level))
	case e.Via == "":
		x.Why = append(x.Why, "named over the API")
	default:
		x.Why = append(x.Why, "a link on "+e.Via)
	}
	if e.Reason != "" {
		x.Why = append(x.Why, e.Reason)
	}
	if !e.NotBefore.IsZero() {
		x.Why = append(x.Why, "waits until "+e.NotBefore.Format(time.RFC3339))
	}
}

func (x explanation) print(w io.Writer) error {
	fmt.Fprintf(w, "%s\n  state     %s\n", x.URL, x.State)
	if x.Known {
		fmt.Fprintf(w, "  key       %s\n  priority  %d, %d hops, %d tries\n", x.Key, x.Priority, x.Hops, x.Tries)
	}
	if x.Score != nil {
		x.Score.print(w)
	}
	_, err := fmt.Fprintf(w, "  why       %s\n", strings.Join(x.Why, "\n            "))
	return err
}
