// Package extract runs the actions of a page's level: step 6 in the life of
// one URL. It turns a page into a [Harvest]: the objects that its extraction
// actions yield and the links that its navigation actions select, or, for a
// page of an unknown application, every link to a page that HTML knows.
//
// # Terminology
//
// A harvest is what one page yields. A miss is a required field that no
// expression found. The parts of one object may lie on several pages (a paged
// thread, paged comments): they carry the same id and parent, so whoever adds
// up harvests by id has the whole object.
//
// # Links
//
// Addresses become absolute as in browsers (WHATWG URL): by the first base element, their
// queries in the page's charset. [AllLinks] are those to pages, [Requisites] what a
// browser loads, [Guesses] what only looks like an address, [StyleLinks] and [ReadFeed]
// those of style sheets and of feeds.
//
// # Values
//
// Text has its white space folded; content keeps paragraphs and line breaks as
// single line breaks. The addresses in its markup are absolute. Dates become ISO 8601 with as much as the page shows: a
// zone only where the page gives one, a time only where there is one, nothing
// at all where the text is no date. What a page does not show is absent.
//
// # Generic reading
//
// Where no action gives the content of a page, and [Page].Generic asks for it,
// the page is read by what it says of itself (JSON-LD, microdata, Open Graph)
// and by the shape of its text. Lists and discussions are left alone: what is on
// them belongs to other pages.
//
// # Bounds
//
// A page is hostile until proved otherwise: objects, links, bytes of values,
// dates tried and the steps of expressions are all bounded per page. What goes
// beyond is cut, the same way every time, and [Harvest].Cut tells so.
package extract
