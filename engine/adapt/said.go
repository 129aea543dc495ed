package adapt

import (
	"strings"

	"github.com/awarc/awarc/engine/extract"
)

// A page's title is its own. What stands on page after page is the name of the site, which templates write
// as they write titles, and which is in the title of each page too. One page does not tell; two do.

// maxSaid bounds the titles that are remembered of a key.
const maxSaid = 500

// titles are what the objects that pages of one key are about are called.
type titles struct {
	of     map[string]called // by the title, plain
	shared map[string]bool   // titles of several objects
}

// called is an object by its id and by the title of its window: pages of one topic have
// one of them in common, those of a copy that names each page anew the window.
type called struct{ object, window string }

// note reports whether another object was called so before.
func (t *titles) note(title string, by called) (repeated bool) {
	if t.of == nil {
		t.of, t.shared = map[string]called{}, map[string]bool{}
	}
	title = plainTitle(title)
	of, known := t.of[title]
	if known && of.object != by.object && (of.window != by.window || plainTitle(by.window) == title) {
		t.shared[title] = true
		return true
	}
	if !known && len(t.of) < maxSaid {
		t.of[title] = by
	}
	return false
}

// ownTitle gives what the object that a page is about is called and which that is, where an action finds that, told by its
// part: the class is that of one object, which is in no other.
func ownTitle(h extract.Harvest, part string) (title, object string, ok bool) {
	class, field, _ := strings.Cut(part, " ")
	if field != "title" || strings.Contains(class, "/") || count(h, class) != 1 {
		return "", "", false
	}
	for i := range h.Objects {
		if o := &h.Objects[i]; o.Class == class {
			return o.Value(field), o.ID, o.Value(field) != ""
		}
	}
	return "", "", false
}

// hear notes what a candidate called the object of a page, and whether another object was called so.
func (c *lesson) hear(all *titles, h extract.Harvest, window string) {
	title, object, ok := ownTitle(h, c.entry.Part)
	switch {
	case !ok:
	case all.note(title, called{object, window}):
		c.Repeated++
	default:
		c.Distinct++
	}
}

// namesSite reports whether what a candidate finds is what several pages are called.
func (c *lesson) namesSite() bool {
	_, t := c.all()
	return t.Repeated > 0 && t.Repeated >= t.Distinct
}

// others reports whether a title is one that several pages share, or the name of the host.
func (s *session) others(title string) bool {
	title = plainTitle(title)
	host := s.page.URL.Hostname()
	return s.shared[title] || title != "" && (title == plainTitle(host) || title == plainTitle(strings.TrimPrefix(host, "www.")))
}
