package draft_test

import (
	"cmp"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/draft"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
)

// post is what is compared of a post.
type post struct{ creator, day, text string }

func postsOf(p *engine.Page) (posts []post) {
	for _, o := range p.Harvest.Objects {
		if !slices.Contains([]string{"sioc:Post", "sioct:Comment", "sioct:Question", "sioct:Answer"}, o.Class) {
			continue
		}
		day, _, _ := strings.Cut(o.Value("created"), "T")
		q := post{o.Value("creator"), day, strings.Join(strings.Fields(o.Value("content")), "")}
		if q.creator != "" && q.day != "" && q.text != "" {
			posts = append(posts, q)
		}
	}
	return posts
}

// same reports whether two posts are one: a signature or a note below the text may be in one of them.
func (p post) same(q post) bool {
	short, long := p.text, q.text
	if len(short) > len(long) {
		short, long = long, short
	}
	return p.creator == q.creator && p.day == q.day && strings.Contains(long, short) && 10*len(short) >= 8*len(long)
}

// saved is a page of a saved site with the posts that the built-in type finds.
type saved struct {
	answer engine.Answer
	posts  []post
}

// savedSites reads the sites whose pages have posts by the built-in types, the pages with the fewest first.
func savedSites(t *testing.T, d *detect.Detector) map[string][]saved {
	const dir = "../../../shared/pages"
	index, err := os.ReadFile(filepath.Join(dir, "index.tsv"))
	if err != nil || os.Getenv("AWARC_LONG") == "" {
		t.Skip("skipped: the saved pages are not in ../shared/pages, or AWARC_LONG=1 is not set")
	}
	sites := map[string][]saved{}
	for _, line := range strings.Split(string(index), "\n")[1:] {
		col := strings.Split(strings.TrimRight(line, "\r"), "\t")
		if len(col) < 8 {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(col[7])))
		if err != nil {
			t.Fatal(err)
		}
		dirs := strings.SplitN(col[7], "/", 3)
		u, err := url.Parse(col[6])
		if err != nil || u.Host == "" {
			u = &url.URL{Scheme: "http", Host: strings.ToLower(dirs[1]), Path: "/" + dirs[len(dirs)-1]}
		}
		text := fetch.DecodeHTML(body, "")
		a := engine.Answer{URL: u, Status: 200, HTML: text.HTML, Charset: text.Charset}
		p, err := engine.Inspect(d, a, engine.Hints{})
		if posts := postsOf(&p); err == nil && len(posts) > 0 {
			site := path.Join(dirs[0], dirs[1])
			sites[site] = append(sites[site], saved{a, posts})
		}
	}
	for _, pages := range sites {
		slices.SortStableFunc(pages, func(a, b saved) int { return cmp.Compare(len(a.posts), len(b.posts)) })
	}
	return sites
}

// TestDraftsOfSavedPages counts, for drafts of the pages with the fewest posts of each saved site, which posts they find on the other pages
// of the site as the built-in type does, or on the same ones where there are no others.
func TestDraftsOfSavedPages(t *testing.T) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	sites := savedSites(t, detect.New(base))
	type sum struct{ sites, drafts, right, found, posts int }
	sums := map[int]*sum{1: {}, 2: {}, 3: {}}
	for _, site := range slices.Sorted(maps.Keys(sites)) {
		pages := sites[site]
		for k, s := range sums {
			if k > len(pages) {
				continue
			}
			s.sites++
			var some []*draft.Page
			for _, p := range pages[:k] {
				some = append(some, &draft.Page{Doc: engine.Parse(p.answer), URL: p.answer.URL})
			}
			judged := pages[k:]
			if len(judged) == 0 {
				judged = pages
			}
			right, found, posts := judge(t, some, judged)
			if found > 0 {
				s.drafts++
			}
			const most = 50 // posts of a site that count
			s.right, s.found, s.posts = s.right+min(right, most), s.found+min(found, most), s.posts+min(posts, most)
			t.Logf("%d of %d pages of %-50s %4d of %4d posts right, %d found", k, len(pages), site, right, posts, found)
		}
	}
	for k, s := range sums {
		t.Logf("%d pages: %+v", k, *s)
	}
	if s := sums[1]; 2*s.right < s.posts {
		t.Errorf("drafts of one page find %d of %d posts", s.right, s.posts)
	}
}

// judge makes a draft of some pages and counts what it finds on others.
func judge(t *testing.T, some []*draft.Page, others []saved) (right, found, posts int) {
	for _, p := range others {
		posts += len(p.posts)
	}
	made, err := draft.Make("x", some, some[0].URL, 1)
	if err != nil {
		return 0, 0, posts
	}
	base, err := kb.Load(kb.Source{Name: "x.xml", Data: made.XML})
	if err != nil {
		t.Fatalf("%v\n%s", err, made.XML)
	}
	d := detect.New(base)
	for _, s := range others {
		p, err := engine.Inspect(d, s.answer, engine.Hints{})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range postsOf(&p) {
			found++
			if slices.ContainsFunc(s.posts, one.same) {
				right++
			}
		}
	}
	return right, found, posts
}
