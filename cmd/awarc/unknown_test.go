package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/testsites"
)

// contentAt is how many requests a crawl needed for parts of the contents of a site.
type contentAt struct {
	requests int
	saved    int         // contents
	at       map[int]int // requests, by per cent of the contents
	after    []int       // requests after which each was found, in this order
}

func (c contentAt) String() string {
	var b strings.Builder
	for _, part := range []int{50, 90, 95, 100} {
		if n := c.at[part]; n > 0 {
			fmt.Fprintf(&b, " %d", n)
		} else {
			b.WriteString(" -")
		}
	}
	return fmt.Sprintf("%d requests, %d contents; 50, 90, 95, 100 %% after%s", c.requests, c.saved, b.String())
}

// within is the number of requests for a part of the contents; more than any where it was not reached.
func (c contentAt) within(part int) int {
	if n := c.at[part]; n > 0 {
		return n
	}
	return math.MaxInt
}

// contentsOf reads the pages of a crawl again with the whole knowledge base, and counts after each request of how many objects there is a
// content. all are those of the site; nil takes them to be those of this crawl.
func contentsOf(t *testing.T, dir string, all map[string]bool) (found map[string]bool, c contentAt) {
	t.Helper()
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	d := detect.New(base)
	data, err := os.ReadFile(filepath.Join(dir, "log", "crawl.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	found = map[string]bool{}
	for line := range strings.Lines(string(data)) {
		var e engine.Exchanged
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if c.requests++; e.Status != 200 || !strings.Contains(e.MIME, "html") {
			continue
		}
		p, err := crawl.Folder(dir).ReadPage(t.Context(), d, &e)
		if err != nil {
			t.Fatal(err)
		}
		if p.Harvest.Level == nil || p.Harvest.Level.Kind != kb.Terminal {
			continue
		}
		for _, o := range p.Harvest.Objects {
			if o.Value("content") != "" && !found[o.ID] && (all == nil || all[o.ID]) {
				found[o.ID] = true
				c.after = append(c.after, c.requests)
			}
		}
	}
	c.count(max(len(all), len(found)))
	return found, c
}

// count takes what was found for so much of all contents.
func (c *contentAt) count(of int) {
	c.saved, c.at = len(c.after), map[int]int{}
	for _, part := range []int{50, 90, 95, 100} {
		if n := (of*part + 99) / 100; n <= len(c.after) {
			c.at[part] = c.after[n-1]
		}
	}
}

// TestUnknownSoftwareIsLearned: of the mirrors, with their types taken out of the knowledge base, nearly all content comes after few
// requests, and with --productive the crawl ends soon after.
func TestUnknownSoftwareIsLearned(t *testing.T) {
	t.Parallel()
	server, sites := mirrorServer(t)
	for _, m := range mirroredSites {
		if !isLong() && m.file != "wordpress-6.1-twentytwentyone" {
			continue
		}
		t.Run(m.file, func(t *testing.T) {
			base := serveMirror(t, server, sites, m.file, m.drop)
			software, _, _ := strings.Cut(m.file, "-")
			crawled := func(all map[string]bool, args ...string) (map[string]bool, contentAt) {
				dir, o := runCrawl(t, append(args, base+"/")...)
				if !readReport(t, dir).Finished { // a blind one may leave what may have no end
					t.Fatalf("the crawl is not finished: %s", o.out)
				}
				found, c := contentsOf(t, dir, all)
				t.Logf("%s: %v", strings.Join(append([]string{m.file}, args...), " "), c)
				return found, c
			}
			all, known := crawled(nil)
			_, learned := crawled(all, "--without", software, "--productive")
			if learned.within(95) > 3*known.requests {
				t.Errorf("%d requests for 95 %% of the contents, which are %d where the type is known", learned.within(95), known.requests)
			}
			if !isLong() {
				return
			}
			_, whole := crawled(all, "--without", software)
			_, blind := crawled(all, "--blind")
			if 3*learned.requests > blind.requests || whole.requests < blind.requests*9/10 {
				t.Errorf("%d requests where what is unproductive is left, %d where it is not, %d blind", learned.requests, whole.requests,
					blind.requests)
			}
		})
	}
}

// Whatever a kill interrupts while ways are learned, in the end the crawl has all contents, and only what was in flight was asked for
// again.
func TestKilledWhileLearning(t *testing.T) {
	t.Parallel()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 12, Posts: 60})
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(site, -1)
	base := serve(t, g)
	known, _ := runCrawl(t, base+"/")
	all, _ := contentsOf(t, known, nil)
	before := site.Requests().ByURL
	dir := filepath.Join(t.TempDir(), "crawl")
	args := []string{"crawl", "--delay", "0", "--min-space", "0", "--without", "phpbb", "--out", dir, base + "/"}
	const kills = 6
	killed(t, g, dir, kills, args)
	if found, c := contentsOf(t, dir, all); len(found) != len(all) || len(all) == 0 {
		t.Errorf("%v; the site has %d contents", c, len(all))
	}
	again := 0
	for url, n := range site.Requests().ByURL {
		again += max(0, n-before[url]-1)
	}
	if again > kills*(workers+1) { // and robots.txt
		t.Errorf("%d requests were made again; only what was in flight may be", again)
	}
	t.Logf("%d contents, %d requests again", len(all), again)
	checkByGowarc(t, dir)
}

