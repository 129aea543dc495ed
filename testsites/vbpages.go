package testsites

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

func (v *vbulletin) index(r *request) {
	g := v.page(r, "")
	g.Forums = g.views().forumRows(nil)
	g.answer(http.StatusOK, "index")
}

// asked reads the number and page of an address: "t=5&page=2", or "5-Title/page2" in 4.2, which also takes the old form.
func (r *request) asked(name string) (id, page int) {
	page = max(r.number("page"), 1)
	if n := r.number(name); n > 0 {
		return n, page
	}
	first, _, _ := strings.Cut(r.URL.RawQuery, "&")
	first, p, _ := strings.Cut(first, "/page")
	if n, err := strconv.Atoi(p); err == nil {
		page = n
	}
	digits, _, _ := strings.Cut(first, "-")
	id, err := strconv.Atoi(digits)
	if err != nil {
		return -1, 1
	}
	return id, page
}

func (g *vbPage) pager(page, total, per int, link func(n int) string) pager {
	return pager{Page: page, Pages: pagesOf(total, per), Total: total, Per: per, numbers: vbNumbers,
		link: func(n int) string { return g.L("%s", link(n)) }}
}

// vbNumbers are the pages that vBulletin offers besides first and last: three on each side, and those ten and fifty away.
func vbNumbers(page, pages int) []int {
	var out []int
	for n := 1; n <= pages; n++ {
		d := max(n-page, page-n)
		if d <= 3 || d == 10 || d == 50 {
			out = append(out, n)
		}
	}
	return out
}

func (v *vbulletin) forumdisplay(r *request) {
	g := v.page(r, "")
	if r.q.Get("do") == "markread" {
		r.redirect(http.StatusFound, r.root+"/")
		return
	}
	id, page := r.asked("f")
	f := v.b.forum(id)
	if f == nil {
		g.say(http.StatusNotFound, "Invalid Forum specified.")
		return
	}
	if f.kind == linkForum {
		r.redirect(http.StatusFound, "https://almanac.example.org/")
		return
	}
	g.Forum, g.Crumbs, g.Title = f, f.path(), f.name
	total := 0
	g.Forums = g.views().forumRows(f)
	g.Rows, total = g.views().topicRows(f, page, v.perForum)
	page = min(page, pagesOf(total, v.perForum)) // too high a number shows the last page
	g.Rows, _ = g.views().topicRows(f, page, v.perForum)
	g.Pager = g.pager(page, total, v.perForum, func(n int) string {
		if sort := r.q.Get("sort"); sort != "" {
			return v.canonicalForum(f, n) + "&sort=" + url.QueryEscape(sort) + "&order=" + url.QueryEscape(r.q.Get("order"))
		}
		return v.forumURL(f, n)
	})
	g.answer(http.StatusOK, "forumdisplay")
}

func (v *vbulletin) showthread(r *request) {
	g := v.page(r, "")
	id, page := r.asked("t")
	t := v.b.topic(id)
	if p := r.number("p"); p > 0 && p <= len(v.b.postTopic) {
		t, page = v.b.topic(int(v.b.postTopic[p-1])), v.b.place(p)/v.perTopic+1
	}
	if t == nil {
		g.say(http.StatusNotFound, "No Thread specified. If you followed a valid link, please tell us.")
		return
	}
	switch r.q.Get("goto") {
	case "newpost", "lastpost":
		r.redirect(http.StatusFound, r.root+"/"+v.postURL(v.b.lastOf(t)))
		return
	case "nextnewest", "nextoldest":
		step := map[string]int{"nextnewest": -1, "nextoldest": 1}[r.q.Get("goto")]
		if n := v.b.neighbour(t, step); n != nil {
			r.redirect(http.StatusFound, r.root+"/"+v.topicURL(n, 1))
			return
		}
		g.say(http.StatusOK, "There are no threads that are newer or older than this one.")
		return
	}
	page = min(page, pagesOf(int(t.count), v.perTopic))
	g.Topic, g.Forum = t, v.b.forum(t.forum)
	g.Crumbs, g.Title = g.Forum.path(), v.b.title(t)
	g.Posts = g.views().postViews(t, page)
	g.Pager = g.pager(page, int(t.count), v.perTopic, func(n int) string { return v.topicURL(t, n) })
	if t.poll {
		q, options, total := v.b.pollOptions(t)
		g.Poll = &pollView{q, options, total}
	}
	g.answer(http.StatusOK, "showthread")
}

// showpost is one post alone.
func (v *vbulletin) showpost(r *request) {
	g := v.page(r, "View Single Post")
	id := r.number("p")
	if id < 1 || id > len(v.b.postTopic) {
		g.say(http.StatusNotFound, "Invalid Post specified.")
		return
	}
	g.Topic = v.b.topic(int(v.b.postTopic[id-1]))
	g.Forum = v.b.forum(g.Topic.forum)
	g.Posts = []postView{g.views().postView(id)}
	g.answer(http.StatusOK, "showpost")
}

func (v *vbulletin) printthread(r *request) {
	g := v.page(r, "")
	id, page := r.asked("t")
	t := v.b.topic(id)
	if t == nil {
		g.say(http.StatusNotFound, "No Thread specified.")
		return
	}
	const per = 40
	g.Topic, g.Forum, g.Title = t, v.b.forum(t.forum), v.b.title(t)
	for _, id := range window(v.b.postsOf(t), page, per) {
		g.Posts = append(g.Posts, g.views().postView(int(id)))
	}
	g.Pager = g.pager(page, int(t.count), per, func(n int) string {
		return fmt.Sprintf("printthread.php?t=%d&page=%d&pp=%d", t.id, n,
			per)
	})
	g.answer(http.StatusOK, "printthread")
}

