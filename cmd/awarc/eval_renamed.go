package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/kb"
)

// renamedRow is what a crawl got of a mirrored site on all of whose pages names of the
// template were replaced, with the whole knowledge base and nothing of an earlier crawl.
type renamedRow struct {
	Site    string `json:"site"`
	Renamed string `json:"renamed"`
	Objects int    `json:"objects"` // of a crawl of the site as it is
	Equal   int    `json:"equal"`   // in every field
	Plain   int    `json:"without_adapting"`
	More    int    `json:"more"` // objects that are not on the site
	// Requests of the crawls: of the site as it is, with adaptation, and without.
	Requests [3]int `json:"requests"`
}

// renaming is how many of the names of a template are replaced.
type renaming struct {
	name string
	of   int // one in so many
	ids  bool
	seed uint64
}

// renamings are those that are measured.
func (c *evalAdaptationCmd) renamings() []renaming {
	return []renaming{{"a third of the classes", 3, false, c.Seed}, {"a third of classes and ids", 3, true, c.Seed}, {"all classes", 1, false, c.Seed}}
}

// replacement gives another name for a class or an id without its number, the same on
// all pages; ok is false where the name stays.
func (r renaming) replacement(name string) (other string, ok bool) {
	h := fnv.New64a()
	h.Write([]byte(name))
	if random := rand.New(rand.NewPCG(r.seed, h.Sum64())); random.IntN(r.of) == 0 {
		return newName(random, name), true
	}
	return "", false
}

// page renames on one page.
func (r renaming) page(data []byte) ([]byte, error) {
	root, err := parsePage(data)
	if err != nil {
		return nil, err
	}
	for n := range root.Descendants() {
		for i := range n.Attr {
			switch a := &n.Attr[i]; {
			case a.Key == "class":
				classes := strings.Fields(a.Val)
				for j, c := range classes {
					stem := idStem(c) // WordPress numbers posts in classes
					if other, ok := r.replacement(stem); ok && stem != "" {
						classes[j] = other + strings.Join(digits.FindAllString(c, -1), "-")
					}
				}
				a.Val = strings.Join(classes, " ")
			case a.Key == "id" && r.ids:
				stem := idStem(a.Val)
				if other, ok := r.replacement(stem); ok && stem != "" {
					a.Val = other + strings.Join(digits.FindAllString(a.Val, -1), "-")
				}
			}
		}
	}
	var b bytes.Buffer
	err = html.Render(&b, root)
	return b.Bytes(), err
}

// renamedSite serves a site with names replaced; with none of them as it is.
type renamedSite struct {
	behind   *url.URL // the server of the site
	renaming atomic.Pointer[renaming]
	requests atomic.Int64
}

// ServeHTTP implements [http.Handler].
func (s *renamedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	ask, err := http.NewRequestWithContext(r.Context(), r.Method, s.behind.Scheme+"://"+s.behind.Host+r.URL.RequestURI(), nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer, err := http.DefaultTransport.RoundTrip(ask) // redirects are the crawler's to follow
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	own := strings.NewReplacer(s.behind.Host, r.Host)
	if kind := answer.Header.Get("Content-Type"); strings.Contains(kind, "html") {
		body = []byte(own.Replace(string(body)))
		if names := s.renaming.Load(); names != nil {
			if body, err = names.page(body); err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
		}
	}
	for _, name := range []string{"Content-Type", "Location"} {
		if v := answer.Header.Get(name); v != "" {
			w.Header().Set(name, own.Replace(v))
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.StatusCode)
	w.Write(body) // a crawler that went away is not waited for
}

// renamedMirrors crawls the mirrors with names of their templates replaced.
func (e *adaptationEval) renamedMirrors() ([]renamedRow, error) {
	dir, err := os.MkdirTemp("", "awarc-eval-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &recrawl{adaptationEval: e, dir: dir}
	if !r.mirrored() {
		return nil, nil
	}
	files, err := filepath.Glob(filepath.Join(r.cmd.Sites, "*.warc.xz"))
	if err != nil {
		return nil, err
	}
	var rows []renamedRow
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".warc.xz")
		cms, _, _ := strings.Cut(name, "-")
		if !r.cmd.concerns(kb.TypeID(cms)) {
			continue
		}
		of, err := r.renamedMirror(name, file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, of...)
	}
	return rows, nil
}

func (r *recrawl) renamedMirror(name, file string) (rows []renamedRow, err error) {
	root, stop, err := replayed(r.ctx, r.server, file, "127.0.0.1:0", "sid")
	if err != nil {
		return nil, err
	}
	defer stop()
	site := new(renamedSite)
	if site.behind, err = url.Parse(root); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	defer server.Close()
	go server.Serve(l) // ends with Close
	again := func(o crawl.Options) (objects map[string]string, requests int, err error) {
		before := site.requests.Load()
		dir, err := r.crawl("http://"+l.Addr().String(), o)
		if err != nil {
			return nil, 0, err
		}
		objects, err = graphObjects(dir)
		return objects, int(site.requests.Load() - before), err
	}
	whole, requests, err := again(crawl.Options{})
	if err != nil {
		return nil, err
	}
	for _, names := range r.cmd.renamings() {
		site.renaming.Store(&names)
		row := renamedRow{Site: name, Renamed: names.name, Objects: len(whole), Requests: [3]int{requests}}
		var got [2]map[string]string
		for i, f := range []crawl.Options{{}, {NoAdapt: true}} {
			if got[i], row.Requests[i+1], err = again(f); err != nil {
				return nil, err
			}
		}
		row.Equal, row.Plain = equalIn(whole, got[0]), equalIn(whole, got[1])
		for id, o := range got[0] {
			if whole[id] == "" {
				row.More++
				fmt.Fprintf(r.notes, "%s, %s renamed: more: %s %s\n", name, names.name, id, shorten(o))
			}
		}
		for id, o := range whole {
			if got[0][id] != o {
				fmt.Fprintf(r.notes, "%s, %s renamed: %s is %q, want %q\n", name, names.name, id, got[0][id], o)
			}
		}
		fmt.Fprintf(r.notes, "%s, %s renamed: %d of %d, %d without adapting, requests %v\n", name, names.name, row.Equal, row.Objects, row.Plain, row.Requests)
		rows = append(rows, row)
	}
	return rows, nil
}

func printRenamed(w io.Writer, rows []renamedRow) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "%-32s %-28s %8s | equal: %8s %9s | %5s | requests: %6s %8s %9s\n", "mirror", "renamed", "objects", "mended", "unmended", "more", "as is", "mended", "unmended")
	for _, r := range rows {
		fmt.Fprintf(w, "%-32s %-28s %8d |        %8d %9d | %5d |           %6d %8d %9d\n", r.Site, r.Renamed, r.Objects, r.Equal, r.Plain, r.More, r.Requests[0], r.Requests[1], r.Requests[2])
	}
	fmt.Fprintln(w)
}
