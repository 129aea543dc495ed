// Package testsites serves synthetic web sites for tests of a crawler. They answer as WordPress,
// phpBB and vBulletin do, are generated from a seed in any size, and publish the truth about their
// content.
//
// [New] makes a site from the name of a CMS and of one of its templates; [Names] lists the pairs. A
// site is an [http.Handler]. It works under any host and port, because its links are relative or
// use the host of the request, like the links of the real software. [Options.Prefix] puts it under
// a path, and [Mux] serves several sites on one host: a forum under /forum/ and a blog under
// /blog/.
//
// The sites reproduce the real software: its URL schemes, the nesting of elements with their ids
// and class names, date formats, cookies, headers and redirects. They also reproduce its noise,
// which outnumbers the content by ten to one: print views, single posts, reply and quote links,
// feeds, sort orders, member lists, calendars, session ids for clients without cookies. The wording
// is our own. No page is shaped to one crawler: a pattern that works on these pages is likely to
// work on real ones. The tests apply the same structural expressions to saved real pages.
//
// # Terminology
//
// A world is the content before any markup: a board (forums, topics, posts, users) or a blog
// (posts, pages, comments, terms). It is computed from the seed on demand. A site keeps only a few
// integers for each post, so a million posts fit into memory.
//
// A template is the markup of one theme or style, in templates/CMS_TEMPLATE.txtar. The file has one
// section for each kind of page.
//
// The truth of a site ([Site.Truth]) lists its objects, with the fields that a reader of the page
// can see, and its canonical pages: the pages of content and of lists that an archive needs, each
// under its one preferred URL. All other answers of the site are noise.
//
// A trap is an endless part of a site: a calendar of all years, paths that nest for ever, session
// ids that change with each answer, a page that never stops sending. Traps are off by default, see
// [Options.Traps]; without them a walk over all links ends.
//
// A fault is a wrapper that makes any handler misbehave in one way: [Slow], [Unavailable],
// [Garbage], [Endless], [RedirectLoop], [RobotsError], [CutShort].
package testsites
