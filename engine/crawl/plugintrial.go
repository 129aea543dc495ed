package crawl

import (
	"context"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
)

// PluginTrial is what a plugin says of a page, and what it logs meanwhile.
type PluginTrial struct {
	assess.Trial
	Logs []PluginEvent // log and warning
}

// TryPlugin asks a plugin about an archived page of the crawl in a folder, for its topic and with its configuration. The answer depends on
// these alone. The crawl is not told.
func TryPlugin(ctx context.Context, dir, file string, p *Page) (*PluginTrial, error) {
	settings, err := ReadSettings(dir)
	if err != nil {
		return nil, err
	}
	o := settings.Flags
	secret, err := readLogins(dir)
	if err != nil {
		return nil, err
	}
	o.PluginConfig = secret.PluginConfig
	t, err := keptTopic(dir, o)
	if err != nil {
		return nil, err
	}
	out := new(PluginTrial)
	note := func(e PluginEvent) {
		if len(out.Logs) < maxTrialLogs {
			out.Logs = append(out.Logs, e)
		}
	}
	o.Plugin = []string{file} // scoring asks whether there are any
	made := o.pluginOptions(t, settings, plugins.Events{
		Log: func(_ plugins.Identity, l plugins.Level, line string) {
			note(PluginEvent{Event: "log", Level: l.String(), Message: line})
		},
		Warning: func(_ plugins.Identity, key string) {
			note(PluginEvent{Event: "warning", Message: "unknown key of the manifest: " + key})
		},
	})
	made.Deterministic, made.Instances = true, 1
	set, err := plugins.Open(ctx, o.Plugin, made)
	if err != nil {
		return nil, err
	}
	out.Trial = *p.Try(ctx, set, p.Answer)
	return out, set.Close()
}

// PluginTopic returns the topic of a file as the plugins of a crawl receive it; without a file it
// has nothing.
func PluginTopic(file string) (abi.Topic, error) {
	o := Options{Scoring: Scoring{Topic: file}}
	t, err := o.readTopic()
	if err != nil {
		return abi.Topic{}, err
	}
	return o.pluginOptions(t, Settings{Seeds: t.seeds()}, plugins.Events{}).Topic, nil
}

// maxTrialLogs bounds the lines of a trial.
const maxTrialLogs = 200
