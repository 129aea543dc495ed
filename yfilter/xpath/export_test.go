package xpath

import antxpath "github.com/antchfx/xpath"

// Own reports whether no part of the expression is left to the library.
func (q *Query) Own() bool { return q.own != nil }

// ByLibrary prepares an expression as if nothing were evaluated here.
func ByLibrary(n Node) *Query {
	q, full := &Query{}, strictly(Below(n))
	q.pool.New = func() any { return antxpath.MustCompile(full) }
	return q
}
