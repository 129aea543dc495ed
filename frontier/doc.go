// Package frontier decides which URL is fetched next and when its host may be
// asked, and remembers both across crashes.
//
// A crawl hands every URL it discovers to [Frontier.Add] (or, together with the
// page that named it, to [Frontier.Done]); workers call [Frontier.Next] in a
// loop, fetch what they get, archive it and settle it with Done:
//
//	f, err := frontier.Open(dir, frontier.Options{Delay: time.Second, BeforeCommit: archive.Sync})
//	...
//	for {
//		lease, err := f.Next(ctx)
//		if errors.Is(err, frontier.ErrDrained) {
//			break
//		}
//		...
//		err = f.Done(lease, frontier.Outcome{State: frontier.Fetched, Links: links})
//	}
//
// # Terminology
//
// A URL is known by its key: the canonical spelling under which two addresses
// of one document are the same. The frontier does not canonicalise; it takes
// the key that comes with the URL.
//
// An entry is what the frontier knows about a key. Its [State] is Pending until
// it is settled as Fetched, Failed, Excluded or Aliased (captured under another
// key). While it waits in a family it is PutOff.
//
// A family is a group of deferred URLs: those that may be a trap, or any that can wait. To draw is to lease a URL of a family.
//
// A host is the authority part of a URL, see [HostOf]: the unit of politeness.
// It has a pace (its least wait, the time before which it must not be asked, its
// IP address) and a note, bytes that belong to the caller, such as its robots.txt.
//
// A lease is the right to fetch one URL now. It ends exactly once, by Done with
// an [Outcome]. Leases live in memory only: when the process dies they are
// gone, and their URLs, which never left the queue on disk, come again.
//
// To settle is to give an entry its final state. A retry, a return
// (Defer) or putting the URL off ends a lease without settling the entry.
//
// # Order
//
// Within a host, URLs come by falling priority, those of equal priority in the
// order in which they were first added; a URL that was returned (by Defer) comes before all others,
// then those that are immediate.
// A URL whose back-off is over competes with the rest of its host by that same
// rule; of several such URLs the one that was due first comes first.
//
// Priorities change: each page that names a scheduled URL, and each call of Add,
// gives it one more priority, and [Update] says what follows (section 4.4 of
// Plachouras et al. 2014, "ARCOMEM Crawling Architecture"). A URL's place in its
// queue can be computed from its entry, so moving it is constant work. With
// Options.Batch, links wait for the end of a batch of pages and take in
// priorities meanwhile.
//
// Among the hosts that may be asked, those of a higher [Rule] priority come first,
// and of these the one that was least recently given a turn, of Options.PerTurn
// leases (with Options.BestFirst: the one with the most valuable URL); a host that is new, or new again after it had nothing
// pending, joins at the end. So a host with a million URLs and a host with one
// take turns. Otherwise priorities are not compared between hosts. After a restart the
// hosts start in the order of their names.
//
// # Deferred URLs
//
// A URL that comes with a Family is accepted, but deferred: it waits behind the other URLs of its host. The same happens to a URL whose
// lease is settled as PutOff. A deferred URL is scheduled when it is named without a family. Otherwise it is drawn: leased from its
// family, which Lease.Drawn reports. Which URLs are deferred, and why, the caller decides; it keeps what it learns of a family by
// Outcome.Families.
//
// Hosts draw for themselves, whatever others have pending or leased. A host whose turn it is draws a URL
//
//   - where none of its scheduled URLs is due and none of its pages is being read (see [Frontier.Answered]), since such a page may
//     lead to better URLs,
//   - and by its share: as long as its requests for drawn URLs stay at most Options.PutOffShare of all its requests, if all that are
//     drawn and pending were requested now. Then the drawn URL comes before all others but those that were returned or drawn before.
//
// The families of a host take turns: the one of which the fewest URLs were drawn on this host comes first, and within it the URL that
// was found first. A family gives nothing more once it is closed or has given Options.PutOffLimit URLs in all, leased ones included,
// until [Frontier.Reopen]; its URLs then stay in the file, and Next returns ErrDrained without them. A family that is closed is
// overdrawn by no more than the leases of that moment. Nothing bounds how many drawn URLs back off: they hold up nothing.
//
// # Politeness
//
// At most Options.PerHost leases exist at a time for one host and for one IP
// address, as far as the addresses are known (a host's address is learned from the
// outcome of its first exchange), and at most PerDomain for one pay-level domain. A lease whose exchange is over, see
// [Frontier.Answered], does not count.
// Each of the three has a least wait between two requests. A domain may have a
// [Rule] of the operator, which may change at any time, and a budget by [InDegree].
//
// # Durability
//
// Everything is in one bbolt file (a second one only saves time, see below). Every change is one transaction or part of
// one: concurrent calls of Add and Done are merged by a single committer into
// one transaction with one fsync, and each caller returns when its own change is
// durable. Options.BeforeCommit runs before each commit; an archive that syncs there
// never misses a capture that the frontier believes to be done. The price of that
// order is that a crash between the two repeats a capture.
//
// When a commit fails, for instance on a full disk, all its callers get the
// error, nothing has changed on disk or in memory, and the leases are still held.
//
// What memory holds follows from the file. Open reads the hosts, a snapshot of the table of
// known URLs, and the last entries: one to five million, whose queues may not be merged, and those that are
// younger than the snapshot, four million or a fifth of all at most; and the log of places that are
// vacated, with their entries; and how many URLs wait in closed families. Without the snapshot, or with one that
// is damaged or of another time, it reads all entries.
//
// After a restart each host waits its least wait once, because a request may
// have been under way when the process died.
//
// # Memory
//
// In memory are the hosts that have pending URLs or such as may be drawn (300 bytes each), their domains, the rules, the
// leases, a few counts, and 9 to 12 bytes for each known URL, which tell where its entry is. The
// places of the last URLs to be scheduled, half a million to two, are in memory, too, and merged into the
// queues of the file by and by; so are as many places that URLs have left. Other queues, families, entries and
// notes are read from the file when they are needed. The read transactions are short, and everything is copied out
// of them. On Linux, mapped pages of the file are given up when the process holds more than 1,920 MiB, or more than 1
// GiB of the file, in memory.
//
// # Numbered entries, found by a table in memory
//
// A file in the order of hashes has to read and rewrite one of its pages for each new URL, and one in the order of hosts does so within
// large sites. Numbered entries are appended: a hundred new URLs fill five pages, full to nine tenths instead of half. Where the entry
// of a key is, a table tells: 32 bits of a hash and the number, 9 to 12 bytes a URL, not a filter that only says "perhaps". A new URL
// reads nothing; of a known one the entry is read, which says whether it is the one. A link to a known URL writes nothing unless it
// changes the entry, which a look at a few of its bytes tells. Rejected: a Bloom or cuckoo filter before an index in the file, which
// answers for the new URLs but leaves the index to be written in the order of hashes; DRUM, which answers late and loses what waits when
// the process dies. The price is memory in proportion to the URLs. The table lies outside of Go's heap, which the collector would let
// grow to twice its size.
//
// The table is saved when the frontier closes and when it has grown by a quarter, so that opening reads only the entries after that. The
// snapshot carries a random name that the frontier's file repeats: one of another time, as when a copy of the file was put back, is not
// believed, and all entries are read instead. So a snapshot saves time and is never wrong. The hash is SipHash with a random key, since
// the one of Go's library gives other values in the next process; the key is secret, so no site can choose URLs that collide.
//
// # Recent places in memory, queues in blocks
//
// A link to another host, one of five, touched the host's record and its queue, each on a page of its own somewhere in the file: 2.4 KB
// were written for each link at a million URLs, 3.2 at five million. But a queue is derived: that a URL is scheduled, and where it
// stands, follows from its entry. So a new URL writes its entry, at the end of the file, and nothing else. Its place in the queue is
// kept in memory; when half a million have gathered, or four for each host that has some, a sweep merges them into the queues on disk,
// host by host in the order of the file, some hundred with each commit, so that a page is rewritten for many URLs at once and no commit
// is long. (A sweep costs what its hosts do, so the more hosts there are, the more is awaited.) Each host's record says up to which
// entry its queue is merged, and the file up to which entry all are. Opening reads the entries behind that, one to five million, and
// finds the places again: a crash in the middle of a sweep loses nothing, since each part of it is in one transaction with what it says.
// It is the memtable of a log-structured store, with the entries as its log.
//
// The queues on disk are in blocks: one key for up to 256 URLs of one host and priority, with the differences of their numbers. The
// smaller they are, the more of them is in the system's cache when a sweep comes, which touches every part of them. With both changes a
// link at a million URLs writes 1.0 KB instead of 2.4, and a URL takes 207 bytes on the disk instead of 289 (BENCHMARKS.md).
//
// Rejected: one transaction for the whole merge, which would hold tens of thousands of pages in memory and stop everything else; runs
// that are merged level by level, as in Pebble, since Next would have to look into each of them for each host; a file without its list
// of free pages, since bbolt would then read all of it at the next opening.
//
// An old URL that leaves its place in the bucket, because it is settled or its priority has changed, does not rewrite its queue either:
// the place is vacated. One record a commit, appended to a log, names the places vacated by it; who reads the queue passes over them,
// and the sweep takes them out while it is at the host. A URL that is ready at another priority is recent like a new one. Opening reads
// the log, and from the entries that it names where they are now. So a raised priority rewrites one page of entries and the branches
// above it, and no page of the queues and hosts, and 21 million URLs took 24 us of processor time a link instead of 28. What is left is
// that page: entries could be appended again instead, but then every place that names an entry would have to find its last version.
//
// # Hosts are numbers, not pointers
//
// Go's collector walks every pointer that is in use. A host was an object with two gates of its own, times with a zone, names and
// slices: some twenty-five pointers and ten objects, and at 100 million URLs, with 400,000 hosts to be asked, a third of the processor's
// time went into walking them. Now hosts and gates are plain structs in large pieces of memory and refer to each other by 32-bit
// numbers, times are nanoseconds, sets are lists through their members, and maps go from a hash to a number. What is left to walk is two
// names. A host whose address is not known needs no gate of its own: its own limit says the same. 36 us a link at 20 million URLs became
// 28. Rejected: a higher percentage for the collector, which a library should not set for its program, and memory outside of Go's heap
// for hosts, where a mistake would be a crash.
//
// # Callers look up known links, in pages that they read themselves
//
// Half of all links are to known URLs, and each must be compared with its entry, which lies anywhere in a file that does not fit into
// memory. The committer did that one after the other: at 100 million URLs one link in seven waited for the disk, and most others cost a
// page fault. Now callers look up their links before they hand in their change, and leave only those to the committer that change
// something. That is exact: an entry that a link would leave as it is now, it would leave so at the commit, too, because the best
// priority taken in only rises, the hops only fall, and what is settled stays settled. Where that is not so (Last, Avg, Sum, or a link
// that sets a priority), the committer looks at all links as before.
//
// A page fault holds one of Go's few processors until the disk answers, so sixteen goroutines that fault wait one after the other;
// sixteen that read do not. So the look-ups read pages of the file with the ordinary call, which means that we read bbolt's tree
// ourselves: 100 lines that know four fields of a page. The read transaction keeps the pages as they are. Every length in them is
// checked, and what looks wrong is left to the committer, which goes through bbolt. With the same file of 100.5 million URLs, 15,800
// links/s in the mapped file became 19,800.
//
// bbolt maps all of its file, and what was read stays resident. So parts of the mapping are given up, one eighth at a time, when the
// process holds more than 1,920 MiB in memory or 1 GiB of the file: the more memory is free, the fewer faults.
//
// # Gates, not one heap of hosts for each address
//
// A host is behind two things that must not be asked too often, its address and its pay-level domain, so it would have to be in two
// heaps at once. A gate keeps the hosts that came to it while it was closed, and lets one go on when it opens: a thousand hosts behind
// one address cost no more than one, and the order stays exact. The model checker states the rules over plain maps and compares every
// lease, through crashes.
package frontier
