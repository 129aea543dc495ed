package extract

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
)

// typeOf loads a knowledge base of one type with the levels given.
func typeOf(t testing.TB, urls, levels string) *kb.Type {
	t.Helper()
	base, err := kb.Load(kb.Source{Name: "test.xml",
		Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="c"><type id="t"><detect><pattern>html</pattern></detect>` + urls + levels +
			`</type></category></kb>`)})
	if err != nil {
		t.Fatal(err)
	}
	return base.Type("t")
}

// topic wraps actions into the one level of a type.
func topic(actions string) string {
	return `<level id="topic" kind="terminal"><detect><pattern>html</pattern></detect>` + actions + `</level>`
}

func document(t testing.TB, page string, at *url.URL) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return yfilter.Document(root, yfilter.Meta{Status: 200, URL: at})
}

func harvest(t testing.TB, typ *kb.Type, page string) Harvest {
	t.Helper()
	at, _ := url.Parse("http://h.example/f/topic?id=5")
	return Run(Page{Doc: document(t, page, at), URL: at, Type: typ, Levels: typ.Levels})
}

// describe writes a harvest one line for each thing in it.
func describe(h Harvest) string {
	var b strings.Builder
	short := strings.NewReplacer("http://h.example/f/", "", "sioc:", "")
	for _, o := range h.Objects {
		fmt.Fprintf(&b, "%s %s", o.Class, o.ID)
		if o.Parent != "" {
			fmt.Fprintf(&b, " %s %s", o.Rel, o.Parent)
		}
		for _, f := range o.Fields {
			fmt.Fprintf(&b, " %s=%s", f.Name, strings.Join(f.Values, "|"))
		}
		b.WriteByte('\n')
	}
	for _, m := range h.Misses {
		fmt.Fprintf(&b, "miss %s %s %s\n", m.Object, m.Field, m.ID)
	}
	for _, s := range h.Totals {
		fmt.Fprintf(&b, "total %s %s %d\n", s.Of, s.Object, s.Count)
	}
	for _, l := range h.Links {
		fmt.Fprintf(&b, "link %s %s %q %q\n", l.To, l.URL, l.Text, l.Action)
	}
	return short.Replace(b.String())
}

func TestRun(t *testing.T) {
	for _, c := range []struct{ name, actions, page, want string }{
		{"objects in the order of the page, with their parent",
			`<object class="sioc:Thread" id="{url}"><field name="title">h1</field><object class="sioc:Post" id="#p{@id}" ` +
				`at="div[@class='p']"><field name="content">b</field></object></object>`,
			`<h1> A
			 title </h1><div class=p id=2><b>two</b></div><section><div class=p id=1><b>one</b></div></section><div class=p id=3>`,
			"Thread topic?id=5 title=A title\nPost topic?id=5#p2 has_container topic?id=5 content=two\nPost topic?id=5#p1 has_container " +
				"topic?id=5 content=one\nPost topic?id=5#p3 has_container topic?id=5\n"},
		{"a union keeps the order of the page and gives a node once",
			`<object class="sioc:Post" id="#{@id}" at=".//p | .//div[@id] | .//p[@id='2']"/>`,
			`<p id=1></p><div id=3></div><p id=2></p>`,
			"Post topic?id=5#1\nPost topic?id=5#3\nPost topic?id=5#2\n"},
		{"objects of two declarations, and neither reaches into the other",
			`<object class="sioc:Post" id="#{@id}" at="div"><field name="title">i</field></object><object class="sioc:Item" id="#{@id}" ` +
				`at="p"><field name="title">i</field></object>`,
			`<div id=1><p id=2><i>inner</i></p></div><p id=3><i>later</i></p><div id=4><i>last</i></div>`,
			"Post topic?id=5#1\nItem topic?id=5#2 title=inner\nItem topic?id=5#3 title=later\nPost topic?id=5#4 title=last\n"},
		{"threaded comments: the nearest one outside is the parent",
			`<object class="sioc:Post" id="{url}"><object class="sioc:Item" id="#{@id}" at="li" rel="reply_of" nests="yes"><field ` +
				`name="content" as="html">.</field></object></object>`,
			`<ul><li id=1>one<ul><li id=2>two<ul><li id=3>three</ul></ul><li id=4>four</ul>`,
			"Post topic?id=5\nItem topic?id=5#1 reply_of topic?id=5 content=one content_html=one<ul></ul>\nItem topic?id=5#2 reply_of " +
				"topic?id=5#1 content=two content_html=two<ul></ul>\nItem topic?id=5#3 reply_of topic?id=5#2 content=three " +
				"content_html=three\nItem topic?id=5#4 reply_of topic?id=5 content=four content_html=four\n"},
		{"values reached by an axis outside the object count",
			`<object class="sioc:Post" id="#{@id}" at="tr[@id]"><field name="title">following-sibling::tr[1]/td</field></object>`,
			`<table><tr id=1><td>a</td></tr><tr><td>b</td></tr></table>`, "Post topic?id=5#1 title=b\n"},
		{"without, and until",
			`<object class="sioc:Post" id="{url}"><field name="content" as="html">div<without>*[@class='sig']</without></field><field ` +
				`name="note" as="html" until="____">p</field></object>`,
			`<div>text<b class=sig>never</b> more</div><p>said<br>twice<br>____<br>signed <i>me</i></p>`,
			"Post topic?id=5 content=text more content_html=text more note=said\ntwice note_html=said<br/>twice<br/><i></i>\n"},
		{"a date among other words, in the zone of the site",
			`<object class="sioc:Post" id="{url}"><field name="created" as="date" zone="+08:00"><try>h2</try><try>p</try></field></object>`,
			`<h2>Posts</h2><p>发表于 2025-10-18 21:05`, "Post topic?id=5 created=2025-10-18T21:05:00+08:00\n"},
		{"unless the page withholds it",
			`<object class="sioc:Post" id="{url}"><field name="content" required="yes" unless="form">div</field></object>`,
			`<div>secret <form></form></div>`, "Post topic?id=5\n"},
		{"many values, one value, the first try that yields",
			`<object class="sioc:Post" id="{url}"><field name="tag" many="yes">a</field><field name="one">a</field><field name="try">` +
				`<try>u</try><try match="x(.)z">b</try><try>b</try></field></object>`,
			`<a></a><a>1</a><a>2</a><u> </u><b>?</b><b>xyz</b>`, "Post topic?id=5 tag=1|2 one=1 try=y\n"},
		{"required fields are missed, others are not; an empty content is there",
			`<object class="sioc:Post" id="{url}"><field name="title" required="yes">h1</field><field name="other">h2</field><field ` +
				`name="created" as="date" required="yes">i</field><field name="content" as="html" required="yes">p</field></object>`,
			`<i>soon</i><p><img src=a.png></p>`, "Post topic?id=5 content= content_html=<img src=\"a.png\"/>\n" +
				"miss Post title topic?id=5\nmiss Post created topic?id=5\n"},
		{"ids: the page, attributes cut, computed parts, the parent, several templates",
			`<object class="sioc:Thread" id="{url}"><object class="sioc:Post" at="div"><id>show?p={@id ~ ` +
				`\d+}#{string-length(@class)}</id><id>{a/@href}</id><id>{outer}/last</id></object></object>`,
			`<div id=post17 class=abc></div><div><a href="/x?y#z">.</a></div><div></div>`,
			"Thread topic?id=5\nPost show?p=17#3 has_container topic?id=5\nPost http://h.example/x?y#z has_container topic?id=5\nPost " +
				"topic?id=5/last has_container topic?id=5\n"},
		{"an id that names nothing on the web is no object",
			`<object class="sioc:Post" id="{a/@href}" at="div"/>`, `<div><a href="javascript:x()">.</a></div><div></div>`, ""},
		{"totals with their marks",
			`<object class="sioc:Thread" id="{url}"><total of="sioc:Post" match="([\d.,]+) posts">div</total></object>`,
			`<div>none</div><div>Page 1, 12,345 posts</div>`, "Thread topic?id=5\ntotal Post topic?id=5 12345\n"},
		{"URLs, numbers and attributes",
			`<object class="sioc:Post" id="{url}"><field name="home" as="url">a[1]</field><field name="plain" as="url">a[2]</field>` +
				`<field name="mail" as="url">a[3]/@href</field><field name="bad" as="url">a[4]</field><field name="cut" as="url" ` +
				`match="to=(.*)">a[5]</field><field name="views" as="number">` +
				`b</field><field name="at" as="date">time/@datetime</field></object>`,
			`<p><a href=/u#f>x</a><a>text</a><a href="mailto:a@b">m</a><a href="data:x">d</a><a href="/r?to=/q">.</a></p><b>1.234 ` +
				`views</b><time datetime="2015-05-12T10:15:00Z">`,
			"Post topic?id=5 home=http://h.example/u#f mail=mailto:a@b cut=http://h.example/q views=1234 at=2015-05-12T10:15:00Z\n"},
		{"text is what a reader sees",
			`<object class="sioc:Post" id="{url}"><field name="title">td</field><field name="json" match="&quot;name&quot;: ` +
				`*&quot;(\w+)">script[@type]</field></object>`,
			`<table><td>John<br>Member<script>x()</script><style>y</style></table><script type=a>{"name": "Jane"}</script>`,
			"Post topic?id=5 title=John Member json=Jane\n"},
		{"links: every kind, the first try that yields, with its anchor",
			`<follow to="topic" paging="yes"><try>nav/a</try><try>a</try></follow><follow to="topic" optional="yes">i/text()</follow>`,
			`<a href="?page=2#x"> next <b>page</b></a><a href=javascript:void(0)>no</a><a>no</a><a href="#top">no</a><a title=Named ` +
				`href="//other/"><img></a><a href=last><i>rel</i></a>`,
			"link topic topic?page=2 \"next page\" \"topic>topic paging\"\nlink topic http://other/ \"Named\" \"topic>topic paging\"\n" +
				"link topic last \"rel\" \"topic>topic paging\"\nlink topic rel \"rel\" \"topic>topic\"\n"},
		{"a base moves links and ids",
			`<object class="sioc:Post" id="#{@id}" at="p"/><follow to="topic">a</follow>`,
			`<base target=x><base href="/g/"><base href="/late/"><p id=1><a href=t>t</a>`,
			"Post http://h.example/g/#1\nlink topic http://h.example/g/t \"t\" \"topic>topic\"\n"},
	} {
		if got := describe(harvest(t, typeOf(t, "", topic(c.actions)), c.page)); got != c.want {
			t.Errorf("%s:\ngot\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// The first variant whose inner objects are on the page is used; where none
// fits, the first.
func TestVariants(t *testing.T) {
	level := func(variant, at string) string {
		return `<level id="topic" variant="` + variant +
			`" kind="terminal"><detect><pattern>html</pattern></detect><object class="sioc:Thread" id="{url}"><object class="sioc:Post" ` +
			`id="#{@id}" at="` + at + `"/></object></level>`
	}
	typ := typeOf(t, "", level("one", "p")+level("two", "div"))
	for page, want := range map[string]string{`<p id=1><div id=2></div>`: "one", `<div id=2></div>`: "two", `<b>`: "one"} {
		if got := harvest(t, typ, page).Level.Variant; got != want {
			t.Errorf("%s: variant %s, want %s", page, got, want)
		}
	}
}

// All pages of a thread give it one id.
func TestPagesOfOneObject(t *testing.T) {
	typ := typeOf(t, `<urls><paging param="start"/><drop param="sid"/></urls>`, topic(`<object class="sioc:Thread" id="{url}"/>`))
	for _, query := range []string{"t=1", "t=1&start=20", "sid=abc&start=40&t=1"} {
		at := &url.URL{Scheme: "http", Host: "h", Path: "/t", RawQuery: query}
		h := Run(Page{Doc: document(t, "", at), URL: at, Type: typ, Levels: typ.Levels})
		if h.Objects[0].ID != "http://h/t?t=1" {
			t.Errorf("?%s: id %s", query, h.Objects[0].ID)
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct{ page, text, markup string }{
		{"one  two\n three", "one two three", "one  two\n three"},
		{"a<b>b</b>c <i> d </i>", "abc d", "a<b>b</b>c <i> d </i>"},
		{"<p>a</p><p>b</p>\n\n<p> </p>c", "a\nb\nc", "<p>a</p><p>b</p>\n\n<p> </p>c"},
		{"a<br>b<br/><br>c", "a\nb\nc", "a<br/>b<br/><br/>c"},
		{"<ul><li>a<li>b</ul>", "a\nb", "<ul><li>a</li><li>b</li></ul>"},
		{"<table><tr><td>a<td>b<tr><th>c<td>d</table>", "a b\nc d",
			"<table><tbody><tr><td>a</td><td>b</td></tr><tr><th>c</th><td>d</td></tr></tbody></table>"},
		{"<pre>if x {\n  y\r\n}</pre>z", "if x {\ny\n}\nz", "<pre>if x {\n  y\n}</pre>z"},
		{"a&nbsp;&nbsp;b&#160;", "a b", "a\u00a0\u00a0b"},
		{"a<script>x</script><style>y</style><!-- z -->b", "ab", "ab"},
		{"a<textarea>t</textarea><select><option>o</select><noscript>n</noscript>b", "ab",
			"a<textarea>t</textarea><select><option>o</option></select><noscript>n</noscript>b"},
		{"&lt;b&gt; &amp;", "<b> &", "&lt;b&gt; &amp;"},
		{"<blockquote><cite>x wrote:</cite>y</blockquote>z", "x wrote:\ny\nz", "<blockquote><cite>x wrote:</cite>y</blockquote>z"},
	} {
		page, err := html.Parse(strings.NewReader("<div>" + c.page))
		if err != nil {
			t.Fatal(err)
		}
		div := page.LastChild.LastChild.FirstChild
		k := &copier{work: kb.NewWork(maxWork), left: func(*html.Node) bool { return false }}
		if got := k.blockText(div); got != c.text {
			t.Errorf("%q: text %q, want %q", c.page, got, c.text)
		}
		if got := k.innerHTML(div); got != c.markup {
			t.Errorf("%q: markup %q, want %q", c.page, got, c.markup)
		}
	}
}

// What does something with a content is no part of it.
func TestControlsAreNoContent(t *testing.T) {
	h := harvest(t, typeOf(t, "", topic(`<object class="sioc:Post" id="{url}"><field name="content" as="html">div[@class='said']</field>`+
		`</object>`)),
		`<div class="said">one <blockquote>two <a role="button" tabindex="0">Click to expand</a></blockquote><a role="button" href="/x">`+
			`three</a> <span role="button">four, a spoiler</span></div>`)
	if len(h.Objects) != 1 || h.Objects[0].Value("content") != "one\ntwo\nthree four, a spoiler" {
		t.Errorf("%+v", h.Objects)
	}
}

func TestNumber(t *testing.T) {
	for in, want := range map[string]string{
		"12": "12", "12 posts": "12", "1,234": "1234", "1.234.567": "1234567", "1 234": "1234", "1'234": "1234", "1\u202f234": "1234",
		"12,34,567": "1234567", "2001": "2001", "-5": "-5", "\u22125": "-5", "5-6": "5", "a-5": "5", "1.2k": "", "12K": "", "3 M": "",
		"12 kilos": "12", "none": "", "": "", "7.": "7", "2.5": "2",
	} {
		if got := number(in); got != want {
			t.Errorf("number(%q) = %q, want %q", in, got, want)
		}
	}
}

// A page may make expressions, objects and values multiply; the harvest is cut
// and says so, in bounded time.
func TestHostilePages(t *testing.T) {
	posts := topic(`<object class="sioc:Thread" id="{url}"><object class="sioc:Post" id="#{@id}" at="div" nests="yes">
		<field name="title">.//div//div//b | .//div//i</field><field name="creator">ancestor::div//b[last()]</field>
		<field name="content" as="html">.<without>u</without></field><field name="created" as="date">i</field></object></object>
		<follow to="topic">.//a//text()</follow>`)
	typ, at := typeOf(t, "", posts), &url.URL{Scheme: "http", Host: "h", Path: "/"}
	for name, page := range map[string]string{
		"nested objects":      strings.Repeat("<div id=1>", 400) + strings.Repeat("<b>x</b>", 2000),
		"many objects":        strings.Repeat("<div id=1>x</div>", 21_000),
		"many siblings":       "<div id=1>" + strings.Repeat("<b>x</b><i>y</i>", 50_000),
		"one link, many ways": "<div id=1><a href=x>" + strings.Repeat("<b>x</b>y", 20_000),
	} {
		h := runWithin(Page{Doc: document(t, page, at), URL: at, Type: typ, Levels: typ.Levels}, kb.NewWork(1<<22), nil)
		t.Logf("%s: %d objects, %d links, cut %v", name, len(h.Objects), len(h.Links), h.Cut)
		if !strings.Contains(name, "many ways") && name != "many siblings" && !h.Cut {
			t.Errorf("%s: nothing is cut", name)
		}
		if len(h.Objects) > maxObjects || len(h.Links) > maxLinks {
			t.Errorf("%s: %d objects, %d links", name, len(h.Objects), len(h.Links))
		}
	}
}

// The markup of a content means the same elsewhere: its addresses are absolute, by the page's base.
func TestAddressesInMarkupAreAbsolute(t *testing.T) {
	typ := typeOf(t, "", topic(`<object class="sioc:Post" id="{url}"><field name="content" as="html">div[@class='said']</field></object>`))
	h := harvest(t, typ, `<base href="/b/"><div class="said"><a href="?p=1#x" class="y">1</a><a href="#up">2</a><a href="mailto:a@b">3</a>`+
		`<a href="javascript:f()">4</a><a>5</a><img src="i.png" srcset="i,1.png 1x, /j.png 2x,data:image/png;base64,aa= 3x" alt="i.png">`+
		`<blockquote cite="./t?p=2">q</blockquote><video poster="//o.example/p"></video><object data="o"></object>`+
		`<form action="f"><button formaction="g"></button></form><a href="http://[">6</a></div>`)
	want := `<a class="y" href="http://h.example/b/?p=1#x">1</a><a href="http://h.example/b/#up">2</a><a href="mailto:a@b">3</a>` +
		`<a href="javascript:f()">4</a><a>5</a><img src="http://h.example/b/i.png" ` +
		`srcset="http://h.example/b/i,1.png 1x, http://h.example/j.png 2x,data:image/png;base64,aa= 3x" alt="i.png"/>` +
		`<blockquote cite="http://h.example/b/t?p=2">q</blockquote><video poster="http://o.example/p"></video>` +
		`<object data="http://h.example/b/o"></object><form action="http://h.example/b/f"><button formaction="http://h.example/b/g">` +
		`</button></form><a href="http://[">6</a>`
	if got := h.Objects[0].Value("content_html"); got != want {
		t.Errorf("the markup is\n%s\nwant\n%s", got, want)
	}
	h = harvest(t, typ, `<base href="/`+strings.Repeat("b", maxURL-100)+`/"><div class="said">`+strings.Repeat(`<a href="x">`+
		`y</a>`, 50_000)+`</div>`)
	if n := len(h.Objects[0].Value("content_html")); n > maxValues || !h.Cut {
		t.Errorf("a long base makes %d bytes of markup, cut: %v", n, h.Cut)
	}
}