// TestADraftDescribesTheSoftware: of a crawl of a board whose type is taken out of the knowledge base a type is drafted that holds for its
// examples, and by which a crawl has all posts with as many requests as by the type that its author wrote.
func TestADraftDescribesTheSoftware(t *testing.T) {
	t.Parallel()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 11, Posts: 150})
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, site)
	dir, _ := runCrawl(t, "--without", "phpbb", "--productive", base+"/")
	learned, left := dir, readReport(t, dir)
	t.Logf("%d requests; %d URLs were left as unproductive", left.Requests, left.LeftURLs())
	if !left.Finished || left.LeftURLs() < int(left.Requests)/4 {
		t.Errorf("the crawl left %d URLs and asked for %d", left.LeftURLs(), left.Requests)
	}
	at := t.TempDir()
	o := awarc(t, "", "kb", "draft", "--crawl", dir, "--id", "board", "--out", at)
	o.want(t, exitDone)
	t.Log(o.out)
	file := filepath.Join(at, "board.xml")
	awarc(t, "", "kb", "lint", file).want(t, exitDone)
	awarc(t, "", "kb", "test", "--alone", file).want(t, exitDone)
	dir, o = runCrawl(t, "--without", "phpbb", "--kb", file, base+"/")
	o.want(t, exitDone)
	drafted := readReport(t, dir)
	dir, o = runCrawl(t, base+"/")
	o.want(t, exitDone)
	written := readReport(t, dir)
	t.Logf("%d requests for %v by the draft, %d for %v by what an author wrote", drafted.Requests, drafted.Objects, written.Requests,
		written.Objects)
	// Guests have no page that their names are links to.
	posts := drafted.Objects["sioc:Post"]
	if posts != written.Objects["sioc:Post"] || 20*drafted.Missing["sioc:Post.creator"] > posts {
		t.Errorf("%v, missing %v; want %v", drafted.Objects, drafted.Missing, written.Objects)
	}
	if drafted.Requests > written.Requests*3/2 {
		t.Errorf("%d requests, %d by what an author wrote", drafted.Requests, written.Requests)
	}

	svg := filepath.Join(at, "plot.svg")
	o = awarc(t, "", "eval", "unknown", "known="+dir, "learned="+learned, "--simulate", learned, "--svg", svg)
	o.want(t, exitDone)
	for _, name := range []string{"known", "learned", "breadth first, simulated", "anchors, simulated"} {
		if !strings.Contains(o.out, name) || !strings.Contains(string(mustRead(t, svg)), ">"+name+"<") {
			t.Errorf("%s is not in the table or in the plot:\n%s", name, o.out)
		}
	}
}

