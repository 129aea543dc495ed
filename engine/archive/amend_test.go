package archive

import (
	"bytes"
	"io"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A capture can be read while its file is open, and amended: both are there afterwards, for other readers too.
func TestReadAndAmend(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{})
	first, second := page(1), page(2)
	write(t, w, first)
	loc := write(t, w, second)
	want := readAll(t, io.NewSectionReader(second.Response, 0, second.Size))
	readBack := func(what string) {
		t.Helper()
		block, id, err := w.Response(loc.File, loc.Offset, 1<<20)
		if err != nil || id != second.ID || !bytes.Equal(block, want) {
			t.Errorf("%s: %d bytes of %s, error %v; want %d of %s", what, len(block), id, err, len(want), second.ID)
		}
	}
	readBack("while the file is written")
	quad := "<http://e.example/> <http://e.example/p> \"later\" <" + second.ID + "> .\n"
	if err := w.Amend(Amendment{Of: second.ID, URL: second.URL, Time: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
		Metadata: []Field{{"awarc-learned", "x"}}, Quads: []byte(quad)}); err != nil {
		t.Fatal(err)
	}
	write(t, w, page(3))
	if _, _, err := w.Response(loc.File, loc.Offset+1, 1<<20); err == nil {
		t.Error("half-way into a record there was a response")
	}
	if _, _, err := w.Response(loc.File, loc.Offset+loc.Length, 1<<20); err == nil || !strings.Contains(err.Error(), "request record") {
		t.Errorf("the request record gives %v", err)
	}
	if _, _, err := w.Response(loc.File, loc.Offset, 10); err == nil {
		t.Error("a block was longer than asked for")
	}
	closeOK(t, w)
	readBack("when it is finished")

	name := files(t, dir, "archive/*.warc.gz")[0]
	strict(t, name)
	reports, err := Verify(name)
	if err != nil || reports[0].Bad != nil || reports[0].Records["metadata"] != 4 {
		t.Errorf("Verify: %v, %+v", err, reports)
	}
	graph := gunzip(t, read(t, files(t, dir, "graph/*.nq.gz")[0]))
	if strings.Count(graph, quad) != 1 {
		t.Errorf("the graph is\n%s", graph)
	}
	checkIndex(t, dir, 3)
}

// A record that is one by itself is cut, or kept, as a capture is, whatever that consists of.
func TestTornRecordByItself(t *testing.T) {
	for what, c := range map[string]struct {
		write func(*Writer, Capture) error
		lines int
	}{
		"an amendment": {func(w *Writer, c Capture) error {
			return w.Amend(Amendment{Of: c.ID, URL: c.URL, Metadata: []Field{{"a", "b"}}})
		}, 1},
		"a URL without an answer": {func(w *Writer, _ Capture) error {
			return w.Amend(Amendment{URL: "http://e.example/gone", Metadata: []Field{{"fetchError", "refused"}}})
		}, 1},
		"a lookup": {func(w *Writer, _ Capture) error {
			return w.Lookup("e.example", time.Now(), []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")})
		}, 2},
		"a capture with its text": {func(w *Writer, _ Capture) error {
			c := page(2)
			c.Resources = []Resource{{URI: "urn:text:" + c.URL, MIME: "text/plain", Data: strings.NewReader("words"), Size: 5}}
			_, err := w.Write(c)
			return err
		}, 3},
	} {
		t.Run(what, func(t *testing.T) { tornByItself(t, c.write, c.lines) })
	}
}

func tornByItself(t *testing.T, add func(*Writer, Capture) error, lines int) {
	w := open(t, t.TempDir(), Options{})
	c := page(1)
	write(t, w, c)
	var ends [3][2]int64
	ends[1] = [2]int64{w.seg.warcEnd, w.seg.graphEnd}
	if err := add(w, c); err != nil {
		t.Fatal(err)
	}
	ends[2] = [2]int64{w.seg.warcEnd, w.seg.graphEnd}
	warc, graph := read(t, w.seg.warc.Name()), read(t, w.seg.graph.Name())
	scratch := t.TempDir()
	for size := range int64(len(warc)) + 1 {
		want := 0
		for want < 2 && ends[want+1][0] <= size {
			want++
		}
		m := matched(t, warc[:size], graph, &sorter{dir: scratch})
		if n := m.captures; n != want || m.end != ends[n][0] || length(m.graph) != ends[n][1] {
			t.Fatalf("%d bytes: %+v, want %d captures", size, m, want)
		}
	}
	f := twoFiles{base: w.seg.base, warc: warc, graph: graph}
	for _, c := range []struct {
		cut   int64
		want  int
		lines int
	}{{0, 2, lines}, {1, 1, 1}} {
		dir := f.left(t, warc[:int64(len(warc))-c.cut], graph)
		again := open(t, dir, Options{})
		closeOK(t, again)
		if got := again.Recovered(); len(got) != 1 || got[0].Captures != c.want {
			t.Errorf("%d bytes cut: recovered %+v, want %d", c.cut, got, c.want)
		}
		members := checkGraph(t, filepath.Join(dir, graphFolder, f.base+graphSuffix))
		if len(members) != c.want || slices.Contains(members, "") {
			t.Errorf("%d bytes cut: graph members %v, want %d", c.cut, members, c.want)
		}
		strict(t, files(t, dir, "archive/*.warc.gz")[0])
		checkIndex(t, dir, c.lines)
	}
}
