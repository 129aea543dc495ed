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

// A FamilyChange is what the caller says of a family.
type FamilyChange struct {
	Note   *string // replaces the note, which is cut at 1 KiB; nil changes nothing
	Closed *bool   // true: nothing more is drawn; nil changes nothing
}

// A Family is what the frontier knows about URLs that were put off together.
type Family struct {
	Name, Note string
	Waiting    int  // URLs that are put off
	Drawn      int  // URLs that were drawn
	Closed     bool // nothing more is drawn
	Limit      int  // URLs that may be drawn: Options.PutOffLimit and what Reopen added; 0 is no bound
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
	out     int     // of the drawn ones, those that are pending
	added   int     // to the limit by Reopen
	from    entryID // the domains of all that wait before it are stopped
	blocked bool    // and those of all others
}

func (f *family) encode() []byte {
	b := binary.AppendUvarint([]byte{recordFormat}, f.number)
	b = appendString(b, f.note)
	for _, n := range []int{f.waiting, f.drawn, f.out, f.added, int(f.from), bit(f.closed), bit(f.blocked)} {
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
	for _, n := range []*int{&f.waiting, &f.drawn, &f.out, &f.added} {
		if *n = int(d.varint()); *n < 0 {
			d.fail("negative count")
		}
	}
	f.from = entryID(d.varint())
	f.closed, f.blocked = d.varint() == 1, d.varint() == 1
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

// drawable reports whether a URL of the family may be drawn now.
func (f *family) drawable(most, each int) bool {
	return f.waiting > 0 && f.out < each && !f.blocked && !f.held(most)
}

// empty reports whether there is nothing to know about the family.
func (f *family) empty() bool {
	return f.waiting+f.drawn+f.out+f.added == 0 && f.note == "" && !f.closed
}

// urlKey returns the key of a waiting URL of the family.
func (f *family) urlKey(id entryID) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, f.number), uint32(id))
}

// turnKey returns the key of the family among those that may be drawn from.
func (f *family) turnKey() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(f.drawn)), f.number)
}

// blockedKey returns the key that says that a rule or domain of that name stops URLs of the family.
func (f *family) blockedKey(by string) []byte {
	return binary.BigEndian.AppendUint64(hostPrefix(by), f.number)
}

// openFamily is a family in a transaction.
type openFamily struct {
	family
	name   string
	stored family // as it is in the file
	turn   []byte // its key in the bucket of turns, nil for none
}

// putOffs is what a transaction does to families. Nothing of it exists where nothing is put off.
type putOffs struct {
	families, urls, turns, out, blocked *bolt.Bucket

	open     map[string]*openFamily
	names    []string           // of open, in order
	came     map[entryID]string // hosts of URLs that were drawn
	went     map[entryID]bool   // drawn URLs that are not pending any more
	drawable int                // change of the number of turns
	held     int                // change of the number of URLs in families that are held
}

