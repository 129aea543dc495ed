package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/testsites"
)

// rewritten serves a site with its pages changed.
func rewritten(h http.Handler, change func([]byte) []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		body := rec.Body.Bytes()
		if strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html") && rec.Code == http.StatusOK {
			body = change(body)
		}
		for name, values := range rec.Header() {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(body)
	})
}

// renamed serves a site as a theme of its own would: class names in its pages
// are others.
func renamed(h http.Handler, names ...string) http.Handler {
	var pairs []string
	for i := 0; i < len(names); i += 2 {
		for _, form := range []string{`"%s"`, `"%s `, ` %s"`, ` %s `} {
			pairs = append(pairs, strings.Replace(form, "%s", names[i], 1), strings.Replace(form, "%s", names[i+1], 1))
		}
	}
	rename := strings.NewReplacer(pairs...)
	return rewritten(h, func(page []byte) []byte { return []byte(rename.Replace(rename.Replace(string(page)))) })
}

// phpbbTheme is a theme of phpBB that the knowledge base does not know: its line
// of author and date has another name.
var phpbbTheme = []string{"author", "written-by"}

func themed(t *testing.T, posts int) (*testsites.Site, string) {
	t.Helper()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 11, Posts: posts})
	if err != nil {
		t.Fatal(err)
	}
	return site, serve(t, renamed(site, phpbbTheme...))
}

// The reader of pages takes the profile beside each post of this topic for a record of its own: it
// gives the posts their missing dates and adds none.
func TestDatesOfTwoPostsInARenamedTheme(t *testing.T) {
	t.Parallel()
	_, base := themed(t, 150)
	o := awarc(t, "", "extract", "--no-adapt", "--format", "json", base+"/viewtopic.php?t=15")
	o.want(t, exitDone, "")
	var page struct {
		Objects []struct {
			Class, ID string
			Fields    map[string]any
		}
	}
	if err := json.Unmarshal([]byte(o.out), &page); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range page.Objects {
		if x.Class == "sioc:Post" {
			got = append(got, fmt.Sprint(strings.TrimPrefix(x.ID, base), " ", x.Fields["created"]))
		}
	}
	want := []string{"/viewtopic.php?p=135#p135 [2012-08-15T04:49:47Z]", "/viewtopic.php?p=145#p145 [2012-11-22T21:47:00Z]"}
	if !slices.Equal(got, want) {
		t.Errorf("posts %q, want %q", got, want)
	}
}

// adaptationLog reads log/adaptation.jsonl and counts its events.
func adaptationLog(t *testing.T, dir string) (events map[string]int) {
	t.Helper()
	events = map[string]int{}
	for _, line := range readLines(t, filepath.Join(dir, "log", "adaptation.jsonl")) {
		var a engine.Adapted
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		if a.Event != "reread" && len(a.Entries)+len(a.Left) == 0 || a.Time.IsZero() || a.URL == "" {
			t.Errorf("an event without what it is about: %s", line)
		}
		events[a.Event]++
	}
	return events
}

// learnedIn lists what awarc kb learned tells, with any further arguments.
func learnedIn(t *testing.T, args ...string) []learnedJSON {
	t.Helper()
	o := awarc(t, "", append([]string{"kb", "learned", "--format", "json"}, args...)...)
	o.want(t, exitDone, "")
	var list []learnedJSON
	for line := range strings.Lines(o.out) {
		var l learnedJSON
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		list = append(list, l)
	}
	return list
}

