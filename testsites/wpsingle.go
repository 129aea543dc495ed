package testsites

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// single answers the address of a post, of a part of it, of its picture or of a page.
func (w *wordpress) single(r *request, parts []string, commentPage int, feed bool) {
	if s := w.staticByPath(strings.Join(parts, "/")); s != nil && commentPage == 0 {
		w.static(r, s, feed)
		return
	}
	i, rest := w.postByPath(parts)
	part := 1
	switch {
	case i < 0:
		w.missing(r)
		return
	case len(rest) == 1 && rest[0] == "trackback":
		r.redirect(http.StatusFound, r.root+w.permalink(i))
		return
	case len(rest) == 1 && rest[0] == "scan-"+itoa(i) && hasPicture(i):
		w.attachment(r, i)
		return
	case len(rest) == 1:
		n, err := strconv.Atoi(rest[0])
		if err != nil || n < 1 {
			w.missing(r)
			return
		}
		if n == 1 {
			r.redirect(http.StatusMovedPermanently, r.root+w.permalink(i))
			return
		}
		part = n
	case len(rest) > 1:
		w.missing(r)
		return
	}
	if feed {
		w.feed(r, w.b.title(i), []int32{int32(i)}, true)
		return
	}
	w.showPost(r, i, part, commentPage)
}

func (w *wordpress) showPost(r *request, i, part, commentPage int) {
	body := w.content(i, r.root)
	list := w.b.commentsOf(i)
	pages := pagesOf(len(threads(list)), perCommentPage)
	if part > len(body) || commentPage > pages {
		w.missing(r)
		return
	}
	g := w.page(r)
	p := g.post(i)
	g.Post, g.Title, g.FeedURL = &p, w.b.title(i), p.FeedURL
	g.Body = fmt.Sprintf("single single-post postid-%d", p.ID)
	if w.modern {
		g.Body = "post-template-default " + g.Body + " single-format-standard"
	}
	g.Canonical = p.URL
	if w.modern {
		h := r.w.Header()
		h.Add("Link", fmt.Sprintf(`<%s/wp-json/wp/v2/posts/%d>; rel="alternate"; type="application/json"`, r.root, p.ID))
		h.Add("Link", fmt.Sprintf("<%s/?p=%d>; rel=shortlink", r.root, p.ID))
	}
	p.Parts = pager{Page: part, Pages: len(body), link: func(n int) string {
		if n == 1 {
			return p.URL
		}
		return p.URL + itoa(n) + "/"
	}, numbers: func(_, pages int) []int { return upTo(1, pages) }}
	if !p.Protected {
		p.Content = body[part-1]
	}
	if i > 0 {
		p.Prev = &wpLink{Name: escape(w.b.title(i - 1)), URL: g.U("%s", w.permalink(i-1))}
	}
	if i < w.b.posts()-1 {
		p.Next = &wpLink{Name: escape(w.b.title(i + 1)), URL: g.U("%s", w.permalink(i+1))}
	}
	if commentPage == 0 {
		commentPage = 1
		if w.newest {
			commentPage = pages
		}
	}
	g.CommentPage = pager{Page: commentPage, Pages: pages, Total: len(list), numbers: edgeNumbers,
		link: func(n int) string { return g.U("%s#comments", w.commentPagePath(i, n, pages)) }}
	g.Comments = g.comments(i, list, commentPage)
	g.answer(http.StatusOK, "post")
}

// commentPagePath is where page n of the comments of a post stands: on the post itself for the page that it shows.
func (w *wordpress) commentPagePath(i, n, pages int) string {
	if (w.newest && n == pages) || (!w.newest && n == 1) {
		return w.permalink(i)
	}
	return w.permalink(i) + "comment-page-" + itoa(n) + "/"
}

// commentURL is the address of one comment, with fragment.
func (w *wordpress) commentURL(i int, list []comment, id int) string {
	top := threads(list)
	for k, n := range top {
		if n.contains(id) {
			return w.commentPagePath(i, k/perCommentPage+1, pagesOf(len(top), perCommentPage)) + "#comment-" + itoa(id)
		}
	}
	return w.permalink(i)
}

