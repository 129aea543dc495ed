// Package corpora serves sites of natural content that no knowledge base describes:
// tables of numbers, timetables, results, catalogues, galleries, poems, source code and
// the like, some made of data that Go carries with it, some by generators that follow the
// form of the real thing. Their pages often differ in a number or a picture alone, and
// their addresses are as odd as those of the web; a crawler must fetch every one.
//
// A [Corpus] is reached in one of three ways: from page to page, by an index, or both.
// [Traps] are the opposite: articles with a place without end beside them.
package corpora
