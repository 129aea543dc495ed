// Package engine runs a crawl: it is what happens to one URL, step by step.
//
// The steps are the sub-packages fetch, detect, extract, adapt, assess, archive and graph.
// They are independent; the engine carries the result of one to the
// next. ARCHITECTURE.md describes the life of one URL step by step.
//
// # Terminology
//
// A visit is one lease of the frontier turned into one outcome. A capture is
// one HTTP exchange in the archive; a visit may make several (robots.txt
// first). A prerequisite is an exchange that must come before the one that was
// leased: the lease is then deferred, not tried. A page result is what an answer
// says and what follows from it: type, level, objects, links. A page is an HTML answer with status 200.
//
// # Concurrency
//
// Workers are equal; each takes one URL through all steps. There are no
// channels between steps: the order within a URL is plain code. A worker that waits for a
// URL and requests it holds one of the seats, whose number bounds the requests
// at a time; a worker that reads and archives an answer has returned its seat. What workers
// share is the frontier, the archive and the memory of types by path prefix.
//
// # Crashes
//
// A visit archives before it acknowledges: the capture is in a WARC file, and
// made durable by the frontier's commit hook, before the frontier's transaction
// marks the URL as done, adds its links and counts its objects. After a kill at
// any moment a URL is done with its capture kept, or comes again.
package engine
