// Package testsites holds small worlds in which a crawler can be proved: web sites that answer as WordPress, phpBB and
// vBulletin do, generated from a seed, of any size, and knowing the truth about themselves.
//
// A site is made by [New] from the name of a CMS and of one of its templates; [Names] lists the pairs. It is an
// [http.Handler] and works under any host and port, because its links are relative or use the host that the request
// named, as those of the real software do. [Options.Prefix] puts it under a path, and [Mux] serves several on one host:
// a forum under /forum/ and a blog under /blog/.
//
// What is true of the real thing is true here: the URL schemes, the nesting of elements with their ids and class names,
// the date formats, cookies, headers and redirects; and the noise, which outnumbers the content by ten to one: print
// views, posts by their own number, reply and quote links, feeds, sort orders, member lists, calendars, session ids for
// clients without cookies. The wording is our own. Nothing is shaped to one particular crawler: a pattern that works on
// these pages has a fair chance on real ones, and the tests hold the same structural expressions against saved real pages.
//
// # Terminology
//
// A world is the content before any markup: a board (forums, topics, posts, users) or a blog (posts, pages, comments,
// terms). It is computed from the seed on demand; only a few integers a post are kept, so that a million posts fit.
//
// A template is the markup of one theme or style, in templates/CMS_TEMPLATE.txtar; the file has one section a page kind.
//
// The truth of a site ([Site.Truth]) is the list of its objects, with what a reader of the page can know of each, and of
// its canonical pages: the pages of content and of lists that an archive needs, each under its one preferred URL.
// Everything else that the site answers is noise.
//
// A trap is a part without end: a calendar of all years, paths that nest for ever, session ids that change with each
// answer, a page that never stops sending. Traps are off unless [Options.Traps] says otherwise; without them a walk
// that follows every link ends.
//
// A fault is a wrapper around any handler that misbehaves in one way: [Slow], [Unavailable], [Garbage], [Endless],
// [RedirectLoop], [RobotsError], [CutShort].
package testsites
