package frontier

import (
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
)

// batch is a transaction under way. Host records and totals are written once, at
// its end, however many changes touch them.
type batch struct {
	buckets
	batchHosts
	batchPlaces
	putOffs *putOffs // nil if no family was needed
	options *Options
	now     time.Time
	reader  *bolt.Cursor // of entries

	totals   totals
	seen     *seen
	fresh    map[string]entryID    // keys that this transaction makes known
	counts   map[string]int64      // new values of the counters that changed
	unqueued []entryID             // URLs that something other than their lease took out of their queue
	requeued map[entryID]queueName // where they are now, as far as that is known
	domains  map[string]*domainRecord
	inBatch  int              // change of the number of batched URLs
	pages    int              // fetched by this transaction
	released bool             // it released all batched URLs
	allRules map[string]*Rule // in force before
	newRules map[string]*Rule // given by this transaction, nil for one that was taken back
}

// buckets are those of the file.
type buckets struct {
	entries, waiting, batched, vacated, hostsOnDisk, notes, domainsOnDisk, inlinks, rules, counters, marks, settings, meta *bolt.Bucket
	ready                                                                                                                  readyQueues
}

// batchHosts are the hosts that a transaction reads and changes.
type batchHosts struct {
	hosts     map[string]*hostRecord
	stored    map[string]hostRecord  // the same as they are in the file
	read      []string               // their names, in order
	looked    map[string]bool        // those in touched, of which some are not read
	touched   []string               // names of hosts, in order, so that new ones get their turns in it
	scheduled func(host string) bool // nothing but what is recent is to be learned of this host
}

// batchPlaces is what a transaction does to places in queues.
type batchPlaces struct {
	upTo     entryID            // see readMark
	sequence entryID            // of the last entry before it
	shifts   map[entryID]*shift // of recent URLs
	merged   map[string]bool    // hosts whose recent URLs it placed
	swept    int                // of these, hosts of the sweep
	recent   *recent
	logged   uint64               // the last record of vacated places before it
	left     []vacancy            // places that it vacates
	gone     map[entryID]struct{} // the URLs that leave them
	marked   bool                 // the sweep is over
}

func newBatch(tx *bolt.Tx, now time.Time, options *Options, known *seen, recent *recent, rules map[string]*Rule) (*batch, error) {
	t, err := readTotals(tx)
	if err != nil {
		return nil, err
	}
	mark, err := readMark(tx)
	b := &batch{
		buckets: buckets{
			entries:       bucket(tx, bucketEntries),
			ready:         readyQueues{Bucket: bucket(tx, bucketReady)},
			waiting:       bucket(tx, bucketWaiting),
			batched:       bucket(tx, bucketBatched),
			vacated:       bucket(tx, bucketVacated),
			domainsOnDisk: bucket(tx, bucketDomains),
			inlinks:       bucket(tx, bucketInlinks),
			rules:         bucket(tx, bucketRules),
			hostsOnDisk:   bucket(tx, bucketHosts),
			notes:         bucket(tx, bucketNotes),
			counters:      bucket(tx, bucketCounters),
			marks:         bucket(tx, bucketMarks),
			settings:      bucket(tx, bucketSettings),
			meta:          bucket(tx, bucketMeta),
		},
		batchHosts: batchHosts{
			hosts:  make(map[string]*hostRecord),
			stored: make(map[string]hostRecord),
			looked: make(map[string]bool),
		},
		batchPlaces: batchPlaces{
			upTo:   mark,
			shifts: make(map[entryID]*shift),
			merged: make(map[string]bool),
			recent: recent,
			gone:   make(map[entryID]struct{}),
		},
		options:  options,
		now:      now,
		reader:   bucket(tx, bucketEntries).Cursor(),
		totals:   t,
		seen:     known,
		fresh:    make(map[string]entryID),
		requeued: make(map[entryID]queueName),
		counts:   make(map[string]int64),
		domains:  make(map[string]*domainRecord),
		allRules: rules,
		newRules: make(map[string]*Rule),
	}
	// bbolt leaves half of a page that it splits free for what may come between. Nothing
	// comes between entries, which are appended; the settled ones grow by a few bytes.
	b.entries.FillPercent, b.ready.FillPercent = 0.9, 0.7
	b.sequence = entryID(b.entries.Sequence())
	if err != nil {
		return nil, err
	}
	return b, nil
}

