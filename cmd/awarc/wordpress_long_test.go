package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
)

// wordPressTruth is what the database of a WordPress holds.
type wordPressTruth struct {
	Posts, Pages []struct {
		ID    int
		URL   string
		Title string
	}
	Comments []int
}

// serveWordPress serves a real WordPress over a real MariaDB.
func serveWordPress(t *testing.T) (base string, truth wordPressTruth) {
	t.Helper()
	base, dir := serveByScript(t, "testdata/e2e/wordpress.sh", "truth.json")
	data, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &truth); err != nil {
		t.Fatal(err)
	}
	return base, truth
}

// serveByScript installs and serves an application of Debian's packages by a script that writes a file into its folder when
// all is there.
func serveByScript(t *testing.T, script, ready string, args ...string) (base, dir string) {
	t.Helper()
	if out, err := exec.Command(script, "install").CombinedOutput(); err != nil {
		t.Fatalf("installing: %v\n%s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	dir = t.TempDir()
	c := exec.Command(script, slices.Concat([]string{"serve"}, args, []string{dir, port})...)
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		if err := c.Process.Signal(syscall.SIGTERM); err == nil {
			<-ended
		}
	})
	until(t, script, func() bool {
		select {
		case err := <-ended:
			t.Fatalf("%s %v ended while it was filled: %v", script, args, err)
		default:
		}
		_, err := os.Stat(filepath.Join(dir, ready))
		return err == nil
	})
	until(t, "the server to answer", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return "http://127.0.0.1:" + port, dir
}

// TestWordPressKills crawls a real WordPress, knowing and blind, once in peace and once killed over and over. Both
// hold the same addresses and all that the database does.
func TestWordPressKills(t *testing.T) {
	long(t)
	base, truth := serveWordPress(t)
	if len(truth.Posts) < 100 || len(truth.Comments) < 300 {
		t.Fatalf("WordPress has %d posts and %d comments", len(truth.Posts), len(truth.Comments))
	}
	for _, c := range []struct {
		name  string
		flags []string
		kills int
	}{{"knowing", nil, 8}, {"blind", []string{"--blind"}, 12}} {
		t.Run(c.name, func(t *testing.T) {
			calm := filepath.Join(t.TempDir(), "calm")
			args := slices.Concat([]string{"crawl", "--delay", "0", "--min-space", "0", "--out"}, []string{calm}, c.flags,
				[]string{base + "/"})
			if out, err := command(t, args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			torn := filepath.Join(t.TempDir(), "torn")
			args[slices.Index(args, calm)] = torn
			kills := crawlKilled(t, torn, args, c.kills, len(readLog(t, calm)))
			checkWordPress(t, calm, truth, c.name == "knowing")
			checkWordPress(t, torn, truth, c.name == "knowing")
			want, got := fetchedOnce(t, calm), fetchedOnce(t, torn)
			lost, more, twice := 0, 0, 0
			for u := range want {
				if got[u] == 0 {
					if lost++; lost <= 10 {
						t.Errorf("the killed crawl has not %s", u)
					}
				}
			}
			for u, n := range got {
				if want[u] == 0 {
					if more++; more <= 10 {
						t.Errorf("the killed crawl alone has %s", u)
					}
				}
				if n > 1 {
					twice++
				}
			}
			if twice > kills*workers {
				t.Errorf("%d addresses were fetched more than once in %d kills; only those in flight may be", twice, kills)
			}
			t.Logf("%d addresses undisturbed, %d with %d kills; %d lost, %d more, %d fetched twice", len(want), len(got), kills, lost, more,
				twice)
		})
	}
}

// crawlKilled crawls with kills at random moments of a crawl of so many exchanges, and lets the last session end.
func crawlKilled(t *testing.T, dir string, args []string, kills, exchanges int) (killed int) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	part := exchanges / (kills + 1)
	for killed < kills {
		c := command(t, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := ending(c)
		moment := killed*part + random.IntN(part)
		until(t, "an exchange", func() bool {
			select {
			case err := <-ended:
				t.Fatalf("session %d ended by itself before exchange %d: %v", killed+1, moment, err)
			default:
			}
			return countLines(filepath.Join(dir, "log", "crawl.jsonl")) >= moment
		})
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-ended
		killed++
		args = []string{"resume", dir}
	}
	if out, err := command(t, "resume", dir).CombinedOutput(); err != nil {
		t.Fatalf("the last resume: %v\n%s", err, out)
	}
	return killed
}

// countLines counts the lines of a file that may not be there yet.
func countLines(file string) int {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	return bytes.Count(data, []byte("\n"))
}

// fetchedOnce counts the captures of each address, but for those that the crawl made up: each session makes up others.
func fetchedOnce(t *testing.T, dir string) map[string]int {
	t.Helper()
	invented := map[string]bool{}
	for _, e := range readLog(t, dir) {
		if e.Expected == engine.LevelProbe {
			invented[e.URL] = true
		}
	}
	got := map[string]int{}
	for _, line := range readLines(t, filepath.Join(dir, "archive", "index.cdxj")) {
		_, fields, _ := cutTwice(line)
		var entry struct {
			URL string `json:"url"`
		}
		if err := json.Unmarshal([]byte(fields), &entry); err != nil {
			t.Fatalf("index line %q: %v", line, err)
		}
		if !invented[entry.URL] {
			got[entry.URL]++
		}
	}
	return got
}

// cutTwice takes a line of CDXJ apart.
func cutTwice(line string) (key, fields string, ok bool) {
	m := cdxjLine.FindStringSubmatch(line)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

var cdxjLine = regexp.MustCompile(`^(\S+) \S+ (\{.*\})$`)

var commentID = regexp.MustCompile(`id="comment-(\d+)"`)

// checkWordPress checks that a crawl holds every post and every comment, and, if it knew what it crawled, as objects.
func checkWordPress(t *testing.T, dir string, truth wordPressTruth, knowing bool) {
	t.Helper()
	checkArchive(t, dir)
	checkByGowarc(t, dir)
	got := fetchedOnce(t, dir)
	missing := 0
	for _, p := range slices.Concat(truth.Posts, truth.Pages) {
		if got[p.URL] == 0 && got[unescaped(p.URL)] == 0 {
			if missing++; missing <= 5 {
				t.Errorf("%s: %q is not archived", p.URL, p.Title)
			}
		}
	}
	seen := map[int]bool{}
	for _, m := range commentID.FindAllStringSubmatch(warcText(t, dir), -1) {
		id, _ := strconv.Atoi(m[1])
		seen[id] = true
	}
	lost := 0
	for _, id := range truth.Comments {
		if !seen[id] {
			lost++
		}
	}
	if missing+lost > 0 {
		t.Errorf("%d of %d posts and pages and %d of %d comments are not archived", missing, len(truth.Posts)+len(truth.Pages), lost,
			len(truth.Comments))
	}
	r := readReport(t, dir)
	if !r.Finished || len(r.Errors) > 0 {
		t.Errorf("finished %v, errors %v", r.Finished, r.Errors)
	}
	if !knowing {
		return
	}
	for class, want := range map[string]int{"sioct:BlogPost": len(truth.Posts), "sioct:Comment": len(truth.Comments),
		"schema:WebPage": len(truth.Pages)} {
		if got := r.Objects[class]; got != int64(want) {
			t.Errorf("%d %s, the database has %d", got, class, want)
		}
	}
	if len(r.Missing) > 0 {
		t.Errorf("fields that were not found: %v", r.Missing)
	}
	t.Logf("%d requests, objects %v", r.Requests, r.Objects)
}

func unescaped(u string) string {
	if s, err := url.PathUnescape(u); err == nil {
		return s
	}
	return u
}

// TestWordPressAPI asks a real WordPress for its posts and comments: a hundred in a request, and in each field what its pages say.
func TestWordPressAPI(t *testing.T) {
	long(t)
	base, truth := serveWordPress(t)
	campaign := write(t, "press.yaml", "sources:\n  - {service: wordpress-api, site: '"+base+"', operations: [posts, comments]}\n")
	dir, o := runAPI(t, campaign, "--ignore-robots")
	o.want(t, exitDone)
	checkArchive(t, dir)
	r := readReport(t, dir)
	hundreds := func(n int) int64 { return int64(n+99) / 100 }
	if want := hundreds(len(truth.Posts)) + hundreds(len(truth.Comments)); r.Requests != want {
		t.Errorf("%d requests for %d posts and %d comments, want %d", r.Requests, len(truth.Posts), len(truth.Comments), want)
	}
	pages, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	got, want := readGraph(t, dir), readGraph(t, pages)
	for _, w := range want {
		delete(w.props, "num_replies") // how many there are the API leaves to be counted
		delete(w.props, "position")    // on the page
	}
	fields, equal := sameFields(t, got, want, "BlogPost", "Comment")
	t.Logf("%d requests instead of %d for %d posts and %d comments; %d of %d fields equal", r.Requests, readReport(t, pages).Requests,
		len(truth.Posts), len(truth.Comments), equal, fields)
	if n := int64(len(truth.Posts) + len(truth.Comments)); r.Objects["sioct:BlogPost"]+r.Objects["sioct:Comment"] != n || equal != fields ||
		fields < int(n)*4 {
		t.Errorf("objects %v of %d; %d of %d fields equal", r.Objects, n, equal, fields)
	}
}

// sameFields compares objects of some classes, field by field; of dates the moment counts.
func sameFields(t *testing.T, got, want map[string]*graphObject, classes ...string) (fields, equal int) {
	t.Helper()
	moments := func(values map[string]bool) (out []string) {
		for v := range values {
			if at, err := time.Parse(time.RFC3339, v); err == nil {
				v = at.UTC().Format(time.RFC3339)
			}
			out = append(out, v)
		}
		slices.Sort(out)
		return out
	}
	for id, w := range want {
		if !slices.Contains(classes, w.class) {
			continue
		}
		g := got[id]
		if g == nil {
			g = &graphObject{}
		}
		for name := range w.props {
			if fields++; slices.Equal(moments(w.props[name]), moments(g.props[name])) {
				equal++
			} else if fields-equal < 10 {
				t.Errorf("%s of %s is %q, on its page %q", name, id, moments(g.props[name]), moments(w.props[name]))
			}
		}
	}
	return fields, equal
}
