package quads

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/graph"
)

// indexOf makes an index of pages, each with its objects, in the order of their captures. A page is "CRAWL URL".
func indexOf(t testing.TB, pages []page) string {
	t.Helper()
	dir := t.TempDir()
	var text []byte
	for i, p := range pages {
		crawl, address, _ := strings.Cut(p.at, " ")
		when := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		c := graph.Capture{ID: fmt.Sprintf("urn:uuid:%08d-0000-4000-8000-000000000000", i), URL: address, Time: when,
			Type: "phpbb", Level: "topic", KBHash: "1", Crawl: "urn:uuid:" + crawl, WARCFile: "a.warc.gz", WARCOffset: int64(100 * i)}
		quads, err := graph.Encode(c, p.objects)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, quads...)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.nq"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(dir, "index.db")
	files, err := Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := Build(t.Context(), index, files, Options{Noted: func(text string) { t.Error(text) }}); err != nil || r.Skipped > 0 {
		t.Fatal(r, err)
	}
	return index
}

type page struct {
	at      string
	objects []graph.Object
}

// thing is an object with its fields: name, value, name, value.
func thing(class, id, parent string, fields ...string) graph.Object {
	o := graph.Object{Class: class, ID: id, Parent: parent}
	for i := 0; i < len(fields); i += 2 {
		o.Fields = append(o.Fields, graph.Field{Name: fields[i], Values: strings.Split(fields[i+1], "|")})
	}
	return o
}

func rowsOf(t *testing.T, r *Reader, s Search) (rows []*Row) {
	t.Helper()
	if err := r.Rows(t.Context(), s, func(row *Row) error { rows = append(rows, row); return nil }); err != nil {
		t.Fatal(err)
	}
	return rows
}

func board() []page {
	const forum, thread = "http://e.example/f", "http://e.example/t"
	post := func(n, created string, fields ...string) graph.Object {
		return thing("sioc:Post", thread+"#"+n, thread, append(fields, "content", "text "+n, "created", created, "creator", "u"+n)...)
	}
	return []page{
		{"a " + forum, []graph.Object{thing("sioc:Forum", forum, "", "title", "A forum")}},
		{"a " + thread + "?p=2", []graph.Object{
			thing("sioc:Thread", thread, forum, "title", "A thread"),
			post("4", "2021-01-04"), {Class: "sioc:Post", ID: thread + "#5", Parent: thread, Fields: []graph.Field{
				{Name: "content", Values: []string{"undated"}}, {Name: "reply_of", Kind: graph.Link, Values: []string{thread + "#4"}}}},
			post("6", "2021-01-06"),
		}},
		{"a " + thread, []graph.Object{
			thing("sioc:Thread", thread, forum, "title", "A thread"),
			post("1", "2021-01-01", "creator_url", "/u/1", "contributor", "Ada|Bo"),
			post("3", "2021-01-03"), post("2", "2021-01-02T10:00:00Z"),
		}},
		{"a http://e.example/b", []graph.Object{
			thing("sioct:Comment", "http://e.example/b#2", "http://e.example/b#1", "content", "an answer", "created", "2020-01-03"),
			thing("sioct:BlogPost", "http://e.example/b", "", "title", "An article", "content", "text", "created", "2020-01-01"),
			thing("sioct:Comment", "http://e.example/b#1", "http://e.example/b", "content", "a comment", "created", "2020-01-02"),
		}},
		{"a http://e.example/alone", []graph.Object{
			thing("sioct:BlogPost", "http://e.example/alone", "", "title", "Another", "content", "text"),
		}},
	}
}

