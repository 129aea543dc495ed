package unknown

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/awarc/awarc/cmd/internal/eval/focused"
	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/layers"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/kb"
)

// harvests are the numbers of requests after which targets are counted.
var harvests = [...]int{50, 200, 1000}

// Column is one set of targets of one site.
type Column struct {
	Name string `yaml:"name"`
	// Match matches the addresses of targets, path and query. List is a file of addresses instead, one a line.
	Match string `yaml:"match"`
	List  string `yaml:"list"`
	// Simulate is a crawl of the whole site, over which orders are simulated; "" for none.
	Simulate string `yaml:"simulate"`
	// Generated is the number of pages of a generated web, which takes the place of Simulate. The targets are the pages about one topic.
	Generated int `yaml:"generated"`
	// Topic is a crawl definition, for the orders by topic; "" for none.
	Topic string `yaml:"topic"`
	// Context is an earlier crawl, for the context graph; "" for none.
	Context string `yaml:"context"`
	// Leaf ignores the links of targets.
	Leaf bool `yaml:"leaf"`
	// Crawls are crawls of the site by name.
	Crawls yaml.MapSlice `yaml:"crawls"`
	// Wiki stands for a column for each category of a wiki; nil for none. * in the folders of crawls is the category.
	Wiki *Wiki `yaml:"wiki"`

	of string // the name of the column with Wiki that this one comes from
}

// ReadColumns reads a file of columns. Its paths are relative to the file. For wikis it writes the files of their topics.
func ReadColumns(file string) (all []Column, err error) {
	var columns []Column
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&columns); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	at := func(p *string) {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(filepath.Dir(file), *p)
		}
	}
	for i := range columns {
		c := &columns[i]
		at(&c.List)
		at(&c.Simulate)
		at(&c.Topic)
		at(&c.Context)
		for k := range c.Crawls {
			dir := fmt.Sprint(c.Crawls[k].Value)
			at(&dir)
			c.Crawls[k].Value = dir
		}
		if c.Wiki == nil {
			all = append(all, *c)
			continue
		}
		at(&c.Wiki.Pages)
		at(&c.Wiki.Topics)
		of, err := c.categories()
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, c.Name, err)
		}
		all = append(all, of...)
	}
	return all, nil
}

// Sites keeps the site that was read last, which often is the next one, too.
type Sites struct {
	dir  string
	site *site
}

func (s *Sites) read(ctx context.Context, base *kb.Base, dir string, progress func(string)) (*site, error) {
	if s.dir == dir {
		return s.site, nil
	}
	progress(dir)
	site, err := readSite(ctx, dir, detect.New(base))
	if err == nil {
		s.dir, s.site = dir, site
	}
	return site, err
}

// Focus measures how soon crawls fetched the targets of a column, each once. Random order, breadth
// first and link patterns are simulated with the links of each page shuffled, once for each of the
// seeds; the curve is the one with the median of requests for half of the targets. Orders by scores
// take the links in the order of the page, so they are deterministic and simulated once.
func Focus(ctx context.Context, base *kb.Base, c Column, sites *Sites, seeds int, progress func(string)) (*Report, error) {
	r, all := &Report{Name: c.Name, of: c.of}, map[string]bool{}
	target, err := c.target()
	if err != nil {
		return nil, err
	}
	for _, item := range c.Crawls {
		dir := fmt.Sprint(item.Value)
		progress(dir)
		curve, err := c.curve(fmt.Sprint(item.Key), dir, target, all)
		if err != nil {
			return nil, err
		}
		r.Curves = append(r.Curves, curve)
	}
	var s *site
	d, topic := &score.Definition{}, score.NewTopic(score.TopicSpec{})
	switch {
	case c.Generated > 0:
		s, topic = generated(c.Generated, all)
	case c.Simulate != "":
		if s, err = sites.read(ctx, base, c.Simulate, progress); err != nil {
			return nil, err
		}
		s.mark(target, all)
		if c.Topic != "" {
			if d, topic, err = crawl.ReadTopic(c.Topic); err != nil {
				return nil, err
			}
		}
	}
	if s != nil {
		examples, err := c.examples(ctx, base, target, progress)
		if err != nil {
			return nil, err
		}
		r.Curves = append(r.Curves, s.simulate(simulated{leaf: c.Leaf, seeds: seeds, examples: examples}, d, topic)...)
	}
	r.fill(len(all))
	return r, nil
}

// target returns a function that identifies the target at an address; "" for none.
func (c *Column) target() (func(address string) string, error) {
	if c.List != "" {
		data, err := os.ReadFile(c.List)
		if err != nil {
			return nil, err
		}
		key := func(u *url.URL) string { return u.Path + "?" + u.RawQuery }
		listed := map[string]bool{}
		for line := range strings.Lines(string(data)) {
			u, err := url.Parse(strings.TrimSpace(line))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.List, err)
			}
			listed[key(u)] = true
		}
		return func(address string) string {
			if u, err := url.Parse(address); err == nil && listed[key(u)] {
				return key(u)
			}
			return ""
		}, nil
	}
	match, err := regexp.Compile(c.Match)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return func(address string) string {
		u, err := url.Parse(address)
		if err != nil || !match.MatchString(u.RequestURI()) {
			return ""
		}
		return (&kb.URLRules{}).Key(&url.URL{Path: u.Path, RawQuery: u.RawQuery})
	}, nil
}

// curve reads how soon a crawl fetched targets.
func (c *Column) curve(name, dir string, target func(string) string, all map[string]bool) (*Curve, error) {
	curve, found := &Curve{Name: name}, map[string]bool{}
	return curve, eachExchange(dir, func(e *engine.Exchanged) error {
		curve.Requests++
		if id := target(e.URL); id != "" && e.Status == 200 && !found[id] {
			found[id], all[id] = true, true
			curve.after = append(curve.after, curve.Requests)
		}
		return nil
	})
}

