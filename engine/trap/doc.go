// Package trap finds the places of a site that have no end: calendars, session ids in
// links, relative links that grow, pages that exist whatever they are called.
//
// A trap is told from a large site by what comes back, never by how addresses look: of
// /details/123 and /details/456 nobody knows whether they are one page. So no page is
// left out because it looks like another; only these rules apply, and all of them
// bound the requests that a trap can cost:
//
//   - [Shape] refuses addresses that no person wrote: a path that repeats itself, or is
//     deeper or longer than any site's, a query that holds itself.
//   - A page that is the tenth copy of another leads nowhere. Soft 404s and
//     near-duplicates end so: their copies are fetched, the links of these are not.
//   - A parameter that made no difference on several pages that differ otherwise, and a
//     difference on none, is a session id. Of the pages that differ by it alone, one is fetched.
//   - A family of pages that for a long time led from one to the next without a word
//     that was not there before, whatever the numbers, is endless: a calendar. Those
//     that were found within it are not fetched any more. Words of letters and digits
//     count where a page has many that are new, not where it has one or two, which may be
//     drawn for each request.
package trap
