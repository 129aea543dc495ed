package extract

import (
	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
)

// Reader reads single values of a page as [Run] would. It is for adaptation,
// which asks what an expression would yield before there is one. Its work is
// bounded as that of a harvest is. Not safe for concurrent use.
type Reader struct{ run *run }

// NewReader prepares to read values of a page.
func NewReader(p Page) *Reader {
	r := newRun(p, kb.NewWork(maxWork), nil)
	r.h, r.claimed = &Harvest{}, map[*html.Node]bool{}
	return &Reader{r}
}

// Value reads a field's value at a node, or at an attribute of it where attr is
// not empty: the text of as="html", else what the harvest would hold; "" where
// it is nothing of the kind.
func (r *Reader) Value(f *kb.Field, t *kb.Try, n *html.Node, attr string) string {
	r.run.size = 0
	v := kb.ValueAt(n, attr, r.run.work)
	if f.As == kb.HTML {
		return r.run.rich(f, v, true).text
	}
	return r.run.value(f, t, v)
}

// Link makes an address of the page absolute; "" for what leads nowhere.
func (r *Reader) Link(href string) string { return r.run.resolve.link(href) }

// ID builds the id that an object at a node would have; "" for none.
func (r *Reader) ID(o *kb.Object, n *html.Node, outer string) string {
	return r.run.id(o, n, kb.Names{URL: r.run.key, Outer: outer, Parent: outer})
}

// IDAnyway is ID for a node that a learned expression would select.
func (r *Reader) IDAnyway(o *kb.Object, n *html.Node, outer string) string {
	return r.run.idAnyway(o, n, kb.Names{URL: r.run.key, Outer: outer, Parent: outer})
}

// Select runs an expression with n as its context node, within the reader's
// work.
func (r *Reader) Select(e *kb.Expr, n *html.Node) []kb.Value { return e.Select(n, r.run.work) }

// Steps is the reader's work so far, see [kb.Work].
func (r *Reader) Steps() int { return maxWork - r.run.work.Left() }

// Run is [Run] for the reader's page, perhaps with other levels, with the steps that it
// took, see [kb.Work]. Dates that the reader has read are not read again.
func (r *Reader) Run(p Page) (h Harvest, steps int) {
	work := kb.NewWork(maxWork)
	h = runWithin(p, work, r.run.dates)
	return h, maxWork - work.Left()
}
