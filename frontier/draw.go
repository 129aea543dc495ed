package frontier

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// drawing says how many drawn URLs may be pending at a time: few of a family, so that one that is closed meanwhile is
// overdrawn by little and one on a host that does not answer holds up no other; enough of it that those that back off
// after a failure do not hold up the rest.
type drawing struct {
	each int // of one family
	most int // of all, but for those in domains that are stopped
}

var usualDrawing = drawing{each: 16, most: 1024}

// drawCounts is what the share of drawn URLs is reckoned from, with the limits by which the bucket of turns was made.
type drawCounts struct {
	requests int // made, since the file knows of families
	drawn    int // of these, for drawn URLs
	limit    int // Options.PutOffLimit
	each     int // drawing.each
}

func (c *drawCounts) encode() []byte {
	b := []byte{recordFormat}
	for _, n := range []int{c.requests, c.drawn, c.limit, c.each} {
		b = binary.AppendVarint(b, int64(n))
	}
	return seal(b)
}

func decodeDrawCounts(value []byte) (c drawCounts, err error) {
	d := unseal(value)
	for _, n := range []*int{&c.requests, &c.drawn, &c.limit, &c.each} {
		if *n = int(d.varint()); *n < 0 {
			d.fail("negative count")
		}
	}
	return c, d.end("counts of drawn URLs")
}

func readDrawCounts(tx *bolt.Tx) (drawCounts, error) {
	return decodeDrawCounts(bucket(tx, bucketMeta).Get([]byte(keyDrawing)))
}

// drawnState is what memory holds about URLs that are put off: nothing of a single family.
type drawnState struct {
	counts   drawCounts
	pending  map[entryID]string // hosts of drawn URLs that are pending
	drawable int                // families that a URL may be drawn from now
	held     int                // URLs in families that are held
}

// apply follows a transaction that is durable. The caller holds mu.
func (d *drawnState) apply(b *batch) {
	d.counts = b.drawn
	p := b.putOffs
	if p == nil {
		return
	}
	d.drawable += p.drawable
	d.held += p.held
	for id, host := range p.came {
		d.pending[id] = strings.Clone(host) // which may be a part of a URL
	}
	for id := range p.went {
		delete(d.pending, id)
	}
}

// drawn reports whether the URL was put off and drawn.
func (r *record) drawn() bool { return r.Family != "" && r.State != PutOff }

// drawnPending is how many drawn URLs are pending in the transaction.
func (b *batch) drawnPending() int {
	n := len(b.drawnBefore)
	if b.putOffs != nil {
		n += len(b.putOffs.came) - len(b.putOffs.went)
	}
	return n
}

// leastWork says what keeps a transaction from drawing without regard to the share, see Frontier.leastWork.
type leastWork struct {
	leased  bool // others are leased and not being settled: what they lead to comes yet
	stopped int  // drawn URLs in domains that are stopped
}

// drawMore draws URLs as long as that keeps the share, or nothing else is left.
func (b *batch) drawMore(w leastWork) error {
	if !b.draws {
		return nil
	}
	drawable := b.drawableBefore
	if b.putOffs != nil {
		drawable += b.putOffs.drawable
	}
	for found := true; found && drawable > 0 && b.drawnPending()-w.stopped < b.options.drawing.most; {
		pending := b.drawnPending()
		left := w.leased || b.totals[Pending]-pending > b.passive
		after := float64(pending + 1) // if all that is drawn were requested now
		if left && float64(b.drawn.drawn)+after > b.options.PutOffShare*(float64(b.drawn.requests)+after) {
			return nil
		}
		var err error
		if found, err = b.draw(); err != nil {
			return err
		}
	}
	return nil
}

// draw schedules the next URL of the families whose turn it is. It reports whether there was one.
func (b *batch) draw() (bool, error) {
	p := b.putOff()
	for {
		key, name := p.turns.Cursor().First()
		if key == nil {
			return false, nil
		}
		f, err := b.family(string(name))
		if err != nil {
			return false, err
		}
		if !bytes.Equal(key, f.turn) {
			return false, fmt.Errorf("%w %q: it has a turn that it ought not to have", errFamily, f.name)
		}
		r, host, err := b.pick(f)
		if err != nil {
			return false, err
		}
		if r == nil {
			if err := b.moved(f); err != nil { // all that waits in it is in domains that are stopped
				return false, err
			}
			continue
		}
		if err := b.resume(r); err != nil {
			return false, err
		}
		b.totals[Pending]++
		r.State = Pending
		f.drawn++
		f.out++
		if b.drawnBefore[r.id] != "" {
			delete(p.went, r.id) // it was settled in this transaction
		} else {
			p.came[r.id] = host
		}
		if err := p.out.Put(r.id.bytes(), []byte{}); err != nil {
			return false, err
		}
		if err := b.enqueueAt(r, host); err != nil {
			return false, err
		}
		if err := b.moved(f); err != nil {
			return false, err
		}
		return true, b.put(r)
	}
}

