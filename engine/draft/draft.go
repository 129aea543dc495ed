package draft

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/ways"
)

// Page is an archived page of the site.
type Page struct {
	Doc      *html.Node
	URL      *url.URL
	Captured time.Time

	shape string
	links []link
}

// link is a link of a page to its own site.
type link struct {
	node  *html.Node
	to    *url.URL
	shape string
}

// ErrNoPosts says that there is nothing to be described.
var ErrNoPosts = errors.New("no group of pages has what looks like posts, records with a date, a name and a text each, or like articles")

const sample = 25 // pages of a group

// site is what is known of the pages of a site.
type site struct {
	groups map[string][]*Page // by shape, copies left out
	all    map[string]*Page   // by address
	own    map[string]bool    // addresses of those that are no copies

	least   int               // pages of a shape that prove something
	of      map[string]string // shapes of further pages: that of the first
	pagings map[string]paging // by shape
}

// gather sorts pages by the shapes of their addresses. What says that it is a copy is left out.
func gather(pages []*Page) *site {
	s := &site{groups: map[string][]*Page{}, all: map[string]*Page{}, own: map[string]bool{}}
	for _, p := range pages {
		s.all[p.URL.String()] = p
	}
	seen := map[string]bool{}
	for _, p := range pages {
		p.shape = ways.Shape(p.URL)
		at := p.URL.String()
		if own := cmp.Or(canonical(p), at); own == at || s.all[own] == nil && !seen[own] { // else it is a copy of a page that is there
			seen[own] = true
			s.groups[p.shape] = append(s.groups[p.shape], p)
			s.own[at] = true
		}
		for n := range p.Doc.Descendants() {
			if n.DataAtom != atom.A || attr(n, "href") == "" {
				continue
			}
			if u, err := url.Parse(extract.Resolve(p.URL, attr(n, "href"))); err == nil && u.Host == p.URL.Host {
				u.Fragment = ""
				p.links = append(p.links, link{n, u, ways.Shape(u)})
			}
		}
	}
	s.gatherTitles()
	for shape, group := range s.groups {
		slices.SortFunc(group, func(a, b *Page) int { return cmp.Compare(a.URL.String(), b.URL.String()) })
		s.groups[shape] = group
	}
	s.join()
	return s
}

// gatherTitles takes pages whose addresses end in one or two words, and which are alone with them, into the group of those beside them that
// end in titles: a short title is one, too.
func (s *site) gatherTitles() {
	titles := map[string]string{} // by outline
	for shape, group := range s.groups {
		end := strings.TrimSuffix(shape, "/")
		if strings.HasSuffix(strings.TrimSuffix(end, path.Ext(end)), "/*") && len(group) > 1 {
			titles[ways.Outline(shape)] = shape
		}
	}
	of := func(shape string) string {
		if to := titles[ways.Outline(shape)]; to != "" && len(s.groups[shape]) < 2 {
			return to
		}
		return shape
	}
	for _, p := range s.all {
		was := p.shape
		if p.shape = of(was); p.shape != was && s.own[p.URL.String()] {
			s.groups[p.shape] = append(s.groups[p.shape], p)
		}
		for i := range p.links {
			p.links[i].shape = of(p.links[i].shape)
		}
	}
	for shape := range s.groups {
		if of(shape) != shape {
			delete(s.groups, shape)
		}
	}
}

// join takes the further pages of threads and lists into the groups of their first pages.
func (s *site) join() {
	s.of, s.pagings = map[string]string{}, map[string]paging{}
	for _, shape := range slices.SortedFunc(maps.Keys(s.groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	}) {
		if s.of[shape] != "" {
			continue
		}
		p, further := s.pagingOf(shape)
		s.pagings[shape] = p
		for _, other := range further {
			if other != shape && s.of[other] == "" {
				s.of[other] = shape
				s.groups[shape] = append(s.groups[shape], s.groups[other]...)
				delete(s.groups, other)
			}
		}
	}
	for _, p := range s.all {
		p.shape = cmp.Or(s.of[p.shape], p.shape)
		for i := range p.links {
			p.links[i].shape = cmp.Or(s.of[p.links[i].shape], p.links[i].shape)
		}
	}
}

// canonical is the address that a page says is its own, "" where it says none.
func canonical(p *Page) string {
	for n := range p.Doc.Descendants() {
		if n.DataAtom == atom.Link && strings.EqualFold(attr(n, "rel"), "canonical") {
			return extract.Resolve(p.URL, attr(n, "href"))
		}
	}
	return ""
}

// spread takes at most so many pages of a group, evenly.
func spread(group []*Page, most int) (out []*Page) {
	for i := range min(len(group), most) {
		out = append(out, group[i*len(group)/min(len(group), most)])
	}
	return out
}

// threads is the level that holds posts, or articles with comments.
type threads struct {
	posts   *fields  // nil for none
	article *article // nil for none
	weight  int      // bytes of posts and articles on all its pages
	shape   string   // of the addresses of its pages
	title   string   // expression
	pages   []*Page  // of the first shape
	paging  paging
}

