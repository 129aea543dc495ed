package adapt

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
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
	if page(sc) && f.Name == "title" && s.others(c.values[0]) {
		return false
	}
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
	if f.Name == "title" && page(sc) && c.match == nil && !s.inTitle(c.values[0]) && s.inTitle(titleCut.Cut(c.values[0])) {
		c.match = titleCut
		s.values(f, c, sc)
	}
	if f.Name == "title" && len(sc.records) > 1 {
		s.subject(f, sc, c)
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
	if article(spot, sc) && f.As != kb.HTML {
		if is, known := s.agrees(f, c.values[0]); is && (f.Name != "title" || c.stated || s.heading(c.nodes[0])) {
			c.agreed = true
			c.say(agreed, "as the page states")
		} else if known && !is && !(f.Name == "title" && s.heads(c)) {
			c.say(-0.7, "")
		}
	}
	if page(sc) && f.As != kb.HTML && f.Name != "title" && !s.beside(f, spot, sc, tk, c) {
		return false
	}
	switch {
	case f.As == kb.HTML:
		return s.judgeContent(sc, tk, c)
	case f.As == kb.Date:
		return s.judgeDate(f, sc, tk, c)
	case named(f):
		return s.judgeName(f, sc, tk, c)
	default:
		return s.judgeTitle(f, sc, tk, c)
	}
}

// agreed is what it counts for that a page states a value.
const agreed = 2.0

// named reports whether a field is the name of a person.
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

// bulky reports whether what a candidate for a content selects is a good part of
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
	if page(sc) && (s.astray(c) || s.headed(c, tk)) {
		return false
	}
	var got, gotOwn, own float64
	weights := s.weigh(sc, tk)
	for i, nodes := range c.nodes {
		for k, n := range nodes[:max(0, len(nodes)-1)] {
			if nodes[k+1] < s.x.end[n] {
				return false // one in the other: its text would be there twice
			}
		}
		if s.partial(nodes, page(sc)) {
			return false
		}
		w := &weights[i]
		own += float64(w.own[len(w.own)-1])
		for _, n := range nodes {
			o, a := w.inside(n, s.x.end[n])
			gotOwn, got = gotOwn+float64(o), got+float64(a)
		}
	}
	if got == 0 || len(c.values) > 2 && distinct(c.values) < 0.5 || s.strays(sc, c) {
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
	if h := tk.holds(s.x, c); h > mostHeld && !page(sc) {
		return false // the whole object, with its date and author
	} else if h > 0 {
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

// strays reports whether the elements of a candidate are not made alike in all records: in
// some it selects what stands before the content.
func (s *session) strays(sc *scope, c *candidate) bool {
	const fewest, share = 4, 0.9
	made, n, most := map[string]int{}, 0, 0
	for i, nodes := range c.nodes {
		if len(nodes) == 0 {
			continue
		}
		class, _ := s.x.attr(nodes[0], "class")
		key := s.x.nodes[nodes[0]].Data + " " + numbers.ReplaceAllString(class, "")
		for m := nodes[0]; m >= 0 && m != sc.records[i]; m = s.x.parent[m] {
			key += "/" // the same tag in a quotation is further in
		}
		n++
		made[key]++
		most = max(most, made[key])
	}
	return n >= fewest && float64(most) < share*float64(n)
}

// headed reports whether a candidate for the text of a page holds its title, too.
func (s *session) headed(c *candidate, tk *taken) bool {
	for k := range tk.nodes[0] {
		if s.inTitle(s.x.read(s.x.nodes[k])) && s.heading([]int{k}) &&
			slices.ContainsFunc(c.nodes[0], func(n int) bool { return n != k && s.x.inside(k, n) }) {
			return true
		}
	}
	return false
}

// What a content must not be: links and nothing else, as the titles of a list are,
// or so little of the running text of a page that is one object.
const (
	allLinks   = 0.8
	leastShare = 0.35
	// mostHeld is in which share of several objects a content may hold another field.
	mostHeld = 0.5
	// mereShare is what a content counts for of objects that say hardly anything.
	mereShare = 0.3
)

// page reports whether the object is the page itself.
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

// heading reports whether the first of some elements is a heading, or lies in one.
func (s *session) heading(nodes []int) bool {
	if len(nodes) == 0 {
		return false
	}
	for m, up := nodes[0], 0; m >= 0 && up < 3; m, up = s.x.parent[m], up+1 {
		if t := s.x.nodes[m].Data; len(t) == 2 && t[0] == 'h' && t[1] >= '1' && t[1] <= '6' {
			return true
		}
	}
	return false
}

// inMenu reports whether an element is an item of a menu.
func (s *session) inMenu(n int) bool {
	for m, up := n, 0; m >= 0 && up < 5 && s.x.nodes[m].DataAtom != atom.Body; m, up = s.x.parent[m], up+1 {
		class, _ := s.x.attr(m, "class")
		if s.x.nodes[m].DataAtom == atom.Nav || s.x.nodes[m].DataAtom == atom.Li && slices.ContainsFunc(relax.Words(class), isMenu) {
			return true
		}
	}
	return false
}

// heads reports whether a candidate is the only heading of the first rank on the page.
func (s *session) heads(c *candidate) bool {
	list := s.x.tags["h1"]
	return len(list) == 1 && len(c.nodes[0]) > 0 && s.x.inside(c.nodes[0][0], list[0])
}

// beside reports whether a candidate on a whole page lies near the title or content
// of its object, or in the head: a footer names authors and dates too.
func (s *session) beside(f *kb.Field, spot kb.Spot, sc *scope, tk *taken, c *candidate) bool {
	if len(c.nodes[0]) == 0 {
		return false
	}
	n := c.nodes[0][0]
	if c.holding > 0 || c.stated && s.unseen(n) {
		return true
	}
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
