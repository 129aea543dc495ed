package adapt

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
)

// How features are read off a page: shares of objects, of values and of texts.

// truth is 1 for what is true.
func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func boolInt(b bool) int { return int(truth(b)) }

// known is a number that counts where the template is one that is written for.
func (q *ask) known(x float64) float64 {
	if q.s.unknown {
		return 0
	}
	return x
}

// share is of the elements of a candidate, the first of each object, those of which something holds.
func (q *ask) share(c *candidate, is func(n int) bool) float64 {
	return c.shareOf(func(_, n int) bool { return is(n) })
}

// shareOf is share for what depends on the object, by its number, too.
func (c *candidate) shareOf(is func(i, n int) bool) float64 {
	all, hits := 0, 0
	for i, nodes := range c.nodes {
		if len(nodes) == 0 {
			continue
		}
		if all++; is(i, nodes[0]) {
			hits++
		}
	}
	return float64(hits) / float64(max(1, all))
}

// linked is the share of a candidate's elements that are in a link of some sort.
func (q *ask) linked(c *candidate, is func(href string, n int) bool) float64 {
	return q.share(c, func(n int) bool {
		href, ok := q.s.linkAt(n)
		return ok && is(href, n)
	})
}

// countOf is the share of the values of which something holds.
func (c *candidate) countOf(is func(string) bool) float64 {
	n := 0
	for _, v := range c.values {
		if v != "" && is(v) {
			n++
		}
	}
	return float64(n) / float64(max(1, c.filled()))
}

// ragged is the share of values that are three times as long as the median.
func (c *candidate) ragged() float64 {
	var lengths []int
	for _, v := range c.values {
		if v != "" {
			lengths = append(lengths, utf8.RuneCountInString(v))
		}
	}
	if len(lengths) < 3 {
		return 0
	}
	slices.Sort(lengths)
	median, long := lengths[len(lengths)/2], 0
	for _, n := range lengths {
		if n > 3*median {
			long++
		}
	}
	return float64(long) / float64(len(lengths))
}

// profiled reports whether most lines of a text are a label and a value: "Posts: 60".
func profiled(text string) bool {
	lines, labels := 0, 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		lines++
		if dateLabel.MatchString(line) {
			labels++
		}
	}
	return labels > 1 && 2*labels >= lines
}

// nameLike is how much the values look like names; what the page states is one.
func (c *candidate) nameLike() float64 {
	if c.agreed {
		return 1
	}
	sum := 0.0
	for _, v := range c.values {
		if v != "" && !(dates.Like(v) && len(v) > 7) {
			sum += nameLike(v)
		}
	}
	return sum / float64(max(1, c.filled()))
}

// order is where among the expressions of its action that stands of which a candidate was made.
func (q *ask) order(c *candidate) int {
	return slices.IndexFunc(q.spot.Tries, func(t *kb.Try) bool { return t.Expr.Source == c.from })
}

// contains reports whether all values that there are of some objects are those that others give.
func contains(all, some []string) bool {
	for i, v := range some {
		if v != "" && v != all[i] {
			return false
		}
	}
	return true
}

// ofWindow reports whether an element is the title of the window.
func (q *ask) ofWindow(n int) bool { return q.s.x.nodes[n].DataAtom == atom.Title }

// branded reports whether a title has the name of the site before or behind it.
func (s *session) branded(title string) bool {
	t := plainTitle(title)
	for name := range s.siteNames() {
		if len(name) > 2 && len(t) > len(name) && (strings.HasPrefix(t, name) || strings.HasSuffix(t, name)) {
			return true
		}
	}
	return false
}

// nameInTitle reports whether the name that a page has is in its title, and is not that of the site.
func (q *ask) nameInTitle(c *candidate) bool {
	name := plainTitle(c.values[0])
	return len(name) > 2 && strings.Contains(q.s.title, name) && !q.s.siteNames()[name]
}

// alike is the share of objects whose value is in the title of the page.
func (q *ask) alike(c *candidate) float64 {
	return c.countOf(func(v string) bool { return q.s.partOfTitle(v) || !page(q.sc) && q.s.inTitle(v) })
}

// first is the share of objects in which a candidate stands before all others.
func (q *ask) first(c *candidate) float64 {
	return c.shareOf(func(i, n int) bool {
		return !slices.ContainsFunc(q.answers, func(d *candidate) bool {
			return len(d.nodes[i]) > 0 && d.nodes[i][0] < n && !q.s.x.inside(n, d.nodes[i][0])
		})
	})
}

// headed is the share of objects whose content begins with the title of the page, or an answer to it; of a page the content may have its
// title anywhere.
func (q *ask) headed(c *candidate) float64 {
	if page(q.sc) {
		return truth(q.s.headed(c, q.tk))
	}
	return c.countOf(func(v string) bool {
		first, more, _ := strings.Cut(v, "\n")
		_, answered, _ := strings.Cut(first, ": ")
		return more != "" && (q.s.partOfTitle(first) || q.s.partOfTitle(answered))
	})
}

