// Package focused simulates focused crawls with the real frontier: tables 1 and 2 of the ARCOMEM paper.
package focused

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

// Options say what is crawled.
type Options struct {
	Sites  string // folder of mirrors with their server; left out where it is not there
	Web    int    // pages of the generated web, at least 1,000
	Crawl  int    // pages of each crawl over it
	Topics int    // that are crawled for
	Starts int    // sets of 20 seeds for each topic
	Batch  int    // pages of a batch
	Seed   uint64 // of all that is random
}

// ErrOptions says what options must be.
var ErrOptions = fmt.Errorf("expected --web of at least 1000, --crawl of at least %d, "+
	"--topics of 1 to %d, --starts and --batch of at least 1",
	curvePoints, topicCount)

// Report has tables 1 and 2 of Plachouras et al. (2014), and the harvest
// of focused crawls beside that of a breadth-first one. In the paper's crawls hosts take
// turns; "best host" asks the host with the best URL.
type Report struct {
	Web     string  `json:"web"`
	Crawls  int     `json:"crawls"` // averaged in each row
	Updates []Row   `json:"updates"`
	Batches []Row   `json:"batches"`
	Weights []Row   `json:"weights"` // learned beside fixed ones, over two webs
	Mirrors []Row   `json:"mirrors,omitempty"`
	Harvest []Curve `json:"harvest"`
}

