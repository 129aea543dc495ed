package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/quads"
	"github.com/awarc/awarc/testsites"
)

type demoCmd struct {
	All    bool   `help:"Crawl all seven test sites, not only a board and a blog."`
	Out    string `placeholder:"DIR" help:"Write the archives to this folder (default: awarc-demo-TIME in the temporary folder)."`
	Posts  int    `default:"150" help:"Generate about N posts or comments for each site."`
	Seed   int64  `default:"1" help:"Seed of the content."`
	Format string `enum:"text,json" default:"text" help:"Output format."`
}

// demoRow is what the demo tells of one site.
type demoRow struct {
	CMS      string           `json:"cms"`
	Template string           `json:"template"`
	Requests int64            `json:"requests"`
	Blind    int64            `json:"blind_requests"`
	Objects  map[string]int64 `json:"objects"`
	Truth    map[string]int   `json:"truth"`
	Dir      string           `json:"dir"`

	skipped []string // of what the blind crawl asked for, with reasons
}

// Run crawls test sites twice, knowing them and blind.
func (c *demoCmd) Run(ctx context.Context, s streams) error {
	if c.Out == "" {
		c.Out = filepath.Join(os.TempDir(), "awarc-demo-"+time.Now().UTC().Format("20060102150405"))
	}
	if err := crawl.CheckDir(c.Out); err != nil {
		return inFlags(err)
	}
	names := []testsites.Name{{CMS: "phpbb", Template: "prosilver"}, {CMS: "wordpress", Template: "twentytwentyone"}}
	if c.All {
		names = testsites.Names()
	}
	if c.Format == "text" {
		fmt.Fprintf(s.out, "Serves %d test sites with about %d posts or comments each, and crawls each site twice:\n"+
			"with the knowledge base, and following every link as other crawlers do. Archives:\n%s\n", len(names), c.Posts, c.Out)
	}
	short := 0
	var last demoRow
	for _, name := range names {
		row, err := c.site(ctx, s, name)
		if err != nil {
			return fmt.Errorf("%s %s: %w", name.CMS, name.Template, err)
		}
		short += row.short()
		if err := row.print(s, c.Format); err != nil {
			return err
		}
		last = row
	}
	if short > 0 {
		return fmt.Errorf("%d objects of the sites are missing from the archives", short)
	}
	if c.Format == "text" {
		if err := c.killed(ctx, s); err != nil {
			return err
		}
		fmt.Fprintf(s.out, `
Try these commands on the last crawl:
  awarc report %[1]s
  awarc pack %[1]s -o demo.wacz        # open it at replayweb.page
  awarc query --crawl %[1]s 'SELECT ?p ?text { ?p sioc:content ?text } LIMIT 3'
Crawl your own site:
  awarc crawl --contact you@example.org https://example.org/forum/
`, last.Dir)
	}
	return nil
}

// site crawls one site both ways at once.
func (c *demoCmd) site(ctx context.Context, s streams, name testsites.Name) (demoRow, error) {
	row := demoRow{CMS: name.CMS, Template: name.Template, Objects: map[string]int64{},
		Dir: filepath.Join(c.Out, name.CMS+"-"+name.Template)}
	blindDir := row.Dir + "-blind"
	var seeds []string
	for range 2 { // each crawl has the site for itself, at an address of its own
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
		seeds = append(seeds, "http://"+l.Addr().String()+"/")
		row.Truth = site.Truth(seeds[0]).Count()
	}
	knowing, err := demoCrawl(s, row.Dir, seeds[0], false)
	if err != nil {
		return row, err
	}
	blind, err := demoCrawl(s, blindDir, seeds[1], true)
	if err != nil {
		return row, errors.Join(err, knowing.crawl.Close())
	}
	reports, err := row.race(ctx, s, knowing, blind)
	if err != nil {
		return row, err
	}
	row.Requests, row.Objects, row.Blind = reports[0].Requests, reports[0].Objects, reports[1].Requests
	if row.skipped, err = row.explainSkipped(ctx, blindDir, seeds); err != nil {
		return row, err
	}
	return row, os.RemoveAll(blindDir)
}

// demoCrawl opens a crawl, which shows nothing but warnings itself.
func demoCrawl(s streams, dir, seed string, blind bool) (x *session, err error) {
	x = newSession(s, "")
	events := x.events()
	events.Started = func() error { return nil }
	x.crawl, err = crawl.New(dir, crawl.Options{
		Seeds: []string{seed}, Knowledge: crawl.Knowledge{Blind: blind}, Software: software(), Events: events,
		Politeness: crawl.Politeness{Delay: crawl.None, Contact: "https://github.com/awarc/awarc"},
	})
	return x, inFlags(err)
}

