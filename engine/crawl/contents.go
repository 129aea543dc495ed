package crawl

import (
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/awarc/awarc/frontier/cluster"
	"github.com/awarc/awarc/kb"
)

// toldContent begins the names under which nodes publish the hashes of files that flags name.
const toldContent = "content "

// contents returns the hashes of what the flags name and each node reads from its own disk: the
// knowledge base, built-in and of --kb, the scope, the rules for domains and the topic.
func (o *Options) contents() (map[string]string, error) {
	hashes := map[string]string{"built-in knowledge base": strings.TrimPrefix(kb.Hash(kb.Builtin()...), "sha256:")}
	sources, err := kb.ReadSources(o.KB...)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		hashes[s.Name] = cluster.HashOf(s.Data)
	}
	for _, file := range []string{o.Scope, o.Domains, o.Topic} {
		if file == "" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		hashes[file] = cluster.HashOf(data)
	}
	return hashes, nil
}

// sharedContents are the hashes of files as this node last compared or published them, by name.
type sharedContents struct {
	mu     sync.Mutex
	hashes map[string]string
}

// compareContents warns of files with other content than other nodes published last. What this node
// has and no other node published, it publishes.
func (c *Crawl) compareContents() error {
	return c.eachContent(func(name, hash, theirs, node string) error {
		if theirs == "" || node == c.settings.Node {
			return c.publishContent(name, hash)
		}
		c.note("warning: %s (SHA-256 %.12s) differs from the file on node %s (%.12s): this node reads pages "+
			"differently; copy the file and awarc resume", name, hash, node, theirs)
		return nil
	})
}

// publishEdits publishes the content of files that were edited since this node read them: nodes
// that start later are compared with it.
func (c *Crawl) publishEdits() {
	err := c.eachContent(func(name, hash, theirs, _ string) error {
		if theirs != "" && name != c.settings.Flags.Domains { // rules for domains hold on all nodes at once
			c.note("%s was edited on this node: nodes without the edit read pages differently; copy the file to their machines", name)
		}
		return c.publishContent(name, hash)
	})
	if err != nil && c.stopping.Err() == nil {
		c.note("an edit is not published to other nodes, which may read pages differently: %v", err)
	}
}

// eachContent calls fn for each file whose content this node has not compared yet and that no node
// published, or another content of it, with the hash here, and the published one with its node.
func (c *Crawl) eachContent(fn func(name, hash, theirs, node string) error) error {
	if c.shared == nil {
		return nil
	}
	c.contents.mu.Lock()
	defer c.contents.mu.Unlock()
	hashes, err := c.settings.Flags.contents()
	if err != nil {
		return err
	}
	told, err := c.shared.Told(c.stopping)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(hashes)) {
		hash := hashes[name]
		theirs, node, _ := strings.Cut(told[toldContent+name], " ")
		if c.contents.hashes[name] == hash || theirs == hash {
			continue
		}
		if err := fn(name, hash, theirs, node); err != nil {
			return err
		}
	}
	c.contents.hashes = hashes
	return nil
}

func (c *Crawl) publishContent(name, hash string) error {
	return c.shared.Tell(c.stopping, toldContent+name, []byte(hash+" "+c.settings.Node))
}
