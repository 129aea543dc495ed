package draft

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// article is the one text of a page, beside the posts on it.
type article struct {
	content  selector
	created  selector // zero where no date differs from page to page
	creator  selector // zero where nothing says who the author is
	datetime bool
	weight   int // bytes of the contents
}

const leastArticle = 300 // bytes of a text, on average

// articleOf finds the text of the pages of a group that is in no post: the element with most text, the innermost of those, where it
// differs from page to page.
func articleOf(group []*Page, posts *fields) (a article, ok bool) {
	var pages []record
	for _, p := range group {
		if body := bodyOf(p.Doc); body != nil {
			pages = append(pages, record{body, datesOn(p)})
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
	texts := tallies(pages, func(r *record, n *html.Node) string {
		if n.DataAtom == atom.A || inPost(n) || posts != nil && posts.at.first(n) != nil {
			return ""
		}
		return textOf(n)
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
	return a, true
}

// sign finds date and author of articles.
func (a *article) sign(pages []record, inPost func(*html.Node) bool) {
	dates := tallies(pages, func(r *record, n *html.Node) string {
		if inPost(n) {
			return ""
		}
		return r.dates[n]
	})
	var has bool
	if a.created, has = best(dates, func(_ selector, t *tally) float64 {
		if float64(t.records) < nearlyAll*float64(len(pages)) || len(t.values) < 2 {
			return 0
		}
		return float64(len(t.values))
	}); has {
		a.datetime = a.created.name == "time" && attr(a.created.first(pages[0].node), "datetime") != ""
	}
	names := tallies(pages, func(r *record, n *html.Node) string {
		text := shortText(n, longestName)
		if inPost(n) || !strings.ContainsFunc(text, unicode.IsLetter) || r.dates[n] != "" || !saysAuthor(n) {
			return ""
		}
		return text
	})
	a.creator, _ = best(names, func(s selector, t *tally) float64 {
		if float64(t.records) < nearlyAll*float64(len(pages)) || len(t.values) < 2 { // what is the same on all pages may be a menu's
			return 0
		}
		return 1 / float64(1+t.size())
	})
}

// saysAuthor reports whether an element says that it names the author, by the relation of HTML or a class.
func saysAuthor(n *html.Node) bool {
	return strings.Contains(attr(n, "rel"), "author") || strings.Contains(attr(n, "class"), "author") ||
		n.Parent != nil && strings.Contains(attr(n.Parent, "class"), "author")
}
