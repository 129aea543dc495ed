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

// values are what pages of one key say of the objects that they are about, in one field.
type values struct {
	of     map[string]whose // by the value, plain
	shared map[string]bool  // values of several objects
}

// whose is an object by its id and by the title of its window: pages of one topic have
// one of them in common, those of a copy that names each page anew the window.
type whose struct{ object, window string }

// note reports whether another object had the value before.
func (t *values) note(value string, by whose) (repeated bool) {
	if t.of == nil {
		t.of, t.shared = map[string]whose{}, map[string]bool{}
	}
	value = plainTitle(value)
	of, known := t.of[value]
	if known && of.object != by.object && (of.window != by.window || plainTitle(by.window) == value) {
		t.shared[value] = true
		return true
	}
	if !known && len(t.of) < maxSaid {
		t.of[value] = by
	}
	return false
}

// The fields of the object of a page that are heard.
const (
	titleField   = "title"
	creatorField = "creator"
	createdField = "created"
	contentField = "content"
)

// ownValue gives what a page says of the object that it is about, and which that is, where an action finds that, told by its
// part: the class is that of one object, which is in no other; but for its author, since a page may show one post of a thread.
func ownValue(h extract.Harvest, part string) (field, value, object string, ok bool) {
	class, field, _ := strings.Cut(part, " ")
	switch field {
	case titleField, creatorField, createdField, contentField:
	default:
		return field, "", "", false
	}
	if at := strings.LastIndexByte(class, '/'); at >= 0 && field == creatorField {
		class, _, _ = strings.Cut(class[at+1:], "[")
	}
	if strings.Contains(class, "/") || count(h, class) != 1 {
		return field, "", "", false
	}
	for i := range h.Objects {
		if o := &h.Objects[i]; o.Class == class {
			return field, o.Value(field), o.ID, o.Value(field) != ""
		}
	}
	return field, "", "", false
}

// hear notes what a candidate said of the object of a page, and whether another object had the same. A person may have written
// all of them, unless the title of the window names who did on each.
func (k *lessons) hear(c *lesson, h extract.Harvest, window string) {
	field, value, object, ok := ownValue(h, c.entry.Part)
	if !ok {
		return
	}
	if k.said[field] == nil {
		if k.said == nil {
			k.said = map[string]*values{}
		}
		k.said[field] = &values{}
	}
	again := k.said[field].note(value, whose{object, window})
	if again && (field != creatorField || strings.Contains(plainTitle(window), plainTitle(value))) {
		c.Repeated++
	} else {
		c.Distinct++
	}
}

// shared are the titles that several pages have.
func (k *lessons) shared() map[string]bool {
	if k.said[titleField] == nil {
		return nil
	}
	return k.said[titleField].shared
}

// ofTemplate reports whether what a candidate finds is what several pages say. Two objects may be of one moment.
func (c *lesson) ofTemplate() bool {
	_, t := c.all()
	if strings.HasSuffix(c.entry.Part, " "+createdField) {
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
