package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
)

type evalFrontierCmd struct {
	Sites  string `default:"../shared/sites" placeholder:"DIR" help:"Folder of mirrors with their server; left out where it is not there."`
	Web    int    `default:"200000" help:"Pages of the generated web."`
	Crawl  int    `default:"10000" help:"Pages of each crawl over it."`
	Topics int    `default:"3" help:"Topics that are crawled for."`
	Starts int    `default:"3" help:"Sets of 20 seeds for each topic."`
	Batch  int    `default:"100" help:"Pages of a batch."`
	Seed   uint64 `default:"1" help:"Seed of all that is random."`
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
	SVG    string `name:"svg" placeholder:"FILE" help:"Plot the harvest ratio over the pages, focused and breadth first."`
}

// frontierReport has tables 1 and 2 of Plachouras et al. (2014), and the harvest
// of focused crawls beside that of a breadth-first one. In the paper's crawls hosts take
// turns; "best host" asks the host with the best URL.
type frontierReport struct {
	Web     string         `json:"web"`
	Crawls  int            `json:"crawls"` // averaged in each row
	Updates []frontierRow  `json:"updates"`
	Batches []frontierRow  `json:"batches"`
	Weights []frontierRow  `json:"weights"` // learned beside fixed ones, over two webs
	Mirrors []frontierRow  `json:"mirrors,omitempty"`
	Harvest []harvestCurve `json:"harvest"`
}

// frontierRow is one configuration: pages crawled over all crawls, how many of them
// are about the topic, the sum of their similarities, and the subtopics met.
type frontierRow struct {
	Site       string  `json:"site,omitempty"`
	Batch      bool    `json:"batch"`
	Together   bool    `json:"together"` // scored by the sums of the pages and anchors of a batch, see mentions
	PerTurn    int     `json:"per_turn"`
	Update     string  `json:"update"` // or "breadth first"
	BestFirst  bool    `json:"best_first"`
	Learned    bool    `json:"learned"` // the weights of page and anchor, see weighing
	Pages      int     `json:"pages"`
	OnTopic    int     `json:"on_topic"`
	Similarity float64 `json:"similarity"`
	Subtopics  int     `json:"subtopics"`
	OfTopics   int     `json:"of_subtopics"`
	Paper      float64 `json:"paper_harvest,omitempty"` // harvest ratio in the paper's table

	Ratios []float64 `json:"crawl_harvest"` // harvest ratio of each crawl, in the order of the starts

	curve []float64
}

// harvestCurve is the share of pages on the topic among the first pages of a crawl,
// at equal steps.
type harvestCurve struct {
	Name   string    `json:"name"`
	Step   int       `json:"step"`
	Ratios []float64 `json:"ratios"`
}

// onTopic is the similarity above which a page counts as harvested, the paper's.
const onTopic = 0.333

// curvePoints is how many points a harvest curve has.
const curvePoints = 50

// breadthFirst is the configuration that gives every URL one priority.
const breadthFirst = "breadth first"