// A crawl of a site in an unknown theme finds what it holds, writes down what it
// learned, and the next crawl has nothing to learn.
func TestCrawlAdaptsToARenamedTheme(t *testing.T) {
	t.Parallel()
	site, base := themed(t, 150)
	dir, o := runCrawl(t, base+"/")
	o.want(t, exitDone, "")
	compareObjects(t, readGraph(t, dir), site.Truth(base))
	checkTruth(t, dir, site, base)
	checkArchive(t, dir)
	r := readReport(t, dir)
	// The first list of the site is a category without topics, which are looked for in vain; so they are in those that are read at the
	// same time.
	if a := r.Adaptation; a.Attempted == 0 || a.Confirmed == 0 || a.Persisted != a.Confirmed || a.Failed > 3 || a.Tried == 0 ||
		a.Reread < 3 {
		t.Errorf("the report says %+v", a)
	}
	if len(r.Missing) > 0 {
		t.Errorf("missing: %v", r.Missing)
	}
	events := adaptationLog(t, dir)
	if events["confirmed"] == 0 || events["reread"] != int(r.Adaptation.Reread) || events["dropped"] > 0 {
		t.Errorf("the log of adaptation has %v", events)
	}
	adapted := mendedAgain(t, dir)
	pending := 0
	for _, e := range readLog(t, dir) {
		if e.Pending {
			pending++
			if e.Objects > 0 {
				t.Errorf("%s was published before it was decided", e.URL)
			}
		}
		if len(e.Adapted) > 0 {
			adapted++
		}
	}
	if pending != int(r.Adaptation.Reread) || adapted == 0 {
		t.Errorf("%d pages waited and %d were adapted, the report says %+v", pending, adapted, r.Adaptation)
	}
	said := 0
	for _, g := range readGraph(t, dir) {
		if len(g.props["adapted"]) > 0 {
			said++
		}
	}
	if said != adapted {
		t.Errorf("the graph says of %d captures that they were adapted, want %d", said, adapted)
	}
	list := learnedIn(t, "--crawl", dir)
	if len(list) != int(r.Adaptation.Persisted) || list[0].Type != "phpbb" || list[0].Sites[0] != strings.TrimPrefix(base, "http://") ||
		!strings.HasPrefix(list[0].File, filepath.Join(dir, "kb", "learned")) {
		t.Errorf("awarc kb learned lists %+v", list)
	}

	second, o := runCrawl(t, "--kb", filepath.Join(dir, "kb", "learned"), base+"/")
	o.want(t, exitDone, "")
	compareObjects(t, readGraph(t, second), site.Truth(base))
	mendedNothing(t, second)
	if _, err := os.Stat(filepath.Join(second, "kb")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the second crawl left a knowledge base of its own: %v", err)
	}
}

// mendedAgain counts the pages that were read again by something learned.
func mendedAgain(t *testing.T, dir string) (n int) {
	t.Helper()
	for _, line := range readLines(t, filepath.Join(dir, "log", "adaptation.jsonl")) {
		var a engine.Adapted
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		if a.Event == "reread" && len(a.Entries) > 0 {
			n++
		}
	}
	return n
}

// mendedNothing checks that a crawl learned nothing and published nothing by
// what it did not know before. It may have tried.
func mendedNothing(t *testing.T, dir string) {
	t.Helper()
	if a := readReport(t, dir).Adaptation; a.Confirmed > 0 || a.Persisted > 0 || mendedAgain(t, dir) > 0 {
		t.Errorf("the crawl of %s reports %+v, and mended %d pages", dir, a, mendedAgain(t, dir))
	}
}

// Links to topics under another name are found, confirmed by where they lead, and
// nothing more is asked for than in the theme that is known.
func TestCrawlAdaptsNavigation(t *testing.T) {
	t.Parallel()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 11, Posts: 150})
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, renamed(site, "topictitle", "subject-link"))
	dir, o := runCrawl(t, base+"/")
	o.want(t, exitDone, "")
	compareObjects(t, readGraph(t, dir), site.Truth(base))
	checkRequests(t, site, base)
	list := learnedIn(t, "--crawl", dir)
	if len(list) != 1 || list[0].Part != "follow topic" || list[0].Level != "forum" {
		t.Errorf("awarc kb learned lists %+v", list)
	}
}

