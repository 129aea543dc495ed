package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/kb"
)

// outcome is what one run of the program gave.
type outcome struct {
	status   int
	out, err string
}

// awarc runs the program in this process.
func awarc(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	status := run(t.Context(), args, streams{strings.NewReader(stdin), &out, &errs})
	return outcome{status, out.String(), errs.String()}
}

// want checks the exit status and that the error message says certain things.
func (o outcome) want(t *testing.T, status int, parts ...string) {
	t.Helper()
	if o.status != status {
		t.Errorf("exit status %d, want %d\n%s%s", o.status, status, o.out, o.err)
	}
	for _, p := range parts {
		if !strings.Contains(o.err, p) {
			t.Errorf("standard error does not say %q:\n%s", p, o.err)
		}
	}
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}} {
		o := awarc(t, "", args...)
		o.want(t, exitDone)
		for _, command := range []string{"crawl", "resume", "demo", "detect", "extract", "explain", "kb lint", "kb list", "robots",
			"warc verify", "warc recover", "testsite", "version"} {
			if !strings.Contains(o.out, command) {
				t.Errorf("%v: the help does not name %s:\n%s", args, command, o.out)
			}
		}
	}
	o := awarc(t, "", "crawl", "--help")
	o.want(t, exitDone)
	if first := strings.SplitN(o.out, "\n\n", 6)[4]; strings.Count(first, "\n      --") != len(mainFlags)-1 ||
		!strings.HasPrefix(first, "      --out=DIR") {
		t.Errorf("the help of crawl lists first:\n%s", first)
	}
	for _, text := range []string{"--scope-type=page|prefix|host|domain|any", "(default: 1s)", "\nScope:\n", "\nLimits:\n"} {
		if !strings.Contains(o.out, text) {
			t.Errorf("the help of crawl does not have %q:\n%s", text, o.out)
		}
	}
	for _, flag := range []string{"--out", "--kb", "--type", "--workers", "--delay", "--limit", "--max-hops", "--time-limit",
		"--size-limit", "--scope-type", "--scope",
		"--include", "--exclude", "--requisites", "--blind", "--no-adapt", "--user-agent", "--contact", "--ignore-robots", "--seed-file",
		"--proxy", "--cookies",
		"--warc-prefix", "--warc-size", "--min-space", "--dry-run"} {
		if !strings.Contains(o.out, flag) {
			t.Errorf("the help of crawl does not name %s", flag)
		}
	}
}

// TestHint: the hint after a wrong command line names a command that exists.
func TestHint(t *testing.T) {
	for _, c := range [][2]string{{"tables", "Try: awarc --help"}, {"crawl --fly", "Try: awarc crawl --help"},
		{"kb lint --fly", "Try: awarc kb lint --help"},
		{"kb fly", "Try: awarc kb --help"}} {
		awarc(t, "", strings.Fields(c[0])...).want(t, exitUsage, c[1]+"\n")
	}
}

