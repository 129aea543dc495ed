package mirrors

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/cmd/internal/eval/mend"
	"github.com/awarc/awarc/cmd/internal/eval/replay"
	"github.com/awarc/awarc/cmd/internal/eval/template"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/kb"
)

// Renamed is what a crawl got of a mirrored site on all of whose pages names of the
// template were replaced, with the whole knowledge base and nothing of an earlier crawl.
type Renamed struct {
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
func renamings(seed uint64) []renaming {
	return []renaming{
		{"a third of the classes", 3, false, seed}, {"a third of classes and ids", 3, true, seed}, {"all classes", 1, false, seed},
		{"all classes and ids", 1, true, seed},
	}
}

// replaced gives another name for a class or an id, the same on all pages, with its number; some names stay.
func (r renaming) replaced(name string) string {
	stem, number := template.IDStem(name), template.Number(name)
	h := fnv.New64a()
	h.Write([]byte(stem))
	random := rand.New(rand.NewPCG(r.seed, h.Sum64()))
	if stem == "" || random.IntN(r.of) != 0 {
		return name
	}
	other := template.NewName(random, stem)
	if number != "" { // which may not run into one that the name ends in
		other += "-"
	}
	return other + number
}

// page renames on one page.
func (r renaming) page(data []byte) ([]byte, error) {
	root, err := template.Parse(data)
	if err != nil {
		return nil, err
	}
	for n := range root.Descendants() {
		for i := range n.Attr {
			switch a := &n.Attr[i]; {
			case a.Key == "class":
				classes := strings.Fields(a.Val)
				for j, c := range classes {
					classes[j] = r.replaced(c) // WordPress numbers posts in classes
				}
				a.Val = strings.Join(classes, " ")
			case a.Key == "id" && r.ids:
				a.Val = r.replaced(a.Val)
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
	answers  sync.Map // by request: what the server behind said, which is asked once
}

// answered is what the server of a site said.
type answered struct {
	status         int
	kind, location string
	body           []byte
}

// ask gives the answer to a request.
func (s *renamedSite) ask(r *http.Request) (*answered, error) {
	key := r.Method + " " + r.URL.RequestURI()
	if a, known := s.answers.Load(key); known {
		return a.(*answered), nil
	}
	ask, err := http.NewRequestWithContext(r.Context(), r.Method, s.behind.Scheme+"://"+s.behind.Host+r.URL.RequestURI(), nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultTransport.RoundTrip(ask) // redirects are the crawler's to follow
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	a := &answered{answer.StatusCode, answer.Header.Get("Content-Type"), answer.Header.Get("Location"), body}
	s.answers.Store(key, a)
	return a, nil
}

// ServeHTTP implements [http.Handler].
func (s *renamedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	answer, err := s.ask(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	own, body := strings.NewReplacer(s.behind.Host, r.Host), answer.body
	if strings.Contains(answer.kind, "html") {
		body = []byte(own.Replace(string(body)))
		if names := s.renaming.Load(); names != nil {
			if body, err = names.page(body); err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
		}
	}
	for name, v := range map[string]string{"Content-Type": answer.kind, "Location": own.Replace(answer.location)} {
		if v != "" {
			w.Header().Set(name, v)
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.status)
	w.Write(body) // a crawler that went away is not waited for
}

// Renamings crawls the mirrors, and sites that are running, with names of their templates replaced.
func Renamings(ctx context.Context, e *mend.Eval) ([]Renamed, error) {
	dir, err := os.MkdirTemp("", "awarc-eval-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &recrawl{Eval: e, ctx: ctx, dir: dir}
	var files []string
	if r.mirrored() {
		if files, err = filepath.Glob(filepath.Join(r.Sites, "*.warc.xz")); err != nil {
			return nil, err
		}
	}
	var rows []Renamed
	add := func(name, root string) error {
		of, err := r.renamedSite(name, root)
		rows = append(rows, of...)
		return err
	}
	for i, file := range files {
		e.Tell("renamed mirrors", i, len(files)+len(e.Running))
		name := strings.TrimSuffix(filepath.Base(file), ".warc.xz")
		cms, _, _ := strings.Cut(name, "-")
		if !r.Concerns(kb.TypeID(cms)) {
			continue
		}
		root, stop, err := replay.Serve(ctx, r.server, file, "127.0.0.1:0", "sid")
		if err == nil {
			err = add(name, root)
			stop()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Running)) {
		if err := add(name, e.Running[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return rows, nil
}

// renamedSite crawls the site at an address as it is, and with names replaced.
func (r *recrawl) renamedSite(name, root string) (rows []Renamed, err error) {
	site := new(renamedSite)
	if site.behind, err = url.Parse(strings.TrimSuffix(root, "/")); err != nil {
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
	for _, names := range renamings(r.Seed) {
		site.renaming.Store(&names)
		row := Renamed{Site: name, Renamed: names.name, Objects: len(whole), Requests: [3]int{requests}}
		var got [2]map[string]string
		for i, f := range []crawl.Options{{}, {Knowledge: crawl.Knowledge{NoAdapt: true}}} {
			if got[i], row.Requests[i+1], err = again(f); err != nil {
				return nil, err
			}
		}
		row.Equal, row.Plain = equalIn(whole, got[0]), equalIn(whole, got[1])
		for id, o := range got[0] {
			if whole[id] == "" {
				row.More++
				fmt.Fprintf(r.Notes, "%s, %s renamed: more: %s %s\n", name, names.name, id, corpus.Shorten(o))
			}
		}
		for id, o := range whole {
			if got[0][id] != o {
				fmt.Fprintf(r.Notes, "%s, %s renamed: %s is %q, want %q\n", name, names.name, id, got[0][id], o)
			}
		}
		fmt.Fprintf(r.Notes, "%s, %s renamed: %d of %d, %d without adapting, requests %v\n",
			name, names.name, row.Equal, row.Objects, row.Plain, row.Requests)
		rows = append(rows, row)
	}
	return rows, nil
}

// PrintRenamings prints the table.
func PrintRenamings(w io.Writer, rows []Renamed) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "%-32s %-28s %8s | equal: %8s %9s | %5s | requests: %6s %8s %9s\n",
		"mirror", "renamed", "objects", "mended", "unmended", "more", "as is", "mended", "unmended")
	for _, r := range rows {
		fmt.Fprintf(w, "%-32s %-28s %8d |        %8d %9d | %5d |           %6d %8d %9d\n",
			r.Site, r.Renamed, r.Objects, r.Equal, r.Plain, r.More, r.Requests[0], r.Requests[1], r.Requests[2])
	}
	fmt.Fprintln(w)
}