// TestACrawlUsesItsOwnDraft: of a board whose type is taken out of the knowledge base a crawl drafts a type while it runs, and has all
// posts by it, once each; everything that it would ask for without is asked for all the same.
func TestACrawlUsesItsOwnDraft(t *testing.T) {
	t.Parallel()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 11, Posts: 90})
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, testsites.Slow(site, 2*time.Millisecond))
	runCrawl(t, "--without", "phpbb", "--no-traps", base+"/")
	asked := site.Requests().ByURL
	dir, o := runCrawl(t, "--without", "phpbb", "--no-traps", "--draft", base+"/")
	o.want(t, exitDone)
	drafts, err := filepath.Glob(filepath.Join(dir, crawl.DraftFolder, "*.xml"))
	if err != nil || len(drafts) != 1 {
		t.Fatalf("drafts are %v, %v\n%s", drafts, err, o.err)
	}
	awarc(t, "", "kb", "lint", drafts[0]).want(t, exitDone)
	awarc(t, "", "kb", "test", "--alone", drafts[0]).want(t, exitDone)
	r := readReport(t, dir)
	if posts := r.Objects["sioc:Post"]; posts != 90 {
		t.Errorf("%d posts, want 90: %v", posts, r.Objects)
	}
	drafted, err := kb.Load(kb.Source{Name: drafts[0], Data: mustRead(t, drafts[0])})
	if err != nil {
		t.Fatal(err)
	}
	keys, later := map[string]bool{}, site.Requests().ByURL
	key := func(address string) string {
		u, err := url.Parse(base + address)
		if err != nil {
			t.Fatal(err)
		}
		return drafted.Types[0].URLs.Key(u)
	}
	for address, n := range later {
		if n > asked[address] {
			keys[key(address)] = true
		}
	}
	for address := range asked {
		if !keys[key(address)] {
			t.Errorf("%s was not asked for with a draft, in no form", address)
		}
	}
	if !strings.Contains(o.out, drafts[0]) {
		t.Errorf("the summary does not name the draft:\n%s", o.out)
	}
}

// TestKilledWhileDrafting: whatever a kill interrupts, in the end a draft is in force, and all posts are there. A draft of few pages may
// not know all addresses of one page, and have a post twice; which pages it is made of depends on the kills.
func TestKilledWhileDrafting(t *testing.T) {
	t.Parallel()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 13, Posts: 80})
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(site, -1)
	base := serve(t, g)
	dir := filepath.Join(t.TempDir(), "crawl")
	args := []string{"crawl", "--delay", "0", "--min-space", "0", "--without", "phpbb", "--draft", "--out", dir, base + "/"}
	kills := 3
	if isLong() {
		kills = 6
	}
	out := killed(t, g, dir, kills, args)
	r := readReport(t, dir)
	said := map[string]bool{}
	for _, g := range readGraph(t, dir) {
		for text := range g.props["content"] {
			// A draft does not know that this is a control.
			said[squeeze(strings.Replace(text, "Code: Select all", "Code:", 1))] = true
		}
	}
	for _, o := range site.Truth(base).Objects {
		if o.Class == "sioc:Post" && !said[squeeze(o.Content)] && o.Content != "" {
			t.Errorf("the post %s is missing; objects %v\n%s", o.ID, r.Objects, out)
		}
	}
	checkByGowarc(t, dir)
}

// killed runs a crawl, kills it and goes on with it, so many times, and then to its end, of which it gives the output.
func killed(t *testing.T, g *gate, dir string, times int, args []string) (out []byte) {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 6))
	for range times {
		if !g.kill(t, 20+random.IntN(40), args...) {
			break
		}
		args = []string{"resume", dir}
	}
	out, err := command(t, "resume", dir).CombinedOutput()
	if err != nil && !readReport(t, dir).Finished { // it may leave what may have no end
		t.Fatalf("the last resume: %v\n%s", err, out)
	}
	return out
}
