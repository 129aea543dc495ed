package draft

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/read/page"
)

// Errors of [Make].
var (
	ErrNoPosts = errors.New("no group of pages has what looks like posts, records with a date, a name and a text each, or like articles")
	ErrNoWay   = errors.New("no list among the pages leads to the pages with posts or articles")
)

// threads is the level that holds posts, or articles with comments.
type threads struct {
	posts   *fields  // nil for none
	article *article // nil for none
	weight  int      // letters of posts and articles on all its pages
	form    form     // of the addresses of its pages
	title   string   // expression
	pages   []*Page
	at      selector // of the links to further pages
	paged   bool     // there are such links
}

// findThreads finds the group of pages with the most text in posts or articles.
func (s *site) findThreads() (t threads, err error) {
	for _, f := range slices.Sorted(maps.Keys(s.groups)) {
		here := s.threadsOf(f)
		// Posts are surer than texts, which anything may be. Of addresses that show the same, those
		// that name least are the thread's.
		rank := func(t threads) int { return t.weight / (1 + strings.Count(string(t.form), "#")) }
		if surer := here.posts != nil && t.posts == nil && here.weight > 0; surer ||
			rank(here) > rank(t) && (here.posts != nil) == (t.posts != nil) {
			t = here
		}
	}
	if t.weight == 0 {
		return t, ErrNoPosts
	}
	t.title = titleOf(spread(t.pages, sample))
	t.at, t.paged = s.pagingAt(t.form)
	return t, nil
}

// threadsOf reads the pages of a form as threads or articles; weight is 0 where they are neither.
func (s *site) threadsOf(f form) threads {
	group := s.groups[f]
	here := threads{form: f, pages: group}
	if len(group) < s.least || s.shorter(f) {
		return here
	}
	some := spread(group, sample)
	posts, ok := learn(some, min(3, 1+s.least))
	if ok = ok && posts.signed(); !ok && len(some) > 1 {
		posts, ok = together(some)
	}
	if ok {
		here.posts, here.weight = &posts, posts.weight
	}
	a, isArticle := articleOf(some, here.posts)
	switch {
	case isArticle && here.posts == nil:
		here.article, here.weight = &a, a.weight
	case isArticle && 2*a.weight > here.weight:
		here.article = &a // and the posts are comments
	}
	here.weight = here.weight * len(group) / len(some)
	return here
}

// shorter reports whether links lead to addresses without one of the parameters of a form, of which
// too few pages are there: these are the threads, and the form may be of their posts.
func (s *site) shorter(f form) bool {
	for i := range strings.Count(string(f), "#") {
		p, ok := pagingOf(f, i)
		if !ok || p.param == "" || !strings.Contains(string(p.base), "#") || len(s.groups[p.base]) >= s.least {
			continue
		}
		for _, one := range s.pages {
			if slices.ContainsFunc(one.links, func(l link) bool { return l.base == p.base }) {
				return true
			}
		}
	}
	return false
}

// pagingAt finds the place of the links by which pages of a form lead to further pages.
func (s *site) pagingAt(f form) (selector, bool) {
	places := map[selector][2]int{} // links that lead on like that, and all
	for _, p := range s.groups[f] {
		for i := range p.links {
			l := &p.links[i]
			leads := l.base == p.base && l.key == p.key && l.page != p.page && s.pagings[f][l.form].of == l.form
			for _, at := range selectors(l.node, bodyOf(p.Doc)) {
				n := places[at]
				if n[1]++; leads {
					n[0]++
				}
				places[at] = n
			}
		}
	}
	return best(places, func(_ selector, n [2]int) float64 { return float64(n[0]) * float64(n[0]) / float64(n[1]) })
}

// titleOf finds the heading of pages that is in their titles too.
func titleOf(pages []*Page) string {
	values, found := map[selector]map[string]bool{}, map[selector]int{}
	for _, p := range pages {
		body, seen := bodyOf(p.Doc), map[selector]bool{}
		for n := range body.Descendants() {
			if n.DataAtom != atom.H1 && n.DataAtom != atom.H2 && n.DataAtom != atom.H3 {
				continue
			}
			for _, s := range append(selectors(n, body), selector{name: n.Data}) {
				text := textOf(n)
				if seen[s] || text == "" || !strings.Contains(p.title, text) {
					seen[s] = true
					continue
				}
				seen[s] = true
				if values[s] == nil {
					values[s] = map[string]bool{}
				}
				values[s][text] = true
				found[s]++
			}
		}
	}
	s, ok := best(found, func(s selector, n int) float64 {
		if float64(n) < mostOf*float64(len(pages)) || 2*len(values[s]) < n {
			return 0
		}
		return float64(len(values[s]))
	})
	if !ok {
		return "title"
	}
	return s.firstPath()
}

