package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	m "github.com/awarc/awarc/plugins/module/moduletest"
)

// silentServer accepts connections and answers nothing; it reports each that says something, or, as
// some protocols begin with the server, each connection.
func silentServer(t *testing.T) (address string, begun chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	begun = make(chan struct{}, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			begun <- struct{}{}
		}
	}()
	return l.Addr().String(), begun
}

// TestSignalsEndWhatHangs has each command wait for a server or a module that never ends, and ends
// it by one signal. A command that does not end hangs this test.
func TestSignalsEndWhatHangs(t *testing.T) {
	t.Parallel()
	done, o := runCrawl(t, "--limit", "5", serve(t, board(t, 5))+"/")
	o.want(t, exitLimit)
	plain := []string{"--delay", "0", "--min-space", "0", "--ignore-robots"}
	crawling := func(dir string, more ...string) []string {
		return append(append([]string{"crawl", "--out", filepath.Join(dir, "crawl")}, plain...), more...)
	}
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		args   func(dir, silent string) []string
	}{
		{"crawl", syscall.SIGTERM, func(dir, silent string) []string { return crawling(dir, "http://"+silent+"/") }},
		{"crawl through a proxy", syscall.SIGHUP, func(dir, silent string) []string {
			return crawling(dir, "--proxy", "http://"+silent, "http://site.invalid/")
		}},
		{"crawl that logs in", syscall.SIGINT, func(dir, silent string) []string {
			form := filepath.Join(dir, "login.yaml")
			if err := os.WriteFile(form, []byte("url: http://"+silent+"/login\nfields: {user: a, pass: b}\n"), 0o600); err != nil {
				t.Error(err)
			}
			return crawling(dir, "--login", form, "http://"+silent+"/")
		}},
		{"jobs", syscall.SIGHUP, func(dir, silent string) []string {
			file := filepath.Join(dir, "jobs")
			if err := os.WriteFile(file, []byte("--out "+dir+"/a --delay 0 --min-space 0 http://"+silent+"/\n"), 0o600); err != nil {
				t.Error(err)
			}
			return []string{"jobs", file}
		}},
		{"join", syscall.SIGTERM, func(dir, silent string) []string {
			return []string{"join", "name", "--frontier", "redis://" + silent, "--out", filepath.Join(dir, "node")}
		}},
		{"api run", syscall.SIGINT, func(dir, silent string) []string {
			file := filepath.Join(dir, "c.yaml")
			if err := os.WriteFile(file, []byte("sources:\n  - {service: wordpress-api, site: 'http://"+silent+"'}\n"), 0o600); err != nil {
				t.Error(err)
			}
			return []string{"api", "run", "--delay", "0", "--min-space", "0", "--out", filepath.Join(dir, "campaign"), file}
		}},
		{"extract", syscall.SIGTERM, func(_, silent string) []string { return []string{"extract", "http://" + silent + "/"} }},
		{"graph push", syscall.SIGHUP, func(_, silent string) []string {
			return []string{"graph", "push", "--crawl", done, "--endpoint", "http://" + silent + "/rdf"}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			silent, begun := silentServer(t)
			dir := t.TempDir()
			p := command(t, c.args(dir, silent)...)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			<-begun
			if err := p.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			// A command that leaves nothing behind may leave the signal to the system.
			if status := exitStatus(t, p); status != exitInterrupted && p.ProcessState.Sys().(syscall.WaitStatus).Signal() != c.signal {
				t.Errorf("exit status %d", status)
			}
			if archive := filepath.Join(dir, "crawl", "archive"); exists(archive) {
				checkArchive(t, filepath.Join(dir, "crawl"))
			}
		})
	}
}

// TestASignalEndsAPluginThatRuns stops a crawl whose plugin never ends.
func TestASignalEndsAPluginThatRuns(t *testing.T) {
	t.Parallel()
	file := plugin(t, manifest("org.example.endless", "1.0.0", "scorer", ""), 1<<20, nil, m.Forever())
	served := make(chan struct{}, 100)
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>page</title><p>Text.<a href="/a">a</a>`)
		served <- struct{}{}
	}))
	dir := filepath.Join(t.TempDir(), "crawl")
	p := command(t, "crawl", "--delay", "0", "--min-space", "0", "--ignore-robots", "--plugin", file, "--out", dir, base+"/")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	<-served
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := exitStatus(t, p); status != exitInterrupted {
		t.Errorf("exit status %d", status)
	}
	awarc(t, "", "warc", "verify", filepath.Join(dir, "archive")).want(t, exitDone)
}

// TestASignalEndsTheCockpitWithOpenStreams stops the cockpit while a crawl in it waits and a browser
// follows its events.
func TestASignalEndsTheCockpitWithOpenStreams(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base, begun, release := heldBack(t, "silent")
	defer release()
	c := command(t, "crawl", "--delay", "0", "--min-space", "0", "--out", filepath.Join(dir, "one"), base+"/")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	exitStatus(t, c)
	p := startCockpitIn(t, dir)
	stream, err := http.Get(p.base + "/crawls/one/events")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	if kind := stream.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		t.Errorf("the stream is %s", kind)
	}
	p.stop() // checks the status
}
