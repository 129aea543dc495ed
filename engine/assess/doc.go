// Package assess scores the pages and links of a crawl: step 9 in the
// life of one URL.
//
// A page is cut in parts. The built-in modules of package score and the scorers
// among the plugins give the page and each of its links their opinions, which
// are aggregated by the weights of the user, or by what was learned of them.
// Extractors among the plugins see the same parts.
//
// # Terminology
//
// An assessment is what modules and plugins made of one page and its links. The
// worth of a page is its score by the user's weights alone. A lesson is what a
// page yielded, attributed to the link that led to it.
//
// An [Assessor] keeps what must outlive the process in settings of the frontier. It is
// safe for concurrent use.
package assess
