package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/testsites/hostile"
)

// soakTime is how long the soak lasts: AWARC_SOAK, or half an hour.
func soakTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("AWARC_SOAK")
	if text == "" {
		return 30 * time.Minute
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Minute {
		t.Fatalf("AWARC_SOAK=%s: expected a duration of a minute or more", text)
	}
	return d
}

// soakSample is what the process has at a moment.
type soakSample struct {
	at         time.Time
	heap       uint64 // bytes that are reachable
	goroutines int
	files      int
}

func takeSample(t *testing.T) soakSample {
	t.Helper()
	runtime.GC()
	runtime.GC() // what the first one found to finalise
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return soakSample{time.Now(), m.HeapAlloc, runtime.NumGoroutine(), len(files)}
}

// lowerQuartile of a figure over samples: what is there whatever is under way.
func lowerQuartile(of []soakSample, figure func(soakSample) int64) int64 {
	all := make([]int64, 0, len(of))
	for _, s := range of {
		all = append(all, figure(s))
	}
	slices.Sort(all)
	return all[len(all)/4]
}

// TestSoak crawls the hostile site, which goes on for as long as the soak lasts, in this process while the site is in another
// one, and then what was put off. Memory, goroutines and files stay what they are, and every good page is archived once.
func TestSoak(t *testing.T) {
	long(t)
	lasts := soakTime(t)
	site := startSoakSite(t, lasts)
	dir := filepath.Join(t.TempDir(), "crawl")
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt) // what listens for them stays once it is there
	signal.Stop(signals)
	before := takeSample(t)
	begun := time.Now()
	samples, stopped, done := []soakSample{}, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(lasts / 60); ; {
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
				samples = append(samples, takeSample(t))
			}
		}
	}()
	o := awarc(t, "", "crawl", "--delay", "0", "--min-space", "0", "--timeout", "3s", "--max-body", "16M", "--workers", "32",
		"--time-limit", (lasts + 25*time.Minute).String(), "--out", dir, "--seed-file", write(t, "seeds", strings.Join(site.seeds, "\n")))
	close(done)
	<-stopped
	o.want(t, exitWithFaults)
	if r := readReport(t, dir); !r.Finished || r.Outcomes == nil || r.Outcomes.Lost > 0 {
		t.Errorf("the crawl did not come to its end, or lost something: %q, %+v", r.Stopped, r.Outcomes)
	}
	left := site.stop(t)
	checkSoakPages(t, dir, left)
	checkArchive(t, dir)

	var steady []soakSample
	for _, s := range samples {
		if at := s.at.Sub(begun); at > lasts/4 && at < lasts {
			steady = append(steady, s)
		}
	}
	if len(steady) < 12 {
		t.Fatalf("%d samples of the steady phase", len(steady))
	}
	third := len(steady) / 3
	first, last := steady[:third], steady[len(steady)-third:]
	for _, f := range []struct {
		name   string
		figure func(soakSample) int64
		share  float64 // that it may grow by
		more   int64   // and besides
	}{
		{"heap in kB", func(s soakSample) int64 { return int64(s.heap >> 10) }, 0.25, 8 << 10},
		{"goroutines", func(s soakSample) int64 { return int64(s.goroutines) }, 0.1, 10},
		{"files", func(s soakSample) int64 { return int64(s.files) }, 0.1, 10},
	} {
		a, b := lowerQuartile(first, f.figure), lowerQuartile(last, f.figure)
		t.Logf("%s: %d in the first third of the steady phase, %d in the last", f.name, a, b)
		if float64(b) > float64(a)*(1+f.share)+float64(f.more) {
			t.Errorf("%s grew from %d to %d", f.name, a, b)
		}
	}
	after := takeSample(t)
	until(t, "connections that the other side has to close", func() bool {
		after = takeSample(t)
		return after.goroutines <= before.goroutines && after.files <= before.files
	})
	t.Logf("%v, %d requests, %d faults, %d good pages; heap %d kB before, %d kB after", time.Since(begun).Round(time.Second), left.Requests,
		left.Faults,
		len(left.Good), before.heap>>10, after.heap>>10)
}

