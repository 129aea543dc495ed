package testsites

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// wordpress answers as WordPress does with one of three themes.
type wordpress struct {
	site    *Site
	b       *blog
	t       *template.Template
	theme   string
	version string
	modern  bool   // markup of the block editor, REST API, <time> elements
	newest  bool   // a post shows the last page of its comments, not the first
	zone    string // offset of the blog's local time
}

const (
	perPage        = 10 // posts of a list
	perCommentPage = 10 // threads of comments
)

func newWordPress(s *Site, t *template.Template) *wordpress {
	w := &wordpress{site: s, b: newBlog(s.o.Seed, s.o.Posts), t: t, theme: s.template, modern: true, version: "6.1.9", zone: "+00:00"}
	switch s.template {
	case "twentyten":
		w.modern, w.newest, w.version = false, true, "3.0.4"
	case "twentytwentythree":
		w.zone = "+02:00"
	}
	return w
}

// permalink is the path of a post below the root of the blog.
func (w *wordpress) permalink(i int) string {
	layout := "/2006/01/02/"
	if w.theme == "twentyten" {
		layout = "/2006/01/"
	}
	return w.b.time(i).Format(layout) + pathEscape(w.b.slug(i)) + "/"
}

// pathEscape writes non-ASCII as lower-case hex, as WordPress does.
func pathEscape(s string) string {
	parts := strings.Split(s, "/")
	for i, p := range parts {
		parts[i] = escapedByte.ReplaceAllStringFunc(url.PathEscape(p), strings.ToLower)
	}
	return strings.Join(parts, "/")
}

var escapedByte = regexp.MustCompile(`%[0-9A-F]{2}`)

func (w *wordpress) termPath(c *term, kind string) string {
	s := pathEscape(c.slug)
	if c.parent != nil {
		s = pathEscape(c.parent.slug) + "/" + s
	}
	return "/" + kind + "/" + s + "/"
}

func attachmentPath(w *wordpress, i int) string { return w.permalink(i) + "scan-" + itoa(i) + "/" }

// uploadPath is the picture file of a post.
func (w *wordpress) uploadPath(i int) string {
	return "/wp-content/uploads/" + w.b.time(i).Format("2006/01/") + "scan-" + itoa(i) + ".png"
}

// content is the markup of each page of a post.
func (w *wordpress) content(i int, root string) []string {
	return w.b.body(i, w.modern, func(n int) string {
		if n < 0 {
			return root + attachmentPath(w, -1-n)
		}
		return root + w.uploadPath(n)
	})
}

func (w *wordpress) serve(r *request) {
	h := r.w.Header()
	if w.modern {
		h.Set("Link", "<"+r.root+`/wp-json/>; rel="https://api.w.org/"`)
	} else {
		h.Set("X-Powered-By", "PHP/5.2.17")
		h.Set("X-Pingback", r.root+"/xmlrpc.php")
	}
	if w.file(r) || w.query(r) {
		return
	}
	path := "/" + r.path
	if !strings.HasSuffix(path, "/") {
		// the CMS adds the slash only where that leads somewhere
		if w.resolves(strings.Trim(path, "/")) {
			to := *r.URL
			to.Path += "/"
			to.RawPath = ""
			r.redirect(http.StatusMovedPermanently, "http://"+r.Host+pathEscape(to.Path)+query(r.URL.RawQuery))
			return
		}
		w.missing(r)
		return
	}
	w.route(r, strings.Split(strings.Trim(path, "/"), "/"))
}

func query(raw string) string {
	if raw == "" {
		return ""
	}
	return "?" + raw
}

// resolves reports whether a path without slashes at its ends is one of the blog's.
func (w *wordpress) resolves(path string) bool {
	parts := strings.Split(path, "/")
	switch {
	case parts[0] == "category" || parts[0] == "tag" || parts[0] == "author" || parts[0] == "feed" || parts[0] == "page":
		return true
	case w.staticByPath(path) != nil:
		return true
	}
	i, _ := w.postByPath(parts)
	return i >= 0 || allNumbers(parts)
}

func allNumbers(parts []string) bool {
	for _, p := range parts {
		if _, err := strconv.Atoi(p); err != nil {
			return false
		}
	}
	return len(parts) > 0
}

