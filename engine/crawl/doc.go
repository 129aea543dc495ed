// Package crawl puts the parts of a crawl together: knowledge base, frontier, fetcher, archive, plugins and engine, over a folder
// that holds all that the crawl is.
//
// [New] begins a crawl in a folder of its own, and [Resume] goes on with one that was interrupted or killed; what either opens is
// a session. [Crawl.Run] crawls until nothing is left, a limit is reached or the session is stopped, and writes the report. The
// package reads no command line and prints nothing: what a program may want to show comes as values, by the callbacks of [Events]
// and the methods of [Crawl].
//
// # The folder
//
//	archive/               WARC files and their indexes
//	graph/                 what was extracted, as N-Quads
//	log/crawl.jsonl        one line an exchange
//	log/adaptation.jsonl   one line an event of adaptation
//	log/plugins.jsonl      what plugins did and said
//	kb/learned/            what was learned and could not be written beside the originals
//	state/                 the frontier, the options, and what else resuming needs
//	state/nodes/           of a crawl of several: copies of what other nodes have, for the cockpit
//	report.json            what came of it so far, renewed while a session runs
//
// One process at a time has a folder open. A session that ends in any way, also by a power cut, leaves a folder that can be
// resumed; [Resume] reports its repairs.
package crawl
