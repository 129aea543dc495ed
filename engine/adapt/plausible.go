package adapt

import (
	"net/url"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// judge evaluates a candidate and scores it; false for one that cannot be.
func (s *session) judge(f *kb.Field, spot kb.Spot, sc *scope, tk *taken, c *candidate) bool {
	if c.try != nil {
		c.nodes = s.selectsBy(c.try, sc)
	} else {
		c.nodes = s.selects(c.reading, sc)
	}
	if f.As == kb.HTML && !s.bulky(sc, c) {
		return false
	}
	s.values(f, c, sc)
	if c.match != nil && c.coverage() < 0.5 { // it cut what the original selected
		c.match = nil
		c.cost.Changes++
		s.values(f, c, sc)
	}
	if c.coverage() < 0.5 {
		return false
	}
	if f.As == kb.Text && !f.Many && c.match == nil {
		if m := s.past.cut(spot.Objects[len(spot.Objects)-1].Class, f, sc.records, c.values); m != nil {
			c.match = m
			s.values(f, c, sc)
		}
	}
	if named(f) && c.match == nil && labelled(c.values) {
		c.match = nameCut
		s.values(f, c, sc)
	}
	if share, known := s.past.agreement(spot.Objects[len(spot.Objects)-1].Class, f, sc.records, c.values); known {
		if share < 0.5 {
			return false
		}
		c.say(4*share, "as in the earlier crawl")
	}
	c.say(-s.far(c.cost), "")
	if c.proposed {
		c.say(-0.2, "")
	}
	if cov := c.coverage(); cov > 0.95 {
		c.say(0.5, "in every object")
	} else {
		c.say(-3*(1-cov), "")
	}
	if c.holding > 0 && f.As != kb.HTML { // a content shows what it is
		c.say(0.6*float64(min(c.holding, 2)), "what else the expression asks for is there")
	}
	if h := s.hints(purpose(spot), sc, c); h > 0 {
		c.say(1.3*h, "named as in other templates")
	}
	if page(sc) && f.As != kb.HTML && f.Name != "title" && !s.beside(f, spot, sc, tk, c) {
		return false
	}
	switch {
	case f.As == kb.HTML:
		return s.judgeContent(sc, tk, c)
	case f.As == kb.Date:
		return s.judgeDate(sc, tk, c)
	case named(f):
		return s.judgeName(f, sc, tk, c)
	default:
		return s.judgeTitle(f, sc, tk, c)
	}
}

// named tells whether a field is the name of a person.
func named(f *kb.Field) bool { return f.Name == "creator" || f.Name == "name" }

// hints says how strongly the names around a candidate's first node suggest what
// it is for.
func (s *session) hints(purpose string, sc *scope, c *candidate) float64 {
	best := 0.0
	for i, nodes := range c.nodes {
		if len(nodes) == 0 {
			continue
		}
		strength := 1.0
		for m := nodes[0]; m >= 0 && m != sc.records[i] && strength > 0.3; m = s.x.parent[m] {
			for _, cond := range s.x.conditions(m) {
				if cond.Value.Name == "href" {
					continue
				}
				if h := s.hint(purpose, cond.Literal) * strength; h > best {
					best = h
				}
			}
			strength -= 0.35
		}
		if to := c.target(); to.Kind == xpath.Attr {
			best = max(best, s.hint(purpose, to.Name))
		}
		break
	}
	return best
}

func (s *session) hint(purpose, literal string) float64 {
	key := purpose + "\x00" + literal
	h, known := s.hinted[key]
	if !known {
		h = s.lex.hint(purpose, literal)
		s.hinted[key] = h
	}
	return h
}

// bulky tells whether what a candidate for a content selects is a good part of
// its records; it spares reading texts.
func (s *session) bulky(sc *scope, c *candidate) bool {
	some := false
	for i, nodes := range c.nodes {
		got := 0
		for _, n := range nodes {
			got += s.x.length(n)
		}
		all := s.lengthOf(sc, i)
		if got > 0 && (sc.records[i] >= 0 && 10*got >= all || 20*got >= all) {
			some = true
		}
	}
	return some
}

func (s *session) lengthOf(sc *scope, i int) int {
	rec := sc.records[i]
	if rec < 0 {
		rec = 0
	}
	if sc.ends != nil {
		return max(1, s.x.after[sc.ends[i]-1]-s.x.text[rec])
	}
	return max(1, s.x.length(rec)-s.innerLength(rec, sc.inner, s.x.length))
}

func (s *session) innerLength(rec int, inner []int, length func(int) int) int {
	sum := 0
	for _, n := range within(inner, rec, s.x) {
		sum += length(n)
	}
	return sum
}

// judgeContent scores a content: the running text of its object, with little
// else, and nothing that another field holds.
func (s *session) judgeContent(sc *scope, tk *taken, c *candidate) bool {
	var got, gotOwn, own float64
	weights := s.weigh(sc, tk)
	for i, nodes := range c.nodes {
		for k, n := range nodes[:max(0, len(nodes)-1)] {
			if nodes[k+1] < s.x.end[n] {
				return false // one in the other: its text would be there twice
			}
		}
		w := &weights[i]
		own += float64(w.own[len(w.own)-1])
		for _, n := range nodes {
			o, a := w.inside(n, s.x.end[n])
			gotOwn, got = gotOwn+float64(o), got+float64(a)
		}
	}
	if got == 0 || len(c.values) > 2 && distinct(c.values) < 0.5 {
		return false
	}
	share := gotOwn / max(1, own)
	if own < 30 { // hardly any text, or one record without running text
		share = mereShare
	} else {
		c.say(-1.8*(1-gotOwn/got), "")
	}
	c.share = share
	c.say(2.6*share, "the bulk of the text")
	if h := tk.holds(s.x, c); h > 0 {
		c.say(-1.2*h, "")
	}
	if h := tk.within(s.x, c); h > 0 {
		c.say(-2*h, "")
	}
	links := s.links(c)
	if links > allLinks || page(sc) && own >= 30 && share < leastShare {
		return false
	}
	c.say(-0.6*links-3*max(0, links-0.5), "")
	return true
}

// What a content must not be: links and nothing else, as the titles of a list are,
// or so little of the running text of a page that is one object.
const (
	allLinks   = 0.8
	leastShare = 0.35
	// mereShare is what a content counts for of objects that say hardly anything.
	mereShare = 0.3
)

// page tells whether the object is the page itself.
func page(sc *scope) bool { return len(sc.records) == 1 && sc.records[0] < 0 }

// links is the share of a candidate's text that is in links.
func (s *session) links(c *candidate) float64 {
	all, linked := 1, 0
	for _, nodes := range c.nodes[:min(len(c.nodes), 6)] {
		for _, n := range nodes {
			all += s.x.length(n)
			if s.x.nodes[n].DataAtom == atom.A {
				linked += s.x.length(n)
			}
			for _, a := range within(s.x.tags["a"], n, s.x) {
				linked += s.x.length(a)
			}
		}
	}
	return float64(linked) / float64(all)
}

// judgeDate scores a date: it parses, differs, and follows the order of the page.
func (s *session) judgeDate(sc *scope, tk *taken, c *candidate) bool {
	c.say(1, "a date")
	if c.early == exact {
		c.say(0.5, "as programs write it")
	}
	n := 0
	clock := 0
	for _, v := range c.values {
		if v != "" {
			n++
			if len(v) > len("2006-01-02") {
				clock++
			}
		}
	}
	if 2*clock > n {
		c.say(0.8, "with a time")
	}
	if n > 2 {
		o := order(c.values)
		c.say(1.6*(o-0.5), "in order")
		if o < 0.85 {
			c.say(-1, "")
		}
		if distinct(c.values) < 0.3 {
			c.say(-0.8, "")
		}
	}
	c.say(-1.5*tk.within(s.x, c), "")
	c.say(-0.3*tk.holds(s.x, c), "")
	return true
}

// judgeName scores the name of a person: short, often a link to a profile, not
// the same in all objects.
func (s *session) judgeName(f *kb.Field, sc *scope, tk *taken, c *candidate) bool {
	if page(sc) && f.Name == "name" && c.cost.Distance > near && !strings.Contains(s.title, plainTitle(c.values[0])) {
		return false // nothing repeats, so that any word of a menu would do
	}
	sum, n := 0.0, 0
	for _, v := range c.values {
		if v == "" {
			continue
		}
		n++
		k := nameLike(v)
		if dateLike(v) && len(v) > 7 {
			k = 0
		}
		sum += k
	}
	like := sum / float64(max(n, 1))
	if like < 0.4 || labelled(c.values) || s.titles(sc, c.values) {
		return false
	}
	c.say(1.4*like, "short as a name")
	links, profiles, whole := 0, 0, 0
	for _, nodes := range c.nodes {
		if len(nodes) == 0 {
			continue
		}
		if href, ok := s.linkAt(nodes[0]); ok {
			links++
			if s.profile(href) {
				profiles++
				if s.x.nodes[nodes[0]].DataAtom == atom.A {
					whole++
				}
			}
		}
	}
	if 2*links > n {
		c.say(0.5, "a link")
	}
	if 2*profiles > n {
		c.say(0.9, "to a profile")
	}
	if s.unknown && 2*whole > n {
		c.say(0.2, "and nothing else")
	}
	if n > 2 {
		if d := distinct(c.values); d*float64(n) < 1.5 {
			c.say(-1.6, "") // a button
		} else {
			c.say(0.4, "it varies")
		}
	}
	c.say(-2*tk.within(s.x, c), "")
	c.say(-0.5*tk.holds(s.x, c), "")
	return true
}

// titles tells whether values are in most of several objects the title of their page,
// with "Re:" or without.
func (s *session) titles(sc *scope, values []string) bool {
	const shortest = 6 // letters and digits
	n, titles := 0, 0
	for _, v := range values {
		if v == "" {
			continue
		}
		n++
		_, rest, _ := strings.Cut(v, ":")
		for _, t := range []string{plainTitle(v), plainTitle(rest)} {
			if len(t) >= shortest && strings.HasPrefix(s.title, t) {
				titles++
				break
			}
		}
	}
	return n > 1 && 2*titles > n
}

// linkAt gives the address of the link that an element is, lies in or holds alone.
func (s *session) linkAt(n int) (string, bool) {
	for m, up := n, 0; m >= 0 && up < 3; m, up = s.x.parent[m], up+1 {
		if s.x.nodes[m].DataAtom == atom.A {
			return s.x.attr(m, "href")
		}
	}
	if in := within(s.x.tags["a"], n, s.x); len(in) > 0 {
		return s.x.attr(in[0], "href")
	}
	return "", false
}

// homeward tells whether an element is, or lies in, a link to the front page: the
// name of the site, not of what is on the page.
func (s *session) homeward(n int) bool {
	href, ok := s.linkAt(n)
	if !ok {
		return false
	}
	u, err := url.Parse(s.r.Link(href))
	if err != nil || u.Host != s.page.URL.Host || u.RawQuery != "" || u.Path == s.page.URL.Path {
		return false
	}
	file := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
	return strings.Trim(u.Path, "/") == "" || strings.HasPrefix(file, "index.")
}

// siteNames are the names of the site that the page gives: what it says of itself, and
// what links to the front page show.
func (s *session) siteNames() map[string]bool {
	if s.sites != nil {
		return s.sites
	}
	s.sites = map[string]bool{}
	note := func(name string) {
		if name = plainTitle(name); name != "" {
			s.sites[name] = true
		}
	}
	for _, n := range s.x.tags["meta"] {
		if v, _ := s.x.attr(n, "property"); v == "og:site_name" {
			name, _ := s.x.attr(n, "content")
			note(name)
		}
	}
	for _, n := range s.x.tags["a"] {
		if !s.homeward(n) {
			continue
		}
		note(s.x.read(s.x.nodes[n]))
		for _, img := range within(s.x.tags["img"], n, s.x) {
			alt, _ := s.x.attr(img, "alt")
			note(alt)
		}
	}
	return s.sites
}

// profile tells whether an address looks like that of a member.
func (s *session) profile(href string) bool {
	for _, w := range []string{"profile", "member", "user", "author", "people", "/u/", "u=", "uid="} {
		if strings.Contains(strings.ToLower(href), w) {
			return true
		}
	}
	return false
}

// farText is how much text, in bytes, may lie between the fields of an object
// that is the page itself.
const farText = 700

// beside tells whether a candidate on a whole page lies near the title or content
// of its object, or in the head: a footer names authors and dates too.
func (s *session) beside(f *kb.Field, spot kb.Spot, sc *scope, tk *taken, c *candidate) bool {
	if len(c.nodes[0]) == 0 {
		return false
	}
	if c.holding > 0 {
		return true
	}
	n := c.nodes[0][0]
	if name := s.x.nodes[n].Data; name == "meta" || name == "link" {
		return s.hints(purpose(spot), sc, c) > 0.4
	}
	far := -1
	for k := range tk.nodes[0] {
		if s.x.nodes[k].Data == "title" || s.x.nodes[k].Data == "meta" {
			continue
		}
		d := 0
		switch {
		case s.x.inside(n, k):
		case n > k:
			d = s.x.text[n] - s.x.after[k]
		default:
			d = s.x.text[k] - s.x.after[n]
		}
		if far < 0 || d < far {
			far = d
		}
	}
	if far < 0 && named(f) && s.own.level != "" { // a profile: nothing else is there to lie near
		if name := plainTitle(c.values[0]); len(name) > 2 && strings.Contains(s.title, name) && !s.siteNames()[name] {
			c.say(1.5, "in the page's title")
			return true
		}
	}
	if far > farText || far < 0 {
		return false
	}
	c.say(0.4*(1-float64(max(far, 0))/farText), "beside the rest")
	return true
}

// judgeTitle scores a title, and other short texts.
func (s *session) judgeTitle(f *kb.Field, sc *scope, tk *taken, c *candidate) bool {
	headings, n, alike := 0, 0, 0
	for i, nodes := range c.nodes {
		if len(nodes) == 0 || c.values[i] == "" {
			continue
		}
		n++
		if s.x.nodes[nodes[0]].DataAtom == atom.Title && c.match == nil {
			return false // it names the site, too
		}
		if f.Name == "title" && page(sc) && s.siteNames()[plainTitle(c.values[i])] {
			return false
		}
		if len(c.values[i]) > 300 || len(sc.records) == 1 && f.Name == "title" && s.homeward(nodes[0]) {
			return false
		}
		for m, up := nodes[0], 0; m >= 0 && up < 3; m, up = s.x.parent[m], up+1 {
			if t := s.x.nodes[m].Data; len(t) == 2 && t[0] == 'h' && t[1] >= '1' && t[1] <= '6' {
				headings++
				break
			}
		}
		if t := plainTitle(c.values[i]); len(t) > 2 && strings.Contains(s.title, t) && f.Name == "title" {
			alike++
			if len(sc.records) == 1 {
				c.say(1.2*min(1, float64(len(t))/float64(max(1, len(s.title)))*1.6), "in the page's title")
			}
		}
	}
	if f.Name == "title" && len(sc.records) == 1 && s.title != "" && alike == 0 {
		c.say(-0.8, "")
	}
	if alike > 0 {
		c.say(0.8, "in the page's title")
	}
	if 2*headings > n {
		c.say(0.7, "a heading")
	}
	c.say(-1.5*tk.within(s.x, c), "")
	c.say(-1*tk.holds(s.x, c), "")
	return true
}