// Run simulates the crawls of section 5.1 of the paper.
func (c *evalFrontierCmd) Run(ctx context.Context, s streams) error {
	if c.Web < 1000 || c.Crawl < curvePoints || c.Topics < 1 || c.Topics > topicCount || c.Starts < 1 || c.Batch < 1 {
		return usageError("expected --web of at least 1000, --crawl of at least %d, --topics of 1 to %d, --starts and --batch of at least 1", curvePoints, topicCount)
	}
	w := newTopicalWeb(c.Web, c.Seed)
	sim := simulation{web: w, pages: c.Crawl, batch: c.Batch}
	r := rand.New(rand.NewPCG(c.Seed, 3))
	for _, topic := range r.Perm(topicCount)[:c.Topics] {
		for range c.Starts {
			sim.starts = append(sim.starts, w.seeds(topic, 20, r))
		}
	}
	report := frontierReport{Web: fmt.Sprintf("%d generated pages", w.size()), Crawls: len(sim.starts)}
	run := func(to *[]frontierRow, row frontierRow) error {
		if err := sim.run(ctx, &row); err != nil {
			return err
		}
		*to = append(*to, row)
		fmt.Fprintf(s.err, "awarc: %s, %d per turn, batch %t: harvest ratio %.4f of %d pages\n", row.name(), row.PerTurn, row.Batch, row.ratio(), row.Pages)
		return nil
	}
	for _, row := range []frontierRow{
		{Update: "first", Paper: 0.3317}, {Update: "avg", Paper: 0.3609}, {Update: "max", Paper: 0.3388}, {Update: "sum", Paper: 0.2679}, {Update: "last", Paper: 0.3404},
		{Update: breadthFirst}, {Update: "avg", BestFirst: true},
	} {
		row.PerTurn = 1
		if err := run(&report.Updates, row); err != nil {
			return err
		}
	}
	for _, i := range []int{6, 1, 5} {
		row := report.Updates[i]
		report.Harvest = append(report.Harvest, harvestCurve{Name: row.name(), Step: c.Crawl / curvePoints, Ratios: row.curve})
	}
	for _, row := range []frontierRow{
		{PerTurn: 1, Update: "first", Paper: 0.3317}, {PerTurn: 5, Update: "first", Paper: 0.2948}, {PerTurn: 1, Update: "avg", Paper: 0.3609},
		{PerTurn: 5, Update: "avg", Paper: 0.3200}, {Batch: true, Together: true, PerTurn: 1, Update: "avg", Paper: 0.3556},
		{Batch: true, Together: true, PerTurn: 5, Update: "avg", Paper: 0.3347}, {Batch: true, PerTurn: 1, Update: "avg"}, {Batch: true, PerTurn: 5, Update: "avg"},
	} {
		known := slices.IndexFunc(report.Updates, func(k frontierRow) bool {
			return !row.Batch && row.PerTurn == 1 && k.Update == row.Update && !k.BestFirst
		})
		if known >= 0 {
			report.Batches = append(report.Batches, report.Updates[known])
			continue
		}
		if err := run(&report.Batches, row); err != nil {
			return err
		}
	}
	if err := c.weights(&sim, &report, run); err != nil {
		return err
	}
	if err := c.mirrors(ctx, &report); err != nil {
		return err
	}
	if c.SVG != "" {
		if err := os.WriteFile(c.SVG, []byte(harvestPlot(report.Harvest)), 0o644); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		return writeJSON(s.out, report)
	}
	return report.print(s.out)
}

// simulation crawls a web from several starts with one configuration.
type simulation struct {
	web    web
	starts [][]int
	pages  int
	batch  int
}