func (v *vbulletin) view(g *vbPage, u int) memberView {
	m := memberView{person: g.views().person(u, userName(u)), Posts: int(v.b.users[u].count), Joined: v.b.joined(u), Rank: "Member",
		Odd: u%2 == 0}
	if u == 0 {
		m.Rank = "Administrator"
	}
	return m
}

func (v *vbulletin) member(r *request) {
	g := v.page(r, "")
	id, _ := r.asked("u")
	if t := v.b.topic(r.number("t")); t != nil && r.q.Get("find") == "lastposter" {
		id = int(v.b.postUser[v.b.lastOf(t)-1]) + firstUser
	}
	if u := id - firstUser; u < 0 || u >= len(v.b.users) {
		g.say(http.StatusNotFound, "This user has not registered and therefore does not have a profile to view.")
		return
	}
	m := v.view(g, id-firstUser)
	g.Member, g.Title = &m, "View Profile: "+m.Name
	g.answer(http.StatusOK, "member")
}

func (v *vbulletin) memberlist(r *request) {
	g := v.page(r, "Members List")
	const per = 30
	var users []int
	for i := range v.b.users {
		if r.q.Get("order") == "desc" {
			i = len(v.b.users) - 1 - i
		}
		users = append(users, i)
	}
	page := max(r.number("page"), 1)
	for _, u := range window(users, page, per) {
		g.Members = append(g.Members, v.view(g, u))
	}
	q := "memberlist.php?order=" + url.QueryEscape(r.q.Get("order")) + "&sort=" + url.QueryEscape(r.q.Get("sort")) + "&pp=30"
	g.Pager = g.pager(page, len(users), per, func(n int) string { return q + "&page=" + itoa(n) })
	g.answer(http.StatusOK, "memberlist")
}

func (v *vbulletin) search(r *request) {
	g := v.page(r, "Search Forums")
	user := max(r.number("u"), r.number("userid"))
	switch do := r.q.Get("do"); {
	case do == "finduser" && user >= firstUser && user-firstUser < len(v.b.users):
		for _, id := range window(v.b.userPosts(user-firstUser), 1, 25) {
			g.Posts = append(g.Posts, g.views().postView(int(id)))
		}
	case do == "getdaily" || do == "getnew" || r.path == "activity.php":
		for i := max(len(v.b.postTopic)-25, 0); i < len(v.b.postTopic); i++ {
			g.Posts = append(g.Posts, g.views().postView(i+1))
		}
	case do != "":
		g.say(http.StatusOK, "Sorry - no matches. Please try some different terms.")
		return
	}
	g.answer(http.StatusOK, "search")
}

// calendar shows a month of the life of the board; it links to no other.
func (v *vbulletin) calendar(r *request) {
	g := v.page(r, "Calendar")
	g.Month = v.b.now()
	if y, m := r.number("year"), r.number("month"); y > 1970 && y < 2100 && m >= 1 && m <= 12 {
		g.Month = time.Date(y, time.Month(m), 1, 0, 0, 0, 0, time.UTC)
	}
	g.answer(http.StatusOK, "calendar")
}

// Months around the one of the calendar, as far as the board was open.
func (g *vbPage) Months() []string {
	var out []string
	for _, d := range []int{-1, 1} {
		m := g.Month.AddDate(0, d, 1-g.Month.Day())
		if m.Before(boardEpoch.AddDate(0, 0, -31)) || m.After(g.Now()) {
			continue
		}
		out = append(out, g.L("calendar.php?do=displaymonth&month=%d&year=%d&c=1", m.Month(), m.Year()))
	}
	return out
}

func (v *vbulletin) feed(r *request) {
	g := v.page(r, "RSS")
	f := v.b.forum(r.number("forumids"))
	for i := len(v.b.topics) - 1; i >= 0 && len(g.Posts) < 15; i-- {
		if t := &v.b.topics[i]; f == nil || f.id == t.forum {
			g.Posts = append(g.Posts, g.views().postView(v.b.firstOf(t)))
		}
	}
	r.send(http.StatusOK, "text/xml; charset=ISO-8859-1", latin1(r.execute(v.t, "feed", g)))
}

// archive is the plain copy of the board for search engines: archive/index.php/t-5.html.
func (v *vbulletin) archive(r *request) {
	g := v.page(r, "Archive")
	name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(r.path, "archive/"), "index.php"), ".html")
	name, p, _ := strings.Cut(strings.TrimPrefix(name, "/"), "-p-")
	page, err := strconv.Atoi(p)
	if err != nil {
		page = 1
	}
	kind, num, _ := strings.Cut(name, "-")
	id, _ := strconv.Atoi(num) // 0 finds nothing
	const per = 100
	switch t, f := v.b.topic(id), v.b.forum(id); {
	case name == "":
	case kind == "t" && t != nil:
		g.Topic, g.Forum, g.Title = t, v.b.forum(t.forum), v.b.title(t)
		for _, id := range window(v.b.postsOf(t), page, per) {
			g.Posts = append(g.Posts, g.views().postView(int(id)))
		}
		g.Pager = g.pager(page, int(t.count), per, nil)
	case kind == "f" && f != nil:
		g.Forum, g.Title = f, f.name
		for _, id := range window(f.topics, page, per) {
			g.Rows = append(g.Rows, g.views().topicRow(int(id), f, false))
		}
		g.Pager = g.pager(page, len(f.topics), per, nil)
	default:
		http.NotFound(r.w, r.Request)
		return
	}
	g.answer(http.StatusOK, "archive")
}
