package extract

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// rename gives the page's object its own address where the page was reached by
// another: forums show a thread at the address of each of its posts, and as the one
// after another thread, and it is one thread. The page tells the address: as its
// canonical one, or by a link under its title.
func (r *run) rename(v *kb.Level) {
	for _, o := range v.Objects {
		at := -1
		for i := range r.h.Objects {
			if x := &r.h.Objects[i]; x.Class == o.Class && x.ID == r.key && x.Parent == "" {
				at = i
			}
		}
		if at < 0 || len(o.Objects) == 0 || namedByPage(o) {
			continue
		}
		inner := r.atInner(o)
		if own := r.ownAddress(&r.h.Objects[at], inner); own != "" && (inner || r.saysMore(own)) {
			r.renameTo(own)
		}
	}
}

// saysMore reports whether the page's address is of the same script as another, and
// has parameters that the other does without.
func (r *run) saysMore(own string) bool {
	here, err1 := url.Parse(r.key)
	u, err2 := url.Parse(own)
	if err1 != nil || err2 != nil || here.Path != u.Path {
		return false
	}
	has, needs := here.Query(), u.Query()
	for name := range needs {
		if !has.Has(name) {
			return false
		}
	}
	return len(has) > len(needs)
}

// namedByPage reports whether objects inside the page's are named by its address.
func namedByPage(o *kb.Object) bool {
	return slices.ContainsFunc(o.Objects, func(in *kb.Object) bool {
		return slices.ContainsFunc(in.ID, func(t *kb.Template) bool {
			return strings.Contains(t.Source, "{url}") || strings.Contains(t.Source, "{outer}") || strings.Contains(t.Source, "{parent}")
		})
	})
}

// atInner reports whether the page's address is that of an object inside its own.
func (r *run) atInner(o *kb.Object) bool {
	for _, in := range o.Objects {
		for i := range r.h.Objects {
			x := &r.h.Objects[i]
			address, _, _ := strings.Cut(x.ID, "#")
			if x.Class == in.Class && x.Parent == r.key && r.objectKey(address) == r.key {
				return true
			}
		}
	}
	return false
}

// ownAddress finds the address of the page's object; "" where the page does not
// tell it. Any link may tell it where the page is at that of an inner object, else
// one in a heading.
func (r *run) ownAddress(o *Object, anywhere bool) string {
	title, byTitle := o.Value("title"), ""
	for n := range r.page.Doc.Descendants() {
		if n.Type != html.ElementNode || n.DataAtom != atom.A && n.DataAtom != atom.Link {
			continue
		}
		canonical := n.DataAtom == atom.Link && strings.EqualFold(attr(n, "rel"), "canonical")
		if !canonical && (n.DataAtom != atom.A || byTitle != "" || title == "" || strings.TrimSpace(textOf(n)) != title || !anywhere &&
			!inHeading(n)) {
			continue
		}
		key := r.objectKey(r.resolve.link(attr(n, "href")))
		switch {
		case key == "" || key == r.key || r.isInner(key):
		case canonical:
			return key
		default:
			byTitle = key
		}
	}
	return byTitle
}

// inHeading reports whether a link is a heading's only content.
func inHeading(n *html.Node) bool {
	up := n.Parent
	return up != nil && (up.DataAtom == atom.H1 || up.DataAtom == atom.H2 || up.DataAtom == atom.H3)
}

// isInner reports whether an address is that of an object inside the page's.
func (r *run) isInner(key string) bool {
	for i := range r.h.Objects {
		if address, _, _ := strings.Cut(r.h.Objects[i].ID, "#"); r.h.Objects[i].Parent != "" && r.objectKey(address) == key {
			return true
		}
	}
	return false
}

// objectKey names what an address on the page's host is of; "" for other hosts.
func (r *run) objectKey(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host != r.page.URL.Host || u.Path == "" {
		return ""
	}
	return r.page.Type.URLs.ObjectKey(u)
}

func (r *run) renameTo(own string) {
	if r.h.Part == 0 {
		r.h.Part = -1 // it is where that of an inner object is
	}
	for i := range r.h.Objects {
		x := &r.h.Objects[i]
		if x.ID == r.key {
			x.ID = own
		}
		if x.Parent == r.key {
			x.Parent = own
		}
	}
	for i := range r.h.Misses {
		if r.h.Misses[i].ID == r.key {
			r.h.Misses[i].ID = own
		}
	}
	for i := range r.h.Totals {
		if r.h.Totals[i].Object == r.key {
			r.h.Totals[i].Object = own
		}
	}
}

// ownPart finds which part of its object the page is where no rule tells it: its address is
// that of the object and a number, as in the parts of a post of WordPress.
func (r *run) ownPart() {
	if r.h.Part != 0 || len(r.h.Objects) == 0 {
		return
	}
	number, further := strings.CutPrefix(r.key, strings.TrimSuffix(r.h.Objects[0].ID, "/")+"/")
	const most = 9 // digits
	if n, err := strconv.Atoi(strings.TrimSuffix(number, "/")); further && err == nil && n > 0 && len(number) <= most {
		r.h.Part = n
	}
}
