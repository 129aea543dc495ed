package extract

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
)

// What was learned on a site is used there, after what an author wrote, and is
// told of; elsewhere it is not used.
func TestLearnedTriesApplyOnTheirSite(t *testing.T) {
	typ := typeOf(t, "", topic(`<follow to="topic">a[@class='next']</follow>
		<object class="sioc:Thread" id="{url}"><field name="title">h1</field><total of="sioc:Post">b</total>
		<object class="sioc:Post" at="li" id="{url}#{@id}"><field name="creator">u</field></object></object>`))
	page := `<h1>Old</h1><h2>New</h2><i>7 posts</i><a class="further" href="topic?id=6">on</a><div id="p1"><s>Ada</s></div><div id="p2">` +
		`<u>Bob</u><s>no</s></div>`
	for _, c := range []struct{ site, want string }{
		{"h.example/f", "Thread topic?id=5 title=Old\nPost topic?id=5#p1 has_container topic?id=5 creator=Ada\nPost topic?id=5#p2 " +
			"has_container topic?id=5 creator=Bob\n"},
		{"other.example", "Thread topic?id=5 title=Old\n"},
	} {
		l, used := typ.Levels[0], 0
		for _, s := range l.Spots() {
			expr := map[string]string{"follow topic": "a[@class='further']", "sioc:Thread title": "h2", "sioc:Thread total sioc:Post": "i",
				"sioc:Thread/sioc:Post": "div", "sioc:Thread/sioc:Post creator": "s"}[s.Part]
			if expr == "" {
				continue
			}
			e := kb.Entry{Place: s.Place, Expr: expr, Provenance: kb.Provenance{Site: c.site}}
			try, err := e.Try()
			if err != nil {
				t.Fatal(err)
			}
			l = l.With(s.Place, try)
			used++
		}
		one := *typ
		one.Levels = []*kb.Level{l}
		h := harvest(t, &one, page)
		got := ""
		for _, o := range h.Objects {
			got += describe(Harvest{Objects: []Object{o}})
		}
		if got != c.want {
			t.Errorf("learned at %s: the objects are\n%swant\n%s", c.site, got, c.want)
		}
		here := c.site == "h.example/f"
		// the title has one that works
		if here != (len(h.Links) == 1) || here != (len(h.Totals) == 1) || here != (len(h.Learned) == used-1) {
			t.Errorf("learned at %s: %d links, %d totals, %d of %d learned entries used", c.site, len(h.Links), len(h.Totals),
				len(h.Learned), used)
		}
	}
}

// TestLearnedCuts: what was learned to cut out of a text is cut beside what an author cuts, on its site, and told of.
func TestLearnedCuts(t *testing.T) {
	typ := typeOf(t, "", topic(`<object class="sioc:Thread" id="{url}">
		<field name="content" as="html"><try>div</try><without>s</without></field></object>`))
	for site, want := range map[string]string{"h.example": "A text", "other.example": "A text edit"} {
		l := typ.Levels[0]
		for _, spot := range l.Spots() {
			if !spot.Cuts() {
				continue
			}
			e := kb.Entry{Place: spot.Place, Expr: "i", Provenance: kb.Provenance{Site: site}}
			try, err := e.Try()
			if err != nil {
				t.Fatal(err)
			}
			l = l.With(spot.Place, try)
		}
		one := *typ
		one.Levels = []*kb.Level{l}
		h := harvest(t, &one, `<div><s>old</s>A text<i> edit</i></div>`)
		if got := h.Objects[0].Value("content"); got != want || (len(h.Learned) == 1) != (site == "h.example") {
			t.Errorf("learned at %s: %q by %d entries, want %q", site, got, len(h.Learned), want)
		}
	}
}

