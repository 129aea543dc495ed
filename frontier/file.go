package frontier

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/durable"
	bolt "go.etcd.io/bbolt"
)

// The buckets of the file. A URL's entry is named by a number, see entryID, and found
// by seen; a pending one is also in exactly one queue, or recent, and its place there
// follows from the entry, so that moving or settling it is constant work. In the ready bucket, a place
// may be vacated.
//
//	ready    host 00 rank(1) inverted-priority(8) entryID(4) -> a block of entryIDs
//	waiting  host 00 due(8) entryID(4)                       -> nothing
//	batched  entryID(4)                                      -> nothing
//	putoff   number of its family(8) host 00 entryID(4)      -> nothing
//	parts    number of a family(8) host                      -> part
//	turns    host 00 drawn(8) number(8)                      -> the name of a family that may be drawn from there
//
// rank is 0 for a deferred or drawn URL, 1 for an immediate one and 2 for all others. Numbers
// are big endian. For blocks see place.go, for recent URLs recent.go, for vacated places vacated.go.
const (
	bucketMeta     = "meta"     // layout; totals; mark; limit
	bucketEntries  = "entries"  // entryID -> record
	bucketReady    = "ready"    // see above
	bucketWaiting  = "waiting"  // see above
	bucketBatched  = "batched"  // see above
	bucketVacated  = "vacated"  // number -> places in the ready bucket that their URLs have left
	bucketHosts    = "hosts"    // name -> hostRecord
	bucketNotes    = "notes"    // name -> the caller's bytes
	bucketDomains  = "domains"  // pay-level domain, or name of a rule -> domainRecord
	bucketInlinks  = "inlinks"  // domain 00 domain that links to it -> nothing
	bucketRules    = "rules"    // domain -> Rule
	bucketCounters = "counters" // name -> count
	bucketMarks    = "marks"    // hash -> Mark
	bucketSettings = "settings" // key -> the caller's bytes
	bucketFamilies = "families" // name -> family
	bucketPutOff   = "putoff"   // see above
	bucketParts    = "parts"    // see above
	bucketTurns    = "turns"    // see above

	keyLayout  = "layout"
	keyTotals  = "totals"
	keySeen    = "seen"            // the name of the snapshot of the table of known URLs
	keyMark    = "placed"          // the number up to which no entry is recent
	keyLimit   = "limit"           // Options.PutOffLimit by which turns were given
	layoutName = "awarc frontier " // what every layout begins with
	layout     = layoutName + "7"

	// Open makes these the present one.
	layoutTurns  = layoutName + "6" // families take turns in the whole file, see regroup
	layoutSimple = layoutName + "5" // without families
)

// bucket returns a bucket that createLayout has made. In a damaged file it may be
// missing; the first use then panics, which guarded turns into an error.
func bucket(tx *bolt.Tx, name string) *bolt.Bucket { return tx.Bucket([]byte(name)) }

// checkSize is the size in bytes up to which Open checks the whole file.
const checkSize = 64 << 20

// leastSize is the size in bytes of an empty bbolt file with the smallest pages.
const leastSize = 4 * 4096

// lockWait is how long Open waits for another process to let go of the file.
const lockWait = time.Second

// openFile opens the bbolt file and returns the file below it, too, which bbolt closes. Before that it reads the file's own statement
// of its length, because bbolt would fault on the missing end of one cut short. A file that must exist is not made.
func openFile(path string, mustExist, readOnly bool) (db *bolt.DB, file *os.File, err error) {
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("frontier: %w", err)
	}
	if mustExist && (info == nil || info.Size() == 0) {
		found := "the file does not exist"
		if info != nil {
			found = "an empty file"
		}
		return nil, nil, &Error{path, Missing, errors.New(found)}
	}
	if err == nil && info.Size() > 0 {
		if err := checkLength(path, info.Size()); err != nil {
			return nil, nil, err
		}
	}
	defer func() {
		if err != nil && file != nil {
			unlock(file) // after a panic in bbolt nobody else would; otherwise the file is closed, and this is harmless
			file.Close()
		}
	}()
	defer catch(path, &err)()
	db, err = bolt.Open(path, 0o666, &bolt.Options{
		Timeout:      lockWait,
		ReadOnly:     readOnly,
		FreelistType: bolt.FreelistMapType,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			var err error
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		},
	})
	if err != nil {
		if info == nil && noSpace(err) {
			os.Remove(path) // the beginning of a file; what matters is err
		}
		return nil, nil, storageError(path, err)
	}
	if info == nil { // a new name lasts only when its directory is synced
		if err := durable.SyncDir(filepath.Dir(path)); err != nil {
			db.Close()
			return nil, nil, fmt.Errorf("frontier: %w", err)
		}
	}
	return db, file, nil
}

func checkLength(path string, size int64) (err error) {
	if size < leastSize {
		kind, err := Foreign, fmt.Errorf("%d bytes, but a bbolt file has at least %d", size, leastSize)
		if isBolt(path) {
			kind, err = Corrupt, fmt.Errorf("cut short: %d bytes are left", size)
		}
		return &Error{path, kind, err}
	}
	defer catch(path, &err)()
	db, err := bolt.Open(path, 0o666, &bolt.Options{Timeout: lockWait, ReadOnly: true})
	if err != nil {
		return storageError(path, err)
	}
	defer db.Close()
	if info, err := os.Stat(path); err == nil {
		size = info.Size() // which another process may have changed before this one had the lock
	}
	return db.View(func(tx *bolt.Tx) error {
		if tx.Size() > size {
			return &Error{path, Corrupt, fmt.Errorf("cut short: %d of %d bytes", size, tx.Size())}
		}
		return nil
	})
}

