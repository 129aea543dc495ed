// Package score scores a page and each of its links for a
// crawl: the online analysis of section 4.2 of Plachouras et al. (2014,
// "ARCOMEM Crawling Architecture").
//
// A [Definition] is the intelligent crawl definition: the topic of the crawl and
// the weight of each opinion. Its keywords, entities and reference pages
// become a [Topic], a vector of stemmed terms.
//
// A [Page] is a fetched page as modules see it: the texts of its parts, which
// the application-aware helper cut out, and its links, each with its anchor
// and the paragraph around it.
//
// A [Module] has an [Opinion] of a page: a score of the document, of each link,
// or of both, from 0 to 1. It may have none. Built in are text similarity to
// the topic at three granularities (document, paragraph, anchor), URL
// patterns, the page's language, a blacklist of hosts, an ontology, link
// patterns, and the knowledge base: the action of a link and its level. Plugins are
// modules too.
//
// An [Aggregator] makes one score of all opinions: a weighted average with the
// weights of the user. All links inherit an opinion that has a score of the
// document only. The [Verdict] keeps every part, so that each score can be
// explained.
//
// Learned weights ([Learner]) are the future work of section 5 of the D5.2
// report: when a page has been fetched, its yield is compared with the scores
// that the modules had given the link to it.
//
// Vectors of short texts are coarse: an anchor of two words is either on the topic
// or not. The user may change its weight.
package score
