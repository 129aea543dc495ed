package extract

import (
	"net/url"
	"slices"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/engine/read/text"
	"github.com/awarc/awarc/kb"
)

// Page is one page to harvest.
type Page struct {
	// Doc is the virtual document of the page. It is not changed.
	Doc *html.Node
	// URL is where the page came from; relative links are resolved against it,
	// or against the page's <base>.
	URL *url.URL
	// Charset is the encoding that the page was in, by a label of the Encoding
	// Standard: queries of its links are encoded in it. Empty means UTF-8.
	Charset string
	// Captured is when the page was fetched; relative dates ("yesterday") count
	// from it. When zero they are left out.
	Captured time.Time
	// Type and Levels are what detection found: the variants of the level, the
	// preferred one first. Without a level all links are extracted.
	Type   *kb.Type
	Levels []*kb.Level
	// Expected is the level that the link to the page promised; empty when nothing
	// did. Extraction does not use it; adaptation does.
	Expected kb.LevelID
	// Generic asks for generic reading where the actions give no content.
	Generic bool
	// Posts asks for posts, and for their author, date and text, where the actions of the level do
	// not find them, by the page alone. Adaptation leaves it unset, since it searches for better actions.
	Posts bool
	// Around asks where links stand on the page.
	Around bool
	// Places asks at which places of the page its links stand.
	Places bool
	// Rows reads the last date in each row of a list, see [Harvest.Changes].
	Rows bool
	// Frame tells that the page is shown inside another one.
	Frame bool
}

// Harvest is what one page yields.
type Harvest struct {
	// Level is the variant whose actions ran; nil for an unknown application.
	Level   *kb.Level
	Objects []Object
	// Forums are the forums of a board that the page is, is in or lists, as its links name
	// them. They lead to content, and hold none; no action misses them.
	Forums []Object
	// Part tells which page of several of its object the page is, by the number in its
	// address; 0 is the first, -1 one of which nobody knows.
	Part   int
	Links  []Link
	Misses []Miss
	Totals []Total
	// Changes are the changes of other pages that the page reports.
	Changes []Change
	// Learned are the learned entries that yielded, where what an author wrote did
	// not.
	Learned []*kb.Entry
	// Cut tells that the page asked for more than one page may have, in work,
	// objects, links or bytes: the rest of it is missing here.
	Cut bool
	// CutBy names the expression that took the most of the page's work, where the work limit ended it.
	CutBy string
	// Generic tells that an object, or its content, comes from generic reading
	// and not from an action.
	Generic bool
	// Unsure counts posts of a page that no type describes which are left out, since their confidence
	// is below [records.LeastSure].
	Unsure int
	// Language is that of the page, as it says; "" where it says nothing.
	Language string
	// Text is the main text of the page where generic reading found it, else nil.
	Text *text.Text

	nodes []*html.Node // of Objects, while the page is read
}

// Change is a change of a page, as another page reports it.
type Change struct {
	URL   string
	Time  time.Time // zero if it is not given
	Exact bool      // the time is more than a day
	Said  string    // the time and the counters, as the page has them
	// Newest is set if the rows of the list are in the order of the changes, the last change first.
	Newest bool
}

// All are the objects, and after them the forums.
func (h *Harvest) All() []Object { return slices.Concat(h.Objects, h.Forums) }

// SameID are the objects that have the class and the id of one before them: they would be taken for one.
func (h *Harvest) SameID() (out []Object) {
	seen := map[[2]string]bool{}
	for _, o := range h.Objects {
		if key := [2]string{o.Class, o.ID}; seen[key] {
			out = append(out, o)
		} else {
			seen[key] = true
		}
	}
	return out
}

// Object is one object or one part of it.
type Object struct {
	Class  string // prefixed RDF class
	ID     string // absolute IRI
	Parent string // id of what it belongs or replies to; may be empty
	Rel    string // has_container or reply_of; empty without a parent
	Fields []Field
	// Confidence is the probability that the object is right, from 0 to 1, where no type of the
	// knowledge base describes it; 0 where one does.
	Confidence float64
}

