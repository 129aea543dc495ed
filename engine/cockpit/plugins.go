package cockpit

import (
	"encoding/json"
	"net/http"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
)

// pluginEventsShown bounds the events of a page.
const pluginEventsShown = 100

// plugins shows the plugins of a crawl: versions, calls, failures, time, and what they said.
func (c *Cockpit) plugins(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	v := struct {
		Fault  string
		Files  []string
		Report map[string]engine.PluginReport
		Events []crawl.PluginEvent
	}{Report: c.look(name).Report.Plugins}
	dir := c.Crawls.Folder(name)
	settings, err := crawl.ReadSettings(dir)
	if err == nil {
		v.Files = settings.PluginFiles(dir)
		err = crawl.Tail(dir, "plugins.jsonl", func(line []byte) bool {
			var e crawl.PluginEvent
			if json.Unmarshal(line, &e) == nil {
				v.Events = append(v.Events, e)
			}
			return len(v.Events) < pluginEventsShown
		})
	}
	if err != nil {
		v.Fault = err.Error()
	}
	c.show(w, r, "plugins", v)
}