func TestVersion(t *testing.T) {
	o := awarc(t, "", "version")
	o.want(t, exitDone)
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"awarc " + version, "go1.",
		fmt.Sprintf("knowledge base %s (%d types, %s)", kb.Version, len(base.Types), base.Hash)} {
		if !strings.Contains(o.out, part) {
			t.Errorf("no %q in %q", part, o.out)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	page := write(t, "page.html", "<html>")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"fly"}, "fly"},
		{[]string{"--fly"}, "--fly"},
		{[]string{"crawl", "--fly", "http://a.example/"}, "--fly"},
		{[]string{"crawl"}, "no seed URL"},
		{[]string{"crawl", "--workers", "many", "http://a.example/"}, "--workers"},
		{[]string{"crawl", "--workers", "0", "http://a.example/"}, "--workers"},
		{[]string{"crawl", "--frontier", "redis://a.example", "http://a.example/"}, "--crawl"},
		{[]string{"crawl", "--frontier", "mysql://a.example", "--crawl", "x", "http://a.example/"}, "expected redis://"},
		{[]string{"crawl", "--frontier", "redis://u:p@a.example", "--crawl", "x", "http://a.example/"}, "do not put a password there"},
		{[]string{"crawl", "--frontier", "redis://a.example", "--crawl", "x", "--batch", "9", "http://a.example/"}, "batches of pages"},
		{[]string{"join", "x"}, "--frontier"},
		{[]string{"crawl", "--delay", "5 parsecs", "http://a.example/"}, "--delay"},
		{[]string{"crawl", "--delay", "-1s", "http://a.example/"}, "--delay"},
		{[]string{"crawl", "--limit", "-1", "http://a.example/"}, "--limit"},
		{[]string{"crawl", "--size-limit", "much", "http://a.example/"}, "size"},
		{[]string{"crawl", "--size-limit", "99999999T", "http://a.example/"}, "too large"},
		{[]string{"crawl", "--scope-type", "galaxy", "http://a.example/"}, "page"},
		{[]string{"crawl", "--include", "(", "http://a.example/"}, "--include"},
		{[]string{"crawl", "--exclude", "[", "http://a.example/"}, "--exclude"},
		{[]string{"crawl", "--type", "geocities", "http://a.example/"}, "geocities"},
		{[]string{"crawl", "--kb", "/no/such/kb", "http://a.example/"}, "/no/such/kb"},
		{[]string{"crawl", "--proxy", "carrier-pigeon://x", "http://a.example/"}, "carrier-pigeon"},
		{[]string{"crawl", "--cookies", "/no/such/cookies", "http://a.example/"}, "/no/such/cookies"},
		{[]string{"crawl", "--contact", "nobody", "http://a.example/"}, "nobody"},
		{[]string{"crawl", "--user-agent", "(anonymous)", "http://a.example/"}, "(anonymous)"},
		{[]string{"crawl", "--warc-prefix", "../evil", "http://a.example/"}, "../evil"},
		{[]string{"crawl", "--seed-file", "/no/such/seeds"}, "/no/such/seeds"},
		{[]string{"crawl", "ftp://a.example/"}, "ftp://a.example/"},
		{[]string{"crawl", "http://"}, "http://"},
		{[]string{"crawl", "--out", page, "http://a.example/"}, "is not a folder"},
		{[]string{"crawl", "--out", filepath.Dir(page), "http://a.example/"}, "is not empty"},
		{[]string{"crawl", "--dry-run", "--out", filepath.Dir(page), "http://a.example/"}, "is not empty"},
		{[]string{"crawl", "--format", "xml", "http://a.example/"}, "--format"},
		{[]string{"resume"}, "<dir>"},
		{[]string{"resume", filepath.Dir(page)}, "holds no crawl"},
		{[]string{"explain", filepath.Dir(page), "http://a.example/"}, "holds no crawl"},
		{[]string{"explain", filepath.Dir(page), "ftp://a.example/"}, "ftp"},
		{[]string{"detect"}, "FILE-or-URL"},
		{[]string{"detect", "--url", "nowhere", page}, "inputs failed"},
		{[]string{"detect", "--type", "geocities", page}, "geocities"},
		{[]string{"robots", "--url", "http://a.example/"}, "--robots"},
		{[]string{"robots", "--robots", "/no/such/file", "--url", "http://a.example/", "--agent", "x"}, "/no/such/file"},
		{[]string{"testsite", "--cms", "geocities"}, "geocities"},
		{[]string{"testsite", "--cms", "phpbb", "--listen", "nowhere:99999"}, "--listen"},
		{[]string{"kb"}, "lint"},
		{[]string{"warc"}, "verify"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Chdir(t.TempDir())
			status := exitUsage
			if c.says == "inputs failed" {
				status = exitFailed
			}
			awarc(t, "", c.args...).want(t, status, "awarc:", c.says)
			if left, _ := filepath.Glob("*"); len(left) > 0 {
				t.Errorf("it left %v behind", left)
			}
		})
	}
}

