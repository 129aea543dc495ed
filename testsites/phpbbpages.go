package testsites

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

func (p *phpbb) index(r *request) {
	g := p.page(r, "index", "Index page")
	g.Forums = g.views().forumRows(nil)
	g.answer(http.StatusOK, "index")
}

func (p *phpbb) viewforum(r *request) {
	g := p.page(r, "viewforum", "")
	f := p.b.forum(r.number("f"))
	if f == nil {
		g.missing("The forum you selected does not exist.")
		return
	}
	if f.kind == linkForum {
		g.redirect(http.StatusFound, "https://almanac.example.org/")
		return
	}
	g.Forum, g.Crumbs, g.Title = f, f.path(), f.name
	page := max(r.number("start"), 0)/p.perForum + 1
	total := 0
	g.Forums = g.views().forumRows(f)
	g.Rows, total = g.views().topicRows(f, page, p.perForum)
	g.Pager = g.pager(page, total, p.perForum, func(n int) string { return p.forumURL(f, n) + g.sorting() })
	if page > g.Pager.Pages {
		g.missing("The requested page does not exist.")
		return
	}
	g.answer(http.StatusOK, "viewforum")
}

// sorting repeats the parameters that a list was asked to be sorted by.
func (g *phpbbPage) sorting() string {
	s := ""
	for _, k := range []string{"st", "sk", "sd"} {
		if v := g.q.Get(k); v != "" {
			s += "&" + k + "=" + url.QueryEscape(v)
		}
	}
	return s
}

func (g *phpbbPage) pager(page, total, per int, link func(n int) string) pager {
	return pager{Page: page, Pages: pagesOf(total, per), Total: total, Per: per, numbers: phpbbNumbers,
		link: func(n int) string { return g.L("%s", link(n)) }}
}

func (p *phpbb) viewtopic(r *request) {
	g := p.page(r, "viewtopic", "")
	t, page := p.b.topic(r.number("t")), max(r.number("start"), 0)/p.perTopic+1
	if id := r.number("p"); id > 0 && id <= len(p.b.postTopic) && !p.b.deleted(id) {
		t, page = p.b.topic(int(p.b.postTopic[id-1])), p.b.place(id)/p.perTopic+1
	}
	if t == nil {
		g.missing("The requested topic does not exist.")
		return
	}
	switch r.q.Get("view") {
	case "next", "previous":
		step := map[string]int{"next": -1, "previous": 1}[r.q.Get("view")]
		if t = p.b.neighbour(t, step); t == nil {
			g.missing("There are no newer or older topics in this forum.")
			return
		}
	case "unread", "newest":
		page = 1
	}
	if page > pagesOf(int(t.count), p.perTopic) {
		g.missing("The requested page does not exist.")
		return
	}
	g.Topic, g.Forum = t, p.b.forum(t.forum)
	g.Crumbs, g.Title = g.Forum.path(), p.b.title(t)
	g.Posts = g.views().postViews(t, page)
	g.Pager = g.pager(page, int(t.count), p.perTopic, func(n int) string { return p.topicURL(t, n) + g.sorting() })
	if t.poll {
		q, options, total := p.b.pollOptions(t)
		g.Poll = &pollView{q, options, total}
	}
	if r.q.Get("view") == "print" {
		g.answer(http.StatusOK, "print")
		return
	}
	g.answer(http.StatusOK, "viewtopic")
}

func (p *phpbb) member(g *phpbbPage, u int) memberView {
	m := memberView{person: g.views().person(u, userName(u)), Posts: int(p.b.users[u].count), Joined: p.b.joined(u), Odd: u%2 == 0}
	if u == 0 {
		m.Rank = "Site Admin"
	}
	return m
}

func (p *phpbb) memberlist(r *request) {
	g := p.page(r, "memberlist", "Members")
	switch r.q.Get("mode") {
	case "viewprofile":
		u := r.number("u") - firstUser
		if u < 0 || u >= len(p.b.users) {
			g.missing("The requested user does not exist.")
			return
		}
		m := p.member(g, u)
		g.Member, g.Title = &m, "Viewing profile - "+m.Name
		g.answer(http.StatusOK, "profile")
		return
	case "email":
		p.login(r, "memberlist", "You need to login in order to send e-mail.", http.StatusForbidden)
		return
	case "team", "leaders":
		g.Title = "The team"
		g.Members = []memberView{p.member(g, 0), p.member(g, 1)}
		g.answer(http.StatusOK, "memberlist")
		return
	case "group":
		if n := r.number("g"); n < 1 || n > 7 {
			g.missing("The requested usergroup does not exist.")
			return
		}
	case "", "searchuser":
	default:
		g.missing("Mode is not supported.")
		return
	}
	per := 25
	page := max(r.number("start"), 0)/per + 1
	var users []int
	for i := range p.b.users {
		if r.q.Get("sd") == "d" {
			i = len(p.b.users) - 1 - i
		}
		users = append(users, i)
	}
	for _, u := range window(users, page, per) {
		g.Members = append(g.Members, p.member(g, u))
	}
	g.Pager = g.pager(page, len(users), per, func(n int) string {
		return "memberlist.php?" + g.memberQuery(g.q.Get("sk"), g.q.Get("sd"), (n-1)*per)
	})
	g.answer(http.StatusOK, "memberlist")
}

// memberQuery writes the parameters of a member list in one fixed order.
func (g *phpbbPage) memberQuery(sk, sd string, start int) string {
	var parts []string
	for _, kv := range [][2]string{{"mode", g.q.Get("mode")}, {"g", g.q.Get("g")}, {"sk", sk}, {"sd", sd}} {
		if kv[1] != "" {
			parts = append(parts, kv[0]+"="+url.QueryEscape(kv[1]))
		}
	}
	if start > 0 {
		parts = append(parts, "start="+itoa(start))
	}
	return strings.Join(parts, "&")
}

