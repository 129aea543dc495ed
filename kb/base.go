package kb

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/awarc/awarc/yfilter/xpath"
)

// TypeID names a type: the lower-case name of the software, such as "phpbb".
type TypeID string

// LevelID names a level of a type, such as "topic".
type LevelID string

// CategoryID names a category, such as "forum".
type CategoryID string

// Position is where in a source an element starts. Line and Column count from
// one; the zero Position is unknown.
type Position struct {
	File         string
	Line, Column int
}

// String gives file:line:column, the form editors jump to.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Base is a loaded knowledge base. It is immutable.
type Base struct {
	// Hash identifies the content of all sources: "sha256:" and hex digits.
	Hash string
	// Types are all types, parents before children, in the order of the sources.
	Types []*Type
	// Services are the APIs that are described, in the order of the sources.
	Services []*Service
	// Entries are the learned changes, rejected ones included: first the ones in
	// levels, then the ones of <learned> blocks. Entries that are not rejected, and whose place
	// exists, are in the levels too.
	Entries []Entry

	byID map[TypeID]*Type
}

// Type returns the type with the id, or nil.
func (b *Base) Type(id TypeID) *Type { return b.byID[id] }

// Without returns the base without types, the types that inherit from them, and their learned changes. It
// is an error to name an unknown type.
func (b *Base) Without(ids ...TypeID) (*Base, error) {
	if len(ids) == 0 {
		return b, nil
	}
	hash := sha256.New()
	fmt.Fprint(hash, b.Hash)
	for _, id := range ids {
		if b.byID[id] == nil {
			return nil, fmt.Errorf("the knowledge base has no type %q", id)
		}
		fmt.Fprint(hash, " ", id)
	}
	c := &Base{Hash: fmt.Sprintf("sha256:%x", hash.Sum(nil)), Services: b.Services, byID: make(map[TypeID]*Type)}
	for _, t := range b.Types {
		out := false
		for up := t; up != nil; up = up.Parent {
			out = out || slices.Contains(ids, up.ID)
		}
		if !out {
			c.Types = append(c.Types, t)
			c.byID[t.ID] = t
		}
	}
	for _, e := range b.Entries {
		if c.byID[e.Type] != nil {
			c.Entries = append(c.Entries, e)
		}
	}
	return c, nil
}

