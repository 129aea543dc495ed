package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// childDir makes a test process write captures until it is killed, see TestMain.
const childDir = "AWARC_TEST_WRITE_TO"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := writeForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForever prints the id of each capture that a Sync has covered.
func writeForever(dir string) error {
	w, err := Open(dir, Options{MaxSize: 50_000})
	if err != nil {
		return err
	}
	fmt.Println("open")
	errs := make(chan error)
	for g := range 3 {
		go func() {
			for n := g; ; n += 3 {
				c := page(n)
				if n%20 == 0 {
					c.Response, c.Size = pattern{12_000}, 12_000
				}
				_, err := w.Write(c)
				if err == nil {
					err = w.Sync()
				}
				if err == nil && n%50 == 0 {
					err = w.Index()
				}
				if err != nil {
					errs <- err
				}
				fmt.Println(c.ID)
			}
		}()
	}
	return <-errs
}

// Whatever a kill interrupts: what was synced is there, what is there is whole, and the next run goes on.
func TestKilledWhileWriting(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	acknowledged := map[string]bool{}
	for range 20 {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewScanner(out)
		if !in.Scan() || in.Text() != "open" {
			t.Fatalf("the child does not start: %q", in.Text())
		}
		kill := time.AfterFunc(time.Duration(rand.IntN(100_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		for in.Scan() {
			if strings.HasPrefix(in.Text(), "urn:uuid:") && len(in.Text()) == len(NewID()) {
				acknowledged[in.Text()] = true
			}
		}
		kill.Stop()
		_ = cmd.Wait() // killed
	}
	w := open(t, dir, Options{})
	t.Logf("%d captures acknowledged; the last recovery: %+v", len(acknowledged), w.Recovered())
	write(t, w, page(1))
	closeOK(t, w)
	there := check(t, dir)
	for id := range acknowledged {
		if there[id] == nil {
			t.Errorf("%s was acknowledged and is gone", id)
		}
	}
	if len(acknowledged) == 0 {
		t.Error("nothing was written at all")
	}
}

// twoFiles is the bytes of an open segment with three captures, and where each ends in both files.
type twoFiles struct {
	base        string
	warc, graph []byte
	ends        [4][2]int
	ids         []string
}

func segmentOfThree(t testing.TB) twoFiles {
	t.Helper()
	dir := t.TempDir()
	w := open(t, dir, Options{})
	var f twoFiles
	for n := range 3 {
		c := page(n)
		f.ids = append(f.ids, c.ID)
		write(t, w, c)
		f.ends[n+1] = [2]int{int(w.seg.warcEnd), int(w.seg.graphEnd)}
	}
	f.base = w.seg.base
	f.warc = read(t, w.seg.warc.Name())
	f.graph = read(t, w.seg.graph.Name())
	return f
}

// left puts the two files into a crawl directory as a crash might leave them.
func (f twoFiles) left(t testing.TB, warc, graph []byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, b := range map[string][]byte{
		filepath.Join(dir, archiveFolder, f.base+warcSuffix+openSuffix): warc,
		filepath.Join(dir, graphFolder, f.base+graphSuffix+openSuffix):  graph,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, b, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// wantCaptures recovers a crawl directory and wants the first n captures of f, no more, and a whole directory.
func (f twoFiles) wantCaptures(t testing.TB, dir string, n int, what string) {
	t.Helper()
	w, err := Open(dir, Options{})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	got := w.Recovered()
	closeOK(t, w)
	if len(got) != 1 || got[0].Captures != n || got[0].Removed != (n == 0) {
		t.Errorf("%s: recovered %+v, want %d captures", what, got, n)
	}
	there := check(t, dir)
	for _, id := range f.ids[:n] {
		if there[id] == nil {
			t.Errorf("%s: %s is gone", what, id)
		}
	}
	if len(there) != n {
		t.Errorf("%s: %d captures, want %d", what, len(there), n)
	}
}

// matched pairs the captures of two files.
func matched(t testing.TB, warc, graph []byte, lines *sorter) matching {
	t.Helper()
	m, err := match(source{"w", bytes.NewReader(warc), int64(len(warc))}, source{"g", bytes.NewReader(graph), int64(len(graph))}, "w",
		lines)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// At each length of either file the pairing finds the same captures; for some of them all of Open is tried.
func TestTornAtEveryByte(t *testing.T) {
	f := segmentOfThree(t)
	dir := t.TempDir()
	try := func(side, warc, graph int) {
		want := 0
		for want < 3 && f.ends[want+1][side] <= []int{warc, graph}[side] {
			want++
		}
		lines := &sorter{dir: dir}
		m := matched(t, f.warc[:warc], f.graph[:graph], lines)
		n := m.captures
		if n != want || m.end != int64(f.ends[n][0]) || length(m.graph) != int64(f.ends[n][1]) || len(lines.lines) != n {
			t.Errorf("%d and %d bytes: %+v, want %d captures", warc, graph, m, want)
		}
		if m.damaged != (n < 3 && side == 1) { // a torn WARC file behind its graph file is what a crash leaves
			t.Errorf("%d and %d bytes: damaged %v", warc, graph, m.damaged)
		}
		if (warc+graph)%101 == 0 || warc == len(f.warc) && graph == len(f.graph) {
			f.wantCaptures(t, f.left(t, f.warc[:warc], f.graph[:graph]), want, fmt.Sprintf("%d and %d bytes", warc, graph))
		}
	}
	for size := range len(f.warc) + 1 {
		try(0, size, len(f.graph))
	}
	for size := range len(f.graph) + 1 {
		try(1, len(f.warc), size)
	}
}

// Blocks that never reached the disk read as zeros, and names may be older than contents.
func TestOtherRemains(t *testing.T) {
	f := segmentOfThree(t)
	zeros := func(b []byte, from int) []byte {
		return append(bytes.Clone(b[:from]), make([]byte, len(b)-from)...)
	}
	f.wantCaptures(t, f.left(t, zeros(f.warc, f.ends[2][0]+100), f.graph), 2, "zeros in the WARC file")
	f.wantCaptures(t, f.left(t, f.warc, zeros(f.graph, f.ends[1][1])), 1, "zeros in the graph file")
	random := make([]byte, 5000)
	for i := range random {
		random[i] = byte(rand.Uint32())
	}
	f.wantCaptures(t, f.left(t, append(bytes.Clone(f.warc), random...), append(bytes.Clone(f.graph), random...)), 3, "garbage after")

	final := func(dir, folder, suffix string) {
		name := filepath.Join(dir, folder, f.base+suffix)
		if err := os.Rename(name+openSuffix, name); err != nil {
			t.Fatal(err)
		}
	}
	dir := f.left(t, f.warc, f.graph)
	final(dir, graphFolder, graphSuffix)
	f.wantCaptures(t, dir, 3, "killed between the two renames")

	dir = f.left(t, f.warc, f.graph)
	final(dir, archiveFolder, warcSuffix)
	closeOK(t, open(t, dir, Options{}))
	if got := len(check(t, dir)); got != 3 {
		t.Errorf("the first rename lost, the second not: %d captures, want 3", got)
	}

	dir = f.left(t, f.warc, f.graph)
	graph := filepath.Join(dir, graphFolder, f.base+graphSuffix+openSuffix)
	if err := os.Remove(graph); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("a graph file that somebody removed: %v", err)
	}
	if got := read(t, filepath.Join(dir, archiveFolder, f.base+warcSuffix+openSuffix)); !bytes.Equal(got, f.warc) {
		t.Error("and the WARC file was touched")
	}
}

// faulty is a file that fails on purpose.
type faulty struct {
	file
	fault *fault
}

// fault says which call fails, counted over both files.
type fault struct {
	writes, truncates, syncs atomic.Int64 // calls left until the failing one; negative for never
	err                      error
}

func newFault(err error) *fault {
	f := &fault{err: err}
	f.writes.Store(-1)
	f.truncates.Store(-1)
	f.syncs.Store(-1)
	return f
}

func due(n *atomic.Int64) bool { return n.Load() >= 0 && n.Add(-1) < 0 }

func (f *faulty) WriteAt(b []byte, off int64) (int, error) {
	if due(&f.fault.writes) {
		n, _ := f.file.WriteAt(b[:len(b)/2], off)
		return n, f.fault.err
	}
	return f.file.WriteAt(b, off)
}

func (f *faulty) Truncate(size int64) error {
	if due(&f.fault.truncates) {
		return f.fault.err
	}
	return f.file.Truncate(size)
}

func (f *faulty) Sync() error {
	if due(&f.fault.syncs) {
		return f.fault.err
	}
	return f.file.Sync()
}

func faultyWriter(t *testing.T, dir string, f *fault) *Writer {
	w := open(t, dir, Options{MaxSize: 20_000})
	w.create = func(path string) (file, error) {
		real, err := createFile(path)
		return &faulty{real, f}, err
	}
	return w
}

// Whichever write fails, the capture is not there, the others are, and the writer goes on.
func TestFailedWriteLeavesNothing(t *testing.T) {
	for nth := range int64(9) {
		dir := t.TempDir()
		f := newFault(syscall.ENOSPC)
		w := faultyWriter(t, dir, f)
		f.writes.Store(nth)
		kept, failed := map[string]bool{}, 0
		for n := range 6 {
			c := page(n)
			if _, err := w.Write(c); err == nil {
				kept[c.ID] = true
			} else if failed++; !errors.Is(err, ErrDiskFull) || !strings.Contains(err.Error(), c.URL) {
				t.Errorf("write %d: %v", nth, err)
			}
		}
		closeOK(t, w)
		there := check(t, dir)
		if failed != 1 || len(there) != len(kept) {
			t.Errorf("write %d: %d failed, %d captures are there, %d were reported", nth, failed, len(there), len(kept))
		}
		for id := range kept {
			if there[id] == nil {
				t.Errorf("write %d: %s is gone", nth, id)
			}
		}
	}
}

// A file whose first capture found no room, and that got no other, leaves nothing: an empty graph file is no gzip file.
func TestFileWithoutCapturesIsNotPublished(t *testing.T) {
	dir := t.TempDir()
	f := newFault(syscall.ENOSPC)
	w := faultyWriter(t, dir, f)
	f.writes.Store(1) // after the warcinfo record
	if _, err := w.Write(page(1)); !errors.Is(err, ErrDiskFull) {
		t.Fatalf("the write with no room: %v", err)
	}
	closeOK(t, w)
	for _, folder := range []string{w.archive, w.graph} {
		if left, _ := filepath.Glob(filepath.Join(folder, "*.gz*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}

// What cannot be undone ends the writing; the next run cleans up.
func TestRefusesAfterFailedUndo(t *testing.T) {
	for what, arm := range map[string]func(*fault){
		"truncate": func(f *fault) { f.writes.Store(1); f.truncates.Store(1) },
		"sync":     func(f *fault) { f.syncs.Store(0) },
	} {
		dir := t.TempDir()
		f := newFault(syscall.EIO)
		w := faultyWriter(t, dir, f)
		write(t, w, page(1))
		arm(f)
		_, err := w.Write(page(2))
		if what == "sync" {
			err = errors.Join(err, w.Sync())
		}
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := w.Write(page(3)); err == nil || !strings.Contains(err.Error(), "not writing") {
			t.Errorf("%s: the next write: %v", what, err)
		}
		if err := w.Sync(); err == nil {
			t.Errorf("%s: the next sync succeeds", what)
		}
		if err := w.Close(); err == nil {
			t.Errorf("%s: Close tells nothing", what)
		}
		w = open(t, dir, Options{})
		if got := w.Recovered(); len(got) != 1 || got[0].Captures < 1 {
			t.Errorf("%s: recovered %+v", what, got)
		}
		closeOK(t, w)
		check(t, dir)
	}
}

// Sync reaches the disk once for what was written, and not at all for nothing.
func TestSyncIsCheapWhenNothingIsNew(t *testing.T) {
	f := newFault(nil)
	w := faultyWriter(t, t.TempDir(), f)
	write(t, w, page(1))
	const many = 1 << 40
	f.syncs.Store(many)
	for range 5 {
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if got := many - f.syncs.Load(); got != 2 {
		t.Errorf("%d calls of fsync, want one for each of the two files", got)
	}
}

// smallDisk mounts a tmpfs of that many bytes.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%d", size), "tmpfs",
		dir).CombinedOutput(); err != nil {
		t.Skipf("a small tmpfs cannot be mounted here, so a really full disk was not tested: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	return dir
}

func TestFullDisk(t *testing.T) {
	dir := smallDisk(t, 1<<20)
	w := open(t, dir, Options{NoRevisits: true})
	w.opts.MinSpace = -1 << 40 // the disk itself is to say it
	kept := map[string]bool{}
	var full error
	var mu sync.Mutex
	var wg sync.WaitGroup
	for g := range 2 {
		wg.Go(func() {
			for n := range 200 {
				c := captureOf(fmt.Sprintf("http://e.example/%d/%d", g, n), "x")
				c.Response, c.Size = pattern{15_369}, 15_369
				_, err := w.Write(c)
				mu.Lock()
				if err == nil {
					kept[c.ID] = true
				} else {
					full = err
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if !errors.Is(full, ErrDiskFull) {
		t.Errorf("error %v, want ErrDiskFull", full)
	}
	err := w.Close() // the index may not fit
	if err != nil && !errors.Is(err, ErrDiskFull) {
		t.Error(err)
	}
	for _, name := range files(t, dir, "archive/*.warc.gz") {
		ids := checkFile(t, name, map[string]*record{})
		if len(ids) != len(kept) || len(ids) < 20 {
			t.Errorf("%d captures are there, %d were reported", len(ids), len(kept))
		}
	}
	t.Logf("%d captures before %v", len(kept), full)
}

func TestMinSpace(t *testing.T) {
	dir := t.TempDir()
	free, err := FreeSpace(dir)
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, dir, Options{MinSpace: 2 * free})
	if _, err := w.Write(page(1)); !errors.Is(err, ErrDiskFull) || !strings.Contains(err.Error(), "free") {
		t.Errorf("error %v, want ErrDiskFull with numbers", err)
	}
	if got := files(t, dir, "*/*"+openSuffix); len(got) != 0 {
		t.Errorf("files were begun: %v", got)
	}
}

// A source that fails in the middle takes nothing with it.
func TestResponseThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{})
	write(t, w, page(1))
	c := page(2)
	c.BlockDigest, c.PayloadDigest = "sha256:A", "sha256:A"
	c.Response, c.Size = brokenSource{}, 1<<20
	if _, err := w.Write(c); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want that of the source", err)
	}
	write(t, w, page(3))
	closeOK(t, w)
	if got := len(check(t, dir)); got != 2 {
		t.Errorf("%d captures, want 2", got)
	}
}

var errBroken = errors.New("broken")

type brokenSource struct{}

func (brokenSource) ReadAt(b []byte, off int64) (int, error) {
	if off > 1<<19 {
		return 0, errBroken
	}
	return pattern{1 << 20}.ReadAt(b, off)
}

var _ io.ReaderAt = brokenSource{}
