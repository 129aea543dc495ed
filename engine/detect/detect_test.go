package detect

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
)

// world is a knowledge base with every case that the rules of decision tell
// apart: two categories, rivals, a chain of subtypes, and sites.
const world = `<kb xmlns="urn:awarc:kb:1">
<category id="forum" rank="2">
  <detect><pattern weak="yes">i[@class='forum']</pattern></detect>
  <type id="alpha">
    <detect><pattern>b[@id='alpha1']</pattern><pattern>b[@id='alpha2']</pattern><pattern>b[@id='alpha3']</pattern>
      <pattern weak="yes">i[@class='a1']</pattern><pattern weak="yes">i[@class='a2']</pattern></detect>
    <level id="topic" variant="one" kind="terminal"><detect><pattern>p[@id='topic1']</pattern></detect></level>
    <level id="topic" variant="two" kind="terminal"><detect><pattern>p[@id='topic2']</pattern></detect></level>
    <level id="index" kind="intermediate"><detect><pattern weak="yes">p[@id='x1']</pattern><pattern weak="yes">p[@id='x2']</pattern>
    </detect></level>
    <level id="topic" variant="three" kind="terminal"><detect><pattern>p[@id='topic3']</pattern></detect></level>
  </type>
  <type id="beta">
    <detect><pattern>b[@id='beta1']</pattern><pattern>b[@id='beta2']</pattern><pattern>b[@id='beta3']</pattern>
    <pattern weak="yes">i[@class='beta']</pattern></detect>
    <level id="topic" kind="terminal"><detect><pattern>p[@id='topic1']</pattern></detect></level>
    <type id="beta.2">
      <detect><pattern>b[@id='beta.2']</pattern><pattern weak="yes">i[@class='b2']</pattern></detect>
      <type id="beta.2.site" site="Example.org/board/"><level id="topic" kind="terminal"><detect><pattern>p[@id='site']</pattern></detect>
      </level></type>
    </type>
  </type>
</category>
<category id="blog" rank="1">
  <type id="gamma"><detect><pattern>b[@id='gamma1']</pattern><pattern>b[@id='gamma2']</pattern><pattern>b[@id='gamma3']</pattern>
  <pattern>header[@name='x-gamma']</pattern></detect>
    <level id="post" kind="terminal"><detect><pattern>p[@id='post']</pattern></detect></level></type>
</category></kb>`

func load(t testing.TB, sources ...string) *kb.Base {
	t.Helper()
	var all []kb.Source
	for i, s := range sources {
		all = append(all, kb.Source{Name: fmt.Sprintf("%d.xml", i), Data: []byte(s)})
	}
	base, err := kb.Load(all...)
	if err != nil {
		t.Fatal(err)
	}
	return base
}

