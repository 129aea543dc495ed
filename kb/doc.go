// Package kb is what awarc knows about web applications: the knowledge base of
// section 4 of Faheem & Senellart, "Intelligent and adaptive crawling of Web
// applications for Web archiving" (2013).
//
// # Terminology
//
// A category (forum, blog) groups types. A type is the software behind a page
// (phpbb, wordpress) or, below it, a version or one site; it inherits what its
// parents know. A level is the kind of page inside a type: intermediate levels
// (a list of topics) only lead on, terminal levels (a topic) also hold content.
// Several level elements may share an id: they are variants, one for each
// family of templates, tried in the order of the file.
//
// A pattern decides whether a page is of a type or level. It is an expression
// of the fragment in package yfilter/xpath over the virtual document that
// package yfilter builds. A strong pattern decides alone; of weak ones it takes
// two.
//
// An action says what to do on a page of a level. A follow (the paper's
// navigation action) selects links and names the level they lead to; an object
// (a group of extraction actions) selects what a page holds, each field with
// its RDF property. Actions may use full XPath 1.0; those inside the fragment
// have an implicit leading "//" as patterns do.
//
// URL rules say which of several URLs is one page: parameters that never change
// the content, values that are the default, forms that mean the same.
//
// # Life
//
// [Load] reads XML sources, checks everything and returns an immutable [Base],
// or an [Errors] value naming file, line, column, element and what was
// expected; nothing is ever half-loaded. Later sources add to earlier ones: a
// type id that is known already is extended, its levels replaced by id and
// variant. A Base is safe for concurrent use.
//
// # For authors
//
// README.md is the way in. awarc-kb.xsd is the schema for editors; tests hold it
// to what the reader accepts. [Lint] finds what loads but will not do what its
// author expects. An [Example] is a saved page with what is known of it.
package kb
