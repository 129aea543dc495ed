package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nlnwa/gowarc/v2"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/testsites/hostile"
)

// hostileMemory is what a crawl of the hostile site may take at its peak, in bytes: the bound of make test-long, which has
// the machine for itself. Among other tests the collector lags behind: 399 MiB were seen once.
func hostileMemory() int64 {
	if isLong() {
		return 300 << 20
	}
	return 500 << 20
}

// TestHostileSite crawls every misdeed and judges what became of each by the table of the site. The short form leaves out a
// handshake of twice 20 seconds, the largest pages, and bombs that differ in the decoder alone (TestMemoryOfBombs has them).
// It crawls those that only patience ends by themselves: the others have time to end by what they do, however busy the
// machine is.
func TestHostileSite(t *testing.T) {
	if isLong() {
		crawlHostile(t, "20s", "64M", func(hostile.Misdeed) bool { return true })
		return
	}
	dear := []string{"tls-stall", "size-10m", "size-50m", "attribute-5m", "line-ends-5m", "entities-million", "nested-million",
		"elements-3000000", "links-millions", "bomb-deflate", "bomb-brotli", "bomb-zstd", "bomb-nested"}
	t.Parallel() // much of it is waiting
	t.Run("patiently", func(t *testing.T) {
		t.Parallel()
		crawlHostile(t, "5m", "6M", func(m hostile.Misdeed) bool { return !m.Stalls && !slices.Contains(dear, m.Name) })
	})
	t.Run("impatiently", func(t *testing.T) {
		t.Parallel()
		crawlHostile(t, "3s", "6M", func(m hostile.Misdeed) bool { return m.Stalls && !slices.Contains(dear, m.Name) })
	})
}

// crawlHostile crawls some of the misdeeds. An exchange may take so long and an answer be so large.
func crawlHostile(t *testing.T, timeout, most string, some func(hostile.Misdeed) bool) {
	without := slices.Collect(maps.Keys(leftOut()))
	for _, m := range hostile.Misdeeds() {
		if !some(m) {
			without = append(without, m.Name)
		}
	}
	site, err := hostile.Start(hostile.Options{Without: without})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	dir := filepath.Join(t.TempDir(), "crawl")
	status, peak := crawlBounded(t, "crawl", "--delay", "0", "--min-space", "0", "--max-tries", "2",
		"--patience", "10s", "--retry-delay", "1s", "--timeout", timeout,
		"--max-body", most, "--workers", "64", "--trap-limit", "1000", "--limit", "20000", "--out", dir,
		"--seed-file", write(t, "seeds", strings.Join(site.Seeds(), "\n")))
	requests, _ := site.Total()
	t.Logf("%d misdeeds, %d requests, %d MiB at the peak", len(site.Misdeeds()), requests, peak>>20)
	if status != exitWithFaults {
		t.Errorf("exit status %d, want %d", status, exitWithFaults)
	}
	j := newJudge(t, site, dir)
	for _, m := range site.Misdeeds() {
		j.verdict(m.Name, m.Does, j.misdeed(m))
	}
	if memory := fmt.Sprintf("%d MiB at the peak, the bound is %d MiB", peak>>20, hostileMemory()>>20); peak > hostileMemory() {
		j.verdict("memory", memory, []string{"too much"})
	} else {
		j.verdict("memory", memory, nil)
	}
	j.verdict("astray", "requests that nobody should have made", j.astray())
	j.between()
	for name := range hostileShortfalls {
		if !j.judged[name] && !slices.Contains(without, name) {
			t.Errorf("the known shortfall %s is no misdeed that is served", name)
		}
	}
	checkArchive(t, dir)
	checkByGowarc(t, dir)
	checkLogAndReport(t, dir)
}

// crawlBounded runs the program with an address space of 4 GiB, so that a bomb ends it and not
// the machine, and returns its exit status and the most memory that it had, in bytes.
func crawlBounded(t *testing.T, args ...string) (status int, peak int64) {
	t.Helper()
	direct := command(t, args...)
	c := exec.Command("sh", append([]string{"-c", `ulimit -v 4194304; exec "$0" "$@"`}, direct.Args...)...)
	c.Env = append(direct.Env, "GOGC=100")
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.Wait() // the status says it all
	}()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		// What the system says at the end includes what this process had when it began the other one.
		peak = max(peak, mostMemory(c.Process.Pid))
		select {
		case <-tick.C:
			continue
		case <-ended:
			tick.Stop()
		}
		break
	}
	if status = c.ProcessState.ExitCode(); status == exitFailed || status == exitUsage {
		text := errs.String()
		t.Logf("standard error ends in:\n%s", text[max(0, len(text)-3000):])
	}
	return status, peak
}

