package frontier

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// memory is a file that can be damaged.
type memory []byte

func (m memory) ReadAt(to []byte, at int64) (int, error) { return bytes.NewReader(m).ReadAt(to, at) }

// TestPagesAgreeWithTheirLibrary reads entries of all lengths, and numbers between them, in both
// ways, and then from damaged copies, where only the process must survive.
func TestPagesAgreeWithTheirLibrary(t *testing.T) {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "pages"), 0o666, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r := rand.New(rand.NewPCG(9, 10))
	const last = 30_000
	random := make([]byte, 4*maxURL)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	for from := 1; from < last; from += 3000 {
		err := db.Update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists([]byte(bucketEntries))
			if err != nil {
				return err
			}
			for id := from; id < from+3000; id++ {
				length := r.IntN(300)
				if r.IntN(500) == 0 {
					length = r.IntN(3 * maxURL)
				}
				at := r.IntN(maxURL)
				if err := b.Put(entryID(3*id).bytes(), random[at:at+length]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err = db.View(func(tx *bolt.Tx) error {
		var file bytes.Buffer
		if _, err := tx.WriteTo(&file); err != nil {
			return err
		}
		var p entryPages
		p.begin(tx, memory(file.Bytes()))
		for range 20_000 {
			id := entryID(r.IntN(3*last + 100))
			have, err := p.get(id)
			want := bucket(tx, bucketEntries).Get(id.bytes())
			if err != nil || (have == nil) != (want == nil) || !bytes.Equal(have, want) {
				t.Fatalf("entry %d is %x, %v; want %x", id, have, err, want)
			}
		}
		refused := 0
		for range 300 {
			bad := file.Bytes()
			page := int(p.root)
			if r.IntN(2) == 0 {
				page = r.IntN(len(bad) / p.size)
			}
			head := bad[page*p.size:][:200]
			good := bytes.Clone(head)
			for range 1 + r.IntN(30) {
				head[r.IntN(len(head))] = byte(r.Uint32())
			}
			p.begin(tx, memory(bad))
			for range 50 {
				if _, err := p.get(entryID(r.IntN(3 * last))); err != nil {
					refused++
					break
				}
			}
			copy(head, good)
		}
		if refused < 100 {
			t.Errorf("%d of 300 damaged files are noticed", refused)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestKnownLinksAreToldBeforeTheCommit covers what callers find out by themselves: a link is known
// if it changes nothing, and otherwise the committer's.
func TestKnownLinksAreToldBeforeTheCommit(t *testing.T) {
	h := start(t, Options{})
	var urls []URL
	for _, u := range benchURLs(0, 500, 20) {
		u.Priority, u.Hops = 3, 2
		urls = append(urls, u)
	}
	h.add(urls...)
	links := append([]URL(nil), urls...)
	links[7].Priority = 4
	links[8].Hops = 1
	links[9].Immediate = true
	links = append(links, URL{URL: "http://host.test/new"})
	known := h.known(links)
	for i, known := range known {
		if want := i < len(urls) && (i < 7 || i > 9); known != want {
			t.Errorf("link %d (%+v): known is %v", i, links[i], known)
		}
	}
	if added, err := h.Add(t.Context(), links); err != nil || added != 1 {
		t.Errorf("%d added, %v", added, err)
	}
	for i, want := range map[int]URL{7: {Priority: 4, Hops: 2}, 8: {Priority: 3, Hops: 1}, 9: {Priority: 3, Hops: 2, Immediate: true}} {
		e, ok := h.Lookup(urls[i].URL)
		if !ok || e.Priority != want.Priority || e.Hops != want.Hops || e.Immediate != want.Immediate {
			t.Errorf("link %d is %+v", i, e)
		}
	}
	links[0].Decisive = true // lowers what others are compared with
	if h.known(links) != nil {
		t.Error("links are known beside one that sets a priority")
	}
}