// ofMain compares the text of an article with its main text as generic reading finds it: 1 for more than twice as much, -1 for less than
// half, else 0.
func (q *ask) ofMain(c *candidate) int {
	if !article(q.spot, q.sc) || len(c.nodes[0]) == 0 {
		return 0
	}
	n, main := c.nodes[0][0], q.s.bulk()
	switch {
	case main < 0 || n == main:
	case q.s.x.inside(n, main) && 2*q.s.lengths(c.nodes[0]) < q.s.x.length(main):
		return -1
	case q.s.x.inside(main, n) && q.s.lengths(c.nodes[0]) > 2*q.s.x.length(main):
		return 1
	}
	return 0
}

// dated is the share of objects in which a content holds an element that shows a date and nothing else.
func (q *ask) dated(c *candidate) float64 {
	return q.share(c, func(n int) bool {
		return slices.ContainsFunc(within(q.s.dateSpots(), n, q.s.x), func(m int) bool {
			return m != n && q.s.x.length(m) > 0 && dates.Whole(q.s.x.read(q.s.x.nodes[m]))
		})
	})
}

// late is where in the text of its object, in the mean, a candidate begins.
func (q *ask) late(c *candidate) float64 {
	sum, n := 0.0, 0
	for i, nodes := range c.nodes {
		if len(nodes) == 0 {
			continue
		}
		n++
		sum += max(0, min(1, float64(q.s.x.text[nodes[0]]-q.s.x.text[max(0, q.sc.records[i])])/float64(q.s.lengthOf(q.sc, i))))
	}
	return sum / float64(max(1, n))
}

// echoes is the share of objects in which a name stands somewhere else too.
func (q *ask) echoes(c *candidate, is func(n int, name string) bool) float64 {
	n, hits := 0, 0
	for i, nodes := range c.nodes {
		if len(nodes) == 0 || c.values[i] == "" {
			continue
		}
		n++
		if name := plainTitle(c.values[i]); len(name) > 2 && is(nodes[0], name) {
			hits++
		}
	}
	return float64(hits) / float64(max(1, n))
}

// published reports whether a date is the one that the page states of its publication, or stands where that of its object does.
func (q *ask) published(c *candidate) bool {
	if q.tk.within(q.s.x, c) > 0 {
		return true
	}
	return page(q.sc) && slices.ContainsFunc(q.s.statement().Created, func(v extract.Stated) bool {
		return sameMoments(c.values[:1], []string{q.s.moment(q.field, v.Value)})
	})
}

// quoted reports whether an element is in what an object quotes: somebody else wrote it.
func (s *session) quoted(n, record int) bool { return extract.Quoted(s.x.nodes[n], s.node(record)) }

// measure reads how much of the text of its objects a candidate for a content holds; false for one that holds none, some of it twice, or
// the address of the page.
func (q *ask) measure(c *candidate) bool {
	var got, gotOwn, own, again float64
	weights := q.s.weigh(q.sc, q.tk)
	for i, nodes := range c.nodes {
		if slices.ContainsFunc(nodes, q.s.beyondBody) || len(nodes) == 1 && !page(q.sc) && q.s.quoted(nodes[0], q.sc.records[i]) {
			return false
		}
		for k := range nodes[:max(0, len(nodes)-1)] {
			if nodes[k+1] < q.s.x.end[nodes[k]] {
				return false
			}
		}
		w := &weights[i]
		own += float64(w.own[len(w.own)-1])
		for _, n := range nodes {
			o, a, r := w.inside(n, q.s.x.end[n])
			gotOwn, got, again = gotOwn+float64(o), got+float64(a), again+float64(r)
		}
	}
	if got == 0 {
		return false
	}
	c.refrain = again / got
	if c.share = gotOwn / max(1, own); own < mereText { // one record without running text, perhaps
		c.share, c.mere = mereShare, true
	} else {
		c.padding = 1 - gotOwn/got
	}
	return true
}

// beyondBody reports whether an element holds more than what a reader is shown: with the head, or the page's own address.
func (s *session) beyondBody(n int) bool {
	body := s.x.tags["body"]
	return len(body) > 0 && n < body[0] && s.x.inside(body[0], n)
}

// mereText is how much text, in bytes, objects that say hardly anything have at most.
const mereText = 30

// farness is how far a candidate is from what is written, at most [farthest].
func (s *session) farness(c relax.Cost) float64 {
	far := 0.45*float64(c.Changes) + 0.002*float64(c.Distance)
	if c.Worst {
		far += 0.2
	}
	return min(far, farthest)
}

// states notes what the page states of the value of a candidate.
func (q *ask) states(c *candidate) {
	f := q.field
	if article(q.spot, q.sc) && f.As != kb.HTML {
		is, known := q.s.agrees(f, c.values[0])
		c.agreed = is && (f.Name != "title" || c.stated || len(c.nodes[0]) > 0 && q.s.heading(c.nodes[0][0]))
		c.denied = known && !is && !(f.Name == "title" && q.s.heads(c))
	}
}
