package frontier

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A FamilyChange is a change of a family by the caller.
type FamilyChange struct {
	Note   *string // replaces the note, which is cut at 1 KiB; nil changes nothing
	Closed *bool   // true: no more URLs are drawn; nil changes nothing
}

// A Family is a group of URLs that were deferred together.
type Family struct {
	Name, Note string
	Waiting    int  // deferred URLs
	Drawn      int  // URLs that were drawn
	Closed     bool // no more URLs are drawn
	Limit      int  // most URLs drawn: Options.PutOffLimit and additions by Reopen; 0: unlimited
}

// maxFamily is the longest name of a family, in bytes; longer ones are cut.
const maxFamily = 500

// errFamily says that a family is not what its URLs say.
var errFamily = fmt.Errorf("%w: family", errRecord)

// family is what is stored about a family.
type family struct {
	number  uint64 // in the keys of its URLs
	note    string
	closed  bool
	waiting int
	drawn   int
	added   int // to the limit by Reopen
}

func (f *family) encode() []byte {
	b := binary.AppendUvarint([]byte{recordFormat}, f.number)
	b = appendString(b, f.note)
	for _, n := range []int{f.waiting, f.drawn, f.added, bit(f.closed)} {
		b = binary.AppendVarint(b, int64(n))
	}
	return seal(b)
}

func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}

func decodeFamily(value []byte) (family, error) {
	d := unseal(value)
	f := family{number: d.uvarint(), note: d.string()}
	for _, n := range []*int{&f.waiting, &f.drawn, &f.added} {
		*n = d.count()
	}
	f.closed = d.varint() == 1
	return f, d.end("family")
}

// limit returns how many URLs may be drawn from the family; 0 is no bound.
func (f *family) limit(most int) int {
	if most == 0 {
		return 0
	}
	return most + f.added
}

// held reports whether the family gives nothing until it is reopened.
func (f *family) held(most int) bool {
	return f.closed || most > 0 && f.drawn >= f.limit(most)
}

// empty reports whether there is nothing to know about the family.
func (f *family) empty() bool {
	return f.waiting+f.drawn+f.added == 0 && f.note == "" && !f.closed
}

// numberKey begins the keys of all parts and deferred URLs of the family.
func (f *family) numberKey() []byte { return binary.BigEndian.AppendUint64(nil, f.number) }

// partKey returns the key of the family's part on a host.
func (f *family) partKey(host string) []byte { return append(f.numberKey(), host...) }

// urlKey returns the key of a deferred URL of the family.
func (f *family) urlKey(host string, id entryID) []byte {
	return binary.BigEndian.AppendUint32(append(f.partKey(host), 0), uint32(id))
}

// part is what a family has on one host.
type part struct{ waiting, drawn int }

func (p part) encode() []byte {
	return seal(binary.AppendVarint(binary.AppendVarint([]byte{recordFormat}, int64(p.waiting)), int64(p.drawn)))
}

// decodePart reads a part; no value is an empty one.
func decodePart(value []byte) (p part, err error) {
	if value == nil {
		return part{}, nil
	}
	d := unseal(value)
	p.waiting, p.drawn = d.count(), d.count()
	return p, d.end("part of a family")
}

// turnKey returns the key of the part among those of its host from which a URL may be drawn.
func (p part) turnKey(f *family, host string) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(hostPrefix(host), uint64(p.drawn)), f.number)
}

// openFamily is a family in a transaction.
type openFamily struct {
	family
	name   string
	stored family // as it is in the file
	held   bool   // its parts have no turns
}

// putOffs is what a transaction does to families. Nothing of it exists where no URL is deferred.
type putOffs struct {
	families, parts, urls, turns *bolt.Bucket

	open  map[string]*openFamily
	names []string // of open, in order
	held  int      // change of the number of URLs in families that are held
}

