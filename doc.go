// Package awarc is the tour of the system; it holds no code.
//
// awarc archives web sites knowing what software runs them. Read the folders
// in this order:
//
//	cmd/       how a crawl is put together and started
//	engine/    what happens to one URL, step by step
//	frontier/  which URL is next, and when its host may be asked
//	kb/        what we know about web applications
//	plugins/   how strangers extend that knowledge, safely
//	relax/     how a pattern bends when a page no longer fits it
//	testsites/ small worlds in which all this is proved
//	yfilter/   how thousands of patterns are matched in one pass
//
// ARCHITECTURE.md describes the life of one URL step by step, RATIONALE.md
// the decisions and the rejected alternatives. imports_test.go is the
// import graph as a statement of policy.
package awarc
