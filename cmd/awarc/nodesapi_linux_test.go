package main

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// freeAddress is an address on this machine without a server. It is below the ports that the system gives to
// connections and to listeners without a port, so that it stays free while a node is down.
func freeAddress(t *testing.T) string {
	t.Helper()
	var err error
	for range 100 {
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(10_000))); err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal(err)
	return ""
}

// asked is what a node answers, with a token.
func asked(t *testing.T, method, api, path, token string) string {
	t.Helper()
	r, err := http.NewRequest(method, "http://"+api+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
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

// lastTopic is the address of the topic that the node has read last.
func (n *crawlNode) lastTopic(t *testing.T) string {
	t.Helper()
	last, err := crawl.Folder(n.dir).Exchanges(1, func(e *engine.Exchanged) bool { return e.Level == "topic" && e.Record != "" })
	if err != nil {
		t.Fatal(err)
	}
	if len(last) == 0 {
		return ""
	}
	return last[0].URL
}

// TestAnyNodeAnswersForAll: over the API of one node, counts, objects, hosts and nodes are of the crawl, and so is what it is told.
func TestAnyNodeAnswersForAll(t *testing.T) {
	t.Parallel()
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
		return asked(t, method, api, path, "")
	}
	until(t, "both nodes to read a topic", func() bool { return nodes[0].lastTopic(t) != "" && nodes[1].lastTopic(t) != "" })
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
		if r.WARCBytes <= max(all[0].WARCBytes, all[1].WARCBytes) {
			t.Errorf("%d bytes of WARC, of nodes with %d and %d", r.WARCBytes, all[0].WARCBytes, all[1].WARCBytes)
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
	checkPagesOfAll(t, nodes, apis, counted(apis[0])["sioc:Post"])
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

// checkPagesOfAll checks that the pages of each node show what the others have, while all stand still.
func checkPagesOfAll(t *testing.T, nodes []*crawlNode, apis []string, posts int64) {
	t.Helper()
	var found, missing [2]string
	for i, api := range apis {
		page := func(path string) string {
			t.Helper()
			return asked(t, "GET", api, "/crawls/"+filepath.Base(nodes[i].dir)+"/"+path, "")
		}
		topic := nodes[1-i].lastTopic(t)
		if live := page(""); !strings.Contains(live, `title="`+html.EscapeString(topic)+`"`) {
			t.Errorf("%s is not among the last exchanges of all:\n%s", topic, live)
		}
		about := "?url=" + url.QueryEscape(topic)
		if why := page("why" + about); !strings.Contains(why, "phpbb") || strings.Contains(why, `role="alert"`) {
			t.Errorf("nothing is said of what another node archived:\n%s", why)
		}
		replay := page("replay" + about)
		_, frame, _ := strings.Cut(replay, `<iframe`)
		_, frame, _ = strings.Cut(frame, `src="`)
		frame, _, _ = strings.Cut(frame, `"`)
		if shown := asked(t, "GET", api, html.UnescapeString(frame), ""); !strings.Contains(shown, "<h2") {
			t.Errorf("what another node archived is shown as\n%s", shown)
		}
		rows := slices.Sorted(strings.Lines(page("download.jsonl?class=sioc:Post")))
		if found[i] = strings.Join(rows, ""); int64(len(rows)) != posts {
			t.Errorf("%d posts in the results, want %d", len(rows), posts)
		}
		report := page("report")
		things := strings.Split(report, "<article")[1:] // in whatever order their files are read
		last := len(things) - 1
		things[last], _, _ = strings.Cut(things[last], "</article>")
		for j := range things {
			things[j] = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(things[j]), "</article>"))
		}
		slices.Sort(things)
		missing[i] = strings.Join(things, "\n")
		for _, text := range []string{replay, report} {
			if strings.Contains(text, "Some data of") {
				t.Errorf("a node is said to be away that is there:\n%s", text)
			}
		}
	}
	if found[0] != found[1] || missing[0] != missing[1] {
		t.Errorf("two nodes show different results, or say that different things are missing:\n%s\n\n%s", missing[0], missing[1])
	}
}

// TestNodesThatAreNotThereAreSaid: a page of a node says of which others it does not show all.
func TestNodesThatAreNotThereAreSaid(t *testing.T) {
	t.Parallel()
	server := clustertest.Start(t, 1, 0)
	sites := watchSites(t, 4, 400)
	base := t.TempDir()
	const token = "secret"
	begin := []string{"crawl", "--frontier", server.URL(), "--crawl", "boards", "--delay", "200ms", "-w", "1"}
	start := func(name string, more ...string) *crawlNode {
		return startNode(t, filepath.Join(base, name), slices.Concat(begin, more, sites.seeds)...)
	}
	addresses := []string{freeAddress(t), freeAddress(t), freeAddress(t)}
	here := start("here", "--api", addresses[0], "--api-token", token)
	locked := start("locked", "--api", addresses[1], "--api-token", "another")
	gone := start("gone", "--api", addresses[2], "--api-token", token)
	mute := start("mute")
	for _, n := range []*crawlNode{here, locked, gone, mute} {
		until(t, "all nodes to take part", n.fetches)
	}
	page := func() string { return asked(t, "GET", addresses[0], "/crawls/here/replay", token) }
	until(t, "all nodes to be known", func() bool { return strings.Count(page(), "Some data of") == 2 })
	if err := gone.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	servers, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(servers)
	defer client.Close()
	far := ` {"machine":"far","folder":"away","state":"running","requests":1,"api":"` + addresses[0] + `"}`
	said := time.Now().Format(time.RFC3339Nano) + far
	if err := client.HSet(t.Context(), "awarc:{boards}:nodes", "urn:uuid:far", said).Err(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		locked.dir + " is missing: its --api-token differs", mute.dir + " is missing: it was started without --api",
		gone.dir + " is missing: " + addresses[2] + " did not respond in time",
		"far away is missing: another node answers at " + addresses[0],
	} {
		until(t, text, func() bool { return strings.Contains(page(), html.EscapeString(text)) })
	}
}
