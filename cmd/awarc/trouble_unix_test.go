//go:build unix

package main

import (
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/testsites"
)

// ordinary lets a command run as a user whom permissions bind, whose files dir and all in it become.
func ordinary(t *testing.T, dir string) func(c *exec.Cmd) *exec.Cmd {
	t.Helper()
	if os.Getuid() != 0 {
		return func(c *exec.Cmd) *exec.Cmd { return c }
	}
	const nobody = 65534
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(filepath.Dir(dir), "awarc.test")
	data, err := os.ReadFile(exe)
	if err == nil {
		err = os.WriteFile(program, data, 0o755)
	}
	for up := filepath.Dir(dir); err == nil && up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
		err = os.Chmod(up, 0o755)
	}
	if err == nil {
		err = filepath.Walk(dir, func(name string, _ os.FileInfo, err error) error {
			return errors.Join(err, os.Lchown(name, nobody, nobody))
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(c *exec.Cmd) *exec.Cmd {
		c.Path, c.Args[0] = program, program
		c.Env = append(c.Env, "XDG_CACHE_HOME="+dir, "TMPDIR="+dir)
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		return c
	}
}

// TestTrouble meets a killed crawl with what may befall its folder. The program says what is wrong and what to do, changes nothing, and
// goes on when it is put right: all is there, and nothing is asked for twice that was not in flight.
func TestTrouble(t *testing.T) {
	mode := func(pattern string, bad, good os.FileMode) (spoil, mend func(t *testing.T, dir string)) {
		set := func(m os.FileMode) func(t *testing.T, dir string) {
			return func(t *testing.T, dir string) {
				t.Helper()
				names, _ := filepath.Glob(filepath.Join(dir, pattern))
				if len(names) == 0 {
					t.Fatalf("no %s", pattern)
				}
				for _, name := range names {
					if err := os.Chmod(name, m); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		return set(bad), set(good)
	}
	type trouble struct {
		name        string
		spoil, mend func(t *testing.T, dir string)
		says        []string
	}
	var all []trouble // in order: where the archive can be opened, no file of it is open afterwards
	for _, c := range []struct {
		name, pattern string
		bad, good     os.FileMode
		says          string
	}{
		{"unreadable settings", "state/settings.json", 0, 0o644, "settings.json"},
		{"an unreadable frontier", "state/frontier.db", 0, 0o644, "frontier.db"},
		{"a read-only frontier", "state/frontier.db", 0o444, 0o644, "frontier.db"},
		{"an unreadable open WARC file", "archive/*.open", 0, 0o644, ".warc.gz.open"},
		{"an unreadable open graph file", "graph/*.open", 0, 0o644, ".nq.gz.open"},
		{"a read-only folder of the archive", "archive", 0o555, 0o755, "archive"},
		{"an unreadable log", "log/crawl.jsonl", 0, 0o644, "crawl.jsonl"},
		{"a read-only folder", ".", 0o555, 0o755, "crawl"},
	} {
		spoil, mend := mode(c.pattern, c.bad, c.good)
		all = append(all, trouble{c.name, spoil, mend, []string{c.says, "permission denied"}})
	}
	for name, c := range map[string]struct {
		change func(b []byte) []byte
		says   []string
	}{
		"a damaged frontier": {func(b []byte) []byte {
			for i := 3 * 4096; i < len(b); i += 997 {
				b[i] ^= 0x55
			}
			return b
		}, []string{"frontier.db", "or start a new crawl"}},
		"a frontier cut short": {func(b []byte) []byte { return b[:len(b)/3] }, []string{"frontier.db", "damaged"}},
		"an empty frontier": {func([]byte) []byte { return []byte{} },
			[]string{"frontier.db: missing or empty", "an empty file", "restore a copy"}},
		"a missing frontier": {func([]byte) []byte { return nil },
			[]string{"frontier.db: missing or empty", "does not exist", "restore a copy"}},
		"a frontier of a diary": {func([]byte) []byte { return []byte(strings.Repeat("dear diary\n", 9000)) }, []string{"not a frontier"}},
	} {
		replace := func(t *testing.T, name string, b []byte) {
			t.Helper()
			err := os.Remove(name)
			if b != nil {
				err = os.WriteFile(name, b, 0o644)
			}
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if os.Getuid() == 0 && b != nil {
				err = os.Chown(name, 65534, 65534)
			}
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
		var kept []byte
		all = append(all, trouble{name, func(t *testing.T, dir string) {
			file := filepath.Join(dir, "state", frontier.FileName)
			var err error
			if kept, err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
			replace(t, file, c.change(append([]byte(nil), kept...)))
		}, func(t *testing.T, dir string) {
			replace(t, filepath.Join(dir, "state", frontier.FileName), kept)
		}, c.says})
	}
	dir, site, _, base := killedCrawl(t, 30)
	as := ordinary(t, dir)
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			asked := site.Requests().Total
			c.spoil(t, dir)
			out, err := as(command(t, "resume", dir)).CombinedOutput()
			c.mend(t, dir)
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitFailed && exit.ExitCode() != exitUsage {
				t.Errorf("%v, want a failure", err)
			}
			for _, part := range c.says {
				if !strings.Contains(string(out), part) {
					t.Errorf("it does not say %q:\n%s", part, out)
				}
			}
			if n := site.Requests().Total - asked; n > 0 {
				t.Errorf("%d requests were made", n)
			}
		})
	}
	if out, err := as(command(t, "resume", dir)).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	checkTruth(t, dir, site, base)
	checkArchive(t, dir)
	if twice := site.Requests().Twice(); len(twice) > workers {
		t.Errorf("asked for twice: %v", twice)
	}
}

// TestTwoProcesses starts a crawl twice in one folder: the second is turned away, the first goes on.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	dir, site, g, base := killedCrawl(t, 10)
	g.pass(4)
	first := command(t, "resume", dir)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	g.wait(t)
	awarc(t, "", "resume", dir).want(t, exitFailed, "another process is using it")
	awarc(t, "", "crawl", "--out", dir, base+"/").want(t, exitUsage, "is not empty", "awarc resume")
	g.open()
	if err := first.Wait(); err != nil {
		t.Fatal(err)
	}
	checkTruth(t, dir, site, base)
	checkArchive(t, dir)
}

// TestClockPutBack goes on with a crawl whose last session had a clock that was years ahead: what waits since then does not wait for years.
func TestClockPutBack(t *testing.T) {
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 7, Posts: 60})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(site)
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "crawl")
	awarc(t, "", "crawl", "--delay", "0", "--min-space", "0", "--limit", "4", "--out", dir, server.URL+"/").want(t, exitLimit)
	ahead := func() time.Time { return time.Now().AddDate(3, 0, 0) }
	f, err := frontier.Open(filepath.Join(dir, "state"), frontier.Options{Now: ahead, After: time.After})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		l, err := f.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o := frontier.Outcome{State: frontier.Retry, Reason: "http_503: Service Unavailable", RetryAfter: time.Minute}
		if n == 1 {
			o.HostNotBefore = ahead().Add(time.Minute)
		}
		if err := f.Done(l, o); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	report := readReport(t, dir)
	report.Ended = ahead()
	if err := report.Write(filepath.Join(dir, "report.json")); err != nil {
		t.Fatal(err)
	}
	awarc(t, "", "resume", "--limit", "0", dir).want(t, exitDone, "the clock was set back", "3 waits")
	checkTruth(t, dir, site, server.URL)
	checkArchive(t, dir)
}