// What too few pages show to be confirmed is published by the best that is
// known, and the knowledge base stays as it is.
func TestWhatIsNeverConfirmedIsPublishedAtTheEnd(t *testing.T) {
	t.Parallel()
	_, base := themed(t, 60)
	dir, o := runCrawl(t, "--exclude", `viewtopic\.php\?t=([2-9]|\d\d)`, base+"/")
	o.want(t, exitDone, "")
	r := readReport(t, dir)
	if pages := r.Levels["phpbb/topic"]; pages == 0 || pages > 3 {
		t.Fatalf("%d topic pages; expected too few to confirm anything", pages)
	}
	posts := 0
	for _, g := range readGraph(t, dir) {
		if g.class == "Post" {
			if posts++; g.one("created") == "" {
				t.Errorf("%s has no date", g.id)
			}
		}
	}
	if a := r.Adaptation; posts == 0 || a.Confirmed > 0 || a.Persisted > 0 || a.Reread == 0 || int64(posts) != r.Objects["sioc:Post"] {
		t.Errorf("%d posts, the report says %+v and %v", posts, a, r.Objects)
	}
	if n := waitingIn(t, dir); n > 0 {
		t.Errorf("%d pages still wait", n)
	}
}

var learnedElement = regexp.MustCompile(`\r?\n[ \t]*<(?:try|at|pattern)[^<>]* learned="[^<>]*>[^<>]*</(?:try|at|pattern)>`)

// What an engineer wrote stays to the byte, and the next crawl uses what stands
// beside it.
func TestCrawlWritesIntoTheEngineersFile(t *testing.T) {
	t.Parallel()
	site, base := themed(t, 150)
	original, err := os.ReadFile("../../kb/builtin/phpbb.xml")
	if err != nil {
		t.Fatal(err)
	}
	original = bytes.ReplaceAll(original, []byte("\n"), []byte("\r\n")) // and keep what is unusual
	file := filepath.Join(t.TempDir(), "mine.xml")
	if err := os.WriteFile(file, original, 0o644); err != nil {
		t.Fatal(err)
	}
	dir, o := runCrawl(t, "--alone", "--kb", file, base+"/")
	o.want(t, exitDone, "")
	compareObjects(t, readGraph(t, dir), site.Truth(base))
	now, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(now, original) || !bytes.Equal(learnedElement.ReplaceAll(now, nil), original) {
		t.Errorf("the file is not what it was with something inserted; %d bytes, were %d", len(now), len(original))
	}
	if _, err := os.Stat(filepath.Join(dir, "kb")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the crawl left a knowledge base of its own: %v", err)
	}
	list := learnedIn(t, "--alone", "--kb", file)
	if len(list) == 0 || list[0].File != file || list[0].State != "learned" {
		t.Errorf("awarc kb learned lists %+v", list)
	}
	second, o := runCrawl(t, "--alone", "--kb", file, base+"/")
	o.want(t, exitDone, "")
	mendedNothing(t, second)
}