// putOff returns the transaction's part about families.
func (b *batch) putOff() *putOffs {
	if b.putOffs == nil {
		tx := b.entries.Tx()
		b.putOffs = &putOffs{
			families: bucket(tx, bucketFamilies),
			parts:    bucket(tx, bucketParts),
			urls:     bucket(tx, bucketPutOff),
			turns:    bucket(tx, bucketTurns),
			open:     make(map[string]*openFamily),
		}
	}
	return b.putOffs
}

// family returns a family for reading and changing; the caller calls moved after it.
func (b *batch) family(name string) (*openFamily, error) {
	p := b.putOff()
	if f := p.open[name]; f != nil {
		return f, nil
	}
	f := &openFamily{name: name}
	var err error
	if value := p.families.Get([]byte(name)); value != nil {
		f.stored, err = decodeFamily(value)
		f.family = f.stored
		f.held = f.family.held(b.options.PutOffLimit)
	} else {
		f.number, err = p.families.NextSequence()
	}
	if err != nil {
		return nil, fmt.Errorf("family %q: %w", name, err)
	}
	p.open[name] = f
	p.names = append(p.names, name)
	return f, nil
}

// countPart changes how many URLs of a family wait on a host and were drawn there.
func (b *batch) countPart(f *openFamily, host string, waiting, drawn int) error {
	p := b.putOff()
	was, err := decodePart(p.parts.Get(f.partKey(host)))
	if err != nil {
		return fmt.Errorf("family %q: %w", f.name, err)
	}
	now := part{was.waiting + waiting, was.drawn + drawn}
	if now.waiting < 0 || now.drawn < 0 {
		return fmt.Errorf("%w %q: it counts %d URLs that wait on %s and %d drawn ones", errFamily, f.name, now.waiting, host, now.drawn)
	}
	f.waiting, f.drawn = f.waiting+waiting, f.drawn+drawn
	if now == (part{}) {
		err = p.parts.Delete(f.partKey(host))
	} else {
		err = p.parts.Put(f.partKey(host), now.encode())
	}
	if err != nil {
		return err
	}
	if !f.held {
		if err := b.giveTurn(f, host, was, now); err != nil {
			return err
		}
	}
	return b.moved(f)
}

// giveTurn replaces the turn of a part, and what its host counts as drawable. A part where no URL
// waits has no turn.
func (b *batch) giveTurn(f *openFamily, host string, was, now part) error {
	p := b.putOff()
	from, to := was.turnKey(&f.family, host), now.turnKey(&f.family, host)
	if was.waiting > 0 && (now.waiting == 0 || was.drawn != now.drawn) {
		if err := p.turns.Delete(from); err != nil {
			return err
		}
	}
	if now.waiting > 0 && (was.waiting == 0 || was.drawn != now.drawn) {
		if err := p.turns.Put(to, []byte(f.name)); err != nil {
			return err
		}
	}
	if was.waiting == now.waiting {
		return nil
	}
	h, err := b.host(host)
	if err != nil {
		return err
	}
	h.draws.drawable += now.waiting - was.waiting
	return nil
}

// moved gives the parts of a family that was changed their turns, or takes them away, if it is not
// held any more, or now is.
func (b *batch) moved(f *openFamily) error {
	held := f.family.held(b.options.PutOffLimit)
	if held == f.held {
		return nil
	}
	f.held = held
	hosts, parts, err := partsOf(b.putOff().parts, &f.family)
	if err != nil {
		return fmt.Errorf("family %q: %w", f.name, err)
	}
	for i, host := range hosts {
		was, now := part{}, parts[i]
		if held {
			was, now = now, was
		}
		if err := b.giveTurn(f, host, was, now); err != nil {
			return err
		}
	}
	return nil
}

