package crawl

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/plugins"
)

// scoring is what pages and links are assessed by, without plugins. Flags have precedence over the
// definition.
func (o Options) scoring(t *topic, seeds []string) assess.Options {
	if !o.scores() {
		return assess.Options{}
	}
	s := assess.Options{Definition: new(score.Definition), Seeds: seeds, Fixed: o.Update != "" && o.Update != frontier.Max.String()}
	for _, name := range slices.Sorted(maps.Keys(o.PluginAllow)) {
		if s.MayBlacklist = append(s.MayBlacklist, name); o.PluginAllow[name] == allowHosts {
			s.MayBlacklistHosts = append(s.MayBlacklistHosts, name)
		}
	}
	if t != nil {
		d := *t.parsed
		s.Definition, s.Topic = &d, d.Topic(t.Texts...)
	}
	w := score.Weights{}
	maps.Copy(w, s.Definition.Weights)
	maps.Copy(w, o.Weights)
	s.Definition.Weights, s.Definition.Priority.Learn = w, o.Learn
	return s
}

// openPlugins opens plugins of the crawl, with their configurations.
func (c *Crawl) openPlugins(files []string, events plugins.Events) (*plugins.Set, error) {
	o := c.settings.Flags
	o.PluginConfig = c.passwords.PluginConfig
	return o.openPlugins(files, c.topic, c.settings, events)
}

// openPlugins opens plugins of a crawl; nil where it has none.
func (o Options) openPlugins(files []string, t *topic, s Settings, events plugins.Events) (*plugins.Set, error) {
	if len(files) == 0 {
		return nil, nil
	}
	return plugins.Open(context.Background(), files, o.pluginOptions(t, s, events))
}

// pluginOptions are what the plugins of a crawl work for.
func (o Options) pluginOptions(t *topic, s Settings, events plugins.Events) plugins.Options {
	var cache string // empty is a temporary one
	if dir, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(dir, "awarc", "plugins")
	}
	scoring := o.scoring(t, nil)
	return plugins.Options{
		Topic: assess.PluginTopic(scoring.Topic, scoring.Definition, s.Seeds), Config: o.PluginConfig, CrawlID: s.CrawlID,
		CacheDir: cache, Events: events,
	}
}

// Values of PluginAllow: a plugin may exclude any share of the URLs, or whole hosts too.
const (
	allowURLs  = "blacklist"
	allowHosts = "blacklist_host"
)

// checkScoring refuses what could not be opened, before a crawl has a folder.
func (o Options) checkScoring(t *topic, s Settings) error {
	if _, err := score.NewAggregator(o.Weights); err != nil {
		return complain("%s: %v", option("Weights"), err)
	}
	known := score.BuiltIn()
	p, err := o.openPlugins(o.Plugin, t, s, plugins.Events{})
	if err != nil {
		return complain("%s: %v", option("Plugin"), err)
	}
	if p != nil {
		for _, id := range p.Plugins() {
			if slices.Contains(score.BuiltIn(), id.Name) {
				err = complain("%s: %s is the name of a built-in module; rename the plugin, such as org.example.%[2]s",
					option("Plugin"), id.Name)
			}
			known = append(known, id.Name)
		}
		if err := errors.Join(err, p.Close()); err != nil {
			return err
		}
	}
	if d := o.scoring(t, nil).Definition; d != nil {
		for _, name := range slices.Sorted(maps.Keys(d.Weights)) {
			if !slices.Contains(known, name) {
				return complain("unknown weight %s: neither a module nor a plugin of this crawl; expected one of %s", name,
					strings.Join(known, ", "))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.PluginConfig)) {
		if !slices.Contains(known, name) {
			return complain("%s %s: not a plugin of this crawl", option("PluginConfig"), name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.PluginAllow)) {
		switch what := o.PluginAllow[name]; {
		case !slices.Contains(known, name):
			return complain("%s %s: not a plugin of this crawl", option("PluginAllow"), name)
		case what != allowURLs && what != allowHosts:
			return complain("%s %s=%s; expected %s or %s", option("PluginAllow"), name, what, allowURLs, allowHosts)
		}
	}
	return nil
}

// pluginEvents logs what plugins do, and notes what an operator should know.
func (c *Crawl) pluginEvents() plugins.Events {
	write := func(id plugins.Identity, e PluginEvent) {
		e.Time, e.Plugin, e.Version, e.Hash = time.Now().UTC(), id.Name, id.Version, id.Hash
		c.pluginLog.write(e)
	}
	return plugins.Events{
		Loaded: func(id plugins.Identity) {
			c.note("plugin %s is in use", id)
			write(id, PluginEvent{Event: "loaded"})
		},
		Refused: func(file string, err error) {
			c.note("a plugin was refused; the old version stays in use: %v", err)
			write(plugins.Identity{}, PluginEvent{Event: "refused", File: file, Message: err.Error()})
		},
		Failed: func(e *plugins.Error) {
			r := slog.NewRecord(time.Now(), slog.LevelWarn, "a plugin failed on a page; the page is scored without it", 0)
			r.Add("plugin", e.Plugin.String(), "url", e.URL, "kind", string(e.Kind), "error", e.Message)
			c.events.Warned(r)
			write(e.Plugin, PluginEvent{Event: "failed", URL: e.URL, Kind: string(e.Kind), Message: e.Message})
		},
		Breaker: func(id plugins.Identity, pause time.Duration) {
			until := "for " + pause.String()
			if pause == 0 {
				until = "until its file changes"
			}
			c.note("plugin %s failed too often and is disabled %s", id, until)
			write(id, PluginEvent{Event: "breaker", Message: until})
		},
		Log: func(id plugins.Identity, l plugins.Level, line string) {
			write(id, PluginEvent{Event: "log", Level: l.String(), Message: line})
		},
		Warning: func(id plugins.Identity, key string) {
			c.note("plugin %s: unknown key %s in the manifest", id, key)
			write(id, PluginEvent{Event: "warning", Message: "unknown key of the manifest: " + key})
		},
	}
}