// paging is how further pages of a thread or list are asked for.
type paging struct {
	param string // "" for none
	path  string // behind the address, with {n}; "" for none
	at    selector
	found bool
}

// findThreads finds the group whose pages have most in posts, and the others that are their further pages.
func (s *site) findThreads() (t threads, err error) {
	for _, shape := range slices.Sorted(maps.Keys(s.groups)) {
		group := s.groups[shape]
		if len(group) < s.least {
			continue
		}
		here := threads{shape: shape, pages: group}
		some := spread(group, sample)
		f, ok := recordsOf(some, min(3, 1+s.least))
		single := false
		if !ok && len(some) > 1 && s.least == 1 { // somebody chose pages that have a post each
			f, ok = singlesOf(some)
			single = ok
		}
		if ok {
			here.posts, here.weight = &f, f.records
		}
		a, isArticle := articleOf(some, here.posts)
		switch {
		case single:
		case isArticle && here.posts == nil:
			here.article, here.weight = &a, a.weight
		case isArticle && 2*a.weight > here.weight:
			here.article = &a // and the posts are comments
		}
		// Posts are surer than texts, which anything may be.
		here.weight = here.weight * len(group) / len(some)
		if surer := here.posts != nil && t.posts == nil; surer || here.weight > t.weight && (here.posts != nil) == (t.posts != nil) {
			t = here
		}
	}
	if t.weight == 0 {
		return t, ErrNoPosts
	}
	t.title = titleOf(spread(t.pages, sample))
	t.paging = s.pagings[t.shape]
	return t, nil
}