func TestRowsAreInTheOrderOfThreads(t *testing.T) {
	r := open(t, indexOf(t, board()))
	var got []string
	for _, row := range rowsOf(t, r, Search{NotClass: Containers()}) {
		id := func(s string) string { return strings.TrimPrefix(s, "http://e.example/") }
		above := ""
		for _, a := range row.Ancestors {
			above += " " + id(a)
		}
		got = append(got, fmt.Sprintf("%s: %s %s %d%s", id(row.ID), row.Forum, row.Thread, row.Position, above))
	}
	want := []string{
		"t#1: A forum A thread 1", "t#2: A forum A thread 2 t#1", "t#3: A forum A thread 3 t#1", "t#4: A forum A thread 4 t#1",
		"t#5: A forum A thread 5 t#1 t#4", "t#6: A forum A thread 6 t#1",
		"b:  An article 1", "b#1:  An article 2 b", "b#2:  An article 3 b b#1", "alone:   0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if first := rowsOf(t, r, Search{Creator: []string{"u1"}}); !slices.Equal(first[0].Contributor, []string{"Ada", "Bo"}) {
		t.Errorf("contributors %q", first[0].Contributor)
	}
	// Positions are those among all texts of a thread, whatever is looked for.
	some := rowsOf(t, r, Search{Words: "text", Class: []string{"sioc:Post"}, Since: date("2021-01-03"), Limit: 2})
	if len(some) != 2 || some[0].Position != 3 || some[1].Position != 4 || len(some[0].CreatorURL) > 0 {
		t.Errorf("%+v", some)
	}
	first := rowsOf(t, r, Search{Creator: []string{"U1"}})
	if len(first) != 1 || !slices.Equal(first[0].CreatorURL, []string{"http://e.example/u/1"}) || first[0].WARCOffset != 200 ||
		first[0].ForumURL != "http://e.example/f" || first[0].Class[0] != "sioc:Post" || first[0].Page != "http://e.example/t" {
		t.Errorf("%+v", first)
	}
	newest := rowsOf(t, r, Search{ByDate: true, Class: []string{"sioc:Post"}, Offset: 1, Limit: 1})
	if len(newest) != 1 || newest[0].ID != "http://e.example/t#4" || newest[0].Thread != "A thread" {
		t.Errorf("%+v", newest)
	}
	if threads := rowsOf(t, r, Search{Class: []string{"sioc:Thread"}}); len(threads) != 1 || threads[0].Title != "A thread" ||
		threads[0].Forum != "A forum" || threads[0].Position != 0 {
		t.Errorf("%+v", threads)
	}
}

// What the last captures say counts; the parts of a text on several pages are together, what two pages repeat is there once.
func TestRowsAreAsSeenLast(t *testing.T) {
	article := func(title, content string) []graph.Object {
		return []graph.Object{thing("sioct:BlogPost", "http://e.example/b", "", "title", title, "content", content, "creator", "Ines")}
	}
	r := open(t, indexOf(t, []page{
		{"a http://e.example/b", article("Old", "A wrong first page.")},
		{"a http://e.example/b/2", article("Old", "The second page.")},
		{"b http://e.example/b", article("New", "The first page.")},
		{"b http://e.example/b/2", article("New", "The second page, which is longer.")},
		{"b http://e.example/", article("New", "The first page.")},
		{"b http://e.example/feed", article("New", "first")},
		{"b http://e.example/none", []graph.Object{thing("sioct:BlogPost", "http://e.example/b", "")}},
	}))
	rows := rowsOf(t, r, Search{})
	if len(rows) != 2 { // and the account
		t.Fatalf("%+v", rows)
	}
	row := rows[slices.IndexFunc(rows, func(r *Row) bool { return r.Class[0] == "sioct:BlogPost" })]
	if row.Title != "New" || row.Content != "The first page.\nThe second page, which is longer." || row.Page != "http://e.example/none" ||
		!slices.Equal(row.Creator, []string{"Ines"}) {
		t.Errorf("%+v", row)
	}
}

// A post that is a picture has no text, and is one of its thread.
func TestPostsWithoutText(t *testing.T) {
	r := open(t, indexOf(t, []page{{"a http://e.example/t", []graph.Object{
		thing("sioc:Thread", "http://e.example/t", ""), // nothing is known of it
		thing("sioc:Post", "http://e.example/t#1", "http://e.example/t", "content", "text", "created", "2021-01-01"),
		thing("sioc:Post", "http://e.example/t#2", "http://e.example/t", "content_html", `<img src="http://e.example/i.png"/>`),
		thing("sioc:Post", "http://e.example/t#3", "http://e.example/t", "created", "2021-01-03"),
	}}}))
	rows := rowsOf(t, r, Search{})
	if len(rows) != 3 || rows[1].ID != "http://e.example/t#2" || rows[1].HTML == "" || rows[1].Position != 2 || rows[2].Position != 3 {
		t.Errorf("%+v", rows)
	}
	if found, err := r.Search(t.Context(), Search{Class: []string{"sioc:Post"}, Limit: 10}); err != nil || found.Total != 3 {
		t.Errorf("%+v %v", found, err)
	}
}

// Answers that go round in a circle end.
func TestCircles(t *testing.T) {
	r := open(t, indexOf(t, []page{{"a http://e.example/b", []graph.Object{
		thing("sioct:Comment", "http://e.example/b#1", "http://e.example/b#2", "content", "one"),
		thing("sioct:Comment", "http://e.example/b#2", "http://e.example/b#1", "content", "two"),
		thing("sioct:Comment", "http://e.example/b#3", "http://e.example/b#3", "content", "three"),
	}}}))
	if rows := rowsOf(t, r, Search{}); len(rows) != 3 {
		t.Errorf("%d rows", len(rows))
	}
}
