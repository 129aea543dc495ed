package adapt

import (
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// further reports whether a link leads to a further page of what a page shows: the
// type's URL rules say that both are one object, and not the same page of it.
func further(p extract.Page, link string) bool {
	u, err := url.Parse(link)
	if err != nil || len(p.Type.URLs.Pagings) == 0 || u.Host != p.URL.Host {
		return false
	}
	rules := &p.Type.URLs
	return rules.ObjectKey(u) == rules.ObjectKey(p.URL) && rules.Key(u) != rules.Key(p.URL)
}

// What links of a navigation action must reach.
const (
	enoughLinks  = 1.6
	enoughPages  = 1.0 // paging: where it leads says nearly all
	fewestTopics = 3   // links to several things of a kind
)

// linkSet is a candidate for a navigation action with where it leads.
type linkSet struct {
	candidate
	urls  []string // different ones
	texts []string
	first int // of the elements
	last  int
	stray int // of the urls, those whose address is of no such page
}

// follows plans the navigation actions of a level that the faults name.
func (s *session) follows(v *kb.Level, h extract.Harvest, faults []Fault) plan {
	var p plan
	taken := map[string]bool{}
	for _, l := range h.Links {
		taken[l.URL] = true
	}
	for _, spot := range v.Spots() {
		if spot.Follow == nil || !slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind == NoLink && f.Place == spot.Place }) {
			continue
		}
		best, by := s.toLevel(spot, v, len(s.x.nodes)), margin
		if best == nil {
			best, by = s.follow(spot, taken)
		}
		if best == nil {
			p.missing = append(p.missing, spot.Part+": no links look like it")
			continue
		}
		p.steps = append(p.steps, planned{spot, &best.candidate, by})
		p.score += best.score
	}
	return p
}

// follow looks for the links of one navigation action.
func (s *session) follow(spot kb.Spot, taken map[string]bool) (*linkSet, float64) {
	known := s.lex.known(s.category, purpose(spot))
	sources := s.sources(spot)
	var sets []*linkSet
	seen := map[string]*linkSet{}
	add := func(list ...*candidate) {
		for _, c := range list {
			if c == nil || !asks(c.reading.Expr) {
				continue // links that only their tags describe are all links
			}
			l := s.leads(c)
			if !s.judgeLinks(spot, l, taken) {
				continue
			}
			key := strings.Join(l.urls, "\n")
			if same := seen[key]; same != nil {
				if l.score > same.score {
					*same = *l
				}
				continue
			}
			seen[key] = l
			sets = append(sets, l)
		}
	}
	if spot.Follow.Paging {
		add(s.pagesByAddress()...)
	}
	for _, g := range s.allGroups() {
		if s.spent() {
			break
		}
		for _, m := range g.typical(s.x, nil) {
			if n := s.anchor(m); n >= 0 {
				best, own := s.nearest(sources, nil, g, n, -1, xpath.Test{}, known)
				add(best, own, s.proposedLinks(g, best))
			}
		}
	}
	if len(sets) == 0 {
		return nil, 0
	}
	sort.SliceStable(sets, func(a, b int) bool { return sets[a].score > sets[b].score })
	by := 3.0
	for _, l := range sets[1:] {
		if !overlap(sets[0].urls, l.urls) {
			by = sets[0].score - l.score
			break
		}
	}
	need := enoughLinks
	if spot.Follow.Paging {
		need = enoughPages
	}
	if sets[0].score < need || by < margin {
		return nil, 0
	}
	return sets[0], by
}

// anchor gives the link that an element is, or holds alone; -1 for none.
func (s *session) anchor(n int) int {
	if s.x.nodes[n].Data == "a" {
		return n
	}
	if in := within(s.x.tags["a"], n, s.x); len(in) == 1 {
		return in[0]
	}
	return -1
}

// proposedLinks writes the links in a group as an expression of their own.
func (s *session) proposedLinks(g *group, nearest *candidate) *candidate {
	e := g.expr()
	if g.tag != "a" {
		e.Steps = append(e.Steps, xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: "a"}})
	}
	c := &candidate{proposed: true}
	c.reading.Expr, c.expr = e, e.Tree()
	c.cost.Worst, c.cost.Changes = true, 3
	if nearest != nil {
		c.from, c.cost = nearest.from, nearest.cost
		c.cost.Worst, c.cost.Changes = true, c.cost.Changes+1
	}
	return c
}

// leads reads where a candidate leads.
func (s *session) leads(c *candidate) *linkSet {
	return s.leadsOf(c, s.x.selectIn(c.reading.Expr, -1))
}

// leadsOf is leads for a candidate that selects some elements.
func (s *session) leadsOf(c *candidate, nodes []int) *linkSet {
	s.tried++
	l := &linkSet{candidate: *c}
	seen := map[string]bool{}
	for _, n := range nodes {
		href, ok := s.x.attr(n, "href")
		if !ok || href == "" {
			continue
		}
		if u := s.r.Link(href); u != "" && !seen[u] && len(l.urls) < maxRecords {
			seen[u] = true
			if l.last = n; len(l.urls) == 0 {
				l.first = n
			}
			l.urls = append(l.urls, u)
			l.texts = append(l.texts, strings.TrimSpace(textContent(s.x.nodes[n])))
		}
	}
	return l
}

