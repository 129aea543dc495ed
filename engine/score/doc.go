// Package score scores a page and each of its links for a
// crawl: the online analysis of section 4.2 of Plachouras et al. (2014,
// "ARCOMEM Crawling Architecture").
//
// A [Definition] is the intelligent crawl definition: what the crawl is about
// and how much each opinion counts. Its keywords, entities and reference pages
// become a [Topic], a vector of stemmed terms.
//
// A [Page] is a fetched page as modules see it: the texts of its parts, which
// the application-aware helper cut out, and its links, each with its anchor
// and the paragraph around it.
//
// A [Module] has an [Opinion] of a page: a score of the document, of each link,
// or of both, from 0 to 1. It may have none. Built in are text similarity to
// the topic at three granularities (document, paragraph, anchor), URL
// patterns, the page's language, a blacklist of hosts, and what the knowledge
// base says of the link: its action and the level that it leads to. Plugins are
// modules too.
//
// An [Aggregator] makes one score of all opinions: a weighted average with the
// weights that the user gave. An opinion of the document alone is passed on to
// all its links. The [Verdict] keeps every part, so that each score can be
// explained.
//
// Learned weights ([Learner]) are the future work of section 5 of the D5.2
// report: when a page has been fetched, what the modules had said of the link to
// it is compared with what the page turned out to be.
//
// Vectors of short texts say little: an anchor of two words is either on the
// topic or not. The anchor's score is therefore a strong hint at best, and its
// weight is the user's business.
package score