// isBolt reports whether a file begins as a bbolt file does.
func isBolt(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var head [20]byte // of a page, 16 bytes, and of bbolt's description of the file
	_, err = io.ReadFull(file, head[:])
	return err == nil && binary.NativeEndian.Uint32(head[16:]) == 0xED0CDAED
}

// catch returns a function to defer that turns a panic into an error of kind
// Corrupt, faults on pages outside the file included.
func catch(path string, err *error) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			*err = &Error{path, Corrupt, fmt.Errorf("reading it failed: %v", p)}
		}
	}
}

// checkLayout reports whether the file is new and refuses one that is not ours.
func checkLayout(path string, tx *bolt.Tx) (fresh bool, err error) {
	meta := bucket(tx, bucketMeta)
	if meta == nil {
		for _, own := range []string{bucketEntries, bucketHosts, bucketReady} {
			if bucket(tx, own) != nil {
				return false, &Error{path, Corrupt, fmt.Errorf("the bucket %q is missing", bucketMeta)}
			}
		}
		if first, _ := tx.Cursor().First(); first != nil {
			return false, &Error{path, Foreign, fmt.Errorf("bbolt file with a bucket %q", first[:min(len(first), maxName)])}
		}
		return true, nil
	}
	value := meta.Get([]byte(keyLayout))
	have := string(value[:min(len(value), 2*len(layout))]) // of a damaged page it may be gigabytes long
	switch {
	case have == layout:
		return false, nil
	case (have == layoutTurns || have == layoutSimple) && !tx.Writable():
		return false, &Error{path, Layout, fmt.Errorf("old layout %q; awarc resume converts it", have)}
	case have == layoutTurns:
		return false, regroup(tx)
	case have == layoutSimple:
		return false, addFamilies(tx)
	case isLayout(have):
		return false, &Error{path, Layout, fmt.Errorf("layout %q, but this version reads %q", have, layout)}
	case have != "" && bucket(tx, bucketEntries) != nil:
		return false, &Error{path, Corrupt, fmt.Errorf("unknown layout %q", have)}
	}
	return false, &Error{path, Foreign, errors.New("bbolt file without a layout name")}
}

// isLayout reports whether some version of this package may have named its layout so: by a positive number.
func isLayout(name string) bool {
	number, found := strings.CutPrefix(name, layoutName)
	n, err := strconv.Atoi(number)
	return found && err == nil && n > 0 && strconv.Itoa(n) == number
}

func createLayout(tx *bolt.Tx) error {
	err := createBuckets(tx, bucketMeta, bucketEntries, bucketReady, bucketWaiting, bucketBatched, bucketVacated, bucketHosts,
		bucketNotes, bucketDomains, bucketInlinks, bucketRules, bucketCounters, bucketMarks, bucketSettings)
	if err != nil {
		return err
	}
	meta := bucket(tx, bucketMeta)
	if err := meta.Put([]byte(keyTotals), new(totals).encode()); err != nil {
		return err
	}
	if err := meta.Put([]byte(keyMark), encodeCount(0)); err != nil {
		return err
	}
	return addFamilies(tx)
}

// addFamilies makes the layout of one without families.
func addFamilies(tx *bolt.Tx) error {
	if err := createBuckets(tx, bucketFamilies, bucketPutOff, bucketParts, bucketTurns); err != nil {
		return err
	}
	meta := bucket(tx, bucketMeta)
	if err := meta.Put([]byte(keyLimit), encodeCount(0)); err != nil {
		return err
	}
	return meta.Put([]byte(keyLayout), []byte(layout))
}

func createBuckets(tx *bolt.Tx, names ...string) error {
	for _, name := range names {
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

func readTotals(tx *bolt.Tx) (totals, error) {
	return decodeTotals(bucket(tx, bucketMeta).Get([]byte(keyTotals)))
}

// view and update run one transaction, see guarded.
func (f *Frontier) view(fn func(*bolt.Tx) error) error {
	return guarded(f.path, f.db.View, fn)
}

func (f *Frontier) update(fn func(*bolt.Tx) error) error {
	return guarded(f.path, f.db.Update, fn)
}

// queued returns the entry that a key of the waiting or the batched bucket names.
func queued(key []byte) entryID {
	if len(key) < 4 {
		return 0
	}
	return idOf(key[len(key)-4:])
}

// waitingKey returns the key of an entry in the waiting queue.
func waitingKey(r *record, host string) []byte {
	key := binary.BigEndian.AppendUint64(hostPrefix(host), timeOrder(r.NotBefore))
	return binary.BigEndian.AppendUint32(key, uint32(r.id))
}

// intOrder maps integers to unsigned ones of the same order.
func intOrder(n int64) uint64 { return uint64(n) ^ 1<<63 }

// timeOrder does the same for times, as they read after they were stored.
func timeOrder(t time.Time) uint64 { return intOrder(storedTime(t)) }
