package testsites

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// vbulletin answers as vBulletin does: 3.8 with tables, or 4.2. Both speak ISO-8859-1, as they did
// by default, and write other characters as numbered entities.
type vbulletin struct {
	site     *Site
	b        *board
	t        *template.Template
	four     bool
	perTopic int
	perForum int
}

func newVBulletin(s *Site, t *template.Template) *vbulletin {
	return &vbulletin{site: s, b: newBoard(s.o.Seed, s.o.Posts), t: t, four: s.template == "4.2", perTopic: 10, perForum: 20}
}

// vbPage is what the templates see. Only the fields of the page at hand are filled.
type vbPage struct {
	*request
	V       *vbulletin
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
	Month   time.Time // of the calendar
}

// L returns an escaped link to a script of the board. The session id comes first in the query, or
// after a title in 4.2.
func (g *vbPage) L(format string, args ...any) string {
	return escape(g.raw(fmt.Sprintf(format, args...)))
}

func (g *vbPage) raw(u string) string {
	if g.sid == "" {
		return u
	}
	u, frag, _ := strings.Cut(u, "#")
	script, query, asked := strings.Cut(u, "?")
	switch {
	case !asked:
		u = script + "?s=" + g.sid
	case query[0] >= '0' && query[0] <= '9':
		u += "&s=" + g.sid
	default:
		u = script + "?s=" + g.sid + "&" + query
	}
	if frag != "" {
		u += "#" + frag
	}
	return u
}

// titled is a number with the title behind it, as 4.2 writes addresses: letters and digits of
// ASCII, dashes between.
func titled(id int, title string) string {
	var s strings.Builder
	dash := true
	for _, c := range title {
		if c < 128 && (c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z') {
			if dash {
				s.WriteByte('-')
			}
			dash = false
			s.WriteRune(c)
		} else {
			dash = true
		}
	}
	return itoa(id) + s.String()
}

func (v *vbulletin) topicURL(t *topic, page int) string {
	if v.four {
		u := "showthread.php?" + titled(t.id, v.b.title(t))
		if page > 1 {
			u += "/page" + itoa(page)
		}
		return u
	}
	u := "showthread.php?t=" + itoa(t.id)
	if page > 1 {
		u += "&page=" + itoa(page)
	}
	return u
}

func (v *vbulletin) forumURL(f *forum, page int) string {
	if v.four {
		u := "forumdisplay.php?" + titled(f.id, f.name)
		if page > 1 {
			u += "/page" + itoa(page)
		}
		return u
	}
	u := "forumdisplay.php?f=" + itoa(f.id)
	if page > 1 {
		u += "&order=desc&page=" + itoa(page)
	}
	return u
}

// canonicalForum is the address of a page of a forum without the order, which is the usual one.
func (v *vbulletin) canonicalForum(f *forum, page int) string {
	return strings.Replace(v.forumURL(f, page), "&order=desc", "", 1)
}

func (v *vbulletin) postURL(id int) string {
	t := v.b.topic(int(v.b.postTopic[id-1]))
	if v.four {
		return fmt.Sprintf("%s&p=%d#post%d", v.topicURL(t, 1), id, id)
	}
	return fmt.Sprintf("showthread.php?p=%d#post%d", id, id)
}

func (v *vbulletin) memberURL(id int, name string) string {
	if v.four {
		return "member.php?" + titled(id, name)
	}
	return "member.php?u=" + itoa(id)
}

// T and the methods below return the links of the templates.
func (g *vbPage) T(id int) string           { return g.TPage(id, 1) }
func (g *vbPage) TPage(id, page int) string { return g.L("%s", g.V.topicURL(g.V.b.topic(id), page)) }
func (g *vbPage) TWith(id int, more string) string {
	return g.L("%s&%s", g.V.topicURL(g.V.b.topic(id), 1), more)
}
func (g *vbPage) F(f *forum) string { return g.L("%s", g.V.forumURL(f, 1)) }
func (g *vbPage) FID(id int) string { return g.F(g.V.b.forum(id)) }
func (g *vbPage) FWith(f *forum, more string) string {
	return g.L("%s&%s", g.V.forumURL(f, 1), more)
}
func (g *vbPage) PostURL(id int) string { return g.L("%s", g.V.postURL(id)) }
func (g *vbPage) Name() string          { return "Lowland Pump Club" }
func (g *vbPage) Root() string          { return g.root }
func (g *vbPage) Sid() string           { return g.sid }

// Day, Clock and Date format a time in the default of the style: "01-31-2009, 03:45 PM" in 3.8,
// "31st January 2009, 15:45" in 4.2.
func (g *vbPage) Day(t time.Time) string {
	if g.V.four {
		return ordinal(t.Day()) + t.Format(" January 2006")
	}
	return t.Format("01-02-2006")
}

func (g *vbPage) Clock(t time.Time) string {
	if g.V.four {
		return t.Format("15:04")
	}
	return t.Format("03:04 PM")
}

func (g *vbPage) Date(t time.Time) string  { return g.Day(t) + ", " + g.Clock(t) }
func (g *vbPage) Joins(t time.Time) string { return t.Format("Jan 2006") }
func (g *vbPage) Now() time.Time           { return g.V.b.now() }
func (g *vbPage) RFC(t time.Time) string   { return t.Format("Mon, 02 Jan 2006 15:04:05 GMT") }

