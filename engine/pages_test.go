package engine_test

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
)

// levelOf translates the level names of index.tsv; "other" pages have none.
var levelOf = map[string]string{"forum-index": "index", "topic-list": "forum", "post-list": "topic", "profile": "profile"}

// correction is a level of index.tsv, which guessed from file names, as a reader
// of the page corrected it.
type correction struct{ file, level string }

// corrections reads kb/testdata/truth, where `awarc eval quality` finds them too.
func corrections(t *testing.T) []correction {
	t.Helper()
	files, err := filepath.Glob("../kb/testdata/truth/*.tsv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corrections by eye: %v", err)
	}
	var out []correction
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(data), "\n") {
			if c := strings.Split(line, "\t"); len(c) > 1 && !strings.HasPrefix(line, "#") {
				out = append(out, correction{c[0], c[1]})
			}
		}
	}
	return out
}

type savedPage struct{ cms, level, file string }

func savedPages(t *testing.T) []savedPage {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(pagesDir, "index.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	byEye := corrections(t)
	var pages []savedPage
	for _, line := range strings.Split(string(data), "\n")[1:] {
		c := strings.Split(strings.TrimRight(line, "\r"), "\t")
		if len(c) < 8 {
			continue
		}
		p := savedPage{cms: c[0], level: levelOf[c[2]], file: c[7]}
		for _, e := range byEye {
			if ok, _ := path.Match(e.file, p.file); ok {
				p.level = e.level
			}
		}
		pages = append(pages, p)
	}
	return pages
}

// detected are the types and levels of the saved pages by their files, found once for all tests that ask.
var detected = sync.OnceValues(func() (map[string]detection, error) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		return nil, err
	}
	d, found := detect.New(base), map[string]detection{}
	index, err := os.ReadFile(filepath.Join(pagesDir, "index.tsv"))
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(string(index), "\n")[1:] {
		c := strings.Split(strings.TrimRight(line, "\r"), "\t")
		if len(c) < 8 {
			continue
		}
		body, err := os.ReadFile(filepath.Join(pagesDir, c[7]))
		if err != nil {
			return nil, err
		}
		doc := engine.Parse(engine.Answer{URL: &url.URL{Scheme: "http", Host: "localhost", Path: "/" + path.Base(c[7])},
			HTML: fetch.DecodeHTML(body, "").HTML})
		typ, level := typeAndLevel(engine.Page{Finding: d.Page(doc, detect.Hints{})})
		found[c[7]] = detection{typ, level}
	}
	return found, nil
})

type detection struct{ typ, level string }

// detectSaved is detected, where there are saved pages.
func detectSaved(t *testing.T) map[string]detection {
	t.Helper()
	needPages(t)
	found, err := detected()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestForumDetection finds type and level of every saved page of vBulletin and
// phpBB, and calls no page of other software so.
func TestForumDetection(t *testing.T) {
	found := detectSaved(t)
	forums := []string{"phpbb", "vbulletin"}
	type count struct{ pages, types, levels int }
	counts := map[string]*count{"phpbb": {}, "vbulletin": {}}
	table := map[string]int{}
	for _, want := range savedPages(t) {
		typ, level := found[want.file].typ, found[want.file].level
		if !slices.Contains(forums, want.cms) {
			if slices.Contains(forums, typ) {
				t.Errorf("%s is a page of %s, detected as %s", want.file, want.cms, typ)
			}
			continue
		}
		c := counts[want.cms]
		c.pages++
		if typ == want.cms {
			c.types++
		} else {
			t.Logf("%s: type %q", want.file, typ)
		}
		if level == want.level {
			c.levels++
		} else {
			t.Logf("%s: level %q, want %q", want.file, level, want.level)
		}
		table[fmt.Sprintf("%-9s %-8s -> %s/%s", want.cms, want.level, typ, level)]++
	}
	var rows []string
	for row, n := range table {
		rows = append(rows, fmt.Sprintf("%s %d", row, n))
	}
	slices.Sort(rows)
	t.Logf("expected -> detected, pages:\n%s", strings.Join(rows, "\n"))
	for cms, least := range map[string]count{"phpbb": {pages: 257, types: 257, levels: 257},
		"vbulletin": {pages: 128, types: 128, levels: 128}} {
		c := counts[cms]
		t.Logf("%s: %d pages, type right %d, level right %d", cms, c.pages, c.types, c.levels)
		if c.pages < least.pages || c.types < least.types || c.levels < least.levels {
			t.Errorf("%s: %d pages, type right %d, level right %d; the floor is %d, %d, %d", cms, c.pages, c.types, c.levels, least.pages,
				least.types, least.levels)
		}
	}
}
