package crawl

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/awarc/awarc/engine/durable"
	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/frontier/cluster"
	"github.com/awarc/awarc/plugins"
)

// pluginFolder is where a node keeps the plugins of its crawl, below its folder.
const pluginFolder = "state/plugins"

// maxPlugin bounds a file of a plugin, in bytes, as package module does at most.
const maxPlugin = 64 << 20

// PluginFiles returns the plugin files of the crawl in a folder. A crawl of several nodes has them in its frontier, and copies
// of them in the folder of each.
func (s *Settings) PluginFiles(dir string) []string {
	if s.Node == "" {
		return s.Flags.Plugin
	}
	var files []string
	for i, name := range s.Flags.Plugin {
		files = append(files, filepath.Join(dir, pluginFolder, strconv.Itoa(i+1), filepath.Base(name)))
	}
	return files
}

// nodePlugins keeps the plugins of a crawl the same on all nodes: those that its first node had, and new versions of a file that one of
// them is given.
type nodePlugins struct {
	with   *cluster.Store
	named  []string // the files that flags name, which need not be there
	copies []string
	mu     sync.Mutex // held while copies are written
	have   []string   // hash of each copy
}

// sharePlugins gets the plugins of the crawl, and gives it those of this node if it is the first one.
func (c *Crawl) sharePlugins(ctx context.Context) (err error) {
	if c.shared == nil {
		return nil
	}
	p := &nodePlugins{with: c.shared, named: c.settings.Flags.Plugin, copies: c.settings.PluginFiles(c.dir)}
	p.have = make([]string, len(p.copies))
	c.nodePlugins = p
	kept, err := p.with.Files(ctx)
	if err != nil {
		return err
	}
	for i, file := range p.named {
		if kept[p.name(i)] != "" {
			continue
		}
		data, err := infile.Read(file, maxPlugin)
		if err != nil {
			return complain("%s: %v", option("Plugin"), err)
		}
		if err := p.with.Share(ctx, p.name(i), data, false); err != nil {
			return err
		}
	}
	for i, file := range p.copies {
		if data, err := os.ReadFile(file); err == nil {
			p.have[i] = cluster.HashOf(data)
		}
	}
	_, err = p.take(ctx)
	return err
}

// name is that of a plugin's file in the frontier.
func (p *nodePlugins) name(i int) string { return "plugin " + strconv.Itoa(i+1) }

// take makes the copies those that all nodes are to have.
func (p *nodePlugins) take(ctx context.Context) (changed bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept, err := p.with.Files(ctx)
	if err != nil {
		return false, err
	}
	for i, file := range p.copies {
		hash := kept[p.name(i)]
		if hash == "" || hash == p.have[i] {
			continue
		}
		data, err := p.with.File(ctx, hash)
		if err != nil {
			return changed, err
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return changed, err
		}
		write := func(w io.Writer) error { _, err := w.Write(data); return err }
		if err := durable.WriteFile(file, 0o644, write); err != nil {
			return changed, err
		}
		p.have[i], changed = hash, true
	}
	return changed, nil
}

// samePlugins complains if a file that flags name is not what the crawl has.
func (c *Crawl) samePlugins() error {
	if c.nodePlugins == nil {
		return nil
	}
	var wrong complaints
	name := c.settings.Flags.Nodes.Crawl
	for i, file := range c.nodePlugins.named {
		data, err := infile.Read(file, maxPlugin)
		if err != nil {
			return err
		}
		if hash := cluster.HashOf(data); hash != c.nodePlugins.have[i] {
			wrong.add(complain("%s: %s has the SHA-256 %s, but the crawl %s uses %s: awarc join %s uses the plugin of the crawl",
				option("Plugin"), file, hash, name, c.nodePlugins.have[i], name))
		}
	}
	return wrong.err()
}

// followPlugins puts in use on all nodes what the files become that flags name on this one, and here what they become elsewhere.
func (c *Crawl) followPlugins(ctx context.Context) {
	p := c.nodePlugins
	if p == nil || c.plugins == nil {
		return
	}
	var watching sync.WaitGroup
	defer watching.Wait()
	for i, file := range p.named {
		last, _ := infile.Read(file, maxPlugin) // where it is not there, it may come
		watching.Go(func() { watchFile(ctx, file, last, func(data []byte) { c.replacePlugin(ctx, i, data) }) })
	}
	failed := ""
	every(ctx, sharingEvery, func() {
		changed, err := p.take(ctx)
		if changed {
			_ = c.plugins.Reload(ctx) // what is refused is noted
		}
		if err != nil && err.Error() != failed && ctx.Err() == nil {
			failed = err.Error()
			c.note("new versions of plugins are not used: %v", err)
		}
	})
}

// replacePlugin gives all nodes a new version of a plugin, if it can be used.
func (c *Crawl) replacePlugin(ctx context.Context, i int, data []byte) {
	p := c.nodePlugins
	err := c.tryPlugin(i, data)
	if err == nil {
		err = p.with.Share(ctx, p.name(i), data, true)
	}
	if err != nil {
		c.pluginEvents().Refused(p.named[i], err)
		return
	}
	if changed, err := p.take(ctx); err == nil && changed {
		_ = c.plugins.Reload(ctx) // what is refused is noted
	}
}

// tryPlugin complains about what cannot take the place of a plugin.
func (c *Crawl) tryPlugin(i int, data []byte) error {
	dir, err := os.MkdirTemp(c.dir, durable.Temporary+"*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the next session sweeps
	file := filepath.Join(dir, filepath.Base(c.nodePlugins.named[i]))
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	set, err := c.openPlugins([]string{file}, plugins.Events{})
	if err != nil {
		return err
	}
	defer func() { _ = set.Close() }() // of a trial
	if was, is := c.plugins.Plugins()[i].Name, set.Plugins()[0].Name; was != is {
		return fmt.Errorf("the file was the plugin %s and is now %s", was, is)
	}
	return nil
}
