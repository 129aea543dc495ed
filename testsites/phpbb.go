package testsites

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// phpbb answers as phpBB does: 3.3 with the style prosilver, or 3.0 with subSilver2.
type phpbb struct {
	site     *Site
	b        *board
	t        *template.Template
	old      bool // 3.0
	perTopic int
	perForum int
	cookie   string
	live     *living // nil if the board does not change
}

func newPHPBB(s *Site, t *template.Template) *phpbb {
	p := &phpbb{site: s, b: newBoard(s.o.Seed, s.o.Posts), t: t, old: s.template == "subsilver2", perTopic: 10, perForum: 25}
	if s.o.Clock != nil {
		p.live = &living{whole: p.b, clock: s.o.Clock}
	}
	p.cookie = "phpbb3_" + newRandom(uint64(s.o.Seed), "cookie", 0).hex(5)
	return p
}

// phpbbPage is what the templates see. Only the fields of the page at hand are filled.
type phpbbPage struct {
	*request
	P       *phpbb
	Section string // script name without .php
	Title   string
	Crumbs  []*forum
	Forum   *forum
	Topic   *topic
	Forums  []forumRow
	Rows    []topicRow
	Posts   []postView
	Pager   pager
	Poll    *pollView
	Member  *memberView
	Members []memberView
	Message string
	Prompt  string // of a login page
	Back    string // to which a login returns
}

type pollView struct {
	Question string
	Options  []pollOption
	Total    int
}

type memberView struct {
	person
	Posts  int
	Joined time.Time
	Rank   string
	Odd    bool
}

// L is a link to a script of the board, as append_sid makes it: "./" before, the session id behind, escaped.
func (g *phpbbPage) L(format string, args ...any) string {
	return escape(g.raw(fmt.Sprintf(format, args...)))
}

func (g *phpbbPage) raw(u string) string {
	if strings.HasPrefix(u, "app.php/") {
		u = g.P.site.o.Prefix + "/" + u
	} else {
		u = g.Up() + u
	}
	if g.sid == "" {
		return u
	}
	u, frag, _ := strings.Cut(u, "#")
	sep := "?"
	if strings.Contains(u, "?") {
		sep = "&"
	}
	u += sep + "sid=" + g.sid
	if frag != "" {
		u += "#" + frag
	}
	return u
}

// Up leads from the page to the root of the board; pages of app.php lie deeper.
func (g *phpbbPage) Up() string { return "./" + strings.Repeat("../", strings.Count(g.path, "/")) }

// topicURL is the address of a page of a topic without "./" and session: 3.0 names the forum too.
func (p *phpbb) topicURL(t *topic, page int) string {
	u := "viewtopic.php?t=" + itoa(t.id)
	if p.old {
		u = fmt.Sprintf("viewtopic.php?f=%d&t=%d", t.forum, t.id)
	}
	if page > 1 {
		u += "&start=" + itoa((page-1)*p.perTopic)
	}
	return u
}

func (p *phpbb) forumURL(f *forum, page int) string {
	u := "viewforum.php?f=" + itoa(f.id)
	if page > 1 {
		u += "&start=" + itoa((page-1)*p.perForum)
	}
	return u
}

// T, PostURL and F are those links for templates.
func (g *phpbbPage) T(id int) string           { return g.TPage(id, 1) }
func (g *phpbbPage) TPage(id, page int) string { return g.L("%s", g.P.topicURL(g.P.b.topic(id), page)) }
func (g *phpbbPage) PostURL(id int) string     { return g.L("viewtopic.php?%sp=%d#p%d", g.f(id), id, id) }
func (g *phpbbPage) Date(t time.Time) string   { return t.Format("Mon Jan 02, 2006 3:04 pm") }
func (g *phpbbPage) ISO(t time.Time) string    { return t.Format("2006-01-02T15:04:05+00:00") }
func (g *phpbbPage) Now() time.Time            { return g.P.b.now() }
func (g *phpbbPage) Tail(pages int) []int      { return tailNumbers(pages) }
func (g *phpbbPage) Name() string              { return "Fenland Boards" }
func (g *phpbbPage) Token(n int) string        { return newRandom(g.P.b.seed, "token", n).hex(40) }
func (g *phpbbPage) Traps() bool               { return g.P.site.o.Traps }
func (g *phpbbPage) Totals() (t struct{ Posts, Topics, Members int }) {
	t.Posts, t.Topics, t.Members = len(g.P.b.postTopic), len(g.P.b.topics), len(g.P.b.users)
	return t
}

// f names the forum of a post in the links of 3.0.
func (g *phpbbPage) f(post int) string {
	if !g.P.old {
		return ""
	}
	return "f=" + itoa(g.P.b.topic(int(g.P.b.postTopic[post-1])).forum) + "&"
}

// Jump lists all forums with their depth, for the jump box.
func (g *phpbbPage) Jump() []jumpEntry { return g.P.b.jump() }

