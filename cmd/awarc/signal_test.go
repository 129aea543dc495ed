package main

import (
	"bufio"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/awarc/awarc/testsites"
)

func exitStatus(t *testing.T, c *exec.Cmd) int {
	t.Helper()
	_ = c.Wait() // the status says it all
	return c.ProcessState.ExitCode()
}

// readUntil reads lines up to one that contains a text, or to the end.
func readUntil(r io.Reader, text string) {
	for lines := bufio.NewScanner(r); lines.Scan() && !strings.Contains(lines.Text(), text); {
	}
}

func TestFirstInterruptFinishesWhatIsInFlight(t *testing.T) {
	t.Parallel()
	site := board(t, 60)
	g := newGate(site, 0)
	base := serve(t, g)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		site.ResetRequests()
		dir := filepath.Join(t.TempDir(), "crawl")
		c := command(t, "crawl", "--delay", "0", "--min-space", "0", "--out", dir, base+"/")
		errs, err := c.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		g.pass(5)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		g.wait(t)
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		readUntil(errs, "Ctrl-C again stops")
		g.open()
		_, _ = io.Copy(io.Discard, errs) // until it ends
		if status := exitStatus(t, c); status != exitInterrupted {
			t.Errorf("%v: exit status %d", signal, status)
		}
		r := readReport(t, dir)
		if r.Finished || r.Exit != exitInterrupted || r.Stopped != "interrupted" || r.Requests != int64(site.Requests().Total) {
			t.Errorf("%v: %d requests reached the site; the report: %+v", signal, site.Requests().Total, r)
		}
		checkArchive(t, dir)
		awarc(t, "", "resume", dir).want(t, exitDone)
		checkTruth(t, dir, site, base)
		checkArchive(t, dir)
		if twice := site.Requests().Twice(); len(twice) > 0 {
			t.Errorf("%v: asked for more than once: %v", signal, twice)
		}
	}
}

func TestSecondInterruptStopsAtOnce(t *testing.T) {
	t.Parallel()
	site := board(t, 30)
	stuck, release := make(chan struct{}, 1), make(chan struct{})
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/viewtopic") {
			select {
			case stuck <- struct{}{}:
			default:
			}
			select {
			case <-release:
			case <-r.Context().Done():
				return
			}
		}
		site.ServeHTTP(w, r)
	}))
	dir := filepath.Join(t.TempDir(), "crawl")
	c := command(t, "crawl", "--delay", "0", "--min-space", "0", "--out", dir, base+"/")
	errs, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-stuck
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	readUntil(errs, "Ctrl-C again stops")
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, errs) // until it ends
	if status := exitStatus(t, c); status != exitInterrupted {
		t.Errorf("exit status %d", status)
	}
	close(release)
	r := readReport(t, dir)
	if r.Finished || r.Exit != exitInterrupted || r.Queue.Pending == 0 {
		t.Errorf("the report: %+v", r)
	}
	checkArchive(t, dir)
	awarc(t, "", "resume", dir).want(t, exitDone)
	checkTruth(t, dir, site, base)
	checkArchive(t, dir)
}

func TestReportIsThereFromTheStart(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}, 10), make(chan struct{})
	base := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	dir := filepath.Join(t.TempDir(), "crawl")
	c := command(t, "crawl", "--delay", "0", "--min-space", "0", "--out", dir, base+"/")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if r := readReport(t, dir); r.Finished || r.Stopped != "running" || len(r.Seeds) != 1 || r.Queue.Pending != 1 {
		t.Errorf("the report of a running crawl: %+v", r)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // killed
	close(release)
	awarc(t, "", "resume", dir).want(t, exitDone)
	if r := readReport(t, dir); !r.Finished || r.Stopped != "" {
		t.Errorf("the report after resume: %+v", r)
	}
}

func TestTestsiteServesUntilItIsStopped(t *testing.T) {
	t.Parallel()
	names := testsites.Names()
	if !isLong() {
		names = names[:1] // each takes a process that starts; testsites tests all of them
	}
	for _, name := range names {
		c := command(t, "testsite", "--cms", name.CMS, "--template", name.Template, "--posts", "10", "--listen", "127.0.0.1:0")
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Scan()
		r, err := http.Get(lines.Text())
		if err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("%v at %q: %v, %v", name, lines.Text(), r, err)
		} else {
			r.Body.Close()
		}
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if status := exitStatus(t, c); status != exitDone {
			t.Errorf("%v: exit status %d", name, status)
		}
	}
}