// pick returns the first URL of a family whose domain is not stopped, and its host; nil for none.
func (b *batch) pick(f *openFamily) (*record, string, error) {
	p := b.putOff()
	prefix := f.urlKey(0)[:8]
	cursor := p.urls.Cursor()
	var id entryID
	var last string // what stopped the one before
	for key, _ := cursor.Seek(f.urlKey(f.from)); bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
		id = queued(key)
		r, err := b.entry(id)
		if err != nil {
			return nil, "", err
		}
		if r == nil || r.State != PutOff || r.Family != f.name {
			return nil, "", fmt.Errorf("%w %q: entry %x waits in it and is not put off", errFamily, f.name, id)
		}
		host, err := r.host()
		if err != nil {
			return nil, "", err
		}
		by, err := b.stoppedBy(host)
		if err != nil {
			return nil, "", err
		}
		if by == "" {
			if last != "" {
				f.from = id
			}
			return r, host, nil
		}
		if by == last {
			continue
		}
		last = by
		if err := p.blocked.Put(f.blockedKey(by), []byte(f.name)); err != nil {
			return nil, "", err
		}
	}
	f.from, f.blocked = max(f.from, id), true
	return nil, "", nil
}

// undraw notes that a drawn URL is not pending any more.
func (b *batch) undraw(r *record) (*openFamily, error) {
	f, err := b.family(r.Family)
	if err != nil {
		return nil, err
	}
	if f.out == 0 {
		return nil, fmt.Errorf("%w %q: entry %x was drawn, but is not counted", errFamily, f.name, r.id)
	}
	f.out--
	p := b.putOff()
	if b.drawnBefore[r.id] != "" {
		p.went[r.id] = true
	} else {
		delete(p.came, r.id)
	}
	if err := p.out.Delete(r.id.bytes()); err != nil {
		return nil, err
	}
	return f, b.moved(f)
}

// stoppedBy returns the name of the rule or the domain that stops a host, "" for none.
func (b *batch) stoppedBy(host string) (by string, err error) {
	return stopper(host, func() string { return DomainOf(host) }, b.rulesNow(), b.options.InDegree, func(name string) *domainRecord {
		if d := b.domains[name]; d != nil {
			return d
		}
		value := b.domainsOnDisk.Get([]byte(name))
		if value == nil {
			return nil
		}
		d, problem := decodeDomain(value)
		if problem != nil {
			err = fmt.Errorf("domain %q: %w", name, problem)
			return nil
		}
		return d
	}), err
}

