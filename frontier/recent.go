package frontier

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// The ready queues on disk lag behind. Of each host, the URLs up to an entry number, the
// greater of hostRecord.placed and of the mark of the file, have their place in the ready
// bucket; those that became known later are recent, and their places are in memory only. They
// follow from the entries, so nothing is lost with them: Open reads those behind the mark. A URL that leaves
// its place in the bucket, because it is settled or its priority changed, leaves that place vacated: a
// record of it is appended to a log, and where the URL is ready again, it is recent. So a
// new URL costs an entry at the end of the file, and the part of the queues that belongs to its
// host is rewritten for many of them at once, by a sweep over the hosts in the order of the file.

// merging says when recent URLs are merged into the queues on disk.
type merging struct {
	after   int // so many recent URLs begin a sweep
	perHost int // or so many for each host that has some, since a sweep costs what its hosts do
	tail    int // a sweep begins, too, when Open would have to read so many entries and 2*after
	slice   int // URLs merged by each commit of a sweep, at least
	host    int // so many of one host are merged without waiting for the sweep
}

var usualMerging = merging{after: 1 << 19, perHost: 4, tail: 1 << 20, slice: 1 << 8, host: 1 << 12}

const recentMost = 1 << 21 // to be awaited because of perHost

// recent holds the places of recent URLs. The committer alone changes it, under
// Frontier.mu, and so may read it without.
type recent struct {
	merging
	hosts   map[string][]place   // in order
	vacated map[string][]place   // places in the ready bucket that count no more, in order
	gone    map[entryID]struct{} // the URLs that have left them
	n       int                  // of hosts and vacated
	grown   int                  // by so many at the last commit
	mark    entryID              // those up to this one are placed, vacated, or need no place
	many    []string             // hosts with at least merging.host
	sweep   []string             // hosts to come in this sweep
	upTo    entryID              // the mark after it
	logged  uint64               // the last record of vacated places that counts no more after it
	active  bool                 // a sweep is under way
}

func newRecent(m merging) recent {
	return recent{
		merging: m, hosts: make(map[string][]place),
		vacated: make(map[string][]place), gone: make(map[entryID]struct{}),
	}
}

// ready is how many more URLs of a host are ready than have a place in the bucket.
func (r *recent) ready(host string) int { return len(r.hosts[host]) - len(r.vacated[host]) }

// isGone reports whether a URL that has a place in the ready bucket has left it.
func (r *recent) isGone(id entryID) bool {
	_, gone := r.gone[id]
	return gone
}

// names returns the hosts that a sweep has to look at, in order.
func (r *recent) names() []string {
	names := slices.AppendSeq(make([]string, 0, len(r.hosts)+len(r.vacated)), maps.Keys(r.hosts))
	names = slices.AppendSeq(names, maps.Keys(r.vacated))
	slices.Sort(names)
	return slices.Compact(names)
}

// shift is how a transaction moves one recent URL.
type shift struct {
	host     string
	was, is  place
	from, to bool // it was, it is among the recent ones
}

// arrive and leave note what a transaction does to a recent URL.
func (b *batch) arrive(host string, p place) {
	s := b.shift(p.id, host)
	s.is, s.to = p, true
}

func (b *batch) leave(host string, p place) {
	if s := b.shifts[p.id]; s != nil {
		s.to = false
		return
	}
	s := b.shift(p.id, host)
	s.was, s.from = p, true
}

func (b *batch) shift(id entryID, host string) *shift {
	s := b.shifts[id]
	if s == nil {
		s = &shift{host: host}
		b.shifts[id] = s
	}
	return s
}

// merge places recent URLs on disk: the next ones of the sweep, and the hosts that have many. It
// comes before all changes of its transaction, so that memory tells what is to be placed.
func (b *batch) merge() error {
	r := b.recent
	b.logged = b.vacated.Sequence()
	after := max(r.after, min(r.perHost*len(r.hosts), recentMost))
	if !r.active && (r.n >= after || int(b.sequence-r.mark) >= r.tail+2*after) {
		r.sweep, r.upTo, r.logged, r.active = r.names(), b.sequence, b.logged, true
	}
	for _, name := range r.many {
		if err := b.mergeHost(name); err != nil {
			return err
		}
	}
	if !r.active {
		return nil
	}
	for quota := r.slice + r.grown + r.grown/4; quota > 0 && b.swept < len(r.sweep); b.swept++ {
		name := r.sweep[b.swept]
		quota -= len(r.hosts[name]) + len(r.vacated[name])
		if err := b.mergeHost(name); err != nil {
			return err
		}
	}
	if b.swept < len(r.sweep) {
		return nil
	}
	b.marked, b.upTo = true, r.upTo
	if err := b.forgetVacated(r.logged); err != nil {
		return err
	}
	return b.meta.Put([]byte(keyMark), encodeCount(int64(r.upTo)))
}