// SortLink returns the link of the head of a column: the same list in another order.
func (g *phpbbPage) SortLink(sk string) string {
	sd := "a"
	if g.q.Get("sk") == sk && g.q.Get("sd") != "d" {
		sd = "d"
	}
	return g.L("memberlist.php?%s", g.memberQuery(sk, sd, 0))
}

func (p *phpbb) search(r *request) {
	g := p.page(r, "search", "Search")
	var found []int32
	what := "search_id=" + url.QueryEscape(r.q.Get("search_id"))
	switch {
	case r.q.Get("author_id") != "":
		u := r.number("author_id") - firstUser
		if u < 0 || u >= len(p.b.users) {
			g.missing("No posts were found.")
			return
		}
		found, what = p.b.userPosts(u), "author_id="+itoa(u+firstUser)+"&sr=posts"
	case r.q.Get("search_id") == "unanswered" || r.q.Get("search_id") == "active_topics" || r.q.Get("search_id") == "newposts":
		for i := range p.b.topics {
			if t := &p.b.topics[i]; t.count > 0 && (t.count == 1) == (r.q.Get("search_id") == "unanswered") {
				found = append(found, int32(p.b.firstOf(t)))
			}
		}
		found = window(found, 1, 100) // "active" means of the last days
	case r.q.Get("keywords") != "":
		what = "keywords=" + url.QueryEscape(r.q.Get("keywords"))
	default:
		g.answer(http.StatusOK, "searchform")
		return
	}
	per := 10
	page := max(r.number("start"), 0)/per + 1
	for _, id := range window(found, page, per) {
		g.Posts = append(g.Posts, g.views().postView(int(id)))
	}
	g.Title = fmt.Sprintf("Search found %d matches", len(found))
	g.Pager = g.pager(page, len(found), per, func(n int) string {
		if n == 1 {
			return "search.php?" + what
		}
		return "search.php?" + what + "&start=" + itoa((n-1)*per)
	})
	g.answer(http.StatusOK, "results")
}

// TopicOf and ForumOf return the topic and the forum of a search result.
func (g *phpbbPage) TopicOf(post int) *topic   { return g.P.b.topic(int(g.P.b.postTopic[post-1])) }
func (g *phpbbPage) TopicID(t *topic) int      { return t.id }
func (g *phpbbPage) TitleOf(t *topic) string   { return g.P.b.title(t) }
func (g *phpbbPage) ForumOf(t *topic) *forum   { return g.P.b.forum(t.forum) }
func (g *phpbbPage) ForumID(f *forum) int      { return f.id }
func (g *phpbbPage) ForumName(f *forum) string { return f.name }
func (g *phpbbPage) ForumDesc(f *forum) string { return f.desc }
func (g *phpbbPage) Postable(f *forum) bool    { return f.kind == postable }
func (g *phpbbPage) Locked() bool              { return g.Topic.locked }

func (p *phpbb) ucp(r *request) {
	switch r.q.Get("mode") {
	case "register", "terms", "privacy", "sendpassword", "delete_cookies":
		g := p.page(r, "ucp", "User Control Panel")
		g.Message = "By using this board you agree to be kind. (" + r.q.Get("mode") + ")"
		g.answer(http.StatusOK, "message")
	default:
		p.login(r, "ucp", "Login", http.StatusOK)
	}
}

func (p *phpbb) posting(r *request) {
	what := map[string]string{"quote": "quote posts within this forum", "reply": "reply to topics within this forum",
		"post": "post within this forum"}[r.q.Get("mode")]
	if what == "" {
		what = "edit posts"
	}
	p.login(r, "posting", "You need to login in order to "+what+".", http.StatusOK)
}

// login is the form that stands, with status 200, where a guest may not go.
func (p *phpbb) login(r *request, section, prompt string, status int) {
	g := p.page(r, section, "Login")
	g.Prompt, g.Back = prompt, r.q.Get("redirect")
	if g.Back == "" {
		g.Back = g.here()
	}
	g.answer(status, "login")
}

// feed sends the newest posts of the board, of a forum or of a topic.
func (p *phpbb) feed(r *request, what string) {
	g := p.page(r, "app", "Feed")
	var ids []int32
	n := r.number("f")
	if i := strings.LastIndexByte(what, '/'); i >= 0 {
		n = (&request{q: url.Values{"n": {what[i+1:]}}}).number("n")
	}
	switch f := p.b.forum(n); {
	case strings.HasPrefix(what, "feed/topic/") && p.b.topic(n) != nil:
		ids = p.b.postsOf(p.b.topic(n))
	case strings.HasPrefix(what, "feed/forum/") && f != nil, p.old && f != nil:
		for _, id := range window(f.topics, 1, 10) {
			ids = append(ids, int32(p.b.lastOf(p.b.topic(int(id)))))
		}
	case what == "feed" || what == "feed/topics" || what == "feed/topics_active":
		for i := max(len(p.b.postTopic)-10, 0); i < len(p.b.postTopic); i++ {
			if !p.b.deleted(i + 1) {
				ids = append(ids, int32(i+1))
			}
		}
	default:
		http.NotFound(r.w, r.Request)
		return
	}
	for i := len(ids) - 1; i >= max(len(ids)-10, 0); i-- {
		g.Posts = append(g.Posts, g.views().postView(int(ids[i])))
	}
	r.send(http.StatusOK, "application/atom+xml; charset=UTF-8", r.execute(p.t, "feed", g))
}
