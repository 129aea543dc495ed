// Package cluster is a frontier that several nodes share: package frontier's rules, over Redis Cluster or whatever speaks its protocol.
//
// A node is a process with an archive of its own. It opens the crawl's [Store], which the engine takes for a frontier, and takes part in
// the crawl until nothing is left. Nodes come and go at any time and know nothing of each other: all that they have in common is in
// Redis. What a URL, an entry, a host, a lease and an outcome are, and in which order URLs come, package frontier says; here is only what
// is different.
//
// # Partitions
//
// A crawl is divided into partitions, 256 where nothing else is said. All that is known of a pay-level domain is in one of them: its URLs,
// in any state, their queues, the pace, address and robots.txt of each of its hosts, its leases, and the counters of what was found on its
// pages; but for a domain that is too large, see below. A partition's keys have one hash tag, so they are in one slot of the cluster, on
// one server, and each operation (partition.lua) changes them whole or not at all. The tags are chosen so that partitions spread evenly
// over the slots.
//
//	entries         digest of a key -> entry: its state, priorities, place and lease, and its URL as package frontier encodes it
//	ready           number of a host, rank, priority, age, digest: the URLs that are scheduled, in order
//	waiting         number of a host, time, age, digest: those that back off
//	hosts           name -> pace, address, turn, leases
//	notes           name -> the caller's bytes
//	domains         name -> leases, time before which it must not be asked; for budgets, requests, in-degree, whether it is seeded,
//	                and in one that may be too large, how many URLs; domain, domain -> "": the second links to the first, and was counted
//	rules           name -> rule of the operator
//	above           domains with a host whose rule has a priority above 0, by the time when it may be asked
//	ready-hosts     domain, turn, host: hosts that may be asked
//	timed-hosts     domain, time, host: hosts that may be asked then
//	ready-domains   domains with a host that may be asked, by its turn
//	timed-domains   domains by the time when they will have one, or another one
//	leases          token -> digest, host, node, turn
//	expiries        tokens, by the time when the lease ends; names of amendments, by when nobody can repeat them
//	sums            how many entries are in which state, and the last of each kind of number
//	families        name -> note, counts of its URLs
//	parts           number of a family, host -> how many of its URLs were drawn there
//	put-off         number of a family, host, age, digest: the URLs that wait in it and are not leased
//	turns           number of a host, drawn, number, name: families that it may draw from
//	late            name -> changes for partitions whose servers are away
//	counters, settings, marks, addresses
//
// The keys are few and all of them are named to Redis with each operation. So while a slot moves from one server to another, Redis
// refuses operations on what is half here and half there, and nodes try again until it has moved.
//
// The ready domains are the ring of a partition: a node that wants a URL takes the domain whose host was least recently given a turn. It
// goes round the partitions, and remembers of those that had nothing when they will have something. So turns are exact within a partition
// and fair between them.
//
// # What is not in one place
//
// A page's outcome concerns other domains: links, exclusions, aliases, marks and settings go to their partitions first, then all the rest
// is applied at once with the end of the lease. All of the former may be done twice without harm. So a node that dies in between leaves
// a leased URL; who gets it next does the same again, and nothing is lost or counted twice.
//
// A server that is away for longer than Options.Failover, while others answer, is waited for no longer. Changes for its partitions are
// kept as late ones in the partition of the page, by the operation that settles it. Any node applies them when all servers answer again:
// links, exclusions, aliases and marks may come late and twice without harm; a setting may replace one that was written after it. A page
// of a lost partition cannot be settled: its lease ends, and it comes again.
//
// An IP address may have hosts of many domains. Its record is in the partition of its own name. A node that has leased a URL of a host
// whose address is known asks that record for leave; if it gets none, the lease is given back as if it had never been, and its host waits
// for as long as the record said. Those who are turned away are told different times, so that a thousand hosts behind one address do not
// come at once. The leave ends with the outcome, or by itself when the node does not renew it, and then counts as a request. It is known
// by as many replicas as any change before the request is made, and so survives a failover. It is renewed with its lease and never without:
// the leave of a lease that was lost ends by itself. Nor does a lease outlive the leave: where another host has got it, as this node could
// not renew it in time, the lease is given up.
//
// # A domain that is too large
//
// A domain of more than Options.TooLarge URLs is in one place no longer: a host that is new then has a partition by its own name, as if it
// were a domain, named after both, and those that the domain has are left where they are. So nothing is moved, and what is where follows
// from what is there: a change that names a host which its domain's partition does not have is refused as a whole, with the name; the node
// remembers that and takes it to the right place, before it does the rest. How many URLs there are is reckoned from one digest in a
// thousand, so other domains need no count.
//
// The pace of all hosts stays with the domain: a node that has leased a URL of one that is elsewhere asks the domain for leave, as it does
// with addresses, and gives the lease back if it gets none. That leave is a lease, too, is renewed with the other, and ends by itself when
// the node dies. Hosts that are with their domain have its turn as soon as it may be asked; so that those elsewhere have as many, they wait
// for some of those that were turned away, half the domain's wait at most for each: turns are nearly even. A domain
// under a budget by in-degree, in which no seed lies, is asked too seldom to be split.
//
// # Leases that end
//
// A lease lasts for a minute and is renewed four times in it. When it is not, because the node died, was frozen or cut off, it ends, the
// host is treated as if it had been asked in that moment, and the URL comes again, with a token that is greater. An outcome that comes with
// an old token is refused with [frontier.ErrLost]: it was fenced off. [Store.During] breaks off what is done under a lost lease, and
// [Store.Sure] keeps a node from beginning requests under a lease that it could not renew for three quarters of its time, until it knows
// whether it still has it. What remains is a request that was being sent in the moment when the node was frozen.
//
// # What a server loses
//
// A partition is in one slot, and the effects of an operation reach its replica and its log together or not at all. So what a failover
// loses are the last operations on a partition, whole, and in each the queues, the ring, the leases and the sums still agree. What may
// disagree afterwards is between partitions, or with what a node remembers, and each of these mends itself:
//
//	lost                        then
//	a lease that was given      its outcome is refused, and the URL comes again; tokens that are given twice are told apart by their URLs
//	the end of a lease          its node asks again, or has it from an earlier answer; else it expires
//	leave of an address         its renewal asks for it anew; what is refused is given up
//	the end of a leave          it expires, after Options.Lease
//	links to another domain     found on another page, or never: only what Options.Wait says keeps them from being lost
//	a total that bounds         nodes tell what they have counted in all, not what was new
//	what is said to all nodes   it is read again within Options.Poll; what was told and lost must be said again
//
// Where keys are gone, since a server throws them away when its memory is full or somebody deleted them, an operation that finds nothing
// to lease although URLs are pending makes the ring anew from the hosts, and the times of leases from the leases; where URLs are in no
// queue, Next returns an error instead of waiting for ever.
//
// # When nothing is left
//
// Next answers ErrDrained when no partition has a URL that is pending or leased. As they cannot be looked at in one moment, it looks at all
// of them twice, and none may have changed: a URL that was to come from one to another would have been leased in the first look.
//
// # Deferred URLs
//
// A family is in each partition where URLs wait in it; that it is closed is published to all of them, and its limit counts in each. Each
// host draws for itself, as in package frontier. A deferred URL of an expired lease waits in its family again.
//
// # Rules and budgets
//
// Every partition has all rules, so that what they say of a host is found in the operation that places it. A host whose domain is off or
// has used up its budget keeps its seat, at a time that never comes, and how many URLs wait there is among the sums: nothing is left when
// the others are settled. Requests and the domains that link to a domain are counted at the domain; that a domain links twice is not
// counted twice, so links may be taken in again. All this is exact. A rule may cover domains of many partitions: each counts what was asked
// there, and stops at the budget by itself; nodes look at the sums of all once a second and say everywhere that it is used up, so it is
// overdrawn by the requests of a second. A new rule is put in force partition by partition, in each at once; the hosts under it are placed
// anew some fifty at a time, since a server does nothing else meanwhile, by who set it or whoever leases there. Until that is over, what is
// to be leased is looked at before. So hosts under a rule or a budget are never asked in vain, but a new budget counts what was asked
// before only once all hosts were looked at. Who dies in between has not acknowledged it; of two changes of one rule the one that was
// numbered last counts in each.
//
// Hosts of a higher priority come first within a partition. Between partitions a node that is told when a host of a priority above 0
// may be asked asks for it first, then; that others are below 0 counts within their partitions only.
//
// # The clock
//
// Times are those of the servers, each partition's of its own: what comes from a node, or goes from one partition to another, is a
// duration. So nodes whose clocks are wrong do no harm.
//
// # Not yet
//
// Refused are [frontier.Avg] and [frontier.Sum], since a link to another domain may be taken in twice; batches of pages; turns of more than
// one URL; and the best host first. A host is whole in one partition, however large it is.
package cluster
