package archive

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestPartsOfAFileAreReadAsTheWhole: in however many parts a file is read, compressed or not, whole or damaged, with WARC files inside its
// records that look like records of its own, the report is that of one pass.
func TestPartsOfAFileAreReadAsTheWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 7))
	var records []string
	for i := range 60 {
		block := strings.Repeat(fmt.Sprintf("%d ", random.Uint64()), i)
		if i%7 == 3 { // a WARC file as it is, and one compressed
			block = foreign("resource", "inside") + string(gzipped(t, foreign("resource", block), foreign("metadata", "inside, too")))
		}
		digest := sha256Digest([]byte(block))
		if i%11 == 5 {
			digest = sha256Digest(nil)
		}
		records = append(records, foreign("resource", block, "WARC-Block-Digest: "+digest))
	}
	for _, whole := range [][]byte{gzipped(t, records...), []byte(strings.Join(records, ""))} {
		for round := range 40 {
			b := bytes.Clone(whole)
			for range round % 8 {
				at := random.IntN(len(b))
				for i := range min(random.IntN(300), len(b)-at) {
					b[at+i] ^= byte(random.Uint32())
				}
			}
			b = b[:len(b)-random.IntN(1+10*round)]
			f, err := os.Open(saved(t, b))
			if err != nil {
				t.Fatal(err)
			}
			read := func(parts int64) Report {
				r := newReport(f.Name(), 0)
				if err := r.read(f, int64(len(b)), parts, func(int64) {}); err != nil {
					t.Fatal(err)
				}
				return r
			}
			want := read(1)
			for parts := range int64(12) {
				if have := read(2 + parts); !reflect.DeepEqual(have, want) {
					t.Fatalf("round %d, %d parts: %v %v, %d wrong; want %v %v, %d", round, 2+parts, have.Records, have.Bad, have.Wrong,
						want.Records, want.Bad, want.Wrong)
				}
			}
			f.Close()
		}
	}
}
