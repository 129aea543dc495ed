package frontier

import (
	"slices"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// A known URL is looked up in its entry, which lies anywhere in the file. So callers do that before their change is
// handed to the committer, several at a time: the waits for the disk overlap, and the
// committer, of which there is one, is left with what changes something. An entry that a
// link leaves as it is now, it leaves so later, too, since
// priorities that are taken in only rise; where they do not, and of what is put off, the committer looks at everything.

// knownEach is how many links one goroutine looks up, knownMost how many there are for one caller.
const (
	knownEach = 32
	knownMost = 16
)

// known tells of each link whether it is of a known URL whose entry it leaves as it is; nil tells nothing.
func (f *Frontier) known(links []URL) []bool {
	if len(links) == 0 || f.options.Update > First || slices.ContainsFunc(links, func(u URL) bool { return u.Decisive }) {
		return nil
	}
	known := make([]bool, len(links))
	each := max(knownEach, (len(links)+knownMost-1)/knownMost)
	var all sync.WaitGroup
	for from := each; from < len(links); from += each {
		to := min(from+each, len(links))
		all.Go(func() { f.lookUp(links[from:to], known[from:to]) })
	}
	f.lookUp(links[:min(each, len(links))], known)
	all.Wait()
	return known
}

func (f *Frontier) lookUp(links []URL, known []bool) {
	// An error is the committer's to report, for which the links are not known then.
	_ = f.view(func(tx *bolt.Tx) error {
		entries := f.readers.Get().(*entryPages)
		defer f.readers.Put(entries)
		if entries.begin(tx, f.file); entries.root == 0 {
			return nil // there are few
		}
		var room [4]entryID
		for i := range links {
			u := &links[i]
			key := identity(u.key())
			for _, id := range f.seen.possible(key, room[:0]) {
				value, err := entries.get(id)
				if err != nil {
					return err
				}
				if value == nil {
					continue // it is of a later transaction
				}
				g, err := glanceAt(value)
				if err != nil {
					return err
				}
				if g.is(key) {
					known[i] = g.state != PutOff && g.keeps(f.options.Update, u)
					break
				}
			}
		}
		return nil
	})
}
