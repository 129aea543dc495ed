package crawl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// TestPointOnAnArchivedPage: of a page of an archive and others of its level, an expression for what somebody points at is read off that
// holds on all of them.
func TestPointOnAnArchivedPage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "crawl")
	crawled(t, dir, Options{Seeds: []string{serve(t, "phpbb", "prosilver", 120)}})
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	d := detect.New(base)
	topics, err := Folder(dir).Exchanges(10, func(e *engine.Exchanged) bool { return e.Level == "topic" })
	if err != nil || len(topics) < 3 {
		t.Fatalf("%d topics, %v", len(topics), err)
	}
	p, err := Folder(dir).FindPage(t.Context(), d, topics[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	others, err := Folder(dir).PagesLike(t.Context(), d, p, 2)
	if err != nil || len(others) != 2 {
		t.Fatalf("%d other pages, %v", len(others), err)
	}
	of := p.Extracted()
	name := ""
	for _, o := range p.Harvest.Objects {
		if v, ok := o.Values("creator"); ok && o.Class == "sioc:Post" && name == "" {
			name = v[0]
		}
	}
	at, ok := adapt.PointAt(of.Doc, name)
	if !ok {
		t.Fatalf("%q is not on the page", name)
	}
	got, err := adapt.Point(base, p.Harvest.Level, of, at, others, adapt.PointOptions{Class: "sioc:Post", Field: "creator"})
	if err != nil {
		t.Fatal(err)
	}
	if f := got.Proposals[0].Fit; f.Pages != 3 || f.On != 3 || f.Share() < 0.9 {
		t.Errorf("the best: %+v", got.Proposals[0])
	}
	if _, err := Folder(dir).FindPage(t.Context(), d, "http://elsewhere.example/"); err == nil {
		t.Error("a page that was never fetched is found")
	}
}

// TestFirstExchanges: the log is read from its beginning, however long it is, and a line that is being written is left out.
func TestFirstExchanges(t *testing.T) {
	dir := t.TempDir()
	var log strings.Builder
	for i := 0; log.Len() < 2*LogTail; i++ {
		fmt.Fprintf(&log, "{\"url\":\"http://a.example/%d\",\"status\":%d,\"mime\":%q}\n", i/2, 200+i%2, strings.Repeat("x", 500))
	}
	log.WriteString(`{"url":"http://a.example/torn","sta`)
	if err := os.Mkdir(filepath.Join(dir, "log"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "log", "crawl.jsonl"), []byte(log.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	first, err := FirstExchanges(dir, 3, func(e *engine.Exchanged) bool { return e.Status == 200 })
	if err != nil || len(first) != 3 || first[0].URL != "http://a.example/0" || first[2].URL != "http://a.example/2" {
		t.Errorf("the first three are %v, %v", first, err)
	}
	all, err := FirstExchanges(dir, 1<<20, func(*engine.Exchanged) bool { return true })
	if want := (strings.Count(log.String(), "\n") + 1) / 2; err != nil || len(all) != want {
		t.Errorf("%d of %d addresses, %v", len(all), want, err)
	}
}
