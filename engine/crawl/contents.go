package crawl

import (
	"maps"
	"os"
	"slices"
	"strings"

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

// compareContents warns of files with other content than on the nodes that came first. What this node
// has and no other node published, it publishes.
func (c *Crawl) compareContents() error {
	if c.shared == nil {
		return nil
	}
	hashes, err := c.settings.Flags.contents()
	if err != nil {
		return err
	}
	told, err := c.shared.Told(c.stopping)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(hashes)) {
		hash, node, _ := strings.Cut(told[toldContent+name], " ")
		switch {
		case hash == "":
			if err := c.shared.Tell(c.stopping, toldContent+name, []byte(hashes[name]+" "+c.settings.Node)); err != nil {
				return err
			}
		case hash != hashes[name]:
			c.note("warning: %s has other content here (SHA-256 %.12s) than on node %s (%.12s): pages of this node are read "+
				"differently; copy the file and awarc resume", name, hashes[name], node, hash)
		}
	}
	return nil
}
