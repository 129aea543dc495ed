package extract

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// said are the posts of the pages of [TestDiscussion]: author, date and text.
var said = []struct{ who, when, text string }{
	{"Ines", "2014-03-02 18:05", "The third plank of my dinghy split while I bent it over the frames. " +
		"It is oak, and it was in the steam box for half an hour. " +
		"Two planks before it went on without a crack, from the same board and at the same bend. " +
		"I would rather not lose the fourth one. What did I do wrong?"},
	{"Bertil", "2014-03-02 20:41", "Half an hour is short for oak. Count one hour for each inch, " +
		"and keep the kettle full, since the box cools while you fill it again."},
	{"Ines", "2014-03-03 07:12", "I had counted the minutes from lighting the stove. The box was not hot yet, then. " +
		"I will put a thermometer in the far end, as the " +
		"book says that one should, and wait until it shows ninety-five degrees before I start the clock."},
	{"Okon", "2014-03-04 22:30", "Green wood bends better than dry wood in any case. Where did you buy yours, and was it sawn this year?"},
	{"Ines", "2014-03-05 06:55", "From a joiner in town, who dries all his wood for years."},
}

// discussions are templates that no type describes: %s takes the posts.
var discussions = map[string]struct{ page, post string }{
	"divisions": {`<div id="main">%s</div>`, `<div class="beitrag" id="b%[1]d"><div class="wer"><a href="/wer/%[2]s">%[2]s</a></div>` +
		`<span class="wann">%[3]s</span><div class="was"><p>%[4]s</p></div><div class="tun"><a href="/re/%[1]d">Reply</a></div></div>`},
	"rows": {`<table class="t"><tr><th>Author</th><th>Message</th></tr>%s</table>`,
		`<tr><td><b>%[2]s</b></td><td>Posted %[3]s</td></tr><tr><td colspan="2"><a name="%[1]d"></a>%[4]s</td></tr>`},
	"definitions": {`<dl>%s</dl>`, `<dt id="p%[1]d"><a href="user.php?id=%[2]s">%[2]s</a> wrote on %[3]s</dt><dd>%[4]s</dd>`},
}

// TestDiscussion reads posts of pages that no type describes, and nothing else on them.
func TestDiscussion(t *testing.T) {
	for name, b := range discussions {
		t.Run(name, func(t *testing.T) {
			var posts strings.Builder
			for i, p := range said {
				fmt.Fprintf(&posts, b.post, 4711+i, p.who, p.when, p.text)
			}
			page := `<html><head><title>Split plank - The Slipway</title></head><body><ul><li><a href="/">Home</a></li>` +
				`<li><a href="/search">Search</a></li><li><a href="/members">Members</a></li></ul><h1>Split plank</h1>` +
				fmt.Sprintf(b.page, posts.String()) + `<div>Powered by nothing</div></body></html>`
			at, _ := url.Parse("https://slipway.example/show?t=12&page=2")
			h := Run(Page{Doc: document(t, page, at), URL: at, Generic: true})
			if len(h.Objects) != 1+len(said) || !h.Generic {
				t.Fatalf("%d objects, generic %v", len(h.Objects), h.Generic)
			}
			thread := h.Objects[0]
			if thread.Class != "sioc:Thread" || thread.ID != "https://slipway.example/show?t=12" ||
				!strings.Contains(thread.Value("title"), "Split plank") {
				t.Errorf("thread %+v", thread)
			}
			for i, o := range h.Objects[1:] {
				want := said[i]
				when, _ := time.Parse("2006-01-02 15:04", want.when)
				if o.Class != "sioc:Post" || o.Parent != thread.ID || o.Value("content") != want.text || o.Value("creator") != want.who ||
					o.Value("created") != when.Format("2006-01-02T15:04:05") || o.Confidence <= 0.5 || o.Confidence > 1 {
					t.Errorf("post %d: %+v", i, o)
				}
			}
		})
	}
}

// TestArticleWithComments gives a page that declares itself an article its text, author and date beside
// its comments.
func TestArticleWithComments(t *testing.T) {
	b := discussions["divisions"]
	var comments strings.Builder
	for i, p := range said {
		fmt.Fprintf(&comments, b.post, 4711+i, p.who, p.when, p.text)
	}
	page := around(article, `<div class="x"><h1>Steaming planks</h1>`+prose(4)+`</div>`+fmt.Sprintf(b.page, comments.String()))
	h := generic(t, page, "http://boats.example/steaming", nil)
	if len(h.Objects) != 1+len(said) {
		t.Fatalf("%d objects", len(h.Objects))
	}
	o := h.Objects[0]
	text := o.Value("content")
	if o.Class != WebPage || o.Value("creator") != "Ruth Alder" || o.Value("created") != "2023-02-03T07:15:00+01:00" ||
		strings.Count(text, "Paragraph") != 4 || strings.Contains(text, "dinghy") || !strings.Contains(o.Value("content_html"), "<p>") {
		t.Errorf("%+v", o)
	}
	for i, c := range h.Objects[1:] {
		if c.Class != "sioct:Comment" || c.Parent != o.ID || c.Value("content") != said[i].text {
			t.Errorf("comment %d: %+v", i, c)
		}
	}
}