// unblock looks again at the families of which URLs were stopped by that name, or by any if it is "".
func (b *batch) unblock(by string) error {
	p := b.putOff()
	var prefix []byte
	if by != "" {
		prefix = hostPrefix(by)
	}
	var keys, names [][]byte
	cursor := p.blocked.Cursor()
	for key, name := cursor.Seek(prefix); key != nil && bytes.HasPrefix(key, prefix); key, name = cursor.Next() {
		keys, names = append(keys, bytes.Clone(key)), append(names, bytes.Clone(name))
	}
	for i, key := range keys {
		f, err := b.family(string(names[i]))
		if err != nil {
			return err
		}
		f.from, f.blocked = 0, false
		if err := b.moved(f); err != nil {
			return err
		}
		if err := p.blocked.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// idleDrawn counts the drawn URLs that are not leased and in domains that are stopped. The caller holds mu.
func (f *Frontier) idleDrawn() (n int) {
	if len(f.mu.schedule.rules) == 0 && f.options.InDegree.Base == 0 {
		return 0
	}
	for id, host := range f.mu.drawn.pending {
		if h := f.mu.schedule.named(host); h != nil && f.mu.byEntry[id] == nil && f.mu.schedule.stopped(h) {
			n++
		}
	}
	return n
}

// leastWork tells the committer what it cannot know. The caller holds mu.
func (f *Frontier) leastWork() leastWork {
	w := leastWork{stopped: f.idleDrawn()}
	for _, l := range f.mu.leases {
		w.leased = w.leased || !l.drawn && !l.settling
	}
	return w
}

// othersDone reports whether URLs are to be drawn since nothing else is left but what is in domains that are stopped, and how many
// those are. The caller holds mu.
func (f *Frontier) othersDone() (stopped int, done bool) {
	d := &f.mu.drawn
	if d.drawable == 0 {
		return 0, false
	}
	for _, l := range f.mu.leases {
		if !l.drawn {
			return 0, false
		}
	}
	others := f.mu.totals[Pending] - len(d.pending)
	if others > 0 {
		stopped = f.mu.schedule.stoppedURLs() - f.idleDrawn()
	}
	return others, others <= stopped
}

// drawsLater is othersDone without the number. The caller holds mu.
func (f *Frontier) drawsLater() bool {
	_, done := f.othersDone()
	return done
}

// drawsNow reports whether Next is to have URLs drawn, and how many others are in domains that are stopped. Otherwise there is
// nothing to be drawn, or what is drawn suffices, or a commit that is under way will do it. The caller holds mu.
func (f *Frontier) drawsNow() (stopped int, draw bool) {
	stopped, done := f.othersDone()
	return stopped, done && !f.mu.paused && f.mu.uncommitted == 0 && len(f.mu.drawn.pending)-f.idleDrawn() < f.options.drawing.most
}

// loadDrawn reads what memory holds about URLs that are put off. Which families may be drawn from follows from options, which
// may be others than before.
func (f *Frontier) loadDrawn() error {
	again := false
	read := func(tx *bolt.Tx) error {
		first, _ := bucket(tx, bucketBlocked).Cursor().First()
		again = first != nil
		var err error
		f.mu.drawn, err = readDrawn(tx)
		return err
	}
	if err := f.view(read); err != nil {
		return err
	}
	c := f.mu.drawn.counts
	if !again && c.limit == f.options.PutOffLimit && c.each == f.options.drawing.each {
		return nil
	}
	c.limit, c.each = f.options.PutOffLimit, f.options.drawing.each
	if err := f.update(func(tx *bolt.Tx) error { return giveTurns(tx, c) }); err != nil {
		return err
	}
	return f.view(read)
}

func readDrawn(tx *bolt.Tx) (drawnState, error) {
	d := drawnState{pending: make(map[entryID]string)}
	var err error
	if d.counts, err = readDrawCounts(tx); err != nil {
		return d, err
	}
	err = bucket(tx, bucketDrawn).ForEach(func(key, _ []byte) error {
		r, err := readEntry(bucket(tx, bucketEntries), queued(key))
		if err == nil && (r == nil || r.State != Pending || !r.drawn()) {
			err = fmt.Errorf("%w: entry %x is not pending and drawn", errRecord, key)
		}
		if err != nil {
			return err
		}
		host, err := r.host()
		d.pending[r.id] = strings.Clone(host)
		return err
	})
	if err != nil {
		return d, err
	}
	return d, bucket(tx, bucketFamilies).ForEach(func(name, value []byte) error {
		f, err := decodeFamily(value)
		if err != nil {
			return fmt.Errorf("family %q: %w", name, err)
		}
		if f.drawable(d.counts.limit, d.counts.each) {
			d.drawable++
		}
		if f.held(d.counts.limit) {
			d.held += f.waiting
		}
		return nil
	})
}

// giveTurns makes the bucket of turns anew.
func giveTurns(tx *bolt.Tx, c drawCounts) error {
	for _, name := range []string{bucketTurns, bucketBlocked} {
		if err := tx.DeleteBucket([]byte(name)); err != nil {
			return err
		}
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return err
		}
	}
	families, turns := bucket(tx, bucketFamilies), bucket(tx, bucketTurns)
	changed := make(map[string]family)
	err := families.ForEach(func(name, value []byte) error {
		f, err := decodeFamily(value)
		if err != nil {
			return fmt.Errorf("family %q: %w", name, err)
		}
		if f.from > 0 || f.blocked {
			f.from, f.blocked = 0, false
			changed[string(name)] = f
		}
		if !f.drawable(c.limit, c.each) {
			return nil
		}
		return turns.Put(f.turnKey(), name)
	})
	for name, f := range changed {
		if err == nil {
			err = families.Put([]byte(name), f.encode())
		}
	}
	if err != nil {
		return err
	}
	return bucket(tx, bucketMeta).Put([]byte(keyDrawing), c.encode())
}
