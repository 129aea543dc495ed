package testsites

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// wpPage is what the templates of the three themes see.
type wpPage struct {
	*request
	W           *wordpress
	Title       string // before the name of the blog
	Body        string // classes of <body>
	Heading     string // of an archive: "Category"
	HeadingOf   string // ... of what
	Describe    string
	Posts       []wpPost
	Post        *wpPost // of a single page
	Static      bool    // Post is a page
	Attachment  string  // URL of the picture when Post is its page
	Comments    []commentView
	CommentPage pager
	Pager       pager
	FeedURL     string // of the list or the post
	Term        string // what was searched for
	CommentFeed bool
	Canonical   string
	Home        bool
}

type wpPost struct {
	ID                 int
	URL, Title         string // Title is escaped
	Author             wpAuthor
	Time               time.Time
	Cats, Tags         []wpLink
	Classes            string
	Excerpt            string // markup
	Cut                bool
	Content            string // of the page at hand
	Parts              pager  // pages of a split post
	Sticky, Protected  bool
	Comments           int
	Closed             bool // no further comments
	Prev, Next         *wpLink
	FeedURL, ReplyNote string
}

type wpAuthor struct{ Slug, Name, URL, Bio string }

type wpLink struct {
	Name, URL string
	ID        int
	Slug      string
	Count     int
	Children  []wpLink
}

// commentView is a comment with what is below it.
type commentView struct {
	G        *wpPage
	ID       int
	Name     string
	Site     string // of the author
	Time     time.Time
	Text     string // markup
	Pingback bool
	Classes  string
	Depth    int
	URL      string
	Reply    string // URL of the answer form; "" where nesting ends
	Children []commentView
}

func (w *wordpress) name() string { return "The Sluice & Lock Notebook" }

func (w *wordpress) page(r *request) *wpPage { return &wpPage{request: r, W: w} }

// U is an absolute address in the blog, escaped; all links of WordPress are absolute.
func (g *wpPage) U(format string, args ...any) string {
	return strings.ReplaceAll(escape(g.root+fmt.Sprintf(format, args...)), "&amp;", "&#038;")
}

func (g *wpPage) Name() string              { return escape(g.W.name()) }
func (g *wpPage) Version() string           { return g.W.version }
func (g *wpPage) ISO(t time.Time) string    { return t.Format("2006-01-02T15:04:05") + g.W.zone }
func (g *wpPage) Date(t time.Time) string   { return t.Format("January 2, 2006") }
func (g *wpPage) Clock(t time.Time) string  { return t.Format("3:04 pm") }
func (g *wpPage) RFC(t time.Time) string    { return t.Format("Mon, 02 Jan 2006 15:04:05 +0000") }
func (g *wpPage) Now() time.Time            { return g.W.b.now() }
func (g *wpPage) Avatar(name string) string { return newRandom(7, name, 0).hex(32) }
func (g *wpPage) TrapLinks() string {
	if !g.W.site.o.Traps {
		return ""
	}
	return strings.NewReplacer(`href="`, `href="`+g.root+"/").Replace(trapLinks(""))
}

// Statics are the pages for the menu, children below their parents.
func (g *wpPage) Statics() []wpLink {
	var out []wpLink
	at := map[int]int{}
	for _, s := range g.W.b.statics {
		l := wpLink{Name: escape(s.title), URL: g.U("/%s/", pathEscape(s.slug)), ID: s.id}
		if s.parent == 0 {
			at[s.id] = len(out)
			out = append(out, l)
		} else {
			out[at[s.parent]].Children = append(out[at[s.parent]].Children, l)
		}
	}
	return out
}

// Recent are the newest posts, for the widget.
func (g *wpPage) Recent() []wpLink {
	var out []wpLink
	for _, i := range window(g.W.b.newest, 1, 5) {
		out = append(out, wpLink{Name: escape(g.W.b.title(int(i))), URL: g.U("%s", g.W.permalink(int(i)))})
	}
	return out
}

// Months are the archives by month, newest first.
func (g *wpPage) Months() []wpLink {
	var out []wpLink
	for _, m := range g.W.b.months {
		out = append(out, wpLink{Name: m.at.Format("January 2006"), URL: g.U("%s", m.at.Format("/2006/01/")), Count: m.posts})
	}
	return out
}

// Categories are the terms for the widget, children below their parents.
func (g *wpPage) Categories() []wpLink {
	var out []wpLink
	for i := range g.W.b.cats {
		c := &g.W.b.cats[i]
		if len(c.posts) == 0 {
			continue
		}
		l := wpLink{Name: escape(c.name), URL: g.U("%s", g.W.termPath(c, "category")), ID: c.id, Count: len(c.posts)}
		if c.parent != nil && len(out) > 0 && out[len(out)-1].ID == c.parent.id {
			out[len(out)-1].Children = append(out[len(out)-1].Children, l)
		} else if c.parent == nil {
			out = append(out, l)
		}
	}
	return out
}

// Calendar is the widget of a month: that of the newest post, or of the archive at hand.
func (g *wpPage) Calendar() calendar {
	t := g.Now()
	if g.Post != nil && !g.Static {
		t = g.Post.Time
	}
	month := time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	first, last := g.W.b.between(month, month.AddDate(0, 1, 0))
	c := calendar{Month: month.Format("January 2006")}
	for i := first; i < last; i++ {
		d := g.W.b.time(i)
		if len(c.Days) == 0 || c.Days[len(c.Days)-1].Count != d.Day() {
			c.Days = append(c.Days, wpLink{Name: escape(g.W.b.title(i)), URL: g.U("%s", d.Format("/2006/01/02/")), Count: d.Day()})
		}
	}
	if first > 0 {
		p := g.W.b.time(first - 1)
		c.Prev = &wpLink{Name: p.Format("Jan"), URL: g.U("%s", p.Format("/2006/01/"))}
	}
	if last < g.W.b.posts() {
		n := g.W.b.time(last)
		c.Next = &wpLink{Name: n.Format("Jan"), URL: g.U("%s", n.Format("/2006/01/"))}
	}
	return c
}

type calendar struct {
	Month      string
	Days       []wpLink
	Prev, Next *wpLink
}

// Latest are the newest comments, for the widget.
func (g *wpPage) LatestComments() []wpLink {
	var out []wpLink
	for i := g.W.b.posts() - 1; i >= 0 && len(out) < 5; i-- {
		if g.W.b.comments(i) == 0 {
			continue
		}
		list := g.W.b.commentsOf(i)
		c := list[len(list)-1]
		out = append(out, wpLink{Name: escape(c.name), Slug: escape(g.W.b.title(i)), URL: escape(g.root + g.W.commentURL(i, list, c.id))})
	}
	return out
}

// answer sends a section; missing is the theme's page for what does not exist.
func (g *wpPage) answer(status int, section string) {
	g.html(status, g.W.t, section, g)
}

func (w *wordpress) missing(r *request) {
	g := w.page(r)
	g.Title, g.Body = "Page not found", "error404"
	r.w.Header().Set("Cache-Control", "no-cache, must-revalidate, max-age=0")
	g.answer(http.StatusNotFound, "missing")
}
