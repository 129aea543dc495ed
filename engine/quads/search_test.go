package quads

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// post is an object of a page, as a crawl writes it.
type post struct {
	id, title, text, by, created, page, extractor string
}

var posts = []post{
	{"1", "The clock of the market", "It was repaired in spring, and naïve visitors took photographs.", "Ines", "2021-03-01T10:00:00Z",
		"http://a.forum.example/t/1", "phpbb/topic"},
	{"2", "Re: The clock", "A photograph of the market. " + strings.Repeat("And then a long discussion followed. ", 40) +
		"At last the lantern was mended.", "Sven O'Neil", "2021-05-02T10:00:00+02:00", "http://a.forum.example/t/1", "phpbb/topic"},
	{"3", "Lantern", "Der Markt und die Laterne wurden im Frühling repariert, und alle Besucher haben sich darüber " +
		"sehr gefreut. " +
		"Danach wurde noch lange über die Kosten gesprochen, die niemand tragen wollte, und über den Winter, der schon vor der Tür " +
		"stand. Am Ende war man sich einig.", "Ines", "2021-05-03", "http://blog.example/3", "wordpress/post"},
	{"4", "東京の天気", "今日は日本語で書きます。天気がいいから散歩しましょう。", "太郎",
		"2022-01-01", "http://blog.example/4", "wordpress/post"},
	{"5", "北京大学图书馆", "我们在图书馆里学习中文，天气很好。", "小明",
		"2022-02-02", "http://blog.example/5", "wordpress/post"},
	{"7", "Łódź", "In der Straße. Œuvre, Øresund. Всё хорошо. 서울에서 만났다.", "Łukasz", "2020-02-02", "http://c.example/7", "x/y"},
	{"6", "\x1b[31mred", "control \u202e characters", "Mallory", "soon", "http://blog.example/6", "wordpress/post"},
}

const dateTime = "<http://www.w3.org/2001/XMLSchema#dateTime>"

func (p post) quads() string {
	graph, id := "<urn:uuid:"+p.id+">", "<"+p.page+"#"+p.id+">"
	meta := "<urn:awarc:meta> .\n"
	q := func(text string) string { return quote(text) }
	return graph + " <http://purl.org/dc/terms/source> <" + p.page + "> " + meta +
		graph + ` <http://www.w3.org/ns/prov#generatedAtTime> "2026-01-0` + p.id + `T00:00:00Z"^^` + dateTime + " " + meta +
		graph + " <urn:awarc:ns#extractor> " + q(p.extractor+"@1") + " " + meta +
		id + " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://rdfs.org/sioc/ns#Post> " + graph + " .\n" +
		id + " <http://purl.org/dc/terms/title> " + q(p.title) + " " + graph + " .\n" +
		id + " <http://rdfs.org/sioc/ns#content> " + q(p.text) + " " + graph + " .\n" +
		id + " <http://purl.org/dc/elements/1.1/creator> " + q(p.by) + " " + graph + " .\n" +
		id + " <http://purl.org/dc/terms/created> " + q(p.created) + "^^" + dateTime + " " + graph + " .\n"
}