// finish writes what was held back.
func (b *batch) finish() error {
	if err := b.ready.tidy(); err != nil {
		return err
	}
	if err := b.logVacated(); err != nil {
		return err
	}
	for _, name := range b.read {
		h := b.hosts[name]
		h.nextWait = time.Time{}
		if h.waiting > 0 {
			due, err := dueFirst(b.waiting, name)
			if err != nil {
				return err
			}
			h.nextWait = due
		}
		if *h != b.stored[name] {
			if err := b.hostsOnDisk.Put([]byte(name), h.encode()); err != nil {
				return err
			}
		}
		if b.options.BestFirst {
			var err error
			if h.best, err = bestOf(b.ready.Bucket, name, func(id entryID) bool { return b.isGone(name, id) }); err != nil {
				return err
			}
		}
		if b.options.InDegree.Base > 0 { // the schedule may have forgotten the domain
			if _, err := b.domain(DomainOf(name)); err != nil {
				return err
			}
		}
	}
	if err := b.finishFamilies(); err != nil {
		return err
	}
	for name, d := range b.domains {
		if err := b.domainsOnDisk.Put([]byte(name), d.encode()); err != nil {
			return err
		}
	}
	for name, n := range b.counts {
		if err := b.counters.Put([]byte(name), encodeCount(n)); err != nil {
			return err
		}
	}
	return b.meta.Put([]byte(keyTotals), b.totals.encode())
}

// host returns the record of a host that the schedule is to look at anew, for reading and changing.
func (b *batch) host(name string) (*hostRecord, error) {
	b.touch(name)
	return b.record(name)
}

// touch lets the schedule look at a host anew. If its record is not read, it must be scheduled.
func (b *batch) touch(name string) {
	if !b.looked[name] {
		b.looked[name] = true
		b.touched = append(b.touched, name)
	}
}

// record is host for changes of which the schedule need not know.
func (b *batch) record(name string) (*hostRecord, error) {
	if h := b.hosts[name]; h != nil {
		return h, nil
	}
	h := new(hostRecord)
	if value := b.hostsOnDisk.Get([]byte(name)); value != nil {
		var err error
		if h, err = decodeHost(value); err != nil {
			return nil, fmt.Errorf("host %q: %w", name, err)
		}
	}
	b.hosts[name], b.stored[name] = h, *h
	b.read = append(b.read, name)
	return h, nil
}

// count adds to a counter.
func (b *batch) count(name string, n int64) error {
	have, known := b.counts[name]
	if !known {
		if value := b.counters.Get([]byte(name)); value != nil {
			var err error
			if have, err = decodeCount(value); err != nil {
				return fmt.Errorf("counter %q: %w", name, err)
			}
		}
	}
	b.counts[name] = have + n
	return nil
}

// find returns the entry of a key, nil if there is none.
func (b *batch) find(key string) (entryID, *record, error) {
	if id := b.fresh[key]; id != 0 {
		r, err := b.entry(id)
		return id, r, err
	}
	return b.seen.find(b.entries, key)
}

// possible returns the entries that may be that of the key.
func (b *batch) possible(key string, found []entryID) []entryID {
	if id := b.fresh[key]; id != 0 {
		return append(found, id)
	}
	return b.seen.possible(key, found)
}

// number makes a key known and returns the name of its entry.
func (b *batch) number(key string) (entryID, error) {
	id, err := nextID(b.entries)
	b.fresh[key] = id
	return id, err
}

// entry returns an entry, nil if there is none of that name.
func (b *batch) entry(id entryID) (*record, error) {
	return readEntry(b.entries, id)
}

// enqueue gives a pending entry its place.
func (b *batch) enqueue(r *record) error {
	name, err := r.host()
	if err != nil {
		return err
	}
	return b.enqueueAt(r, name)
}

func (b *batch) enqueueAt(r *record, name string) error {
	if r.Batched {
		b.inBatch++
		return b.batched.Put(r.id.bytes(), []byte{})
	}
	if r.id > b.sequence && !r.waiting { // it is new, and recent whatever the host's record says
		b.arrive(name, r.place())
		if b.looked[name] || b.scheduled(name) {
			b.touch(name)
			return nil
		}
		_, err := b.host(name)
		return err
	}
	h, err := b.host(name)
	switch {
	case err != nil:
		return err
	case r.waiting:
		h.waiting++
		return b.waiting.Put(waitingKey(r, name), []byte{})
	case r.id > max(b.upTo, h.placed) || b.isGone(name, r.id):
		b.arrive(name, r.place())
		return nil
	}
	h.ready++
	return b.ready.insert(name, []place{r.place()})
}

// dequeue takes the place of a pending entry away.
func (b *batch) dequeue(r *record) error {
	if r.Batched {
		b.inBatch--
		return b.batched.Delete(r.id.bytes())
	}
	name, err := r.host()
	if err != nil {
		return err
	}
	if r.id > b.sequence && !r.waiting {
		b.leave(name, r.place())
		return nil
	}
	h, err := b.host(name)
	switch {
	case err != nil:
		return err
	case r.waiting:
		h.waiting--
		return b.waiting.Delete(waitingKey(r, name))
	case r.id > max(b.upTo, h.placed) || b.isGone(name, r.id):
		b.leave(name, r.place())
		return nil
	}
	b.vacate(name, r.place())
	return nil
}

// host returns the host of a pending entry.
func (r *record) host() (string, error) {
	name, err := HostOf(r.URL.URL)
	if err != nil {
		err = fmt.Errorf("%w: pending entry %q: %w", errRecord, r.URL.URL, err)
	}
	return name, err
}

// put writes a record.
func (b *batch) put(r *record) error {
	return b.entries.Put(r.id.bytes(), r.encode())
}
