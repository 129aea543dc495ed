package adapt

import (
	"math"
	"net/url"
	"slices"
	"sort"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// What a candidate must reach, and by how much it must beat the next that gives
// other values.
const (
	enoughContent = 0.6
	enoughDate    = 1.0
	enoughName    = 0.9
	enoughTitle   = 1.0
	soft          = 1.0 // more, for a field that the page need not have
	alone         = 0.5 // more, where there is one object: nothing repeats
	margin        = 0.35
	frame         = 0.7 // by which the inner of two nested contents may be behind,
	mostOf        = 0.8 // if it holds so much of what the outer one does: a frame adds signatures
)

// enough is the score that a field needs.
func enough(f *kb.Field) float64 {
	need := enoughTitle
	switch {
	case f.As == kb.HTML:
		need = enoughContent
	case f.As == kb.Date:
		need = enoughDate
	case f.Name == "creator" || f.Name == "name":
		need = enoughName
	}
	if !f.Required {
		need += soft
	}
	return need
}

// found is the outcome of looking for a field.
type found struct {
	best   *candidate
	margin float64
	why    string // why none is good enough
}

// taken is what other fields of the objects hold: no text is claimed twice.
type taken struct {
	nodes []map[int]bool // by record
}

func (t *taken) add(c *candidate) {
	for i := range t.nodes {
		if i < len(c.nodes) {
			for _, n := range c.nodes[i][:min(1, len(c.nodes[i]))] {
				t.nodes[i][n] = true
			}
		}
	}
}

func newTaken(records int) *taken {
	t := &taken{nodes: make([]map[int]bool, records)}
	for i := range t.nodes {
		t.nodes[i] = map[int]bool{}
	}
	return t
}

// holds tells in which share of the records a candidate's node contains a node
// that is taken, or is one.
func (t *taken) holds(x *index, c *candidate) float64 {
	n := 0
	for i, nodes := range c.nodes {
		hit := false
		for _, m := range nodes {
			for k := range t.nodes[i] {
				hit = hit || x.inside(k, m)
			}
		}
		if hit {
			n++
		}
	}
	return float64(n) / float64(max(1, len(c.nodes)))
}

// within tells in which share of the records a candidate's node lies in, or is, a
// node that is taken.
func (t *taken) within(x *index, c *candidate) float64 {
	n := 0
	for i, nodes := range c.nodes {
		hit := false
		for _, m := range nodes[:min(1, len(nodes))] {
			for k := range t.nodes[i] {
				hit = hit || x.inside(m, k)
			}
		}
		if hit {
			n++
		}
	}
	return float64(n) / float64(max(1, len(c.nodes)))
}

// field looks for an expression that gives a field in the records of a scope.
func (s *session) field(spot kb.Spot, sc *scope, tk *taken) found {
	f := spot.Field
	candidates := s.candidates(spot, sc)
	sort.SliceStable(candidates, func(a, b int) bool { return candidates[a].cost.Compare(candidates[b].cost) < 0 })
	var judged []*candidate
	s.strange = 0
	seen := map[string]*candidate{}
	for _, c := range candidates {
		if s.spent() {
			break
		}
		if !s.judge(f, spot, sc, tk, c) {
			continue
		}
		key := strings.Join(c.values, "\x00")
		if same := seen[key]; same != nil {
			if c.score > same.score || c.score == same.score && c.cost.Compare(same.cost) < 0 {
				*same = *c
			}
			continue
		}
		seen[key] = c
		judged = append(judged, c)
	}
	if len(judged) == 0 {
		return found{why: "nothing on the page looks like it"}
	}
	sort.SliceStable(judged, func(a, b int) bool {
		if judged[a].score != judged[b].score {
			return judged[a].score > judged[b].score
		}
		return judged[a].cost.Compare(judged[b].cost) < 0
	})
	out := found{best: judged[0], margin: math.Inf(1)}
	for _, c := range judged[1:] {
		if f.As == kb.HTML && c.score > judged[0].score-frame && c.share > mostOf*out.best.share && c.cost.Changes <= out.best.cost.Changes && deeper(s.x, c, out.best) {
			out.best = c
		}
	}
	for _, c := range judged {
		if c != out.best && !variant(s.x, f, out.best, c) {
			out.margin = out.best.score - c.score
			out.best.why = append(out.best.why, "next: "+c.expr)
			break
		}
	}
	need := enough(f)
	if len(sc.records) == 1 {
		need += alone
	}
	switch {
	case out.best.score < need:
		out.why = "the best candidate is weak: " + out.best.expr
	case f.As == kb.HTML && s.frames(out.best):
		out.why = "the best candidate is a frame of several blocks: " + out.best.expr
	case out.margin < margin:
		out.why = "two candidates are equally good: " + out.best.expr
	}
	return out
}

// variant tells whether two candidates disagree only about the frame of the same
// thing: one lies in the other.
func variant(x *index, f *kb.Field, a, b *candidate) bool {
	if f.As == kb.Date { // the same moment, in another form
		return sameDays(a.values, b.values)
	}
	nested := 0
	for i := range a.nodes {
		if len(a.nodes[i]) > 0 && len(b.nodes[i]) > 0 {
			m, n := a.nodes[i][0], b.nodes[i][0]
			if x.inside(m, n) || x.inside(n, m) {
				nested++
			}
		}
	}
	return 2*nested > len(a.nodes)
}

// deeper tells whether the first node of a candidate lies in that of another.
func deeper(x *index, c, outer *candidate) bool {
	for i := range c.nodes {
		if len(c.nodes[i]) > 0 && len(outer.nodes[i]) > 0 {
			return x.inside(c.nodes[i][0], outer.nodes[i][0])
		}
	}
	return false
}

func sameDays(a, b []string) bool {
	same, n := 0, 0
	for i := range a {
		if a[i] == "" || b[i] == "" {
			continue
		}
		n++
		k := min(len(a[i]), len(b[i]), len("2006-01-02"))
		if a[i][:k] == b[i][:k] {
			same++
		}
	}
	return n > 0 && same == n
}

// candidates lists expressions for a field: for each group of elements in the
// records that could be it, the cheapest relaxation that selects it, and the
// group itself.
func (s *session) candidates(spot kb.Spot, sc *scope) []*candidate {
	f := spot.Field
	known := s.lex.known(s.category, purpose(spot))
	sources := s.sources(spot)
	var befores []string
	for _, src := range sources {
		if !slices.Contains(befores, src.reading.Before) {
			befores = append(befores, src.reading.Before)
		}
	}
	if !slices.Contains(befores, "") {
		befores = append(befores, "")
	}
	var out []*candidate
	seen := map[string]bool{}
	add := func(c *candidate) {
		if c == nil {
			return
		}
		key := c.expr
		if c.match != nil {
			key += "\x00" + c.match.String()
		}
		if seen[key] {
			return
		}
		seen[key] = true
		out = append(out, c)
	}
	for _, before := range befores {
		contexts, records := s.sample(sc, before)
		for _, g := range s.groups(contexts, sc.inner) {
			if 2*g.in < records || !s.possible(f, g, contexts) {
				continue
			}
			for _, n := range g.typical(s.x, contexts) {
				ctx := contextOf(s.x, n, contexts)
				for _, to := range s.targets(f, n) {
					best, own := s.nearest(sources, before, g, n, ctx, to, known)
					var free *candidate
					if own == nil {
						free = s.proposed(f, g, n, ctx, before, to, best)
					}
					for _, c := range []*candidate{best, own, free} {
						if c != nil && f.As == kb.Date {
							c.match = s.dateCut(s.raw(n, to), c.match)
						}
						add(c)
					}
					if f.As == kb.HTML && g.several(s.x) {
						add(s.paragraphs(g, before, best))
					}
				}
			}
		}
	}
	return out
}

// typical gives the elements of a group that relaxations are made towards: the
// first of the first record and, where it has several, the last.
func (g *group) typical(x *index, contexts []int) []int {
	first := g.nodes[0]
	ctx := contextOf(x, first, contexts)
	last := first
	for _, n := range g.nodes {
		if ctx < 0 || x.inside(n, ctx) {
			last = n
		}
	}
	if last == first {
		return g.nodes[:1]
	}
	return []int{first, last}
}

// nearest gives the cheapest relaxation of some sources that selects a node, and
// the cheapest that selects it first; nil for none.
func (s *session) nearest(sources []source, before string, g *group, n, ctx int, to xpath.Test, known func(xpath.Pred) bool) (best, own *candidate) {
	var all []*candidate
	for _, src := range sources {
		if src.reading.Before != before {
			continue
		}
		if c := s.relaxed(src, g, n, ctx, to, known); c != nil {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(all, func(a, b *candidate) int { return a.cost.Compare(b.cost) })
	for _, c := range all {
		if s.selectsFirst(c.reading, n, ctx) {
			return all[0], c
		}
	}
	return all[0], nil
}

// selectsFirst tells whether a reading selects a node before any other.
func (s *session) selectsFirst(r relax.Reading, n, ctx int) bool {
	list := pick(s.x.selectIn(r.Expr, ctx), r.Pick)
	return len(list) > 0 && list[0] == n
}

// proposed writes a group as an expression of its own, with what is around it
// where that is needed to select a node first. It costs what the cheapest relaxation
// to it costs and one change more, in the worst case.
func (s *session) proposed(f *kb.Field, g *group, n, ctx int, before string, to xpath.Test, nearest *candidate) *candidate {
	c := &candidate{proposed: true}
	c.reading.Before, c.reading.Expr = before, g.expr()
	if f.As == kb.HTML {
		c.reading.Pick = "[1]"
	}
	for up := s.x.parent[n]; up > ctx && !s.selectsFirst(c.reading, n, ctx); up = s.x.parent[up] {
		if conds := s.x.conditions(up); len(conds) > 0 {
			last := c.reading.Expr.Steps[len(c.reading.Expr.Steps)-1:]
			outer := xpath.Step{Test: xpath.Test{Kind: xpath.AnyTag}, Preds: conds[:1]}
			c.reading.Expr = &xpath.Expr{Steps: append([]xpath.Step{outer}, last...)}
			break
		}
	}
	if to != (xpath.Test{}) {
		steps := slices.Clone(c.reading.Expr.Steps)
		c.reading.Expr = &xpath.Expr{Steps: append(steps, xpath.Step{Axis: xpath.Child, Test: to})}
	}
	c.cost.Worst, c.cost.Changes = true, 3
	if nearest != nil {
		c.from, c.match = nearest.from, nearest.match
		c.cost = nearest.cost
		c.cost.Changes++
		c.cost.Worst = true
	}
	c.expr = c.reading.String()
	return c
}

// several tells whether a group has elements side by side, as paragraphs are.
func (g *group) several(x *index) bool {
	for i := 1; i < len(g.nodes); i++ {
		if x.parent[g.nodes[i]] == x.parent[g.nodes[i-1]] {
			return true
		}
	}
	return false
}

// paragraphs proposes all elements of a group together, for a content without an
// element of its own.
func (s *session) paragraphs(g *group, before string, nearest *candidate) *candidate {
	c := &candidate{proposed: true}
	c.reading.Before, c.reading.Expr = before, g.expr()
	c.cost.Worst, c.cost.Changes = true, 3
	if nearest != nil {
		c.from, c.cost = nearest.from, nearest.cost
		c.cost.Worst, c.cost.Changes = true, c.cost.Changes+1
	}
	c.expr = c.reading.String()
	return c
}

// sample gives the contexts of some records, spread over the page, and how many
// they are.
func (s *session) sample(sc *scope, before string) (contexts []int, records int) {
	const most = 6
	all := s.cachedContexts(sc, before)
	step := max(1, len(all)/most)
	for i := 0; i < len(all) && records < most; i += step {
		if len(all[i]) > 0 {
			contexts = append(contexts, all[i]...)
			records++
		}
	}
	slices.Sort(contexts)
	return contexts, records
}

func contextOf(x *index, n int, contexts []int) int {
	best := -1
	for _, c := range contexts {
		if c >= 0 && c < n && x.inside(n, c) && c > best {
			best = c
		}
	}
	return best
}

// possible tells whether a group could be a field at all.
func (s *session) possible(f *kb.Field, g *group, contexts []int) bool {
	n := g.nodes[0]
	node := s.x.nodes[n]
	if node.Type != html.ElementNode || node.DataAtom == atom.Body || node.DataAtom == atom.Html || node.DataAtom == atom.Br {
		return false
	}
	if unread(node) && node.DataAtom != atom.Head || node.Parent != nil && (node.Parent.Data == "url" || node.Parent.Data == "http") {
		return false
	}
	length := s.x.length(n)
	switch {
	case f.As == kb.HTML:
		for _, n := range g.nodes[:min(4, len(g.nodes))] {
			if s.x.length(n) > 0 {
				return true
			}
		}
		return false
	case f.As == kb.Date:
		for _, n := range g.nodes[:min(3, len(g.nodes))] {
			if len(s.dateTargets(n)) > 0 {
				return true
			}
		}
		return false
	case f.Name == "creator" || f.Name == "name":
		return length > 0 && length <= 2*maxName
	default:
		return length > 0 && length <= 400
	}
}

// targets lists what of an element could be a field: itself, an attribute, its
// text.
func (s *session) targets(f *kb.Field, n int) []xpath.Test {
	if f.As == kb.Date {
		return s.dateTargets(n)
	}
	return []xpath.Test{{}}
}

// dateTargets lists what of an element may be a date.
func (s *session) dateTargets(n int) []xpath.Test {
	var out []xpath.Test
	node := s.x.nodes[n]
	for _, a := range node.Attr {
		switch a.Key {
		case "id", "class", "href", "src", "style", "width", "height":
			continue
		}
		if s.dateLike(a.Val) {
			out = append(out, xpath.Test{Kind: xpath.Attr, Name: a.Key})
		}
	}
	if s.x.length(n) <= maxDate && s.x.length(n) > 0 && s.dateLike(textContent(node)) {
		out = append(out, xpath.Test{})
	}
	if node.FirstChild != node.LastChild {
		for t := node.FirstChild; t != nil; t = t.NextSibling {
			if t.Type == html.TextNode && s.dateLike(t.Data) {
				out = append(out, xpath.Test{Kind: xpath.Text})
				break
			}
		}
	}
	return out
}

// judge evaluates a candidate and scores it; false for one that cannot be.
func (s *session) judge(f *kb.Field, spot kb.Spot, sc *scope, tk *taken, c *candidate) bool {
	c.nodes = s.selects(c.reading, sc)
	if f.As == kb.HTML && !s.bulky(sc, c) {
		return false
	}
	s.values(f, c)
	if c.match != nil && c.coverage() < 0.5 { // it cut what the original selected
		c.match = nil
		c.cost.Changes++
		s.values(f, c)
	}
	if c.coverage() < 0.5 {
		return false
	}
	if f.As == kb.Text && !f.Many && c.match == nil {
		if m := s.past.cut(spot.Objects[len(spot.Objects)-1].Class, f, sc.records, c.values); m != nil {
			c.match = m
			s.values(f, c)
		}
	}
	if share, known := s.past.agreement(spot.Objects[len(spot.Objects)-1].Class, f, sc.records, c.values); known {
		if share < 0.5 {
			return false
		}
		c.say(4*share, "as in the earlier crawl")
	}
	n := float64(c.cost.Changes)
	c.say(-0.45*n-0.002*float64(c.cost.Distance), "")
	if c.cost.Worst {
		c.say(-0.2, "")
	}
	if c.proposed {
		c.say(-0.2, "")
	}
	if cov := c.coverage(); cov > 0.95 {
		c.say(0.5, "in every object")
	} else {
		c.say(-3*(1-cov), "")
	}
	if h := s.hints(purpose(spot), sc, c); h > 0 {
		c.say(1.3*h, "named as in other templates")
	}
	if len(sc.records) == 1 && sc.records[0] < 0 && f.As != kb.HTML && f.Name != "title" && !s.beside(f, spot, sc, tk, c) {
		return false
	}
	switch {
	case f.As == kb.HTML:
		return s.judgeContent(sc, tk, c)
	case f.As == kb.Date:
		return s.judgeDate(sc, tk, c)
	case f.Name == "creator" || f.Name == "name":
		return s.judgeName(f, sc, tk, c)
	default:
		return s.judgeTitle(f, sc, tk, c)
	}
}

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
		if to := target(c.reading.Expr); to.Kind == xpath.Attr {
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
		share = 0.3
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
	c.say(-0.6*links-3*max(0, links-0.5), "")
	return true
}

// links is the share of a candidate's text that is in links.
func (s *session) links(c *candidate) float64 {
	all, linked := 1, 0
	for _, nodes := range c.nodes[:min(len(c.nodes), 6)] {
		for _, n := range nodes {
			all += s.x.length(n)
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
	if like < 0.4 {
		return false
	}
	c.say(1.4*like, "short as a name")
	links, profiles := 0, 0
	for _, nodes := range c.nodes {
		if len(nodes) == 0 {
			continue
		}
		if href, ok := s.linkAt(nodes[0]); ok {
			links++
			if s.profile(href) {
				profiles++
			}
		}
	}
	if 2*links > n {
		c.say(0.5, "a link")
	}
	if 2*profiles > n {
		c.say(0.9, "to a profile")
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
