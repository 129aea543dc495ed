package quads

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

func TestBlocksAreReadAsWritten(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		tuples := make([]tuple, 1+random.IntN(50))
		for i := range tuples {
			for column := range tuples[i] {
				tuples[i][column] = random.Uint32() >> random.IntN(32)
			}
		}
		sortTuples(tuples)
		tuples = slices.Compact(tuples)
		data := encodeBlock(tuples)
		got, err := decodeBlock(data)
		if err != nil || !slices.Equal(got, tuples) {
			t.Fatalf("got %v (%v), want %v", got, err, tuples)
		}
		data[random.IntN(len(data))] ^= 1 << random.IntN(8)
		if got, err := decodeBlock(data); err == nil {
			t.Fatalf("a damaged block is read as %v", got)
		}
	}
}

func FuzzDecodeBlock(f *testing.F) {
	f.Add(encodeBlock([]tuple{{1, 2, 3, 4}, {1, 2, 3, 5}, {7, 0, 0, 0}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = decodeBlock(data)
		_, _ = decodeBlock(encodeBlock([]tuple{{1}}[:len(data)%2]))
	})
}

// statement is a quad as text; its parts are written as N-Quads are.
type statement [4]string

func (s statement) String() string {
	return strings.TrimSpace(strings.Join(s[:], " ")) + " ."
}

// world makes statements of few terms, so that patterns have many matches.
func world(random *rand.Rand, n int) []statement {
	var all []statement
	for range n {
		s := statement{fmt.Sprintf("<http://s/%d>", random.IntN(n/8+2)), fmt.Sprintf("<http://p/%d>", random.IntN(5)),
			fmt.Sprintf("<http://s/%d>", random.IntN(n/8+2)), fmt.Sprintf("<http://g/%d>", random.IntN(n/20+2))}
		switch random.IntN(6) {
		case 0:
			s[object] = fmt.Sprintf(`"%d"^^<http://www.w3.org/2001/XMLSchema#integer>`, random.IntN(20))
		case 1:
			s[object] = fmt.Sprintf(`"%s %d"@en`, strings.Repeat("long ", random.IntN(300)), random.IntN(20))
		case 2:
			s[graphName] = ""
		}
		all = append(all, s)
	}
	return all
}

func write(t *testing.T, file string, statements []statement) {
	t.Helper()
	var b bytes.Buffer
	for _, s := range statements {
		fmt.Fprintln(&b, s)
	}
	data := b.Bytes()
	if strings.HasSuffix(strings.TrimSuffix(file, openSuffix), ".gz") {
		data = member(t, data)
	}
	appendTo(t, file, data)
}

// member compresses as a crawl does.
func member(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func appendTo(t *testing.T, file string, data []byte) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
}

func build(t *testing.T, index string, o Options, names ...string) *Result {
	t.Helper()
	files, err := Files(names...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Build(t.Context(), index, files, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t *testing.T, index string) *Reader {
	t.Helper()
	r, err := Open(context.Background(), index)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// scan gives the statements that match, as text, sorted.
func (r *Reader) scan(t *testing.T, q Quad, what Graphs) []string {
	t.Helper()
	var got []string
	s, room := r.Scan(q, what), make([]Quad, 7)
	for {
		n, err := s.Next(t.Context(), room)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range room[:n] {
			got = append(got, r.text(t, q))
		}
		if n < len(room) {
			slices.Sort(got)
			return got
		}
	}
}

func (r *Reader) text(t *testing.T, q Quad) string {
	t.Helper()
	var s statement
	for part, number := range q {
		if number == 0 {
			continue
		}
		term, err := r.Term(t.Context(), number)
		if err != nil {
			t.Fatal(err)
		}
		v, err := ParseTerm(term)
		if err != nil {
			t.Fatal(err)
		}
		s[part] = v.String()
	}
	return s.String()
}

// matching is Scan, slow and obvious.
func matching(all []statement, pattern statement, what Graphs) []string {
	var got []string
	for _, s := range all {
		fits := what != One || s[graphName] == pattern[graphName]
		for part := range graphName {
			fits = fits && (pattern[part] == "" || pattern[part] == s[part])
		}
		switch what {
		case Named:
			fits = fits && s[graphName] != ""
		case Names:
			fits = s[graphName] != ""
			s = statement{graphName: s[graphName]}
		case Union:
			s[graphName] = ""
		}
		if fits {
			got = append(got, s.String())
		}
	}
	slices.Sort(got)
	return slices.Compact(got)
}

// numbers gives a pattern in numbers; ok is false where the index lacks one of its terms.
func (r *Reader) numbers(t *testing.T, pattern statement) (q Quad, ok bool) {
	t.Helper()
	for part, text := range pattern {
		if text == "" {
			continue
		}
		l := line{text: []byte(text)}
		if err := l.term(object); err != nil {
			t.Fatal(err)
		}
		n, err := r.Number(t.Context(), l.terms[object])
		if err != nil {
			t.Fatal(err)
		}
		if q[part] = n; n == 0 {
			return q, false
		}
	}
	return q, true
}

func TestScansFindWhatMatches(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{1, 40, 6000} {
		dir := t.TempDir()
		all := world(random, size)
		write(t, filepath.Join(dir, "a.nq"), all)
		index := filepath.Join(dir, "index.db")
		result := build(t, index, Options{}, dir)
		distinct := slices.Clone(all)
		slices.SortFunc(distinct, func(a, b statement) int { return slices.Compare(a[:], b[:]) })
		if want := len(slices.Compact(distinct)); result.Quads != int64(want) || result.Read != int64(size) || result.Skipped != 0 {
			t.Errorf("%+v of %d quads, want %d", result, size, want)
		}
		r := open(t, index)
		for range 300 {
			pattern := all[random.IntN(len(all))]
			if random.IntN(4) == 0 {
				pattern[random.IntN(3)] = all[random.IntN(len(all))][random.IntN(3)]
			}
			for part := range pattern {
				if random.IntN(2) == 0 {
					pattern[part] = ""
				}
			}
			for what := Named; what <= Names; what++ {
				if what != One {
					pattern[graphName] = ""
				}
				q, ok := r.numbers(t, pattern)
				if !ok || what == Names && q != (Quad{}) {
					continue
				}
				if got, want := r.scan(t, q, what), matching(all, pattern, what); !slices.Equal(got, want) {
					t.Fatalf("%d quads: %v in graphs %d: got %d, want %d", size, pattern, what, len(got), len(want))
				}
			}
		}
	}
}

// However an index came about, in one go or as its files grew, it says the same.
func TestIndexGrowsWithItsFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	dir := t.TempDir()
	index, all := filepath.Join(dir, "index.db"), []statement{}
	names := []string{"a.nq.gz.open", "b.nq", "c.nt.gz"}
	for step := range 12 {
		more := world(random, 900)
		all = append(all, more...)
		write(t, filepath.Join(dir, names[step%3]), more)
		if step == 6 { // the crawl finishes a file
			if err := os.Rename(filepath.Join(dir, names[0]), filepath.Join(dir, "a.nq.gz")); err != nil {
				t.Fatal(err)
			}
			names[0] = "a.nq.gz"
		}
		if step%2 == 0 {
			continue
		}
		result := build(t, index, Options{}, dir)
		if result.Read != 1800 || result.Rebuilt != "" {
			t.Errorf("step %d: %+v", step, result)
		}
	}
	if result := build(t, index, Options{}, dir); result.Read != 0 {
		t.Errorf("nothing is new, and yet %+v", result)
	}
	r := open(t, index)
	for what := Named; what <= Names; what++ {
		if got, want := r.scan(t, Quad{}, what), matching(all, statement{}, what); !slices.Equal(got, want) {
			t.Errorf("graphs %d: got %d, want %d", what, len(got), len(want))
		}
	}
}

// A member that a running crawl has not finished waits; one in a finished file is told.
func TestTornMember(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	dir := t.TempDir()
	first, second := world(random, 50), world(random, 50)
	file, index := filepath.Join(dir, "a.nq.gz.open"), filepath.Join(dir, "index.db")
	write(t, file, first)
	var b bytes.Buffer
	for _, s := range second {
		fmt.Fprintln(&b, s)
	}
	torn := member(t, b.Bytes())
	appendTo(t, file, torn[:len(torn)/2])
	if result := build(t, index, Options{}, dir); result.Skipped != 0 {
		t.Errorf("%+v", result)
	}
	r := open(t, index)
	if got, want := r.scan(t, Quad{}, Union), matching(first, statement{}, Union); !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", len(got), len(want))
	}
	appendTo(t, file, torn[len(torn)/2:])
	build(t, index, Options{}, dir)
	r = open(t, index)
	if got, want := r.scan(t, Quad{}, Union), matching(append(first, second...), statement{}, Union); !slices.Equal(got, want) {
		t.Errorf("the member is whole: got %d, want %d", len(got), len(want))
	}
	appendTo(t, file, torn[:len(torn)/2])
	if err := os.Rename(file, filepath.Join(dir, "a.nq.gz")); err != nil {
		t.Fatal(err)
	}
	var notes []string
	result := build(t, index, Options{Noted: func(text string) { notes = append(notes, text) }}, dir)
	if result.Skipped != 1 || len(notes) != 1 || !strings.Contains(notes[0], "a.nq.gz: byte ") {
		t.Errorf("%+v %q", result, notes)
	}
}

func TestBadLinesCostNothingElse(t *testing.T) {
	dir := t.TempDir()
	all := world(rand.New(rand.NewPCG(9, 10)), 20)
	file, index := filepath.Join(dir, "a.nq"), filepath.Join(dir, "index.db")
	write(t, file, all[:10])
	appendTo(t, file, []byte("<http://a> <b> <http://c> .\n\xff\n"))
	write(t, file, all[10:])
	var notes []string
	result := build(t, index, Options{Noted: func(text string) { notes = append(notes, text) }}, dir)
	want := []string{file + ":11:12: expected an absolute IRI", file + ":12:1: bytes that are not UTF-8"}
	if result.Skipped != 2 || !slices.Equal(notes, want) {
		t.Errorf("%+v %q, want %q", result, notes, want)
	}
	if got, want := open(t, index).scan(t, Quad{}, Union), matching(all, statement{}, Union); !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", len(got), len(want))
	}
}

// What is lost, damaged or of other files is made anew; what is no index is left alone.
func TestIndexIsMadeAnew(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	all := world(random, 3000)
	for name, tc := range map[string]struct {
		spoil   func(t *testing.T, dir, index string)
		rebuilt bool
	}{
		"lost":    {func(t *testing.T, _, index string) { must(t, os.Remove(index)) }, false},
		"cut off": {func(t *testing.T, _, index string) { must(t, os.Truncate(index, 40_000)) }, true},
		"empty":   {func(t *testing.T, _, index string) { must(t, os.Truncate(index, 0)) }, false},
		"other text": {func(t *testing.T, _, index string) {
			must(t, os.WriteFile(index, bytes.Repeat([]byte("x"), 9000), 0o644))
		}, true},
		"other file": {func(t *testing.T, dir, _ string) {
			must(t, os.WriteFile(filepath.Join(dir, "a.nq"), []byte("# other\n"), 0o644))
			write(t, filepath.Join(dir, "a.nq"), all)
		}, true},
		"missing file": {func(t *testing.T, dir, _ string) {
			must(t, os.Rename(filepath.Join(dir, "a.nq"), filepath.Join(dir, "b.nq")))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			index := filepath.Join(dir, "index.db")
			write(t, filepath.Join(dir, "a.nq"), all)
			build(t, index, Options{}, dir)
			tc.spoil(t, dir, index)
			result := build(t, index, Options{Own: true}, dir)
			if (result.Rebuilt != "") != tc.rebuilt {
				t.Errorf("%+v", result)
			}
			if got, want := open(t, index).scan(t, Quad{}, Union), matching(all, statement{}, Union); !slices.Equal(got, want) {
				t.Errorf("got %d, want %d", len(got), len(want))
			}
			left, _ := filepath.Glob(filepath.Join(dir, ".tmp-*"))
			if len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
	letter := filepath.Join(t.TempDir(), "letter.txt")
	must(t, os.WriteFile(letter, []byte(strings.Repeat("Dear Ines, ", 100)), 0o644))
	if _, err := Build(t.Context(), letter, nil, Options{}); err == nil || !strings.Contains(err.Error(), "not an index of awarc") {
		t.Errorf("a letter was taken for an index: %v", err)
	}
}

// A bit that flips in a block or in terms is found.
func TestDamageIsFound(t *testing.T) {
	dir := t.TempDir()
	index := filepath.Join(dir, "index.db")
	write(t, filepath.Join(dir, "a.nq"), world(rand.New(rand.NewPCG(13, 14)), 3000))
	build(t, index, Options{}, dir)
	whole, err := os.ReadFile(index)
	must(t, err)
	random, found := rand.New(rand.NewPCG(15, 16)), 0
	for range 60 {
		spoilt := bytes.Clone(whole)
		spoilt[random.IntN(len(spoilt))] ^= 1 << random.IntN(8)
		must(t, os.WriteFile(index, spoilt, 0o644))
		if readAll(t.Context(), index) != nil {
			found++
		}
	}
	if found < 30 { // the rest are in pages that hold nothing
		t.Errorf("%d of 60 damages were found", found)
	}
}

func readAll(ctx context.Context, index string) error {
	r, err := Open(ctx, index)
	if err != nil {
		return err
	}
	defer r.Close()
	for n := uint32(1); int64(n) <= r.Terms(); n++ {
		term, err := r.Term(ctx, n)
		if err != nil {
			return err
		}
		if got, err := r.Number(ctx, term); err != nil || got != n {
			return fmt.Errorf("%d for %d: %w", got, n, err)
		}
	}
	for o := range hashes {
		for i := range r.terms.directories[o].id {
			if _, err := r.terms.block(ctx, o, i); err != nil {
				return err
			}
		}
	}
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