func TestCrawlWithNoAdaptLearnsNothing(t *testing.T) {
	t.Parallel()
	_, base := themed(t, 60)
	dir, o := runCrawl(t, "--no-adapt", base+"/")
	o.want(t, exitDone, "")
	r := readReport(t, dir)
	if !reflect.DeepEqual(r.Adaptation, engine.AdaptationReport{}) || r.Missing["sioc:Post.created"] == 0 {
		t.Errorf("the report says %+v, missing %v", r.Adaptation, r.Missing)
	}
	for _, name := range []string{"kb", "log/adaptation.jsonl"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
}

// Objects that were deleted are no change of template: nothing is learned from
// pages without posts.
func TestCrawlOfDeletedPostsLearnsNothing(t *testing.T) {
	t.Parallel()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 11, Posts: 150})
	if err != nil {
		t.Fatal(err)
	}
	post := regexp.MustCompile(`^p\d+$`)
	base := serve(t, rewritten(site, func(page []byte) []byte {
		root, err := html.Parse(bytes.NewReader(page))
		if err != nil {
			panic(err)
		}
		var posts []*html.Node
		for n := range root.Descendants() {
			for _, a := range n.Attr {
				if a.Key == "id" && post.MatchString(a.Val) {
					posts = append(posts, n)
				}
			}
		}
		for _, p := range posts {
			p.Parent.RemoveChild(p)
		}
		var b bytes.Buffer
		if err := html.Render(&b, root); err != nil {
			panic(err)
		}
		return b.Bytes()
	}))
	dir, o := runCrawl(t, base+"/")
	o.want(t, exitDone, "")
	r := readReport(t, dir)
	if a := r.Adaptation; a.Confirmed > 0 || a.Persisted > 0 || r.Objects["sioc:Post"] > 0 {
		t.Errorf("the report says %+v and %v\n%s", a, r.Objects, o.err)
	}
	if _, err := os.Stat(filepath.Join(dir, "kb")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

// Whatever a kill interrupts, in the end everything is there as if nothing had
// happened: pages that waited wait on, and are read again.
func TestKilledWhileAdapting(t *testing.T) {
	t.Parallel()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 5, Posts: 400})
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(renamed(site, phpbbTheme...), -1)
	base := serve(t, g)
	dir := filepath.Join(t.TempDir(), "crawl")
	args := []string{"crawl", "--delay", "0", "--min-space", "0", "--out", dir, base + "/"}
	random := rand.New(rand.NewPCG(3, 4))
	killed, waiting := 0, 0
	for ; killed < 12; killed++ {
		// Few requests a session, so that some end while pages wait for a decision.
		if !g.kill(t, 1+random.IntN(6), args...) {
			t.Fatal("the crawl ended before it was killed")
		}
		args = []string{"resume", dir}
		waiting += waitingIn(t, dir)
	}
	if waiting == 0 {
		t.Error("no session was killed while a page waited")
	}
	if out, err := command(t, "resume", dir).CombinedOutput(); err != nil {
		t.Fatalf("the last resume: %v\n%s", err, out)
	}
	checkTruth(t, dir, site, base)
	compareObjects(t, readGraph(t, dir), site.Truth(base))
	checkArchive(t, dir)
	checkByGowarc(t, dir)
	r := readReport(t, dir)
	if r.Adaptation.Reread == 0 || len(learnedIn(t, "--crawl", dir)) == 0 || len(r.Missing) > 0 {
		t.Errorf("the report says %+v, missing %v", r.Adaptation, r.Missing)
	}
	t.Logf("%d kills, %d pages waiting at one of them, %+v", killed, waiting, r.Adaptation)
}

