package frontier

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"
)

// Values in the file are a format byte, fields one after the other (numbers as
// varints, strings after their length, times as nanoseconds of the Unix epoch with 0
// for "none") and a CRC-32C of all that. The checksum turns a flipped bit into
// an error where it would otherwise turn into a different URL.

// errRecord marks a value that is not what this package wrote.
var errRecord = errors.New("damaged record")

const recordFormat = 1

// record is an Entry as it is stored, with its place in the queue.
type record struct {
	Entry
	id      entryID // its position among equals, too; not in the value
	sum     int     // of the priorities given
	best    int     // of the priorities given
	front   bool    // deferred: before all others of its host
	waiting bool    // in the waiting queue, until NotBefore
}

const (
	flagSeed = 1 << iota
	flagForced
	flagFront
	flagWaiting
	flagImmediate
	flagBatched
	flagFamily // its name follows
	flagPath   // likewise
	flagModified
)

func (r *record) encode() []byte {
	b := make([]byte, 0, 96+len(r.URL.URL)+len(r.Key)+len(r.Via)+len(r.Anchor)+len(r.Reason))
	b = append(b, recordFormat, byte(r.State))
	var flags uint64
	for i, set := range []bool{r.Seed, r.Forced, r.front, r.waiting, r.Immediate, r.Batched, r.Family != "", r.Path != "",
		r.Modified != 0} {
		if set {
			flags |= 1 << i
		}
	}
	b = binary.AppendUvarint(b, flags)
	b = appendString(b, r.URL.URL)
	b = appendShared(b, r.Key, r.URL.URL)
	b = appendShared(b, r.Via, r.URL.URL)
	for _, s := range []string{r.Type, r.Level, r.Anchor, r.Reason} {
		b = appendString(b, s)
	}
	for _, n := range []int{r.Hops, r.Priority, r.Redirects, r.Tries, r.Scores, r.sum, r.best} {
		b = binary.AppendVarint(b, int64(n))
	}
	for _, t := range []time.Time{r.Added, r.Settled, r.NotBefore} {
		b = appendTime(b, t)
	}
	if r.Family != "" {
		b = appendString(b, r.Family)
	}
	if r.Path != "" {
		b = appendString(b, r.Path)
	}
	if r.Modified != 0 {
		b = binary.AppendVarint(b, r.Modified)
	}
	if r.Why != "" {
		b = appendString(b, r.Why)
	}
	return seal(b)
}

func decodeRecord(value []byte) (*record, error) {
	d := unseal(value)
	r := new(record)
	r.State = State(d.byte())
	flags := d.uvarint()
	r.Seed, r.Forced = flags&flagSeed != 0, flags&flagForced != 0
	r.front, r.waiting = flags&flagFront != 0, flags&flagWaiting != 0
	r.Immediate, r.Batched = flags&flagImmediate != 0, flags&flagBatched != 0
	r.URL.URL = d.string()
	r.Key, r.Via = d.shared(r.URL.URL), d.shared(r.URL.URL)
	for _, s := range []*string{&r.Type, &r.Level, &r.Anchor, &r.Reason} {
		*s = d.string()
	}
	for _, n := range []*int{&r.Hops, &r.Priority, &r.Redirects, &r.Tries, &r.Scores, &r.sum, &r.best} {
		*n = int(d.varint())
	}
	for _, t := range []*time.Time{&r.Added, &r.Settled, &r.NotBefore} {
		*t = d.time()
	}
	if flags&flagFamily != 0 {
		r.Family = d.string()
	}
	if flags&flagPath != 0 {
		r.Path = d.string()
	}
	if flags&flagModified != 0 {
		r.Modified = d.varint()
	}
	if len(d.rest) > 0 {
		r.Why = d.string()
	}
	if int(r.State) >= states || r.State == PutOff && r.Family == "" {
		d.fail("state")
	}
	return r, d.end("entry")
}

// key reads URL and Key and returns the parts of the latter.
func (d *decoder) key() [2][]byte {
	url := d.bytes()
	same := d.uvarint()
	rest := d.bytes()
	if same > uint64(len(url)) {
		d.fail("cut short")
		return [2][]byte{}
	}
	return [2][]byte{url[:same:same], rest}
}

// decodeKey returns the key of a record without decoding the rest. It may refer to
// the value.
func decodeKey(value []byte) ([]byte, error) {
	d := unseal(value)
	d.byte()
	d.uvarint()
	key := d.key()
	if d.fault != "" {
		return nil, d.end("entry")
	}
	if len(key[1]) > 0 {
		return append(key[0], key[1]...), nil
	}
	return key[0], nil
}

// hostRecord is what is stored about a host: its pace and the lengths of its queues.
type hostRecord struct {
	pace
	requests int       // made
	ready    int       // URLs in the ready bucket
	placed   entryID   // the last one that is there and not recent, if it is ready
	vacated  uint64    // the last record of vacated places that is merged into the ready bucket
	waiting  int       // URLs in the waiting queue
	nextWait time.Time // when the first of these is due
	best     int       // of the first URL that is ready, see place.best; not stored, 0 without Options.BestFirst
	draws    draws
}