func checkSoakPages(t *testing.T, dir string, left soakEnd) {
	t.Helper()
	times, log := map[string]int{}, map[string][]string{}
	for _, e := range readLog(t, dir) {
		if strings.Contains(e.URL, "/chain/") || strings.Contains(e.URL, "/good/") {
			log[e.URL] = append(log[e.URL], fmt.Sprintf("try %d at %v: status %d %s%s", e.Try, e.Time, e.Status, e.Truncated, e.Error))
		}
		if e.Status == 200 && e.Record != "" && e.Truncated == "" {
			times[e.URL]++
		}
	}
	wrong := 0
	for _, u := range left.Good {
		known := slices.ContainsFunc(left.Misdeeds, func(name string) bool {
			return hostileShortfalls[name] != "" && strings.HasSuffix(u, "/good/behind-"+name)
		})
		if n := times[u]; n != 1 && !(known && n == 0) {
			if wrong++; wrong <= 20 {
				t.Errorf("%s is archived %d times:\n\t%s", u, n, strings.Join(log[u], "\n\t"))
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d good pages are not archived once", wrong, len(left.Good))
	}
}

// soakSite is the hostile site in another process.
type soakSite struct {
	seeds []string
	child *exec.Cmd
	quit  io.Closer
	out   *bufio.Reader
}

// soakEnd is what the site says at its end.
type soakEnd struct {
	Good, Misdeeds   []string
	Requests, Faults int
}

func startSoakSite(t *testing.T, lasts time.Duration) *soakSite {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe, "-test.run", "^TestServeSoakSite$", "-test.timeout", "0")
	c.Env = append(os.Environ(), "AWARC_SOAK_SITE="+strconv.FormatInt(int64(lasts), 10))
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() }) // it has ended if all went well
	s := &soakSite{child: c, quit: in, out: bufio.NewReader(out)}
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatalf("the site did not start: %v", err)
	}
	s.seeds = strings.Fields(line)
	return s
}

// stop ends the site and returns what it says of itself.
func (s *soakSite) stop(t *testing.T) (e soakEnd) {
	t.Helper()
	if err := s.quit.Close(); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(readLine(s.out), &e); err != nil {
		t.Fatalf("the site said nothing at its end: %v", err)
	}
	rest, _ := io.ReadAll(s.out)
	if err := s.child.Wait(); err != nil {
		t.Errorf("the site ended with %v:\n%s", err, rest)
	}
	return e
}

func readLine(r *bufio.Reader) []byte {
	line, _ := r.ReadBytes('\n') // a line that was cut is no JSON
	return line
}

// TestServeSoakSite is no test: it is the other process of TestSoak.
func TestServeSoakSite(t *testing.T) {
	lasts, err := strconv.ParseInt(os.Getenv("AWARC_SOAK_SITE"), 10, 64)
	if err != nil {
		t.Skip("the other process of TestSoak")
	}
	site, err := hostile.Start(hostile.Options{Without: slices.Collect(maps.Keys(leftOut())), Faults: 0.05, Seed: 1,
		Until: time.Now().Add(time.Duration(lasts))})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = os.Stdout.WriteString(strings.Join(site.Seeds(), " ") + "\n") // who reads it fails without it
	_, _ = io.Copy(io.Discard, os.Stdin)
	e := soakEnd{Good: site.Good()}
	for _, m := range site.Misdeeds() {
		e.Misdeeds = append(e.Misdeeds, m.Name)
	}
	e.Requests, e.Faults = site.Total()
	if err := json.NewEncoder(os.Stdout).Encode(e); err != nil {
		t.Fatal(err)
	}
	if err := site.Close(); err != nil {
		t.Error(err)
	}
}