// Row is one configuration: pages crawled over all crawls, how many of them
// are about the topic, the sum of their similarities, and the subtopics met.
type Row struct {
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

// Curve is the share of pages on the topic among the first pages of a crawl,
// at equal steps.
type Curve struct {
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

// measurement is one run of the evaluation.
type measurement struct {
	Options
	ctx    context.Context
	sim    simulation
	report Report
	done   func(Row)
}

// Measure simulates the crawls of section 5.1 of the paper. done is called after each row.
func Measure(ctx context.Context, o Options, done func(Row)) (*Report, error) {
	if o.Web < 1000 || o.Crawl < curvePoints || o.Topics < 1 || o.Topics > topicCount || o.Starts < 1 || o.Batch < 1 {
		return nil, ErrOptions
	}
	w := newTopicalWeb(o.Web, o.Seed)
	m := &measurement{Options: o, ctx: ctx, sim: simulation{web: w, pages: o.Crawl, batch: o.Batch}, done: done}
	r := rand.New(rand.NewPCG(o.Seed, 3))
	for _, topic := range r.Perm(topicCount)[:o.Topics] {
		for range o.Starts {
			m.sim.starts = append(m.sim.starts, w.seeds(topic, 20, r))
		}
	}
	m.report.Web, m.report.Crawls = fmt.Sprintf("%d generated pages", w.size()), len(m.sim.starts)
	for _, part := range []func() error{m.updates, m.batches, m.weights, m.mirrors} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	return &m.report, nil
}

// run simulates the crawls of a row and adds it to a table.
func (m *measurement) run(to *[]Row, row Row) error {
	if err := m.sim.run(m.ctx, &row); err != nil {
		return err
	}
	*to = append(*to, row)
	m.done(row)
	return nil
}

// updates makes table 1 of the paper and the curves.
func (m *measurement) updates() error {
	for _, row := range []Row{
		{Update: "first", Paper: 0.3317}, {Update: "avg", Paper: 0.3609}, {Update: "max", Paper: 0.3388},
		{Update: "sum", Paper: 0.2679}, {Update: "last", Paper: 0.3404},
		{Update: breadthFirst}, {Update: "avg", BestFirst: true},
	} {
		row.PerTurn = 1
		if err := m.run(&m.report.Updates, row); err != nil {
			return err
		}
	}
	for _, i := range []int{6, 1, 5} {
		row := m.report.Updates[i]
		m.report.Harvest = append(m.report.Harvest, Curve{Name: row.Name(), Step: m.Crawl / curvePoints, Ratios: row.curve})
	}
	return nil
}

// batches makes table 2 of the paper.
func (m *measurement) batches() error {
	for _, row := range []Row{
		{PerTurn: 1, Update: "first", Paper: 0.3317}, {PerTurn: 5, Update: "first", Paper: 0.2948},
		{PerTurn: 1, Update: "avg", Paper: 0.3609}, {PerTurn: 5, Update: "avg", Paper: 0.3200},
		{Batch: true, Together: true, PerTurn: 1, Update: "avg", Paper: 0.3556},
		{Batch: true, Together: true, PerTurn: 5, Update: "avg", Paper: 0.3347},
		{Batch: true, PerTurn: 1, Update: "avg"}, {Batch: true, PerTurn: 5, Update: "avg"},
	} {
		known := slices.IndexFunc(m.report.Updates, func(k Row) bool {
			return !row.Batch && row.PerTurn == 1 && k.Update == row.Update && !k.BestFirst
		})
		if known >= 0 {
			m.report.Batches = append(m.report.Batches, m.report.Updates[known])
			continue
		}
		if err := m.run(&m.report.Batches, row); err != nil {
			return err
		}
	}
	return nil
}

// simulation crawls a web from several starts with one configuration.
type simulation struct {
	web    web
	starts [][]int
	pages  int
	batch  int
}

// run crawls from every start, some at the same time, and adds the results up.
func (m *simulation) run(ctx context.Context, row *Row) error {
	rows := make([]Row, len(m.starts))
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
		row.Ratios = append(row.Ratios, r.Ratio())
		for i := range row.curve {
			row.curve[i] += r.curve[i] / float64(len(rows))
		}
	}
	return nil
}

// crawl is one simulated crawl with the real frontier. The topic is the sum of
// the vectors of the seeds. The priority of a link is the average of the similarities
// of its page and of its anchor to the topic.
type crawl struct {
	*simulation
	row      *Row
	frontier *frontier.Frontier
	topic    score.Vector
	learned  *weighing // nil: the weights stay
	batch    mentions
	good     int // pages on the topic
	met, of  map[int]bool
}

// crawl crawls from one set of seeds.
func (m *simulation) crawl(ctx context.Context, seeds []int, row *Row) error {
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
	c := &crawl{simulation: m, row: row, batch: mentions{}, met: map[int]bool{}, of: map[int]bool{}}
	if c.frontier, err = frontier.Open(dir, options); err != nil {
		return err
	}
	defer c.frontier.Close()
	if row.Learned {
		if c.learned, err = newWeighing(); err != nil {
			return err
		}
	}
	if err := c.seed(ctx, seeds); err != nil {
		return err
	}
	for n := 1; n <= m.pages; n++ {
		lease, err := c.next(ctx)
		if errors.Is(err, frontier.ErrDrained) {
			break
		}
		if err != nil {
			return err
		}
		if err := c.visit(lease, n); err != nil {
			return err
		}
	}
	row.Subtopics += len(c.met)
	row.OfTopics += len(c.of)
	return nil
}

// seed makes the topic of the seeds and adds them.
func (c *crawl) seed(ctx context.Context, seeds []int) error {
	var vectors []score.Vector
	var urls []frontier.URL
	for _, p := range seeds {
		vectors = append(vectors, c.web.text(p))
		urls = append(urls, frontier.URL{URL: c.web.url(p), Priority: scale(1), Via: fmt.Sprint(p), Seed: true})
	}
	c.topic = score.Sum(vectors...)
	for p := range c.web.size() {
		if s := c.web.subtopic(p); s >= 0 && s/subtopicCount == c.web.subtopic(seeds[0])/subtopicCount {
			c.of[s] = true
		}
	}
	_, err := c.frontier.Add(ctx, urls)
	return err
}

// next leases a page; before the frontier is drained a batch that has begun is ended.
func (c *crawl) next(ctx context.Context) (frontier.Lease, error) {
	lease, err := c.frontier.Next(ctx)
	if !errors.Is(err, frontier.ErrDrained) || len(c.batch) == 0 {
		return lease, err
	}
	if _, err := c.frontier.Add(ctx, c.batch.urls(c.web, c.topic)); err != nil {
		return lease, err
	}
	return c.frontier.Next(ctx)
}

// visit counts the page of a lease, the n-th, and adds its links.
func (c *crawl) visit(lease frontier.Lease, n int) error {
	var page int
	if _, err := fmt.Sscan(lease.Anchor, &page); err != nil {
		if _, err := fmt.Sscan(lease.Via, &page); err != nil {
			return fmt.Errorf("a simulated page without a number: %w", err)
		}
	}
	text := c.web.text(page)
	similar := score.Cosine(c.topic, text)
	c.count(page, similar, n)
	var links []frontier.URL
	var anchors []float64
	for _, l := range c.web.links(page) {
		if c.row.Together {
			c.batch.add(l, text)
			continue
		}
		u := frontier.URL{URL: c.web.url(l.to), Anchor: fmt.Sprint(l.to), Hops: lease.Hops + 1}
		if c.row.Update != breadthFirst {
			anchors = append(anchors, score.Cosine(c.topic, l.text))
			u.Priority = scale((similar + anchors[len(anchors)-1]) / 2)
		}
		links = append(links, u)
	}
	if c.learned != nil {
		c.learned.harvest(lease, similar)
		if err := c.learned.prioritise(similar, anchors, links); err != nil {
			return err
		}
	}
	if c.row.Together && n%c.simulation.batch == 0 {
		links = c.batch.urls(c.web, c.topic)
	}
	return c.frontier.Done(lease, frontier.Outcome{State: frontier.Fetched, Links: links})
}

func (c *crawl) count(page int, similar float64, n int) {
	c.row.Pages++
	c.row.Similarity += similar
	if similar > onTopic {
		c.row.OnTopic++
		c.good++
		if s := c.web.subtopic(page); c.of[s] {
			c.met[s] = true
		}
	}
	step := c.pages / curvePoints
	if n%step == 0 && n/step <= curvePoints {
		c.row.curve[n/step-1] = float64(c.good) / float64(n)
	}
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

// Name is what a row is called in tables and plots.
func (r Row) Name() string {
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

// Ratio is the share of pages that are on the topic.
func (r Row) Ratio() float64 { return float64(r.OnTopic) / float64(max(1, r.Pages)) }

// Print prints the tables.
func (r *Report) Print(w io.Writer) error {
	fmt.Fprintf(w, "Simulated crawls of %s; each row adds up %d crawls\n", r.Web, r.Crawls)
	for _, t := range []struct {
		title string
		rows  []Row
	}{
		{"Update functions (table 1 of the paper)", r.Updates}, {"Batches and URLs per turn (table 2 of the paper)", r.Batches},
		{"Fixed and learned weights", r.Weights}, {"Mirrors of real sites", r.Mirrors},
	} {
		if len(t.rows) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n\n%-44s %5s %4s %-23s %8s %8s %-15s %8s %10s %8s\n",
			t.title, "site", "batch", "b_l", "update", "pages", "harvest", "of each crawl", "paper's", "similarity", "subtopics")
		for _, row := range t.rows {
			paper := "-"
			if row.Paper > 0 {
				paper = fmt.Sprintf("%.4f", row.Paper)
			}
			batch := "no"
			if row.Batch {
				batch = "yes"
			}
			fmt.Fprintf(w, "%-44s %5s %4d %-23s %8d %8.4f %.4f to %.4f %7s %10.4f %4d/%d\n",
				row.Site, batch, row.PerTurn, row.Name(), row.Pages, row.Ratio(), slices.Min(row.Ratios), slices.Max(row.Ratios), paper,
				row.Similarity/float64(max(1, row.Pages)), row.Subtopics, row.OfTopics)
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// Plot plots harvest ratios over pages.
func Plot(curves []Curve) string {
	const width, height, left, top, right, bottom = 720.0, 440.0, 60.0, 30.0, 130.0, 60.0
	most := 0.0
	for _, c := range curves {
		most = max(most, slices.Max(c.Ratios))
	}
	most = max(0.1, float64(int(most*10)+1)/10)
	px := func(i, n int) float64 { return left + float64(i+1)/float64(n)*(width-left-right) }
	py := func(v float64) float64 { return height - bottom - v/most*(height-top-bottom) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" `+
		`font-family="sans-serif" font-size="13">`+"\n", width, height)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	for v := 0.0; v <= most+1e-9; v += 0.1 {
		fmt.Fprintf(&b, `<line x1="%.0f" x2="%.0f" y1="%.1f" y2="%.1f" stroke="#ddd"/>`+
			`<text x="%.0f" y="%.1f" text-anchor="end">%.1f</text>`+"\n",
			left, width-right, py(v), py(v), left-8, py(v)+4, v)
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
			fmt.Fprintf(&b, `<text x="%.1f" y="%.0f" text-anchor="middle">%d</text>`+"\n", px(i, len(c.Ratios)), height-bottom+20,
				(i+1)*c.Step)
		}
	}
	fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="middle">pages crawled</text>`+
		`<text x="%.0f" y="%.0f">harvest ratio</text>`+"\n", (left+width-right)/2, height-12, left-50, top-10)
	b.WriteString("</svg>\n")
	return b.String()
}
