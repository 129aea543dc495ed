// Package graph says in RDF what a crawl found: it turns the objects of a captured page into N-Quads.
//
// # Graphs
//
// Each capture has a named graph, named by the WARC-Record-ID of its response record. What a page says is stated there;
// so extracting a page again, or dropping a capture, means replacing one graph. The result of a plugin is in a graph of its
// own ([EncodeFound], [Said]). Statements about captures (URL, time,
// place in the WARC files, knowledge base used) are in the graph Meta.
//
// # Vocabulary
//
// Objects are in SIOC: forums, threads, posts and accounts in sioc, blog posts, comments and wiki articles in sioct.
// Titles and dates are in Dublin Core terms, names of accounts in FOAF, provenance in PROV-O. The subject also gets the
// schema.org class that matches, for tools that know only that. What none of them has a property for is in the
// namespace NS, which Vocabulary explains. Class and Property hold the whole mapping, and check names that a knowledge base
// gives.
//
// # Names of things
//
// There are no blank nodes: they would make two extractions of one page differ. A post is named by its permalink, or by
// the page and a fragment with its id; the extractor decides. An account is the address of the profile page, as the
// account that the profile page itself describes; where a page links to none it is the Skolem IRI
// /.well-known/genid/acct-NAME of the site, which merges guests of one name, but not with members. So a topic that is only
// a word is /.well-known/genid/topic-WORD, a skos:Concept with the word as its label.
//
// # Terminology
//
// A statement is a quad: subject, property, value, graph. To encode is to write statements as N-Quads. A field is what a
// knowledge base extracts; a property is what a field becomes.
//
// # Caveats
//
// Encode keeps the statements of one page in memory. Dates are typed only when a page writes them, or the extractor
// rewrote them, in the form that XML Schema wants; all other dates stay as they were found.
package graph