// library makes an index of posts, a member each.
func library(t testing.TB, all []post) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range all {
		f, err := os.OpenFile(filepath.Join(dir, "a.nq"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
		if err == nil {
			_, err = f.WriteString(p.quads())
		}
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
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

func ids(f *Found) (ids []string) {
	for _, h := range f.Hits {
		_, id, _ := strings.Cut(h.ID, "#")
		ids = append(ids, id)
	}
	return ids
}

func TestSearch(t *testing.T) {
	r := open(t, library(t, posts))
	date := func(text string) time.Time { d, _ := time.Parse(time.DateOnly, text); return d }
	for _, tc := range []struct {
		s    Search
		want string // the best first
	}{
		{Search{Words: "clock"}, "1 2"}, // the shorter text
		{Search{Words: "CLOCK photographs"}, "1"},
		{Search{Words: "photograph*"}, "1 2"},
		{Search{Words: "photograph* -lantern"}, "1"},
		{Search{Words: "repaired OR mended"}, "1 2"},
		{Search{Words: "clock AND repaired"}, "1"},
		{Search{Words: `"long discussion"`}, "2"},
		{Search{Words: `"discussion long"`}, ""},
		{Search{Words: "naive fruhling OR visitors"}, "1"},
		{Search{Words: "lantern"}, "3 2"}, // a title weighs more
		{Search{Words: "天気"}, "4"},        // two letters
		{Search{Words: "天气"}, "5"},
		{Search{Words: "图书馆"}, "5"},
		{Search{Words: "書館"}, ""},
		{Search{Words: "日本語"}, "4"},
		{Search{Words: "日語"}, ""}, // not in a row
		{Search{Words: "散歩 天気"}, "4"},
		{Search{Words: "clock NOT repaired"}, "2"},
		{Search{Words: "title:lantern"}, "3"},
		{Search{Words: `title:"the clock" -repaired`}, "2"},
		{Search{Words: "market NEAR photograph"}, "2"},
		{Search{Words: "photograph NEAR lantern"}, ""}, // far apart
		{Search{Words: "clock OR lantern NEAR discussion"}, "2 1"},
		{Search{Words: "lodz strasse"}, "7"},
		{Search{Words: "ŁÓDŹ STRASSE"}, "7"},
		{Search{Words: "oeuvre oresund AND 'Œuvre'"}, "7"},
		{Search{Words: "все"}, "7"},
		{Search{Words: "всё"}, "7"},
		{Search{Words: "서울"}, "7"}, // with a particle
		{Search{Words: "서울에서"}, "7"},
		{Search{Words: `don't"`, Host: []string{"x"}}, ""},
		{Search{Words: "clock", Creator: []string{"sven o'neil"}}, "2"},
		{Search{Creator: []string{"Ines"}}, "3 1"}, // the newest first
		{Search{Creator: []string{"Ines", "小明"}}, "5 3 1"},
		{Search{Host: []string{"forum.example"}}, "2 1"},
		{Search{Host: []string{"a.forum.example"}, Words: "repaired"}, "1"},
		{Search{Host: []string{"rum.example"}}, ""},
		{Search{Type: []string{"wordpress"}, Until: date("2022-01-01")}, "3"},
		{Search{Level: []string{"topic"}}, "2 1"},
		{Search{Class: []string{"sioc:Post"}, Since: date("2022-01-01")}, "5 4"},
		{Search{Class: []string{"http://rdfs.org/sioc/ns#Post"}, Limit: 2}, "5 4"},
		{Search{Class: []string{"sioc:Post"}, Limit: 2, Offset: 2}, "3 2"},
		{Search{Class: []string{"sioc:Thread"}}, ""},
		{Search{Words: "clock OR lantern", ByDate: true}, "3 2 1"},
		{Search{Class: []string{"sioc:Post"}, Language: []string{"de"}}, "3"},
		{Search{Language: []string{"zh"}}, "5"},
		{Search{Language: []string{"ja"}, Words: "天気"}, "4"},
	} {
		found, err := r.Search(t.Context(), tc.s)
		if err != nil {
			t.Errorf("%+v: %v", tc.s, err)
			continue
		}
		if got := strings.Join(ids(found), " "); got != tc.want {
			t.Errorf("%+v: got %q of %d, want %q", tc.s, got, found.Total, tc.want)
		}
	}
	for words, want := range map[string][]string{"author:Ines": {"author: is not an operator", "the filter creator"},
		"-site:x.example": {"the filter host"}} {
		_, err := r.Search(t.Context(), Search{Words: words})
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want %q", words, err, part)
			}
		}
	}
	found, err := r.Search(t.Context(), Search{Words: "clock", Class: []string{"sioc:Posts"},
		Host: []string{"a.forum.example", "none.example"}})
	want := []string{"the index has no object of the class sioc:Posts; it has sioc:Post",
		"the index has no object of the host none.example"}
	if err != nil || !slices.Equal(found.Notes, want) {
		t.Errorf("an unknown class: %q, %v", found.Notes, err)
	}
	for _, words := range []string{"", "-a", `"a`, "...", "OR"} {
		var e *SearchError
		if _, err := r.Search(t.Context(), Search{Words: words}); !errors.As(err, &e) {
			t.Errorf("%q: %v", words, err)
		}
	}
}

func TestHitsSayWhereTheyAreFrom(t *testing.T) {
	r := open(t, library(t, posts))
	found, err := r.Search(t.Context(), Search{Words: "lantern mended"})
	if err != nil || len(found.Hits) != 1 {
		t.Fatal(found, err)
	}
	h := found.Hits[0]
	if h.ID != "http://a.forum.example/t/1#2" || !slices.Equal(h.Class, []string{"sioc:Post"}) || h.Title != "Re: The clock" ||
		!slices.Equal(h.Creator, []string{"Sven O'Neil"}) || h.Created != "2021-05-02T10:00:00+02:00" ||
		h.Page != "http://a.forum.example/t/1" ||
		h.Captured != "2026-01-02T00:00:00Z" || h.Record != "urn:uuid:2" || h.Type != "phpbb" || h.Level != "topic" || h.Language != "en" {
		t.Errorf("%+v", h)
	}
	var marked []string
	for _, m := range h.Snippet.Marks {
		marked = append(marked, h.Snippet.Text[m[0]:m[1]])
	}
	if !slices.Equal(marked, []string{"lantern", "mended"}) || !strings.HasPrefix(h.Snippet.Text, "…") || len(h.Snippet.Text) > 300 {
		t.Errorf("%q %q", h.Snippet.Text, marked)
	}
}

// What is said of an object later is found, and what was said of it stays.
func TestSearchSeesWhatChanged(t *testing.T) {
	index := library(t, posts[:2])
	edited := posts[0]
	edited.text, edited.extractor = "It was sold.", "phpbb/topic"
	text := strings.ReplaceAll(edited.quads(), "urn:uuid:1", "urn:uuid:7")
	text = strings.ReplaceAll(text, "2026-01-01", "2026-01-07")
	dir := filepath.Dir(index)
	appendTo(t, filepath.Join(dir, "a.nq"), []byte(text))
	if result := build(t, index, Options{}, dir); result.Rebuilt != "" || result.Read != 8 {
		t.Errorf("%+v", result)
	}
	r := open(t, index)
	for _, words := range []string{"sold", "repaired"} {
		found, err := r.Search(t.Context(), Search{Words: words})
		if err != nil || found.Total != 1 || found.Hits[0].Record != "urn:uuid:7" || found.Hits[0].Captured != "2026-01-07T00:00:00Z" {
			t.Errorf("%s: %+v %v", words, found, err)
		}
	}
}

// Objects of files that name no graph are found, too.
func TestSearchInForeignFiles(t *testing.T) {
	dir := t.TempDir()
	text := `<http://e/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Article> .
<http://e/1> <http://purl.org/dc/terms/title> "A tale"@en .
<http://e/2> <http://purl.org/dc/terms/title> "Another tale, of no class" .
`
	must(t, os.WriteFile(filepath.Join(dir, "a.nt"), []byte(text), 0o644))
	index := filepath.Join(dir, "index.db")
	build(t, index, Options{}, dir)
	found, err := open(t, index).Search(t.Context(), Search{Words: "tale", Host: []string{"e"}})
	if err != nil || found.Total != 1 || found.Hits[0].Title != "A tale" {
		t.Errorf("%+v %v", found, err)
	}
}

// No text that is typed makes a search that full text refuses.
func FuzzSearch(f *testing.F) {
	r, err := Open(f.Context(), library(f, posts))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = r.Close() })
	f.Add(`a "b c" -d e* OR f`)
	f.Add(`NEAR(a b) {title}: ^x AND " ' * -`)
	f.Add("天気 OR -" + `"` + "\x00")
	f.Add("the\x00 tale")
	f.Fuzz(func(t *testing.T, words string) {
		found, err := r.Search(t.Context(), Search{Words: words})
		var e *SearchError
		if err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
		if err == nil {
			for _, h := range found.Hits {
				for _, m := range h.Snippet.Marks {
					_ = fmt.Sprint(h.Snippet.Text[m[0]:m[1]])
				}
			}
		}
	})
}
