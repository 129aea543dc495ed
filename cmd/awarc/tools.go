package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/testsites"
	"github.com/awarc/awarc/testsites/hostile"
)

type versionCmd struct{}

// Run prints the versions of the program, of Go and of the built-in KB, which has a type in each file and is not loaded.
func (versionCmd) Run(s streams) error {
	sources, types := kb.Builtin(), 0
	for _, source := range sources {
		if strings.HasPrefix(source.Name, "builtin/") {
			types++
		}
	}
	_, err := fmt.Fprintf(s.out, "awarc %s\n%s\nknowledge base %s (%d types, %s)\n", version, runtime.Version(), kb.Version, types,
		kb.Hash(sources...))
	return err
}

type robotsCmd struct {
	Robots string `required:"" placeholder:"FILE" help:"The robots.txt file."`
	URL    string `name:"url" required:"" help:"The URL."`
	Agent  string `required:"" placeholder:"NAME" help:"Product token or User-Agent of the crawler."`
}

// Run answers by its exit status, in the form that conformance suites drive.
func (c *robotsCmd) Run(s streams) error {
	body, err := readFile(c.Robots)
	if err != nil {
		return usageError("--robots: %v", err)
	}
	address := c.URL
	if u, err := engine.SeedURL(address); err == nil {
		address = u.String()
	}
	if fetch.ParseRobots(http.StatusOK, body, time.Now()).Allowed(fetch.ProductToken(c.Agent), fetch.Escape(address)) {
		_, err = fmt.Fprintln(s.out, "allowed")
		return err
	}
	fmt.Fprintln(s.out, "disallowed")
	return &statusError{exitFailed, nil}
}

type testsiteCmd struct {
	CMS      string `name:"cms" required:"" help:"Software to imitate, or hostile; a wrong name prints the list."`
	Template string `help:"Family of templates (default: the first of the software)."`
	Seed     int64  `default:"1" help:"Seed of the content; the same seed gives the same site."`
	Posts    int    `default:"200" help:"Generate about N posts or comments."`
	Listen   string `default:"127.0.0.1:0" placeholder:"ADDR" help:"Listen on this address."`
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
	ctx, stop := interruptible(ctx, s.err)
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
	ctx, stop := interruptible(ctx, s.err)
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
	Node   []string `sep:"none" placeholder:"DIR" help:"Also search the folder of this node for links; repeatable."`
	Format string   `enum:"text,json" default:"text" help:"Output format."`
	Dir    string   `arg:"" help:"Folder of the crawl."`
	URL    string   `arg:"" help:"The URL."`
}

// Run prints the state of a URL in the crawl and the rules that apply to it.
func (c *explainCmd) Run(ctx context.Context, s streams) error {
	u, err := engine.SeedURL(c.URL)
	if err != nil {
		return usageError("%q: %v", c.URL, err)
	}
	x, err := crawl.Explain(ctx, c.Dir, software(), u, c.Node...)
	if locked := new(frontier.Error); errors.As(err, &locked) && locked.Kind == frontier.Locked {
		x, err = c.ofRunning(ctx, u)
	}
	if err == nil {
		err = nameMissingNodes(ctx, s.err, append([]string{c.Dir}, c.Node...), false)
	}
	if err != nil {
		return inFlags(err)
	}
	if c.Format == "json" {
		return writeJSON(s.out, x)
	}
	return printExplanation(s.out, x)
}

// ofRunning explains a URL of a crawl that a session has open: the session has its frontier, and
// anybody can read its archive.
func (c *explainCmd) ofRunning(ctx context.Context, u *url.URL) (crawl.Explanation, error) {
	x, err := askRunning(ctx, c.Dir, u)
	if err != nil {
		return x, fmt.Errorf("%s: another command is using the crawl and does not respond: %w; try again after it has ended", c.Dir, err)
	}
	settings, err := crawl.ReadSettings(c.Dir)
	if err != nil {
		return x, err
	}
	return x, x.FindLink(ctx, &settings, u, append([]string{c.Dir}, c.Node...)...)
}

func printExplanation(w io.Writer, x crawl.Explanation) error {
	fmt.Fprintf(w, "%s\n  state     %s\n", x.URL, x.State)
	if x.Known {
		fmt.Fprintf(w, "  key       %s\n  priority  %d, %d hops, %d tries\n", x.Key, x.Priority, x.Hops, x.Tries)
	}
	if x.Score != nil {
		printScore(w, x.Score)
	}
	_, err := fmt.Fprintf(w, "  why       %s\n", strings.Join(x.Why, "\n            "))
	return err
}

func printScore(w io.Writer, s *crawl.Score) {
	fmt.Fprintf(w, "  score     %.4f", s.Value)
	if s.Scores > 1 {
		fmt.Fprintf(w, ", the highest of %d; the priority is their %s", s.Scores, s.Update)
	}
	if s.Page != nil {
		fmt.Fprintf(w, "; the page with the link has %.4f", *s.Page)
	}
	fmt.Fprintln(w)
	for _, p := range s.Parts {
		from := ""
		if p.FromDocument {
			from = " (from the page)"
		}
		name := p.Module
		if p.Source != "" {
			name += "@" + p.Source
		}
		fmt.Fprintf(w, "            %.4f x%g  %s%s\n", p.Score, p.Weight, name, from)
	}
}