// waitingIn counts the pages that wait for a decision in the frontier of a crawl.
func waitingIn(t *testing.T, dir string) (n int) {
	t.Helper()
	f, err := frontier.Open(filepath.Join(dir, "state"), frontier.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.EachMeta("pending page ", func(string, []byte) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// What an engineer rejects while the crawl runs is not used any more and not
// learned again; what is accepted then is good everywhere.
func TestRejectAndAcceptWhileCrawling(t *testing.T) {
	t.Parallel()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 3, Posts: 2000})
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(renamed(site, phpbbTheme...), 1)
	base := serve(t, g)
	dir := filepath.Join(t.TempDir(), "crawl")
	var out, errs lockedBuffer
	ended := make(chan int)
	go func() {
		ended <- run(t.Context(), []string{"crawl", "--delay", "0", "--min-space", "0", "--limit", "200", "--out", dir, base + "/"},
			streams{nil, &out, &errs})
	}()
	g.until(t, func() bool { return strings.Contains(errs.String(), "knowledge base reloaded") })
	list := learnedIn(t, "--crawl", dir)
	if len(list) != 1 {
		t.Fatalf("learned: %+v", list)
	}
	id := list[0].ID
	if o := awarc(t, "", "kb", "reject", "--crawl", dir, "--why", "not by me", id[:6]); o.status != exitDone || o.out != id+" rejected in "+
		list[0].File+"\n" {
		t.Fatalf("rejecting: %+v", o)
	}
	until(t, "the reload", func() bool { return strings.Count(errs.String(), "knowledge base reloaded") > 1 })
	rejected := len(readLog(t, dir)) // the log grows while pages are in flight
	g.open()
	if status := <-ended; status != exitLimit {
		t.Fatalf("exit status %d\n%s", status, errs.String())
	}
	const inFlight = 20
	log := readLog(t, dir)
	for i, e := range log[min(len(log), rejected+inFlight):] {
		for _, a := range e.Adapted {
			if strings.HasPrefix(a, id) {
				t.Errorf("page %d after the rejection was read by what was rejected", i+inFlight)
			}
		}
	}
	if len(log) < rejected+2*inFlight {
		t.Fatalf("only %d pages followed the rejection; make the site larger", len(log)-rejected)
	}
	list = learnedIn(t, "--crawl", dir, "--all")
	at := slices.IndexFunc(list, func(l learnedJSON) bool { return l.ID == id })
	if at < 0 || list[at].State != "rejected" || list[at].Why != "not by me" {
		t.Fatalf("after the crawl: %+v", list)
	}

	awarc(t, "", "kb", "accept", "--crawl", dir, id).want(t, exitDone)
	other, otherBase := themed(t, 60) // another site of the theme
	second, o := runCrawl(t, "--kb", filepath.Join(dir, "kb", "learned"), otherBase+"/")
	o.want(t, exitDone, "")
	compareObjects(t, readGraph(t, second), other.Truth(otherBase))
	mendedNothing(t, second)
	awarc(t, "", "kb", "accept", "--crawl", dir, "0000000000").want(t, exitFailed, "no such entry")
	awarc(t, "", "kb", "reject", id).want(t, exitUsage, "no knowledge base: use")
	text := awarc(t, "", "kb", "learned", "--all", "--crawl", dir)
	text.want(t, exitDone, "")
	if !strings.Contains(text.out, id+" phpbb topic(prosilver)") || !strings.Contains(text.out, "\n    + ") ||
		!strings.Contains(text.out, "accepted") {
		t.Errorf("awarc kb learned prints\n%s", text.out)
	}
}

// An editor that saves what it had open takes what was learned away unknowingly:
// the crawl puts it back.
func TestWhatAnEditorOverwritesIsPutBack(t *testing.T) {
	t.Parallel()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 3, Posts: 2000})
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(renamed(site, phpbbTheme...), 1)
	base := serve(t, g)
	original, err := os.ReadFile("../../kb/builtin/phpbb.xml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mine.xml")
	save := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save(original)
	var out, errs lockedBuffer
	ended := make(chan int)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		ended <- run(ctx, []string{"crawl", "--delay", "0", "--min-space", "0", "--limit", "600", "--alone", "--kb", file, "--out",
			filepath.Join(t.TempDir(), "crawl"), base + "/"}, streams{nil, &out, &errs})
	}()
	g.until(t, func() bool { return strings.Contains(errs.String(), "knowledge base reloaded") })
	edited := bytes.Replace(original, []byte("</kb>"), []byte("<!-- mine --></kb>"), 1)
	save(edited)
	until(t, "it to be put back", func() bool { return strings.Contains(errs.String(), "is restored") })
	now, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(now, edited) || !bytes.Equal(learnedElement.ReplaceAll(now, nil), edited) {
		t.Error("the file is not what the engineer saved with what was learned")
	}
	until(t, "the reload", func() bool {
		_, after, _ := strings.Cut(errs.String(), "is restored")
		return strings.Count(after, "knowledge base reloaded") > 1 // with what the engineer saved, and with what was put back
	})
	save(edited) // and meant it
	until(t, "the removal", func() bool { return strings.Contains(errs.String(), "was removed from the knowledge base") })
	stop()
	g.open()
	<-ended
}