// mark makes targets the contents of a site.
func (s *site) mark(target func(string) string, all map[string]bool) {
	for key, n := range s.number {
		s.pages[n].has = nil
		if id := target(key); id != "" && s.pages[n].fetched {
			s.pages[n].has, all[id] = []string{id}, true
		}
	}
}

// examples makes a learner of context graphs with the pages of the earlier crawl. It is nil if there is none.
func (c *Column) examples(
	ctx context.Context, base *kb.Base, target func(string) string, progress func(string),
) (func() *layers.Learner, error) {
	if c.Context == "" {
		return nil, nil
	}
	progress(c.Context)
	s, err := readSite(ctx, c.Context, detect.New(base))
	if err != nil {
		return nil, err
	}
	s.mark(target, map[string]bool{})
	l := layers.New(layers.DefaultDepth)
	for i := range s.pages {
		if !s.pages[i].fetched {
			continue
		}
		var to []string
		for _, link := range s.pages[i].links {
			to = append(to, fmt.Sprint("earlier ", link.to))
		}
		l.Add(fmt.Sprint("earlier ", i), assess.Stems(s.pages[i].text), to, float64(min(1, len(s.pages[i].has))))
	}
	l.Train()
	state := l.State()
	return func() *layers.Learner {
		again := layers.New(layers.DefaultDepth)
		_ = again.Restore(state) // its own
		again.Train()
		return again
	}, nil
}

// Of a generated web.
const (
	generatedSeed   = 1
	generatedTopic  = 0
	generatedStarts = 20 // pages about the topic, as in section 5.1 of Plachouras et al. (2014)
)

// generated is a generated web as a site, whose first page links to the seeds, with the texts of the seeds as the topic.
func generated(pages int, all map[string]bool) (*site, *score.Topic) {
	web, starts := focused.Generate(pages, generatedSeed, generatedTopic, generatedStarts)
	s := &site{number: map[string]int{}, pages: make([]page, len(web)+1)}
	s.pages[0].fetched = true
	var texts []string
	for _, p := range starts {
		s.pages[0].links = append(s.pages[0].links, link{to: p + 1})
		texts = append(texts, web[p].Text)
	}
	for i, g := range web {
		p := &s.pages[i+1]
		p.fetched, p.text = true, g.Text
		if g.Topic == generatedTopic {
			p.has, all[g.URL] = []string{g.URL}, true
		}
		for k, to := range g.Links {
			p.links = append(p.links, link{to: to + 1, anchor: g.Anchor[k], words: words(g.Anchor[k])})
		}
	}
	return s, score.NewTopic(score.TopicSpec{Texts: texts})
}

// simulated says how orders are simulated.
type simulated struct {
	leaf     bool
	seeds    int
	examples func() *layers.Learner // of the context graph; nil: only the pages of the crawl itself are
}

// simulate simulates crawls in all orders.
func (s *site) simulate(o simulated, d *score.Definition, topic *score.Topic) (curves []*Curve) {
	once := func(name string, by order) {
		curves = append(curves, simulation{s, o.leaf, nil}.crawl(name+", simulated", by))
	}
	run := func(name string, with func(r *rand.Rand) order) {
		var all []*Curve
		for i := range o.seeds {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			all = append(all, simulation{s, o.leaf, r}.crawl(name+", simulated", with(r)))
		}
		half := func(c *Curve) int {
			if len(c.after) == 0 {
				return 0
			}
			return c.after[len(c.after)/2]
		}
		slices.SortFunc(all, func(a, b *Curve) int { return half(a) - half(b) })
		if len(all) > 0 {
			curves = append(curves, all[len(all)/2])
		}
	}
	run("random", func(r *rand.Rand) order { return shuffled{r} })
	run("breadth first", func(*rand.Rand) order { return firstCome{} })
	names, scores := topical(d, topic)
	for i, name := range names {
		once(name, newScored(s, scores[i]))
	}
	once("context graph, online", &contextual{s, layers.New(layers.DefaultDepth), map[int]float64{}})
	if o.examples != nil {
		once("context graph, earlier", &contextual{s, o.examples(), map[int]float64{}})
	}
	if len(s.ways) > 0 {
		run("link patterns", func(*rand.Rand) order { return newPatterned() })
	}
	return curves
}

// PrintFocus prints reports of [Focus] as one table.
func PrintFocus(w io.Writer, reports []*Report) error {
	fmt.Fprintf(w, "%-22s %-32s %8s", "targets", "crawl", "requests")
	for _, part := range parts {
		fmt.Fprintf(w, " %6d %%", part)
	}
	for _, n := range harvests {
		fmt.Fprintf(w, " %8s", fmt.Sprintf("in %d", n))
	}
	fmt.Fprintln(w)
	for _, r := range reports {
		for i, c := range r.Curves {
			name := ""
			if i == 0 {
				name = fmt.Sprintf("%s, %d", r.Name, r.Contents)
			}
			fmt.Fprintf(w, "%-22s %-32s %8d", name, c.Name, c.Requests)
			for _, part := range parts {
				fmt.Fprintf(w, " %8s", orDash(c.At[part]))
			}
			for _, n := range harvests {
				found, _ := slices.BinarySearch(c.after, n+1)
				fmt.Fprintf(w, " %8d", found)
			}
			fmt.Fprintln(w)
		}
	}
	_, err := fmt.Fprintln(w, "\nrequests after which parts of the targets are there, and targets after some requests")
	return err
}