// TestTemplatesThatActionsDoNotFit adds the posts, or the texts of posts, that the actions of a
// level miss, and replaces texts that are whole posts. It adds nothing to a level without posts.
func TestTemplatesThatActionsDoNotFit(t *testing.T) {
	b := discussions["divisions"]
	var posts strings.Builder
	for i, p := range said {
		fmt.Fprintf(&posts, b.post, 4711+i, p.who, p.when, p.text)
	}
	page := `<title>Split plank</title><h1>Split plank</h1>` + fmt.Sprintf(b.page, posts.String())
	post := func(at, content string) string {
		return `<object class="sioc:Post" id="{url}#p{@id ~ [0-9]+}" at="*[@class='` + at + `']"><field name="creator">*[@class='wer']` +
			`</field><field name="content" required="yes" as="html">*[@class='` + content + `']</field></object>`
	}
	for name, c := range map[string]struct {
		inner string // in the thread
		sure  bool   // that posts are of the page alone
		posts int
	}{
		"all posts missed": {post("post", "was"), true, len(said)},
		"texts missed":     {post("beitrag", "text"), true, len(said)},
		"whole posts taken": {strings.NewReplacer(`*[@class='was']`, ".", "'wer'", "'author'").Replace(post("beitrag", "was")), true,
			len(said)},
		"nothing missed":     {post("beitrag", "was"), false, len(said)},
		"no posts described": {"", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			typ := typeOf(t, "", `<level id="thread" kind="terminal"><detect><pattern>html</pattern></detect>`+
				`<object class="sioc:Thread" id="{url}"><field name="title">h1</field>`+c.inner+`</object></level>`)
			at, _ := url.Parse("https://slipway.example/show?t=12")
			h := Run(Page{Doc: document(t, page, at), URL: at, Type: typ, Levels: typ.Levels, Generic: true, Posts: true})
			if len(h.Objects) != 1+c.posts || h.Generic != c.sure {
				t.Fatalf("%d objects, generic %v", len(h.Objects), h.Generic)
			}
			for i, o := range h.Objects[1:] {
				if o.ID != fmt.Sprintf("https://slipway.example/show?t=12#p%d", 4711+i) || o.Parent != h.Objects[0].ID ||
					o.Value("content") != said[i].text || o.Value("creator") != said[i].who || (o.Confidence > 0) != c.sure {
					t.Errorf("post %d: %+v", i, o)
				}
			}
		})
	}
}

// TestTextOfWholeObjects leaves author and date out of a text that is the whole object.
func TestTextOfWholeObjects(t *testing.T) {
	b := discussions["divisions"]
	var posts strings.Builder
	for i, p := range said {
		fmt.Fprintf(&posts, b.post, 4711+i, p.who, p.when, p.text)
	}
	typ := typeOf(t, "", `<level id="thread" kind="terminal"><detect><pattern>html</pattern></detect>`+
		`<object class="sioc:Post" id="{url}#{@id}" at="*[@class='beitrag']"><field name="creator">*[@class='wer']</field>`+
		`<field name="created" as="date">*[@class='wann']</field><field name="content" as="html">.</field></object></level>`)
	at, _ := url.Parse("https://slipway.example/show?t=12")
	h := Run(Page{Doc: document(t, posts.String(), at), URL: at, Type: typ, Levels: typ.Levels})
	if len(h.Objects) != len(said) {
		t.Fatalf("%d objects", len(h.Objects))
	}
	for i, o := range h.Objects {
		if got := o.Value("content"); got != said[i].text+"\nReply" || o.Value("creator") != said[i].who {
			t.Errorf("post %d: %q of %q", i, got, o.Value("creator"))
		}
	}
}

// TestThreadsAtManyAddresses names a thread by its canonical address, and not by a front page.
func TestThreadsAtManyAddresses(t *testing.T) {
	b := discussions["definitions"]
	var posts strings.Builder
	for i, p := range said {
		fmt.Fprintf(&posts, b.post, 4711+i, p.who, p.when, p.text)
	}
	at, _ := url.Parse("https://slipway.example/show?p=4713")
	for canonical, want := range map[string]string{
		"/show?t=12&page=2": "show?t=12", "/": "show?p=4713", "https://other.example/show": "show?p=4713",
	} {
		page := `<link rel="canonical" href="` + canonical + `"><title>Split plank</title>` + fmt.Sprintf(b.page, posts.String())
		h := Run(Page{Doc: document(t, page, at), URL: at, Generic: true})
		if len(h.Objects) == 0 || h.Objects[0].ID != "https://slipway.example/"+want {
			t.Errorf("%s: %+v", canonical, h.Objects)
		}
	}
}