// pagingOf finds the links by which pages of a shape lead to their further pages, and the shapes of these: to their own address with one
// number more.
func (s *site) pagingOf(shape string) (p paging, further []string) {
	params, paths, shapes := map[string]int{}, map[string]int{}, map[string][]string{}
	leads := map[*html.Node]string{} // the parameter or path by which a link leads on
	for _, page := range s.groups[shape] {
		for _, l := range page.links {
			if !s.own[l.to.String()] {
				continue // a copy, as the same page with a form in it is
			}
			param, path := more(page.URL, l.to)
			if param != "" {
				params[param]++
			}
			if path != "" {
				paths[path]++
			}
			if by := cmp.Or(param, path); by != "" {
				shapes[by] = append(shapes[by], l.shape)
				leads[l.node] = by
			}
		}
	}
	most := 0
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if params[name] > most {
			p.param, most = name, params[name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		if paths[name] > most {
			p.param, p.path, most = "", name, paths[name]
		}
	}
	if most == 0 {
		return p, nil
	}
	places := map[selector][2]int{} // links that lead on like that, and all
	for _, page := range s.groups[shape] {
		for _, l := range page.links {
			for _, at := range selectors(l.node, bodyOf(page.Doc)) {
				n := places[at]
				if n[1]++; leads[l.node] == cmp.Or(p.param, p.path) {
					n[0]++
				}
				places[at] = n
			}
		}
	}
	p.at, p.found = best(places, func(_ selector, n [2]int) float64 { return float64(n[0]) * float64(n[0]) / float64(n[1]) })
	further = slices.Sorted(slices.Values(shapes[cmp.Or(p.param, p.path)]))
	return p, slices.Compact(further)
}

var lastNumber = regexp.MustCompile(`^(.*?)(\d+)(/?)$`)

// more tells how an address differs from another in being that of a further page: by a parameter, or behind its path.
func more(from, to *url.URL) (param, path string) {
	had, has := from.Query(), to.Query()
	if from.Path == to.Path {
		for name := range has {
			if had.Has(name) && had.Get(name) == has.Get(name) {
				continue
			}
			if had.Has(name) || param != "" || strings.Trim(has.Get(name), "0123456789") != "" || has.Get(name) == "" {
				return "", ""
			}
			param = name
		}
		if param != "" && len(has) == len(had)+1 {
			return param, ""
		}
		return "", ""
	}
	rest, ok := strings.CutPrefix(to.Path, strings.TrimSuffix(from.Path, "/")+"/")
	// A number before the last one makes it a month or a day.
	if m := lastNumber.FindStringSubmatch(rest); ok && m != nil && to.RawQuery == from.RawQuery && strings.Count(m[1], "/") <= 1 &&
		!strings.ContainsAny(m[1], "0123456789") {
		return "", "/" + m[1] + "{n}" + m[3]
	}
	return "", ""
}

// titleText is what a page says in its title.
func titleText(p *Page) string {
	for n := range p.Doc.Descendants() {
		if n.DataAtom == atom.Title {
			return textOf(n)
		}
	}
	return ""
}

// titleOf finds the heading of pages that is in their titles too.
func titleOf(pages []*Page) string {
	of := map[selector]*tally{}
	for _, p := range pages {
		title, body := titleText(p), bodyOf(p.Doc)
		seen := map[selector]bool{}
		for n := range body.Descendants() {
			if n.DataAtom != atom.H1 && n.DataAtom != atom.H2 && n.DataAtom != atom.H3 {
				continue
			}
			for _, s := range append(selectors(n, body), selector{name: n.Data}) {
				if seen[s] {
					continue
				}
				seen[s] = true
				if text := textOf(n); text != "" && strings.Contains(title, text) {
					if of[s] == nil {
						of[s] = &tally{values: map[string]int{}}
					}
					of[s].records++
					of[s].values[text]++
				}
			}
		}
	}
	s, ok := best(of, func(_ selector, t *tally) float64 {
		if float64(t.records) < mostOf*float64(len(pages)) || 2*len(t.values) < t.records {
			return 0
		}
		return float64(len(t.values))
	})
	if !ok {
		return "title"
	}
	return s.firstPath()
}

// list is a level whose pages lead to another level.
type list struct {
	id     string
	shape  string
	to     string   // level
	target string   // shape of its pages
	at     selector // of its links
	shows  selector // what tells its pages; zero: its links
	pages  []*Page
	paging paging
}

// findLists finds the groups that lead to nearly all pages of a level, the fewest, and those that lead to these, up to the first page.
func (s *site) findLists(t *threads, first string) (lists []list) {
	taken := map[string]bool{t.shape: true}
	to, target := "thread", t.shape
	for _, id := range []string{"list", "index", "home"} {
		best, most := list{}, 0
		for _, shape := range slices.Sorted(maps.Keys(s.groups)) {
			if taken[shape] {
				continue
			}
			l := list{id: id, shape: shape, to: to, target: target, pages: s.groups[shape]}
			n := s.leads(&l)
			// A page that leads to all is better than many, and one with few other links better than a search.
			if rank := n * 1000 / (9 + len(l.pages)); n > 0 && rank > most {
				best, most = l, rank
			}
		}
		if most == 0 || slices.ContainsFunc(lists, func(l list) bool { return l.at == best.at }) {
			break // or nothing tells its pages from those of another list
		}
		best.paging = s.pagings[best.shape]
		lists = append(lists, best)
		taken[best.shape] = true
		if best.shape == first || len(best.pages) == 1 && s.least > 1 {
			break // where the crawl begins, or what each page of a site leads to
		}
		to, target = id, best.shape
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
	page := s.all[first.String()]
	if page == nil || len(lists) == 0 {
		return nil
	}
	isList := func(p *Page) bool {
		return slices.ContainsFunc(lists, func(l list) bool { return s.holds([]*Page{p}, &l) })
	}
	if isList(page) {
		return nil
	}
	begin := &start{at: first, to: lists[0].id}
	for _, l := range page.links {
		to, href := s.all[l.to.String()], attr(l.node, "href")
		if to != nil && to != page && !strings.ContainsAny(href, `'"`) && !slices.Contains(begin.links, href) && isList(to) {
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
	at, different := placeOf(l.pages, func(_ *Page, a *link) (leads, counts bool) { return a.shape == l.target, true })
	if different > 0 {
		l.at = at
	}
	return different
}

// further finds where the links of a list stand that lead to others like it, whose addresses do not tell that they are its further pages.
func (s *site) further(l *list) (at selector, ok bool) {
	at, different := placeOf(l.pages, func(p *Page, a *link) (leads, counts bool) {
		to := s.all[a.to.String()]
		return to != nil && to != p && s.holds([]*Page{to}, l), a.shape == l.shape
	})
	return at, different > 0
}

// placeOf finds the place on pages at which nearly all links lead where they should, and of these most to different addresses that count.
func placeOf(pages []*Page, look func(*Page, *link) (leads, counts bool)) (at selector, most int) {
	places := map[selector][2]int{}
	different := map[selector]map[string]bool{}
	for _, p := range pages {
		for i := range p.links {
			a := &p.links[i]
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
			if slices.Contains(selectors(a.node, bodyOf(p.Doc)), l.at) {
				if all++; a.shape == l.target {
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
			case n.DataAtom == atom.Meta && strings.EqualFold(attr(n, "name"), "generator"):
				if words := strings.Fields(attr(n, "content")); len(words) > 0 {
					here["meta[@name='generator'][starts-with(@content, '"+quotable(words[0])+"')]"] = true
				}
			case n.DataAtom == atom.Link && attr(n, "rel") == "stylesheet":
				if u, err := url.Parse(attr(n, "href")); err == nil && strings.Contains(u.Path, "/") {
					here["link[contains(@href, '"+quotable(strings.TrimPrefix(u.Path, "."))+"')]"] = true
				}
			case n.DataAtom == atom.Body && attr(n, "id") != "":
				here["body[@id='"+quotable(attr(n, "id"))+"']"] = true
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
		case n.DataAtom == atom.Link && strings.EqualFold(attr(n, "rel"), "canonical") && attr(n, "href") != "":
			return attr(n, "href")
		case n.DataAtom == atom.Meta && attr(n, "property") == "og:url":
			shared = attr(n, "content")
		}
	}
	return shared
}