// query answers the addresses by number, and searches.
func (w *wordpress) query(r *request) bool {
	to := ""
	switch {
	case r.q.Has("s"):
		w.search(r)
		return true
	case r.q.Has("feed") && r.path == "":
		w.feed(r, "", w.b.newest, false)
		return true
	case r.number("p") > 0 || r.number("page_id") > 0:
		n := max(r.number("p"), r.number("page_id"))
		if i := w.b.indexOf(n); i >= 0 {
			to = w.permalink(i)
		} else if s := w.b.static(n); s != nil {
			to = "/" + pathEscape(s.slug) + "/"
		}
	case r.number("attachment_id") > 0:
		if i := w.b.indexOf(r.number("attachment_id") - 1); i >= 0 && hasPicture(i) {
			to = attachmentPath(w, i)
		}
	case r.number("cat") > 0 && r.number("cat") <= len(w.b.cats):
		to = w.termPath(&w.b.cats[r.number("cat")-1], "category")
	case r.number("author") > 0 && r.number("author") <= len(w.b.authors):
		to = "/author/" + w.b.authors[r.number("author")-1].slug + "/"
	case len(r.q.Get("m")) == 6 && r.number("m") > 0:
		to = "/" + r.q.Get("m")[:4] + "/" + r.q.Get("m")[4:] + "/"
	case r.path == "index.php":
		to = "/"
	case r.q.Has("p") || r.q.Has("page_id") || r.q.Has("attachment_id"):
		w.missing(r)
		return true
	default:
		return false
	}
	if to == "" {
		w.missing(r)
		return true
	}
	r.w.Header().Set("X-Redirect-By", "WordPress")
	r.redirect(http.StatusMovedPermanently, r.root+to)
	return true
}

// route answers a pretty address, split at its slashes.
func (w *wordpress) route(r *request, parts []string) {
	parts, page := tail(parts, "page")
	parts, comments := tail(parts, "comment-page")
	feed := len(parts) > 0 && parts[len(parts)-1] == "feed"
	if feed {
		parts = parts[:len(parts)-1]
	}
	if page == 1 {
		r.redirect(http.StatusMovedPermanently, r.root+"/"+pathEscape(strings.Join(parts, "/"))+slashIf(len(parts) > 0))
		return
	}
	l := listing{page: max(page, 1), feed: feed}
	switch {
	case len(parts) == 0 || parts[0] == "" || feed && parts[0] == "comments":
		l.kind, l.posts = "home", w.b.newest
		l.comments = len(parts) > 0 && parts[0] == "comments"
	case parts[0] == "category":
		l.kind, l.term = "category", findTerm(w.b.cats, parts[len(parts)-1])
	case parts[0] == "tag" && len(parts) == 2:
		l.kind, l.term = "tag", findTerm(w.b.tags, parts[1])
	case parts[0] == "author" && len(parts) == 2:
		w.listAuthor(r, parts[1], l)
		return
	case allNumbers(parts) && len(parts) <= 3:
		w.listDate(r, parts, l)
		return
	default:
		w.single(r, parts, comments, feed)
		return
	}
	if l.term != nil {
		l.posts = newestFirst(l.term.posts)
		l.path = w.termPath(l.term, l.kind)
	} else if l.kind != "home" {
		w.missing(r)
		return
	} else {
		l.path = "/"
	}
	w.list(r, l)
}

func slashIf(yes bool) string {
	if yes {
		return "/"
	}
	return ""
}

// tail cuts ".../page/3" or ".../comment-page-3" off and returns the number; 0 when there is none.
func tail(parts []string, word string) ([]string, int) {
	n := len(parts)
	if word == "page" && n >= 2 && parts[n-2] == word {
		if k, err := strconv.Atoi(parts[n-1]); err == nil {
			return parts[:n-2], k
		}
	}
	if n >= 1 {
		if s, ok := strings.CutPrefix(parts[n-1], word+"-"); ok && word != "page" {
			if k, err := strconv.Atoi(s); err == nil {
				return parts[:n-1], k
			}
		}
	}
	return parts, 0
}

func findTerm(terms []term, slug string) *term {
	for i := range terms {
		if terms[i].slug == slug {
			return &terms[i]
		}
	}
	return nil
}

func (w *wordpress) staticByPath(path string) *static {
	for i := range w.b.statics {
		if w.b.statics[i].slug == path {
			return &w.b.statics[i]
		}
	}
	return nil
}

// postByPath finds a post by /year/month[/day]/slug and returns what follows; -1 when there is none.
func (w *wordpress) postByPath(parts []string) (int, []string) {
	n := 4
	if w.theme == "twentyten" {
		n = 3
	}
	if len(parts) < n || !allNumbers(parts[:n-1]) {
		return -1, nil
	}
	day := "01"
	if n == 4 {
		day = parts[2]
	}
	from, err := time.Parse("2006/01/02", parts[0]+"/"+parts[1]+"/"+day)
	if err != nil {
		return -1, nil
	}
	to := from.AddDate(0, 0, 1)
	if n == 3 {
		to = from.AddDate(0, 1, 0)
	}
	first, last := w.b.between(from, to)
	for i := first; i < last; i++ {
		if w.b.slug(i) == parts[n-1] {
			return i, parts[n:]
		}
	}
	return -1, nil
}

func newestFirst(list []int32) []int32 {
	out := make([]int32, len(list))
	for i, n := range list {
		out[len(list)-1-i] = n
	}
	return out
}
