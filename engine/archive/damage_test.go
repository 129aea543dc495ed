package archive

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Damage in the middle of an open file costs the captures that it hits: those behind stay, in their places, and nothing is thrown away.
func TestDamageInTheMiddle(t *testing.T) {
	f := segmentOfThree(t)
	flip := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0x10
		return b
	}
	middle := func(side, n int) int { return f.ends[n+1][side] - 30 } // of the last member, of whose header some bytes say nothing
	zeroed := slices.Concat(f.warc[:middle(0, 1)], make([]byte, f.ends[2][0]-middle(0, 1)), f.warc[f.ends[2][0]:])
	other := slices.Concat(f.graph[:f.ends[1][1]], f.graph[:f.ends[1][1]], f.graph[f.ends[2][1]:])
	for what, c := range map[string]struct {
		warc, graph []byte
		lost        []int
		gaps        int
	}{
		"the first capture":             {flip(f.warc, middle(0, 0)), f.graph, []int{0}, 1},
		"one capture":                   {flip(f.warc, middle(0, 1)), f.graph, []int{1}, 1},
		"the last capture":              {flip(f.warc, middle(0, 2)), f.graph, []int{2}, 0},
		"one bit of a member's header":  {flip(f.warc, f.ends[1][0]), f.graph, []int{1}, 1},
		"two captures":                  {flip(flip(f.warc, middle(0, 0)), middle(0, 1)), f.graph, []int{0, 1}, 1},
		"a graph member":                {f.warc, flip(f.graph, middle(1, 1)), []int{1}, 1},
		"both files":                    {flip(f.warc, middle(0, 0)), flip(f.graph, middle(1, 1)), []int{0, 1}, 1},
		"zeros":                         {zeroed, f.graph, []int{1}, 1},
		"a graph member gone":           {f.warc, slices.Concat(f.graph[:f.ends[1][1]], f.graph[f.ends[2][1]:]), []int{1}, 1},
		"a graph member of another one": {f.warc, other, []int{1}, 1},
	} {
		t.Run(what, func(t *testing.T) {
			dir := f.left(t, c.warc, c.graph)
			w := open(t, dir, Options{})
			r := w.Recovered()[0]
			closeOK(t, w)
			if r.Captures != 3-len(c.lost) || len(r.Gaps) != c.gaps || len(r.Saved) == 0 {
				t.Errorf("recovered %+v", r)
			}
			there := check(t, dir)
			for n, id := range f.ids {
				rec := there[id]
				switch {
				case slices.Contains(c.lost, n) != (rec == nil):
					t.Errorf("capture %d: %+v", n, rec)
				case rec != nil && n > 0 && rec.offset != int64(f.ends[n][0]):
					t.Errorf("capture %d has moved from byte %d to %d", n, f.ends[n][0], rec.offset)
				}
			}
			var saved, left int
			for _, name := range r.Saved {
				saved += len(read(t, name))
			}
			warc := read(t, filepath.Join(dir, archiveFolder, f.base+warcSuffix))
			left = len(read(t, filepath.Join(dir, graphFolder, f.base+graphSuffix))) + len(warc)
			for _, gap := range r.Gaps {
				left -= int(gap.Length)
			}
			if saved+left != len(c.warc)+len(c.graph) {
				t.Errorf("%d bytes saved and %d left of %d", saved, left, len(c.warc)+len(c.graph))
			}
		})
	}
}

// A WARC file that somebody removed while it was open leaves its statements, and is told.
func TestOpenFileRemoved(t *testing.T) {
	f := segmentOfThree(t)
	dir := f.left(t, f.warc, f.graph)
	if err := os.Remove(filepath.Join(dir, archiveFolder, f.base+warcSuffix+openSuffix)); err != nil {
		t.Fatal(err)
	}
	w := open(t, dir, Options{})
	if r := w.Recovered()[0]; !r.Missing || len(r.Saved) != 1 || !bytes.Equal(read(t, r.Saved[0]), f.graph) {
		t.Errorf("recovered %+v", r)
	}
	closeOK(t, w)
	check(t, dir)
}

