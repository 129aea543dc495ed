package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// TestEndingByAFullDisk: also where the report finds no space any more, the summary states why the
// crawl stopped.
func TestEndingByAFullDisk(t *testing.T) {
	p := startCockpit(t)
	base := serve(t, http.HandlerFunc(restless))
	for size, written := range map[string]bool{"32k": false, "64k": true} {
		dir := filepath.Join(p.dir, "disk-of-"+size)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		smallDiskAt(t, dir, size)
		o := awarc(t, "", "crawl", "--delay", "0", "--min-space", "0", "--out", dir, base+"/well/")
		o.want(t, exitLimit, "no space left")
		if !strings.HasPrefix(o.out, "incomplete: stopped (disk limit), ") {
			t.Errorf("%s: the summary begins with %.100q", size, o.out)
		}
		if written {
			e := wayToEnd{name: "disk of " + size, status: exitLimit, state: engine.VerdictIncomplete, reason: engine.ReasonStopped}
			e.check(t, p, dir, o.out)
		}
	}
}

// TestEndingBeforeTheFirstRequest: a crawl that cannot log in has failed, and does not say that it
// runs. A folder that cannot be written is named.
func TestEndingBeforeTheFirstRequest(t *testing.T) {
	t.Parallel()
	p := startCockpit(t)
	base := serve(t, http.HandlerFunc(restless))
	login := write(t, "login.yaml", "url: "+base+"/well/\nfields: {user: me, password: secret}\n")
	dir := filepath.Join(p.dir, "login")
	o := awarc(t, "", "crawl", "--delay", "0", "--min-space", "0", "--login", login, "--out", dir, base+"/well/")
	o.want(t, exitFailed, "logging in: ")
	e := wayToEnd{name: "no login", status: exitFailed, state: engine.VerdictFailed, reason: engine.ReasonError}
	e.check(t, p, dir, o.out)
	awarc(t, "", "crawl", "--out", "/proc/none", base+"/well/").want(t, exitFailed, "/proc/none")
}

// TestEndingLoggedOut: pages that show the crawl logged out make it incomplete.
func TestEndingLoggedOut(t *testing.T) {
	t.Parallel()
	p := startCockpit(t)
	base := serve(t, &club{left: 6})
	host, _, _ := strings.Cut(strings.TrimPrefix(base, "http://"), ":")
	dir := filepath.Join(p.dir, "logged-out")
	o := awarc(t, "", "crawl", "--delay", "0", "--min-space", "0", "--cookies",
		write(t, "cookies.txt", host+"\tFALSE\t/\tFALSE\t0\tsid\tin\n"), "--out", dir, base+"/")
	o.want(t, exitWithFaults)
	e := wayToEnd{name: "logged out", status: exitWithFaults, state: engine.VerdictIncomplete, reason: "logged_out"}
	e.check(t, p, dir, o.out)
}

// TestEndingByALostPartition: a crawl whose server is lost fetches what the other servers have, fails
// with the name of the server, and is complete once that is back.
func TestEndingByALostPartition(t *testing.T) {
	t.Parallel()
	servers := clustertest.Start(t, 3, 0)
	for i := range servers.Addresses {
		set := []string{"CONFIG", "SET", "cluster-require-full-coverage", "no", "appendfsync", "always"}
		if _, err := servers.Command(i, set...); err != nil {
			t.Fatal(err)
		}
	}
	sites := watchSites(t, 12, 10)
	sites.pass(20)
	dir := filepath.Join(t.TempDir(), "node")
	done := make(chan outcome)
	go func() {
		done <- awarc(t, "", append([]string{"crawl", "--frontier", servers.URL() + "?failover=1s&patience=3s&lease=2s&partitions=64",
			"--crawl", "lost", "--delay", "0", "--min-space", "0", "--out", dir}, sites.seeds...)...)
	}()
	sites.wait(t)
	servers.Kill(1)
	sites.pass(-1)
	o := <-done
	o.want(t, exitFailed, servers.Addresses[1]+" does not answer")
	r := readReport(t, dir)
	if r.Verdict.State != engine.VerdictFailed || !strings.HasPrefix(o.out, "failed: ") || !strings.Contains(o.out, servers.Addresses[1]) {
		t.Errorf("the verdict is %+v, the summary\n%s", r.Verdict, o.out)
	}
	if err := servers.Restart(1, true); err != nil {
		t.Fatal(err)
	}
	awarc(t, "", "resume", dir).want(t, exitDone)
	all, o := runCrawl(t, sites.seeds...)
	o.want(t, exitDone)
	if got, want := readReport(t, dir), readReport(t, all); got.Objects["sioc:Post"] != want.Objects["sioc:Post"] ||
		got.Verdict.State != "complete" {
		t.Errorf("%v with a server lost, %v without: %+v", got.Objects, want.Objects, got.Verdict)
	}
}
