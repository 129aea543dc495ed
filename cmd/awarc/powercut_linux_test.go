package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/testsites"
)

// A power cut is played on what a process did to its disk, as the kernel saw it:
// strace records each call that writes, and disk plays any number of them.

// call is a system call that succeeded. Only paths below the recorded folder count.
type call struct {
	name  string
	paths []string // of its descriptor and its path arguments
	data  []byte
	n     int64  // offset or length
	flags string // of openat, renameat2 and unlinkat
	begun int    // the number of calls that had ended when it began
}

const tracedCalls = "openat,write,pwrite64,writev,pwritev,ftruncate,fallocate,fsync,fdatasync,rename,renameat,renameat2," +
	"link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,copy_file_range,sendfile"

// record runs the program and returns what it did to its disk.
func record(t *testing.T, args ...string) []call {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("skipped: strace is not installed, see testdata/e2e/tools.sh")
	}
	trace := filepath.Join(t.TempDir(), "trace")
	c := command(t, args...)
	how := []string{strace, "-f", "-y", "-xx", "-s", "1000000000", "-e", "trace=" + tracedCalls, "-e", "signal=none", "-o", trace}
	c.Args = slices.Concat(how, c.Args)
	c.Path = strace
	if out, err := c.CombinedOutput(); err != nil {
		if bytes.Contains(out, []byte("PTRACE")) || bytes.Contains(out, []byte("ptrace")) {
			t.Skipf("skipped: processes cannot be traced here: %s", out)
		}
		t.Fatalf("%v: %v\n%s", c.Args, err, out)
	}
	f, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var calls []call
	type begin struct {
		text string
		at   int
	}
	open := map[string]begin{} // by thread
	for in := bufio.NewReader(f); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return calls
		}
		thread, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.TrimSpace(rest)
		begun := len(calls)
		if start, found := strings.CutSuffix(rest, " <unfinished ...>"); found {
			open[thread] = begin{start, begun}
			continue
		}
		if strings.HasPrefix(rest, "<... ") {
			_, end, _ := strings.Cut(rest, " resumed>")
			rest, begun = open[thread].text+end, open[thread].at
		}
		if c, ok := parseCall(rest); ok {
			c.begun = begun
			calls = append(calls, c)
		}
	}
}

var callForm = regexp.MustCompile(`^(\w+)\((.*)\)\s+= (\d+)(<.*>)?$`)

// parseCall reads a line of strace; calls that failed are none.
func parseCall(line string) (c call, ok bool) {
	m := callForm.FindStringSubmatch(line)
	if m == nil {
		return c, false
	}
	c.name = m[1]
	at := ""
	for i, arg := range strings.Split(m[2], ", ") {
		_, fd, isFD := strings.Cut(arg, "<")
		switch {
		case isFD && strings.HasSuffix(fd, ">"):
			at = unescape(strings.TrimSuffix(fd, ">"))
			if !strings.HasPrefix(c.name, "open") && !strings.HasSuffix(c.name, "at") && c.name != "renameat2" {
				c.paths = append(c.paths, at)
			}
		case strings.HasPrefix(arg, `"`) && strings.Contains(c.name, "write"):
			c.data = []byte(unescape(strings.Trim(arg, `"`)))
		case strings.HasPrefix(arg, `"`):
			path := unescape(strings.Trim(arg, `"`))
			if !filepath.IsAbs(path) {
				path = filepath.Join(at, path)
			}
			c.paths = append(c.paths, path)
		case i > 0 && strings.Contains(arg, "_"):
			c.flags = arg
		case i > 0:
			c.n, _ = strconv.ParseInt(arg, 10, 64) // the last one counts
		}
	}
	return c, true
}

// unescape reads what strace writes with -xx.
func unescape(s string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(s, `\x`, ""))
	if err != nil {
		return s
	}
	return string(b)
}

// node is a file or a folder, as the kernel shows it and as it is on disk.
type node struct {
	data, synced []byte
	unsynced     []change // of data, since synced
	at           int64    // where write goes on

	names, namesSynced map[string]*node // nil for a file
	renamed            []listing        // since namesSynced
}

type change struct {
	off  int64
	data []byte // nil for a truncation to off
	at   int    // the number of the call
}

// listing is a folder after a call.
type listing struct {
	names map[string]*node
	at    int
}

func newFolder() *node { return &node{names: map[string]*node{}, namesSynced: map[string]*node{}} }

// disk is what is below a folder.
type disk struct {
	base  string
	root  *node
	calls int // played
}

// find returns a node and the folder that has it, nil where there is none.
func (d *disk) find(path string) (parent, n *node, name string) {
	rel, err := filepath.Rel(d.base, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return nil, nil, ""
	}
	n = d.root
	if rel == "." {
		return nil, n, ""
	}
	for _, name = range strings.Split(rel, "/") {
		if parent = n; parent == nil || parent.names == nil {
			return nil, nil, ""
		}
		n = parent.names[name]
	}
	return parent, n, name
}