// TestUnsurePosts counts posts with a low confidence and does not publish them.
func TestUnsurePosts(t *testing.T) {
	var posts strings.Builder
	for _, p := range said[:3] {
		fmt.Fprintf(&posts, `<div><i>%s</i><div>%s</div></div>`, p.when, p.text)
	}
	at, _ := url.Parse("https://slipway.example/show?t=12")
	h := Run(Page{Doc: document(t, "<title>Split plank</title><div>"+posts.String()+"</div>", at), URL: at, Generic: true})
	if len(h.Objects) != 0 || h.Unsure != 3 {
		t.Errorf("%d objects, %d unsure", len(h.Objects), h.Unsure)
	}
}

// TestRecordIDs takes the numbers by which a page tells its posts apart, so that a post keeps its
// id when others are removed.
func TestRecordIDs(t *testing.T) {
	for name, number := range map[string]string{"divisions": "b47", "rows": "47", "definitions": "p47"} {
		b := discussions[name]
		var posts strings.Builder
		for i, p := range said {
			fmt.Fprintf(&posts, b.post, 4711+i, p.who, p.when, p.text)
		}
		at, _ := url.Parse("https://slipway.example/show/12/page/3")
		h := Run(Page{Doc: document(t, "<title>Split plank</title>"+fmt.Sprintf(b.page, posts.String()), at), URL: at, Generic: true})
		if len(h.Objects) < 2 || !strings.HasPrefix(h.Objects[1].ID, "https://slipway.example/show/12#"+number) {
			t.Errorf("%s: %+v", name, h.Objects)
		}
	}
}

// TestListsAreNoDiscussion finds no posts in menus, lists of links and products.
func TestListsAreNoDiscussion(t *testing.T) {
	item := regexp.MustCompile(`N`)
	for name, of := range map[string]string{
		"topics": `<tr><td><a href="/t/N">Plank number N of the dinghy has split again</a></td><td>3 replies</td></tr>`,
		"menu":   `<li><a href="/c/N">Category N of this site</a></li>`,
		"products": `<div class="product"><h3><a href="/p/N">Oar N</a></h3><p>Made of ash, with a leather sleeve.</p>` +
			`<b>1N.00 EUR</b></div>`,
	} {
		var b strings.Builder
		for i := range 12 {
			b.WriteString(item.ReplaceAllString(of, fmt.Sprint(i)))
		}
		at, _ := url.Parse("https://slipway.example/list")
		h := Run(Page{Doc: document(t, "<title>Lists</title><table>"+b.String()+"</table>", at), URL: at, Generic: true})
		for _, o := range h.Objects {
			if o.Class == "sioc:Post" {
				t.Errorf("%s: %+v", name, o)
				break
			}
		}
	}
}

// TestPostsInFrames reads a question in a frame of its own above its answers, with the classes of
// both, comments beside the answers, and no control inside a quotation.
func TestPostsInFrames(t *testing.T) {
	post := func(frame string, i int, more string) string {
		return fmt.Sprintf(`<div class="%s x%da9" id="m%d"><div class="b77 u"><a class="n3f" href="/u/%[4]s">%[4]s</a> `+
			`<span class="d">%[5]s</span></div><div class="q1c">%[6]s%[7]s</div></div>`,
			frame, i, 90+i, said[i].who, said[i].when, more, said[i].text)
	}
	quoted := `<blockquote>As it was said before.<div class="more">Click to expand it</div></blockquote>`
	page := `<html><head><title>Split plank</title></head><body><div class="top">` + post("ask", 0, "") + `</div><hr><div class="all">`
	for i := 1; i < len(said); i++ {
		more := ""
		if i > 2 { // in too few posts to be a part of the template
			more = quoted
		}
		page += post("reply", i, more)
	}
	page += `</div></body></html>`
	at, _ := url.Parse("https://slipway.example/q/12")
	h := Run(Page{Doc: document(t, page, at), URL: at, Generic: true})
	if len(h.Objects) != 1+len(said) {
		t.Fatalf("%d objects instead of %d: %+v", len(h.Objects), 1+len(said), h.Objects)
	}
	for i, o := range h.Objects[1:] {
		if o.Value("creator") != said[i].who || !strings.HasSuffix(o.Value("content"), said[i].text) || o.Value("created") == "" ||
			strings.Contains(o.Value("content"), "Click") {
			t.Errorf("post %d: %+v", i, o)
		}
	}
}