// Shares of records or pages for which an expression must give a value.
const (
	nearlyAll = 0.9
	mostOf    = 0.8
)

// list is a level whose pages lead to another level.
type list struct {
	id     string
	form   form
	to     string   // level
	target form     // of its pages
	at     selector // of its links
	href   string   // that all its links have; "" for none
	shows  selector // what tells its pages; zero: its links
	pages  []*Page
	more   selector // of the links to further pages
	paged  bool     // there are such links
}

// findLists finds the groups that lead to nearly all pages of a level, the fewest, and those that lead to these, up to the first page.
func (s *site) findLists(t *threads, first form) (lists []list) {
	taken := map[form]bool{t.form: true}
	to, target := "thread", t.form
	for _, id := range []string{"list", "index", "home"} {
		best, most := list{}, 0
		for _, f := range slices.Sorted(maps.Keys(s.groups)) {
			if taken[f] {
				continue
			}
			l := list{id: id, form: f, to: to, target: target, pages: s.groups[f]}
			n := s.leads(&l)
			// A page that leads to all is better than many, and one with few other links better than a search.
			if rank := n * 1000 / (9 + len(l.pages)); n > 0 && rank > most && !s.inMenu(&l, t.pages) {
				best, most = l, rank
			}
		}
		if most == 0 || slices.ContainsFunc(lists, func(l list) bool { return l.at == best.at }) {
			break // or nothing tells its pages from those of another list
		}
		best.more, best.paged = s.pagingAt(best.form)
		lists = append(lists, best)
		taken[best.form] = true
		if best.form == first || len(best.pages) == 1 && s.least > 1 {
			break // where the crawl begins, or what each page of a site leads to
		}
		to, target = id, best.form
	}
	return lists
}

// start is a first page that is no list itself, and its links to pages with links of lists.
type start struct {
	at    *url.URL
	links []string // as they are written
	to    string   // level
}

const mostStarts = 8 // links of a first page; a list of more is a group of its own

// findStart finds how lists are reached from the first page, nil if that is one of them, or leads to none.
func (s *site) findStart(lists []list, first *url.URL) *start {
	front := s.all[first.String()]
	if front == nil || len(lists) == 0 {
		return nil
	}
	isList := func(p *Page) bool {
		return slices.ContainsFunc(lists, func(l list) bool { return s.holds([]*Page{p}, &l) })
	}
	if isList(front) {
		return nil
	}
	begin := &start{at: first, to: lists[0].id}
	for _, l := range front.links {
		to, href := s.all[l.to.String()], page.Attr(l.node, "href")
		if to != nil && to != front && !strings.ContainsAny(href, `'"`) && !slices.Contains(begin.links, href) && isList(to) {
			begin.links = append(begin.links, href)
		}
	}
	if len(begin.links) == 0 {
		return nil
	}
	begin.links = begin.links[:min(len(begin.links), mostStarts)]
	return begin
}

// leads finds where the links of a list to addresses of a shape stand, and counts the different ones.
func (s *site) leads(l *list) int {
	l.href = l.target.literal()
	for _, p := range l.pages {
		for i := range p.links {
			if a := &p.links[i]; a.base == l.target && !strings.Contains(page.Attr(a.node, "href"), l.href) {
				l.href = ""
			}
		}
	}
	at, different := placeOf(l.pages, l.href, func(_ *Page, a *link) (leads, counts bool) { return a.base == l.target, true })
	if different > 0 {
		l.at = at
	}
	return different
}

// inMenu reports whether the links of a list stand on threads as well: what all pages lead to is a
// menu.
func (s *site) inMenu(l *list, threads []*Page) bool {
	some, on := spread(threads, sample), 0
	for _, p := range some {
		if slices.ContainsFunc(p.links, func(a link) bool {
			return strings.Contains(page.Attr(a.node, "href"), l.href) && l.at.fits(a.node, bodyOf(p.Doc))
		}) {
			on++
		}
	}
	return 2*on > len(some)
}

