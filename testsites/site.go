package testsites

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"text/template"
	"time"

	"golang.org/x/tools/txtar"
)

//go:embed templates/*.txtar
var templateFiles embed.FS

// Options configure a site. The zero value is a small site without traps.
type Options struct {
	Seed int64
	// Posts is the approximate number of posts of a board, or of posts and comments of a blog.
	// Default: 200; values below 10 count as 10. Memory grows by about 20 bytes a post.
	Posts int
	// Prefix is the path of the site on its host, for example "/forum"; "" is the root.
	Prefix string
	// Traps adds the traps to the site.
	Traps bool
	// Clock makes a board of phpBB show the posts up to its time: from 2007-03-04 on posts appear over six years, one
	// in twenty is edited and one in fifty deleted within three months. nil shows all posts and no change.
	Clock func() time.Time
}

// Site is one site. It is safe for concurrent use.
type Site struct {
	cms, template string
	o             Options
	app           app
	log           log
	sessions      atomic.Int64 // session ids given out so far
}

// app is what differs from CMS to CMS.
type app interface {
	serve(r *request)
	objects(root string) iter.Seq[Object]
	pages(root string) iter.Seq[Page]
}

// Name is a pair that [New] supports.
type Name struct{ CMS, Template string }

// Names returns the pairs of all sites.
func Names() []Name {
	return []Name{
		{"phpbb", "prosilver"},
		{"phpbb", "subsilver2"},
		{"vbulletin", "3.8"},
		{"vbulletin", "4.2"},
		{"wordpress", "twentyten"},
		{"wordpress", "twentytwentyone"},
		{"wordpress", "twentytwentythree"},
	}
}

// New makes a site. It returns an error for a pair that is not in [Names].
func New(cms, template string, o Options) (*Site, error) {
	if !slices.Contains(Names(), Name{cms, template}) {
		return nil, fmt.Errorf("testsites: no site %q with template %q; there are %v", cms, template, Names())
	}
	if o.Clock != nil && cms != "phpbb" {
		return nil, fmt.Errorf("testsites: only phpbb changes with a clock, not %s", cms)
	}
	if o.Posts == 0 {
		o.Posts = 200
	}
	o.Posts = max(o.Posts, 10)
	if o.Prefix = strings.Trim(o.Prefix, "/"); o.Prefix != "" {
		o.Prefix = "/" + o.Prefix
	}
	s := &Site{cms: cms, template: template, o: o}
	pages, err := parseTemplates(cms, template)
	if err != nil {
		return nil, err
	}
	switch cms {
	case "phpbb":
		s.app = newPHPBB(s, pages)
	case "vbulletin":
		s.app = newVBulletin(s, pages)
	case "wordpress":
		s.app = newWordPress(s, pages)
	}
	return s, nil
}

// parseTemplates reads the template files of a site; each of their sections is a template of that
// name.
func parseTemplates(cms, style string) (*template.Template, error) {
	t := template.New(cms).Funcs(template.FuncMap{"e": escape})
	files, err := fs.Glob(templateFiles, "templates/"+cms+"_"+style+"*.txtar")
	if err != nil {
		return nil, fmt.Errorf("testsites: %w", err)
	}
	if common, err := fs.Glob(templateFiles, "templates/"+cms+".txtar"); err == nil {
		files = append(files, common...)
	}
	for _, file := range files {
		data, err := templateFiles.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("testsites: %w", err)
		}
		for _, f := range txtar.Parse(data).Files {
			if _, err := t.New(f.Name).Parse(string(f.Data)); err != nil {
				return nil, fmt.Errorf("testsites: %s: section %s: %w", file, f.Name, err)
			}
		}
	}
	return t, nil
}

// escape is what PHP's htmlspecialchars does.
func escape(v any) string {
	return htmlEscaper.Replace(fmt.Sprint(v))
}

var htmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#039;")

// request is one exchange with everything that the pages want to know of it.
type request struct {
	*http.Request
	w    http.ResponseWriter
	path string // below the prefix, decoded, without leading slash
	q    url.Values
	root string // scheme, host and prefix as the client named them
	sid  string // session id that links must carry; "" when the client sends cookies
	seen bool   // the client sent a session id, in a cookie or in the URL
}

func (s *Site) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	rec := s.log.start(w, hr)
	defer s.log.end(rec)
	path, ok := strings.CutPrefix(hr.URL.Path, s.o.Prefix)
	if !ok || path != "" && path[0] != '/' {
		http.NotFound(rec, hr)
		return
	}
	root := "http://" + hr.Host + s.o.Prefix
	if path == "" {
		http.Redirect(rec, hr, root+"/", http.StatusMovedPermanently)
		return
	}
	r := &request{Request: hr, w: rec, path: path[1:], q: hr.URL.Query(), root: root}
	if s.o.Traps && s.trap(r) {
		return
	}
	s.app.serve(r)
}

// session finds the session of a client, or opens one: by cookie (then links need not carry it), by
// the parameter of the URL (then they do), or a new one. With traps on, a client without cookies
// gets a new one each time.
func (s *Site) session(r *request, cookie, param string) string {
	if c, err := r.Cookie(cookie); err == nil && c.Value != "" {
		r.seen = true
		return c.Value
	}
	if id := r.q.Get(param); len(id) == 32 && !s.o.Traps {
		r.seen = true
		r.sid = id
		return id
	}
	r.sid = newRandom(uint64(s.o.Seed), "session", int(s.sessions.Add(1))).hex(32)
	return r.sid
}

// html answers with a page made by a template section.
func (r *request) html(status int, t *template.Template, section string, data any) {
	r.send(status, "text/html; charset=UTF-8", r.execute(t, section, data))
}

// execute runs a template section. Templates are part of the program, so a failure is a bug in it
// and panics.
func (r *request) execute(t *template.Template, section string, data any) []byte {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, section, data); err != nil {
		panic(fmt.Sprintf("testsites: %s: %v", section, err))
	}
	return b.Bytes()
}

func (r *request) send(status int, contentType string, body []byte) {
	r.w.Header().Set("Content-Type", contentType)
	r.w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = r.w.Write(body) // a client that went away is not our concern
	}
}

func (r *request) text(status int, contentType, body string) {
	r.w.Header().Set("Content-Type", contentType)
	r.w.WriteHeader(status)
	_, _ = io.WriteString(r.w, body)
}

// redirect answers with a Location that is absolute, as all three CMSs send it.
func (r *request) redirect(status int, location string) {
	r.w.Header().Set("Location", location)
	r.text(status, "text/html; charset=UTF-8", "")
}

// image answers with a one-pixel picture: attachments, avatars and buttons need no more.
func (r *request) image() {
	r.send(http.StatusOK, "image/gif", []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,"+
		"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
}
