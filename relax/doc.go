// Package relax bends one XPath expression when a page no longer fits it.
//
// It will yield the relaxations of section 6 of Faheem & Senellart (2013) as a
// lazy sequence in rising cost; it never sees a page and accepts nothing
// itself. Until then it fixes the one name that its callers need: what a
// relaxation costs.
package relax

// Cost orders relaxations: the number of changes that turned one expression
// into another, so 0 is the original. It is never negative.
type Cost int