func (h *hostRecord) encode() []byte {
	b := []byte{recordFormat}
	b = binary.AppendVarint(b, int64(h.delay))
	b = appendTime(b, h.lastEnd)
	b = appendTime(b, h.notBefore)
	b = appendString(b, h.ip)
	b = binary.AppendVarint(b, int64(h.requests))
	b = binary.AppendVarint(b, int64(h.ready))
	b = binary.AppendVarint(b, int64(h.waiting))
	b = appendTime(b, h.nextWait)
	b = binary.AppendUvarint(b, uint64(h.placed))
	b = binary.AppendUvarint(b, h.vacated)
	if h.draws != (draws{}) || h.Health != (Health{}) {
		for _, n := range []int{h.draws.drawable, h.draws.pending, h.draws.requests} {
			b = binary.AppendVarint(b, int64(n))
		}
	}
	return seal(h.Health.encode(b))
}

func decodeHost(value []byte) (*hostRecord, error) {
	d := unseal(value)
	h := new(hostRecord)
	h.delay = time.Duration(d.varint())
	h.lastEnd, h.notBefore = d.time(), d.time()
	h.ip = d.string()
	h.requests = int(d.varint())
	h.ready, h.waiting = int(d.varint()), int(d.varint())
	h.nextWait = d.time()
	h.placed, h.vacated = entryID(d.uvarint()), d.uvarint()
	if len(d.rest) > 0 {
		h.draws = draws{d.count(), d.count(), d.count()}
	}
	h.Health.decode(&d)
	if h.requests < 0 || h.ready < 0 || h.waiting < 0 || h.delay < 0 {
		d.fail("negative count")
	}
	return h, d.end("host")
}

// totals counts the entries by state. Files of layout 5 know one state less.
type totals [states]int

// sum is how many entries there are.
func (t *totals) sum() (n int) {
	for _, of := range t {
		n += of
	}
	return n
}

func (t *totals) encode() []byte {
	b := []byte{recordFormat}
	for _, n := range t {
		b = binary.AppendVarint(b, int64(n))
	}
	return seal(b)
}

func decodeTotals(value []byte) (totals, error) {
	d := unseal(value)
	var t totals
	for i := range t {
		if i == int(PutOff) && d.fault == "" && len(d.rest) == 0 {
			break
		}
		if t[i] = int(d.varint()); t[i] < 0 {
			d.fail("negative count")
		}
	}
	return t, d.end("totals")
}

func encodeCount(n int64) []byte {
	return seal(binary.AppendVarint([]byte{recordFormat}, n))
}

func decodeCount(value []byte) (int64, error) {
	d := unseal(value)
	n := d.varint()
	return n, d.end("counter")
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendShared appends a string that is likely to begin as another does: the number
// of bytes that they share, and the rest.
func appendShared(b []byte, s, base string) []byte {
	n := 0
	for n < len(s) && n < len(base) && s[n] == base[n] {
		n++
	}
	return appendString(binary.AppendUvarint(b, uint64(n)), s[n:])
}

func appendTime(b []byte, t time.Time) []byte {
	return binary.AppendVarint(b, storedTime(t))
}

// storedTime returns t as it is stored: nanoseconds of the epoch. Times for which
// these do not fit, as when a host asks for the year 9999, become the nearest.
func storedTime(t time.Time) int64 {
	switch year := t.Year(); {
	case t.IsZero():
		return 0
	case year > 2261:
		return math.MaxInt64
	case year < 1679:
		return math.MinInt64
	}
	return t.UnixNano()
}

func seal(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, checksum(b))
}

func checksum(b []byte) uint32 {
	return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
}

// decoder reads the fields of a sealed value. After the first fault it yields
// zero values, and end tells what the fault was.
type decoder struct {
	rest  []byte
	fault string
}

func unseal(value []byte) (d decoder) {
	body := len(value) - 4
	switch {
	case body < 1:
		d.fail("too short")
	case binary.LittleEndian.Uint32(value[body:]) != checksum(value[:body]):
		d.fail("wrong checksum")
	case value[0] != recordFormat:
		d.fail(fmt.Sprintf("format %d", value[0]))
	default:
		d.rest = value[1:body]
	}
	return d
}

func (d *decoder) fail(what string) {
	if d.fault == "" {
		d.fault = what
	}
	d.rest = nil
}

func (d *decoder) end(what string) error {
	if d.fault == "" && len(d.rest) > 0 {
		d.fail("bytes left over")
	}
	if d.fault != "" {
		return fmt.Errorf("%w: %s: %s", errRecord, what, d.fault)
	}
	return nil
}

func (d *decoder) byte() byte {
	if len(d.rest) == 0 {
		d.fail("cut short")
		return 0
	}
	c := d.rest[0]
	d.rest = d.rest[1:]
	return c
}

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 {
		d.fail("cut short")
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) varint() int64 {
	n, size := binary.Varint(d.rest)
	if size <= 0 {
		d.fail("cut short")
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

// count reads a number that is not negative.
func (d *decoder) count() int {
	n := d.varint()
	if n < 0 {
		d.fail("negative count")
		return 0
	}
	return int(n)
}

// string copies, so that nothing refers to the file after the transaction.
func (d *decoder) string() string { return string(d.bytes()) }

func (d *decoder) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.rest)) {
		d.fail("cut short")
		return nil
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

// shared reads what appendShared wrote.
func (d *decoder) shared(base string) string {
	n := d.uvarint()
	if n > uint64(len(base)) {
		d.fail("cut short")
		return ""
	}
	rest := d.bytes()
	if len(rest) == 0 {
		return base[:n]
	}
	return base[:n] + string(rest)
}

func (d *decoder) time() time.Time {
	n := d.varint()
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
