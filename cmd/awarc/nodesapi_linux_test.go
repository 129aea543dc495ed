package main

import (
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// freeAddress is one of this machine that nobody serves.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestAnyNodeAnswersForAll: over the API of one node, counts, objects, hosts and nodes are of the crawl, and so is what it is told.
func TestAnyNodeAnswersForAll(t *testing.T) {
	heavy(t)
	server := clustertest.Start(t, 1, 0)
	sites := watchSites(t, 4, 400)
	base := t.TempDir()
	var nodes []*crawlNode
	var apis []string
	for _, name := range []string{"one", "two"} {
		api := freeAddress(t)
		apis = append(apis, api)
		args := []string{"crawl", "--frontier", server.URL(), "--crawl", "boards", "--delay", "50ms", "-w", "2", "--api", api}
		nodes = append(nodes, startNode(t, filepath.Join(base, name), append(args, sites.seeds...)...))
	}
	send := func(method, api, path string) string {
		t.Helper()
		r, err := http.NewRequest(method, "http://"+api+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		data, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %s %v\n%s", method, path, answer.Status, err, data)
		}
		return string(data)
	}
	until(t, "both nodes to take part", func() bool { return nodes[0].fetches() && nodes[1].fetches() })
	send("POST", apis[1], "/api/v1/pause")
	var all []crawl.NodeState
	until(t, "both nodes to stand still", func() bool {
		all = nil
		if err := json.Unmarshal([]byte(send("GET", apis[0], "/api/v1/nodes")), &all); err != nil {
			t.Fatal(err)
		}
		return len(all) == 2 && all[0].Requests*all[1].Requests > 0 && all[0].Rate+all[1].Rate == 0 &&
			all[0].Requests+all[1].Requests == int64(sites.requests())
	})
	if all[0].This == all[1].This || all[0].State != "running" || all[1].State != "running" || all[0].WARCBytes*all[1].WARCBytes == 0 {
		t.Errorf("nodes %+v", all)
	}

	counted := func(api string) (objects map[string]int64) {
		t.Helper()
		objects = map[string]int64{}
		for line := range strings.Lines(send("GET", api, "/api/v1/objects")) {
			var o struct{ Class string }
			if err := json.Unmarshal([]byte(line), &o); err != nil {
				t.Fatal(err)
			}
			objects[o.Class]++
		}
		return objects
	}
	for _, api := range apis {
		var r engine.Report
		if err := json.Unmarshal([]byte(send("GET", api, "/api/v1/report")), &r); err != nil {
			t.Fatal(err)
		}
		if r.Requests != int64(sites.requests()) || !maps.Equal(counted(api), r.Objects) || len(r.Objects) == 0 {
			t.Errorf("%d requests of %d, objects %v, listed %v", r.Requests, sites.requests(), r.Objects, counted(api))
		}
	}
	page := send("GET", apis[0], "/crawls/one/")
	for _, part := range []string{nodes[0].dir, nodes[1].dir, "Queue by host", "<td>paused</td>"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page of a node has no %q", part)
		}
	}
	for _, seed := range sites.seeds {
		if host := strings.Trim(strings.TrimPrefix(seed, "http://"), "/"); !strings.Contains(page, `<th scope="row">`+host+"</th>") {
			t.Errorf("%s is in no queue:\n%s", host, page)
		}
	}
	send("POST", apis[0], "/api/v1/resume")
	nodes[0].end(t)
	nodes[1].end(t)
	late := filepath.Join(base, "late")
	awarc(t, "", "join", "boards", "--frontier", server.URL(), "--out", late).want(t, exitDone)
	if saved := readReport(t, late).Saved; saved < max(readReport(t, nodes[0].dir).Saved, readReport(t, nodes[1].dir).Saved) {
		t.Errorf("a node that made no request knows of %d that were saved", saved)
	}
	o := awarc(t, "", "nodes", "list", "--format", "json", nodes[1].dir)
	if err := json.Unmarshal([]byte(o.out), &all); err != nil || len(all) < 2 || all[0].State != "ended" || all[1].State != "ended" {
		t.Errorf("%+v %v %s", all, err, o.err)
	}
}
