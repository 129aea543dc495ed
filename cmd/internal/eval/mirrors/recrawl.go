package mirrors

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/cmd/internal/eval/mend"
	"github.com/awarc/awarc/cmd/internal/eval/replay"
	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/testsites"
)

// Recrawl is what a second crawl got of a site whose template had changed
// since the first, with a knowledge base that knows only the first template.
type Recrawl struct {
	Site    string `json:"site"`
	From    string `json:"from"`
	To      string `json:"to"`
	Objects int    `json:"objects"` // of a crawl with the whole knowledge base
	// Equal objects are the same in every field that is compared.
	Equal int `json:"equal"`         // with the objects of the first crawl at hand
	Fresh int `json:"without_first"` // without them
	Plain int `json:"without_adapting"`
	// More are objects that the whole knowledge base does not find.
	More int `json:"more"`
}

// changed are sites in two templates: mirrors of real ones, and test sites.
var changed = []struct{ cms, from, to, mirrors string }{
	{"wordpress", "twentytwentyone", "twentytwentythree", "wordpress-6.1-"},
	{"wordpress", "twentytwentythree", "twentytwentyone", "wordpress-6.1-"},
	{"phpbb", "prosilver", "subsilver2", ""},
	{"vbulletin", "3.8", "4.2", ""},
}

// recrawlPosts is about how many posts the test sites have.
const recrawlPosts = 300

