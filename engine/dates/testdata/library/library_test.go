package library

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	dateparser "github.com/markusmobius/go-dateparser"
	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/dates"
)

var pages = flag.String("pages", "", "folder of saved pages, whose texts are read by both")

// numeric are dates whose order the library takes from the language.
var numeric = regexp.MustCompile(`\b\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}\b`)

// TestTextsOfPages compares what is read of the texts of saved pages that look like dates with
// what the library reads of them in the page's language and in English.
func TestTextsOfPages(t *testing.T) {
	if *pages == "" {
		t.Skip("no -pages")
	}
	seen := map[[2]string]bool{}
	same, none, ours, theirs, other := 0, 0, 0, 0, 0
	p := dateparser.Parser{ParserTypes: []dateparser.ParserType{dateparser.AbsoluteTime}}
	compare := func(lang, text string) {
		text = strings.Join(strings.Fields(text), " ")
		if !dates.Like(text) || dates.ForPrograms(text) || numeric.MatchString(text) || seen[[2]string{lang, text}] {
			return
		}
		seen[[2]string{lang, text}] = true
		got := dates.NewReader(lang, time.Time{}, func(func(string) bool) {}).Read(text, "")
		want, ask := "", []string{"en"}
		if lang != "" && lang != "en" && languages[lang] != nil {
			ask = []string{lang, "en"}
		}
		if d, err := p.Parse(&dateparser.Configuration{Languages: ask, RequiredParts: []string{"day", "month", "year"}}, text); err == nil {
			want = d.Time.Format(time.DateOnly)
		}
		if want < "1900" || want > "2100" {
			want = ""
		}
		switch day := got[:min(len(got), len(time.DateOnly))]; {
		case day == want && want == "":
			none++
		case day == want:
			same++
		case want == "":
			ours++
			t.Logf("%s: only ours reads %q: %s", lang, text, got)
		case got == "":
			theirs++
			t.Logf("%s: only the library reads %q: %s", lang, text, want)
		default:
			other++
			t.Errorf("%s: %q: got %s, the library %s", lang, text, got, want)
		}
	}
	err := filepath.WalkDir(*pages, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if len(b) > 1<<21 {
			return nil
		}
		doc, err := html.Parse(strings.NewReader(string(b)))
		if err != nil {
			return nil // no page
		}
		lang := ""
		for n := range doc.Descendants() {
			if n.Data == "html" {
				for _, a := range n.Attr {
					if a.Key == "lang" {
						lang, _, _ = strings.Cut(strings.ToLower(a.Val), "-")
					}
				}
			}
			if n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style" {
				compare(lang, n.Data)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d texts: both read %d alike and %d not; %d are dates to us alone, %d to the library alone, %d differ", len(seen), same, none, ours, theirs, other)
	if 100*theirs > same {
		t.Errorf("the library alone reads %d", theirs)
	}
}
