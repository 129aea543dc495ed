package draft

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// article is the one text of a page, beside the posts on it.
type article struct {
	content selector
	created selector // zero where no date differs from page to page
	creator []byline // none where nothing says who the author is
	dated   dated    // what of created is the date
	weight  int      // bytes of the contents
	without []string // expressions of what of content is none: posts, forms, author and date
}

// byline is an element with the name of the author. A template has another one for some pages, as for authors who say something of
// themselves.
type byline struct {
	at    selector
	after string // words before the name
}

// expression is that of the name.
func (b byline) expression() string {
	if b.after == "" {
		return b.at.firstPath()
	}
	return "substring-after(" + b.at.firstPath() + ", '" + b.after + "')"
}

const leastArticle = 300 // bytes of a text, on average

// articleOf finds the text of the pages of a group that is in no post: the element with most text that most pages do not have, the
// innermost of those. Where a template gives the text no element of its own, that is one with posts and more in it, which are left out.
func articleOf(group []*Page, posts *fields) (a article, ok bool) {
	var pages []record
	numbers := numeric(group)
	for _, p := range group {
		if body := bodyOf(p.Doc); body != nil {
			pages = append(pages, record{body, datesOn(p, numbers)})
		}
	}
	inPost := func(n *html.Node) bool {
		for ; posts != nil && n != nil; n = n.Parent {
			if posts.at.isLike(n) {
				return true
			}
		}
		return false
	}
	own := ownTexts(pages, inPost)
	texts := tallies(pages, func(_ *record, n *html.Node) string {
		if n.DataAtom == atom.A || inPost(n) {
			return ""
		}
		return own[n]
	})
	most := 0
	for s, t := range texts {
		if float64(t.records) < mostOf*float64(len(pages)) || float64(len(t.values)) < mostOf*float64(t.records) {
			delete(texts, s) // it is not on all pages, or says the same on them
			continue
		}
		most = max(most, t.size())
	}
	if most < leastArticle*len(pages) {
		return a, false
	}
	a.content, ok = best(texts, func(s selector, t *tally) float64 {
		if float64(t.size()) < nearlyAll*float64(most) {
			return 0
		}
		deep := 0
		for _, r := range pages {
			deep += depth(s.first(r.node))
		}
		return float64(deep) / float64(t.records)
	})
	if !ok {
		return a, false
	}
	a.weight = texts[a.content].size()
	a.sign(pages, inPost)
	if posts != nil {
		a.leaveOut(pages, posts, own)
	}
	return a, true
}

// leaveOut finds what of the element of the content is none, where posts are in it: of the elements right in it those that say nothing but
// what most pages say, that hold posts, or that say in brief who wrote it when.
func (a *article) leaveOut(pages []record, posts *fields, own map[*html.Node]string) {
	const brief = 200 // bytes
	type seen struct{ holds, says bool }
	parts, has := map[string]seen{}, false
	for _, p := range pages {
		content := a.content.first(p.node)
		if content == nil {
			continue
		}
		has = has || posts.at.first(content) != nil
		for c := range content.ChildNodes() {
			e := named(c)
			if e == "" {
				continue
			}
			signs := a.created.name != "" && (a.created.isLike(c) || a.created.first(c) != nil) ||
				slices.ContainsFunc(a.creator, func(b byline) bool { return b.at.isLike(c) || b.at.first(c) != nil })
			s := parts[e]
			s.holds = s.holds || posts.at.first(c) != nil || posts.at.isLike(c)
			s.says = s.says || len(own[c]) > brief || own[c] != "" && !signs
			parts[e] = s
		}
	}
	if !has {
		return
	}
	for _, e := range slices.Sorted(maps.Keys(parts)) {
		if parts[e].holds || !parts[e].says {
			a.without = append(a.without, e)
		}
	}
}

// named is an expression of an element by its id or its classes, "" for one that has none.
func named(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	if id := attr(n, "id"); id != "" && !strings.ContainsAny(id, "0123456789'") {
		return n.Data + "[@id='" + id + "']"
	}
	if c := classes(n); len(c) > 0 {
		return selector{name: n.Data, class: c[0]}.step()
	}
	if n.DataAtom == atom.Form || n.DataAtom == atom.Script || n.DataAtom == atom.Style {
		return n.Data
	}
	return ""
}

