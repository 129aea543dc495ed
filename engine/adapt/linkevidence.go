package adapt

import (
	"net/url"
	"slices"
	"strings"
)

// aboutLinks are the features of a column of links.
var aboutLinks = features[*route, *column]{none: linkCircumstances, alone: ofLinks}

// linkCircumstances describe that a column of links is none of an action's.
var linkCircumstances = []feature[*route, struct{}]{
	{"none", "before anything else is known", func(*route, struct{}) float64 { return 1 }},
	{"upward", "lists are asked for that the page may have been reached from", func(r *route, _ struct{}) float64 {
		return truth(r.way == upward)
	}},
	{"downward", "what a list leads to is asked for", func(r *route, _ struct{}) float64 { return truth(r.way == downward) }},
	{"across", "other content is asked for", func(r *route, _ struct{}) float64 { return truth(r.way == across) }},
	{"implied", "no template that is known has such links", func(r *route, _ struct{}) float64 { return truth(r.implied) }},
	{"untold", "no address tells that it is of what is asked for", func(r *route, _ struct{}) float64 {
		return truth(!r.told && r.way == downward)
	}},
	{"nested", "lists are asked for that lie in the list", func(r *route, _ struct{}) float64 {
		return truth(r.way == upward && r.spot.Follow.To == r.from)
	}},
}