func (b *batch) mergeHost(name string) error {
	places, vacated := b.recent.hosts[name], b.recent.vacated[name]
	if len(places)+len(vacated) == 0 || b.merged[name] {
		return nil
	}
	h, err := b.record(name)
	if err != nil {
		return err
	}
	b.merged[name] = true
	h.ready += len(places) - len(vacated)
	h.placed, h.vacated = b.sequence, b.logged
	for _, p := range vacated {
		if err := b.ready.remove(name, p); err != nil {
			return err
		}
	}
	return b.ready.insert(name, places)
}

// apply follows a transaction that is durable. The caller holds mu.
func (r *recent) apply(b *batch) {
	r.many = nil
	for name := range b.merged {
		r.n -= len(r.hosts[name]) + len(r.vacated[name])
		for _, p := range r.vacated[name] {
			delete(r.gone, p.id)
		}
		delete(r.hosts, name)
		delete(r.vacated, name)
	}
	if r.sweep = r.sweep[b.swept:]; b.marked {
		r.mark, r.sweep, r.active = r.upTo, nil, false
	}
	r.grown = len(b.left)
	for _, v := range b.left {
		r.vacate(v)
	}
	arrived := make(map[string][]place)
	for _, s := range b.shifts {
		if s.from {
			r.remove(s.host, s.was)
		}
		if s.to {
			arrived[s.host] = append(arrived[s.host], s.is)
			r.grown++
		}
		if s.to && !s.from && r.active && s.is.id <= r.upTo && !r.isGone(s.is.id) { // it came late, its host may not be in the sweep
			r.sweep = append(r.sweep, s.host)
		}
	}
	for name, places := range arrived {
		r.insert(name, places)
	}
}

// behind returns the places of a host that come after one.
func (r *recent) behind(host string, p place) []place {
	places := r.hosts[host]
	i, found := slices.BinarySearchFunc(places, p, place.compare)
	if found {
		i++
	}
	return places[i:]
}

func (r *recent) remove(host string, p place) {
	places := r.hosts[host]
	if i, found := slices.BinarySearchFunc(places, p, place.compare); found {
		r.n--
		if places = slices.Delete(places, i, i+1); len(places) == 0 {
			delete(r.hosts, host)
		} else {
			r.hosts[host] = places
		}
	}
}

// insert merges places in any order into those of a host.
func (r *recent) insert(host string, added []place) {
	slices.SortFunc(added, place.compare)
	old := r.hosts[host]
	all := slices.Grow(old, len(added))[:len(old)+len(added)]
	for i, to := len(old)-1, len(all)-1; len(added) > 0; to-- {
		last := added[len(added)-1]
		if i >= 0 && all[i].compare(last) > 0 {
			all[to] = all[i]
			i--
			continue
		}
		all[to] = last
		added = added[:len(added)-1]
		r.n++
	}
	if old == nil {
		host = strings.Clone(host) // which may be a part of a URL
	}
	r.hosts[host] = all
	r.crowded(host)
}

// crowded notes a host that has many.
func (r *recent) crowded(host string) {
	if len(r.hosts[host])+len(r.vacated[host]) >= r.host {
		r.many = append(r.many, host)
	}
}

// load finds the recent URLs among the entries behind the mark.
func (r *recent) load(tx *bolt.Tx, m *mapped) error {
	var err error
	if r.mark, err = readMark(tx); err != nil {
		return err
	}
	if err := r.loadVacated(tx); err != nil {
		return err
	}
	placed := make(map[string]entryID)
	found := make(map[string][]place)
	cursor := bucket(tx, bucketEntries).Cursor()
	for key, value := cursor.Seek((r.mark + 1).bytes()); key != nil; key, value = cursor.Next() {
		if idOf(key)%loadedEach == 0 {
			m.trim(tx)
		}
		e, err := decodeRecord(value)
		if err != nil {
			return fmt.Errorf("entry %x: %w", key, err)
		}
		if e.State != Pending || e.waiting || e.Batched {
			continue
		}
		e.id = idOf(key)
		host, err := HostOf(e.URL.URL)
		if err != nil {
			return fmt.Errorf("%w: entry %x: %w", errRecord, key, err)
		}
		upTo, known := placed[host]
		if !known {
			h, err := hostOnDisk(tx, host)
			if err != nil {
				return err
			}
			upTo = h.placed
			placed[host] = upTo
		}
		if e.id > upTo {
			found[host] = append(found[host], e.place())
		}
	}
	for host, places := range found {
		r.insert(host, places)
	}
	return nil
}

// readMark returns the number up to which no entry of the file is recent.
func readMark(tx *bolt.Tx) (entryID, error) {
	mark, err := decodeCount(bucket(tx, bucketMeta).Get([]byte(keyMark)))
	return entryID(mark), err
}

// hostOnDisk returns the record of a host, an empty one if it has none.
func hostOnDisk(tx *bolt.Tx, host string) (*hostRecord, error) {
	value := bucket(tx, bucketHosts).Get([]byte(host))
	if value == nil {
		return new(hostRecord), nil
	}
	h, err := decodeHost(value)
	if err != nil {
		err = fmt.Errorf("host %q: %w", host, err)
	}
	return h, err
}
