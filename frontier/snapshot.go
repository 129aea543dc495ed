package frontier

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/awarc/awarc/engine/durable"
	bolt "go.etcd.io/bbolt"
)

// seenName is the name of the snapshot of the table of known URLs, beside the
// frontier's file. With it, Open need not read all entries, but those that were added later. It says
// nothing that the entries do not say: one that is missing, damaged or not the one that the
// frontier's file names costs time only.
//
// It is a head (the name of the format, a random name that the frontier's file repeats, the key of the hash,
// the number of the last entry), for each table the number of its slots in use and these slots, and
// a CRC-32C of all that. Numbers are little endian.
const (
	seenName   = "frontier.seen"
	seenFormat = "awarc seen 1\n\x00\x00\x00"
)

type seenHead struct {
	Format, Name, Key [16]byte
	Last              uint32
}

// errStale says that a snapshot is not to be used.
var errStale = errors.New("frontier: snapshot of another time")

// save writes the slots of the entries up to last to a new file and returns what is to be
// put into the frontier's file.
func (s *seen) save(dir string, last entryID) (name []byte, err error) {
	head := seenHead{Key: s.key, Last: uint32(last)}
	copy(head.Format[:], seenFormat)
	rand.Read(head.Name[:])
	path := filepath.Join(dir, seenName)
	file, err := os.Create(path + ".new")
	if err != nil {
		return nil, err
	}
	defer func() {
		file.Close()
		if err != nil {
			os.Remove(path + ".new") // it may have filled the disk
		}
	}()
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	buffer := bufio.NewWriterSize(file, 1<<20)
	out := io.MultiWriter(buffer, sum)
	if err := binary.Write(out, binary.LittleEndian, &head); err != nil {
		return nil, err
	}
	var slots []byte
	for i := range s.tables {
		slots = s.slotsUpTo(&s.tables[i], last, binary.LittleEndian.AppendUint32(slots[:0], 0))
		binary.LittleEndian.PutUint32(slots, uint32(len(slots)/8))
		if _, err := out.Write(slots); err != nil {
			return nil, err
		}
	}
	if err := binary.Write(buffer, binary.LittleEndian, sum.Sum32()); err != nil {
		return nil, err
	}
	if err := errors.Join(buffer.Flush(), file.Sync()); err != nil {
		return nil, err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return nil, err
	}
	return head.Name[:], durable.SyncDir(dir)
}

// slotsUpTo appends the slots of a table that are of entries up to last.
func (s *seen) slotsUpTo(t *seenTable, last entryID, to []byte) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i := range t.size() {
		if slot := t.slot(i); slot != 0 && entryID(slot) <= last {
			to = binary.LittleEndian.AppendUint64(to, slot)
		}
	}
	return to
}

// restore reads a snapshot and returns the number of the last entry in it. After an error the tables
// may hold anything.
func (s *seen) restore(dir string, name []byte) (last entryID, err error) {
	file, err := os.Open(filepath.Join(dir, seenName))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	buffer := bufio.NewReaderSize(file, 1<<20)
	in := io.TeeReader(buffer, sum)
	var head seenHead
	if err := binary.Read(in, binary.LittleEndian, &head); err != nil {
		return 0, err
	}
	size := int64(binary.Size(head)) + 4*int64(len(s.tables)) + 8*int64(head.Last) + 4
	if string(head.Format[:]) != seenFormat || !bytes.Equal(head.Name[:], name) || info.Size() != size {
		return 0, errStale
	}
	s.key = head.Key
	left := int(head.Last)
	for i := range s.tables {
		var used [4]byte
		if _, err := io.ReadFull(in, used[:]); err != nil {
			return 0, err
		}
		n := int(binary.LittleEndian.Uint32(used[:]))
		if left -= n; left < 0 {
			return 0, errStale
		}
		if err := s.tables[i].read(in, n); err != nil {
			return 0, err
		}
	}
	have := sum.Sum32()
	var want uint32
	if err := binary.Read(buffer, binary.LittleEndian, &want); err != nil {
		return 0, err
	}
	if left > 0 || have != want {
		return 0, errStale
	}
	return entryID(head.Last), nil
}

// read fills an empty table with n slots.
func (t *seenTable) read(in io.Reader, n int) error {
	if n == 0 {
		return nil
	}
	slots := make([]byte, 8*n)
	if _, err := io.ReadFull(in, slots); err != nil {
		return err
	}
	t.grow(16 + n + n/4)
	for ; len(slots) > 0; slots = slots[8:] {
		if slot := binary.LittleEndian.Uint64(slots); slot != 0 && t.used < n {
			t.place(slot)
			t.used++
		}
	}
	return nil
}

// snapshots is what the committer knows about them. After it has ended, Close has it.
type snapshots struct {
	last  entryID    // of the one that the frontier's file names
	tried entryID    // of the one begun last
	done  chan saved // yields the one under way; nil for none
	ready *saved     // to be named by the next transaction
}

type saved struct {
	name []byte
	last entryID
	err  error
}

// loadSeen fills the table of known URLs.
func (f *Frontier) loadSeen(tx *bolt.Tx) error {
	entries := bucket(tx, bucketEntries)
	if name := bucket(tx, bucketMeta).Get([]byte(keySeen)); name != nil {
		last, err := f.seen.restore(filepath.Dir(f.path), name)
		if err == nil && uint64(last) <= entries.Sequence() {
			f.snapshots.last, f.snapshots.tried = last, last
			return f.seen.load(entries, last+1, &f.mapped)
		}
		f.seen.free()
	}
	return f.seen.load(entries, 1, &f.mapped)
}

// saveSeen makes snapshots while URLs are added: never more than a fifth of them, or a few
// million, must be read after a crash. It comes after a commit, before which there were last entries.
func (f *Frontier) saveSeen(last entryID) {
	s := &f.snapshots
	if s.done == nil {
		if int(last)-int(s.tried) >= max(4*f.options.merging.tail, int(s.tried)/4) && f.enoughSpace() == nil {
			s.tried, s.done = last, make(chan saved, 1)
			go func(done chan<- saved) {
				name, err := f.seen.save(filepath.Dir(f.path), last)
				done <- saved{name, last, err}
			}(s.done)
		}
		return
	}
	select {
	case made := <-s.done:
		if s.done = nil; made.err == nil { // otherwise the next one may succeed
			s.ready = &made
		}
	default:
	}
}

// nameSnapshot makes a snapshot that is complete the valid one.
func (b *batch) nameSnapshot(s *saved) error {
	if s == nil {
		return nil
	}
	return b.meta.Put([]byte(keySeen), s.name)
}

// saveSeenAtEnd makes a snapshot of all entries if many were added since the last. It is an economy: without
// it, Open takes longer.
func (f *Frontier) saveSeenAtEnd() {
	if s := &f.snapshots; s.done != nil {
		<-s.done
	}
	if f.enoughSpace() != nil {
		return
	}
	_ = f.update(func(tx *bolt.Tx) error {
		last := bucket(tx, bucketEntries).Sequence()
		if int(last)-int(f.snapshots.last) < f.options.merging.tail {
			return nil
		}
		name, err := f.seen.save(filepath.Dir(f.path), entryID(last))
		if err != nil {
			return err
		}
		return bucket(tx, bucketMeta).Put([]byte(keySeen), name)
	})
}
