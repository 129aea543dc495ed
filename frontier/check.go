package frontier

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Check reads the whole file and compares data that is stored twice: every pending or
// deferred entry with its place in a queue, the queues' lengths with the counts of hosts, families and states.
// A contradiction is an *Error of kind Corrupt. It takes about four seconds per
// million entries; a commit that needs a larger file waits for its end.
func (f *Frontier) Check() error {
	return f.view(func(tx *bolt.Tx) error {
		hosts, families, err := f.checkEntries(tx)
		if err != nil {
			return err
		}
		if err := checkHosts(tx, hosts); err != nil {
			return err
		}
		if err := checkFamilies(tx, families); err != nil {
			return err
		}
		for name, decode := range map[string]func(value []byte) error{
			bucketMarks:   func(v []byte) error { _, err := decodeMark(v); return err },
			bucketDomains: func(v []byte) error { _, err := decodeDomain(v); return err },
			bucketRules:   func(v []byte) error { _, err := decodeRule(v); return err },
		} {
			err := bucket(tx, name).ForEach(func(key, value []byte) error {
				if err := decode(value); err != nil {
					return fmt.Errorf("%s %q: %w", name, key, err)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		_, err = readCounters(tx)
		return err
	})
}

// checkIfSmall checks files on which that takes no noticeable time.
func (f *Frontier) checkIfSmall() error {
	info, err := os.Stat(f.path)
	if err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	if info.Size() > checkSize {
		return nil
	}
	return f.Check()
}

// queueLengths counts the entries of a host that are pending, or wait in families that are not held.
type queueLengths struct{ ready, waiting, drawn, drawable int }

// checkEntries checks all entries and returns the lengths that the queues must have, and which entries
// families must have.
func (f *Frontier) checkEntries(tx *bolt.Tx) (map[string]queueLengths, map[string]*familyCheck, error) {
	var count totals
	c := placeCheck{tx: tx, hosts: make(map[string]queueLengths), marks: make(map[string]entryID),
		families: make(map[string]*familyCheck)}
	var err error
	if c.mark, err = readMark(tx); err != nil {
		return nil, nil, err
	}
	if c.gone, err = checkVacated(tx, c.hosts); err != nil {
		return nil, nil, err
	}
	limit, err := decodeCount(bucket(tx, bucketMeta).Get([]byte(keyLimit)))
	if err != nil {
		return nil, nil, err
	}
	c.limit = int(limit)
	err = bucket(tx, bucketEntries).ForEach(func(id, value []byte) error {
		r, err := decodeRecord(value)
		if err != nil {
			return fmt.Errorf("entry %x: %w", id, err)
		}
		r.id = idOf(id)
		if first, _, err := f.seen.find(bucket(tx, bucketEntries), r.Key); err != nil || first != r.id {
			return fmt.Errorf("%w: entries %x and %x are of the key %s", errRecord, first, id, r.Key)
		}
		count[r.State]++
		if r.State != Pending && r.State != PutOff {
			return nil
		}
		name, err := r.host()
		if err != nil {
			return fmt.Errorf("entry %x: %w", id, err)
		}
		if r.State == PutOff {
			return c.deferred(r, name)
		}
		if r.drawn() {
			n := c.hosts[name]
			n.drawn++
			c.hosts[name] = n
		}
		placed, err := c.placed(r, name)
		if err == nil && !placed {
			err = fmt.Errorf("%w: %s is pending but not in its queue", errRecord, r.URL.URL)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	have, err := readTotals(tx)
	if err == nil && have != count {
		err = fmt.Errorf("%w: counts by state are %v, want %v", errRecord, have, count)
	}
	if n := bucket(tx, bucketEntries).Sequence(); err == nil && n != uint64(count.sum()) {
		err = fmt.Errorf("%w: %d URLs were numbered, and %d have an entry", errRecord, n, count.sum())
	}
	if n := keys(tx, bucketBatched); err == nil && n != c.batched {
		err = fmt.Errorf("%w: the batch has %d keys, want %d", errRecord, n, c.batched)
	}
	return c.hosts, c.families, err
}

// placeCheck finds pending entries where they have to wait, and counts them.
type placeCheck struct {
	tx      *bolt.Tx
	hosts   map[string]queueLengths
	batched int
	marks   map[string]entryID // up to which entry a host's places are on disk
	mark    entryID
	gone    map[entryID]bool

	families map[string]*familyCheck
	limit    int // of the URLs drawn from one
}

// placed reports whether a pending entry is in its queue.
func (c *placeCheck) placed(r *record, host string) (bool, error) {
	n := c.hosts[host]
	switch {
	case r.Batched:
		c.batched++
		return bucket(c.tx, bucketBatched).Get(r.id.bytes()) != nil, nil
	case r.waiting:
		n.waiting++
		c.hosts[host] = n
		return bucket(c.tx, bucketWaiting).Get(waitingKey(r, host)) != nil, nil
	}
	upTo, known := c.marks[host]
	if !known {
		h, err := hostOnDisk(c.tx, host)
		if err != nil {
			return false, err
		}
		upTo = max(h.placed, c.mark)
		c.marks[host] = upTo
	}
	if r.id > upTo || c.gone[r.id] { // it is recent
		return true, nil
	}
	n.ready++
	c.hosts[host] = n
	return isPlaced(bucket(c.tx, bucketReady), host, r.place())
}

// familyCheck is what the entries say of a family: how many wait on which host.
type familyCheck struct {
	held    bool
	waiting map[string]int
}

// deferred counts an entry that waits in a family, where it must be among the URLs of its host.
func (c *placeCheck) deferred(r *record, host string) error {
	value := bucket(c.tx, bucketFamilies).Get([]byte(r.Family))
	if value == nil {
		return fmt.Errorf("%w %q is missing", errFamily, r.Family)
	}
	f, err := decodeFamily(value)
	if err != nil {
		return fmt.Errorf("family %q: %w", r.Family, err)
	}
	one := c.families[r.Family]
	if one == nil {
		one = &familyCheck{f.held(c.limit), make(map[string]int)}
		c.families[r.Family] = one
	}
	one.waiting[host]++
	if bucket(c.tx, bucketPutOff).Get(f.urlKey(host, r.id)) == nil {
		return fmt.Errorf("%w %q: entry %x is deferred, but does not wait in it", errFamily, r.Family, r.id)
	}
	if !one.held {
		n := c.hosts[host]
		n.drawable++
		c.hosts[host] = n
	}
	return nil
}

// checkFamilies compares what is stored about families with their entries, and their turns with both.
func checkFamilies(tx *bolt.Tx, want map[string]*familyCheck) error {
	limit, err := decodeCount(bucket(tx, bucketMeta).Get([]byte(keyLimit)))
	if err != nil {
		return err
	}
	var waiting, all, turns int
	err = bucket(tx, bucketFamilies).ForEach(func(name, value []byte) error {
		f, err := decodeFamily(value)
		if err != nil {
			return fmt.Errorf("family %q: %w", name, err)
		}
		hosts, parts, err := partsOf(bucket(tx, bucketParts), &f)
		if err != nil {
			return fmt.Errorf("family %q: %w", name, err)
		}
		all += len(hosts)
		counts := want[string(name)]
		if counts == nil {
			counts = new(familyCheck)
		}
		left := f.waiting
		for i, host := range hosts {
			if parts[i].waiting != counts.waiting[host] {
				return fmt.Errorf("%w %q counts %d URLs that wait on %s, want %d", errFamily, name, parts[i].waiting, host,
					counts.waiting[host])
			}
			left -= parts[i].waiting
			delete(counts.waiting, host)
			if parts[i].waiting == 0 || f.held(int(limit)) {
				continue
			}
			turns++
			if !bytes.Equal(bucket(tx, bucketTurns).Get(parts[i].turnKey(&f, host)), name) {
				return fmt.Errorf("%w %q has no turn on %s", errFamily, name, host)
			}
		}
		if left != 0 || len(counts.waiting) > 0 {
			return fmt.Errorf("%w %q counts %d URLs that wait, and its parts %d fewer", errFamily, name, f.waiting, left)
		}
		waiting += f.waiting
		return nil
	})
	have := [3]int{keys(tx, bucketPutOff), keys(tx, bucketParts), keys(tx, bucketTurns)}
	if must := [3]int{waiting, all, turns}; err == nil && have != must {
		err = fmt.Errorf("%w: URLs that wait, parts and turns of families are %v, want %v", errRecord, have, must)
	}
	return err
}

// checkVacated checks that places that were vacated are still there, counts them, and returns
// the entries that have left them.
func checkVacated(tx *bolt.Tx, hosts map[string]queueLengths) (gone map[entryID]bool, err error) {
	all, err := vacancies(tx)
	if err != nil {
		return nil, err
	}
	gone = make(map[entryID]bool)
	for _, v := range all {
		placed, err := isPlaced(bucket(tx, bucketReady), v.host, v.place)
		if err != nil {
			return nil, err
		}
		if !placed || gone[v.id] {
			return nil, fmt.Errorf("%w: entry %x has left a place in the queue of %s that it did not have", errRecord, v.id, v.host)
		}
		gone[v.id] = true
		n := hosts[v.host]
		n.ready++
		hosts[v.host] = n
	}
	return gone, nil
}

// checkHosts compares the counts of the hosts with those of the entries, and the
// lengths of the queues with both.
func checkHosts(tx *bolt.Tx, want map[string]queueLengths) error {
	var sum queueLengths
	err := bucket(tx, bucketHosts).ForEach(func(name, value []byte) error {
		h, err := decodeHost(value)
		if err != nil {
			return fmt.Errorf("host %s: %w", name, err)
		}
		have := queueLengths{h.ready, h.waiting, h.draws.pending, h.draws.drawable}
		if have != want[string(name)] {
			return fmt.Errorf("%w: host %s counts %v, want %v", errRecord, name, have, want[string(name)])
		}
		sum.ready += h.ready
		sum.waiting += h.waiting
		delete(want, string(name))
		var due time.Time
		if h.waiting > 0 {
			if due, err = dueFirst(bucket(tx, bucketWaiting), string(name)); err != nil {
				return err
			}
		}
		if !due.Equal(h.nextWait) {
			return fmt.Errorf("%w: host %s waits until %v, want %v", errRecord, name, h.nextWait, due)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(want) > 0 {
		return fmt.Errorf("%w: %d hosts with pending entries are missing", errRecord, len(want))
	}
	ready, err := placedURLs(tx)
	if err != nil {
		return err
	}
	have := queueLengths{ready: ready, waiting: keys(tx, bucketWaiting)}
	if have != sum {
		return fmt.Errorf("%w: queues have %v keys, want %v", errRecord, have, sum)
	}
	return nil
}

func keys(tx *bolt.Tx, name string) int {
	n := 0
	cursor := bucket(tx, name).Cursor()
	for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
		n++
	}
	return n
}

// placedURLs counts the URLs in the ready bucket.
func placedURLs(tx *bolt.Tx) (n int, err error) {
	err = bucket(tx, bucketReady).ForEach(func(key, value []byte) error {
		start, ok := decodePlace(key[bytes.IndexByte(key, 0)+1:])
		if !ok || len(value) == 0 {
			return fmt.Errorf("%w: queue %q", errRecord, key)
		}
		ids, err := decodeBlock(start, value)
		n += len(ids)
		return err
	})
	return n, err
}

// isPlaced reports whether a place is in the ready bucket.
func isPlaced(ready *bolt.Bucket, host string, p place) (bool, error) {
	prefix := hostPrefix(host)
	key, value, _ := blockOf(ready, prefix, p)
	if key == nil {
		return false, nil
	}
	start, _ := decodePlace(key[len(prefix):])
	ids, err := decodeBlock(start, value)
	_, found := slices.BinarySearch(ids, p.id)
	return found, err
}
