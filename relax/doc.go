// Package relax bends one XPath expression when a page no longer fits it:
// getRelaxedExpressions of algorithm 2 in section 6.2 of Faheem & Senellart,
// "Intelligent and adaptive crawling of Web applications for Web archiving"
// (2013). It is pure: it never sees a page and accepts nothing itself. Package
// engine/adapt asks it and weighs what it offers.
//
// # Terminology
//
// A change is one of the things that happen to a step of an expression when a
// template changes: a predicate is removed, the attribute or the value that it
// tests is replaced, the tag is replaced, the axis is loosened because there is
// a wrapper more, the step is removed because there is one fewer. A [Relaxation]
// is an expression with the changes that made it. Its [Cost] orders it: the best
// case of the paper (at most one change a step) before the worst case, then fewer
// changes before more, then by how unlike the original the replaced names are.
//
// A prefix of an expression can be protected: the detection pattern that fired is
// never touched.
//
// # Two ways to ask
//
// [Seq] enumerates the relaxations that a [Vocabulary] allows, lazily and in
// rising cost, as the paper does. The vocabulary is what the page holds; a
// relaxation with a step that nothing on the page fulfils is never made.
//
// [Nearest] answers the question from the other end: given one element and what it
// lies in, which is the cheapest relaxation that selects it? Where there are
// fewer elements to consider than relaxations, as nearly always, it gives the
// same answers for a small part of the work. A test holds the one to the other.
//
// [Read] makes expressions of full XPath 1.0, in which many actions are written,
// accessible to both: what the fragment of package xpath cannot say counts as
// removed, and what must stay around it is kept as it is.
package relax
