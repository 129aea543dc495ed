//go:build unix

package detect

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/antchfx/htmlquery"
	antchfx "github.com/antchfx/xpath"
	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
)

// scalePages are real pages of 20 to 300 KB, of software in the knowledge base
// and of other, with much markup and with much text.
var scalePages = []string{
	"phpbb/mirror-eaglecraft/index.php@news=535.html",
	"smf/mirror-bitcointalk/index.php?action=unread;board=6.0.html",
	"joomla/nachtkritik.de/traf-nachtkritik.de-Dragqueens.html",
	"medium/netflixtechblog.com/wcxb-dev-2972.html",
	"wordpress/darkveins.com/autopager-201.html",
	"vbulletin/mirror-klnet/showthread.php-t=5009.html",
}

type scalePage struct {
	name   string
	source []byte
	doc    *html.Node
}

// readScalePages skips the benchmark where the pages are not at hand.
func readScalePages(b testing.TB) []scalePage {
	b.Helper()
	const dir = "../../../shared/pages"
	var pages []scalePage
	for _, name := range scalePages {
		source, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			b.Skipf("skipped: the saved pages of real sites are not in %s", dir)
		}
		pages = append(pages, scalePage{name, source, parseSaved(b, source)})
	}
	return pages
}

func parseSaved(b testing.TB, source []byte) *html.Node {
	b.Helper()
	root, err := html.Parse(bytes.NewReader(source))
	if err != nil {
		b.Fatal(err)
	}
	return yfilter.Document(root, yfilter.Meta{Status: http.StatusOK, URL: &url.URL{Scheme: "http", Host: "saved.invalid", Path: "/"}})
}

func docs(pages []scalePage) []*html.Node {
	var list []*html.Node
	for _, p := range pages {
		list = append(list, p.doc)
	}
	return list
}

