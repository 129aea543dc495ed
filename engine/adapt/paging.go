package adapt

import (
	"slices"

	"github.com/awarc/awarc/yfilter/xpath"
)

// pagesByAddress writes the links to further pages by what their addresses have and those
// of other links have not: the fixed parts of the page's own form, and the parameter that
// tells the pages of an object apart. No template need name them.
func (s *session) pagesByAddress() []*candidate {
	if s.own.form == nil {
		return nil
	}
	var form []xpath.Pred
	for _, sign := range signs(s.own.form.Of) {
		form = append(form, hrefHas(sign.href()))
	}
	var in, out []string
	for _, n := range s.x.step(xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: "a"}, Preds: form}).list {
		href, _ := s.x.attr(n, "href")
		if s.further(s.r.Link(href)) {
			in = append(in, href)
		} else {
			out = append(out, href) // to print it, or to its next: further pages have such links, too
		}
	}
	if len(in) == 0 {
		return nil
	}
	var all []*candidate
	for _, paging := range s.page.Type.URLs.Pagings {
		if paging.Param == "" {
			continue
		}
		preds := append(slices.Clone(form), hrefHas(sign{param: true, text: paging.Param}.href()))
		for _, word := range s.telling(in, out) {
			is := hrefHas(word)
			preds = append(preds, xpath.Pred{Kind: xpath.Not, Inner: &is})
		}
		c := &candidate{proposed: true}
		c.reading.Expr = &xpath.Expr{Steps: []xpath.Step{{Test: xpath.Test{Kind: xpath.Tag, Name: "a"}, Preds: preds}}}
		c.expr = c.reading.Tree()
		c.cost.Worst, c.cost.Changes = true, 2
		all = append(all, c)
	}
	return all
}

// hrefHas asks for a text in the address of a link.
func hrefHas(text string) xpath.Pred {
	return xpath.Pred{Kind: xpath.Contains, Value: xpath.Test{Kind: xpath.Attr, Name: "href"}, Literal: text}
}
