// Package complete says how much of what the pages of a crawl say that there is was saved: of each thread its pages and posts, of each
// post of a blog its comments, of each list what is in it; and why pages are missing.
//
// What pages say ("120 posts", "page 1 of 12", "2000 replies") is in the graph, as counts; see [graph.Count]. What was saved is there, too.
// Why a page was not is in the frontier. Both are read once, from end to end, into a database in a temporary file, so that memory is
// bounded however large the crawl is, and nothing is changed in its folder.
//
// # Terminology
//
// A thing is what content is in: a thread, a post of a blog, a page. Its items are its posts, comments or answers. A list leads to
// things: a forum, the archive of a month. Pages of a thing or list have one address but for paging.
//
// # Caveats
//
// Nothing is guessed: if no page states a number, the report has none. Counts come from the page that was read last, the
// thing's own before a list's; later posts are not missing, and removed posts cannot be distinguished from missing ones.
package complete