// mostMemory is the most memory that a process had so far, in bytes; 0 if it is gone.
func mostMemory(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib int64
	_, _ = fmt.Sscan(rest, &kib)
	return kib << 10
}

// hostileJudge holds what a crawl of the hostile site left.
type hostileJudge struct {
	t        *testing.T
	site     *hostile.Site
	log      map[string][]engine.Exchanged // by URL, in order
	report   *engine.Report
	metadata map[string]string // of the last capture, by URL
	judged   map[string]bool
}

func newJudge(t *testing.T, site *hostile.Site, dir string) *hostileJudge {
	j := &hostileJudge{t: t, site: site, log: map[string][]engine.Exchanged{}, report: readReport(t, dir), metadata: metadataOf(t, dir),
		judged: map[string]bool{}}
	for _, e := range readLog(t, dir) {
		j.log[e.URL] = append(j.log[e.URL], e)
	}
	return j
}

// metadataOf reads the metadata records of a crawl.
func metadataOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	for _, file := range files {
		r, err := gowarc.NewWarcFileReader(file, 0)
		if err != nil {
			t.Fatal(err)
		}
		for {
			rec, _, _, err := r.Next()
			if err != nil {
				break // checkByGowarc judges the files
			}
			if rec.Type() == gowarc.Metadata {
				if body, err := rec.Block().RawBytes(); err == nil {
					text, _ := io.ReadAll(io.LimitReader(body, 1<<20))
					all[rec.WarcHeader().Get(gowarc.WarcTargetURI)] = string(text)
				}
			}
			_ = rec.Close()
		}
		_ = r.Close()
	}
	return all
}

// verdict fails where something is wrong that is no known shortfall, and where a known shortfall is right.
func (j *hostileJudge) verdict(name, does string, wrong []string) {
	j.judged[name] = true
	why, known := hostileShortfalls[name]
	switch {
	case known && len(wrong) == 0:
		j.t.Errorf("%s is right now: take it out of the known shortfalls", name)
	case known:
		j.t.Logf("known shortfall: %s (%s): %s: %s", name, does, strings.Join(wrong, "; "), why)
	case len(wrong) > 0:
		j.t.Errorf("%s (%s): %s", name, does, strings.Join(wrong, "; "))
	}
}

// misdeed says what is wrong with what became of a misdeed.
func (j *hostileJudge) misdeed(m hostile.Misdeed) (wrong []string) {
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	u := j.site.URL(m)
	most := m.Most
	if m.Kind == "protocol" {
		most++ // on a connection that was used before it may be the rest of another answer, and is asked for again on a new one
	}
	if n := j.site.Asked(m); n > most {
		complain("%d requests, at most %d were expected", n, most)
	}
	if n, most := j.site.Requests(j.site.Base(m)+"/robots.txt"), j.mostRobots(m); n > most {
		complain("%d requests for robots.txt, at most %d were expected", n, most)
	}
	var last engine.Exchanged
	if lines := j.log[u]; len(lines) > 0 {
		last = lines[len(lines)-1]
	}
	j.fate(m, last, complain)
	if m.Status != 0 && last.Status != m.Status {
		complain("status %d, want %d", last.Status, m.Status)
	}
	if m.Charset != "" && last.Charset != m.Charset {
		complain("read as %q, want %q", last.Charset, m.Charset)
	}
	if m.Certificate != "" && !strings.Contains(j.metadata[u], m.Certificate) {
		complain("nothing of %q in the metadata record", m.Certificate)
	}
	behind := len(j.whole(j.site.Behind(m)))
	switch {
	case behind > 1:
		complain("the page behind is archived %d times", behind)
	case m.Leads && behind == 0 && !m.MayCut:
		complain("the page behind was not found")
	case m.Leads && behind == 0 && !last.Cut && last.Truncated == "" && last.Error == "":
		complain("the page behind was not found, and nothing says that reading ended early")
	}
	return wrong
}

// mostRobots bounds the requests for the robots.txt of a misdeed's host, which it may share: a crawl asks for it again where
// it is in doubt whether the host is down.
func (j *hostileJudge) mostRobots(m hostile.Misdeed) int {
	most := 2
	for _, other := range j.site.Misdeeds() {
		if j.site.Base(other) == j.site.Base(m) {
			most = max(most, other.Most)
		}
	}
	return most
}