func (n *commentNode) contains(id int) bool {
	if n.id == id {
		return true
	}
	for _, c := range n.children {
		if c.contains(id) {
			return true
		}
	}
	return false
}

// comments views one page of them.
func (g *wpPage) comments(i int, list []comment, page int) []commentView {
	top := threads(list)
	pages := pagesOf(len(top), perCommentPage)
	path := g.W.commentPagePath(i, page, pages)
	count, thread := 0, 0
	var view func(n *commentNode) commentView
	view = func(n *commentNode) commentView {
		v := commentView{G: g, ID: n.id, Name: escape(n.name), Site: escape(n.url), Time: n.time, Pingback: n.pingback, Depth: n.depth,
			URL: g.U("%s#comment-%d", path, n.id), Text: "<p>" + strings.Join(escapeAll(n.text), "</p>\n<p>") + "</p>\n"}
		if n.depth < maxDepth && !n.pingback && i%7 != 6 {
			v.Reply = g.U("%s?replytocom=%d#respond", path, n.id)
		}
		v.Classes = n.classes(g.W.b.author(i), count, thread)
		count++
		if n.depth == 1 {
			thread++
		}
		for _, c := range n.children {
			v.Children = append(v.Children, view(c))
		}
		return v
	}
	var out []commentView
	for _, n := range window(top, page, perCommentPage) {
		out = append(out, view(n))
	}
	return out
}

// classes are those of the <li>: kind, order on the page, order of its thread, depth.
func (n *commentNode) classes(postAuthor author, count, thread int) string {
	c := "comment"
	if n.pingback {
		c = "pingback"
	}
	if n.byAuthor {
		c += " byuser comment-author-" + postAuthor.slug + " bypostauthor"
	}
	c += []string{" even", " odd alt"}[count%2]
	if n.depth == 1 {
		c += []string{" thread-even", " thread-odd thread-alt"}[thread%2]
	}
	c += " depth-" + itoa(n.depth)
	if len(n.children) > 0 {
		c += " parent"
	}
	return c
}

func (w *wordpress) static(r *request, s *static, feed bool) {
	if feed {
		w.feed(r, s.title, nil, true)
		return
	}
	g := w.page(r)
	p := wpPost{ID: s.id, URL: g.U("/%s/", pathEscape(s.slug)), Title: escape(s.title), Content: w.b.staticBody(s), Closed: true,
		Classes: fmt.Sprintf("post-%d page type-page status-publish hentry", s.id)}
	g.Post, g.Static, g.Title, g.Canonical = &p, true, s.title, p.URL
	g.Body = fmt.Sprintf("page page-id-%d", s.id)
	if w.modern {
		g.Body = "page-template-default " + g.Body
	}
	if s.parent > 0 {
		g.Body += fmt.Sprintf(" page-child parent-pageid-%d", s.parent)
	}
	if w.modern {
		r.w.Header().Add("Link", fmt.Sprintf(`<%s/wp-json/wp/v2/pages/%d>; rel="alternate"; type="application/json"`, r.root, s.id))
	}
	g.answer(http.StatusOK, "page")
}

// attachment is the page of the picture of a post.
func (w *wordpress) attachment(r *request, i int) {
	g := w.page(r)
	parent := g.post(i)
	p := wpPost{ID: attachmentOf(i), URL: g.U("%s", attachmentPath(w, i)), Title: "scan-" + itoa(i), Closed: true,
		Classes: fmt.Sprintf("post-%d attachment type-attachment status-inherit hentry", attachmentOf(i)),
		Prev:    &wpLink{Name: parent.Title, URL: parent.URL}, Time: parent.Time}
	g.Post, g.Title, g.Attachment = &p, p.Title, g.U("%s", w.uploadPath(i))
	g.Body = fmt.Sprintf("attachment attachment-template-default attachmentid-%d attachment-png", p.ID)
	g.answer(http.StatusOK, "attachment")
}