// partsOf returns the parts of a family and their hosts.
func partsOf(bucket *bolt.Bucket, f *family) (hosts []string, parts []part, err error) {
	prefix := f.numberKey()
	cursor := bucket.Cursor()
	for key, value := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, value = cursor.Next() {
		p, err := decodePart(value)
		if err != nil {
			return nil, nil, err
		}
		hosts, parts = append(hosts, string(key[len(prefix):])), append(parts, p)
	}
	return hosts, parts, nil
}

// finishFamilies writes the families that were changed.
func (b *batch) finishFamilies() error {
	p := b.putOffs
	if p == nil {
		return nil
	}
	most := b.options.PutOffLimit
	for _, name := range p.names {
		f := p.open[name]
		if f.held {
			p.held += f.waiting
		}
		if f.stored.held(most) {
			p.held -= f.stored.waiting
		}
		var err error
		switch {
		case f.empty():
			err = p.families.Delete([]byte(name))
		case f.family != f.stored:
			err = p.families.Put([]byte(name), f.encode())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// postpone lets an entry that is in no queue wait in its family.
func (b *batch) postpone(r *record, host string) error {
	f, err := b.family(r.Family)
	if err != nil {
		return err
	}
	b.totals[PutOff]++
	r.State = PutOff
	if err := b.putOff().urls.Put(f.urlKey(host, r.id), []byte{}); err != nil {
		return err
	}
	return b.countPart(f, host, 1, 0)
}

// putBack lets a leased URL wait in a family. One that was settled meanwhile stays so.
func (b *batch) putBack(r *record, o *Outcome) error {
	host, err := r.host()
	if err != nil {
		return err
	}
	switch {
	case r.State == PutOff:
		err = b.resume(r, host, 0)
	case r.State != Pending:
		return nil
	case r.drawn():
		err = b.undraw(r, -1)
	}
	if err != nil {
		return err
	}
	if r.State == Pending {
		b.totals[Pending]--
	}
	r.Reason, r.Family = clip(o.Reason, maxReason), clip(o.Family, maxFamily)
	r.front, r.waiting, r.Batched, r.NotBefore = false, false, false, time.Time{}
	if err := b.postpone(r, host); err != nil {
		return err
	}
	return b.put(r)
}

// resume takes a deferred entry out of its family. drawn is 1 if it was drawn.
func (b *batch) resume(r *record, host string, drawn int) error {
	f, err := b.family(r.Family)
	if err != nil {
		return err
	}
	b.totals[PutOff]--
	if err := b.putOff().urls.Delete(f.urlKey(host, r.id)); err != nil {
		return err
	}
	return b.countPart(f, host, -1, drawn)
}

// vouch schedules a deferred URL because a link or a call of Add names it without a family.
func (b *batch) vouch(r *record, u *URL, batched bool) error {
	if u.Family != "" {
		return nil
	}
	host, err := r.host()
	if err != nil {
		return err
	}
	if err := b.resume(r, host, 0); err != nil {
		return err
	}
	b.totals[Pending]++
	r.State, r.Family = Pending, ""
	r.Seed, r.Forced = r.Seed || u.Seed, r.Forced || u.Forced
	b.improve(r, u)
	r.Batched = batched && !r.Immediate
	b.unqueued = append(b.unqueued, r.id)
	if b.requeued[r.id] = queueReady; r.Batched {
		b.requeued[r.id] = queueBatch
	}
	if err := b.enqueueAt(r, host); err != nil {
		return err
	}
	return b.put(r)
}

// changeFamilies does what the caller says of families.
func (b *batch) changeFamilies(changes map[string]FamilyChange) error {
	for _, name := range slices.Sorted(maps.Keys(changes)) { // those that are new get their turns in order
		c := changes[name]
		f, err := b.family(clip(name, maxFamily))
		if err != nil {
			return err
		}
		if c.Note != nil {
			f.note = clip(*c.Note, maxReason)
		}
		if c.Closed != nil {
			f.closed = *c.Closed
		}
		if err := b.moved(f); err != nil {
			return err
		}
	}
	return nil
}

// Reopen opens every family again, closed ones included, and raises its limit so that all its
// waiting URLs may be drawn. It returns once that is durable.
func (f *Frontier) Reopen() error {
	return f.commit(func(b *batch) error {
		var names []string
		err := b.putOff().families.ForEach(func(name, _ []byte) error {
			names = append(names, string(name))
			return nil
		})
		for name := range b.putOff().open { // some are not in the file yet
			names = append(names, name)
		}
		for _, name := range names {
			if err == nil {
				err = b.reopen(name)
			}
		}
		return err
	}, nil)
}

func (b *batch) reopen(name string) error {
	f, err := b.family(name)
	if err != nil {
		return err
	}
	f.closed = false
	if most := b.options.PutOffLimit; most > 0 {
		f.added = max(f.added, f.drawn+f.waiting-most)
	}
	return b.moved(f)
}

// Families returns all families, ordered by name. It reads all of them into memory, so it is
// expensive when there are many. It returns none when the frontier is closed.
func (f *Frontier) Families() []Family {
	var all []Family
	// A damaged family is reported by Check, and by what changes it.
	_ = scan(f, bucketFamilies, func(_ *bolt.Tx, name, value []byte) (Family, bool, error) {
		r, err := decodeFamily(value)
		return Family{
			Name: string(name), Note: r.note, Waiting: r.waiting, Drawn: r.drawn, Closed: r.closed, Limit: r.limit(f.options.PutOffLimit),
		}, true, err
	}, func(one Family) error {
		all = append(all, one)
		return nil
	})
	return all
}

// EachPutOff calls fn for the URLs that wait in a family, leased ones included, host by host in the
// order in which they were first found. It stops after most URLs; 0: all. Otherwise it is like
// Each.
func (f *Frontier) EachPutOff(family string, most int, fn func(Entry) error) error {
	family = clip(family, maxFamily)
	var from []byte
	for left, more := most, true; more && (most == 0 || left > 0); {
		var found []Entry
		step := scanStep
		if most > 0 {
			step = min(step, left)
		}
		err := f.view(func(tx *bolt.Tx) error {
			var err error
			found, from, more, err = waitingURLs(tx, family, from, step)
			return err
		})
		if err != nil {
			return err
		}
		for _, e := range found {
			if err := fn(e); err != nil {
				return err
			}
		}
		left -= len(found)
	}
	return nil
}

// waitingURLs returns the first n URLs that wait in a family from a key on, and where those behind
// them begin.
func waitingURLs(tx *bolt.Tx, name string, from []byte, n int) (found []Entry, next []byte, more bool, err error) {
	value := bucket(tx, bucketFamilies).Get([]byte(name))
	if value == nil {
		return nil, nil, false, nil
	}
	f, err := decodeFamily(value)
	if err != nil {
		return nil, nil, false, fmt.Errorf("family %q: %w", name, err)
	}
	prefix := f.numberKey()
	if from == nil {
		from = prefix
	}
	cursor := bucket(tx, bucketPutOff).Cursor()
	for key, _ := cursor.Seek(from); bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
		if len(found) == n {
			return found, bytes.Clone(key), true, nil
		}
		r, err := deferredEntry(tx, name, queued(key))
		if err != nil {
			return nil, nil, false, err
		}
		found = append(found, r.Entry)
	}
	return found, nil, false, nil
}

// deferredEntry returns the entry of a key among the deferred URLs of a family.
func deferredEntry(tx *bolt.Tx, family string, id entryID) (*record, error) {
	r, err := readEntry(bucket(tx, bucketEntries), id)
	if err == nil && (r == nil || r.State != PutOff || r.Family != family) {
		err = fmt.Errorf("%w %q: entry %x waits in it and is not deferred", errFamily, family, id)
	}
	return r, err
}

func validFamilies(changes map[string]FamilyChange) error {
	if _, nameless := changes[""]; nameless {
		return errors.New("a family without a name")
	}
	return nil
}
