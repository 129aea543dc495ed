package crawl

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
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
	every(ctx, presentEvery, func() {
		now := time.Now()
		tell(ctx, now.Sub(last))
		last = now
	})
	n.State, n.Rate = "ended", 0
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), presentTime)
	defer cancel()
	tell(within, 0)
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