// Field is one property with its values, in the order of the page.
type Field struct {
	Name   string
	As     kb.As
	Values []string
}

// Value returns the first value of the field with the name, or "".
func (o *Object) Value(name string) string {
	for _, f := range o.Fields {
		if f.Name == name && len(f.Values) > 0 {
			return f.Values[0]
		}
	}
	return ""
}

// Values returns the values of the field with the name; has is false where the
// object has no such field.
func (o *Object) Values(name string) (values []string, has bool) {
	for _, f := range o.Fields {
		if f.Name == name {
			return f.Values, true
		}
	}
	return nil, false
}

// Link is one link that an action, or generic extraction, selected.
type Link struct {
	URL      string // absolute, without fragment
	Text     string // anchor text, folded
	To       kb.LevelID
	Action   string // empty for generic extraction
	Paging   bool
	Optional bool
	// Canonical links lead to what the page says is its own address.
	Canonical bool
	Frame     bool      // a document that is shown inside the page
	Modified  time.Time // when a sitemap says that its page was last changed; zero where none does
	Around    Around    // zero unless the page asks for it
	Place     string    // path of elements from the body to the link, with their first classes; "" unless the page asks for it
}

// Miss is a required field that is not on the page where its object is.
type Miss struct {
	Object string // class
	Field  string
	ID     string // of the object without it
}

// Total is what the page itself claims to hold, or what it claims of another page.
type Total struct {
	Of     string // class that is counted, or [kb.OfPages]
	Object string // id of the object it belongs to, or address of the page, without paging
	Count  int
	Text   string // of the link to the other page; empty for what the page itself holds
	// Linked are the ids of objects of the class that the page links to, if it is one of the pages of Object and a list.
	Linked []string
}

// What one page may have. Real pages stay far below; hostile ones are cut.
const (
	maxWork    = 1 << 27  // steps, see [kb.Work]
	maxObjects = 20_000   // objects
	maxValues  = 64 << 20 // bytes of values
)

// Run harvests a page. The first variant of the level that yields an object
// (on intermediate levels: a link) is used; where none does, the first.
func Run(p Page) Harvest { return runWithin(p, kb.NewWork(maxWork), nil) }

// runWithin is Run with some work, and with dates of the page that were read before; nil
// for none.
func runWithin(p Page, work *kb.Work, read *dates.Reader) Harvest {
	h := byActions(p, work, read)
	if work.Spent() {
		h.CutBy = kb.Dearest(work)
	}
	if p.Generic {
		complete(p, &h, work)
	}
	h.nodes = nil
	if p.Doc != nil {
		h.Language = Language(p.Doc)
	}
	return h
}

// Costs gives the work of each expression of the page's levels, the dearest first.
func Costs(p Page) []kb.Cost {
	work := kb.NewWork(maxWork)
	byActions(p, work, nil)
	return kb.Costs(work)
}

// byActions runs the actions of the page's level.
func byActions(p Page, work *kb.Work, read *dates.Reader) Harvest {
	if len(p.Levels) == 0 {
		c := &collector{p: p, around: newSurroundings(p)}
		return Harvest{Links: c.pages(), Cut: c.cut || c.resolve.size >= maxValues}
	}
	r := newRun(p, work, read)
	var first *Harvest
	for _, v := range p.Levels {
		h := r.level(v)
		if len(h.Objects) > 0 && hasContent(v, h) || v.Kind == kb.Intermediate && len(h.Links) > 0 {
			return h
		}
		if first == nil {
			first = &h
		}
	}
	return *first
}

// hasContent reports whether the actions of a variant fit the page: where it
// describes objects inside the page's object, at least one of them is there or
// the page's object has a content of its own.
func hasContent(v *kb.Level, h Harvest) bool {
	inner := map[string]bool{}
	for _, o := range v.Objects {
		for _, c := range o.Objects {
			inner[c.Class] = true
		}
	}
	if len(inner) == 0 {
		return true
	}
	for _, o := range h.Objects {
		if inner[o.Class] || o.Value("content") != "" {
			return true
		}
	}
	return false
}
