package cockpit

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/awarc/awarc/engine/onepage"
)

//go:embed static
var files embed.FS

//go:embed pages
var pageFiles embed.FS

// page is a page, or what a form is sent to.
type page struct {
	pattern string // of [http.ServeMux]; what is below /crawls/{name}/ is of a crawl that there is
	title   string // in the navigation: of a crawl, or of the cockpit; empty: it is not there
	public  bool   // whoever has no session may ask for it
	unbegun bool   // there is one of a crawl that has not begun, too
	serve   func(http.ResponseWriter, *http.Request)
}

// pages are all pages, in the order of the navigation.
func (c *Cockpit) pages() []page {
	return []page{
		{pattern: "GET /{$}", title: titleCrawls, serve: c.list},
		{pattern: "GET /new", title: titleNew, serve: c.newForm},
		{pattern: "POST /new", serve: c.begin},
		{pattern: "POST /new/command", serve: c.command},
		{pattern: "GET /plugins", title: titleLoad, serve: c.shelf},
		{pattern: "POST /plugins", serve: c.load},
		{pattern: "GET /crawls/{name}/{$}", title: titleLive, unbegun: true, serve: c.live},
		{pattern: "GET /crawls/{name}/why", title: titleWhy, serve: c.why},
		{pattern: "GET /crawls/{name}/results", title: titleResults, serve: c.results},
		{pattern: "GET /crawls/{name}/adaptation", title: titleAdaptation, serve: c.adaptation},
		{pattern: "POST /crawls/{name}/adaptation", serve: c.decide},
		{pattern: "GET /crawls/{name}/kb/{$}", title: titleKB, serve: c.knowledge},
		{pattern: "GET /crawls/{name}/kb/type", serve: c.knowledgeType},
		{pattern: "GET /crawls/{name}/kb/file", serve: c.knowledgeFile},
		{pattern: "POST /crawls/{name}/kb/file", serve: c.saveFile},
		{pattern: "POST /crawls/{name}/kb/try", serve: c.tryFile},
		{pattern: "POST /crawls/{name}/kb/allowed", serve: c.allowedHere},
		{pattern: "GET /crawls/{name}/point", serve: c.point},
		{pattern: "GET /crawls/{name}/plugins", title: titlePlugins, serve: c.plugins},
		{pattern: "POST /crawls/{name}/plugins", serve: c.tryPlugin},
		{pattern: "GET /marked/{key}/{n}", public: true, serve: c.serveMarked},
		{pattern: "GET /pointed/{key}/{place}", public: true, serve: c.pointed},
		{pattern: "GET /crawls/{name}/thread", serve: c.thread},
		{pattern: "GET /crawls/{name}/report", serve: c.completeness},
		{pattern: "GET /crawls/{name}/{download}", serve: c.download},
		{pattern: "GET /crawls/{name}/replay", title: titleReplay, serve: c.replay},
		{pattern: "GET /replay/{key}/{crawl}/{timestamp}/{url}", public: true, serve: c.replayed},
		{pattern: "GET /crawls/{name}/events", serve: c.events},
		{pattern: "POST /crawls/{name}/control", serve: c.control},
		{pattern: "/crawls/{name}/api/v1/{path...}", serve: c.api},
		{pattern: "GET /login", public: true, serve: c.loginForm},
		{pattern: "POST /login", public: true, serve: c.login},
		{pattern: "POST /logout", serve: c.logout},
		{pattern: "GET /healthz", public: true, serve: func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") }},
	}
}

// view is what the layout of a page needs, with the page's own data.
type view struct {
	Crawl string   // that the page is of; empty: none
	Nav   []link   // of the cockpit
	Of    []link   // of the crawl
	Token string   // that forms send as "token"
	Login bool     // there is a session to leave
	Away  []string // nodes of which not all is shown, and why
	Data  any
}

// link leads to a page.
type link struct {
	Title, To string
	Here      bool
}

// templates has one for each page: the layout with the page's title and content in it.
var templates = parsed()

func parsed() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(functions).ParseFS(pageFiles, "pages/layout.html", "pages/parts.html"))
	names, _ := pageFiles.ReadDir("pages") // embedded
	all := map[string]*template.Template{}
	for _, n := range names {
		if n.Name() != "layout.html" && n.Name() != "parts.html" {
			page := template.Must(layout.Clone())
			all[strings.TrimSuffix(n.Name(), ".html")] = template.Must(page.ParseFS(pageFiles, path.Join("pages", n.Name())))
		}
	}
	return all
}

// show sends the page of a name: that of its file in pages/.
func (c *Cockpit) show(w http.ResponseWriter, r *http.Request, name string, data any) {
	c.showStatus(w, r, http.StatusOK, name, data)
}

func (c *Cockpit) showStatus(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	v := view{Crawl: r.PathValue("name"), Token: c.formToken(w, r), Login: c.Secret != "" && c.hasSession(r), Data: data}
	if v.Crawl != "" && name != "live" { // which says it itself, again and again
		v.Away = c.remarks(v.Crawl)
	}
	for _, p := range c.pages() {
		at, get := strings.CutPrefix(p.pattern, "GET ")
		if p.title == "" || !get || at == "/new" && !c.Begins || at == "/plugins" && c.Plugins == "" {
			continue
		}
		l := link{p.title, strings.TrimSuffix(at, "{$}"), p.pattern == r.Pattern}
		switch {
		case !strings.Contains(at, "{name}"):
			v.Nav = append(v.Nav, l)
		case v.Crawl != "" && (p.unbegun || c.Crawls.Scheduled(v.Crawl) == nil):
			l.To = strings.Replace(l.To, "{name}", url.PathEscape(v.Crawl), 1)
			v.Of = append(v.Of, l)
		}
	}
	var out bytes.Buffer
	if err := templates[name].Execute(&out, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // who is gone has no use for the error
}

// rendered is a part of a page, by the name of its template.
func rendered(page, part string, data any) ([]byte, error) {
	var out bytes.Buffer
	err := templates[page].ExecuteTemplate(&out, part, data)
	return out.Bytes(), err
}

// fail shows what went wrong.
func (c *Cockpit) fail(w http.ResponseWriter, r *http.Request, status int, why string) {
	c.showStatus(w, r, status, "error", why)
}

// address is that of a page of a crawl, such as "why"; that of its first page where none is named.
func address(crawl, page string) string { return "/crawls/" + url.PathEscape(crawl) + "/" + page }

func serveStyle(w http.ResponseWriter, _ *http.Request) {
	own, _ := files.ReadFile("static/cockpit.css") // embedded
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = io.WriteString(w, onepage.Style+string(own))
}

func (c *Cockpit) api(w http.ResponseWriter, r *http.Request) {
	c.Crawls.ServeAPI(w, r, r.PathValue("name"), r.PathValue("path"))
}