// run crawls from every start, some at the same time, and adds the results up.
func (m *simulation) run(ctx context.Context, row *frontierRow) error {
	rows := make([]frontierRow, len(m.starts))
	errs := make([]error, len(m.starts))
	atWork := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, seeds := range m.starts {
		rows[i] = *row
		rows[i].curve = make([]float64, curvePoints)
		atWork <- struct{}{}
		all.Go(func() {
			errs[i] = m.crawl(ctx, seeds, &rows[i])
			<-atWork
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	row.curve = make([]float64, curvePoints)
	for _, r := range rows {
		row.Pages += r.Pages
		row.OnTopic += r.OnTopic
		row.Similarity += r.Similarity
		row.Subtopics += r.Subtopics
		row.OfTopics += r.OfTopics
		row.Ratios = append(row.Ratios, r.ratio())
		for i := range row.curve {
			row.curve[i] += r.curve[i] / float64(len(rows))
		}
	}
	return nil
}

// crawl crawls from one set of seeds with the real frontier. The topic is the sum of
// the vectors of the seeds. The priority of a link is the average of the similarities
// of its page and of its anchor to the topic.
func (m *simulation) crawl(ctx context.Context, seeds []int, row *frontierRow) error {
	dir, err := os.MkdirTemp(fastDir(), "awarc-simulation-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	options := frontier.Options{PerTurn: row.PerTurn, BestFirst: row.BestFirst}
	if row.Batch && !row.Together {
		options.Batch = m.batch
	}
	if row.Update != breadthFirst {
		if options.Update, err = frontier.ParseUpdate(row.Update); err != nil {
			return err
		}
	}
	f, err := frontier.Open(dir, options)
	if err != nil {
		return err
	}
	defer f.Close()
	var vectors []score.Vector
	var urls []frontier.URL
	for _, p := range seeds {
		vectors = append(vectors, m.web.text(p))
		urls = append(urls, frontier.URL{URL: m.web.url(p), Priority: scale(1), Via: fmt.Sprint(p), Seed: true})
	}
	topic := score.Sum(vectors...)
	if _, err := f.Add(ctx, urls); err != nil {
		return err
	}
	met, of := map[int]bool{}, map[int]bool{}
	for p := range m.web.size() {
		if s := m.web.subtopic(p); s >= 0 && s/subtopicCount == m.web.subtopic(seeds[0])/subtopicCount {
			of[s] = true
		}
	}
	var learned *weighing
	if row.Learned {
		if learned, err = newWeighing(); err != nil {
			return err
		}
	}
	good := 0
	batch := mentions{}
	for n := 1; n <= m.pages; n++ {
		lease, err := f.Next(ctx)
		if errors.Is(err, frontier.ErrDrained) && len(batch) > 0 {
			if _, err := f.Add(ctx, batch.urls(m.web, topic)); err != nil {
				return err
			}
			lease, err = f.Next(ctx)
		}
		if errors.Is(err, frontier.ErrDrained) {
			break
		}
		if err != nil {
			return err
		}
		var page int
		if _, err := fmt.Sscan(lease.Anchor, &page); err != nil {
			if _, err := fmt.Sscan(lease.Via, &page); err != nil {
				return fmt.Errorf("a simulated page without a number: %w", err)
			}
		}
		text := m.web.text(page)
		similar := score.Cosine(topic, text)
		row.Pages++
		row.Similarity += similar
		if similar > onTopic {
			row.OnTopic++
			good++
			if s := m.web.subtopic(page); of[s] {
				met[s] = true
			}
		}
		if n%(m.pages/curvePoints) == 0 && n/(m.pages/curvePoints) <= curvePoints {
			row.curve[n/(m.pages/curvePoints)-1] = float64(good) / float64(n)
		}
		var links []frontier.URL
		var anchors []float64
		for _, l := range m.web.links(page) {
			if row.Together {
				batch.add(l, text)
				continue
			}
			u := frontier.URL{URL: m.web.url(l.to), Anchor: fmt.Sprint(l.to), Hops: lease.Hops + 1}
			if row.Update != breadthFirst {
				anchors = append(anchors, score.Cosine(topic, l.text))
				u.Priority = scale((similar + anchors[len(anchors)-1]) / 2)
			}
			links = append(links, u)
		}
		if learned != nil {
			learned.harvest(lease, similar)
			if err := learned.judge(similar, anchors, links); err != nil {
				return err
			}
		}
		if row.Together && n%m.batch == 0 {
			links = batch.urls(m.web, topic)
		}
		if err := f.Done(lease, frontier.Outcome{State: frontier.Fetched, Links: links}); err != nil {
			return err
		}
	}
	row.Subtopics += len(met)
	row.OfTopics += len(of)
	return nil
}

// mentions are the links of a batch: for each page that is linked to the texts of those that
// do, and the anchors. The paper scores a URL by the sums of either.
type mentions map[int]*mention

type mention struct{ texts, anchors []score.Vector }

func (b mentions) add(l anchor, text score.Vector) {
	m := b[l.to]
	if m == nil {
		m = new(mention)
		b[l.to] = m
	}
	m.texts, m.anchors = append(m.texts, text), append(m.anchors, l.text)
}

// urls empties the batch, in the order of the pages.
func (b mentions) urls(w web, topic score.Vector) []frontier.URL {
	var urls []frontier.URL
	for _, to := range slices.Sorted(maps.Keys(b)) {
		priority := (score.Cosine(topic, score.Sum(b[to].texts...)) + score.Cosine(topic, score.Sum(b[to].anchors...))) / 2
		urls = append(urls, frontier.URL{URL: w.url(to), Anchor: fmt.Sprint(to), Priority: scale(priority)})
	}
	clear(b)
	return urls
}

// scale makes a priority of a score.
func scale(s float64) int { return int(s * 1e6) }

// fastDir is a folder in memory where there is one: a simulation needs no durable
// frontier.
func fastDir() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return os.TempDir()
}

// name is what a row is called in tables and plots.
func (r frontierRow) name() string {
	name := r.Update
	switch {
	case r.BestFirst:
		name += ", best host"
	case r.Together:
		name += " of sums"
	}
	if r.Learned {
		name += ", learned"
	}
	return name
}

func (r frontierRow) ratio() float64 { return float64(r.OnTopic) / float64(max(1, r.Pages)) }

func (r *frontierReport) print(w io.Writer) error {
	fmt.Fprintf(w, "Simulated crawls of %s; each row adds up %d crawls\n", r.Web, r.Crawls)
	for _, t := range []struct {
		title string
		rows  []frontierRow
	}{{"Update functions (table 1 of the paper)", r.Updates}, {"Batches and URLs per turn (table 2 of the paper)", r.Batches}, {"Fixed and learned weights", r.Weights}, {"Mirrors of real sites", r.Mirrors}} {
		if len(t.rows) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n\n%-44s %5s %4s %-23s %8s %8s %-15s %8s %10s %8s\n", t.title, "site", "batch", "b_l", "update", "pages", "harvest", "of each crawl", "paper's", "similarity", "subtopics")
		for _, row := range t.rows {
			paper := "-"
			if row.Paper > 0 {
				paper = fmt.Sprintf("%.4f", row.Paper)
			}
			batch := "no"
			if row.Batch {
				batch = "yes"
			}
			fmt.Fprintf(w, "%-44s %5s %4d %-23s %8d %8.4f %.4f to %.4f %7s %10.4f %4d/%d\n", row.Site, batch, row.PerTurn, row.name(), row.Pages, row.ratio(), slices.Min(row.Ratios), slices.Max(row.Ratios), paper,
				row.Similarity/float64(max(1, row.Pages)), row.Subtopics, row.OfTopics)
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// harvestPlot plots harvest ratios over pages.
func harvestPlot(curves []harvestCurve) string {
	const width, height, left, top, right, bottom = 720.0, 440.0, 60.0, 30.0, 130.0, 60.0
	most := 0.0
	for _, c := range curves {
		most = max(most, slices.Max(c.Ratios))
	}
	most = max(0.1, float64(int(most*10)+1)/10)
	px := func(i, n int) float64 { return left + float64(i+1)/float64(n)*(width-left-right) }
	py := func(v float64) float64 { return height - bottom - v/most*(height-top-bottom) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="sans-serif" font-size="13">`+"\n", width, height)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	for v := 0.0; v <= most+1e-9; v += 0.1 {
		fmt.Fprintf(&b, `<line x1="%.0f" x2="%.0f" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%.0f" y="%.1f" text-anchor="end">%.1f</text>`+"\n", left, width-right, py(v), py(v), left-8, py(v)+4, v)
	}
	colors := []string{"#2471a3", "#c0392b", "#1e8449", "#7f8c8d"}
	for k, c := range curves {
		var points []string
		for i, v := range c.Ratios {
			points = append(points, fmt.Sprintf("%.1f,%.1f", px(i, len(c.Ratios)), py(v)))
		}
		color := colors[k%len(colors)]
		fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/><text x="%.0f" y="%.1f" fill="%s">%s</text>`+"\n",
			color, strings.Join(points, " "), width-right+10, py(c.Ratios[len(c.Ratios)-1])+4, color, c.Name)
		for i := 9; i < len(c.Ratios) && k == 0; i += 10 {
			fmt.Fprintf(&b, `<text x="%.1f" y="%.0f" text-anchor="middle">%d</text>`+"\n", px(i, len(c.Ratios)), height-bottom+20, (i+1)*c.Step)
		}
	}
	fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="middle">pages crawled</text><text x="%.0f" y="%.0f">harvest ratio</text>`+"\n", (left+width-right)/2, height-12, left-50, top-10)
	b.WriteString("</svg>\n")
	return b.String()
}