// page writes marks as elements: "b:alpha1" is <b id=alpha1>, "i:a1" is
// <i class=a1>.
func page(t testing.TB, marks string) *html.Node {
	t.Helper()
	var b strings.Builder
	header := http.Header{}
	for _, m := range strings.Fields(marks) {
		tag, name, _ := strings.Cut(m, ":")
		switch tag {
		case "i":
			fmt.Fprintf(&b, "<i class=%s></i>", name)
		case "header":
			header.Set(name, "yes")
		default:
			fmt.Fprintf(&b, "<%s id=%s></%[1]s>", tag, name)
		}
	}
	root, err := html.Parse(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return yfilter.Document(root, yfilter.Meta{Status: 200, Header: header, URL: &url.URL{Scheme: "http", Host: "h", Path: "/"}})
}

// describe writes a finding as "type level(variant),level(variant) | other types".
func describe(f Finding) string {
	if f.Type == nil {
		return "-"
	}
	out := string(f.Type.ID)
	var levels, rest []string
	for _, v := range f.Levels {
		levels = append(levels, v.Name())
	}
	for _, m := range f.Matches[1:] {
		rest = append(rest, string(m.Type.ID))
	}
	if len(levels) > 0 {
		out += " " + strings.Join(levels, ",")
	}
	if len(rest) > 0 {
		out += " | " + strings.Join(rest, " ")
	}
	return out
}

func TestDecision(t *testing.T) {
	d := New(load(t, world))
	for _, c := range []struct{ name, marks, address, near, force, want string }{
		{name: "nothing", marks: "b:other", want: "-"},
		{name: "one strong pattern", marks: "b:alpha1", want: "alpha"},
		{name: "one weak pattern", marks: "i:a1", want: "-"},
		{name: "two weak patterns", marks: "i:a1 i:a2", want: "alpha"},
		{name: "the same weak pattern twice", marks: "i:a1 i:a1", want: "-"},
		{name: "an own and an inherited weak pattern", marks: "i:a1 i:forum", want: "alpha"},
		{name: "inherited patterns alone", marks: "i:forum", want: "-"},
		{name: "a strong pattern of a parent only supports", marks: "b:beta1 i:b2", want: "beta.2 | beta"},
		{name: "and makes no subtype", marks: "b:beta1", want: "beta"},
		{name: "more strong patterns", marks: "b:alpha1 b:beta1 b:beta2", want: "beta | alpha"},
		{name: "equal: the order of the knowledge base", marks: "b:beta1 b:alpha1", want: "alpha | beta"},
		{name: "rank over number", marks: "b:gamma1 b:gamma2 b:gamma3 p:post b:alpha1", want: "alpha | gamma"},
		{name: "a header", marks: "header:X-Gamma p:post", want: "gamma post"},
		{name: "a subtype over its parent", marks: "b:beta1 b:beta2 b:beta.2", want: "beta.2 | beta"},
		{name: "a subtype counts its parent's patterns", marks: "b:alpha1 b:alpha2 b:beta1 b:beta2 i:b2", want: "beta.2 | alpha beta"},
		{name: "a site", address: "example.org/board/t.html", want: "beta.2.site"},
		{name: "a site's own levels come first", marks: "p:topic1 p:site b:beta1", address: "example.org/board",
			want: "beta.2.site topic | beta"},
		{name: "beside the site", address: "example.org/boarding", want: "-"},
		{name: "another host", address: "example.org.evil/board/", want: "-"},
		{name: "near decides between rivals", marks: "b:alpha1 b:alpha2 b:beta1", near: "beta", want: "beta | alpha"},
		{name: "near on one weak sign", marks: "i:beta", near: "beta", want: "beta"},
		{name: "near without any sign", marks: "i:forum", near: "beta", want: "-"},
		{name: "near is no more than the rank", marks: "b:alpha1 b:gamma1", near: "gamma", want: "alpha | gamma"},
		{name: "forced", marks: "b:alpha1 b:alpha2 b:alpha3 p:topic1 p:post", force: "gamma", want: "gamma post"},
		{name: "the first level in order", marks: "b:alpha1 p:x1 p:x2 p:topic2", want: "alpha topic(two),topic(one),topic(three)"},
		{name: "variants: those that fired, then the others", marks: "b:alpha1 p:topic3 p:topic1",
			want: "alpha topic(one),topic(three),topic(two)"},
		{name: "a level takes two weak patterns", marks: "b:alpha1 p:x1", want: "alpha"},
		{name: "which make it", marks: "b:alpha1 p:x1 p:x2", want: "alpha index"},
		{name: "an inherited level", marks: "b:beta.2 p:topic1", want: "beta.2 topic"},
	} {
		h := Hints{Address: c.address, Near: d.base.Type(kb.TypeID(c.near)), Force: d.base.Type(kb.TypeID(c.force))}
		doc := page(t, c.marks)
		early := d.Page(doc, h)
		h.Full = true
		full := d.Page(doc, h)
		if got := describe(full); got != c.want {
			t.Errorf("%s: %s: got %q, want %q", c.name, c.marks, got, c.want)
		}
		if early.Type != full.Type || early.Level() != full.Level() {
			t.Errorf("%s: %s: stopped early: got %q, want %q", c.name, c.marks, describe(early), c.want)
		}
	}
}

func TestFindingTellsItsPatterns(t *testing.T) {
	d := New(load(t, world))
	f := d.Page(page(t, "b:gamma1 b:alpha1 i:forum p:topic2 p:x1"), Hints{Full: true})
	if got, want := fmt.Sprint(f.Patterns), "[b[@id='alpha1'] i[@class='forum'] p[@id='topic2']]"; got != want {
		t.Errorf("patterns %s, want %s", got, want)
	}
}

// A pattern that a later source repeats, or that is a parent's too, is one
// piece of evidence.
func TestRepeatedPatternCountsOnce(t *testing.T) {
	again := `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="alpha"><detect>
		<pattern weak="yes">i[@class='a1']</pattern><pattern weak="yes">i[@class='forum']</pattern></detect></type></category></kb>`
	d := New(load(t, world, again))
	for marks, want := range map[string]string{"i:a1": "-", "i:forum": "-", "i:a1 i:forum": "alpha"} {
		if got := describe(d.Page(page(t, marks), Hints{})); got != want {
			t.Errorf("%s: got %q, want %q", marks, got, want)
		}
	}
}

// Hints may hold types of a knowledge base that was replaced meanwhile.
func TestHintsFromAnEarlierBase(t *testing.T) {
	d, old := New(load(t, world)), load(t, world)
	if got := describe(d.Page(page(t, "b:alpha1"), Hints{Force: old.Type("gamma")})); got != "gamma" {
		t.Errorf("forced: got %q, want gamma", got)
	}
	if got := describe(d.Page(page(t, "b:alpha1 b:beta1"), Hints{Near: old.Type("beta")})); got != "beta | alpha" {
		t.Errorf("near: got %q, want beta | alpha", got)
	}
	gone := load(t, `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="gone"><detect><pattern>q</pattern></detect></type>`+
		`</category></kb>`)
	if got := describe(d.Page(page(t, "b:alpha1"), Hints{Force: gone.Type("gone")})); got != "alpha" {
		t.Errorf("forced to an unknown type: got %q, want alpha", got)
	}
}

// The walk stops early where the answer is plain, and never where something
// further down can change it by rule.
func TestEarlyStop(t *testing.T) {
	d := New(load(t, world))
	filler := strings.Repeat(" b:filler", 20_000)
	for _, c := range []struct {
		name, head, tail, near, force string
		want                          string
		stops                         bool
	}{
		{name: "two ahead and the first level certain", head: "b:alpha1 b:alpha2 p:topic1", tail: "b:alpha3", want: "alpha", stops: true},
		{name: "one ahead", head: "b:alpha1 p:topic1", tail: "b:beta1 b:beta2", want: "beta"},
		{name: "a lower level first", head: "b:alpha1 b:alpha2 p:topic2", tail: "p:topic1", want: "alpha"},
		{name: "a lower rank", head: "b:gamma1 b:gamma2 b:gamma3 p:post", tail: "b:alpha1", want: "alpha"},
		{name: "a subtype may follow", head: "b:beta1 b:beta2 p:topic1", tail: "b:beta.2", want: "beta.2"},
		{name: "the near type may follow", head: "b:alpha1 b:alpha2 p:topic1", tail: "i:beta", near: "beta", want: "beta"},
		{name: "the near type leads", head: "b:alpha1 b:alpha2 p:topic1", tail: "b:beta1", near: "alpha", want: "alpha", stops: true},
		{name: "another type than the forced one is plain", head: "b:alpha1 b:alpha2 p:topic1", tail: "p:post", force: "gamma",
			want: "gamma"},
		{name: "the forced type's level is plain", head: "p:post", tail: "b:alpha1", force: "gamma", want: "gamma", stops: true},
	} {
		doc := page(t, c.head+filler+" "+c.tail)
		h := Hints{Near: d.base.Type(kb.TypeID(c.near)), Force: d.base.Type(kb.TypeID(c.force))}
		f := d.Page(doc, h)
		last := c.tail[strings.LastIndexByte(c.tail, ':')+1:]
		seen := strings.Contains(strings.Join(f.Patterns, " "), "'"+last+"'")
		if string(f.Type.ID) != c.want || seen == c.stops || c.stops && !f.Decided {
			t.Errorf("%s: got %s, decided early %v, end of the page seen %v; want %s, stopped before the end %v", c.name, f.Type.ID,
				f.Decided, seen, c.want, c.stops)
		}
		h.Full = true
		if full := d.Page(doc, h); full.Decided || full.Type != f.Type || full.Level() != f.Level() {
			t.Errorf("%s: a whole walk gives %q", c.name, describe(full))
		}
	}
}

// TestWarmPagesAllocateTheirFinding: levels, patterns and matches of what is returned,
// and nothing else.
func TestWarmPagesAllocateTheirFinding(t *testing.T) {
	if raceDetector {
		t.Skip("with the race detector a pool forgets what it was given")
	}
	d := New(load(t, world))
	for marks, want := range map[string]float64{"b:other": 0, "b:alpha1": 2, "b:alpha1 b:beta1 b:gamma1 i:forum i:a1 p:topic1 p:post": 3} {
		doc := page(t, marks)
		run := func() { d.Page(doc, Hints{Full: true, Near: d.base.Type("beta")}) }
		run()
		if n := testing.AllocsPerRun(50, run); n > want {
			t.Errorf("%s: %v allocations, want %v", marks, n, want)
		}
	}
}

// TestBetterIsStrictOrder tries the order on random evidence: of two types
// exactly one is better, and better is transitive.
func TestBetterIsStrictOrder(t *testing.T) {
	d := New(load(t, world))
	rng := rand.New(rand.NewPCG(1, 2))
	n := len(d.base.Types)
	for range 2000 {
		y := newTally(d)
		for i := range n {
			if rng.IntN(4) > 0 {
				e := y.score(i)
				e.strong, e.weak = rng.IntN(3), rng.IntN(3)
			}
		}
		if k := rng.IntN(2 * n); k < n {
			y.hints.Near = d.base.Types[k]
		}
		for a := range n {
			for b := range n {
				if y.better(a, b) == y.better(b, a) && a != b || y.better(a, a) {
					t.Fatalf("types %d and %d are not ordered: %+v", a, b, y.scores)
				}
				for c := range n {
					if y.better(a, b) && y.better(b, c) && !y.better(a, c) {
						t.Fatalf("not transitive: %d, %d, %d: %+v", a, b, c, y.scores)
					}
				}
			}
		}
	}
}

// TestEarlyStopOnRealPages holds the rule of stopping early to every saved
// page: type and level are those of a whole walk.
func TestEarlyStopOnRealPages(t *testing.T) {
	dir := "../../../shared/pages"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("skipped: the saved pages of real sites are not in %s", dir)
	}
	if raceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
	d := New(load(t, sources(kb.Builtin())...))
	pages, stopped := 0, 0
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.Contains(e.Name(), ".htm") && !strings.Contains(e.Name(), ".php") {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		root, err := html.Parse(strings.NewReader(string(data)))
		if err != nil {
			return nil // markup nested without end
		}
		doc := yfilter.Document(root, yfilter.Meta{Status: 200})
		early, full := d.Page(doc, Hints{}), d.Page(doc, Hints{Full: true})
		pages++
		if early.Decided {
			stopped++
		}
		if early.Type != full.Type || early.Level() != full.Level() {
			t.Errorf("%s: %q, but a whole walk gives %q", file, describe(early), describe(full))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages, %d decided early", pages, stopped)
	if stopped == 0 {
		t.Error("no page was decided early")
	}
}

func sources(all []kb.Source) []string {
	var out []string
	for _, s := range all {
		out = append(out, string(s.Data))
	}
	return out
}