// ofLinks are the features of a column of links.
var ofLinks = []feature[*route, *column]{
	{"wanted", "by their addresses they may lead there", func(r *route, c *column) float64 {
		return c.share(func(a *anchor) bool { return r.wanted[a] }) / max(1-r.self(c), 1/float64(len(c.links)))
	}},
	{"pure", "all may lead there", func(r *route, c *column) float64 {
		return truth(!slices.ContainsFunc(c.links, func(a *anchor) bool { return !r.wanted[a] && !r.own(a) }))
	}},
	{"other", "their addresses are of something else", func(r *route, c *column) float64 {
		return c.share(func(a *anchor) bool { return !r.wanted[a] && a.at.level != "" && !r.own(a) })
	}},
	{"self", "they lead to the page itself", func(r *route, c *column) float64 { return r.self(c) }},
	{"mute", "their addresses tell nothing", func(r *route, c *column) float64 {
		return truth(!c.above) * c.share(func(a *anchor) bool { return !r.wanted[a] && a.local && a.at.level == "" })
	}},
	{"abroad", "they leave the site", func(_ *route, c *column) float64 { return c.share(func(a *anchor) bool { return !a.local }) }},
	{"whole", "of all that the page names of it", func(r *route, c *column) float64 {
		return float64(min(r.names(c), r.things)) / float64(max(1, r.things))
	}},
	{"most", "the greater part of what the page names of it, in a list", func(r *route, c *column) float64 {
		return truth(r.way == downward && 10*r.names(c) >= 7*r.things)
	}},
	{"named", "with a text", func(r *route, c *column) float64 {
		return truth(r.way != ahead) * c.share(func(a *anchor) bool { return a.named() })
	}},
	{"bare", "none has a text", func(r *route, c *column) float64 {
		return truth(r.way != ahead && !c.above && !slices.ContainsFunc(c.links, func(a *anchor) bool { return a.named() }))
	}},
	{"titles", "long texts, in a list", func(r *route, c *column) float64 {
		return truth(r.way == downward) * c.share(func(a *anchor) bool { return len(a.text) >= 12 })
	}},
	{"varied", "different texts, in a list", func(r *route, c *column) float64 {
		return truth(r.way == downward) * distinct(c.each(func(a *anchor) string { return a.text }))
	}},
	{"many", "ten links", func(_ *route, c *column) float64 { return float64(min(len(c.links), 10)) / 10 }},
	{"single", "one link, in a list", func(r *route, c *column) float64 { return truth(r.way == downward && len(c.links) == 1) }},
	{"few", "one or two, of addresses that tell nothing", func(r *route, c *column) float64 {
		return truth(r.untold() && len(c.links) < fewestTopics)
	}},
	{"crowd", "more than a trail has, and the way up", func(r *route, c *column) float64 {
		return truth(r.way == upward && r.spot.Follow.To != r.from && len(c.links) > longestTrail/2)
	}},
	{"trail", "in a trail, and the way up", func(r *route, c *column) float64 {
		return truth(r.way == upward) * c.share(func(a *anchor) bool { return a.trail })
	}},
	{"offtrail", "beside a trail, and the way up", func(r *route, c *column) float64 {
		return truth(r.way == upward && r.spot.Follow.To != r.from && r.trail) * c.share(func(a *anchor) bool { return !a.trail })
	}},
	{"crumbs", "in a trail, and a list", func(r *route, c *column) float64 {
		return truth(r.way == downward) * c.share(func(a *anchor) bool { return a.trail })
	}},
	{"menu", "in a menu", func(_ *route, c *column) float64 { return c.share(func(a *anchor) bool { return a.menu }) }},
	{"late", "behind where the content begins, and the way up", func(r *route, c *column) float64 {
		return truth(r.way == upward) * c.share(func(a *anchor) bool { return a.node >= r.before })
	}},
	{"above", "right above the rest of a trail", func(_ *route, c *column) float64 { return truth(c.above) }},
	{"tagged", "tagged as such", func(r *route, c *column) float64 { return truth(r.way == across && c.stated) }},
	{"crossing", "more than lead from a text to the next", func(r *route, c *column) float64 {
		return truth(r.way == across && len(c.links) > 4)
	}},
	{"shaped", "of addresses of one shape, which tell nothing", func(r *route, c *column) float64 {
		return truth(r.untold()) * c.shaped()
	}},
	{"short", "short texts, and their addresses tell nothing", func(r *route, c *column) float64 {
		return truth(r.untold()) * c.share(func(a *anchor) bool { return len(a.text) < 12 })
	}},
	{"changed", "one change of the template explains it", func(_ *route, c *column) float64 { return truth(c.changed) }},
	{"root", "where the addresses of the site begin", func(r *route, c *column) float64 {
		return truth(r.spot.Follow.To == r.s.rooted().level) * c.share(func(a *anchor) bool { return a.at.form == nil && r.wanted[a] })
	}},
	{"folders", "other links of the page lead to what is in them, and their addresses tell nothing", func(r *route, c *column) float64 {
		return truth(r.untold()) * c.share(func(a *anchor) bool { return r.s.folders()[a.url] })
	}},
	{"inside", "they lead to what is in the page as a folder, and their addresses tell nothing", func(r *route, c *column) float64 {
		at := folderAt(r.s.page.URL.String())
		return truth(r.untold()) * c.share(func(a *anchor) bool { return at != "" && len(a.url) > len(at) && strings.HasPrefix(a.url, at) })
	}},
	{"headed", "headings, in a list", func(r *route, c *column) float64 {
		return truth(r.way == downward) * c.share(func(a *anchor) bool { return a.headed })
	}},
	{"shunned", "programs are asked not to follow them", func(_ *route, c *column) float64 {
		return c.share(func(a *anchor) bool { return a.shunned })
	}},
	{"scripts", "scripts of which no address tells what they show", func(r *route, c *column) float64 {
		return c.share(func(a *anchor) bool {
			path, _, _ := strings.Cut(a.url, "?")
			return a.local && a.at.level == "" && strings.HasSuffix(path, scriptExt)
		})
	}},
	{"first", "the first page, and further ones are asked for", func(r *route, c *column) float64 {
		return truth(r.way == ahead) * c.share(func(a *anchor) bool { return a.at.whole })
	}},
	{"numbers", "numbers and signs, and further pages are asked for", func(r *route, c *column) float64 {
		return truth(r.way == ahead) * c.share(func(a *anchor) bool { return a.text != "" && !a.named() })
	}},
	{"services", "they ask a script for different things", func(r *route, c *column) float64 {
		return truth(r.untold() && services(c.each(addressOf)))
	}},
	{"prose", "their texts are much of the page's, and their addresses tell nothing", func(r *route, c *column) float64 {
		length := 0
		for _, a := range c.links {
			length += len(a.text)
		}
		return truth(r.untold()) * min(1, 3*float64(length)/float64(max(1, r.s.x.length(0))))
	}},
	{"alike", "addresses as in other templates", func(r *route, c *column) float64 {
		shape := shapeOf(c.links[0].url)
		return truth(slices.ContainsFunc(r.s.lex.conditionsOf(r.s.category, purpose(r.spot)), func(cond string) bool {
			lit, ok := strings.CutPrefix(cond, "href=")
			return ok && len(lit) > 4 && strings.Contains(shape, strings.Trim(lit, "./"))
		}))
	}},
	{"hint", "named as in other templates", func(r *route, c *column) float64 {
		of := &candidate{nodes: [][]int{{c.links[0].node}}}
		return r.s.hints(purpose(r.spot), &scope{records: []int{-1}}, of)
	}},
	{"changes", "four changes of the expression", func(_ *route, c *column) float64 { return float64(min(c.cost.Changes, 4)) / 4 }},
	{"distance", "names unlike those that were", func(_ *route, c *column) float64 { return float64(min(c.cost.Distance, 200)) / 200 }},
	{"proposed", "read off the page", func(_ *route, c *column) float64 { return truth(c.proposed) }},
}

