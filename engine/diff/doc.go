// Package diff compares two crawls of a site object by object. It finds edited posts, deleted
// threads and new comments.
//
// Two objects are the same if their names differ at most in http and https. The name is the
// permalink that the page declares, or the address of the page with the number of the post. Run
// compares title, text, creator and thread of the last captures, and ignores white space. It does
// not compare the bytes of pages.
//
// # Missing objects
//
// An object has vanished only if the second crawl fetched its page and the page no longer shows the
// object or is gone (404, 410). Otherwise Run reports it as not seen again, with the reason if
// known.
//
// # Bounds
//
// Run reads both indexes once and reports differences as it finds them. The comparison of the words
// of two long texts stops after one second.
package diff