// further finds where the links of a list stand that lead to others like it, whose addresses do not tell that they are its further pages.
func (s *site) further(l *list) (at selector, ok bool) {
	at, different := placeOf(l.pages, "", func(p *Page, a *link) (leads, counts bool) {
		to := s.all[a.to.String()]
		return to != nil && to != p && s.holds([]*Page{to}, l), a.base == l.form
	})
	return at, different > 0
}

// placeOf finds the place on pages at which nearly all links lead where they should, and of these most to different addresses that count.
func placeOf(pages []*Page, href string, look func(*Page, *link) (leads, counts bool)) (at selector, most int) {
	places := map[selector][2]int{}
	different := map[selector]map[string]bool{}
	for _, p := range pages {
		for i := range p.links {
			a := &p.links[i]
			if !strings.Contains(page.Attr(a.node, "href"), href) {
				continue
			}
			leads, counts := look(p, a)
			for _, at := range selectors(a.node, bodyOf(p.Doc)) {
				n := places[at]
				if n[1]++; leads {
					n[0]++
				}
				if leads && counts {
					if different[at] == nil {
						different[at] = map[string]bool{}
					}
					different[at][a.to.String()] = true
				}
				places[at] = n
			}
		}
	}
	at, _ = best(places, func(at selector, n [2]int) float64 {
		if float64(n[0]) < nearlyAll*float64(n[1]) {
			return 0
		}
		return float64(len(different[at]))
	})
	return at, len(different[at])
}

// holds reports whether these pages have the links of another list, with the same targets. Like
// placeOf, it skips links in a nested element with a class, such as the page numbers of a thread
// beside its title.
func (s *site) holds(pages []*Page, l *list) bool {
	led, all := 0, 0
	for _, p := range pages {
		for _, a := range p.links {
			if strings.Contains(page.Attr(a.node, "href"), l.href) && slices.Contains(selectors(a.node, bodyOf(p.Doc)), l.at) {
				if all++; a.base == l.target {
					led++
				}
			}
		}
	}
	return all > 0 && float64(led) >= nearlyAll*float64(all)
}

// detection finds patterns that all pages have: what the software writes of itself, else what its style is called.
func (s *site) detection() (patterns []string) {
	seen := map[string]int{}
	for _, p := range s.all {
		here := map[string]bool{}
		for n := range p.Doc.Descendants() {
			switch {
			case n.DataAtom == atom.Meta && strings.EqualFold(page.Attr(n, "name"), "generator"):
				if words := strings.Fields(page.Attr(n, "content")); len(words) > 0 {
					here["meta[@name='generator'][starts-with(@content, '"+quotable(words[0])+"')]"] = true
				}
			case n.DataAtom == atom.Link && page.Attr(n, "rel") == "stylesheet":
				if u, err := url.Parse(page.Attr(n, "href")); err == nil && strings.Contains(u.Path, "/") {
					here["link[contains(@href, '"+quotable(strings.TrimPrefix(u.Path, "."))+"')]"] = true
				}
			case n.DataAtom == atom.Body && page.Attr(n, "id") != "":
				here["body[@id='"+quotable(page.Attr(n, "id"))+"']"] = true
			}
		}
		for x := range here {
			seen[x]++
		}
	}
	for _, x := range slices.Sorted(maps.Keys(seen)) {
		if float64(seen[x]) >= mostOf*float64(len(s.all)) {
			patterns = append(patterns, x)
		}
	}
	slices.SortStableFunc(patterns, func(a, b string) int {
		return cmp.Compare(strings.Index("mbl", a[:1]), strings.Index("mbl", b[:1]))
	})
	return patterns[:min(len(patterns), 4)]
}

// quotable is a text without what would end a literal.
func quotable(s string) string {
	s, _, _ = strings.Cut(s, "'")
	return s
}

// host is the pattern of the site itself, where nothing is said of its software.
func host(u *url.URL) string {
	return fmt.Sprintf("url/host[.='%s']", quotable(strings.ToLower(u.Hostname())))
}

// Stated is the address that a page says is its own, as it is written: of its canonical link, or else for those who share it. "" for none.
func Stated(doc *html.Node) string {
	shared := ""
	for n := range doc.Descendants() {
		switch {
		case n.DataAtom == atom.Link && strings.EqualFold(page.Attr(n, "rel"), "canonical") && page.Attr(n, "href") != "":
			return page.Attr(n, "href")
		case n.DataAtom == atom.Meta && page.Attr(n, "property") == "og:url":
			shared = page.Attr(n, "content")
		}
	}
	return shared
}