func ordinal(n int) string {
	suffix := "th"
	if n/10 != 1 {
		suffix = map[int]string{1: "st", 2: "nd", 3: "rd"}[n%10]
		if suffix == "" {
			suffix = "th"
		}
	}
	return itoa(n) + suffix
}

func (g *vbPage) ForumID(f *forum) int      { return f.id }
func (g *vbPage) ForumName(f *forum) string { return f.name }
func (g *vbPage) ForumDesc(f *forum) string { return f.desc }
func (g *vbPage) Postable(f *forum) bool    { return f.kind == postable }
func (g *vbPage) Parent(f *forum) *forum    { return f.parent }
func (g *vbPage) TopicID(t *topic) int      { return t.id }
func (g *vbPage) TitleOf(t *topic) string   { return g.V.b.title(t) }
func (g *vbPage) ForumOf(t *topic) *forum   { return g.V.b.forum(t.forum) }
func (g *vbPage) TopicOf(post int) *topic   { return g.V.b.topic(int(g.V.b.postTopic[post-1])) }
func (g *vbPage) Locked() bool              { return g.Topic.locked }

// Totals returns the numbers at the foot of the index.
func (g *vbPage) Totals() (t struct{ Posts, Topics, Members int }) {
	t.Posts, t.Topics, t.Members = len(g.V.b.postTopic), len(g.V.b.topics), len(g.V.b.users)
	return t
}

// Canonical returns the address in the head of a page of 4.2.
func (g *vbPage) Canonical() string {
	switch {
	case g.Topic != nil:
		return escape(g.V.topicURL(g.Topic, g.Pager.Page))
	case g.Forum != nil:
		return escape(g.V.canonicalForum(g.Forum, g.Pager.Page))
	}
	return "forum.php"
}

// TrapLinks returns the links to the traps.
func (g *vbPage) TrapLinks() string {
	if !g.V.site.o.Traps {
		return ""
	}
	return trapLinks(g.L("index.php"))
}

// Jump returns the forums with their depth.
func (g *vbPage) Jump() []jumpEntry { return g.V.b.jump() }

func (v *vbulletin) page(r *request, title string) *vbPage {
	return &vbPage{request: r, V: v, Title: title}
}

func (g *vbPage) views() boardPages {
	return boardPages{b: g.V.b, per: g.V.perTopic, body: g.body,
		profile: func(id int, name string) string { return g.L("%s", g.V.memberURL(id, name)) }}
}

func (g *vbPage) answer(status int, section string) {
	h := g.w.Header()
	h.Set("Cache-Control", "private")
	h.Set("Pragma", "private")
	h.Set("X-Powered-By", "PHP/5.2.6")
	g.send(status, "text/html; charset=ISO-8859-1", latin1(g.execute(g.V.t, section, g)))
}

// latin1 encodes, with numbered entities for what does not fit.
func latin1(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for _, c := range string(b) {
		if c < 256 {
			out = append(out, byte(c))
		} else {
			out = append(out, "&#"+strconv.Itoa(int(c))+";"...)
		}
	}
	return out
}

// say is the page for messages and errors; most of what a guest may not do is answered so, with
// status 200.
func (g *vbPage) say(status int, message string) {
	g.Title, g.Message = "vBulletin Message", message
	g.answer(status, "message")
}

const noPermission = "You are not logged in or you do not have permission to access this page."

func (v *vbulletin) serve(r *request) {
	sid := v.site.session(r, "bbsessionhash", "s")
	if !r.seen {
		for _, c := range []string{"lastvisit=1172998800; expires=Sun, 21-Nov-2027 02:55:26 GMT",
			"lastactivity=0; expires=Sun, 21-Nov-2027 02:55:26 GMT", "sessionhash=" + sid} {
			r.w.Header().Add("Set-Cookie", "bb"+c+"; path=/; HttpOnly")
		}
	}
	switch script, _, _ := strings.Cut(r.path, "/"); script {
	case "", "index.php", "forum.php":
		v.index(r)
	case "forumdisplay.php":
		v.forumdisplay(r)
	case "showthread.php":
		v.showthread(r)
	case "showpost.php":
		v.showpost(r)
	case "printthread.php":
		v.printthread(r)
	case "member.php":
		v.member(r)
	case "memberlist.php":
		v.memberlist(r)
	case "search.php", "activity.php":
		v.search(r)
	case "calendar.php":
		v.calendar(r)
	case "external.php":
		v.feed(r)
	case "archive":
		v.archive(r)
	case "faq.php", "register.php", "misc.php", "online.php", "showgroups.php", "announcement.php", "login.php":
		v.page(r, "").say(http.StatusOK, "Nothing much to read on this page: "+script)
	case "newreply.php", "newthread.php", "sendmessage.php", "report.php", "subscription.php", "private.php", "profile.php", "usercp.php":
		v.page(r, "").say(http.StatusOK, noPermission)
	case "attachment.php", "clear.gif", "images", "image.php":
		r.image()
	case "clientscript", "css.php":
		r.text(http.StatusOK, "text/css", "body { margin: 0 }\n")
	default:
		http.NotFound(r.w, r.Request)
	}
}
