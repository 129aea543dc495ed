package engine_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// levelOf translates the level names of index.tsv; "other" pages have none.
var levelOf = map[string]string{"forum-index": "index", "topic-list": "forum", "post-list": "topic", "profile": "profile"}

// levelByEye corrects levels that index.tsv guessed from file names.
var levelByEye = []struct{ file, level, why string }{
	{"phpbb/mirror-cf.net/index.php[?]c=*", "index", "the index with one category open"},
	{"phpbb/mirror-cf.net/viewforum.php[?]f=*&mark=topics.html", "", "a message: all topics were marked as read"},
	{"phpbb/mirror-cf.net/viewforum.php[?]f=8.html", "", "a log-in form"},
	{"phpbb/mirror-eaglecraft/index.html", "", "a portal that only announces news"},
	{"phpbb/mirror-eaglecraft/index.php.html", "", "the same portal"},
	{"phpbb/mirror-eaglecraft/index.php@start=*", "", "the same portal"},
	{"vbulletin/civfanatics.ru/formasaurus-www.civfanatics.ru-0.html", "", "the front page of a content system"},
	{"vbulletin/mirror-tekkenzaibatsu-vb2/forums/showthread955e.html", "", "a system message"},
	{"vbulletin/mirror-tekkenzaibatsu-vb2/forums/showthreade5e3.html", "", "a system message"},
	{"vbulletin/mirror-tekkenzaibatsu-vb2/forums/member2c5f.html", "", "no permission"},
	{"vbulletin/mirror-tekkenzaibatsu-vb2/forums/member3114.html", "", "no permission"},
	{"vbulletin/mirror-tekkenzaibatsu-vb2/forums/member900e.html", "", "no permission"},
	{"vbulletin/mirror-tekkenzaibatsu-vb2/forums/membere751.html", "", "no permission"},
	{"vbulletin/mirror-tekkenzaibatsu-vb2/forums/memberfd72.html", "", "no permission"},
	{"vbulletin/mirror-tekkenzaibatsu-vb2/forums/memberfd8c.html", "", "no permission"},
}

type savedPage struct{ cms, level, file string }

func savedPages(t *testing.T) []savedPage {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(pagesDir, "index.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var pages []savedPage
	for _, line := range strings.Split(string(data), "\n")[1:] {
		c := strings.Split(strings.TrimRight(line, "\r"), "\t")
		if len(c) < 8 {
			continue
		}
		p := savedPage{cms: c[0], level: levelOf[c[2]], file: c[7]}
		for _, e := range levelByEye {
			if ok, _ := path.Match(e.file, p.file); ok {
				p.level = e.level
			}
		}
		pages = append(pages, p)
	}
	return pages
}

// TestForumDetection finds type and level of every saved page of vBulletin and
// phpBB, and calls no page of other software so.
func TestForumDetection(t *testing.T) {
	needPages(t)
	d := builtinDetector(t)
	forums := []string{"phpbb", "vbulletin"}
	type count struct{ pages, types, levels int }
	counts := map[string]*count{"phpbb": {}, "vbulletin": {}}
	table := map[string]int{}
	for _, want := range savedPages(t) {
		p := inspectFile(t, d, filepath.Join(pagesDir, want.file))
		typ, level := "", ""
		if p.Finding.Type != nil {
			typ = string(p.Finding.Type.ID)
		}
		if l := p.Finding.Level(); l != nil {
			level = string(l.ID)
		}
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
	for cms, least := range map[string]count{"phpbb": {pages: 257, types: 257, levels: 257}, "vbulletin": {pages: 128, types: 128, levels: 128}} {
		c := counts[cms]
		t.Logf("%s: %d pages, type right %d, level right %d", cms, c.pages, c.types, c.levels)
		if c.pages < least.pages || c.types < least.types || c.levels < least.levels {
			t.Errorf("%s: %d pages, type right %d, level right %d; the floor is %d, %d, %d", cms, c.pages, c.types, c.levels, least.pages, least.types, least.levels)
		}
	}
}
