// Package frontier decides which URL is fetched next and when its host may be requested. Both
// decisions survive a crash.
//
// The caller hands every discovered URL to [Frontier.Add], or to [Frontier.Done] together with
// the outcome of the page that links to it. Workers call [Frontier.Next] in a loop, fetch the URL,
// archive it and settle it with Done:
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
// The key of a URL is its canonical spelling: two addresses of one document have the same key. The
// frontier does not canonicalise; the caller passes the key with the URL.
//
// An entry is the record of a key. Its [State] is Pending until the entry is settled as Fetched,
// Failed, Excluded or Aliased (captured under another key). A deferred entry is PutOff.
//
// A family is a group of deferred URLs: suspected traps, or other URLs that can wait. To draw is to
// lease a URL of a family.
//
// A host is the authority part of a URL, see [HostOf]. It is the unit of politeness. It has a pace
// (its least wait, the time of its next permitted request, its IP address) and a note: bytes of the
// caller, such as robots.txt.
//
// A lease is the right to fetch one URL now. It ends exactly once, by Done with an [Outcome].
// Leases live in memory only. After the process dies, their URLs are pending again, because they
// never left the queue on disk.
//
// To settle is to give an entry its final state. Three things end a lease without settling the
// entry: a retry, a return (Defer) and a deferral (PutOff).
//
// # Order
//
// Within a host, URLs are leased in this order:
//
//   - URLs that were returned by Defer
//   - immediate URLs
//   - all others by falling priority, URLs of equal priority in the order of their first Add
//
// A URL whose back-off is over competes by the same rule. Of several such URLs, the one that was
// due first is leased first.
//
// Priorities change. Each page that links to a scheduled URL, and each call of Add, gives the URL
// one more priority, and [Update] combines them (section 4.4 of Plachouras et al. 2014, "ARCOMEM
// Crawling Architecture"). The place of a URL in its queue follows from its entry, so moving it is
// constant work. With Options.Batch, links wait for the end of a batch of pages and receive further
// priorities meanwhile.
//
// Among the hosts that may be requested, hosts with a higher [Rule] priority come first. Hosts of
// equal priority take turns, the least recently served one first, of Options.PerTurn leases each.
// With Options.BestFirst, the host with the most valuable URL comes first instead. A new host joins
// at the end, and so does a host that had nothing pending. So a host with a million URLs and a host
// with one take turns. Otherwise priorities are not compared between hosts. After a restart the
// hosts start in the order of their names.
//
// # Deferred URLs
//
// A URL that is added with a Family is accepted but deferred: it waits behind the other URLs of its
// host. A URL whose lease is settled as PutOff is deferred too. A deferred URL is scheduled when a
// page or Add names it without a family. Otherwise it is drawn from its family, which Lease.Drawn
// reports. The caller decides which URLs are deferred, and keeps its findings about a family in
// Outcome.Families.
//
// Each host draws independently of the others. On its turn, a host draws a URL in two cases:
//
//   - None of its scheduled URLs is due and none of its pages is being read (see
//     [Frontier.Answered]), since such a page may link to better URLs.
//   - Its share permits it: the requests for drawn URLs stay at most Options.PutOffShare of all its
//     requests, counted as if all drawn and pending URLs were requested now. The drawn URL then
//     comes before all others except returned and earlier drawn ones.
//
// The families of a host take turns: the family with the fewest URLs drawn on this host comes
// first, and within it the URL that was found first. A family is held when it is closed, or when
// Options.PutOffLimit URLs were drawn from it, leased ones included. No more URLs are drawn from it
// until [Frontier.Reopen]. They stay in the file, and Next returns ErrDrained without them. A
// closed family is overdrawn by at most the leases of that moment. The number of drawn URLs in
// back-off is not limited, since they block no other URL.
//
// # Politeness
//
// At most Options.PerHost leases exist at a time for one host and for one IP address, and at most
// PerDomain for one pay-level domain. The frontier learns a host's address from the outcome of its
// first exchange. A lease whose exchange is over, see [Frontier.Answered], does not count. Host,
// address and domain each have a least wait between two requests. A domain may have a [Rule] of the
// operator, which may change at any time, and a budget by [InDegree].
//
// # Durability
//
// All data is in one bbolt file; a second file only saves time, see below. Every change is one
// transaction or part of one. A single committer merges concurrent calls of Add and Done into one
// transaction with one fsync, and each caller returns when its own change is durable.
// Options.BeforeCommit runs before each commit. If it syncs the archive, every capture recorded as
// done is in the archive. In exchange, a crash between the sync and the commit repeats captures.
//
// When a commit fails, for instance on a full disk, all its callers get the error. Disk and memory
// are unchanged, and the leases are still held.
//
// The state in memory follows from the file. Open reads:
//
//   - the hosts
//   - the snapshot of the table of known URLs
//   - the entries younger than the snapshot: four million or a fifth of all, at most
//   - the last one to five million entries, whose queues may not be merged yet
//   - the log of vacated places, with their entries
//   - the number of URLs that wait in held families
//
// Without a snapshot, or with one that is damaged or out of date, Open reads all entries.
//
// After a restart each host waits its least wait once, because a request may have been in progress
// when the process died.
//
// # Memory
//
// Memory holds these data; queues, families, entries and notes are read from the file:
//
//   - hosts with URLs that are pending or may be drawn (300 bytes each), and their domains
//   - rules, leases and a few counts
//   - 9 to 12 bytes for each known URL: the table that locates its entry
//   - the places of the URLs scheduled last, half a million to two million, and as many vacated
//     places
//
// A sweep merges these places into the queues of the file. Read transactions are short, and
// everything is copied out of them. On Linux, mapped pages of the file are released when the
// process holds more than 1,920 MiB, or more than 1 GiB of the file, in memory.
//
// # Numbered entries, found by a table in memory
//
// A file in the order of hashes reads and rewrites one of its pages for each new URL, and a file in
// the order of hosts does so within large sites. Numbered entries are appended: a hundred new URLs
// fill five pages, to nine tenths instead of half. A table maps 32 bits of the hash of a key to the
// number of its entry, in 9 to 12 bytes a URL. A new URL reads nothing. For a possibly known URL
// the entry is read and compared. A link to a known URL writes only if it changes the entry, which
// a few bytes of the entry show.
//
// Rejected: a Bloom or cuckoo filter before an index in the file, since the index would still be
// written in the order of hashes; and DRUM, which answers late and loses waiting URLs when the
// process dies. The price of the table is memory in proportion to the URLs. It lies outside Go's
// heap, because the collector would let it grow to twice its size.
//
// The table is saved when the frontier closes and when it has grown by a quarter, so Open reads
// only later entries. The snapshot carries a random name that the frontier's file repeats. If the
// names differ, for instance after a copy of the file was restored, Open ignores the snapshot and
// reads all entries. So a snapshot saves time and is never wrong. The hash is SipHash with a random
// key, since the hash of Go's library differs between processes. The key is secret, so no site can
// choose URLs that collide.
//
// # Recent places in memory, queues in blocks
//
// One link of five goes to another host. It touched the record of that host and its queue, each on
// a page of its own: 2.4 KB were written for each link at a million URLs, 3.2 KB at five million.
// But a queue is derived: its places follow from the entries. So a new URL writes only its entry,
// at the end of the file, and its place in the queue stays in memory.
//
// A sweep starts when half a million places have gathered, or four for each host that has some.
// (The cost of a sweep grows with its hosts, so it waits longer when there are more.) The sweep
// merges the places into the queues on disk, host by host in the order of the file, some hundred
// hosts with each commit. So a page is rewritten for many URLs at once, and no commit is long. Each
// host's record holds the number of the last entry merged into its queue; the file holds the number
// up to which all queues are merged. Open reads the later entries, one to five million, and
// computes their places again. A crash during a sweep loses nothing, since each part is one
// transaction together with these numbers. The design is the memtable of a log-structured store,
// with the entries as its log.
//
// The queues on disk are in blocks: one key for up to 256 URLs of one host and priority, with the
// differences of their numbers. A sweep touches every part of the queues, so smaller queues mean
// more hits in the system's cache. With both changes a link at a million URLs writes 1.0 KB instead
// of 2.4, and a URL takes 207 bytes on the disk instead of 289 (BENCHMARKS.md).
//
// Rejected: one transaction for the whole merge, which would hold tens of thousands of pages in
// memory and block all other commits; runs merged level by level, as in Pebble, since Next would
// have to read each of them for each host; and a file without its list of free pages, since bbolt
// would read the whole file at the next opening.
//
// An old URL vacates its place when it is settled or its priority changes. Its queue is not
// rewritten. Each commit appends one record of vacated places to a log. Readers of the queue skip
// these places, and the sweep removes them when it reaches the host. A URL that is ready at another
// priority is recent, like a new one. Open reads the log, and the current places from the entries
// that it names. So a raised priority rewrites one page of entries and its branches, and no page of
// queues and hosts: 21 million URLs took 24 us of processor time a link instead of 28. That one
// page remains. Entries could be appended again instead, but then every place that refers to an
// entry would have to find its last version.
//
// # Hosts are numbers, not pointers
//
// Go's collector walks every pointer in use. A host was an object with two gates, times with a
// zone, names and slices: about twenty-five pointers and ten objects. At 100 million URLs with
// 400,000 active hosts, the collector took a third of the processor's time. Now hosts and gates are
// plain structs in large pieces of memory. They refer to each other by 32-bit numbers, times are
// nanoseconds, sets are lists through their members, and maps go from a hash to a number. Only two
// names remain to be walked. A host without a known address needs no gate of its own, since its own
// limit has the same effect. The time for a link fell from 36 us to 28 at 20 million URLs.
//
// Rejected: a higher percentage for the collector, which a library should not set for its program;
// and memory outside Go's heap for hosts, where a mistake would be a crash.
//
// # Callers look up known links, in pages that they read themselves
//
// Half of all links go to known URLs. Each must be compared with its entry, which lies anywhere in
// a file larger than memory. The committer did that one link after the other: at 100 million URLs
// one link in seven waited for the disk, and most others cost a page fault. Now callers look up
// their links before they submit their change, and leave to the committer only the links that
// change an entry. The result is exact, because a link that changes nothing now would change
// nothing at the commit: the best priority only rises, the hops only fall, and settled entries stay
// settled. This does not hold for Last, Avg, Sum and links that set a priority; the committer still
// looks at all of their links.
//
// A page fault holds one of Go's few processors until the disk answers, so sixteen goroutines that
// fault wait one after the other. Sixteen goroutines that read do not. So the look-ups read pages
// of the file with the ordinary system call, and the package reads bbolt's tree itself: 100 lines
// that use four fields of a page. The read transaction keeps the pages unchanged. Every length in
// them is checked, and the committer handles inconsistent pages through bbolt. With the same file
// of 100.5 million URLs, 15,800 links/s in the mapped file became 19,800.
//
// bbolt maps its whole file, and pages stay resident after a read. So the package releases the
// mapping in parts of one eighth when the process holds more than 1,920 MiB in memory or 1 GiB of
// the file. More free memory means fewer faults.
//
// # Gates, not one heap of hosts for each address
//
// Two limits apply to a host, of its address and of its pay-level domain, so it would have to be in
// two heaps at once. A gate queues the hosts that arrive while it is closed, and passes one on
// when it opens. A thousand hosts behind one address cost no more than one, and the order stays
// exact. The model checker states the rules over plain maps and compares every lease, through
// crashes.
package frontier
