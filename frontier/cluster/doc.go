// Package cluster is a frontier that several nodes share: the rules of package frontier over Redis
// Cluster, or a server with the same protocol.
//
// A node is a process with an archive of its own. It opens the crawl's [Store], which the engine
// uses as its frontier, and takes part in the crawl until no URL is left. Nodes join and leave at
// any time, and share data only through Redis. Package frontier defines URL, entry, host, lease and
// outcome, and the order of URLs; this page describes the differences.
//
// # Partitions
//
// A crawl is divided into partitions, by default 256. All data of a pay-level domain is in one
// partition, unless the domain is too large, see below:
//
//   - its URLs, in any state, and their queues
//   - the pace, address and robots.txt of each of its hosts
//   - its leases
//   - the counters of its pages
//
// The keys of a partition have one hash tag, so they are in one slot of the cluster, on one server.
// Each operation (partition.lua) changes them completely or not at all. The tags are chosen so that
// partitions spread evenly over the slots.
//
//	entries         digest of a key -> entry: its state, priorities, place and lease, and its URL as package frontier encodes it
//	ready           number of a host, rank, priority, age, digest: the scheduled URLs, in order
//	waiting         number of a host, time, age, digest: the URLs in back-off
//	hosts           name -> pace, address, turn, leases
//	notes           name -> the caller's bytes
//	domains         name -> leases, time of the next permitted request; for budgets: requests, in-degree, whether it has a seed;
//	                for domains that may be too large: number of URLs; domain, domain -> "": a counted link from the second to the first
//	rules           name -> rule of the operator
//	above           domains with a host whose rule has a priority above 0, by the time of its next permitted request
//	ready-hosts     domain, turn, host: hosts that may be requested
//	timed-hosts     domain, time, host: hosts that may be requested at that time
//	ready-domains   domains with a host that may be requested, by its turn
//	timed-domains   domains by the time when they get a host that may be requested, or another one
//	leases          token -> digest, host, node, turn
//	expiries        tokens, by the time when the lease ends; names of amendments, by the time when no node can repeat them
//	sums            number of entries in each state, and the last number of each kind
//	families        name -> note, counts of its URLs
//	parts           number of a family, host -> number of its URLs drawn there
//	put-off         number of a family, host, age, digest: the URLs that wait in it and are not leased
//	turns           number of a host, drawn, number, name: families that it may draw from
//	late            name -> changes for partitions whose servers are away
//	counters, settings, marks, addresses
//
// The keys are few, and each operation names all of them to Redis. So while a slot moves from one
// server to another, Redis refuses operations on partitions that have moved in part, and nodes
// retry until the slot has moved.
//
// The ready domains are the ring of a partition: a node that needs a URL takes the domain whose
// host had its last turn the longest time ago. The node visits the partitions in a circle, and
// remembers when each empty partition will have a URL. So turns are exact within a partition and
// fair between partitions.
//
// # Changes to several partitions
//
// The outcome of a page concerns other domains too. Links, exclusions, aliases, marks and settings
// go to their partitions first. The rest is then applied in one operation with the end of the
// lease. The former changes may be applied twice without harm. So a node that dies in between
// leaves a leased URL; the next node repeats the changes, and nothing is lost or counted twice.
//
// Nodes stop waiting for a server that is away for longer than Options.Failover while others
// answer. The operation that settles the page stores the changes for the partitions of that server
// as late changes in the page's own partition. Any node applies them when all servers answer again.
// Links, exclusions, aliases and marks may come late and twice without harm; a late setting may
// replace a newer one. A page of a lost partition cannot be settled: its lease ends, and its URL is
// leased again.
//
// An IP address may have hosts of many domains. Its record is in the partition of its own name. A
// node that has leased a URL of a host with a known address requests a permit ("leave" in the code)
// from that record. If the permit is refused, the node undoes the lease, and the host waits as long
// as the record demands. Each refused host gets a different time, so that a thousand hosts behind
// one address do not return at once. The permit ends with the outcome. If the node does not renew
// it, the permit expires and counts as a request. Before the request is made, as many replicas have
// the permit as any other change, so it survives a failover. It is renewed only together with its
// lease, so the permit of a lost lease expires. A lease does not outlive its permit either: when
// the node could not renew the permit in time and another host got one, the node drops the lease.
//
// # A domain that is too large
//
// A domain of more than Options.TooLarge URLs is split. Each new host gets a partition by its own
// name, as if it were a domain, named after both; existing hosts stay where they are. So no data
// moves, and its place follows from the stored data. A partition refuses a whole change that names
// a host it does not have, and returns the name. The node remembers the host, applies its changes
// at the right partition, and then does the rest. The number of URLs is estimated from one digest
// in a thousand, so other domains need no count.
//
// The pace of all hosts stays with the domain. A node that has leased a URL of a host elsewhere
// requests a permit from the domain, as it does from addresses, and undoes the lease if it is
// refused. This permit is a lease too: it is renewed with the other one, and expires when the node
// dies. Hosts in the domain's own partition take its turn as soon as a request is permitted. So
// that hosts elsewhere get as many turns, the former wait for some of the refused hosts, at most
// half the domain's wait for each. Turns are nearly even. A domain with a budget by in-degree and
// without a seed has too few requests to be split.
//
// # Expired leases
//
// A lease lasts for a minute and is renewed four times in it. It expires when its node died, was
// frozen or was cut off. The host then waits as after a request, and the URL comes again
// with a greater token. An outcome with an old token is refused with [frontier.ErrLost]:
// it was fenced off. [Store.During] cancels work under a lost lease. [Store.Sure] blocks new
// requests under a lease that the node could not renew for three quarters of its time, until the
// lease is confirmed. One case remains: a request that was being sent when the node was frozen.
//
// # Losses in a failover
//
// A partition is in one slot, and the effects of an operation reach its replica and its log
// together or not at all. So a failover loses the last operations on a partition, each of them
// completely, and queues, ring, leases and sums of a partition still agree. Partitions may disagree
// with each other, or with the memory of a node. Each case repairs itself:
//
//	lost                        then
//	a new lease                 its outcome is refused, and the URL comes again; the URL distinguishes two leases with one token
//	the end of a lease          its node repeats it, or has the result from an earlier answer; else the lease expires
//	a permit of an address      the renewal requests it again; if that is refused, the lease is dropped
//	the end of a permit         it expires, after Options.Lease
//	links to another domain     found on another page, or never: only Options.Wait protects them
//	a total that bounds         nodes publish their whole counts, not increments
//	a published value           nodes read it again within Options.Poll; a lost one must be published again
//
// Keys may be gone, because a server evicted them when its memory was full or because a person
// deleted them. An operation that finds nothing to lease although URLs are pending rebuilds the
// ring from the hosts, and the times of leases from the leases. If URLs are in no queue, Next
// returns an error instead of waiting for ever.
//
// # The end of a crawl
//
// Next returns ErrDrained when no partition has a URL that is pending or leased. A node cannot read
// all partitions in one moment, so it reads all of them twice, and none may have changed: a URL on
// its way from one partition to another would have been leased in the first pass.
//
// # Deferred URLs
//
// A family is in each partition where its URLs wait. Its closing is published to all partitions,
// and its limit counts in each. Each host draws for itself, as in package frontier. A deferred URL
// whose lease expired waits in its family again.
//
// # Rules and budgets
//
// Every partition has all rules, so the operation that places a host also finds its rule. A host
// whose domain is off or has used up its budget keeps its place, at a time that never comes. The
// sums count its waiting URLs: the crawl is drained when all others are settled. The domain counts
// its requests and the domains that link to it. A second link from one domain does not count, so
// links may be applied again. All this is exact.
//
// A rule may cover domains of many partitions. Each partition counts its own requests and stops at
// the budget. Nodes read the sums of all partitions once a second and publish that the budget is
// used up, so it is overdrawn by the requests of one second at most.
//
// A new rule takes effect partition by partition, at once in each. Its hosts are then placed again,
// some fifty at a time, since the server does nothing else meanwhile. The node that set the rule
// does this, or any node that leases there. Until it is done, each URL is checked before it is
// leased. So hosts under a rule or a budget are never requested in vain, but a new budget includes
// earlier requests only when all hosts were placed again. A node that dies in between has not
// acknowledged the rule. Of two changes of one rule, the one with the higher number counts in each
// partition.
//
// Hosts of a higher priority come first within a partition. Between partitions, a node that learns
// when a host with a priority above 0 may be requested goes to that partition first. Priorities
// below 0 count within their partitions only.
//
// # The clock
//
// All times are times of the servers, and each partition uses its own. Values from a node, or from
// one partition to another, are durations. So nodes with wrong clocks do no harm.
//
// # Not supported
//
//   - [frontier.Avg] and [frontier.Sum], since a link to another domain may be applied twice
//   - batches of pages
//   - turns of more than one URL
//   - the best host first
//
// Open refuses these options. A host is in one partition as a whole, however large it is.
package cluster
