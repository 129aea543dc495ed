// Package dates reads the dates of pages: the texts by which templates say when something
// was written, in the languages of the web, become ISO 8601.
//
// # What is read
//
// A text is a date when every word of it belongs to one language and is one that dates
// have: a month, a day of the week, a half of the day, a unit, glue such as "at" or "Uhr".
// One unknown word, a second clock or a number left over, and the text is none: a title
// that holds a date is not a date; who knows that a text holds one asks
// [Reader.Find]. The words are in words.txt, after the tables of CLDR;
// glue of English is read in every language, for templates are translated by halves.
//
// The result has as much as the text: a time only where there is one, a zone only where
// one is given, a month alone ("May 2015") as 2015-05. A text without a year or counted from
// today ("May 12", "yesterday, 10:15", "3 days ago", a day of the week) is read where the
// time of the capture is known, as the last such moment before it. A length of time
// ("3 days") and a bare clock time are not dates.
//
// Years of the Buddhist, the Persian and the Japanese calendar are converted if the text
// or the language of the page names the calendar. Islamic years are not read, since their
// months start at the sighting of the moon.
//
// # What is ambiguous, and who decides
//
// 05/06/2015 is two dates. What decides, in this order: a number above twelve; what the
// page proves, where another date with the same sign between its numbers has one and none
// contradicts it; the usual order, which the knowledge base states for a software;
// a dot, which only those write who put the day first. Where nothing decides, nothing
// is read.
//
// Of a word that several languages have, the page's own comes first ("lis" is October in
// Croatian and November in Polish), then the commonest.
//
// # What may be a date
//
// [Like] and its relatives look at the form of a text alone, without a language: the cheap
// question of those who search a page for the place of its dates.
package dates
