// Package draft proposes a type of the knowledge base for a site of unknown software, from pages that
// a crawl archived.
//
// Pages whose addresses have one form are a group. The record reader (engine/read/records) finds the
// posts on each page; an expression counts by the posts of all pages of the group for which it selects
// the node that the reader chose. Where pages have too few posts to be read alone, several are read as
// one. Articles are the text of a group that few of its pages share.
//
// Of the numbers in an address, one names the further page of an object if pages that differ in it link
// to each other, have titles alike and texts that differ. Addresses are other addresses of an object if
// their pages show its texts, declare it as canonical, or redirect to it. Lists are the groups whose
// links lead to threads, found backwards from these.
//
// A site whose articles have links to edit them is a wiki: its articles lead to each other.
//
// A draft is a beginning for an author: "kb lint" and "kb test" pass on it, and a crawl can use it.
package draft
