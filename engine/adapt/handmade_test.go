package adapt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// handmade is an article of a theme without the classes that the software gives, with the newest comments of the site beside it, and
// comments below.
func handmade(n int, comments ...string) string {
	var b strings.Builder
	title := []string{"Splicing the eye", "Ice in the harbour", "A new mast", "The last ferry"}[n%4]
	fmt.Fprintf(&b, `<html><head><title>%[1]s - Quayside</title><meta name="generator" content="WordPress 3.2">`+
		`<meta name="Author" content="Mona Lund">
</head><body><h1><a href="/">Quayside</a></h1><div class="box"><h2>%[1]s</h2>
<p class="line">Mona Lund Posted on 2010.12.%02[3]d 23:42 // <a href="/log/%[2]d/#comments">%[4]d Comments</a></p>`+
		`<div class="boxtext">%[5]s</div></div>`,
		title, n, n+3, len(comments), strings.Repeat("<p>"+sentenceOf+"</p>", 5))
	b.WriteString(`<ol class="commentlist">`)
	for i, c := range comments {
		fmt.Fprintf(&b, `<li class="%s" id="comment_%d%d"><cite><a class="url" href="http://quay%d.example/">%s</a></cite> says: <br>
<small class="commentmetadata"><a href="#comment_%[2]d%[3]d">2011.01.%02[6]d 16:58</a></small><p>%[7]s</p></li>`,
			[]string{"alt", ""}[i%2], 58+n, 10+i, i, []string{"Otto Berg", "Ina Vik", "Bo Ek", "Cyd Aas"}[i%4], i+2, c)
	}
	b.WriteString(`</ol><div class="box"><h6>Newest comments</h6><ul>`)
	for i := range 4 {
		fmt.Fprintf(&b, `<li class="recentcomments">`+
			`<a href="/log/%d/#comment_%d">Otto on splicing three strands of rope in winter</a></li>`, i+7, i)
	}
	b.WriteString(`</ul></div></body></html>`)
	return b.String()
}

var replies = []string{
	"Well said, and I have been on that ferry myself more than once.", "We did it with nylon, which stretches more than you would think.",
	"Nobody told me that the mast had gone, thank you for the pictures.", "See you there on Sunday, if the weather holds until then.",
}

// TestAPostThatNothingTellsButItsParts: neither a class nor the address nor a statement says that the page is a post; its
// title, date, author and text do.
func TestAPostThatNothingTellsButItsParts(t *testing.T) {
	b := loadBuiltin(t)
	p, h := b.page(t, "wordpress", "https://quayside.example/log/1/", handmade(1))
	if h.Level != nil {
		t.Fatalf("the level is told by %v", h.Level.ID)
	}
	got := strings.Join(fieldsOf(b.mend(p, h).Harvest), "\n")
	for _, want := range []string{"title = Ice in the harbour", "creator = Mona Lund", "created = 2010-12-04T23:42:00"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	p, h = b.page(t, "wordpress", "https://quayside.example/log/1/", strings.Replace(handmade(1), "2010.12.04 23:42", "gladly", 1))
	if a := b.mend(p, h); a.Harvest.Level != nil && a.Harvest.Level.ID == "post" {
		t.Errorf("a post without a date: %v", a.Entries)
	}
}

// TestCommentsOfAThemeByHand: comments are found, each once, on a page that comes after many without any.
func TestCommentsOfAThemeByHand(t *testing.T) {
	b := loadBuiltin(t)
	l := New(LearnerOptions{Options: Options{Lexicon: b.lexicon}})
	for n := range 30 {
		url := fmt.Sprintf("https://quayside.example/log/%d/", n)
		page := handmade(n)
		if n == 29 {
			page = handmade(n, replies...)
		}
		p, h := b.page(t, "wordpress", url, page)
		p.Captured = time.Date(2012, 1, 1, 0, 0, 0, 0, time.UTC)
		r := l.Page(b.base, p, h)
		if n < 29 {
			continue
		}
		if r.Provisional == nil {
			t.Fatalf("nothing is learned: %v", fieldsOf(r.Harvest))
		}
		got := strings.Join(fieldsOf(*r.Provisional), "\n")
		if n := strings.Count(got, "content = "); n != 1+len(replies) {
			t.Errorf("%d contents of a post with %d comments:\n%s", n, len(replies), got)
		}
	}
}

func TestDatesAmongWords(t *testing.T) {
	for text, want := range map[string]string{
		"Ada Posted on 2010.12.31 23:42 // 11 Comments": "2010.12.31 23:42",
		"by Ada on May 4, 2019 at 5:30 pm in News":      "May 4, 2019 at 5:30 pm",
		"Veröffentlicht am 4. Mai 2019 von Ada":         "4. Mai 2019",
		"Publicado el 4 de mayo de 2019 por Ada":        "4 de mayo de 2019",
		"Ada 2019年5月4日 投稿":                              "2019年5月4日",
		"31/12/2010 23:42":                              "",
		"version 10.2010.12 of 3 files":                 "",
		"Ada wrote 12 posts":                            "",
	} {
		got := ""
		if m := dateAmong(text); m != nil {
			got = m.Cut(text)
		}
		if got != want {
			t.Errorf("%q is cut to %q, want %q", text, got, want)
		}
	}
}

// TestMarksOfComments: what a post without comments has beside it, a list of links to the newest ones, is no mark of its own.
func TestMarksOfComments(t *testing.T) {
	b := loadBuiltin(t)
	newest := `<li class="recentcomments" id="comment_7"><a href="/log/7/#c1">Otto on splicing three strands of rope in winter</a></li>`
	for name, c := range map[string]struct {
		beside string
		want   bool
	}{
		"nothing":             {"", false},
		"links to the newest": {"<ul>" + newest + "</ul>", false},
		"one with a number":   {`<div id="comment_581"><b>Otto</b> ` + replies[0] + `</div>`, true},
		"a form":              {`<div id="comment-form-1"><label>` + replies[0] + `</label></div>`, false},
	} {
		p, h := b.page(t, "wordpress", "https://quayside.example/ice/", `<html><head><title>Ice - Quayside</title></head>`+
			`<body class="single single-post postid-7"><article class="post type-post hentry"><h1 class="entry-title">Ice</h1>`+
			`<div class="entry-content"><p>`+sentenceOf+`</p></div></article>`+c.beside+`</body></html>`)
		got := slices.ContainsFunc(Judge(p, h), func(f Fault) bool {
			return f.Kind == NoObject && strings.Contains(f.Place.Part, "sioct:Comment")
		})
		if got != c.want {
			t.Errorf("%s: marks of comments: %v, want %v", name, got, c.want)
		}
	}
}
