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
	same, none, ours, theirs, other, month := 0, 0, 0, 0, 0, 0
	p := dateparser.Parser{ParserTypes: []dateparser.ParserType{dateparser.AbsoluteTime}}
	compare := func(lang, text string) {
		text = strings.Join(strings.Fields(text), " ")
		if !dates.Like(text) || dates.ForPrograms(text) || numeric.MatchString(text) || seen[[2]string{lang, text}] {
			return
		}
		seen[[2]string{lang, text}] = true
		got := dates.NewReader(lang, time.Time{}, func(func(string) bool) {}).Read(text, "")
		if len(got) == len("2006-01") {
			month++
			return // the library is asked for days
		}
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
	t.Logf("%d texts: both read %d alike and %d not; %d are dates to us alone, %d to the library alone, %d differ, %d are months to us",
		len(seen), same, none, ours, theirs, other, month)
	if 100*theirs > same {
		t.Errorf("the library alone reads %d", theirs)
	}
}

// BenchmarkRead reads dates and what is none, the library in the one language that they are in.
func BenchmarkRead(b *testing.B) {
	at := time.Date(2015, 9, 23, 12, 30, 0, 0, time.UTC)
	p := dateparser.Parser{ParserTypes: []dateparser.ParserType{dateparser.AbsoluteTime, dateparser.RelativeTime}}
	for name, texts := range map[string][]string{
		"dates": {"Tue May 12, 2015 10:15 am", "12th May 2015, 22:15", "Yesterday, 10:15 PM", "3 hours ago"},
		"none":  {"Joined: 12 May 2015", "14.04.2012 - 22:43 Titel:", "Version 3.0.12", "Re: May 12"},
	} {
		b.Run(name+"/ours", func(b *testing.B) {
			for range b.N {
				for _, text := range texts {
					dates.NewReader("en", at, func(func(string) bool) {}).Read(text, "")
				}
			}
		})
		b.Run(name+"/library", func(b *testing.B) {
			for range b.N {
				for _, text := range texts {
					_, _ = p.Parse(&dateparser.Configuration{Languages: []string{"en"}, CurrentTime: at}, text)
				}
			}
		})
	}
}