// Recrawls crawls sites before and after a change of their template.
func Recrawls(ctx context.Context, e *mend.Eval) ([]Recrawl, error) {
	dir, err := os.MkdirTemp("", "awarc-eval-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &recrawl{Eval: e, ctx: ctx, dir: dir}
	var rows []Recrawl
	for i, c := range changed {
		e.Tell("recrawls", i, len(changed))
		if !e.Concerns(kb.TypeID(c.cms)) || c.mirrors != "" && !r.mirrored() {
			continue
		}
		row, err := r.site(c.cms, c.from, c.to, c.mirrors)
		if err != nil {
			return nil, fmt.Errorf("%s %s to %s: %w", c.cms, c.from, c.to, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

type recrawl struct {
	*mend.Eval
	ctx    context.Context
	dir    string
	server string // the program that replays mirrors
	crawls int
}

// mirrored builds the server that stands beside the mirrors; false where there is
// none.
func (r *recrawl) mirrored() bool {
	if r.server != "" {
		return true
	}
	server, err := replay.Build(r.ctx, r.Sites, r.dir)
	if err != nil {
		fmt.Fprintln(r.Notes, "mirrors left out:", err)
		return false
	}
	r.server = server
	return true
}

// serve starts a site at an address and returns its root.
func (r *recrawl) serve(cms, theme, mirrors, addr string) (root string, stop func(), err error) {
	if mirrors != "" {
		return replay.Serve(r.ctx, r.server, filepath.Join(r.Sites, mirrors+theme+".warc.xz"), addr, "")
	}
	site, err := testsites.New(cms, theme, testsites.Options{Seed: 1, Posts: recrawlPosts})
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(l) // ends with Close
	return "http://" + l.Addr().String(), func() { server.Close() }, nil
}

func (r *recrawl) site(cms, from, to, mirrors string) (Recrawl, error) {
	row := Recrawl{Site: cms, From: from, To: to}
	if mirrors != "" {
		row.Site += " mirror"
	}
	root, stop, err := r.serve(cms, from, mirrors, "127.0.0.1:0")
	if err != nil {
		return row, err
	}
	first, err := r.crawl(root, crawl.Options{})
	var known []kb.Source
	if err == nil {
		known, err = r.cutTo(kb.TypeID(cms), first)
	}
	stop()
	if err != nil {
		return row, err
	}
	_, stop, err = r.serve(cms, to, mirrors, strings.TrimPrefix(root, "http://")) // the same addresses: the same objects
	if err != nil {
		return row, err
	}
	defer stop()
	var results []map[string]string
	for i, k := range []crawl.Knowledge{{}, {Previous: first}, {}, {NoAdapt: true}} {
		if i > 0 { // a knowledge base of its own: the crawl writes what it learns into it
			k.Alone = true
			if k.KB, err = r.write(known); err != nil {
				return row, err
			}
		}
		dir, err := r.crawl(root, crawl.Options{Knowledge: k})
		if err != nil {
			return row, err
		}
		objects, err := graphObjects(dir)
		if err != nil {
			return row, err
		}
		results = append(results, objects)
	}
	whole := results[0]
	row.Objects = len(whole)
	row.Equal, row.Fresh, row.Plain = equalIn(whole, results[1]), equalIn(whole, results[2]), equalIn(whole, results[3])
	for id := range results[1] {
		if whole[id] == "" {
			row.More++
			fmt.Fprintf(r.Notes, "recrawl of %s %s: more: %s %s\n", cms, to, id, corpus.Shorten(results[1][id]))
		}
	}
	for id, o := range whole {
		if results[1][id] != o {
			fmt.Fprintf(r.Notes, "recrawl of %s %s: %s is %q, want %q\n", cms, to, id, results[1][id], o)
		}
	}
	return row, nil
}

func equalIn(want, got map[string]string) int {
	n := 0
	for id, o := range want {
		if got[id] == o {
			n++
		}
	}
	return n
}

// crawl crawls a site with options for what differs. What a site asks of robots is not obeyed: a DokuWiki lets none follow its index, which
// would leave a third of its articles out.
func (r *recrawl) crawl(root string, o crawl.Options) (dir string, err error) {
	o.Seeds, o.Delay, o.MinSpace = []string{root + "/"}, crawl.None, crawl.None
	o.Contact, o.IgnoreRobots = "https://github.com/awarc/awarc", true
	r.crawls++
	dir = filepath.Join(r.dir, fmt.Sprintf("crawl-%d", r.crawls))
	c, err := crawl.New(dir, o)
	if err != nil {
		return "", err
	}
	status, err := c.Run(r.ctx)
	if err = errors.Join(err, c.Close()); err != nil {
		return "", err
	}
	if status != crawl.Done && status != crawl.WithFaults {
		return "", fmt.Errorf("a crawl of %s ended with status %d", root, status)
	}
	return dir, nil
}

// cutTo cuts the knowledge base to the pages of a crawl. The site must still be
// served.
func (r *recrawl) cutTo(typ kb.TypeID, dir string) ([]kb.Source, error) {
	log, err := os.ReadFile(filepath.Join(dir, "log", "crawl.jsonl"))
	if err != nil {
		return nil, err
	}
	var pages []*truth.Page
	for line := range bytes.Lines(log) {
		var x engine.Exchanged
		if err := json.Unmarshal(line, &x); err != nil {
			return nil, err
		}
		if x.Level == "" {
			continue
		}
		p, err := r.fetch(x.URL)
		if err != nil {
			return nil, err
		}
		pages = append(pages, p)
	}
	return mend.CutToPages(r.Sources, r.Whole, typ, pages)
}

// write writes a knowledge base for the next crawl.
func (r *recrawl) write(sources []kb.Source) ([]string, error) {
	dir := filepath.Join(r.dir, fmt.Sprintf("kb-%d", r.crawls+1))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	for _, s := range sources {
		if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(s.Name, "/", "-")), s.Data, 0o644); err != nil {
			return nil, err
		}
	}
	return []string{dir}, nil
}

// fetch reads one page as it is served now.
func (r *recrawl) fetch(address string) (*truth.Page, error) {
	c, err := fetch.New(fetch.Options{})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	x, err := c.Do(r.ctx, address, nil)
	if x != nil {
		defer x.Close()
	}
	if err != nil {
		return nil, err
	}
	text, err := x.HTML()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	a := engine.Answer{URL: u, Status: x.Status, Header: x.Header, HTML: text.HTML, Charset: text.Charset, Captured: x.Start}
	return &truth.Page{File: address, Answer: a}, nil
}

// graphObjects reads what a crawl says of its objects: for each its statements in
// order, but for those of [uncompared].
func graphObjects(dir string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "graph", "*.nq.gz"))
	if err != nil {
		return nil, err
	}
	statements := map[string]map[string]bool{}
	for _, file := range files {
		if err := readQuads(file, statements); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	objects := map[string]string{}
	for id, all := range statements {
		text := strings.Join(slices.Sorted(maps.Keys(all)), "\n")
		if strings.Contains(text, "#type> <http://rdfs.org/sioc/ns#") && !strings.Contains(text, "ns#UserAccount>") ||
			strings.Contains(text, "sioc/types#") || strings.Contains(text, "schema.org/WebPage>") {
			objects[id] = text
		}
	}
	return objects, nil
}

func readQuads(file string, statements map[string]map[string]bool) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<27)
	for lines.Scan() {
		line := lines.Text()
		end := strings.LastIndex(line, " <")
		subject, rest, ok := strings.Cut(line[:max(end, 0)], " ")
		property, _, _ := strings.Cut(strings.TrimPrefix(rest, "<"), ">")
		if !ok || strings.HasPrefix(line[end+1:], "<urn:awarc:meta>") || slices.Contains(uncompared, property) {
			continue
		}
		if statements[subject] == nil {
			statements[subject] = map[string]bool{}
		}
		statements[subject][rest] = true
	}
	return lines.Err()
}

// uncompared are the properties of markup, which two templates may write differently, and those that no action of the object's own page
// says, which adaptation does not mend: who its author is beside the name, what lists count and call it, and which reader found it.
var uncompared = []string{"http://www.w3.org/ns/prov#wasGeneratedBy", "urn:awarc:ns#confidence",
	"urn:awarc:ns#content_html", "urn:awarc:ns#num_pages", "urn:awarc:ns#label",
	"http://rdfs.org/sioc/ns#has_creator", "http://rdfs.org/sioc/ns#num_items", "http://rdfs.org/sioc/ns#num_threads"}

// PrintRecrawls prints the table.
func PrintRecrawls(w io.Writer, rows []Recrawl) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "%-18s %-18s %-18s %8s | equal: %12s %9s %9s | %5s\n",
		"recrawl of", "known", "now", "objects", "with first", "without", "unmended", "more")
	for _, r := range rows {
		fmt.Fprintf(w, "%-18s %-18s %-18s %8d |        %12d %9d %9d | %5d\n",
			r.Site, r.From, r.To, r.Objects, r.Equal, r.Fresh, r.Plain, r.More)
	}
	fmt.Fprintln(w)
}
