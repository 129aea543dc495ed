package cockpit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/complete"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/export"
	"github.com/awarc/awarc/engine/quads"
)

// What a page of results shows, and how long it waits for the index.
const (
	hitsShown    = 50
	textsShown   = 100
	countedShown = 30
	indexWait    = 2 * time.Second  // for the first index of a crawl
	indexEvery   = 10 * time.Second // between two renewals
)

// indexing is the making of the index of a crawl.
type indexing struct {
	mu    sync.Mutex
	began time.Time
	done  chan struct{}
	quads int64 // read so far
	fault error
}

// errIndexing says that there is no index yet.
type errIndexing struct{ quads int64 }

func (e *errIndexing) Error() string { return fmt.Sprintf(textIndexing, e.quads) }

// index opens the index of what a crawl extracted. It is renewed behind the back of who asks; who asks first waits a little.
func (c *Cockpit) index(ctx context.Context, name string) (*quads.Reader, error) {
	folders := c.folders(ctx, name)
	file := filepath.Join(folders.Dirs[0], filepath.FromSlash(crawl.IndexFile))
	if len(folders.Dirs) > 1 { // the other is of this node alone
		file = filepath.Join(folders.Dirs[0], filepath.FromSlash(copiesFolder), filepath.Base(crawl.IndexFile))
	}
	x := c.renewIndex(name, folders.Dirs, file)
	_, err := os.Stat(file)
	first := errors.Is(err, fs.ErrNotExist)
	if s := c.Crawls.Session(name); first || s == nil {
		select { // a crawl that has ended is shown as it is
		case <-x.done:
		case <-time.After(indexWait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.fault != nil {
			return nil, x.fault
		}
		return nil, &errIndexing{x.quads}
	}
	return quads.Open(ctx, file)
}

// renewIndex renews the index of a crawl, unless that is under way or was done just now.
func (c *Cockpit) renewIndex(name string, dirs []string, file string) *indexing {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.indexes[name]
	if x != nil {
		select {
		case <-x.done:
			if time.Since(x.began) < indexEvery {
				return x
			}
		default:
			return x
		}
	}
	x = &indexing{began: time.Now(), done: make(chan struct{})}
	c.indexes[name] = x
	go func() {
		defer close(x.done)
		files, err := quads.Files(withGraphs(dirs)...)
		if err == nil {
			_, err = quads.Build(context.Background(), file, files, quads.Options{Own: true, Progress: func(_ string, _, n int64) {
				x.mu.Lock()
				x.quads = n
				x.mu.Unlock()
			}})
		}
		x.mu.Lock()
		x.fault = err
		x.mu.Unlock()
	}()
	return x
}

// withGraphs are the folders that have a graph, and the first, which is to have one. A node that has just begun has none.
func withGraphs(dirs []string) []string {
	return append(dirs[:1:1], slices.DeleteFunc(slices.Clone(dirs[1:]), func(dir string) bool {
		graph, _ := filepath.Glob(filepath.Join(dir, "graph", "*.nq.gz*")) // the pattern is well formed
		return len(graph) == 0
	})...)
}

// resultsView is a search and what it found.
type resultsView struct {
	Query             url.Values
	Fault             string
	Classes           map[string]int64
	Found             *quads.Found
	Entities, Terms   []quads.Counted
	From              int
	Trend             template.HTML
	NextLink, PrevURL string
}

// searchOf is the search that a query asks for.
func searchOf(q url.Values) quads.Search {
	s := quads.Search{Words: q.Get("q"), ByDate: q.Get("sort") == "date", Limit: hitsShown}
	for _, f := range []struct {
		to   *[]string
		name string
	}{{&s.Class, "class"}, {&s.Creator, "creator"}, {&s.Host, "host"}, {&s.Entity, "entity"}, {&s.Language, "language"}} {
		if v := q.Get(f.name); v != "" {
			*f.to = []string{v}
		}
	}
	s.Since, _ = time.Parse(time.DateOnly, q.Get("since")) // what is no date is no bound
	s.Until, _ = time.Parse(time.DateOnly, q.Get("until"))
	if len(s.Class) == 0 && s.Words == "" && len(s.Creator) == 0 {
		s.NotEntity = true
	}
	s.Offset, _ = strconv.Atoi(q.Get("from"))
	s.Offset = max(0, s.Offset)
	return s
}

func (c *Cockpit) results(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	v := resultsView{Query: r.URL.Query(), Classes: c.look(name).Report.Objects}
	v.Fault = c.withIndex(w, r, func(index *quads.Reader) (err error) {
		s := searchOf(v.Query)
		if v.Found, err = index.Search(r.Context(), s); err != nil {
			return err
		}
		v.From = s.Offset
		q := r.URL.Query()
		if next := s.Offset + len(v.Found.Hits); next < v.Found.Total && len(v.Found.Hits) > 0 {
			q.Set("from", strconv.Itoa(next))
			v.NextLink = "?" + q.Encode()
		}
		if s.Offset > 0 {
			q.Set("from", strconv.Itoa(max(0, s.Offset-hitsShown)))
			v.PrevURL = "?" + q.Encode()
		}
		if s.Words != "" || len(s.Creator)+len(s.Entity) > 0 { // all there is would take long to count
			if v.Trend, err = trend(r.Context(), index, s); err != nil {
				return err
			}
		}
		if v.Entities, err = index.Mentioned(r.Context(), countedShown); err == nil {
			v.Terms, err = index.Keywords(r.Context(), countedShown)
		}
		return err
	})
	c.show(w, r, "results", v)
}

// withIndex does something with the index of the crawl of a request, and tells what keeps it from that.
func (c *Cockpit) withIndex(w http.ResponseWriter, r *http.Request, do func(*quads.Reader) error) (fault string) {
	index, err := c.index(r.Context(), r.PathValue("name"))
	if err == nil {
		err = errors.Join(do(index), index.Close())
	}
	var waits *errIndexing
	if errors.As(err, &waits) {
		w.Header().Set("Refresh", "2")
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// threadView is a thread, or another object with what is in it.
type threadView struct {
	ID, Fault string
	About     *quads.Row
	Pages     []string
	Rows      []*quads.Row
	Texts     int
	From      int
	Next      string
}

func (c *Cockpit) thread(w http.ResponseWriter, r *http.Request) {
	v := threadView{ID: r.FormValue("id")}
	v.From, _ = strconv.Atoi(r.FormValue("from"))
	v.Fault = c.withIndex(w, r, func(index *quads.Reader) error {
		lookup, err := index.Lookup(r.Context())
		if err != nil {
			return err
		}
		defer lookup.Close()
		if v.About, err = lookup.Row(r.Context(), v.ID); err != nil {
			return err
		}
		if v.About == nil {
			return errors.New(textNoObject)
		}
		if v.Pages, err = lookup.Pages(r.Context(), v.ID); err != nil {
			return err
		}
		v.Texts, err = index.Thread(r.Context(), v.ID, v.From, textsShown, func(row *quads.Row) error {
			v.Rows = append(v.Rows, row)
			return nil
		})
		if next := v.From + textsShown; next < v.Texts {
			v.Next = "?" + url.Values{"id": {v.ID}, "from": {strconv.Itoa(next)}}.Encode()
		}
		return err
	})
	c.show(w, r, "thread", v)
}

// download sends what a search finds, or the whole crawl, as a file.
func (c *Cockpit) download(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	kind, ok := strings.CutPrefix(r.PathValue("download"), "download.")
	if !ok {
		c.fail(w, r, http.StatusNotFound, textNoPage)
		return
	}
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.%s"`, notInNames.ReplaceAllString(name, "-"), kind))
	if kind == "wacz" {
		c.downloadPacked(w, r, name)
		return
	}
	format := export.FormatOf("x." + kind)
	if format == "" {
		w.Header().Del("Content-Disposition")
		c.fail(w, r, http.StatusNotFound, textNoFormat)
		return
	}
	fault := c.withIndex(w, r, func(index *quads.Reader) error {
		search := searchOf(r.URL.Query())
		search.Limit, search.Offset = 0, 0
		if len(search.Class) == 0 {
			search.NotClass, search.NotEntity = quads.Containers(), true
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		out, err := export.New(w, format, export.Options{Title: name})
		if err != nil {
			return err
		}
		return errors.Join(index.Rows(r.Context(), search, out.Write), out.Close())
	})
	if fault != "" {
		w.Header().Del("Content-Disposition")
		c.fail(w, r, http.StatusServiceUnavailable, fault)
	}
}

// downloadPacked sends the crawl as one WACZ file.
func (c *Cockpit) downloadPacked(w http.ResponseWriter, r *http.Request, name string) {
	dir, err := os.MkdirTemp("", "awarc-*")
	if err == nil {
		defer os.RemoveAll(dir)
		file := filepath.Join(dir, name+".wacz")
		if err = c.Crawls.Pack(r.Context(), name, file); err == nil {
			w.Header().Set("Content-Type", "application/wacz")
			http.ServeFile(w, r, file)
			return
		}
	}
	w.Header().Del("Content-Disposition")
	c.fail(w, r, http.StatusConflict, err.Error())
}

// onePagePolicy is that of a page that is one file, and has its style in it.
const onePagePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'; " +
	"form-action 'none'"

// completeness serves the report of a crawl: what of the site is missing, and why.
func (c *Cockpit) completeness(w http.ResponseWriter, r *http.Request) {
	dirs := c.folders(r.Context(), r.PathValue("name")).Dirs
	report, err := complete.Look(r.Context(), dirs, complete.Options{Software: c.Software, Most: 1000,
		Noted: func(string) {}})
	var out bytes.Buffer
	if err == nil {
		err = report.WriteHTML(&out)
	}
	if err != nil {
		c.fail(w, r, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Security-Policy", onePagePolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	back := fmt.Sprintf(`<body><p><a href="%s">%s</a></p>`, address(r.PathValue("name"), ""), textBack)
	for _, remark := range c.remarks(r.PathValue("name")) {
		back += "<p>" + html.EscapeString(remark) + "</p>"
	}
	_, _ = io.WriteString(w, strings.Replace(out.String(), "<body>", back, 1)) // it is a file of its own elsewhere
}
