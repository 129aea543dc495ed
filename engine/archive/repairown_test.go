package archive

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ownCrawl is a finished crawl of ten captures, and the places of their records.
func ownCrawl(t *testing.T) (dir, warc, graph string, locs []Location) {
	dir = t.TempDir()
	w := open(t, dir, Options{})
	for n := range 10 {
		locs = append(locs, write(t, w, page(n)))
	}
	closeOK(t, w)
	return dir, files(t, dir, "archive/*.warc.gz")[0], files(t, dir, "graph/*.nq.gz")[0], locs
}

// A file of a crawl that is repaired keeps what is whole where the graph says that it is, and the index names what is there.
func TestRecoverOwnFile(t *testing.T) {
	flip := func(b []byte, at int64) []byte { b[at] ^= 0x10; return b }
	for what, c := range map[string]struct {
		warc, graph func([]byte, []Location) []byte
		lost        []int // responses
		statements  int   // of captures that are kept, that are gone
		taken       int   // members of the graph
	}{
		"sound":      {},
		"a response": {warc: func(b []byte, l []Location) []byte { return flip(b, l[3].Offset+l[3].Length/2) }, lost: []int{3}, taken: 1},
		"two responses": {warc: func(b []byte, l []Location) []byte { return flip(flip(b, l[3].Offset+40), l[8].Offset+40) },
			lost: []int{3, 8}, taken: 2},
		"a request":     {warc: func(b []byte, l []Location) []byte { return flip(b, l[4].Offset+l[4].Length+30) }},
		"the warcinfo":  {warc: func(b []byte, _ []Location) []byte { return flip(b, 20) }},
		"torn":          {warc: func(b []byte, l []Location) []byte { return b[:l[9].Offset+20] }, lost: []int{9}, taken: 1},
		"torn metadata": {warc: func(b []byte, _ []Location) []byte { return b[:len(b)-20] }},
		"bytes put in": {warc: func(b []byte, l []Location) []byte {
			return slices.Insert(b, int(l[4].Offset+l[4].Length), []byte("12345")...)
		}},
		"a graph's member": {graph: func(b []byte, _ []Location) []byte { return flip(b, int64(len(b)/2)) }, statements: 1},
	} {
		t.Run(what, func(t *testing.T) {
			dir, warc, graph, locs := ownCrawl(t)
			for name, change := range map[string]func([]byte, []Location) []byte{warc: c.warc, graph: c.graph} {
				if change != nil {
					if err := os.WriteFile(name, change(read(t, name), locs), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			r, err := Recover(warc)
			if err != nil || !r.Own || r.GraphMembers != c.taken || r.WithoutGraph != c.statements {
				t.Fatalf("%+v, %v", r, err)
			}
			if reports, err := Verify(warc); err != nil || reports[0].Wrong > 0 {
				t.Errorf("%v, %v", reports, err)
			}
			checkIndex(t, dir, len(locs)-len(c.lost))
			index, quads := string(read(t, filepath.Join(dir, "archive/index.cdxj"))), gunzip(t, read(t, graph))
			for n, loc := range locs {
				lost := slices.Contains(c.lost, n)
				if there := strings.Contains(index, fmt.Sprintf(`"offset":"%d"`, loc.Offset)); there == lost {
					t.Errorf("capture %d in the index: %t", n, there)
				}
				place := "<" + loc.RecordID + "> <urn:awarc:ns#warcOffset> " + strconv.Quote(fmt.Sprint(loc.Offset))
				if there := strings.Contains(quads, place); there == lost && c.statements == 0 {
					t.Errorf("capture %d in the graph: %t", n, there)
				}
			}
			if again, err := Recover(warc); err != nil || len(again.Cut) > 0 || again.GraphMembers > 0 || len(again.Saved) > 0 {
				t.Errorf("a second time: %+v, %v", again, err)
			}
			taken := 0
			for _, name := range r.Saved {
				taken += len(read(t, name))
			}
			if (taken > 0) != (what != "sound") {
				t.Errorf("%d bytes saved in %v", taken, r.Saved)
			}
			w := open(t, dir, Options{}) // the crawl goes on
			write(t, w, page(99))
			closeOK(t, w)
			checkIndex(t, dir, len(locs)-len(c.lost)+1)
		})
	}
}

// What is copied from a crawl to another place is repaired as the file of any program.
func TestRecoverCopyOfOwnFile(t *testing.T) {
	_, warc, _, locs := ownCrawl(t)
	b := read(t, warc)
	name := saved(t, slices.Concat(b[:locs[2].Offset], bytes.Repeat([]byte{0}, 50), b[locs[3].Offset:]))
	if r, err := Recover(name); err != nil || r.Own || len(r.Cut) != 1 || r.Records != 1+9*3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The file that describes the others keeps its records in their places, too, and the index names what is left.
func TestRecoverOwnDescription(t *testing.T) {
	dir, _, _, locs := ownCrawl(t)
	w := open(t, dir, Options{})
	var resources []Resource
	for n := range 3 {
		text := strings.Repeat(fmt.Sprintln("line", n), 99)
		resources = append(resources, Resource{fmt.Sprint("urn:awarc:log/", n), "text/plain", strings.NewReader(text), int64(len(text))})
	}
	if err := w.Describe(resources); err != nil {
		t.Fatal(err)
	}
	closeOK(t, w)
	checkIndex(t, dir, len(locs)+3)
	meta := files(t, dir, "archive/*"+MetaSuffix)[0]
	b := read(t, meta)
	b[bytes.LastIndex(b[:len(b)/2], []byte{0x1f, 0x8b, 8})+40] ^= 0x10
	if err := os.WriteFile(meta, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := Recover(meta); err != nil || !r.Own || len(r.Cut) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	checkIndex(t, dir, len(locs)+2)
	if now := read(t, meta); len(now) != len(b) {
		t.Errorf("%d bytes, of %d", len(now), len(b))
	}
}
