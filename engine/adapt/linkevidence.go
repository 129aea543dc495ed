package adapt

import (
	"slices"
	"strings"
)

// aboutLinks are the features of a column of links.
var aboutLinks = features[*route, *column]{none: linkCircumstances, alone: ofLinks}

// linkCircumstances describe that a column of links is none of an action's.
var linkCircumstances = []feature[*route, struct{}]{
	{"none", "before anything else is known", func(*route, struct{}) float64 { return 1 }},
	{"across", "other content is asked for", func(r *route, _ struct{}) float64 { return truth(r.way == across) }},
	{"implied", "no template that is known has such links", func(r *route, _ struct{}) float64 { return truth(r.implied) }},
	{"downward", "what a list leads to is asked for", func(r *route, _ struct{}) float64 { return truth(r.way == downward) }},
	{"untold", "no address tells that it is of what is asked for", func(r *route, _ struct{}) float64 { return truth(r.untold()) }},
}

// ofLinks are the features of a column of links.
var ofLinks = []feature[*route, *column]{
	{"wanted", "by their addresses they may lead there", func(r *route, c *column) float64 {
		return c.share(func(a *anchor) bool { return r.wanted[a] }) / max(1-c.share(r.own), 1/float64(len(c.links)))
	}},
	{"other", "their addresses are of something else", func(r *route, c *column) float64 {
		return c.share(func(a *anchor) bool { return !r.wanted[a] && a.at.level != "" && !r.own(a) })
	}},
	{"self", "they lead to the page itself", func(r *route, c *column) float64 { return c.share(r.own) }},
	{"mute", "their addresses tell nothing", func(r *route, c *column) float64 {
		return c.share(func(a *anchor) bool { return !r.wanted[a] && a.local && a.at.level == "" })
	}},
	{"abroad", "they leave the site", func(_ *route, c *column) float64 { return c.share(func(a *anchor) bool { return !a.local }) }},
	{"named", "with a text", func(r *route, c *column) float64 {
		return truth(r.way != ahead) * c.share(func(a *anchor) bool { return a.named() })
	}},
	{"bare", "none has a text", func(r *route, c *column) float64 {
		return truth(r.way != ahead && !slices.ContainsFunc(c.links, func(a *anchor) bool { return a.named() }))
	}},
	{"few", "one or two, of addresses that tell nothing", func(r *route, c *column) float64 {
		return truth(r.untold() && len(c.links) < fewestTopics)
	}},
	{"trail", "in a trail, and the way up", func(r *route, c *column) float64 {
		return truth(r.way == upward) * c.share(func(a *anchor) bool { return a.trail })
	}},
	{"offtrail", "beside a trail, and the way up", func(r *route, c *column) float64 {
		return truth(r.way == upward && r.spot.Follow.To != r.from && r.trail) * c.share(func(a *anchor) bool { return !a.trail })
	}},
	{"menu", "in a menu", func(_ *route, c *column) float64 { return c.share(func(a *anchor) bool { return a.menu }) }},
	{"late", "behind where the content begins, and the way up", func(r *route, c *column) float64 {
		return truth(r.way == upward) * c.share(func(a *anchor) bool { return a.node >= r.before })
	}},
	{"scripts", "scripts of which no address tells what they show", func(r *route, c *column) float64 {
		return c.share(func(a *anchor) bool { return a.local && a.at.level == "" && strings.Contains(a.url+"?", scriptExt+"?") })
	}},
	{"first", "the first page, and further ones are asked for", func(r *route, c *column) float64 {
		return truth(r.way == ahead) * c.share(func(a *anchor) bool { return a.at.whole })
	}},
	{"tagged", "tagged as such", func(r *route, c *column) float64 {
		return truth(r.way == across) * c.share(func(a *anchor) bool { return r.wanted[a] })
	}},
	{"shaped", "of addresses of one shape, which tell nothing", func(r *route, c *column) float64 {
		return truth(r.untold()) * c.shaped()
	}},
	{"short", "short texts, and their addresses tell nothing", func(r *route, c *column) float64 {
		return truth(r.untold()) * c.share(func(a *anchor) bool { return len(a.text) < 12 })
	}},
	{"folders", "other links of the page lead to what is in them, and their addresses tell nothing", func(r *route, c *column) float64 {
		return truth(r.untold()) * c.share(func(a *anchor) bool { return a.folder })
	}},
	{"numbers", "numbers and signs, and further pages are asked for", func(r *route, c *column) float64 {
		return truth(r.way == ahead) * c.share(func(a *anchor) bool { return a.text != "" && !a.named() })
	}},
	{"hint", "named as in other templates", func(r *route, c *column) float64 {
		of := &candidate{nodes: [][]int{{c.links[0].node}}}
		return r.s.hints(purpose(r.spot), &scope{records: []int{-1}}, of)
	}},
	{"changes", "four changes of the expression", func(_ *route, c *column) float64 { return float64(min(c.cost.Changes, 4)) / 4 }},
	{"distance", "names unlike those that were", func(_ *route, c *column) float64 { return float64(min(c.cost.Distance, 200)) / 200 }},
}

// untold reports whether what the action leads to is told by no address.
func (r *route) untold() bool { return !r.told && r.way == downward }

// own reports whether a link leads to what the page shows, and is none that is asked for.
func (r *route) own(a *anchor) bool {
	return !r.wanted[a] && a.at.level != "" && a.at.key == r.s.own.key
}

// share is in which share of the links something holds.
func (c *column) share(holds func(*anchor) bool) float64 {
	n := 0
	for _, a := range c.links {
		if holds(a) {
			n++
		}
	}
	return float64(n) / float64(len(c.links))
}

// urls are where the links lead.
func (c *column) urls() []string {
	var out []string
	for _, a := range c.links {
		out = append(out, a.url)
	}
	return out
}

// shaped is the share of the links with addresses of the most frequent shape.
func (c *column) shaped() float64 {
	count := map[string]int{}
	for _, a := range c.links {
		count[shapeOf(a.url)]++
	}
	return float64(count[most(count)]) / float64(len(c.links))
}