// put changes a name; nothing on disk changes before the folder is synced.
func (parent *node) put(name string, n *node) {
	if n == nil {
		delete(parent.names, name)
	} else {
		parent.names[name] = n
	}
}

func (d *disk) note(folder *node) {
	folder.renamed = append(folder.renamed, listing{maps.Clone(folder.names), d.calls})
}

// sync makes durable what was done before a call began.
func (n *node) sync(begun int) {
	for len(n.unsynced) > 0 && n.unsynced[0].at < begun {
		n.synced, n.unsynced = n.unsynced[0].on(n.synced), n.unsynced[1:]
	}
	for len(n.renamed) > 0 && n.renamed[0].at < begun {
		n.namesSynced, n.renamed = n.renamed[0].names, n.renamed[1:]
	}
}

func (d *disk) write(n *node, c change) {
	c.at = d.calls
	n.unsynced = append(n.unsynced, c)
	n.data = c.on(n.data)
}

// on returns data with the change.
func (c change) on(data []byte) []byte {
	end := c.off + int64(len(c.data))
	if c.data == nil && end < int64(len(data)) {
		return data[:end:end]
	}
	if grow := end - int64(len(data)); grow > 0 {
		data = append(data[:len(data):len(data)], make([]byte, grow)...)
	} else {
		data = bytes.Clone(data)
	}
	copy(data[c.off:], c.data)
	return data
}

// play does what a call did, and reports whether that was anything below the folder.
func (d *disk) play(t *testing.T, c call) (changed bool) {
	t.Helper()
	defer func() { d.calls++ }()
	if len(c.paths) == 0 {
		return false
	}
	parent, n, name := d.find(c.paths[0])
	changed = n != nil || parent != nil
	switch c.name {
	case "openat":
		if n == nil && parent != nil && strings.Contains(c.flags, "O_CREAT") {
			n = &node{}
			parent.put(name, n)
			d.note(parent)
		} else if !strings.Contains(c.flags, "O_TRUNC") {
			changed = false
		}
		if n != nil && strings.Contains(c.flags, "O_TRUNC") {
			d.write(n, change{})
		}
		if n != nil {
			n.at = 0
		}
	case "write":
		if n != nil {
			d.write(n, change{off: n.at, data: c.data})
			n.at += int64(len(c.data))
		}
	case "pwrite64":
		if n != nil {
			d.write(n, change{off: c.n, data: c.data})
		}
	case "ftruncate":
		if n != nil {
			d.write(n, change{off: c.n})
		}
	case "fsync", "fdatasync":
		if n != nil {
			n.sync(c.begun)
		}
	case "mkdir", "mkdirat":
		if parent != nil {
			parent.put(name, newFolder())
			d.note(parent)
		}
	case "unlink", "unlinkat", "rmdir":
		if n != nil {
			parent.put(name, nil)
			d.note(parent)
		}
	case "link", "linkat", "rename", "renameat", "renameat2":
		d.rename(c, parent, n, name)
	default:
		if n != nil {
			t.Fatalf("the model knows no %s", c.name)
		}
	}
	return changed
}

func (d *disk) rename(c call, parent, n *node, name string) {
	to, other, newName := d.find(c.paths[1])
	if n == nil || to == nil {
		return
	}
	to.put(newName, n)
	switch {
	case strings.HasPrefix(c.name, "link"):
	case strings.Contains(c.flags, "EXCHANGE"):
		parent.put(name, other)
	default:
		parent.put(name, nil)
	}
	d.note(to)
	if parent != to {
		d.note(parent)
	}
}

// survival says which of the changes that were not synced have reached the disk.
type survival func(n int) int // of so many in a row, how many

