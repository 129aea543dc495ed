package adapt

import (
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// On a page with one post, all that holds it selects it: the post's element, its column, the body of the page. Which of them is the
// post's only a page with several shows.
const (
	aloneEnough = 25  // pages must have one object each before an action is believed that never selected two
	grown       = 150 // percent of the nodes of all that it was seen on: a page of so many is looked at for itself
)

// see notes a page that a candidate was used on.
func (c *lesson) see(h extract.Harvest, nodes int) {
	class, inner := innerClass(c.entry.Part)
	if !inner {
		return
	}
	if c.Most = max(c.Most, count(h, class)); c.Most < 2 {
		c.Nodes = max(c.Nodes, nodes)
	}
}

// count counts the objects of a class.
func count(h extract.Harvest, class string) (n int) {
	for i := range h.Objects {
		if h.Objects[i].Class == class {
			n++
		}
	}
	return n
}

// innerClass gives the class of the objects that an action selects which are inside others; inner is false for all other actions.
func innerClass(part string) (class string, inner bool) {
	if strings.Contains(part, " ") {
		return "", false
	}
	return lastClass(part)
}

// lastClass gives the class of the objects that a path of classes leads to, and whether they are inside others.
func lastClass(path string) (class string, inner bool) {
	at := strings.LastIndexByte(path, '/')
	class, _, _ = strings.Cut(path[at+1:], "[")
	return class, at >= 0
}

// alone reports whether a candidate never selected more than one object of a page, and was not seen on many pages either.
func (c *lesson) alone() bool {
	_, inner := innerClass(c.entry.Part)
	pages, t := c.all()
	return inner && !c.confirmed && t.Most < 2 && pages < aloneEnough
}

// outgrown reports whether a page is so much larger than those on which a candidate was alone that it may show more objects.
func (c *lesson) outgrown(nodes int) bool {
	_, t := c.all()
	return c.alone() && nodes*100 > t.Nodes*grown
}

// correct forgets what pages with one object taught of a level once a page shows several by another action: fields that were found in
// the wrong element have no pages that speak for them any more. What is used on this page begins anew.
func (k *lessons) correct(h extract.Harvest, fresh []kb.Entry, used map[string]bool) {
	for _, e := range fresh {
		class, inner := innerClass(e.Part)
		if !inner || count(h, class) < 2 || !slices.ContainsFunc(k.all,
			func(c *lesson) bool { return c.entry.Place == e.Place && c.alone() && c.entry.ID() != e.ID() }) {
			continue
		}
		k.all = slices.DeleteFunc(k.all, func(c *lesson) bool {
			if c.confirmed || leading(c.entry.Place) || !sameLevel(c.entry.Place, e.Place) {
				return false
			}
			clear(c.pages)
			clear(c.heard)
			c.Against = 0
			return !used[c.entry.ID()]
		})
	}
}

// unsettled reports whether the action that stands for the objects of a level waits for a page that has several. What was learned
// with it waits too.
func (k *lessons) unsettled(of kb.Entry) bool {
	return !leading(of.Place) && slices.ContainsFunc(k.all, func(c *lesson) bool {
		return sameLevel(c.entry.Place, of.Place) && c.alone() && c.trusted()
	})
}