// LoginURL names the page itself, with sorted parameters, as the address to return to.
// A page of the control panel is not returned to.
func (g *phpbbPage) LoginURL() string {
	if g.Section == "ucp" {
		return g.L("ucp.php?mode=login")
	}
	return g.L("ucp.php?mode=login&redirect=%s", url.QueryEscape(g.here()))
}

func (g *phpbbPage) here() string {
	q := url.Values{}
	for k, v := range g.q {
		if k != "sid" {
			q[k] = v
		}
	}
	u := g.Section + ".php"
	if len(q) > 0 {
		u += "?" + q.Encode()
	}
	return u
}

func (p *phpbb) page(r *request, section, title string) *phpbbPage {
	return &phpbbPage{request: r, P: p, Section: section, Title: title}
}

func (g *phpbbPage) views() boardPages {
	return boardPages{b: g.P.b, per: g.P.perTopic, body: g.body,
		profile: func(id int, _ string) string { return g.L("memberlist.php?mode=viewprofile&u=%d", id) }}
}

// answer sends a section of the template with the headers of the software.
func (g *phpbbPage) answer(status int, section string) {
	h := g.w.Header()
	h.Set("Cache-Control", `private, no-cache="set-cookie"`)
	h.Set("Expires", "0")
	if g.P.old {
		h.Set("Pragma", "no-cache")
		h.Set("X-Powered-By", "PHP/5.3.29")
	} else {
		h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	}
	g.html(status, g.P.t, section, g)
}

// missing is the answer for what does not exist.
func (g *phpbbPage) missing(message string) {
	g.Title, g.Message = "Information", message
	g.answer(http.StatusNotFound, "message")
}

func (p *phpbb) serve(r *request) {
	if p.live != nil {
		now := *p
		now.b, p = p.live.now(), &now
	}
	sid := p.site.session(r, p.cookie+"_sid", "sid")
	if !r.seen {
		for _, c := range []string{"u=1", "k=", "sid=" + sid} {
			r.w.Header().Add("Set-Cookie", p.cookie+"_"+c+"; expires=Sun, 21-Nov-2027 02:55:26 GMT; path=/; HttpOnly")
		}
	}
	switch {
	case r.path == "" || r.path == "index.php":
		p.index(r)
	case r.path == "viewforum.php":
		p.viewforum(r)
	case r.path == "viewtopic.php":
		p.viewtopic(r)
	case r.path == "memberlist.php":
		p.memberlist(r)
	case r.path == "search.php":
		p.search(r)
	case r.path == "ucp.php":
		p.ucp(r)
	case r.path == "posting.php":
		p.posting(r)
	case r.path == "viewonline.php":
		g := p.page(r, "viewonline", "Who is online")
		g.answer(http.StatusOK, "viewonline")
	case r.path == "download/file.php" || strings.HasPrefix(r.path, "images/") || strings.HasSuffix(r.path, ".gif"):
		r.image()
	case strings.HasPrefix(r.path, "styles/") || strings.HasPrefix(r.path, "assets/") || r.path == "style.php":
		r.text(http.StatusOK, "text/css", "body { margin: 0 }\n")
	case p.old:
		p.serveOld(r)
	default:
		p.serveNew(r)
	}
}

// serveNew answers what only 3.3 has.
func (p *phpbb) serveNew(r *request) {
	rest, ok := strings.CutPrefix(r.path, "app.php/")
	switch {
	case ok && rest == "help/faq":
		g := p.page(r, "app", "Frequently Asked Questions")
		g.Message = "What is a board? Why is there no help? Whom do I ask?"
		g.answer(http.StatusOK, "message")
	case ok && (rest == "feed" || strings.HasPrefix(rest, "feed/")):
		p.feed(r, rest)
	case ok && strings.HasPrefix(rest, "post/") && strings.HasSuffix(rest, "/report"):
		p.login(r, "app", "You need to login in order to report this post.", http.StatusForbidden)
	default:
		http.NotFound(r.w, r.Request)
	}
}

// serveOld answers what only 3.0 has.
func (p *phpbb) serveOld(r *request) {
	switch r.path {
	case "faq.php":
		g := p.page(r, "faq", "Frequently Asked Questions")
		g.Message = "What is a board? Why is there no help? Whom do I ask?"
		g.answer(http.StatusOK, "message")
	case "feed.php":
		p.feed(r, "feed")
	case "report.php":
		p.login(r, "report", "You need to login in order to report this post.", http.StatusOK)
	case "cron.php":
		r.image()
	default:
		http.NotFound(r.w, r.Request)
	}
}

// number reads a parameter that should be a number; -1 when it is not.
func (r *request) number(name string) int {
	n, err := strconv.Atoi(r.q.Get(name))
	if err != nil {
		return -1
	}
	return n
}