// TestIDOfMovedObject: the number that names a post is found where a new template
// has it, but only for nodes that a learned expression found.
func TestIDOfMovedObject(t *testing.T) {
	tmpl, err := kb.NewTemplate(`viewtopic.php?p={span[@class='name']/a/@name ~ \d+}`)
	if err != nil {
		t.Fatal(err)
	}
	const body = `<div class="msg"><a name="p17"></a><p>One</p></div>`
	level := func(learned *kb.Entry) *kb.Level {
		x, err := kb.NewExpr("div[@class='msg']")
		if err != nil {
			t.Fatal(err)
		}
		return &kb.Level{ID: "topic", Kind: kb.Terminal,
			Objects: []*kb.Object{{Class: "sioc:Post", ID: []*kb.Template{tmpl}, At: []*kb.Try{{Expr: x, Learned: learned}}}}}
	}
	run := func(v *kb.Level) []Object {
		root, err := html.Parse(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		u := &url.URL{Scheme: "http", Host: "forum.example", Path: "/viewtopic.php"}
		return Run(Page{Doc: root, URL: u, Type: &kb.Type{}, Levels: []*kb.Level{v}}).Objects
	}
	if got := run(level(&kb.Entry{})); len(got) != 1 || got[0].ID != "http://forum.example/viewtopic.php?p=17" {
		t.Errorf("%+v", got)
	}
	if got := run(level(nil)); len(got) != 0 {
		t.Errorf("an author's expression names %+v", got)
	}
}

// TestSignatureIsNoContent: what was learned ends above the line that boards write over a
// signature, unless it is quoted, and without their note that it was changed; what an
// author wrote says for itself where it ends.
func TestSignatureIsNoContent(t *testing.T) {
	const line = "_________________"
	typ := typeOf(t, "", topic(`<object class="sioc:Post" id="{url}"><field name="content" as="html">div</field></object>`))
	for page, want := range map[string]string{
		`<p>One.<br>` + line + `<br>Fair winds</p>`:                                     "One.",
		`<p><blockquote>Two.<br>` + line + `<br>Fair winds</blockquote> And three.</p>`: "Two.\n" + line + "\nFair winds\nAnd three.",
		`One.<br>` + line + `<br>` + strings.Repeat("Long. ", 400): "One.\n" + line + "\n" +
			strings.TrimSpace(strings.Repeat("Long. ", 400)),
		`<p>Fill in: ` + line + ` and ____ <br>____<br>here</p>`:                    "Fill in: " + line + " and ____\n____\nhere",
		`<p>One.</p><p><i>Last edited by Ada on Dec 5th, 2020 at 04:43</i></p><br>`: "One.",
		`<p>One.</p><p>Last edited by Ada, who forgot when</p>`:                     "One.\nLast edited by Ada, who forgot when",
		`<p>Last edited by Ada on Dec 5th, 2020 at 04:43</p><p>So it says.</p>`: "Last edited by Ada on Dec 5th, 2020 at 04:43\n" +
			"So it says.",
		`<p>One.</p><p>I have a post from 2019, last edited by Ada.</p>`:     "One.\nI have a post from 2019, last edited by Ada.",
		`<div>One.<p>Last edited by Ada on Dec 5th, 2020 at 04:43</p></div>`: "One.\nLast edited by Ada on Dec 5th, 2020 at 04:43",
		`<div>One.<br>` + line + `<br>Fair winds</div>`:                      "One.\n" + line + "\nFair winds",
	} {
		l := typ.Levels[0]
		for _, s := range l.Spots() {
			if s.Field == nil {
				continue
			}
			try, err := (&kb.Entry{Place: s.Place, Expr: "body[not(.//div)]", Provenance: kb.Provenance{Site: "h.example/f"}}).Try()
			if err != nil {
				t.Fatal(err)
			}
			l = l.With(s.Place, try)
		}
		one := *typ
		one.Levels = []*kb.Level{l}
		h := harvest(t, &one, page)
		if len(h.Objects) != 1 || h.Objects[0].Value("content") != want {
			t.Errorf("%s gives %+v, want %q", page, h.Objects, want)
		}
	}
}

func TestEditNotes(t *testing.T) {
	for text, want := range map[string]bool{
		"Last edited by Ada; 4 May 2019 at 10:15.":                        true,
		"(This post was last modified: 05-04-2019, 10:15 AM by Ada.)":     true,
		"« Last Edit: May 04, 2019, 10:15:00 AM by Ada »":                 true,
		"Zuletzt geändert von Ada am 04.05.2019":                          true,
		"Dernière modification par Ada le 04/05/2019":                     true,
		"Última edición por Ada; 04/05/2019":                              true,
		"Ultima modifica di Ada il 04/05/2019":                            true,
		"Laatst bewerkt door Ada op 04-05-2019":                           true,
		"Последний раз редактировалось Ada; 04.05.2019":                   true,
		"Ostatnio edytowany przez Ada 4 maja 2019":                        true,
		"Edited to add: 5 more of them":                                   false,
		"Modified engines of 2019 last longer":                            false,
		"I last edited mine in 2019, by hand":                             false,
		"Last edited by Ada on 4 May 2019" + strings.Repeat(" words", 40): false,
	} {
		root, err := html.Parse(strings.NewReader("<body><p>One.</p><p>" + text + "</p></body>"))
		if err != nil {
			t.Fatal(err)
		}
		if got := editNote(root.FirstChild.LastChild) != nil; got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