// untold reports whether what the action leads to is told by no address.
func (r *route) untold() bool { return !r.told && r.way == downward }

// own reports whether a link leads to what the page shows, and is none that is asked for.
func (r *route) own(a *anchor) bool {
	return !r.wanted[a] && a.at.level != "" && a.at.key == r.s.own.key
}

// self is the share of links to what the page shows.
func (r *route) self(c *column) float64 { return c.share(r.own) }

// names counts the things that links of a column lead to which the action may be about.
func (r *route) names(c *column) int {
	things := map[string]bool{}
	for _, a := range c.links {
		if r.wanted[a] {
			things[a.thing()] = true
		}
	}
	return len(things)
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

// each tells something of each link.
func (c *column) each(of func(*anchor) string) []string {
	var out []string
	for _, a := range c.links {
		out = append(out, of(a))
	}
	return out
}

func addressOf(a *anchor) string { return a.url }

// shaped is the share of the links with addresses of the most frequent shape.
func (c *column) shaped() float64 {
	count := map[string]int{}
	for _, a := range c.links {
		count[shapeOf(a.url)]++
	}
	return float64(count[most(count)]) / float64(len(c.links))
}

// folders are the addresses of links in which other links of the page lead on.
func (s *session) folders() map[string]bool {
	if s.foldersOf == nil {
		s.foldersOf = map[string]bool{}
		urls := slices.Sorted(func(yield func(string) bool) {
			for _, a := range s.anchored() {
				if !yield(a.url) {
					return
				}
			}
		})
		for i, u := range urls {
			at := folderAt(u)
			for k := i + 1; k < len(urls) && strings.HasPrefix(urls[k], u); k++ {
				if at != "" && len(urls[k]) > len(at) && strings.HasPrefix(urls[k], at) {
					s.foldersOf[u] = true
					break
				}
			}
		}
	}
	return s.foldersOf
}

// folderAt is an address as what is in it begins; "" for the front of a site, in which is everything.
func folderAt(link string) string {
	u, err := url.Parse(link)
	if err != nil || strings.Trim(u.Path, "/") == "" || strings.Contains(u.Path, scriptExt) {
		return ""
	}
	u.RawQuery, u.Fragment = "", ""
	return strings.TrimSuffix(u.String(), "/") + "/"
}
