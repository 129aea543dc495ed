// Package diff tells what changed between two crawls of a site, object by object: a post that was edited, a thread that was deleted, a
// comment that is new.
//
// Objects are the same when they have the same name, but for http and https: the permalink that the page gives, or its address with the
// number of the post. They are compared as the last captures of each crawl have them, by title, text, creator and thread; white space
// does not count. How bytes of pages differ is nobody's business here.
//
// # What is not there
//
// An object that the second crawl does not have has vanished only where that crawl asked for its page: the page is there without it, or is
// gone (404, 410). Otherwise it was not seen again, and why is said as far as it is known.
//
// # Bounds
//
// Both indexes are walked over once, and what differs is told as it is found. Of two long texts the words are compared for a second at
// most.
package diff