// fate compares the last exchange of a misdeed with what must happen.
func (j *hostileJudge) fate(m hostile.Misdeed, last engine.Exchanged, complain func(string, ...any)) {
	archived := last.Record != ""
	switch m.Want {
	case hostile.Whole:
		if !archived || last.Truncated != "" || last.Status == 0 {
			complain("archived %v, truncated %q, %s", archived, last.Truncated, last.Error)
		}
	case hostile.Part:
		if !archived || last.Truncated != m.Kind || j.report.Errors["truncated_"+m.Kind] == 0 {
			complain("archived %v, truncated %q, want %q, %s", archived, last.Truncated, m.Kind, last.Error)
		}
	case hostile.Kept:
		if !archived {
			complain("not archived: %s", last.Error)
		}
	case hostile.Fails:
		failed := strings.Contains(last.Error, ": "+m.Kind+":") ||
			(strings.HasPrefix(m.Kind, "http_") || m.Kind == "host_refused") && last.Status >= 400
		if last.URL == "" || m.Kind != "" && !failed || m.Kind == "" && last.Error == "" && last.Truncated == "" {
			complain("want the failure %q, got status %d, %s", m.Kind, last.Status, last.Error)
		}
		if m.Kind != "" && j.report.Errors[m.Kind] == 0 {
			complain("the report counts no %q", m.Kind)
		}
	case hostile.Never:
		j.shut(m, complain)
	}
}

// shut checks that nothing of a host was asked for but robots.txt.
func (j *hostileJudge) shut(m hostile.Misdeed, complain func(string, ...any)) {
	said := m.Kind == ""
	for u, lines := range j.log {
		if !strings.HasPrefix(u, j.site.Base(m)+"/") {
			continue
		}
		for _, e := range lines {
			said = said || strings.Contains(e.Error, ": "+m.Kind+":")
		}
		if j.site.Requests(u) > 0 && !strings.HasSuffix(u, "/robots.txt") {
			complain("%s was asked for", u)
		}
	}
	if !said {
		complain("no failure %q", m.Kind)
	}
}

// whole are the exchanges of a URL that brought all of a good page.
func (j *hostileJudge) whole(u string) (whole []engine.Exchanged) {
	for _, e := range j.log[u] {
		if e.Status == 200 && e.Record != "" && e.Truncated == "" {
			whole = append(whole, e)
		}
	}
	return whole
}

// between checks the good pages between the misdeeds; those behind them are judged with these.
func (j *hostileJudge) between() {
	good := j.site.Good()
	found := 0
	for _, u := range good {
		if n := len(j.whole(u)); n == 1 {
			found++
		} else if !strings.Contains(u, "/good/behind-") || n > 1 {
			j.t.Errorf("the good page %s is archived %d times", u, n)
		}
	}
	j.t.Logf("%d of %d good pages, each once", found, len(good))
}

// astray lists what was asked for and should not have been, or tried where the addresses themselves forbid it.
func (j *hostileJudge) astray() (wrong []string) {
	wrong = j.site.Strays()
	if n := j.site.Longest(); n > 64<<10 {
		wrong = append(wrong, fmt.Sprintf("a request of %d bytes", n))
	}
	var bases []string
	for _, s := range j.site.Seeds() {
		bases = append(bases, strings.TrimSuffix(s, "/")+"/")
	}
	for u, lines := range j.log {
		refused := !slices.ContainsFunc(lines, func(e engine.Exchanged) bool { return !strings.Contains(e.Error, ": private_address:") })
		if !refused && !slices.ContainsFunc(bases, func(b string) bool { return strings.HasPrefix(u, b) }) {
			wrong = append(wrong, u+" was tried, which is on no host of a seed")
		}
	}
	return wrong
}

func TestTestsiteServesTheHostileSite(t *testing.T) {
	t.Parallel()
	c := command(t, "testsite", "--cms", "hostile")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	r, err := http.Get(lines.Text() + "x/length-twice")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || !strings.Contains(string(body), "/good/behind-length-twice") {
		t.Errorf("%v: %s", err, body)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	hosts := 1
	for lines.Scan() {
		hosts++
	}
	if status := exitStatus(t, c); status != exitDone || hosts < 50 {
		t.Errorf("exit status %d, %d hosts", status, hosts)
	}
}