// putOff returns the transaction's part about families.
func (b *batch) putOff() *putOffs {
	if b.putOffs == nil {
		tx := b.entries.Tx()
		b.putOffs = &putOffs{
			families: bucket(tx, bucketFamilies),
			urls:     bucket(tx, bucketPutOff),
			turns:    bucket(tx, bucketTurns),
			out:      bucket(tx, bucketDrawn),
			blocked:  bucket(tx, bucketBlocked),
			open:     make(map[string]*openFamily),
			came:     make(map[entryID]string),
			went:     make(map[entryID]bool),
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
		if f.drawable(b.options.PutOffLimit, b.options.drawing.each) {
			f.turn = f.turnKey()
		}
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

// moved gives a family that was changed its turn, or takes it away.
func (b *batch) moved(f *openFamily) error {
	p := b.putOff()
	var turn []byte
	if f.drawable(b.options.PutOffLimit, b.options.drawing.each) {
		turn = f.turnKey()
	}
	if bytes.Equal(turn, f.turn) {
		return nil
	}
	if f.turn != nil {
		p.drawable--
		if err := p.turns.Delete(f.turn); err != nil {
			return err
		}
	}
	if f.turn = turn; turn == nil {
		return nil
	}
	p.drawable++
	return p.turns.Put(turn, []byte(f.name))
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
		if f.held(most) {
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
	f.waiting++
	if f.blocked || r.id < f.from { // otherwise its turn to be looked at comes
		by, err := b.stoppedBy(host)
		if err != nil {
			return err
		}
		if by == "" {
			f.from, f.blocked = min(f.from, r.id), false
		} else if err := b.putOff().blocked.Put(f.blockedKey(by), []byte(f.name)); err != nil {
			return err
		}
	}
	if err := b.putOff().urls.Put(f.urlKey(r.id), []byte{}); err != nil {
		return err
	}
	return b.moved(f)
}

// putBack lets a leased URL wait in a family. One that was settled meanwhile stays so.
func (b *batch) putBack(r *record, o *Outcome) error {
	if r.State != Pending {
		return nil
	}
	if r.drawn() {
		f, err := b.undraw(r)
		if err != nil {
			return err
		}
		f.drawn--
		if err := b.moved(f); err != nil {
			return err
		}
	}
	b.totals[Pending]--
	r.Reason, r.Family = clip(o.Reason, maxReason), clip(o.Family, maxFamily)
	r.front, r.waiting, r.NotBefore = false, false, time.Time{}
	name, err := r.host()
	if err != nil {
		return err
	}
	if err := b.postpone(r, name); err != nil {
		return err
	}
	return b.put(r)
}

// resume takes an entry out of the family where it waits.
func (b *batch) resume(r *record) error {
	f, err := b.family(r.Family)
	if err != nil {
		return err
	}
	if f.waiting == 0 {
		return fmt.Errorf("%w %q: entry %x waits in it, but is not counted", errFamily, f.name, r.id)
	}
	b.totals[PutOff]--
	f.waiting--
	if err := b.putOff().urls.Delete(f.urlKey(r.id)); err != nil {
		return err
	}
	return b.moved(f)
}

// vouch schedules a URL that is put off because somebody names it who does not put it off.
func (b *batch) vouch(r *record, u *URL, batched bool) error {
	if u.Family != "" {
		return nil
	}
	if err := b.resume(r); err != nil {
		return err
	}
	b.totals[Pending]++
	r.State, r.Family = Pending, ""
	r.Seed, r.Forced = r.Seed || u.Seed, r.Forced || u.Forced
	b.improve(r, u)
	r.Batched = batched && !r.Immediate
	if err := b.enqueue(r); err != nil {
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

// Reopen lets every family be drawn from again, those that were closed, too, for as many URLs as wait in it
// now beyond what was drawn. It returns once that is durable.
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

// Families returns the families of which anything is known, by name: all at once, so that with very many
// the caller had better not ask often. There are none when the frontier is closed.
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

// EachPutOff calls fn for the URLs that wait in a family, in the order in which they were first found, for at most as many as
// that, 0 being all. Otherwise it is like Each.
func (f *Frontier) EachPutOff(family string, most int, fn func(Entry) error) error {
	family = clip(family, maxFamily)
	var from entryID
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

// waitingURLs returns the first n URLs that wait in a family from an entry on, and where those behind them begin.
func waitingURLs(tx *bolt.Tx, name string, from entryID, n int) (found []Entry, next entryID, more bool, err error) {
	value := bucket(tx, bucketFamilies).Get([]byte(name))
	if value == nil {
		return nil, 0, false, nil
	}
	f, err := decodeFamily(value)
	if err != nil {
		return nil, 0, false, fmt.Errorf("family %q: %w", name, err)
	}
	prefix := f.urlKey(0)[:8]
	cursor := bucket(tx, bucketPutOff).Cursor()
	for key, _ := cursor.Seek(f.urlKey(from)); bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
		next = queued(key)
		if len(found) == n {
			return found, next, true, nil
		}
		r, err := readEntry(bucket(tx, bucketEntries), next)
		if err != nil {
			return nil, 0, false, err
		}
		if r == nil || r.State != PutOff {
			return nil, 0, false, fmt.Errorf("%w %q: entry %x waits in it and is not put off", errFamily, name, next)
		}
		found = append(found, r.Entry)
	}
	return found, next, false, nil
}

func validFamilies(changes map[string]FamilyChange) error {
	if _, nameless := changes[""]; nameless {
		return errors.New("a family without a name")
	}
	return nil
}
