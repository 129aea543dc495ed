package adapt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

const edits = `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="slip" name="Slip">
<detect><pattern>meta[@name='generator'][@content='Slip']</pattern></detect>
<level id="topic" kind="terminal"><detect><pattern>body[.topic]</pattern></detect>
<object class="sioc:Thread" id="{url}"><field name="title" required="yes">h1</field>
<object class="sioc:Post" at="div[.post]" id="{url}#{@id}"><field name="creator" required="yes">div[.author]/a</field>
<field name="created" as="date" required="yes">div[.meta]/time/@datetime</field>
<field name="modified" as="date">div[.meta]/small/time/@datetime</field>
<field name="content" as="html" required="yes">div[.text]</field></object></object></level></type></category></kb>`

// thread is a page of three posts; edited says that one of them was changed.
func thread(n int, edited bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<html><head><meta name="generator" content="Slip"></head><body class="topic"><h1>Plank %d</h1>`, n)
	for i := range 3 {
		note := ""
		if edited && i == 1 {
			note = `<small>edited <time datetime="2021-05-01T10:00:00Z">later</time></small>`
		}
		fmt.Fprintf(&b, `<div class="post" id="p%[1]d"><div class="author"><a href="/u%[2]d">Ada %[2]d</a><p>Joined: `+
			`<time datetime="2019-0%[3]d-05T08:00:00Z">2019</time></p></div><div class="meta">`+
			`<time datetime="2021-03-0%[3]dT1%[2]d:00:00Z">then`+
			`</time>%[4]s</div><div class="text">Plank %[1]d of the boat was bent today, and held.</div></div>`, 10*n+i, i, i+1, note)
	}
	return b.String() + "</body></html>"
}

// TestOptionalFieldsMayLack learns nothing of a field that few objects have from pages without it,
// and keeps to the action as it is written once a page shows that it works.
func TestOptionalFieldsMayLack(t *testing.T) {
	base, err := kb.Load(kb.Source{Name: "slip.xml", Data: []byte(edits)})
	if err != nil {
		t.Fatal(err)
	}
	b := builtin{base: base, d: detect.New(base), lexicon: NewLexicon(base)}
	l := New(LearnerOptions{})
	for n := range 8 {
		p, h := b.page(t, "slip", fmt.Sprintf("http://slip.example/t%d", n), thread(n, n == 5))
		r := l.Page(base, p, h)
		if r.Pending || len(r.Confirmed) > 0 || r.Failed || r.Attempted && n > 5 {
			t.Fatalf("page %d: attempted %v, failed %v, pending %v, confirmed %v", n, r.Attempted, r.Failed, r.Pending, r.Confirmed)
		}
	}
}

// TestOptionalFieldsOfAllObjects finds an optional field again that all objects have, in the
// attribute that its action reads.
func TestOptionalFieldsOfAllObjects(t *testing.T) {
	source := strings.Replace(edits, `<field name="creator"`, `<field name="title">div[.head]/a/@title</field><field name="creator"`, 1)
	base, err := kb.Load(kb.Source{Name: "slip.xml", Data: []byte(source)})
	if err != nil {
		t.Fatal(err)
	}
	b := builtin{base: base, d: detect.New(base), lexicon: NewLexicon(base)}
	page := strings.ReplaceAll(thread(9, false), `<div class="meta">`,
		`<div class="q3"><a href="#here" title="Re: Plank 9">#</a></div><div class="meta">`)
	page = strings.Replace(page, "<head>", "<head><title>Plank 9</title>", 1)
	p, h := b.page(t, "slip", "http://slip.example/t9", page)
	a := Mend(base, p, h, Judge(p, h), Options{Lexicon: b.lexicon})
	if len(a.Entries) != 1 || !strings.HasSuffix(a.Entries[0].Expr, "/@title") {
		t.Errorf("entries %v, left %v", a.Entries, a.Left)
	}
}

// TestWhyOptionalFieldsAndTotalsAreLeft: of an optional field that half of the posts have in
// another element, and of a total that no page shows, the log has the true reason, the candidate,
// and what helps.
func TestWhyOptionalFieldsAndTotalsAreLeft(t *testing.T) {
	source := strings.Replace(edits, `<field name="title" required="yes">h1</field>`,
		`<field name="title" required="yes">h1</field><total of="sioc:Post" match="(\d+) posts">p[.count]</total>`, 1)
	base, err := kb.Load(kb.Source{Name: "slip.xml", Data: []byte(source)})
	if err != nil {
		t.Fatal(err)
	}
	b := builtin{base: base, d: detect.New(base), lexicon: NewLexicon(base)}
	l := New(LearnerOptions{})
	why := ""
	for n := range 4 {
		page := strings.NewReplacer("<small>", `<em class="change">`, "</small>", "</em>").Replace(thread(n, true))
		page = strings.ReplaceAll(page, `then</time></div>`,
			`then</time><em class="change">edited <time datetime="2021-05-02T10:00:00Z">later</time></em></div>`)
		p, h := b.page(t, "slip", fmt.Sprintf("http://slip.example/t%d", n), page)
		for _, left := range l.Page(base, p, h).Left {
			why += left.String() + "\n"
		}
	}
	for _, d := range l.Finish() {
		for _, left := range d.Left {
			why += left.String() + "\n"
		}
	}
	for _, part := range []string{"sioc:Post modified: the best candidate, ", "em/time/@datetime, is not sure: ",
		"add it to the field as a <try>",
		"no number: slip topic sioc:Thread total sioc:Post: p[.count] gave no number on 4 pages"} {
		if !strings.Contains(why, part) {
			t.Errorf("it does not say %q:\n%s", part, why)
		}
	}
}

// TestHarmfulChangeIsNamed: of two changes of a page, the one that does harm is named, not the
// right one before it.
func TestHarmfulChangeIsNamed(t *testing.T) {
	source := strings.Replace(edits, `<field name="creator"`, `<field name="title">div[.head]/a/@title</field><field name="creator"`, 1)
	base, err := kb.Load(kb.Source{Name: "slip.xml", Data: []byte(source)})
	if err != nil {
		t.Fatal(err)
	}
	b := builtin{base: base, d: detect.New(base), lexicon: NewLexicon(base)}
	page := `<html><head><meta name="generator" content="Slip"></head><body class="topic"><h1>Plank</h1>`
	for i := range 3 {
		page += fmt.Sprintf(`<div class="post" id="p%d"><div class="author"><a>Ada</a></div><p><a title="Re: Plank">#</a></p></div>`, i)
	}
	p, h := b.page(t, "slip", "http://slip.example/t1", page)
	entry := func(field, expr string) kb.Entry {
		return kb.Entry{Place: kb.Place{Type: "slip", Level: "topic", Part: "sioc:Thread/sioc:Post " + field}, Expr: expr}
	}
	entries := []kb.Entry{entry("title", "p/a/@title"), entry("content", "p")}
	s := newSession(base, p, Options{Lexicon: b.lexicon})
	why := harm(h, s.on(withEntries(h.Level, entries)))
	left := s.notBetter(h, h.Level, entries, why).String()
	const want = "not better: slip topic sioc:Thread/sioc:Post content: p gives one value to several objects; " +
		"so the other changes of the page are not used either"
	if left != want {
		t.Errorf("it says %q, want %q", left, want)
	}
}
