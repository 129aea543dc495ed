package diff

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/quads"
)

// Kind classifies the difference between two captures of an object.
type Kind string

// Kinds of differences.
const (
	Appeared Kind = "appeared"
	Changed  Kind = "changed"
	Vanished Kind = "vanished"
	Unseen   Kind = "not seen again" // the second crawl did not fetch its page
	same     Kind = "same"
)

// A Change is an object that differs between two crawls.
type Change struct {
	Kind   Kind       `json:"kind"`
	Reason string     `json:"reason,omitempty"` // why it counts as vanished or not seen
	Page   string     `json:"page,omitempty"`   // the page that shows it
	Before *quads.Row `json:"before,omitempty"`
	After  *quads.Row `json:"after,omitempty"`
	Fields []Field    `json:"fields,omitempty"` // changed fields
}

// Row returns the last capture of the object.
func (c *Change) Row() *quads.Row {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// A Field is a changed field of an object.
type Field struct {
	Name   string `json:"name"` // title, content, creator or thread
	Before string `json:"before"`
	After  string `json:"after"`
}

// Counts has the number of objects of one class by kind of difference.
type Counts struct {
	Class    string `json:"class"`
	Appeared int    `json:"appeared"`
	Changed  int    `json:"changed"`
	Vanished int    `json:"vanished"`
	Unseen   int    `json:"not_seen_again"`
	Same     int    `json:"same"`
}

// Options select the objects to compare.
type Options struct {
	Search quads.Search // which objects, in either crawl
	// Why returns why the second crawl did not fetch an address, "" if the reason is unknown. It
	// may be nil.
	Why func(address string) string
	// Since means that the second crawl is the later part of a watch, which requests only what may
	// have changed: an object whose page it did not fetch, or that was not modified, is the same.
	Since bool
}

// comparison compares two crawls.
type comparison struct {
	before, after *quads.Lookup
	options       Options
	tell          func(*Change) error
	counts        map[string]*Counts
	pages         map[string]verdict // verdicts of the second crawl on pages of the first
}

// Run compares all objects of two crawls and counts them. It passes each difference to the
// callback: first the objects of the second crawl, thread by thread, then the objects that it
// lacks.
func Run(ctx context.Context, before, after *quads.Reader, o Options, tell func(*Change) error) (counts []Counts, err error) {
	c := &comparison{options: o, tell: tell, counts: map[string]*Counts{}, pages: map[string]verdict{}}
	if c.before, err = before.Lookup(ctx); err != nil {
		return nil, err
	}
	defer c.before.Close()
	if c.after, err = after.Lookup(ctx); err != nil {
		return nil, err
	}
	defer c.after.Close()
	err = after.Rows(ctx, o.Search, func(row *quads.Row) error { return c.later(ctx, row) })
	if err == nil {
		err = before.Rows(ctx, o.Search, func(row *quads.Row) error { return c.earlier(ctx, row) })
	}
	for _, n := range c.counts {
		counts = append(counts, *n)
	}
	slices.SortFunc(counts, func(a, b Counts) int { return strings.Compare(a.Class, b.Class) })
	return counts, err
}

// add counts an object and reports a difference.
func (c *comparison) add(change *Change) error {
	class := change.Row().Class[0]
	n := c.counts[class]
	if n == nil {
		n = &Counts{Class: class}
		c.counts[class] = n
	}
	switch change.Kind {
	case Appeared:
		n.Appeared++
	case Changed:
		n.Changed++
	case Vanished:
		n.Vanished++
	case Unseen:
		if c.options.Since {
			n.Same++
			return nil
		}
		n.Unseen++
	case same:
		n.Same++
		return nil
	}
	for _, row := range []*quads.Row{change.Before, change.After} {
		if row != nil {
			row.HTML = "" // the text is enough
		}
	}
	return c.tell(change)
}

// later compares an object of the second crawl.
func (c *comparison) later(ctx context.Context, row *quads.Row) error {
	old, err := find(ctx, c.before, row.ID)
	if err != nil {
		return err
	}
	change := &Change{Kind: Appeared, Before: old, After: row}
	if old != nil {
		if change.Fields = fields(old, row); len(change.Fields) == 0 {
			change.Kind = same
		} else {
			change.Kind = Changed
		}
	}
	return c.add(change)
}

// earlier finds an object of the first crawl that the second does not have.
func (c *comparison) earlier(ctx context.Context, row *quads.Row) error {
	now, err := find(ctx, c.after, row.ID)
	if err != nil || now != nil {
		return err
	}
	v, err := c.judge(ctx, row)
	if err != nil {
		return err
	}
	return c.add(&Change{Kind: v.kind, Reason: v.reason, Page: v.page, Before: row})
}

// find returns an object by its name with either scheme.
func find(ctx context.Context, in *quads.Lookup, id string) (*quads.Row, error) {
	for _, name := range schemes(id) {
		if row, err := in.Row(ctx, name); row != nil || err != nil {
			return row, err
		}
	}
	return nil, nil
}

// schemes returns an address, and the same address with the other of http and https.
func schemes(address string) []string {
	if rest, ok := strings.CutPrefix(address, "https:"); ok {
		return []string{address, "http:" + rest}
	}
	if rest, ok := strings.CutPrefix(address, "http:"); ok {
		return []string{address, "https:" + rest}
	}
	return []string{address}
}

// fields returns the fields that differ.
func fields(before, after *quads.Row) (changed []Field) {
	bare := func(address string) string { return schemes(strings.Replace(address, "https:", "http:", 1))[0] }
	for _, f := range []struct{ name, before, after string }{
		{"title", before.Title, after.Title},
		{"content", before.Content, after.Content},
		{"creator", strings.Join(before.Creator, ", "), strings.Join(after.Creator, ", ")},
		{"thread", before.ThreadURL, after.ThreadURL},
	} {
		from, to := f.before, f.after
		if f.name == "thread" {
			if from == "" || to == "" {
				continue // an article has one once it has comments
			}
			from, to = bare(from), bare(to)
		}
		if !slices.Equal(strings.Fields(from), strings.Fields(to)) {
			changed = append(changed, Field{f.name, f.before, f.after})
		}
	}
	return changed
}

// verdict is the state of a page in the second crawl.
type verdict struct {
	kind         Kind
	there        bool // the page was fetched
	reason, page string
}

// judge classifies an object that the second crawl lacks: by the object's own page if the first
// crawl saw it there, otherwise by all pages that showed it.
func (c *comparison) judge(ctx context.Context, row *quads.Row) (verdict, error) {
	pages, err := c.before.Pages(ctx, row.ID)
	if err != nil {
		return verdict{}, err
	}
	if own, _, _ := strings.Cut(row.ID, "#"); slices.Contains(pages, own) {
		pages = []string{own}
	}
	best := verdict{kind: Unseen, reason: "its page is unknown"}
	for i, page := range pages {
		v, err := c.page(ctx, page)
		if err != nil {
			return v, err
		}
		if i == 0 || v.rank() > best.rank() {
			best = v
		}
	}
	if best.rank() == 0 && row.ThreadURL != "" {
		v, err := c.page(ctx, row.ThreadURL)
		if err != nil {
			return v, err
		}
		if v.kind == Vanished && !v.there {
			return verdict{kind: Vanished, reason: strings.Replace(v.reason, "page", "thread", 1), page: v.page}, nil
		}
	}
	return best, nil
}

// rank orders verdicts by their evidence.
func (v verdict) rank() int {
	switch {
	case v.there:
		return 2
	case v.kind == Vanished:
		return 1
	}
	return 0
}

// page returns the verdict on a page.
func (c *comparison) page(ctx context.Context, page string) (v verdict, err error) {
	if v, ok := c.pages[page]; ok {
		return v, nil
	}
	status := 0
	for _, address := range schemes(page) {
		if status, err = c.after.Status(ctx, address); status != 0 || err != nil {
			break
		}
	}
	v = verdict{kind: Unseen, page: page}
	switch {
	case err != nil:
		return v, err
	case status == 304 && c.options.Since:
		v.reason = "its page was not modified"
	case status == 200 || status == 304:
		v.kind, v.there, v.reason = Vanished, true, "its page no longer shows it"
	case status == 404 || status == 410:
		v.kind, v.reason = Vanished, fmt.Sprintf("its page is gone (%d)", status)
	case status >= 300 && status < 400:
		v.reason = fmt.Sprintf("its page leads elsewhere (%d)", status)
	case status != 0:
		v.reason = fmt.Sprintf("its page failed (%d)", status)
	default:
		v.reason = "its page was not fetched"
		if c.options.Why != nil {
			if why := c.options.Why(page); why != "" {
				v.reason += ": " + why
			}
		}
	}
	c.pages[page] = v
	return v, nil
}
