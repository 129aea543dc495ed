// Package corpora serves sites of natural content that no knowledge base describes: tables of
// numbers, timetables, results, catalogues, galleries, poems, source code and the like. Some use
// data that Go carries with it; generators that follow the form of real sites make the others. Many
// pages differ in a number or a picture only, and the addresses are as odd as real ones. A crawler
// must fetch every page.
//
// A [Corpus] is reached in one of three ways: from page to page, by an index, or both. [Traps] are
// the opposite: articles beside a crawler trap.
package corpora
