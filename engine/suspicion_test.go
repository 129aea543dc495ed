package engine

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/parse"
	"github.com/awarc/awarc/kb"
)

// TestFaces: pages that are not what was wanted are recognised, and such as resemble them are not.
func TestFaces(t *testing.T) {
	article := strings.Repeat("<p>Of boats and of wood, at some length, as people write it.</p>", 60)
	for name, c := range map[string]struct{ page, kind string }{
		"react": {`<body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>
			<script src="/static/js/main.js"></script>`, SuspectShell},
		"next":                   {`<body><div id="__next"></div><script src=/_next/x.js></script>`, SuspectShell},
		"angular":                {`<body><app-root></app-root><script src=main.js type=module></script>`, SuspectShell},
		"rendered by the server": {`<body><div id="root">` + article + `</div><div id=ads></div><script src=x.js></script>`, ""},
		"cloudflare": {`<head><title>Just a moment...</title></head><body><div id="c"></div><p>Verify you are human
			<script src="/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1"></script>`, SuspectChallenge},
		"anubis": {`<head><title>Making sure you're not a bot!</title></head><body><h1>Loading...</h1>
			<script src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script>`, SuspectChallenge},
		"ddos-guard": {`<body><h1>Checking your browser</h1>
			<script src="/.well-known/ddos-guard/js-challenge/index.js"></script>`, SuspectChallenge},
		"article behind it": {`<body>` + article + `
			<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>`, ""},
		"login": {`<body><h1>Log in</h1><form>
			<input name=u><input type=password name=p><input type=submit></form>`, SuspectLogin},
		"login box beside an article": {`<body><form><input type=password></form>` + article, ""},
		"consent": {`<body><h1>Before you continue</h1><p>We use cookies and data to deliver services.</p>
			<form action=/save><button>Accept all</button></form>`, SuspectConsent},
		"banner above an article": {`<body><div>We use cookies <button>Accept</button></div>` + article, ""},
		"short page":              {`<body><h1>Notes</h1><p>To come.</p>`, ""},
	} {
		f := look(parse.HTML([]byte(c.page)).Root)
		if got := f.kind(); got != c.kind {
			t.Errorf("%s: %q, want %q: %+v", name, got, c.kind, f)
		}
	}
}

// TestSuspicionsOfAReport: what is usual on a few pages is reported only where it is the rule.
func TestSuspicionsOfAReport(t *testing.T) {
	r := &Report{
		Levels:   map[string]int64{"a/forum": 10, "b/forum": 2},
		Objects:  map[string]int64{"sioc:Post": 250, "sioc:Thread": 9},
		Missing:  map[string]int64{"sioc:Post.content": 250, "sioc:Thread.created": 8},
		Examples: map[string]string{countMissing + "sioc:Post.content": "http://h/1"},
		suspects: map[string]int64{SuspectList + "/a/forum": 4, SuspectList + "/b/forum": 1, SuspectSameText: fewSame - 1},
	}
	r.fillSuspicions()
	var got []string
	for _, s := range r.Suspicions {
		got = append(got, s.Kind+" "+s.Of+" "+s.Example)
	}
	if want := "empty_list b/forum ; field_missing sioc:Post.content http://h/1"; strings.Join(got, "; ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFalseAlarms counts the suspicions about saved pages that hold what was wanted; AWARC_PAGES
// names a folder with them.
func TestFalseAlarms(t *testing.T) {
	dir := os.Getenv("AWARC_PAGES")
	if dir == "" {
		t.Skip("AWARC_PAGES names no folder of saved pages")
	}
	pages, alarms := 0, map[string]int{}
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	d := detect.New(base)
	err = filepath.WalkDir(dir, func(file string, entry os.DirEntry, err error) error {
		name, packed := strings.CutSuffix(file, ".gz")
		if err != nil || entry.IsDir() || !strings.HasPrefix(filepath.Ext(name), ".htm") {
			return err
		}
		data, err := os.ReadFile(file)
		if err == nil && packed {
			var r *gzip.Reader
			if r, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
				data, err = io.ReadAll(r)
			}
		}
		if err != nil {
			return err
		}
		pages++
		p, err := Inspect(d, Answer{HTML: data}, Hints{})
		if err != nil {
			return err
		}
		f := look(p.Doc)
		if kind := f.kind(); kind != "" && !yields(&p.Harvest) {
			if alarms[kind]++; alarms[kind] <= 8 {
				t.Logf("%s: %s, %d letters, %d links", kind, file, f.letters, f.links)
			}
		}
		return nil
	})
	if err != nil || pages == 0 {
		t.Errorf("%d pages: %v", pages, err)
	}
	t.Logf("%d pages, suspicions %v", pages, alarms)
}

// TestUnsurePostsAreReported: posts that the record reader leaves out are counted, not dropped in
// silence, and a draft takes over the posts that it would publish.
func TestUnsurePostsAreReported(t *testing.T) {
	p := &Page{Doc: parse.HTML([]byte("<p>Some words")).Root}
	p.Harvest.Objects = []extract.Object{{Class: "sioc:Thread", Confidence: 0.99}, {Class: "sioc:Post"}, {Class: "sioc:Post"}}
	p.awaitDraft()
	if len(p.Harvest.Objects) != 0 || p.Harvest.Unsure != 2 {
		t.Fatalf("%d objects, %d unsure", len(p.Harvest.Objects), p.Harvest.Unsure)
	}
	e := &Engine{}
	if n := e.suspect(p)[countSuspects+SuspectUnsure]; n != 2 {
		t.Errorf("%d unsure posts, want 2", n)
	}
	r := &Report{suspects: map[string]int64{SuspectUnsure: 2}}
	if r.fillSuspicions(); len(r.Suspicions) != 1 || r.Suspicions[0].Count != 2 || r.Suspicions[0].Text == "" {
		t.Errorf("suspicions %+v", r.Suspicions)
	}
}
