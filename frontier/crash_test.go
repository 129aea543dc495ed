//go:build unix

package frontier

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The tests in this file run the test binary again as a child, told by this
// variable what to do and where.
const childTask = "AWARC_FRONTIER_CHILD"

func TestMain(m *testing.M) {
	task, dir, ok := strings.Cut(os.Getenv(childTask), ":")
	if !ok {
		os.Exit(m.Run())
	}
	var err error
	switch task {
	case "crawl":
		err = crawlChild(dir)
	case "lock":
		err = lockChild(dir)
	case "full":
		err = fullChild(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child prepares the test binary to run a task in dir.
func child(t *testing.T, task, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childTask+"="+task+":"+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

// The site of the crash test: page n of 1000 names two further pages and one that
// was named before, spread over eight hosts; every seventh page is a copy of its
// neighbour, every fifth must be tried twice, and every third is put off.
const sitePages = 1000

func page(n int) string { return fmt.Sprintf("http://host%d.test/%d", n%8, n) }

func siteFamily(n int) string {
	if n%3 > 0 {
		return ""
	}
	return fmt.Sprint("family ", n%4)
}

func siteOutcome(l Lease) (Outcome, error) {
	var host, n int
	if _, err := fmt.Sscanf(l.URL.URL, "http://host%d.test/%d", &host, &n); err != nil {
		return Outcome{}, err
	}
	if n%5 == 0 && l.Tries == 0 {
		return Outcome{State: Retry, RetryAfter: time.Millisecond}, nil
	}
	o := Outcome{State: Fetched, Counters: map[string]int64{"pages": 1}, Marks: []Mark{{Key: fmt.Sprint(n / 2), Counter: "pairs"}}}
	for _, link := range []int{2*n + 1, 2*n + 2, n / 2} {
		if link < sitePages {
			o.Links = append(o.Links, URL{URL: page(link), Priority: link % 3, Family: siteFamily(link)})
		}
	}
	if n%7 == 0 && n+1 < sitePages {
		o.Aliases = []string{page(n + 1)}
		// What only the copy would name is named here, so that the whole site is found.
		for _, link := range []int{2*n + 3, 2*n + 4} {
			if link < sitePages {
				o.Links = append(o.Links, URL{URL: page(link), Family: siteFamily(link)})
			}
		}
	}
	return o, nil
}

// crawlChild crawls the site until it is drained or killed, and keeps a journal of
// what the frontier has promised: "accepted", "leased" and "settled" with the key.
// The journal survives kill -9 like any write that has returned. Each lease is a
// byte on standard output, so that the parent can choose when to kill.
func crawlChild(dir string) error {
	journal, err := os.OpenFile(filepath.Join(dir, "journal"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer journal.Close()
	f, err := Open(dir, Options{PutOffShare: 0.1, merging: merging{after: 30, tail: 100, slice: 4, host: 20}})
	if err != nil {
		return err
	}
	if _, err := f.Add(context.Background(), []URL{{URL: page(0)}}); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(journal, "accepted %s\n", page(0)); err != nil {
		return err
	}
	errs := make(chan error, 6)
	var workers sync.WaitGroup
	for range cap(errs) {
		workers.Go(func() {
			if err := crawlWorker(f, journal); !errors.Is(err, ErrDrained) {
				errs <- err
			}
		})
	}
	workers.Wait()
	close(errs)
	return errors.Join(<-errs, f.Close())
}

func crawlWorker(f *Frontier, journal *os.File) error {
	for {
		l, err := f.Next(context.Background())
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(journal, "leased %s\n", l.Key); err != nil {
			return err
		}
		if _, err := os.Stdout.WriteString("."); err != nil {
			return err
		}
		o, err := siteOutcome(l)
		if err != nil {
			return err
		}
		if err := f.Done(l, o); err != nil {
			return err
		}
		var lines strings.Builder
		for _, u := range o.Links {
			fmt.Fprintf(&lines, "accepted %s\n", u.URL)
		}
		if o.State == Fetched {
			fmt.Fprintf(&lines, "settled %s\n", l.Key)
		}
		if _, err := journal.WriteString(lines.String()); err != nil {
			return err
		}
	}
}

func TestKillLosesNothingAndRepeatsNothing(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		killAfter(t, dir, r.IntN(60))
		checkPromises(t, dir)
	}
	if err := child(t, "crawl", dir).Run(); err != nil {
		t.Fatal(err)
	}
	checkPromises(t, dir)
	f, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := f.Stats()
	if s.Pending+s.PutOff != 0 || s.Seen != sitePages || s.Fetched+s.Aliased != sitePages || s.Fetched != int(f.Counters()["pages"]) {
		t.Errorf("stats %+v, counters %v", s, f.Counters())
	}
}

// killAfter crawls until the child has told of a number of leases, and kills it.
func killAfter(t *testing.T, dir string, leases int) {
	t.Helper()
	cmd := child(t, "crawl", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, out, int64(leases)); err != nil {
		t.Fatalf("the child ended before it was killed: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child ended before it was killed: %v", err)
	}
}

// checkPromises compares the frontier with the journal of all its lives so far.
func checkPromises(t *testing.T, dir string) {
	t.Helper()
	f, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(dir, "journal"))
	if errors.Is(err, os.ErrNotExist) {
		return // killed before it began
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	settled := make(map[string]bool)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		event, key, _ := strings.Cut(lines.Text(), " ")
		e, known := f.Lookup(key)
		switch event {
		case "accepted":
			if !known {
				t.Fatalf("%s was accepted and is lost", key)
			}
		case "leased":
			if settled[key] {
				t.Fatalf("%s came again after it was settled", key)
			}
		case "settled":
			settled[key] = true
			if e.State != Fetched {
				t.Fatalf("%s was settled as fetched and is %v", key, e.State)
			}
		}
	}
}

func lockChild(dir string) error {
	_, err := Open(dir, Options{})
	var e *Error
	if !errors.As(err, &e) || e.Kind != Locked || !strings.Contains(err.Error(), FileName) {
		return fmt.Errorf("Open in a second process: %w", err)
	}
	return nil
}

func TestSecondProcessIsTurnedAway(t *testing.T) {
	h := start(t, Options{})
	if err := child(t, "lock", h.dir).Run(); err != nil {
		t.Error(err)
	}
}

// fullChild lets the kernel refuse to let files grow, as a full disk or a quota
// does, and then lets it relent: once for a new frontier, once for one in use.
func fullChild(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	var f *Frontier
	var err error
	open := func() error {
		f, err = Open(dir, Options{})
		return err
	}
	if err := whenFull(4<<10, open); err != nil {
		return err
	}
	if err := open(); err != nil {
		return fmt.Errorf("Open when there is space again: %w", err)
	}
	var urls []URL
	for i := range 3000 {
		urls = append(urls, URL{URL: fmt.Sprintf("http://a/%d/%s", i, strings.Repeat("x", 100))})
	}
	if _, err := f.Add(context.Background(), urls[:10]); err != nil {
		return err
	}
	l, err := f.Next(context.Background())
	if err != nil {
		return err
	}
	before := f.Stats()
	done := func() error { return f.Done(l, Outcome{State: Fetched, Links: urls}) }
	if err := whenFull(96<<10, done); err != nil {
		return err
	}
	if f.Stats() != before {
		return fmt.Errorf("stats %+v after a failed commit, want %+v", f.Stats(), before)
	}
	if err := f.Check(); err != nil {
		return err
	}
	if err := done(); err != nil {
		return fmt.Errorf("Done when there is space again: %w", err)
	}
	if s := f.Stats(); s.Seen != len(urls) || s.Fetched != 1 {
		return fmt.Errorf("stats %+v", s)
	}
	return errors.Join(f.Check(), f.Close())
}

// whenFull runs fn three times while no file may be longer than limit bytes, and
// wants it to say so.
func whenFull(limit uint64, fn func() error) error {
	var free syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: free.Max}); err != nil {
		return err
	}
	for range 3 {
		var e *Error
		if err := fn(); !errors.As(err, &e) || e.Kind != Full {
			return fmt.Errorf("on a full disk: %v, want an error of kind %q", err, Full)
		}
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &free)
}

func TestFullDiskChangesNothing(t *testing.T) {
	if err := child(t, "full", t.TempDir()).Run(); err != nil {
		t.Error(err)
	}
}

func TestDiskThatIsNearlyFullChangesNothing(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1")
	free, known := freeSpace(h.dir)
	if !known {
		t.Skip("the free space of a disk is not known here")
	}
	h.reopen(Options{MinSpace: 2 * free})
	if _, err := h.Add(t.Context(), []URL{{URL: "http://a/2"}}); kindOf(err) != Full ||
		!strings.Contains(err.Error(), "free some space and resume") {
		t.Errorf("Add: %v", err)
	}
	l := h.next()
	if err := h.Done(l, Outcome{State: Fetched}); kindOf(err) != Full {
		t.Errorf("Done: %v", err)
	}
	h.reopen(Options{MinSpace: 1})
	if _, ok := h.Lookup("http://a/2"); ok {
		t.Error("what was refused is there")
	}
	h.done(h.next(), Outcome{State: Fetched})
}
