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
// A family is what the caller puts off together: URLs that may be a trap, or any that can wait. To draw
// is to schedule a URL that is put off.
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
// # Put off
//
// A URL that comes with a Family is accepted, but waits behind all else, and so does one that is leased and settled
// as PutOff. It is scheduled when somebody names it without a family, or when it is drawn: then it comes
// before others of its host, and Lease.Drawn says so. Which URLs are put off, and why, is the caller's to decide; what it
// learns of a family it says with Outcome.Families.
//
// As leases end, URLs are drawn as long as the requests for drawn ones stay at most Options.PutOffShare of all requests of the
// crawl's life, those of the drawn ones that are pending included. When nothing else is pending or leased, but in domains that
// are off or have used up their budget, they are drawn without regard to the share. A URL whose
// domain is stopped is not drawn. Families take turns: the one of which the fewest were drawn comes first, within it the
// URL that was found first. A family gives nothing more once it is closed or has given Options.PutOffLimit URLs, until
// [Frontier.Reopen]; what waits in it then stays in the file, and Next returns ErrDrained without it.
//
// Few drawn URLs are pending at a time, four of a family and 256 of all, so that a family which is closed
// is overdrawn by no more than that, and one whose host does not answer holds up no other.
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
// vacated, with their entries; and all families, which it does not keep. Without the snapshot, or with one that
// is damaged or of another time, it reads all entries.
//
// After a restart each host waits its least wait once, because a request may
// have been under way when the process died.
//
// # Memory
//
// In memory are the hosts that have pending URLs (300 bytes each), their domains, the rules, the
// leases, the drawn URLs that are pending, a few counts, and 9 to 12 bytes for each known URL, which tell where its entry is. The
// places of the last URLs to be scheduled, half a million to two, are in memory, too, and merged into the
// queues of the file by and by; so are as many places that URLs have left. Other queues, families, entries and
// notes are read from the file when they are needed. The read transactions are short, and everything is copied out
// of them. On Linux, mapped pages of the file are given up when the process holds more than 1,920 MiB, or more than 1 GiB of the file, in memory.
package frontier
