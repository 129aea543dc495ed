// Package records learns how posts are found on pages of any software, and measures it on sites
// and types that nothing was learned from.
package records

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/read/page"
	"github.com/awarc/awarc/kb"
)

// Post is one post as the truth has it.
type Post struct {
	Text, User, Date string
}

// Page is a saved page with its posts; no posts where it has none.
type Page struct {
	File, Site string
	// Type is the software, or the site where the software is not known: what is left out together.
	Type  kb.TypeID
	Known bool // by a built-in type
	Gold  bool // people labelled the posts
	Posts []Post
	URL   *url.URL

	html []byte
}

// Doc parses the page.
func (p *Page) Doc() *html.Node {
	return engine.Parse(engine.Answer{URL: p.URL, HTML: p.html})
}

// Model is the page as it is read.
func (p *Page) Model() *page.Page {
	doc := p.Doc()
	return page.New(doc, extract.Language(doc), time.Time{})
}

var classes = regexp.MustCompile(`(?i)(\sclass=)("[^"]*"|'[^']*')`)

// Renamed copies pages: each class has another name in a copy, the same one everywhere.
func Renamed(pages []*Page) []*Page {
	out := make([]*Page, len(pages))
	for i, p := range pages {
		out[i] = p.renamed()
	}
	return out
}

func (p *Page) renamed() *Page {
	out := *p
	out.html = classes.ReplaceAllFunc(p.html, func(attribute []byte) []byte {
		m := classes.FindSubmatch(attribute)
		quote := string(m[2][:1])
		names := strings.Fields(string(m[2][1 : len(m[2])-1]))
		for i, name := range names {
			sum := fnv.New64a()
			sum.Write([]byte(page.WithoutDigits(name)))
			names[i] = "x" + strconv.FormatUint(sum.Sum64(), 26)
		}
		return []byte(string(m[1]) + quote + strings.Join(names, " ") + quote)
	})
	return &out
}

func readPage(file, address string) (*Page, error) {
	body, err := corpus.ReadFile(file)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		u = &url.URL{Scheme: "http", Host: "localhost", Path: "/" + filepath.Base(file)}
	}
	return &Page{File: file, Site: u.Host, URL: u, html: fetch.DecodeHTML(body, "").HTML}, nil
}

// Forums reads a folder of forum pages with a truth.jsonl: posts that people labelled.
func Forums(dir string, d *detect.Detector) ([]*Page, error) {
	var out []*Page
	err := lines(filepath.Join(dir, "truth.jsonl"), func(line []byte) error {
		var row struct {
			File, URL string
			Posts     []Post
		}
		if err := json.Unmarshal(line, &row); err != nil {
			return err
		}
		p, err := readPage(filepath.Join(dir, row.File), row.URL)
		if err != nil {
			return err
		}
		p.Posts, p.Gold = row.Posts, true
		p.Type = kb.TypeID("site:" + p.Site)
		got, err := engine.Inspect(d, engine.Answer{URL: p.URL, HTML: p.html}, engine.Hints{Full: true})
		if err == nil && got.Finding.Type != nil {
			p.Type, p.Known = got.Finding.Type.ID, true
		}
		out = append(out, p)
		return nil
	})
	return out, err
}

// Others reads pages without posts (documentation, services, listings) of a folder of main texts.
func Others(dir string) ([]*Page, error) {
	without := map[string]bool{"documentation": true, "service": true, "listing": true, "collection": true}
	var out []*Page
	err := lines(filepath.Join(dir, "truth.jsonl"), func(line []byte) error {
		var row struct{ File, URL, Kind string }
		if err := json.Unmarshal(line, &row); err != nil || !without[row.Kind] {
			return err
		}
		p, err := readPage(filepath.Join(dir, row.File), row.URL)
		if err != nil {
			return err
		}
		p.Type, p.Site = "other", fmt.Sprint("part ", len(out)%parts)
		out = append(out, p)
		return nil
	})
	return out, err
}

// parts is into how many groups pages without posts are left out, a site each being too many.
const parts = 10

func lines(file string, of func([]byte) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	for n := 1; s.Scan(); n++ {
		if err := of(s.Bytes()); err != nil {
			return fmt.Errorf("%s: line %d: %w", file, n, err)
		}
	}
	return s.Err()
}

var (
	posts   = regexp.MustCompile(`Post$|Comment|Answer|Question`)
	article = regexp.MustCompile(`BlogPost|WikiArticle|WebPage`)
)

// mostOfSite bounds the pages of one site and level, so that a large mirror is not most of what is read.
const mostOfSite = 6

// Saved reads saved pages of known software. The truth is what the built-in types extract, where
// they miss nothing.
func Saved(dir string, d *detect.Detector) ([]*Page, error) {
	index, err := corpus.Index(dir)
	if err != nil {
		return nil, err
	}
	var out []*Page
	have := map[string]int{}
	for _, c := range index {
		p, err := readPage(filepath.Join(dir, filepath.FromSlash(c.File)), c.URL)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if parts := strings.Split(c.File, "/"); len(parts) > 1 {
			p.Site = parts[1]
		}
		got, err := engine.Inspect(d, engine.Answer{URL: p.URL, HTML: p.html}, engine.Hints{Full: true})
		h := got.Harvest
		if err != nil || h.Level == nil || h.Cut || len(h.Misses) > 0 || h.Generic {
			continue
		}
		p.Type, p.Known = got.Finding.Type.ID, true
		if n := &h; !p.take(n) {
			continue
		}
		key := string(p.Type) + p.Site + string(h.Level.ID)
		if have[key]++; have[key] <= mostOfSite {
			out = append(out, p)
		}
	}
	return out, nil
}

// take keeps the posts of a harvest; false where it cannot be told whether the page has some.
func (p *Page) take(h *extract.Harvest) bool {
	for _, o := range h.Objects {
		if !posts.MatchString(o.Class) || article.MatchString(o.Class) {
			continue
		}
		text := o.Value("content")
		if len(words(text)) == 0 {
			continue
		}
		p.Posts = append(p.Posts, Post{Text: text, User: o.Value("creator"), Date: o.Value("created")})
	}
	return len(p.Posts) > 1 || len(p.Posts) == 0 && h.Level.Kind == kb.Intermediate && !showsPosts.MatchString(p.File)
}

// showsPosts are pages that the built-in types take for lists and that show posts, as reading them by
// eye found: the plain archive of a MyBB.
var showsPosts = regexp.MustCompile(`/forum/archive/index-`)
