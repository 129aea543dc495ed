package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster"
)

// presentEvery is how often a node tells the others how it does, and presentTime how long it may take for it when it ends.
const (
	presentEvery = 5 * time.Second
	presentTime  = 5 * time.Second
)

// NodeState is how a node of a crawl does. What is counted is of its session.
type NodeState struct {
	Node      string    `json:"node"`
	Machine   string    `json:"machine"`
	Folder    string    `json:"folder"`
	API       string    `json:"api,omitempty"` // where it serves the HTTP API
	Began     time.Time `json:"began"`
	State     string    `json:"state"`  // running, ended, or silent when it has said nothing for a while
	Seen      float64   `json:"seen_s"` // since it said so, in seconds
	This      bool      `json:"this,omitempty"`
	Requests  int64     `json:"requests"`
	Rate      float64   `json:"rate"`       // requests a second, lately
	WARCBytes int64     `json:"warc_bytes"` // of all its sessions
}

// silent is after how long a node that says nothing is taken for one that is gone.
const silent = 4 * presentEvery

// present tells the other nodes how this one does until ctx ends, and then that it has ended.
func (c *Crawl) present(ctx context.Context) {
	if c.shared == nil {
		return
	}
	machine, _ := os.Hostname() // for people
	folder, err := filepath.Abs(c.dir)
	if err != nil {
		folder = c.dir
	}
	n := NodeState{Machine: machine, Folder: folder, API: c.apiAddress(ctx), Began: c.began.UTC(), State: "running"}
	tell := func(ctx context.Context, since time.Duration) {
		now := c.made.Load()
		if since > 0 {
			n.Rate = float64(now-n.Requests) / since.Seconds()
		}
		n.Requests, n.WARCBytes = now, warcBytes(c.dir)
		data, _ := json.Marshal(n)      // texts and numbers
		_ = c.shared.Present(ctx, data) // or next time
	}
	tell(ctx, 0)
	last := time.Now()
	var deserted map[string]int
	every(ctx, presentEvery, func() {
		deserted = c.noteDeserted(deserted)
		now := time.Now()
		tell(ctx, now.Sub(last))
		last = now
	})
	n.State, n.Rate = "ended", 0
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), presentTime)
	defer cancel()
	tell(within, 0)
}

// noteDeserted notes which servers are left out, if these are others than before, and returns them.
func (c *Crawl) noteDeserted(before map[string]int) map[string]int {
	now := c.shared.Deserted()
	for _, server := range slices.Sorted(maps.Keys(now)) {
		if before[server] == 0 {
			c.note("warning: %s does not answer: the hosts of its %d partitions wait, and links to them are kept in Redis until it is back",
				server, now[server])
		}
	}
	for _, server := range slices.Sorted(maps.Keys(before)) {
		if now[server] == 0 {
			c.note("%s answers again", server)
		}
	}
	return now
}

// apiAddress is where other nodes find the HTTP API of this one.
func (c *Crawl) apiAddress(ctx context.Context) string {
	host, port, err := net.SplitHostPort(c.settings.Flags.API)
	if ip := net.ParseIP(host); err != nil || host != "" && (ip == nil || !ip.IsUnspecified()) {
		return c.settings.Flags.API
	}
	if host, err = c.shared.Address(ctx); err != nil {
		return c.settings.Flags.API
	}
	return net.JoinHostPort(host, port)
}

// Nodes are all nodes of the crawl, by name; none of a crawl of one machine.
func (c *Crawl) Nodes(ctx context.Context) ([]NodeState, error) {
	if c.shared == nil {
		return nil, nil
	}
	members, err := c.shared.Members(ctx)
	return nodeStates(members, c.settings.Node), err
}

// NodesOf are all nodes of the crawl that the node in a folder is of, whether it runs or not.
func NodesOf(ctx context.Context, dir, password string) ([]NodeState, error) {
	set, err := ReadSettings(dir)
	if err != nil {
		return nil, err
	}
	if set.Node == "" {
		return nil, complain("%s: a crawl of one machine", dir)
	}
	members, err := cluster.MembersOf(ctx, cluster.Options{URL: set.Flags.Frontier, Password: password, Crawl: set.Flags.Nodes.Crawl})
	return nodeStates(members, set.Node), err
}

// warnOfServers notes what can lose URLs: settings of the servers, and nodes whose folders are gone.
func (c *Crawl) warnOfServers() {
	for _, risk := range c.shared.Risks(c.stopping) {
		c.note("warning: %s", risk)
	}
	members, err := c.shared.Members(c.stopping)
	if err != nil {
		return // the servers are away, which the next operation reports
	}
	for _, n := range nodeStates(members, c.settings.Node) {
		if n.FolderGone() {
			c.note("warning: the folder %s of node %s is missing with its archive; awarc nodes recover %s fetches its pages again",
				n.Folder, n.Node, c.dir)
		}
	}
}