// leave writes to a folder what is left after a cut.
func (n *node) leave(t *testing.T, path string, names, pages survival) {
	t.Helper()
	if n.names == nil {
		data := n.synced
		for _, c := range n.unsynced {
			data = c.left(data, pages)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	left := n.namesSynced
	if k := names(len(n.renamed)); k > 0 {
		left = n.renamed[k-1].names
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		left[name].leave(t, filepath.Join(path, name), names, pages)
	}
}

// left applies what of a change has reached the disk, page by page.
func (c change) left(data []byte, pages survival) []byte {
	const page = 4096
	if len(c.data) == 0 {
		if pages(1) > 0 {
			data = c.on(data)
		}
		return data
	}
	for off := int64(0); off < int64(len(c.data)); {
		next := min((c.off+off)/page*page+page-c.off, int64(len(c.data)))
		if pages(1) > 0 {
			data = change{off: c.off + off, data: c.data[off:next]}.on(data)
		}
		off = next
	}
	return data
}

func nothing(int) int { return 0 }
func allOf(n int) int { return n }
func someOf(seed int) survival {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	return func(n int) int { return r.IntN(n + 1) }
}

// scratch is a folder in memory, where there is one: thousands of syncs need no disk.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "awarc-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// sessionIDs are what the site puts into links for who brings no cookie, as after a resume.
var sessionIDs = regexp.MustCompile(`&amp;sid=[0-9a-f]+`)

// statements are the quads about objects, without the names of their graphs.
func statements(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	files, _ := filepath.Glob(filepath.Join(dir, "graph", "*.nq.gz"))
	for _, file := range files {
		for _, line := range readLines(t, file) {
			line, _ = strings.CutSuffix(line, " .")
			end := strings.LastIndexByte(line, ' ')
			if record := strings.Trim(line[end+1:], "<>"); record != graph.Meta {
				text := strings.ReplaceAll(line[:max(end, 0)], record, "the capture")
				all = append(all, sessionIDs.ReplaceAllString(text, ""))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// without gives what is in one list and not in the other.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// settled lists the URLs that a frontier takes for fetched.
func settled(t *testing.T, dir string) (urls []string, err error) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "state", frontier.FileName)); err != nil {
		return nil, nil
	}
	f, err := frontier.Open(filepath.Join(dir, "state"), frontier.Options{})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	err = f.Each(frontier.Fetched, func(e frontier.Entry) error {
		urls = append(urls, e.URL.URL)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return urls, nil
}

// TestPowerCuts cuts the power of a crawl that learns, at every call that writes or syncs (without
// AWARC_LONG, at some), with what was not synced lost, kept, and kept in part, and resumes.
func TestPowerCuts(t *testing.T) {
	site, base := themed(t, 40)
	root := scratch(t)
	whole := filepath.Join(root, "crawl")
	calls := record(t, "crawl", "--delay", "0", "--min-space", "0", "--warc-size", "200K", "--out", whole, base+"/")
	want := statements(t, whole)
	checkTruth(t, whole, site, base)
	d := &disk{base: root, root: newFolder()}
	random := rand.New(rand.NewPCG(5, 6))
	cuts, before := 0, map[string]bool{}
	for n, c := range calls {
		if !d.play(t, c) || !isLong() && random.IntN(len(calls)) >= 2 {
			continue
		}
		kinds := map[string]survival{"lost": nothing, "partly kept": someOf(n)}
		if n%4 == 0 {
			kinds["kept"] = allOf // as after a kill
		}
		for kind, left := range kinds {
			cuts++
			what := fmt.Sprintf("cut after call %d of %d (%s %v), with what was not synced %s", n+1, len(calls), c.name, c.paths, kind)
			acknowledged := d.resume(t, what, left, site, base, want)
			if kind != "lost" {
				continue
			}
			for u := range before {
				if !slices.Contains(acknowledged, u) {
					t.Errorf("%s: %s was acknowledged and is not any more", what, u)
				}
			}
			for _, u := range acknowledged {
				before[u] = true
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d cuts of a crawl with %d calls", cuts, len(calls))
}

// resume goes on after a cut and checks that all is there in the end, and that nothing that was acknowledged is
// asked for again. It returns the URLs that were acknowledged before.
func (d *disk) resume(t *testing.T, what string, left survival, site *testsites.Site, base string, want []string) (acknowledged []string) {
	t.Helper()
	dir := scratch(t)
	defer os.RemoveAll(dir)
	d.root.leave(t, filepath.Join(dir, "left"), left, left)
	crawl, before := filepath.Join(dir, "left", "crawl"), filepath.Join(dir, "before")
	if err := os.CopyFS(before, os.DirFS(filepath.Dir(crawl))); err != nil {
		t.Fatal(err)
	}
	acknowledged, err := settled(t, filepath.Join(before, "crawl")) // which changes the file
	// cut while the file was made, before anything was acknowledged: the message says what to do
	if err != nil {
		awarc(t, "", "resume", crawl).want(t, exitFailed, frontier.FileName, "move it away")
		if err := os.Remove(filepath.Join(crawl, "state", frontier.FileName)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(crawl, "state", "settings.json")); err != nil {
		if len(acknowledged) > 0 {
			t.Errorf("%s: the settings are gone", what)
		}
		return acknowledged
	}
	site.ResetRequests()
	o := awarc(t, "", "resume", crawl)
	if o.status != exitDone {
		t.Errorf("%s: status %d\n%s%s", what, o.status, o.out, o.err)
		return acknowledged
	}
	requests := site.Requests().ByURL
	for _, u := range acknowledged {
		if n := requests[strings.TrimPrefix(u, base)]; n > 0 {
			t.Errorf("%s: %s was acknowledged and asked for again", what, u)
		}
	}
	checkTruth(t, crawl, site, base)
	checkArchive(t, crawl)
	if got := statements(t, crawl); !slices.Equal(got, want) {
		more, fewer := without(got, want), without(want, got)
		t.Errorf("%s: %d statements that an undisturbed crawl lacks, %d that it has: %.500q %.500q", what, len(more), len(fewer), more,
			fewer)
	}
	if learned, _ := filepath.Glob(filepath.Join(crawl, "kb/learned/*.xml")); len(learned) > 0 {
		awarc(t, "", append([]string{"kb", "lint"}, learned...)...).want(t, exitDone)
	}
	if t.Failed() {
		t.Log(what)
	}
	return acknowledged
}
