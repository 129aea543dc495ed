// Package diff compares two crawls of a site, object by object: a post that was edited, a thread that was deleted, a
// comment that is new.
//
// Objects are the same when they have the same name, but for http and https: the permalink that the page gives, or its address with the
// number of the post. They are compared as the last captures of each crawl have them, by title, text, creator and thread; white space
// does not count. Differences between bytes of pages are ignored.
//
// # Missing objects
//
// An object that the second crawl lacks has vanished only if that crawl fetched its page: the page no longer shows it, or is
// gone (404, 410). Otherwise it was not seen again, with the reason if it is known.
//
// # Bounds
//
// Both indexes are read once, and differences are returned as they are found. The words of two long texts are compared for a second at
// most.
package diff
