package draft

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

// A draft of a board, a blog or a wiki names each field that its pages did not show, with its
// place, its element and the command that finds the expression, and fields that only some posts
// lack.
func TestLacksNameTheElement(t *testing.T) {
	article := func(n int) string { return strings.Repeat("<p>"+said(n, 1)+" "+said(n, 2)+"</p>", 3) }
	for name, c := range map[string]struct {
		path, class, field, element string
		page                        func(n int) string
	}{
		"board": {"/topic/", "sioc:Post", "creator", `<field name="creator">EXPRESSION</field>`, func(n int) string {
			body := "<h1>A topic</h1>"
			for i := range 3 {
				body += fmt.Sprintf(`<div class="post" id="p%d"><i>%s</i><p class="text">%s</p></div>`, 100*n+i, day(n, i), said(n, i))
			}
			return body
		}},
		"blog": {"/post/", "sioct:BlogPost", "created", `<field name="created" as="date">EXPRESSION</field>`, func(n int) string {
			return fmt.Sprintf(`<h1>Title %c</h1><p>by <a class="who" href="/user/1">marta</a></p><div class="entry">%s</div>`, 'A'+rune(n),
				article(n))
		}},
		"wiki": {"/wiki/Rivers", "sioct:WikiArticle", "modified",
			`<field name="modified" as="date">EXPRESSION</field>`, func(n int) string {
				return fmt.Sprintf(`<h1>Rivers %c</h1><div class="text">%s<p><a href="/wiki/Rivers%d">one</a></p></div>`+
					`<ul class="tools"><li><a href="/wiki/Rivers%d?action=edit">Edit</a></ul>`, 'A'+rune(n), article(n), (n+1)%8, n)
			}},
	} {
		bodies := map[string]string{}
		list := ""
		for n := range 8 {
			at := fmt.Sprint(c.path, n)
			bodies[at] = c.page(n)
			list += fmt.Sprintf(`<div class="row"><a class="title" href="%s">About %c</a></div>`, at, 'A'+rune(n))
		}
		bodies["/list"] = list
		d, err := Make("mine", pagesOf(t, bodies), &url.URL{Scheme: "http", Host: "board.example", Path: "/list"}, 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		base, err := kb.Load(kb.Source{Name: "new/mine.xml", Data: d.XML})
		if err != nil {
			t.Fatal(err)
		}
		lacks := strings.Join(d.Lacks(base.Type("mine")), "\n")
		for _, part := range []string{"new/mine.xml:", fmt.Sprintf("%s has no %s: add %s", c.class, c.field, c.element),
			"awarc kb point --kb new/mine.xml --class " + c.class + " --field " + c.field,
			"'new/mine-thread-1.html=http://board.example" + c.path} {
			if !strings.Contains(lacks, part) {
				t.Errorf("%s: it does not say %q:\n%s", name, part, lacks)
			}
		}
		if paging := strings.Contains(lacks, `add <follow to="list" paging="yes">`); paging == (name == "wiki") {
			t.Errorf("%s: further pages of lists:\n%s", name, lacks)
		}
		if name == "board" {
			d.missing["sioc:Post content"] = 1
			lacks = strings.Join(d.Lacks(base.Type("mine")), "\n")
			if want := "1 of 24 sioc:Post have no content: add <try>EXPRESSION</try> to the field"; !strings.Contains(lacks, want) {
				t.Errorf("it does not say %q:\n%s", want, lacks)
			}
		}
	}
}

// A draft says that its articles may be posts, and that its pattern matches nearly any page.
func TestDoubtfulDraftSaysSo(t *testing.T) {
	base, err := kb.Load(kb.Source{Name: "mine.xml", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="blog"><type id="mine">
<detect><pattern>body[.mine]</pattern></detect><level id="thread" kind="terminal"><detect><pattern>div//div</pattern></detect>
<object class="sioct:BlogPost" id="{url}"><field name="created" as="date">i</field></object></level></type></category></kb>`)})
	if err != nil {
		t.Fatal(err)
	}
	const few = "the pattern div//div matches nearly any page"
	for dates, want := range map[int]string{manyDates - 1: "", 20: "though a page has 20 dates in the mean"} {
		lacks := strings.Join((&Draft{dates: dates}).Lacks(base.Type("mine")), "\n")
		if !strings.Contains(lacks, few) || !strings.Contains(lacks, want) || want == "" && strings.Contains(lacks, "in the mean") {
			t.Errorf("with %d dates it says\n%s", dates, lacks)
		}
	}
	post := strings.Repeat("<p>"+said(1, 1)+"</p>", 3)
	for i := range 9 {
		post += "<p>seen on " + day(2, i%3) + "</p>"
	}
	pages := pagesOf(t, map[string]string{"/read/1": "<h1>Titles</h1><div class=entry>" + post + "</div>",
		"/read/2": "<h1>Others</h1><div class=entry>" + strings.ReplaceAll(post, "w", "v") + "</div>"})
	d, err := Make("mine", pages, &url.URL{Scheme: "http", Host: "board.example", Path: "/"}, 1)
	if err != nil || d.dates < manyDates {
		t.Errorf("%+v, %v", d, err)
	}
}
