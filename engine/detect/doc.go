// Package detect finds the type and level of a page: step 5 in the life of one
// URL, section 5 of Faheem & Senellart (2013).
//
// All patterns of the knowledge base, for types and for levels, are compiled
// into one automaton (package yfilter), so one walk of the page answers both
// questions, and stops when the answer is plain.
//
// # Terminology
//
// A pattern fires when the page has a node that it selects. Fired patterns are
// evidence: strong ones decide alone, weak ones in pairs. An inherited pattern is
// one of a type's parents or its category. A type is accepted when its evidence
// suffices; a [Finding] names the best accepted type and its level.
//
// # How it is decided
//
// A type is accepted on one strong pattern of its own, or on two weak ones of
// which one is its own. A site's type is accepted on its address. Among
// accepted types the higher rank of the category wins, then the type last seen
// near the page, then the larger number of strong patterns, then a subtype over
// what it is a subtype of, then the order of the knowledge base. The level is the
// first of the type, in the order of the file, with one strong pattern or two
// weak ones.
//
// The automaton may stop early. It does so when a type of the highest rank
// leads every rival of that rank by two strong patterns, no subtype can refine
// it and its first level is certain. A rival could still catch up on the rest of
// the page, but a page that shows two applications shows the one it is of first:
// on the saved pages of the tests the answer is that of a whole walk.
package detect
