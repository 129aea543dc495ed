package adapt

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// aloneEnough is how many pages must have one object each before an action is believed
// that never selected two.
const aloneEnough = 25

// grown is by how much more nodes a page must have than all that an action was seen on
// alone, in percent, to be looked at for itself.
const grown = 150

// extent is what pages show of an action that selects the objects inside another, such as the
// posts of a thread. On a page with one post, all that holds it selects it: the post's
// element, its column, the body of the page. Which of them is the post's only a page with
// several shows.
type extent struct {
	Most  int `json:"most,omitempty"`  // objects on one page
	Nodes int `json:"nodes,omitempty"` // of the largest page that it was used on
}

// see notes a page that a candidate was used on.
func (c *lesson) see(h extract.Harvest, nodes func() int) {
	class, inner := innerClass(c.entry.Part)
	if !inner {
		return
	}
	c.Most = max(c.Most, count(h, class))
	if c.Most < 2 {
		c.Nodes = max(c.Nodes, nodes())
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

// innerClass gives the class of the objects that an action selects which are inside
// others; inner is false for all other actions.
func innerClass(part string) (class string, inner bool) {
	at := strings.LastIndexByte(part, '/')
	if at < 0 || strings.ContainsRune(part, ' ') {
		return "", false
	}
	class, _, _ = strings.Cut(part[at+1:], "[")
	return class, true
}

// alone reports whether a candidate never selected more than one object of a page, and was
// not seen on many pages either.
func (c *lesson) alone() bool {
	_, inner := innerClass(c.entry.Part)
	pages, t := c.all()
	return inner && !c.confirmed && t.Most < 2 && pages < aloneEnough
}

// outgrown reports whether a page is so much larger than those on which a candidate was alone
// that it may show more objects.
func (c *lesson) outgrown(nodes func() int) bool {
	_, t := c.all()
	return c.alone() && nodes()*100 > t.Nodes*grown
}

// correct forgets what pages with one object taught of a level once a page shows several by
// another action: fields that were found in the wrong element have no pages that speak
// for them any more. What is used on this page begins anew.
func (k *lessons) correct(h extract.Harvest, fresh []kb.Entry, used func(*lesson) bool) {
	for _, e := range fresh {
		class, inner := innerClass(e.Part)
		if !inner || count(h, class) < 2 || !slices.ContainsFunc(k.all,
			func(c *lesson) bool { return c.entry.Place == e.Place && c.alone() && c.entry.ID() != e.ID() }) {
			continue
		}
		k.all = slices.DeleteFunc(k.all, func(c *lesson) bool {
			if c.confirmed || strings.HasPrefix(c.entry.Part, "follow ") || !ofLevel(c.entry, e) {
				return false
			}
			clear(c.pages)
			clear(c.heard)
			c.Against = 0
			return !used(c)
		})
	}
}

func ofLevel(e, other kb.Entry) bool {
	return e.Type == other.Type && e.Level == other.Level && e.Variant == other.Variant
}

// unsettled reports whether the action that stands for the objects of a level waits for a page
// that has several. What was learned with it waits too.
func (k *lessons) unsettled(of kb.Entry) bool {
	return !strings.HasPrefix(of.Part, "follow ") && slices.ContainsFunc(k.all, func(c *lesson) bool {
		return ofLevel(c.entry, of) && c.alone() && c.trusted()
	})
}

// nodesOf counts the nodes of a page, once.
func nodesOf(doc *html.Node) func() int {
	return sync.OnceValue(func() (n int) {
		for range doc.Descendants() {
			n++
		}
		return n
	})
}
