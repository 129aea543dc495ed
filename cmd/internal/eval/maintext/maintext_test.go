package maintext

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/read/text"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/testsites"
)

// TestTextOfTestSites holds a floor: the learned text of pages of the test sites, from which nothing was learned, is what their types
// extract as posts and articles.
func TestTextOfTestSites(t *testing.T) {
	const floor = 0.72 // the lowest mean measured is 0.746, of phpBB subsilver2
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	d := detect.New(base)
	for _, name := range testsites.Names() {
		site, err := testsites.New(name.CMS, name.Template, testsites.Options{Seed: 1, Posts: 60})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(site)
		sum, pages := 0.0, 0
		for _, page := range site.Truth(server.URL).Pages {
			p := inspected(t, d, page.URL)
			got, want := text.Of(p.Doc), extracted(&p)
			if got.Text == "" {
				t.Errorf("%s has no text", page.URL)
			}
			const least = 60 // words
			if len(words(want)) >= least {
				sum, pages = sum+F1(got.Text, want), pages+1
			}
		}
		server.Close()
		mean := sum / float64(pages)
		t.Logf("%s %s: F1 %.3f of %d pages", name.CMS, name.Template, mean, pages)
		if pages == 0 || mean < floor {
			t.Errorf("%s %s: F1 %.3f of %d pages, want at least %.2f", name.CMS, name.Template, mean, pages, floor)
		}
	}
}

func inspected(t *testing.T, d *detect.Detector, address string) engine.Page {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.Inspect(d, engine.Answer{URL: u, Status: answer.StatusCode, Header: answer.Header, HTML: body}, engine.Hints{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestF1(t *testing.T) {
	for _, c := range []struct {
		got, want string
		f1        float64
	}{
		{"a b c", "A, b; c", 1}, {"", "", 1}, {"a", "", 0}, {"", "a", 0}, {"a a", "a b", 0.5}, {"a", "a b c", 0.5},
	} {
		if f := F1(c.got, c.want); math.Abs(f-c.f1) > 1e-9 {
			t.Errorf("%q of %q: %v, want %v", c.got, c.want, f, c.f1)
		}
	}
}

func TestLabels(t *testing.T) {
	blocks := []string{"Home", "Masts of the north", "The masts are made of spruce", "and", "of oak from the south", "Home",
		"Masts of the north"}
	shares, lengths := label(blocks, "Masts of the north\n\nThe masts are made of spruce and of oak from the south")
	if want := []float64{0, 1, 1, 1, 1, 0, 0}; !slices.Equal(shares, want) {
		t.Errorf("%v, want %v", shares, want)
	}
	if !slices.Equal(lengths, []int{1, 4, 6, 1, 5, 1, 4}) {
		t.Errorf("%v", lengths)
	}
}

// TestMeasure learns from pages that all have the same menu and finds that of sites left out.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	var truth strings.Builder
	for i := range 20 {
		name, word := string(rune('a'+i)), strings.Repeat("spruce "+string(rune('a'+i))+"mast. ", 30)
		page := "<body><ul class=menu><li><a href=/>Home page of the yard</a></ul><div class=body><p>" + word + "</p></div>"
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		truth.WriteString(`{"file":"` + name + `.html","url":"http://` + name + `.example/","kind":"article","text":"` + word + `"}` + "\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "truth.jsonl"), []byte(truth.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	var notes strings.Builder
	l := DefaultLearning
	l.First.Trees, l.Second.Trees = 5, 5
	o := Options{Dirs: []string{dir}, Folds: 2, Learning: l, Learn: true, Progress: func(string, int64, int64) {}, Notes: &notes}
	examples, err := Load(base, o)
	if err != nil {
		t.Fatal(err)
	}
	r := Measure(examples, o)
	var out strings.Builder
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, x := range r.Reliability {
		judged += x.Pages
	}
	if judged != 20 || !strings.Contains(out.String(), "0.9 to 1.0") {
		t.Errorf("the confidence of %d pages is compared:\n%s", judged, out.String())
	}
	last := r.Rows[len(r.Rows)-1]
	if last.Pages != 20 || last.Learned < 19 || last.Empty > 0 || r.Model == nil || strings.Count(notes.String(), "\n") != 20 {
		t.Errorf("%+v\n%s%s", last, out.String(), notes.String())
	}
}

// TestReadBenchmark reads a part of a clone of WCXB.
func TestReadBenchmark(t *testing.T) {
	dir := t.TempDir()
	var page bytes.Buffer
	z := gzip.NewWriter(&page)
	_, _ = z.Write([]byte("<p>Masts are made of spruce."))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"html/0007.html.gz": page.Bytes(), "ground-truth/0007.json": []byte(
		`{"url":"http://yard.example/masts","_internal":{"page_type":{"primary":"article"}},"ground_truth":{"main_content":"Masts"}}`)} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pages, err := Read(dir)
	if err != nil || len(pages) != 1 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	html, err := pages[0].HTML()
	p := pages[0]
	if err != nil || string(html) != "<p>Masts are made of spruce." || p.Site() != "yard.example" || p.Kind != "article" ||
		p.Text != "Masts" {
		t.Errorf("%+v, %q, %v", p, html, err)
	}
}