// quickest is the least time of some rounds: what the machine does when nobody
// else uses it.
func quickest(rounds int, f func()) time.Duration {
	least := time.Duration(1 << 62)
	for range rounds {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	return least
}

func median[T cmp.Ordered](list []T) T {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

func allPatterns(base *kb.Base) []*xpath.Expr {
	var list []*xpath.Expr
	known := map[string]bool{}
	add := func(more []kb.Pattern) {
		for _, p := range more {
			if s := p.Expr.String(); !known[s] {
				known[s] = true
				list = append(list, p.Expr)
			}
		}
	}
	for _, t := range base.Types {
		add(t.Detect)
		for _, l := range t.Levels {
			add(l.Detect)
		}
	}
	return list
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkScale prints, from one run, how detection scales: over all of the page,
// since an early stop would hide what a type costs. Times are the least of many
// rounds; rounds of different sizes take turns, so that a busy machine is busy for
// all of them.
func BenchmarkScale(b *testing.B) {
	pages := readScalePages(b)
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		b.Fatal(err)
	}
	var parses []time.Duration
	for _, p := range pages {
		once := newParsing(p)
		once.round()
		parses = append(parses, once.time())
	}
	parse := median(parses)
	var detectors []*Detector
	fmt.Printf("\n%8s %9s %10s %14s %14s %12s\n", "types", "patterns", "New", "in parses", "heap/pattern", "of its KB")
	for _, n := range []int{50, 500, 5000, 50_000} {
		before := heap()
		large := Synthetic(base, docs(pages), n, 1)
		between := heap()
		start := processorTime()
		d := New(large)
		took := processorTime() - start
		after := heap()
		fmt.Printf("%8d %9d %10s %14.0f %12d B %10d B\n", n, d.Patterns(), took.Round(time.Millisecond), float64(took)/float64(parse),
			(after-between)/uint64(d.Patterns()), (between-before)/uint64(d.Patterns()))
		detectors = append(detectors, d)
	}
	scaleTimes(b, pages, detectors)
}

// processorTime is what the process has used, the collector included: unlike the
// time of day it does not run while others have the processor.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// parsing times html.Parse of a page and the collection of what it leaves behind,
// which a crawl pays, too: the garbage of as many parses as fill the heap once more.
type parsing struct {
	page           scalePage
	times          int           // parses that fill the heap
	parse, collect time.Duration // of one of them, the least of all rounds
}

func newParsing(p scalePage) *parsing {
	live := heap()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	html.Parse(bytes.NewReader(p.source))
	runtime.ReadMemStats(&after)
	return &parsing{p, 1 + int(live/(after.TotalAlloc-before.TotalAlloc)), 1 << 62, 1 << 62}
}

func (p *parsing) round() {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	p.parse = min(p.parse, quickest(p.times, func() { html.Parse(bytes.NewReader(p.page.source)) }))
	start := processorTime()
	runtime.GC()
	p.collect = min(p.collect, (processorTime()-start)/time.Duration(p.times))
}

func (p *parsing) time() time.Duration { return p.parse + p.collect }

// BenchmarkScaleParse prints detection as a part of html.Parse of the same page, beside
// what detection cannot do without: going to every node, and reading every byte of texts
// and values once, one after the other. All of them take turns, and the least of all
// rounds counts.
func BenchmarkScaleParse(b *testing.B) {
	pages := readScalePages(b)
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		b.Fatal(err)
	}
	few, many := New(Synthetic(base, docs(pages), 50, 1)), New(Synthetic(base, docs(pages), 5000, 1))
	fmt.Printf("\n%9s %9s %9s %9s %9s %9s %9s\n", "page KB", "parse us", "collect", "walk", "bytes", "50", "5000")
	var shares []float64
	for _, p := range pages {
		parse := newParsing(p)
		parts := []func(){
			func() { touch(p.doc, 0) },
			func() { touch(p.doc, math.MaxInt) },
			func() { few.Page(p.doc, Hints{Full: true}) },
			func() { many.Page(p.doc, Hints{Full: true}) },
		}
		t := slices.Repeat([]time.Duration{1 << 62}, len(parts))
		for range 8 {
			parse.round()
			for k, f := range parts {
				t[k] = min(t[k], quickest(60, f))
			}
		}
		share := func(d time.Duration) float64 { return float64(d) / float64(parse.time()) }
		shares = append(shares, share(t[3]))
		fmt.Printf("%9.0f %9.0f %9.3f %9.3f %9.3f %9.3f %9.3f\n", float64(len(p.source))/1e3, float64(parse.time())/1e3,
			share(parse.collect), share(t[0]), share(t[1]), share(t[2]), share(t[3]))
	}
	fmt.Printf("median: t(5,000)/parse %.3f\n", median(shares))
	b.ReportMetric(median(shares), "t(5k)/parse")
}

// touched keeps the compiler from leaving out what is only measured.
var touched uint64

// touch goes to every node of a page and adds up so many bytes of each text and of
// each value of an attribute.
func touch(root *html.Node, most int) {
	for n := root; n != nil; {
		read := func(s string) {
			for i := range min(len(s), most) {
				touched = touched*31 + uint64(s[i])
			}
		}
		if n.Type == html.TextNode {
			read(n.Data)
		}
		for i := range n.Attr {
			read(n.Attr[i].Val)
		}
		if n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for n != nil && n.NextSibling == nil {
			n = n.Parent
		}
		if n != nil {
			n = n.NextSibling
		}
	}
}

// scaleTimes prints the time on each page and its ratios.
func scaleTimes(b *testing.B, pages []scalePage, detectors []*Detector) {
	fmt.Printf("\n%9s %9s %9s %9s %9s %9s %9s %9s\n", "page KB", "50", "500", "5000", "50000", "5k/50", "50k/50", "stopping")
	var growth, large []float64
	for _, p := range pages {
		t := slices.Repeat([]time.Duration{1 << 62}, len(detectors))
		stopping := time.Duration(1 << 62)
		for range 60 {
			for k, d := range detectors {
				t[k] = min(t[k], quickest(5, func() { d.Page(p.doc, Hints{Full: true}) }))
			}
			stopping = min(stopping, quickest(2, func() { detectors[2].Page(p.doc, Hints{}) }))
		}
		ratio := func(a, b time.Duration) float64 { return float64(a) / float64(b) }
		us := func(d time.Duration) float64 { return float64(d) / 1e3 }
		growth, large = append(growth, ratio(t[2], t[0])), append(large, ratio(t[3], t[0]))
		fmt.Printf("%9.0f %9.1f %9.1f %9.1f %9.1f %9.2f %9.2f %9.1f\n", float64(len(p.source))/1e3, us(t[0]), us(t[1]), us(t[2]), us(t[3]),
			ratio(t[2], t[0]), ratio(t[3], t[0]), us(stopping))
	}
	fmt.Printf("medians: t(5,000)/t(50) %.2f   t(50,000)/t(50) %.2f\n", median(growth), median(large))
	b.ReportMetric(median(growth), "t(5k)/t(50)")
	b.ReportMetric(median(large), "t(50k)/t(50)")
}

// BenchmarkScaleRivals prints what the other ways of doing it take for 5,000 types:
// each pattern by itself in full, and its literals as regular expressions over the
// source of the page, for which a part of them stands.
func BenchmarkScaleRivals(b *testing.B) {
	pages := readScalePages(b)
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		b.Fatal(err)
	}
	large := Synthetic(base, docs(pages), 5000, 1)
	d, exprs := New(large), allPatterns(large)
	var compiled []*antchfx.Expr
	var scans []*regexp.Regexp
	const part = 100
	for i, e := range exprs {
		compiled = append(compiled, antchfx.MustCompile(e.XPath(false)))
		if i%part > 0 {
			continue
		}
		for _, s := range e.Steps {
			for _, p := range s.Preds {
				if p.Literal != "" {
					scans = append(scans, regexp.MustCompile("(?i)"+regexp.QuoteMeta(p.Literal)))
				}
			}
		}
	}
	fmt.Printf("\n%9s %12s %14s %12s %14s %12s\n", "page KB", "5,000 us", "one by one us", "times", "regexps us", "times")
	var times []float64
	for _, p := range pages {
		own := quickest(50, func() { d.Page(p.doc, Hints{Full: true}) })
		one := quickest(1, func() {
			for _, e := range compiled {
				htmlquery.QuerySelector(p.doc, e)
			}
		})
		scan := part * quickest(1, func() {
			for _, re := range scans {
				re.Match(p.source)
			}
		})
		times = append(times, float64(one)/float64(own))
		fmt.Printf("%9.0f %12.1f %14.0f %12.0f %14.0f %12.0f\n", float64(len(p.source))/1e3, float64(own)/1e3, float64(one)/1e3,
			float64(one)/float64(own),
			float64(scan)/1e3, float64(scan)/float64(own))
	}
	b.ReportMetric(median(times), "one-by-one/t(5k)")
}