// FolderGone reports whether the node is of this machine and its folder is gone, or is another node's.
func (n *NodeState) FolderGone() bool {
	machine, err := os.Hostname()
	if err != nil || n.This || n.Machine != machine || n.Folder == "" {
		return false
	}
	if _, err = os.Stat(filepath.Join(n.Folder, SettingsFile)); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	set, err := ReadSettings(n.Folder)
	return err == nil && set.Node != n.Node // another node, or a crawl of one machine, is there now
}

// NodesWithout returns the nodes of a crawl that are not in the folders named, the first of which
// is that of a node: none for a crawl of one machine.
func NodesWithout(ctx context.Context, password string, dirs []string) (missing []NodeState, err error) {
	set, err := ReadSettings(dirs[0])
	if err != nil || set.Node == "" {
		return nil, err
	}
	nodes, err := NodesOf(ctx, dirs[0], password)
	if err != nil {
		return nil, err
	}
	given := map[string]bool{}
	for _, dir := range dirs {
		if of, err := ReadSettings(dir); err == nil {
			given[of.Node] = true
		}
	}
	return slices.DeleteFunc(nodes, func(n NodeState) bool { return given[n.Node] || n.WARCBytes == 0 && n.State != "silent" }), nil
}

// Recover makes pending on all nodes what lost nodes archived, and returns how many URLs. Without
// lost, these are the nodes of this machine whose folders are gone; else nodes or folders as
// [NodesOf] names them. A node that runs cannot be lost.
func Recover(ctx context.Context, dir, password string, lost []string) (nodes []NodeState, again int, err error) {
	all, err := NodesOf(ctx, dir, password)
	if err != nil {
		return nil, 0, err
	}
	for _, n := range all {
		named := slices.Contains(lost, n.Node) || slices.Contains(lost, n.Folder)
		if named && (n.This || n.State == "running") {
			return nil, 0, complain("node %s is running or has the folder %s: it is not lost", n.Node, dir)
		}
		if named || len(lost) == 0 && n.FolderGone() {
			nodes = append(nodes, n)
		}
	}
	if len(nodes) < len(lost) {
		return nil, 0, complain("some of %s are not nodes of the crawl; see awarc nodes list %s", strings.Join(lost, ", "), dir)
	}
	if len(nodes) == 0 {
		return nil, 0, nil
	}
	set, err := ReadSettings(dir)
	if err != nil {
		return nil, 0, err
	}
	q, err := set.openQueue(ctx, dir, frontier.Options{}, password, true)
	if err != nil {
		return nil, 0, err
	}
	shared, ok := q.(*cluster.Store)
	if !ok {
		return nil, 0, errors.Join(complain("%s: a crawl of one machine", dir), q.Close())
	}
	again, err = recoverFrom(ctx, shared, nodes)
	return nodes, again, errors.Join(err, q.Close())
}

// recoverFrom makes pending what nodes have settled with a capture.
func recoverFrom(ctx context.Context, shared *cluster.Store, nodes []NodeState) (again int, err error) {
	var lost []frontier.Requeue
	flush := func() error {
		n, err := shared.Retake(ctx, lost, "its capture was lost with the folder of its node")
		again += n
		lost = nil
		return err
	}
	for _, state := range []frontier.State{frontier.Fetched, frontier.Failed, frontier.Excluded} {
		for _, n := range nodes {
			err := shared.EachOf(n.Node, state, func(e frontier.Entry) error {
				if _, archived := engine.Archived(e); !archived {
					return nil
				}
				lost = append(lost, frontier.Requeue{Key: e.Key, Settled: e.Settled, Counters: engine.Uncount(e, nil)})
				if len(lost) >= lostAtOnce {
					return flush()
				}
				return nil
			})
			if err != nil {
				return again, err
			}
		}
	}
	return again, flush()
}

// Node is the name of this node, empty of a crawl of one machine.
func (c *Crawl) Node() string { return c.settings.Node }

// Name names the node's files: without what a file's name cannot have.
func (n *NodeState) Name() string { return strings.TrimPrefix(n.Node, nodePrefix) }

// Wrote reports whether a WARC file is one of the node.
func (n *NodeState) Wrote(file string) bool {
	mark := nodeMark(n.Node)
	return mark != "" && strings.Contains(file, mark+"-")
}

// nodePrefix begins the names of nodes.
const nodePrefix = "urn:uuid:"

// nodeMark is the part of a node's name that those of its WARC files have.
func nodeMark(node string) string {
	if len(node) < len(nodePrefix)+8 {
		return ""
	}
	return "-" + node[len(nodePrefix):len(nodePrefix)+8]
}

func nodeStates(members []cluster.Member, this string) (nodes []NodeState) {
	for _, m := range members {
		var n NodeState
		if json.Unmarshal(m.Said, &n) != nil {
			continue // of another version
		}
		n.Node, n.Seen, n.This = m.Node, m.Seen.Seconds(), m.Node == this
		if n.State == "running" && m.Seen > silent {
			n.State, n.Rate = "silent", 0
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// exchanged counts, writes and tells an exchange.
func (c *Crawl) exchanged(e engine.Exchanged) {
	c.made.Add(1)
	c.log.write(e)
	c.drafts.see(&e)
	c.events.Exchanged(e)
}