// ownTexts gives each element of pages what it says outside posts and links and most pages do not: menus say the same on all.
func ownTexts(pages []record, inPost func(*html.Node) bool) map[*html.Node]string {
	each := func(p record, do func(n *html.Node, text string)) {
		for n := range p.node.Descendants() {
			if n.Type == html.TextNode && !inLink(n) && n.Parent.DataAtom != atom.Script && n.Parent.DataAtom != atom.Style && !inPost(n) {
				if text := strings.TrimSpace(n.Data); text != "" {
					do(n, text)
				}
			}
		}
	}
	on := map[string]int{} // pages
	for _, p := range pages {
		here := map[string]bool{}
		each(p, func(_ *html.Node, text string) {
			if !here[text] {
				here[text] = true
				on[text]++
			}
		})
	}
	own := map[*html.Node]string{}
	for _, p := range pages {
		each(p, func(n *html.Node, text string) {
			for around := n.Parent; 2*on[text] <= len(pages) && around != p.node; around = around.Parent {
				own[around] += text + " "
			}
		})
	}
	return own
}

func inLink(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.DataAtom == atom.A {
			return true
		}
	}
	return false
}

// sign finds date and author of articles.
func (a *article) sign(pages []record, inPost func(*html.Node) bool) {
	dates := tallies(pages, func(r *record, n *html.Node) string {
		if inPost(n) {
			return ""
		}
		return r.dates[n].at
	})
	var has bool
	if a.created, has = best(dates, func(_ selector, t *tally) float64 {
		if float64(t.records) < nearlyAll*float64(len(pages)) || len(t.values) < 2 {
			return 0
		}
		return float64(len(t.values))
	}); has {
		a.dated = pages[0].dates[a.created.first(pages[0].node)].how
	}
	a.creator = bylines(pages, func(r *record, n *html.Node) string {
		text := shortText(n, longestName)
		if inPost(n) || !strings.ContainsFunc(text, unicode.IsLetter) || r.dates[n].at != "" || !saysAuthor(n) {
			return ""
		}
		return text
	})
}

// bylines finds the names of authors: that element which most pages have, and for the others such as those have not, until nearly all have
// one. A name that is the same on all pages may be a menu's.
func bylines(pages []record, name func(*record, *html.Node) string) (all []byline) {
	rest := pages
	for 10*len(rest) > len(pages) {
		names := tallies(rest, name)
		at, ok := best(names, func(at selector, t *tally) float64 {
			elsewhere := slices.ContainsFunc(all, func(b byline) bool {
				return slices.ContainsFunc(pages, func(r record) bool { return b.at.first(r.node) != nil && at.first(r.node) != nil })
			})
			if 2*t.records < len(rest) || elsewhere || len(all) == 0 && len(t.values) < 2 {
				return 0
			}
			most := float64(t.records) / float64(len(rest))
			return most * most / float64(1+t.size()/t.records) // the name alone
		})
		if !ok {
			return nil
		}
		all = append(all, byline{at, before(names[at])})
		rest = slices.DeleteFunc(slices.Clone(rest), func(r record) bool { return at.first(r.node) != nil })
	}
	return all
}

// before are the words that all values begin with, of which there are several: "By".
func before(t *tally) string {
	const several = 3 // or those who write have one first name
	values := slices.Sorted(maps.Keys(t.values))
	if len(values) < several {
		return ""
	}
	first, last := values[0], values[len(values)-1] // what these share all do
	shared := 0
	for i := range min(len(first), len(last)) {
		if first[i] != last[i] {
			break
		}
		if first[i] == ' ' {
			shared = i + 1
		}
	}
	return quotable(first[:shared])
}

var authorWords = regexp.MustCompile(`(?i)author|user|member|profile|poster|nick`)

// saysAuthor reports whether an element says that it names somebody, by the relation of HTML, a class, microdata or its address.
func saysAuthor(n *html.Node) bool {
	of := func(n *html.Node) string { return attr(n, "class") + " " + attr(n, "itemprop") }
	return authorWords.MatchString(of(n)+" "+attr(n, "rel")+" "+attr(n, "href")) || n.Parent != nil && authorWords.MatchString(of(n.Parent))
}
