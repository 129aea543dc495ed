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
// key).
//
// A host is the authority part of a URL, see [HostOf]: the unit of politeness.
// It has a pace (its least wait, the time before which it must not be asked, its
// IP address) and a note, bytes that belong to the caller, such as its robots.txt.
//
// A lease is the right to fetch one URL now. It ends exactly once, by Done with
// an [Outcome]. Leases live in memory only: when the process dies they are
// gone, and their URLs, which never left the queue on disk, come again.
//
// To settle is to give an entry its final state. A retry or a deferral ends a
// lease without settling the entry.
//
// # Order
//
// Within a host, URLs come by falling priority, those of equal priority in the
// order in which they were first added; a deferred URL comes before all others,
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
// # Politeness
//
// At most Options.PerHost leases exist at a time for one host and for one IP
// address, as far as the addresses are known (a host's address is learned from the
// outcome of its first exchange), and at most PerDomain for one pay-level domain.
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
// vacated, with their entries. Without the snapshot, or with one that
// is damaged or of another time, it reads all entries.
//
// After a restart each host waits its least wait once, because a request may
// have been under way when the process died.
//
// # Memory
//
// In memory are the hosts that have pending URLs (300 bytes each), their domains, the rules, the
// leases, a few counts, and 9 to 12 bytes for each known URL, which tell where its entry is. The
// places of the last URLs to be scheduled, half a million to two, are in memory, too, and merged into the
// queues of the file by and by; so are as many places that URLs have left. Other queues, entries and notes are read from the file when they are needed. The read
// transactions are short, and everything is copied out of them. On Linux, mapped pages of the file are given up when
// the process holds more than 1,920 MiB, or more than 1 GiB of the file, in memory.
package frontier
