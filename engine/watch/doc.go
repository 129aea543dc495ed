// Package watch decides which pages of a finished crawl are fetched again, and when.
//
// A page's rate of change is estimated by a Gamma-Poisson model. Its prior is learned from all pages
// of the same site and level ([Fit]). Without signals, the refresh rates that maximise freshness
// under a budget follow Azar et al. 2018 ([Allocate]). [Gain] orders the pages such that fetching the best
// first approaches these rates without a plan for each page.
//
// A signal is a statement of one page that another one changed: a row of a list of recent changes,
// the "last post" of a topic, the lastmod of a sitemap. The [Group] of a page learns how often its
// signals are right, and which share of the changes they announce. Both enter the gain as in
// GREEDY-NCIS (2025): a signal acts like the time in which a change becomes as probable, and only
// the changes that no signal announces are waited for.
//
// The package is pure: it has no clock, file or network. Times are days since 1970.
package watch
