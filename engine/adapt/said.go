package adapt

import (
	"strings"

	"github.com/awarc/awarc/engine/extract"
)

// What a page says of its object is of that object. What stands on page after page is the template's: the name of the site, which it
// writes as it writes titles and authors, and which is in the title of each window; the date of today; a text beside the content. One
// page does not tell; several do.

// maxSaid bounds the values that are remembered of a key and field.
const maxSaid = 500

// voice is the first object that had a value, by its id and by the title of its window: pages of one topic have one of them in common,
// those of a copy that names each page anew the window.
type voice struct {
	object, window string
	shared         bool // another object has the value, too
}

// ownValue gives what a page says of the object that it is about, and which that is, where an action finds that, told by its
// part: the class is that of one object, which is in no other; but for its author, since a page may show one post of a thread.
func ownValue(h extract.Harvest, part string) (field, value, object string) {
	path, field, _ := strings.Cut(part, " ")
	switch field {
	case "title", "creator", "created", "content":
	default:
		return "", "", ""
	}
	class, inner := lastClass(path)
	if inner && field != "creator" || count(h, class) != 1 {
		return "", "", ""
	}
	for i := range h.Objects {
		if o := &h.Objects[i]; o.Class == class {
			value, object = o.Value(field), o.ID
		}
	}
	return field, value, object
}

// hear notes what a candidate said of the object of a page, and whether another object had the same. A person may have written
// all of them, unless the title of the window names who did on each.
func (k *lessons) hear(c *lesson, h extract.Harvest, window string) {
	field, value, object := ownValue(h, c.entry.Part)
	if value == "" {
		return
	}
	if k.said[field] == nil {
		k.said[field] = map[string]*voice{}
	}
	value, title := plainTitle(value), plainTitle(window)
	first := k.said[field][value]
	if first == nil && len(k.said[field]) < maxSaid {
		k.said[field][value] = &voice{object: object, window: title}
	}
	if first != nil && first.object != object && (first.window != title || title == value) &&
		(field != "creator" || strings.Contains(title, value)) {
		first.shared = true
		c.Repeated++
	} else {
		c.Distinct++
	}
}

// shared are the titles that several pages have: they are of none of them.
func (k *lessons) shared() map[string]bool {
	titles := map[string]bool{}
	for title, by := range k.said["title"] {
		if by.shared {
			titles[title] = true
		}
	}
	return titles
}

// ofTemplate reports whether what a candidate finds is what several pages say. Two objects may be of one moment.
func (c *lesson) ofTemplate() bool {
	_, t := c.all()
	if strings.HasSuffix(c.entry.Part, " created") {
		return t.Repeated > 1 && t.Distinct == 1
	}
	return t.Repeated > 0 && t.Repeated >= t.Distinct
}

// others reports whether a title is one that several pages share, or the name of the host.
func (s *session) others(title string) bool {
	title = plainTitle(title)
	host := s.page.URL.Hostname()
	return s.shared[title] || title != "" && (title == plainTitle(host) || title == plainTitle(strings.TrimPrefix(host, "www.")))
}