func TestWrongKnowledgeBase(t *testing.T) {
	t.Chdir(t.TempDir())
	malformed := write(t, "malformed.xml", "<kb>\n  <type id=\"x\">\n</kb>\n")
	wrong := write(t, "wrong.xml", "<?xml version=\"1.0\"?>\n<awarc-kb>\n\n  <nonsense/>\n</awarc-kb>\n")
	for _, c := range []struct{ file, says string }{{malformed, "malformed.xml:3"}, {wrong, "wrong.xml:"}} {
		for _, args := range [][]string{{"crawl", "--kb", c.file, "http://a.example/"}, {"kb", "list", "--kb", c.file},
			{"detect", "--kb", c.file, c.file}} {
			awarc(t, "", args...).want(t, exitFailed, c.says)
		}
		o := awarc(t, "", "kb", "lint", c.file)
		o.want(t, exitFailed, "the knowledge base was not loaded")
		if !strings.Contains(o.out, c.says) {
			t.Errorf("lint does not say %q: %s", c.says, o.out)
		}
		o = awarc(t, "", "kb", "lint", "--format", "json", c.file)
		var e lintJSON
		if err := json.NewDecoder(strings.NewReader(o.out)).Decode(&e); err != nil || e.File != c.file || e.Line == 0 || e.Message == "" {
			t.Errorf("lint as JSON: %+v, %v", e, err)
		}
	}
	if left, _ := filepath.Glob("*"); len(left) > 0 {
		t.Errorf("a crawl with a wrong knowledge base left %v behind", left)
	}
	awarc(t, "", "kb", "lint").want(t, exitDone)
	o := awarc(t, "", "kb", "list", "--format", "json")
	o.want(t, exitDone)
	types := map[string]bool{}
	for d := json.NewDecoder(strings.NewReader(o.out)); ; {
		var row kbTypeJSON
		if err := d.Decode(&row); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		types[string(row.Type)] = true
	}
	for _, id := range []string{"wordpress", "phpbb", "vbulletin"} {
		if !types[id] {
			t.Errorf("kb list does not list %s", id)
		}
	}
}

func TestRobotsCommand(t *testing.T) {
	robots := write(t, "robots.txt", "User-agent: awarc\nDisallow: /private\nDisallow: /foo%20bar\nDisallow: /%E3%81%82\n")
	for url, status := range map[string]int{
		"http://a.example/": exitDone, "http://a.example/private/x": exitFailed, "HTTP://A.example/x/../private/": exitFailed,
		"a.example/private": exitFailed, "http://a.example/foo bar": exitFailed, "http://a.example/\u3042": exitFailed,
	} {
		for _, agent := range []string{"awarc", "AWARC/0.1 (+http://a.example/)"} {
			o := awarc(t, "", "robots", "--robots", robots, "--url", url, "--agent", agent)
			o.want(t, status)
			if o.err != "" {
				t.Errorf("standard error: %s", o.err)
			}
		}
	}
}

func TestDryRun(t *testing.T) {
	t.Chdir(t.TempDir())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("it asked for %s", r.URL) }))
	defer server.Close()
	o := awarc(t, "# seeds\n\ufeff"+server.URL+"/b # the second\r\n\n"+server.URL+"/a\n", "crawl", "--dry-run", "--seed-file", "-",
		"--limit", "7", "--kb", ".", server.URL+"/a")
	if o.status == exitDone {
		t.Errorf("a folder without XML was taken for a knowledge base")
	}
	o = awarc(t, "# seeds\n"+server.URL+"/b # the second\r\n\n"+server.URL+"/a\n", "crawl", "--dry-run", "--seed-file", "-", "--limit", "7",
		"--format", "json", server.URL+"/a")
	o.want(t, exitDone)
	var set crawl.Settings
	if err := json.Unmarshal([]byte(o.out), &set); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(set.Seeds, " "); got != server.URL+"/a "+server.URL+"/b" || set.Flags.Limit != 7 {
		t.Errorf("seeds %s, limit %d", got, set.Flags.Limit)
	}
	o = awarc(t, "", "crawl", "--dry-run", "--limit", "7", "--delay", "2", server.URL+"/a")
	o.want(t, exitDone)
	for _, words := range []string{"nothing was fetched", server.URL + "/a", "scope      127.0.0.1:", "2s between two requests",
		"after 7 pages"} {
		if !strings.Contains(o.out, words) {
			t.Errorf("it does not say %q:\n%s", words, o.out)
		}
	}
	if left, _ := filepath.Glob("*"); len(left) > 0 {
		t.Errorf("it left %v behind", left)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]size{"0": 0, "12": 12, "1k": 1 << 10, "2K": 2 << 10, "3MiB": 3 << 20, "4gb": 4 << 30,
		"1T": 1 << 40} {
		var z size
		if err := z.UnmarshalText([]byte(text)); err != nil || z != want {
			t.Errorf("%q is %d, %v; want %d", text, z, err, want)
		}
	}
	for _, text := range []string{"", "M", "-1", "1.5G", "1 M", "99999999999999999999"} {
		var z size
		if err := z.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a size of %d", text, z)
		}
	}
}