// race runs both crawls of a site, and shows how far they are side by side.
func (r *demoRow) race(ctx context.Context, s streams, both ...*session) ([]*engine.Report, error) {
	var crawling sync.WaitGroup
	done := make(chan struct{})
	reports, errs := make([]*engine.Report, len(both)), make([]error, len(both))
	for i, x := range both {
		crawling.Go(func() {
			status, err := x.run(ctx)
			if err == nil && status != exitDone && status != exitWithFaults {
				err = fmt.Errorf("the crawl ended with status %d", status)
			}
			if errs[i] = err; err == nil {
				reports[i], errs[i] = engine.ReadReport(filepath.Join(x.crawl.Dir(), "report.json"))
			}
		})
	}
	show := newProgress(s.err)
	var shown sync.WaitGroup
	shown.Go(func() {
		show.run(done, func() string { return r.CMS + "  " + bar("knowing", both[0]) + bar("blind", both[1]) })
	})
	crawling.Wait()
	close(done)
	shown.Wait()
	for _, x := range both {
		errs = append(errs, x.crawl.Close())
	}
	return reports, errors.Join(errs...)
}

// bar shows what a crawl has fetched of what it knows of.
func bar(name string, x *session) string {
	s := x.crawl.Stats()
	return fmt.Sprintf("%s %s %4d requests  ", name, drawn(share(s)), s.Fetched)
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
			objects = append(objects, fmt.Sprintf("%d of %d %s", got, want, class))
		}
	}
	second := func(n int64) time.Duration { return time.Duration(n) * time.Second }
	fmt.Fprintf(s.out, "\n%s %s: %s\n  %d requests instead of %d; at one request a second %s instead of %s\n", r.CMS, r.Template,
		strings.Join(objects, ", "), r.Requests, r.Blind, second(r.Requests), second(r.Blind))
	post, err := firstPost(r.Dir)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, "  an extracted post:")
	for _, line := range post {
		fmt.Fprintln(s.out, "    "+line)
	}
	fmt.Fprintln(s.out, "  not requested, for example:")
	for _, line := range r.skipped {
		fmt.Fprintln(s.out, "    "+line)
	}
	return nil
}

// demoSkipped is how many URLs that were not requested are shown.
const demoSkipped = 3

// explainSkipped explains the most frequent kinds of URLs that only the blind crawl requested.
func (r *demoRow) explainSkipped(ctx context.Context, blindDir string, seeds []string) (lines []string, err error) {
	data, err := os.ReadFile(filepath.Join(blindDir, "log", "crawl.jsonl"))
	if err != nil {
		return nil, err
	}
	crawled, err := crawl.Read(r.Dir, software())
	if err != nil {
		return nil, err
	}
	kinds := map[string][]string{} // by the last part of the address and its parameters, without numbers
	for line := range bytes.Lines(data) {
		var e engine.Exchanged
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, errors.Join(err, crawled.Close())
		}
		u, err := url.Parse(strings.Replace(e.URL, seeds[1], seeds[0], 1))
		if err != nil || e.Robots {
			continue
		}
		kind := digits.ReplaceAllString(path.Base(u.Path), "N") + fmt.Sprint(slices.Sorted(maps.Keys(u.Query())))
		if x, err := crawled.Explain(u); err == nil && !x.Known {
			kinds[kind] = append(kinds[kind], u.String())
		}
	}
	if err := crawled.Close(); err != nil {
		return nil, err
	}
	most := slices.SortedFunc(maps.Values(kinds), func(a, b []string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a[0], b[0])) })
	for _, some := range most[:min(demoSkipped, len(most))] {
		u, err := url.Parse(some[0])
		if err != nil {
			return nil, err
		}
		x, err := crawl.Explain(ctx, r.Dir, software(), u)
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("%s, and %d similar URLs", strings.TrimPrefix(some[0], seeds[0]), len(some)-1),
			"  "+strings.ReplaceAll(x.Why[len(x.Why)-1], seeds[0], "/"))
	}
	return lines, nil
}

var digits = regexp.MustCompile(`\d+`)

// firstPost is the first post of the graph of a crawl that has a text, a property a line.
func firstPost(dir string) (lines []string, err error) {
	files, err := quads.Files(dir)
	if err != nil {
		return nil, err
	}
	enough := errors.New("found")
	var subjects []string
	about := map[string]map[string]string{}
	err = quads.Walk(files, quads.Visitor{
		Quad: func(terms *[4][]byte) error {
			var v [3]quads.Value
			for i := range v {
				if v[i], err = quads.ParseTerm(terms[i]); err != nil {
					return err
				}
			}
			of := v[0].Text
			if about[of] == nil {
				about[of], subjects = map[string]string{}, append(subjects, of)
			}
			about[of][graph.Prefixed(v[1].Text)] = strings.Join(strings.Fields(v[2].Text), " ")
			return nil
		},
		Done: func() error {
			for _, of := range subjects {
				if about[of]["sioc:content"] == "" {
					continue
				}
				lines = append(lines, of)
				for _, name := range []string{"dcterms:title", "dcterms:created", "sioc:has_creator", "sioc:content"} {
					if value := []rune(about[of][name]); len(value) > 0 {
						lines = append(lines, fmt.Sprintf("  %-17s %s", name, string(value[:min(len(value), 55)])))
					}
				}
				return enough
			}
			subjects, about = nil, map[string]map[string]string{}
			return nil
		},
		Noted: func(string) {},
	})
	if errors.Is(err, enough) {
		err = nil
	}
	return lines, err
}