// judgeLinks scores links as those of an action: of paging by where they lead, of
// others as a list of things of a kind.
func (s *session) judgeLinks(spot kb.Spot, l *linkSet, taken map[string]bool) bool {
	if len(l.urls) == 0 {
		return false
	}
	l.say(-0.4*float64(l.cost.Changes)-0.002*float64(l.cost.Distance), "")
	if l.cost.Worst {
		l.say(-0.2, "")
	}
	further, again := 0, 0
	for _, u := range l.urls {
		if s.further(u) {
			further++
		}
		if taken[u] {
			again++
		}
	}
	n := float64(len(l.urls))
	if spot.Follow.Paging {
		if float64(further) < 0.9*n {
			return false
		}
		l.say(2.5, "they lead to further pages of the same")
		l.say(min(0.5, 0.1*n), "")
		l.say(float64(further)/float64(max(1, s.furtherPages())), "")
		return true
	}
	if len(l.urls) < fewestTopics || further > 0 || 2*again > len(l.urls) {
		return false
	}
	other := 0
	for _, u := range l.urls {
		if a := s.addressed(u); a.level != "" && a.level != spot.Follow.To || a.level == "" && s.ofOther(u, spot.Follow.To) {
			other++
		}
	}
	if 2*other > len(l.urls) {
		return false // their addresses say where they lead
	}
	shape, of := commonShape(l.urls)
	if float64(of) < 0.8*n || shape == "" || services(l.urls) {
		return false
	}
	l.say(1, "addresses of one shape")
	long, length := 0, 0
	for _, t := range l.texts {
		length += len(t)
		if len(t) >= 12 {
			long++
		}
	}
	l.say(1.2*float64(long)/n, "titles")
	l.say(0.8*distinct(l.texts), "all different")
	l.say(0.6*min(1, float64(length)/float64(max(1, s.x.length(0)))*3), "much of the page's text")
	l.say(0.1*min(n, 10), "")
	if h := s.shapeHint(purpose(spot), shape); h > 0 {
		l.say(h, "addresses as elsewhere")
	}
	return true
}

// ofOther reports whether the script of an address shows other levels than one: lists in
// another order, mostly.
func (s *session) ofOther(link string, to kb.LevelID) bool {
	u := s.local(link)
	if u == nil {
		return false
	}
	name := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
	other := false
	for _, a := range s.page.Type.URLs.Addresses {
		if strings.HasSuffix(name, scriptExt) && slices.Contains(signs(a.Of), sign{text: name}) {
			if a.Level == to {
				return false
			}
			other = true
		}
	}
	return other
}

// further is what the type's URL rules say of a link, asked once.
func (s *session) further(link string) bool {
	is, known := s.furthers[link]
	if !known {
		s.x.spend(urlWork)
		if u := s.local(link); u != nil && s.own.level != "" {
			rules := &s.page.Type.URLs
			is = rules.ObjectKey(u) == s.own.key && rules.Key(u) != rules.Key(s.local(s.page.URL.String())) && numbered(rules, u)
		} else {
			is = further(s.page, link)
		}
		s.furthers[link] = is
	}
	return is
}

// numbered reports whether what tells apart the pages of an object is a number in an
// address: "start=msg99" is the page of a post, and "start=new" the last.
func numbered(rules *kb.URLRules, u *url.URL) bool {
	key, err := url.Parse(rules.Key(u))
	if err != nil {
		return false
	}
	asked := key.Query()
	return !slices.ContainsFunc(rules.Pagings, func(p kb.Paging) bool {
		return p.Param != "" && strings.Trim(asked.Get(p.Param), "0123456789") != ""
	})
}

// furtherPages counts the further pages of the same that the page names.
func (s *session) furtherPages() int {
	if s.pages < 0 {
		seen := map[string]bool{}
		for _, n := range s.x.tags["a"] {
			if link := s.linkOf(n); link != "" && s.further(link) {
				seen[link] = true
			}
		}
		s.pages = len(seen)
	}
	return s.pages
}

var numbers = regexp.MustCompile(`\d+`)

// commonShape gives the most frequent shape of addresses, without their numbers
// and the words of their last part, and how many have it.
func commonShape(urls []string) (shape string, of int) {
	count := map[string]int{}
	for _, u := range urls {
		count[shapeOf(u)]++
	}
	for s, n := range count {
		if n > of || n == of && s < shape {
			shape, of = s, n
		}
	}
	return shape, of
}

// services reports whether links ask one script for different things by words alone
// (search.php?search_id=newposts): a menu. What a script shows many of has numbers.
func services(urls []string) bool {
	path := ""
	for _, link := range urls {
		u, err := url.Parse(link)
		if err != nil || u.RawQuery == "" || numbers.MatchString(u.RawQuery) || path != "" && u.Path != path {
			return false
		}
		path = u.Path
	}
	return true
}

func shapeOf(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if last := len(parts) - 1; !strings.Contains(parts[last], ".php") {
		parts[last] = "*"
	}
	var names []string
	for name := range u.Query() {
		names = append(names, name)
	}
	slices.Sort(names)
	return u.Host + "/" + numbers.ReplaceAllString(strings.Join(parts, "/"), "#") + "?" + strings.Join(names, "&")
}

// shapeHint reports whether other templates ask for what is in an address.
func (s *session) shapeHint(purpose, shape string) float64 {
	for _, c := range s.lex.conditionsOf(s.category, purpose) {
		if lit, ok := strings.CutPrefix(c, "href="); ok && len(lit) > 4 && strings.Contains(shape, strings.Trim(lit, "./")) {
			return 1
		}
	}
	return 0
}

func overlap(a, b []string) bool {
	in := 0
	for _, u := range b {
		if slices.Contains(a, u) {
			in++
		}
	}
	return 2*in > min(len(a), len(b))
}
