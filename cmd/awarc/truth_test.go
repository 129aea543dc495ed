package main

import (
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cayleygraph/quad"
	"github.com/cayleygraph/quad/nquads"
	"github.com/klauspost/compress/gzip"

	"github.com/awarc/awarc/testsites"
)

// graphObject is one object as the graph of a crawl has it, all its captures
// taken together.
type graphObject struct {
	class, id string
	props     map[string]map[string]bool // local name of the property -> values
}

func (o *graphObject) one(name string) string {
	for v := range o.props[name] {
		return v
	}
	return ""
}

// whole joins the values of a property in the order in which they stand in the
// text: a post that goes on over several pages has a value for each.
func (o *graphObject) whole(name, text string) string {
	text = squeeze(text)
	var values []string
	for v := range o.props[name] {
		values = append(values, squeeze(v))
	}
	slices.SortFunc(values, func(a, b string) int { return strings.Index(text, a) - strings.Index(text, b) })
	return strings.Join(values, "")
}

// readGraph reads the N-Quads of a crawl back: what its users would load.
func readGraph(t *testing.T, dir string) map[string]*graphObject {
	t.Helper()
	objects := map[string]*graphObject{}
	files, _ := filepath.Glob(filepath.Join(dir, "graph", "*.nq.gz"))
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		r := nquads.NewReader(z, true)
		for {
			q, err := r.ReadQuad()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			addQuad(objects, q)
		}
		f.Close()
	}
	return objects
}

var localName = regexp.MustCompile(`[^/#:]*$`)

func plain(v quad.Value) string {
	switch v := v.(type) {
	case quad.IRI:
		return string(v)
	case quad.TypedString:
		return string(v.Value)
	case quad.LangString:
		return string(v.Value)
	case quad.String:
		return string(v)
	default:
		return fmt.Sprint(quad.NativeOf(v))
	}
}

func addQuad(objects map[string]*graphObject, q quad.Quad) {
	id := plain(q.Subject)
	o := objects[id]
	if o == nil {
		o = &graphObject{id: id, props: map[string]map[string]bool{}}
		objects[id] = o
	}
	name, value := localName.FindString(plain(q.Predicate)), plain(q.Object)
	if name == "type" && strings.Contains(value, "rdfs.org/sioc") {
		if local := localName.FindString(value); o.class == "" || local != "Post" && local != "Forum" { // the superclasses
			o.class = local
		}
	}
	if o.props[name] == nil {
		o.props[name] = map[string]bool{}
	}
	o.props[name][value] = true
}

var lastNumber = regexp.MustCompile(`(\d+)\D*$`)

// squeeze removes all white space: what differs between text renderings.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

func TestCrawlOfEachTestSiteEqualsItsTruth(t *testing.T) {
	for _, name := range testsites.Names() {
		t.Run(name.CMS+"-"+name.Template, func(t *testing.T) {
			t.Parallel()
			site, err := testsites.New(name.CMS, name.Template, testsites.Options{Seed: 11, Posts: 150, Traps: true})
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(site)
			defer server.Close()
			dir := filepath.Join(t.TempDir(), "crawl")
			var out, errs strings.Builder
			if status := run(t.Context(), []string{"crawl", "--delay", "0", "--min-space", "0", "--out", dir, server.URL + "/"},
				streams{nil, &out, &errs}); status != exitDone {
				t.Fatalf("exit status %d\n%s%s", status, out.String(), errs.String())
			}
			checkTruth(t, dir, site, server.URL)
			checkArchive(t, dir)
			compareObjects(t, readGraph(t, dir), site.Truth(server.URL))
			checkRequests(t, site, server.URL)
		})
	}
}

// checkRequests holds the requests against the pages that an archive needs.
func checkRequests(t *testing.T, site *testsites.Site, base string) {
	t.Helper()
	requests := site.Requests().Total
	needed := len(site.Truth(base).Pages)
	if most := needed + needed/5 + 10; requests > most {
		t.Errorf("%d requests for %d pages; at most %d are worth it", requests, needed, most)
	}
	if twice := site.Requests().Twice(); len(twice) > 0 {
		t.Errorf("asked for more than once: %v", twice)
	}
	t.Logf("%d requests for %d canonical pages", requests, needed)
}

func compareObjects(t *testing.T, graph map[string]*graphObject, truth testsites.Truth) {
	t.Helper()
	byNumber := map[string]*graphObject{}
	for id, o := range graph {
		if o.class != "" {
			byNumber[o.class+" "+id] = o
			if m := lastNumber.FindStringSubmatch(id); m != nil {
				byNumber[o.class+" "+m[1]] = o
			}
		}
	}
	wrong := 0
	report := func(o testsites.Object, what, got, want string) {
		if wrong++; wrong <= 10 {
			t.Errorf("%s %s: %s is %q, want %q", o.Class, o.ID, what, got, want)
		}
	}
	checked := map[string]int{}
	for _, o := range truth.Objects {
		local := localName.FindString(o.Class)
		if local == "WebPage" {
			continue
		}
		g := byNumber[local+" "+o.ID]
		if local == "BlogPost" { // its id is its address
			g = byNumber[local+" "+o.URL]
		}
		if g == nil && o.Pingback {
			continue // some themes show no number of it; it is in the count
		}
		if g == nil {
			report(o, "object", "missing", o.URL)
			continue
		}
		checked[o.Class]++
		if o.Title != "" && local != "Post" && squeeze(g.one("title")) != squeeze(o.Title) {
			report(o, "title", g.one("title"), o.Title)
		}
		if local == "Forum" && len(g.props["has_parent"]) == 0 {
			continue // no thread says where an empty forum is
		}
		if local == "Thread" || local == "Forum" {
			in := lastNumber.FindStringSubmatch(g.one("has_parent"))
			if len(in) == 0 || in[1] != o.Parent || len(g.props["has_container"]) != 0 || len(g.props["has_parent"]) != 1 {
				report(o, "forum", fmt.Sprint(g.props["has_container"], g.props["has_parent"]), o.Parent)
			}
			continue
		}
		if !g.props["creator"][o.Creator] && o.Creator != "" {
			report(o, "creator", g.one("creator"), o.Creator)
		}
		if !o.Pingback && !sameTime(g.one("created"), o.Created) {
			report(o, "created", g.one("created"), o.Created)
		}
		if got := g.whole("content", o.Content); !o.Hidden && got != squeeze(o.Content) {
			report(o, "content", got, o.Content)
		}
		if o.Hidden && len(g.props["content"]) > 0 {
			report(o, "content", g.one("content"), "")
		}
		parent := g.one("has_container")
		if parent == "" { // what is in a container answers what it quotes
			parent = g.one("reply_of")
		}
		want := o.Parent
		if o.ReplyTo != "" {
			want = o.ReplyTo
		}
		if local != "BlogPost" && parent == "" {
			report(o, "parent", parent, want)
		} else if m := lastNumber.FindStringSubmatch(parent); local == "Post" && m[1] != want {
			report(o, "parent", parent, want)
		} else if o.ReplyTo != "" && m[1] != want {
			report(o, "parent", parent, want)
		}
	}
	t.Logf("checked %v, %d differences", checked, wrong)
}

// sameTime compares a date with the truth as finely as the truth is.
func sameTime(got, want string) bool {
	return want == "" || strings.HasPrefix(strings.TrimSuffix(got, "Z"), want)
}
