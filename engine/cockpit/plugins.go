package cockpit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
)

// Bounds of what the page of plugins shows.
const (
	pluginEventsShown = 100
	linksShown        = 50 // of a trial, the best first
)

// pluginsView is the page of a crawl's plugins: versions, calls, failures, time, and what they said; and what one says of a page.
type pluginsView struct {
	Fault  string
	Files  []string
	Report map[string]engine.PluginReport
	Events []crawl.PluginEvent
	Gives  bool // the crawl can be given others

	URL      string
	Plugin   string   // name of the file that is tried
	Choices  []string // names of files
	Trial    *crawl.PluginTrial
	TryFault string
}

func (c *Cockpit) pluginsOf(name string) pluginsView {
	v := pluginsView{Report: c.look(name).Report.Plugins}
	dir := c.Crawls.Folder(name)
	settings, err := crawl.ReadSettings(dir)
	if err == nil {
		v.Files = settings.PluginFiles(dir)
		for _, log := range slices.Backward(crawl.PluginLogs) {
			err = errors.Join(err, c.folders(context.Background(), name).Tail(log, func(line []byte) bool {
				var e crawl.PluginEvent
				if len(v.Events) < pluginEventsShown && json.Unmarshal(line, &e) == nil {
					v.Events = append(v.Events, e)
				}
				return len(v.Events) < pluginEventsShown
			}))
		}
	}
	if err != nil {
		v.Fault = err.Error()
	}
	for _, file := range append(slices.Clone(v.Files), c.Crawls.Files("plugin")...) {
		if !slices.Contains(v.Choices, file) {
			v.Choices = append(v.Choices, file)
		}
	}
	v.Gives = c.Begins && len(v.Choices) > 0 && !c.look(name).Report.Finished
	return v
}

// Has reports whether the crawl has a plugin.
func (v pluginsView) Has(file string) bool { return slices.Contains(v.Files, file) }

// give has the crawl go on with the plugins of a form.
func (c *Cockpit) give(r *http.Request, v *pluginsView) error {
	files := r.PostForm["give"]
	for _, file := range files {
		if !slices.Contains(v.Choices, file) {
			return errors.New(textNoPlugin)
		}
	}
	if !v.Gives {
		return errors.New(textGivesNone)
	}
	return c.Crawls.Give(r.PathValue("name"), files)
}

func (c *Cockpit) plugins(w http.ResponseWriter, r *http.Request) {
	v := c.pluginsOf(r.PathValue("name"))
	v.URL = r.FormValue("url")
	c.show(w, r, "plugins", v)
}

// tryPlugin shows what a plugin says of an archived page, or gives the crawl other plugins.
func (c *Cockpit) tryPlugin(w http.ResponseWriter, r *http.Request) {
	v := c.pluginsOf(r.PathValue("name"))
	if r.PostFormValue("do") == "give" {
		if err := c.give(r, &v); err != nil {
			c.fail(w, r, http.StatusConflict, err.Error())
			return
		}
		http.Redirect(w, r, address(r.PathValue("name"), "plugins"), http.StatusSeeOther)
		return
	}
	v.URL, v.Plugin = r.PostFormValue("url"), r.PostFormValue("plugin")
	status := http.StatusOK
	if err := c.scoreBy(r, &v); err != nil {
		v.TryFault, status = err.Error(), http.StatusUnprocessableEntity
	}
	c.showStatus(w, r, status, "plugins", v)
}

func (c *Cockpit) scoreBy(r *http.Request, v *pluginsView) error {
	if !slices.Contains(v.Choices, v.Plugin) { // no other file is read
		return errors.New(textNoPlugin)
	}
	name := r.PathValue("name")
	base, err := c.base(name)
	if err != nil {
		return err
	}
	p, err := c.findPage(r.Context(), name, detect.New(base), v.URL)
	if p == nil {
		return err
	}
	v.Trial, err = crawl.TryPlugin(r.Context(), c.Crawls.Folder(name), v.Plugin, p)
	return err
}

// scoredLink is a link as a scorer judged it.
type scoredLink struct {
	abi.Link
	Score float32
	Flags abi.ScoreFlag
}

// bestLinks are the links of a trial with a scorer's scores, the best first.
func bestLinks(t assess.Trial, s plugins.Score) (out []scoredLink) {
	if s.Response == nil || len(s.Response.Links) != len(t.Links) {
		return nil
	}
	for i, l := range t.Links {
		x := scoredLink{Link: l, Score: s.Response.Links[i]}
		if i < len(s.Response.LinkFlags) {
			x.Flags = s.Response.LinkFlags[i]
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b scoredLink) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return out[:min(len(out), linksShown)]
}

// flagsText says what a scorer said beside a score.
func flagsText(f abi.ScoreFlag) (out []string) {
	for _, x := range []struct {
		flag abi.ScoreFlag
		text string
	}{{abi.BlacklistURL, textBlacklistURL}, {abi.BlacklistHost, textBlacklistHost}, {abi.NoOpinion, textNoOpinion}} {
		if f&x.flag != 0 {
			out = append(out, x.text)
		}
	}
	return out
}

// valueText is a value of a field as people read it.
func valueText(v abi.Value) string {
	switch v.Kind {
	case abi.IntKind:
		return fmt.Sprint(v.Int)
	case abi.FloatKind:
		return fmt.Sprint(v.Float)
	case abi.BoolKind:
		return fmt.Sprint(v.Bool)
	}
	return v.Str
}
