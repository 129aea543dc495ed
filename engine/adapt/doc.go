// Package adapt mends the actions of the knowledge base where a template is not the one that they were written for: section 6 of Faheem &
// Senellart, "Intelligent and adaptive crawling of Web applications for Web archiving" (2013).
//
// # Terminology
//
// A fault is what cannot be right in a harvest ([Judge]). A place is the spot of the knowledge base whose action failed. A candidate is an
// expression that could take its place: mostly a relaxation (package relax) of what is there, else a proposal read off the page. A record
// is the node of one object. An entry (kb.Entry) is a candidate with where it comes from, ready to stand beside the original, which is
// never touched.
//
// # One page
//
// [Mend] lays the page out in lists ([index]), so that a candidate costs microseconds. It does not enumerate relaxations and try them one
// by one. It asks what is on the page: elements that a template makes alike form a group, and for each group that could be the missing
// thing, relax.Nearest gives the cheapest relaxation that selects it. So nothing is tried that the page cannot match, and a renamed class
// is found whatever its new name.
//
// Objects come first, then their fields relative to them. Where the nodes of objects are lost, one change of the template may explain it:
// the name or tag of an element is another now, and what else an expression asks for is there ([session.changedSets]). If that finds all
// that is required it is taken. Else groups of the page are weighed as record sets: each should hold a date, together they should hold the
// text of the page, and all should get an id of their own. The best few are planned with all their required fields, and the plan that makes
// most sense wins if it beats the next one that reads the page differently.
//
// Which candidate a field is, if any, is a question ([Question]): each answer is described by named features, one function each ([Doc]),
// and so is that none is right. Dates parse, follow the order of the page and link to their object; names are short, vary and lead to
// profiles; a title is in the page's title, or a heading; a content is the text that is in one record only and that no other field holds.
// Names count too: the [Lexicon] knows with which words the templates of all types mark an author or a date, so that sibling types help.
// Candidates that give the same values are one answer. How much each feature counts, and how sure an answer must be, stands in weights.tsv,
// which `awarc eval fit` learns from pages whose truth is known (package rank); its head says what is set by hand. Only what cannot be is
// left out before: what gives nothing in most records, what an earlier crawl contradicts, a content with some of its text twice. Where no
// answer is sure nothing is learned: a missing value is better than a wrong one.
//
// Where no condition tells the objects apart, as with tables in tables, the mark that names each does: an anchor with its number
// ([session.holders]). What is there once is never learned so.
//
// [MendLevel] does the same for a page of which only the type is known. Themes and versions of an application change its templates and keep
// its addresses: where the type's URL rules tell the level of the page's own ([kb.URLRules.Level]), it is of no other, and how far a
// candidate is from what is written says little. Else a page is of the level whose actions make sense of it, first of one whose required
// fields are all there as they were. The pattern is chosen last: of an address what tells it, of a list its links, else a relaxation.
//
// Of a page that is one text nothing repeats. What it states of itself for programs ([session.statement]) tells that it is an article where
// nothing else does, and what its author, date and title are: a candidate that agrees is believed, and where the statement stands is one
// itself. Its main text, found generically, says which texts are not it. Where nothing tells its level it is of one that needs a date, if
// that, its title, its text and its author are found and all sure: a title and a text are on any page.
//
// Of the text of a page what the template says of that page is cut out ([furnisher]): links that do something with the page or lead into
// it, its address, and who changed it and when. It is looked for where an author cuts something out, and what is learned cuts beside that.
// A field that such a page need not have is found by the words that its author cuts it out of ([session.worded]).
//
// A page that passes for a list and holds the texts of a topic is one of a topic whose pattern broke ([judge.mistaken]).
//
// Navigation is mended too, which the paper leaves open ([session.routes]). A navigation action is a column of links whose targets share an
// address family. The links of a page are read once ([anchor]); columns are relaxations, groups of links, and what their addresses have in
// common. Features of a column say whether it is the action's. Where no page that is known had further pages, or a list its
// contents, what the type is tells that there may be some.
//
// # A crawl
//
// A [Learner] believes a candidate when further pages of the level confirm it. Until then its pages are pending. It remembers what could
// not be mended, so that the siblings of such a page are tried a few times only, and drops entries that begin to fail. Learners of one
// crawl in several processes hear each other's [Evidence].
//
// # What it cannot do
//
// An action that yields something is left alone, right or wrong: objects of which the original still selects some are not completed, and a
// fallback that catches the wrong text keeps it, unless that can be no name ([Silenced]); a name that stands in another element where its
// person is no member stays missing there.
// Ids are built by the templates of the knowledge base from an id or a name on the object or in it; where there is none, the object stays
// lost. So are fields in a row that follows that of their object, unless the template is unknown. A list whose address tells nothing, and
// that names few pages of what it leads to, is not told: the frontier then follows all links of the page.
package adapt