// IDs returns the ids of all types, sorted.
func (b *Base) IDs() []TypeID {
	ids := make([]TypeID, 0, len(b.byID))
	for id := range b.byID {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	return ids
}

// Type is one web application type with what it inherits already resolved.
type Type struct {
	ID       TypeID
	Name     string
	Category CategoryID
	// Rank decides between types of two categories that both match: the higher
	// one wins. It is the category's.
	Rank   int
	Parent *Type
	// Site is "host/path" for a type that describes one site, else empty.
	Site string
	// Detect are the type's own patterns.
	Detect []Pattern
	// Inherited are the patterns of its parents and its category. They support
	// a type but never make one: see [Pattern].
	Inherited []Pattern
	URLs      URLRules
	// Levels are in the order in which they are preferred when several match.
	Levels   []*Level
	Examples []Example
	Pos      Position

	sum   uint64 // of what the sources say of the type itself
	rules uint64 // of what their authors say of pages: without examples, and what was learned
}

// Level returns the level elements with the id: its variants, in order.
func (t *Type) Level(id LevelID) []*Level {
	var found []*Level
	for _, l := range t.Levels {
		if l.ID == id {
			found = append(found, l)
		}
	}
	return found
}

// Pattern is evidence for a type or level. One strong pattern decides; of weak
// ones two are needed, at least one of them the type's own.
type Pattern struct {
	Expr *xpath.Expr
	Weak bool
	// Learned says where it comes from; nil for what an author wrote.
	Learned *Entry
	Pos     Position
}

// Kind says what a level holds.
type Kind string

// The two kinds of levels, section 3 of the paper.
const (
	Intermediate Kind = "intermediate" // leads on only
	Terminal     Kind = "terminal"     // holds content
)

// Level is a kind of page of a type, in one family of templates.
type Level struct {
	Type    TypeID
	ID      LevelID
	Variant string // names the family of templates; may be empty
	Kind    Kind
	Detect  []Pattern
	// Browse are the steps that a browser takes before the page is read; none for most levels.
	Browse  []*Step
	Follow  []*Follow
	Objects []*Object
	// Totals are what the page counts besides its objects: a list its threads, or the posts of each.
	Totals []*Total
	// Changes are where the page shows that other pages changed.
	Changes []*ChangeRows
	Pos     Position
}

// ChangeRows are where a page shows that other pages changed: the rows of a list of recent changes, or
// the last post of each topic.
type ChangeRows struct {
	// To is the level of the pages that changed.
	To LevelID
	// At selects a node for each page that is named, and Link in it the link to the page.
	At, Link *Expr
	// Newest says that the rows stand in the order of the changes, the last change first.
	Newest bool
	// Times find the time of the change, Counts a number that grows with changes.
	Times, Counts []*Try
	Pos           Position
}

// Name gives "topic" or "topic(subsilver)", as logs show it.
func (l *Level) Name() string {
	if l.Variant == "" {
		return string(l.ID)
	}
	return string(l.ID) + "(" + l.Variant + ")"
}

// Follow is a navigation action: links that lead to content.
type Follow struct {
	To LevelID
	// Paging marks links to further pages of the same list or object.
	Paging bool
	// Optional links (profiles, say) are followed only with --optional.
	Optional bool
	Tries    []*Try
	Pos      Position
}

// Name identifies the action in reports: "topic>topic(paging)" and the like.
func (f *Follow) Name(from *Level) string {
	name := from.Name() + ">" + string(f.To)
	if f.Paging {
		name += " paging"
	}
	return name
}

// Object is a group of extraction actions: the fields of one semantic object.
type Object struct {
	// Class is the prefixed RDF class, such as "sioc:Post".
	Class string
	// At selects the object's node; nil means the page itself.
	At []*Try
	// ID builds the object's IRI: the first template that can be filled.
	ID []*Template
	// Parent builds the IRI of what the object belongs to, where that is not the object around it.
	Parent []*Template
	// Rel is how the object relates to the one it is in: "has_container" or
	// "reply_of".
	Rel string
	// Nests is set where objects of this kind lie inside each other (threaded
	// comments): the parent then is the nearest one outside.
	Nests   bool
	Fields  []*Field
	Totals  []*Total
	Objects []*Object
	Pos     Position
}

// Field is one property of an object.
type Field struct {
	// Name is the local name of the RDF property, as output shows it.
	Name string
	As   As
	// Required fields may not be missing; the adapter repairs them first.
	Required bool
	// Many fields keep every value; others the first that is not empty.
	Many bool
	// Order is the order of numeric dates: "dmy", "mdy", "ymd" or empty for
	// what the page itself proves.
	Order string
	// Zone is that of dates with a time and no zone; nil where it is not known.
	Zone  *time.Location
	Tries []*Try
	// Without selects parts of the value that do not belong to it: signatures,
	// edit notes.
	Without []*Try
	// Unless selects what shows that the page withholds the field, such as the
	// password form; nil for none.
	Unless *Expr
	// Until ends the value before the first text that holds it: the line above
	// a signature that has no element of its own.
	Until string
	Pos   Position
}

// As says how a field's value is read, and thereby what cannot be right.
type As string

// The kinds of values.
const (
	Text   As = "text"
	HTML   As = "html"
	Date   As = "date"
	URL    As = "url"
	Number As = "number"
)

// Total is what a page itself claims to hold, such as "2001 posts" on a topic, or what it claims of another page, such as
// "2000 replies" in a list of topics.
type Total struct {
	Of string // class of the objects that are counted, or OfPages
	// At selects the nodes with a number each, and Link in such a node the link to what it is of; both are nil where it is of
	// the object or the page that the total stands in.
	At, Link *Expr
	// More is how many the page leaves out: 1 where it counts the replies to a post and not the posts.
	More  int
	Tries []*Try
	Pos   Position
}

// OfPages is what a total counts that says on how many pages an object is: the highest of the numbers that are selected.
const OfPages = "page"

// Try is one way to find a value. Tries are used in order; the first that
// yields wins.
type Try struct {
	Expr *Expr
	// Match, when set, cuts the value: its first group, or all of it.
	Match *Regexp
	// Learned says where it comes from; nil for what an author wrote.
	Learned *Entry
}