func TestExtractShowsWhatWasMended(t *testing.T) {
	t.Parallel()
	site, base := themed(t, 60)
	topic := ""
	for _, o := range site.Truth(base).Objects {
		if o.Class == "sioc:Thread" && topic == "" {
			topic = o.URL
		}
	}
	o := awarc(t, "", "extract", "--format", "json", topic)
	o.want(t, exitDone, "")
	var x extractJSON
	if err := json.Unmarshal([]byte(o.out), &x); err != nil {
		t.Fatal(err)
	}
	if len(x.Adapted) == 0 || x.Adapted[0].From == "" || x.Adapted[0].Expr == "" ||
		!strings.HasPrefix(x.Adapted[0].Action, "phpbb topic(prosilver) ") {
		t.Errorf("adapted is %+v", x.Adapted)
	}
	for _, p := range x.Objects {
		if p.Class == "sioc:Post" && len(p.Fields["created"]) == 0 {
			t.Errorf("%s has no date", p.ID)
		}
	}
	if text := awarc(t, "", "extract", topic); !strings.Contains(text.out, "\n  adapted: phpbb topic(prosilver) ") {
		t.Errorf("it prints\n%s", text.out)
	}
	why := awarc(t, "", "extract", "--explain", topic)
	for _, want := range []string{"\n  decided: phpbb topic(prosilver) ", "\n    none: ", " none 1.00 ", "\n    best: ", ", taken\n"} {
		if !strings.Contains(why.out, want) {
			t.Errorf("--explain does not print %q:\n%s", want, why.out)
		}
	}
	plain := awarc(t, "", "extract", "--no-adapt", topic)
	if strings.Contains(plain.out, "adapted") || !strings.Contains(plain.out, "missing: created") {
		t.Errorf("without adapting:\n%s", plain.out)
	}
}

// TestASentenceIsNoAuthor: a theme has the name of the author's line for a box about the author. Neither the crawl nor what reads its
// archive again, or the page, states an author; what must take the knowledge base at its word does.
func TestASentenceIsNoAuthor(t *testing.T) {
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(`<!DOCTYPE html><title>Ice in the harbour - Quayside</title><meta name="generator" content="WordPress 6.1">` +
			`<body class="single single-post postid-7"><article class="post type-post hentry"><h1 class="entry-title">Ice</h1>` +
			`<div class="entry-content"><p>It froze over in the night, and the ferries stayed where they were.</p></div>` +
			`<div class="byline-bio"><h2>By Jonas Finch</h2><p>He built a boat last autumn, and sails it in any weather.</p></div>` +
			`</article>`))
	}))
	for _, asWritten := range []bool{false, true} {
		var flags []string
		if asWritten {
			flags = append(flags, "--no-adapt")
		}
		dir, o := runCrawl(t, append(flags, "--ignore-robots", base+"/")...)
		o.want(t, exitDone)
		again := t.TempDir()
		awarc(t, "", append([]string{"extract", "--crawl", dir, "--out", filepath.Join(again, "graph")}, flags...)...).want(t, exitDone)
		for _, from := range []string{dir, again} {
			posts := 0
			for _, post := range readGraph(t, from) {
				if strings.HasSuffix(post.class, "BlogPost") {
					posts++
					if author := post.one("creator"); (author != "") != asWritten {
						t.Errorf("as written %v: in %s the author is %q", asWritten, from, author)
					}
				}
			}
			if posts != 1 {
				t.Errorf("%d posts in %s, want 1", posts, from)
			}
		}
		page := awarc(t, "", append([]string{"extract", base + "/"}, flags...)...)
		if page.want(t, exitDone); strings.Contains(page.out, "Jonas") != asWritten {
			t.Errorf("as written %v: the page has\n%s", asWritten, page.out)
		}
	}
}
