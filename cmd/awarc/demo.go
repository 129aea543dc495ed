package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/testsites"
)

type demoCmd struct {
	Out    string `placeholder:"DIR" help:"Where the archives go. Default: awarc-demo-TIME in the folder for temporary files."`
	Posts  int    `default:"150" help:"About how many posts or comments each site holds."`
	Seed   int64  `default:"1" help:"Seed of the sites' content."`
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// demoRow is one line of the demo's table.
type demoRow struct {
	CMS      string           `json:"cms"`
	Template string           `json:"template"`
	Requests int64            `json:"requests"`
	Blind    int64            `json:"blind_requests"`
	Objects  map[string]int64 `json:"objects"`
	Truth    map[string]int   `json:"truth"`
	Dir      string           `json:"dir"`
}

// Run crawls each test site twice, knowing it and blind.
func (c *demoCmd) Run(ctx context.Context, s streams) error {
	if c.Out == "" {
		c.Out = filepath.Join(os.TempDir(), "awarc-demo-"+time.Now().UTC().Format("20060102150405"))
	}
	if err := crawl.CheckDir(c.Out); err != nil {
		return inFlags(err)
	}
	short := 0
	for _, name := range testsites.Names() {
		row, err := c.site(ctx, s, name)
		if err != nil {
			return fmt.Errorf("%s %s: %w", name.CMS, name.Template, err)
		}
		short += row.short()
		if err := row.print(s, c.Format); err != nil {
			return err
		}
	}
	if short > 0 {
		return fmt.Errorf("%d objects of the sites are not in the archives", short)
	}
	if c.Format == "text" {
		fmt.Fprintf(s.out, "\nThe same on a site of yours: awarc crawl --contact you@example.org https://example.org/forum/\n")
	}
	return nil
}

func (c *demoCmd) site(ctx context.Context, s streams, name testsites.Name) (demoRow, error) {
	row := demoRow{CMS: name.CMS, Template: name.Template, Objects: map[string]int64{},
		Dir: filepath.Join(c.Out, name.CMS+"-"+name.Template)}
	site, err := newSite(name.CMS, name.Template, c.Seed, c.Posts)
	if err != nil {
		return row, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return row, err
	}
	server := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(l) // ends with Close
	defer server.Close()
	base := "http://" + l.Addr().String() + "/"
	row.Truth = site.Truth(base).Count()
	report, err := demoCrawl(ctx, s, row.Dir, base, false)
	if err != nil {
		return row, err
	}
	row.Requests, row.Objects = report.Requests, report.Objects
	blindDir := row.Dir + "-blind"
	if report, err = demoCrawl(ctx, s, blindDir, base, true); err != nil {
		return row, err
	}
	row.Blind = report.Requests
	return row, os.RemoveAll(blindDir)
}

func demoCrawl(ctx context.Context, s streams, dir, seed string, blind bool) (*engine.Report, error) {
	x := newSession(s, "")
	var err error
	x.crawl, err = crawl.New(dir, crawl.Options{
		Seeds: []string{seed}, Knowledge: crawl.Knowledge{Blind: blind}, Software: software(), Events: x.events(),
		Politeness: crawl.Politeness{Delay: crawl.None, Contact: "https://github.com/awarc/awarc"},
	})
	if err != nil {
		return nil, inFlags(err)
	}
	status, err := x.run(ctx)
	if cerr := x.crawl.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, err
	}
	if status != exitDone && status != exitWithFaults {
		return nil, fmt.Errorf("the crawl ended with status %d", status)
	}
	return engine.ReadReport(filepath.Join(dir, "report.json"))
}

// short is the number of true objects that were not archived.
func (r demoRow) short() int {
	n := 0
	for class, want := range r.Truth {
		if got := int(r.Objects[class]); got < want {
			n += want - got
		}
	}
	return n
}

func (r demoRow) print(s streams, format string) error {
	if format == "json" {
		return writeJSON(s.out, r)
	}
	var objects []string
	for _, class := range []string{"sioc:Thread", "sioc:Post", "sioct:BlogPost", "sioct:Comment", "schema:WebPage"} {
		if want, got := r.Truth[class], r.Objects[class]; want > 0 || got > 0 {
			objects = append(objects, fmt.Sprintf("%d/%d %s", got, want, class))
		}
	}
	_, err := fmt.Fprintf(s.out, "%-10s %-18s %5d requests, blind %6d (%.1f times as many); %s\n%29s %s\n", r.CMS, r.Template, r.Requests,
		r.Blind,
		float64(r.Blind)/float64(max(r.Requests, 1)), strings.Join(objects, ", "), "in", r.Dir)
	return err
}
