package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

var textMark = regexp.MustCompile(`mark[a-j]{4}z`)

// textsOf counts after how many requests the marked texts of a site were saved, and how many posts of a crawl are right in author, day and
// text.
func textsOf(t *testing.T, dir string, base *kb.Base, truth map[string]writtenText) (c contentAt, right int) {
	t.Helper()
	d, seen, whole := detect.New(base), map[string]bool{}, map[string]bool{}
	for _, e := range readLog(t, dir) {
		if c.requests++; e.Record == "" || e.Status != 200 || !strings.Contains(e.MIME, "html") {
			continue
		}
		p, err := crawl.Folder(dir).ReadPage(t.Context(), d, &e)
		if err != nil {
			t.Fatal(err)
		}
		for n := range p.Doc.Descendants() {
			if n.Type != html.TextNode {
				continue
			}
			for _, mark := range textMark.FindAllString(n.Data, -1) {
				if _, is := truth[mark]; is && !seen[mark] {
					seen[mark] = true
					c.after = append(c.after, c.requests)
				}
			}
		}
		for _, o := range p.Harvest.Objects {
			mark := textMark.FindString(o.Value("content"))
			if w := truth[mark]; w.Mark != "" && o.Value("creator") == w.Creator && strings.HasPrefix(o.Value("created"), w.Created) {
				whole[mark] = true
			}
		}
	}
	c.count(len(truth))
	return c, len(whole)
}

// writtenText is a text of the site, told by the mark in it.
type writtenText struct{ Mark, Creator, Created string }

// TestUndescribedApplications: of real applications that no type describes all texts are saved, nearly all before a blind crawl has them or
// after two times the pages that have them, and with --productive the crawl ends soon after; of a board and two blogs types are drafted
// that have posts, articles and comments with author and text, and with the day where pages say it.
func TestUndescribedApplications(t *testing.T) {
	long(t)
	builtin, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, app := range []string{"spirit", "mezzanine", "trac", "pelican"} {
		t.Run(app, func(t *testing.T) {
			base, at := serveByScript(t, "testdata/e2e/unknown.sh", "truth.json", app)
			data, err := os.ReadFile(filepath.Join(at, "truth.json"))
			if err != nil {
				t.Fatal(err)
			}
			var written []writtenText
			if err := json.Unmarshal(data, &written); err != nil {
				t.Fatal(err)
			}
			truth := map[string]writtenText{}
			for _, w := range written {
				if app == "mezzanine" {
					w.Created = "" // its pages tell the time since, in months
				}
				truth[w.Mark] = w
			}
			crawled := func(kb *kb.Base, args ...string) (dir string, c contentAt, right int) {
				dir, o := runCrawl(t, append(args, base+"/")...)
				if !readReport(t, dir).Finished { // it may leave what may have no end, and servers fail
					o.want(t, exitDone)
				}
				c, right = textsOf(t, dir, kb, truth)
				t.Logf("%s: %v; %d right in author, day and text", strings.Join(append([]string{app}, args...), " "), c, right)
				return dir, c, right
			}
			dir, learned, _ := crawled(builtin, "--productive")
			if learned.saved < len(truth) {
				t.Errorf("%d of %d texts are saved", learned.saved, len(truth))
			}
			_, blind, _ := crawled(builtin, "--blind")
			fewest := len(slices.Compact(blind.after)) // pages with all texts
			if learned.requests > blind.requests || learned.within(95) > max(blind.within(95), 2*fewest) {
				t.Errorf("learned %v, blind %v; %d pages have all", learned, blind, fewest)
			}
			out := t.TempDir()
			o := awarc(t, "", "kb", "draft", "--crawl", dir, "--id", app, "--out", out)
			t.Log(o.out)
			if app == "trac" {
				return // who wrote a page of its wiki stands elsewhere
			}
			file := filepath.Join(out, app+".xml")
			awarc(t, "", "kb", "lint", file).want(t, exitDone)
			awarc(t, "", "kb", "test", "--alone", file).want(t, exitDone)
			drafted, err := kb.Load(kb.Source{Name: file, Data: mustRead(t, file)})
			if err != nil {
				t.Fatal(err)
			}
			if _, right := textsOf(t, dir, drafted, truth); 10*right < 9*len(truth) {
				t.Errorf("of the pages that it was made from, %d of %d texts are right", right, len(truth))
			}
			if _, c, right := crawled(drafted, "--kb", file); 10*right < 9*len(truth) {
				t.Errorf("by its draft %v, %d of %d texts are right", c, right, len(truth))
			}
		})
	}
}

func mustRead(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
