// Package draft proposes a type of the knowledge base for a site whose software nobody described, from pages that a crawl archived.
//
// Pages whose addresses have one shape are a group. In a group, what is repeated on a page and holds a date, a name and a text each time is
// taken for the posts of a thread: its element is told by a class, and so are those inside that are its date (it can be read, and differs
// from record to record), its author (a short text that leads to one address whenever it comes again) and its text (the element with most
// of the record's that holds neither). No page decides alone: an expression counts by the records of all pages of the group for which it
// gives one value. Lists are the groups whose links lead to such threads, found backwards from them, the fewest that lead to nearly all.
//
// A draft is a beginning for whoever describes the software: `kb lint` and `kb test` pass on it, and a crawl can use it.
package draft
