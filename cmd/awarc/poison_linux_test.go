package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/awarc/awarc/testsites"
)

// memoryOfChild is the address space of a crawl in KiB: enough for ordinary pages, and too
// little for a page of bigText bytes.
const (
	memoryOfChild = 1_900_000
	bigText       = 60 << 20
)

// limited is command with little memory.
func limited(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := command(t, args...)
	c.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -v %d && exec "$0" "$@"`, memoryOfChild), c.Path}, c.Args[1:]...)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	c.Path = sh
	return c
}

// TestPoisonPage: a page that exhausts the memory ends three sessions, and no more: it
// is archived and not read, and all others are.
func TestPoisonPage(t *testing.T) {
	page := bytes.Repeat([]byte(`<div class="x y"><p id=z>words<i>and</i> more</p></div>`), bigText/55)
	base := serve(t, testsites.Robots(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			io.WriteString(w, "<a href=/a>a</a> <a href=/big>big</a> <a href=/b>b</a>")
		case "/big":
			w.Write(page)
		default:
			io.WriteString(w, "<p>a page")
		}
	}), ""))
	dir := filepath.Join(t.TempDir(), "crawl")
	args := []string{"crawl", "--blind", "--delay", "0", "--workers", "1", "--min-space", "0", "--out", dir, base + "/"}
	var exit *exec.ExitError
	for deaths := 0; ; deaths++ {
		out, err := limited(t, args...).CombinedOutput()
		if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).ExitStatus() == exitWithFaults && deaths >= 3 {
			break
		}
		// The collector, or a thread that finds no place for its stack, may be the first to end the process.
		ended := slices.ContainsFunc([]string{"out of memory", "cannot allocate memory", "pthread_create failed"},
			func(cause string) bool { return strings.Contains(string(out), cause) })
		if !errors.As(err, &exit) || !ended || deaths > 5 { // one or the other may die before it comes to the page
			t.Fatalf("after %d deaths: %v\n%.2000s", deaths, err, out)
		}
		args = []string{"resume", dir}
	}
	r := readReport(t, dir)
	if !r.Finished || r.Pages != 4 || r.Errors["poison_page"] != 1 || len(r.Errors) != 1 {
		t.Errorf("finished %v, %d pages, errors %v", r.Finished, r.Pages, r.Errors)
	}
	checkArchive(t, dir)
}