// A gap of any size that a capture may have is filled exactly, with what every reader takes for records.
func TestFillerFitsEveryGap(t *testing.T) {
	sizes := []int64{storedMost + storedAround + gzipAround - 1, gapPiece, gapPiece + 1, 2 * gapPiece, 3*gapPiece + 7}
	for n := range int64(700) {
		sizes = append(sizes, 300+n)
	}
	for n := range int64(40) {
		sizes = append(sizes, 65_530+n, 2*65_540+n-10)
	}
	name := filepath.Join(t.TempDir(), "f.warc.gz")
	for _, size := range sizes {
		out := &memory{make([]byte, size)}
		if err := fill(out, Span{0, size}, "2026-11-22T10:00:00.000000Z", "captures were damaged here"); err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if err := os.WriteFile(name, out.b, 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := Verify(name); err != nil || r[0].Bad != nil || r[0].Records["metadata"] < 1 {
			t.Fatalf("%d bytes: %v, %+v", size, err, r)
		}
		if size%97 == 0 {
			strict(t, name)
		}
	}
	if err := fill(&memory{}, Span{0, 50}, "", ""); err == nil || !strings.Contains(err.Error(), "too small") {
		t.Errorf("a gap of 50 bytes: %v", err)
	}
}

// The quick reading of an index line finds what a JSON decoder does.
func TestURLAndStatus(t *testing.T) {
	for _, url := range []string{"http://a/", "http://a/?q=%22", `http://a/\b`, `http://a/","status":"404"`, "http://a/\u00e9"} {
		for _, status := range []string{"200", "NaN", ""} {
			rec := record{http: httpHead{mime: `x","status":"500`, hasMIME: true, status: status, hasStatus: status != ""},
				header: map[string]string{"warc-type": "response", "warc-target-uri": url, "warc-date": "2026-11-22T10:00:00Z"}}
			e, _ := rec.entry()
			_, data, _ := strings.Cut(e.at("f", 1, 2), ` {"url":"`)
			got, gotStatus, err := urlAndStatus([]byte(data))
			if err != nil || string(got) != byteString(url) || string(gotStatus) != status {
				t.Errorf("%s %s: got %s %s, %v", url, status, got, gotStatus, err)
			}
		}
	}
}

type memory struct{ b []byte }

func (m *memory) WriteAt(p []byte, off int64) (int, error) {
	return copy(m.b[off:off+int64(len(p))], p), nil
}

// What a finished file lacks, in whole or in part, is told without reading any, and asked for.
func TestFaultsOfFinishedFiles(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{MaxSize: 4_500})
	var locs []Location
	for n := range 12 {
		locs = append(locs, write(t, w, page(n)))
	}
	closeOK(t, w)
	names := files(t, dir, "archive/*.warc.gz")
	if len(names) < 4 {
		t.Fatalf("%d files", len(names))
	}
	w = open(t, dir, Options{})
	if faults, err := w.Faults(); err != nil || len(faults) > 0 {
		t.Errorf("of whole files: %v, %v", faults, err)
	}
	closeOK(t, w)
	last := locs[len(locs)-1]
	for name, size := range map[string]int64{names[0]: -1, filepath.Join(dir, archiveFolder, last.File): last.Offset + 10} {
		if size < 0 {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
	}
	graph := strings.TrimSuffix(filepath.Base(names[1]), warcSuffix) + graphSuffix
	if err := os.Remove(filepath.Join(dir, graphFolder, graph)); err != nil {
		t.Fatal(err)
	}
	w = open(t, dir, Options{})
	faults, err := w.Faults()
	if err != nil || len(faults) != 3 || !strings.Contains(fmt.Sprint(faults), "is missing: restore the file, or remove") ||
		!strings.Contains(fmt.Sprint(faults), "and had") || !strings.Contains(fmt.Sprint(faults), graph) {
		t.Errorf("%v, %v", faults, err)
	}
	captured, err := w.Captured(true)
	if err != nil {
		t.Fatal(err)
	}
	for n := range locs {
		url := page(n).URL
		if got, want := captured.Has(url, 200), n != len(locs)-1; got != want {
			t.Errorf("%s: captured %v, want %v", url, got, want)
		}
		if captured.Has(url, 404) {
			t.Errorf("%s has a capture of a status that it never had", url)
		}
	}
}
