package testsites

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// file answers what is not a page of the theme: robots.txt, scripts, uploads, the interfaces for programs.
func (w *wordpress) file(r *request) bool {
	switch {
	case r.path == "robots.txt":
		body := "User-agent: *\nDisallow:\n"
		if w.modern {
			body = "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n\nSitemap: " + r.root + "/wp-sitemap.xml\n"
		}
		r.text(http.StatusOK, "text/plain; charset=utf-8", body)
	case r.path == "xmlrpc.php" && r.q.Has("rsd"):
		r.text(http.StatusOK, "text/xml; charset=UTF-8",
			`<?xml version="1.0" encoding="UTF-8"?><rsd version="1.0" xmlns="http://archipelago.phrasewise.com/rsd"><service>`+
				`<engineName>WordPress</engineName></service></rsd>`)
	case r.path == "xmlrpc.php":
		r.w.Header().Set("Allow", "POST")
		status := http.StatusMethodNotAllowed
		if !w.modern {
			status = http.StatusOK // old releases said it with 200
		}
		r.text(status, "text/plain;charset=UTF-8", "XML-RPC server accepts POST requests only.")
	case r.path == "wp-comments-post.php":
		r.w.Header().Set("Allow", "POST")
		r.text(http.StatusMethodNotAllowed, "text/plain", "")
	case r.path == "wp-login.php":
		r.w.Header().Set("Set-Cookie", "wordpress_test_cookie=WP%20Cookie%20check; path="+w.site.o.Prefix+"/")
		r.w.Header().Set("Cache-Control", "no-cache, must-revalidate, max-age=0")
		g := w.page(r)
		g.Title = "Log In"
		g.html(http.StatusOK, w.t, "login", g)
	case r.path == "wp-admin" || strings.HasPrefix(r.path, "wp-admin/"):
		r.redirect(http.StatusFound, r.root+"/wp-login.php?redirect_to="+url.QueryEscape(r.root+"/"+r.path)+"&reauth=1")
	case strings.HasPrefix(r.path, "wp-content/uploads/"), strings.HasSuffix(r.path, ".png"):
		r.image()
	case strings.HasPrefix(r.path, "wp-content/"), strings.HasPrefix(r.path, "wp-includes/"):
		r.text(http.StatusOK, "text/css", "body { margin: 0 }\n")
	case w.modern && (r.path == "wp-json" || strings.HasPrefix(r.path, "wp-json/")):
		w.json(r, strings.Split(strings.Trim(r.path, "/"), "/")[1:])
	case w.modern && strings.HasPrefix(r.path, "wp-sitemap"):
		w.sitemap(r)
	default:
		return false
	}
	return true
}

// json answers the REST interface as far as pages link to it.
func (w *wordpress) json(r *request, parts []string) {
	r.w.Header().Set("X-Robots-Tag", "noindex")
	switch {
	case len(parts) == 0:
		w.sendJSON(r, http.StatusOK, map[string]any{"name": w.name(), "url": r.root, "namespaces": []string{"oembed/1.0", "wp/v2"}})
		return
	case parts[0] == "oembed":
		if r.q.Get("format") == "xml" {
			r.text(http.StatusOK, "text/xml; charset=UTF-8",
				"<?xml version=\"1.0\"?><oembed><version>1.0</version><provider_name>"+escape(w.name())+"</provider_name></oembed>")
			return
		}
		w.sendJSON(r, http.StatusOK, map[string]any{"version": "1.0", "provider_name": w.name(), "provider_url": r.root, "type": "rich"})
		return
	case len(parts) == 4 && parts[1] == "v2":
		n := (&request{q: url.Values{"n": {parts[3]}}}).number("n")
		if o := w.restObject(r, parts[2], n); o != nil {
			w.sendJSON(r, http.StatusOK, o)
			return
		}
	}
	w.sendJSON(r, http.StatusNotFound, map[string]any{"code": "rest_no_route", "message": "No route was found.",
		"data": map[string]int{"status": 404}})
}

func (w *wordpress) restObject(r *request, kind string, n int) map[string]any {
	switch kind {
	case "posts":
		if i := w.b.indexOf(n); i >= 0 {
			rendered := strings.Join(w.content(i, r.root), "")
			if i == w.b.protected(w.b.posts()) {
				rendered = ""
			}
			return map[string]any{"id": n, "date": w.b.time(i).Format("2006-01-02T15:04:05"), "slug": w.b.slug(i), "status": "publish",
				"type": "post", "link": r.root + w.permalink(i), "title": map[string]string{"rendered": escape(w.b.title(i))},
				"content": map[string]string{"rendered": rendered}}
		}
	case "pages":
		if s := w.b.static(n); s != nil {
			return map[string]any{"id": n, "slug": s.slug, "type": "page", "link": r.root + "/" + pathEscape(s.slug) + "/",
				"title": map[string]string{"rendered": escape(s.title)}, "content": map[string]string{"rendered": w.b.staticBody(s)}}
		}
	case "media":
		if i := w.b.indexOf(n - 1); i >= 0 && hasPicture(i) {
			return map[string]any{"id": n, "type": "attachment", "source_url": r.root + w.uploadPath(i),
				"link": r.root + attachmentPath(w, i)}
		}
	case "categories", "tags":
		terms := w.b.cats
		if kind == "tags" {
			terms = w.b.tags
		}
		for i := range terms {
			if terms[i].id == n {
				return map[string]any{"id": n, "count": len(terms[i].posts), "name": terms[i].name, "slug": terms[i].slug}
			}
		}
	case "users":
		if n >= 1 && n <= len(w.b.authors) {
			return map[string]any{"id": n, "name": w.b.authors[n-1].name, "slug": w.b.authors[n-1].slug}
		}
	}
	return nil
}

func (w *wordpress) sendJSON(r *request, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic("testsites: " + err.Error()) // maps of strings and numbers always marshal
	}
	r.send(status, "application/json; charset=UTF-8", body)
}

// sitemap lists the posts, 2,000 a file.
func (w *wordpress) sitemap(r *request) {
	const per = 2000
	var b strings.Builder
	var n int
	if _, err := fmt.Sscanf(r.path, "wp-sitemap-posts-post-%d.xml", &n); err == nil && n >= 1 && n <= pagesOf(w.b.posts(), per) {
		b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for i := (n - 1) * per; i < min(n*per, w.b.posts()); i++ {
			b.WriteString("<url><loc>" + escape(r.root+w.permalink(i)) + "</loc></url>")
		}
		b.WriteString("</urlset>")
	} else if r.path == "wp-sitemap.xml" {
		b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for n := range pagesOf(w.b.posts(), per) {
			b.WriteString("<sitemap><loc>" + escape(r.root) + "/wp-sitemap-posts-post-" + itoa(n+1) + ".xml</loc></sitemap>")
		}
		b.WriteString("</sitemapindex>")
	} else {
		w.missing(r)
		return
	}
	r.text(http.StatusOK, "application/xml; charset=UTF-8", b.String())
}

// feed sends a list as RSS 2.0; name is the page's title before the blog's.
func (w *wordpress) feed(r *request, name string, posts []int32, comments bool) {
	g := w.page(r)
	g.Title, g.CommentFeed = name, comments
	for _, i := range window(posts, 1, perPage) {
		g.Posts = append(g.Posts, g.post(int(i)))
	}
	r.send(http.StatusOK, "application/rss+xml; charset=UTF-8", r.execute(w.t, "feed", g))
}
