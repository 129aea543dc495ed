package main

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// heldBack is a site of three pages. The last one keeps silent, or does so after a byte or many,
// until release is called; begun gets a value for each request that it holds.
func heldBack(t *testing.T, kind string) (base string, begun chan struct{}, release func()) {
	t.Helper()
	begun, released := make(chan struct{}, 100), make(chan struct{})
	const page = "<html><title>last</title><p>The page that takes for ever.</html>"
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path != "/last" {
			_, _ = w.Write([]byte(`<html><p>A page.<a href="/one">one</a> <a href="/last">last</a></html>`))
			return
		}
		select {
		case <-released:
			_, _ = w.Write([]byte(page))
			return
		default:
		}
		begun <- struct{}{}
		_, _ = w.Write([]byte(strings.Repeat("x", map[string]int{"drip": 1, "huge": 8 << 20}[kind])))
		if kind != "silent" {
			_ = http.NewResponseController(w).Flush()
		}
		select {
		case <-released:
		case <-r.Context().Done():
		}
	}
	return serve(t, http.HandlerFunc(handler)), begun, sync.OnceFunc(func() { close(released) })
}

// TestOneSignalAbandonsWhatIsInFlight stops a crawl once while an answer comes that has no end: the
// crawl ends by itself, its URL stays pending, and the next session fetches it.
func TestOneSignalAbandonsWhatIsInFlight(t *testing.T) {
	t.Parallel()
	for kind, signal := range map[string]syscall.Signal{"drip": syscall.SIGTERM, "huge": syscall.SIGHUP, "silent": syscall.SIGINT} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			base, begun, release := heldBack(t, kind)
			dir := filepath.Join(t.TempDir(), "crawl")
			for _, args := range [][]string{
				{"crawl", "--delay", "0", "--min-space", "0", "--max-body", "1T", "--out", dir, base + "/"}, {"resume", dir},
			} {
				c := command(t, args...)
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				<-begun
				if err := c.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				if status := exitStatus(t, c); status != exitInterrupted {
					t.Errorf("%v: exit status %d", args, status)
				}
				r := readReport(t, dir)
				if r.Finished || r.Exit != exitInterrupted || r.Stopped != "interrupted" || r.Queue.Pending != 1 || len(r.Errors) > 0 {
					t.Errorf("%v: the report: %+v", args, r)
				}
				checkArchive(t, dir)
			}
			release()
			awarc(t, "", "resume", dir).want(t, exitDone)
			if r := readReport(t, dir); r.Pages != 3 {
				t.Errorf("%d pages", r.Pages)
			}
		})
	}
}

// TestHangUpIsIgnoredWhereItWasAtTheStart runs a crawl as nohup does.
func TestHangUpIsIgnoredWhereItWasAtTheStart(t *testing.T) {
	t.Parallel()
	base, begun, release := heldBack(t, "silent")
	dir := filepath.Join(t.TempDir(), "crawl")
	plain := command(t, "crawl", "--delay", "0", "--min-space", "0", "--out", dir, base+"/")
	c := exec.Command("sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, plain.Args...)...)
	c.Env = plain.Env
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := c.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGHUP); err != nil { // the second would stop at once
		t.Fatal(err)
	}
	release()
	if status := exitStatus(t, c); status != exitDone {
		t.Errorf("exit status %d", status)
	}
}

// TestServersOfCrawlsEndBySignal hangs up on jobs with an answer in flight, and on the cockpit.
func TestServersOfCrawlsEndBySignal(t *testing.T) {
	t.Parallel()
	base, begun, release := heldBack(t, "silent")
	defer release()
	dir := t.TempDir()
	file := filepath.Join(dir, "jobs")
	if err := os.WriteFile(file, []byte("--out "+dir+"/a --delay 0 --min-space 0 "+base+"/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := command(t, "jobs", file)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := c.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if status := exitStatus(t, c); status != exitInterrupted {
		t.Errorf("jobs: exit status %d", status)
	}
	c = command(t, "serve", "--listen", "127.0.0.1:0", "--dir", dir)
	errs, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(errs)
	for lines.Scan() && !strings.Contains(lines.Text(), "cockpit at") {
	}
	if err := c.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if status := exitStatus(t, c); status != exitInterrupted {
		t.Errorf("serve: exit status %d", status)
	}
}
