package crawl

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/awarc/awarc/engine"
)

// PluginLogs are the names of the logs of plugins, the older first. A full [crawlLog] becomes the
// older one.
var PluginLogs = []string{"plugins.1.jsonl", "plugins.jsonl"}

// maxPluginLog is the size of a full log of plugins, in bytes: some 40,000 messages. It is
// arbitrary.
const maxPluginLog = 8 << 20

// PluginEvent is a line of log/plugins.jsonl.
type PluginEvent struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event"` // loaded, refused, failed, breaker, log, warning or dropped
	Plugin  string    `json:"plugin,omitempty"`
	Version string    `json:"version,omitempty"`
	Hash    string    `json:"hash,omitempty"`
	File    string    `json:"file,omitempty"`
	URL     string    `json:"url,omitempty"`
	Kind    string    `json:"kind,omitempty"`
	Level   string    `json:"level,omitempty"`
	Message string    `json:"message,omitempty"`
	// Lines counts the lines of the plugin that were dropped since the crawl began.
	Lines int64 `json:"lines,omitempty"`
}

// droppable reports whether the event may be dropped with the oldest log: messages and failures,
// which are frequent. All other events are kept.
func (e *PluginEvent) droppable() bool { return e.Event == "log" || e.Event == "failed" }

// eventDropped is the event of the last lines of a full log. Each has the number of dropped lines
// of one plugin.
const eventDropped = "dropped"

// pluginLog is log/plugins.jsonl. A full one replaces log/plugins.1.jsonl.
type pluginLog struct {
	*crawlLog
	older string // name of the older log
	most  int64  // bytes of a full log

	rotating sync.Mutex
	dropped  map[string]int64 // lines by plugin; behind rotating
}

// openPluginLog opens the log in a folder, and ends a change of logs that a crash broke off.
func openPluginLog(dir string, most int64) (*pluginLog, error) {
	older, newer := filepath.Join(dir, PluginLogs[0]), filepath.Join(dir, PluginLogs[1])
	broken, err := readPluginLog(newer)
	if err == nil && len(broken.dropped) > 0 {
		err = os.Rename(newer, older)
	}
	if err != nil {
		return nil, err
	}
	was, err := readPluginLog(older)
	if err != nil {
		return nil, err
	}
	log, err := openLog(dir, PluginLogs[1])
	if err != nil {
		return nil, err
	}
	return &pluginLog{crawlLog: log, older: older, most: most, dropped: was.dropped}, nil
}

// loggedEvents are the lines of a log of plugins.
type loggedEvents struct {
	kept    []PluginEvent    // all that are not droppable
	lines   map[string]int64 // droppable ones, by plugin
	dropped map[string]int64 // before this log, by plugin
}

// readPluginLog reads a log of plugins; one that does not exist is empty.
func readPluginLog(name string) (loggedEvents, error) {
	all := loggedEvents{lines: map[string]int64{}, dropped: map[string]int64{}}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return all, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, maxPluginLog)
	for in.Scan() {
		var e PluginEvent
		switch err := json.Unmarshal(in.Bytes(), &e); {
		case err != nil: // half a line, of a crash
		case e.Event == eventDropped:
			all.dropped[e.Plugin] = e.Lines
		case e.droppable():
			all.lines[e.Plugin]++
		default:
			all.kept = append(all.kept, e)
		}
	}
	return all, in.Err()
}

// write appends an event, to a new log if the old one is full.
func (l *pluginLog) write(e PluginEvent) {
	l.rotating.Lock()
	defer l.rotating.Unlock()
	if l.size() >= l.most {
		l.fail(l.rotate())
	}
	l.crawlLog.write(e)
}

// rotate makes the full log the older one. The lines of the log that it replaces are counted, or
// kept in the full log if they are few of their kind. These counts are its last lines: they show a
// change that a crash broke off.
func (l *pluginLog) rotate() error {
	old, err := readPluginLog(l.older)
	for _, e := range old.kept {
		l.crawlLog.write(e)
	}
	for plugin, n := range old.lines {
		l.dropped[plugin] += n
	}
	for _, plugin := range slices.Sorted(maps.Keys(l.dropped)) {
		n := l.dropped[plugin]
		l.crawlLog.write(PluginEvent{Time: time.Now().UTC(), Event: eventDropped, Plugin: plugin, Lines: n,
			Message: fmt.Sprintf("%d older messages and failures were dropped: the logs of plugins are bounded", n)})
	}
	return errors.Join(err, l.restart(l.older))
}

// lost returns the lines of a plugin that are no longer in a log.
func (l *pluginLog) lost(plugin string) int64 {
	l.rotating.Lock()
	defer l.rotating.Unlock()
	return l.dropped[plugin]
}

// ReadPluginLogs returns the events in the logs of plugins of a crawl that are not messages or
// failures, the earliest first.
func ReadPluginLogs(dir string) ([]PluginEvent, error) {
	var all []PluginEvent
	for _, name := range PluginLogs {
		log, err := readPluginLog(filepath.Join(dir, "log", name))
		if err != nil {
			return nil, err
		}
		all = append(all, log.kept...)
	}
	slices.SortStableFunc(all, func(a, b PluginEvent) int { return cmp.Compare(a.Time.UnixNano(), b.Time.UnixNano()) })
	return all, nil
}

// reportPlugins adds to the report what no counter has: the share of each plugin in the time of
// this session, and the lines that its logs lost.
func (c *Crawl) reportPlugins(r *engine.Report, now time.Time) {
	if c.plugins == nil {
		return
	}
	for name, used := range c.plugins.Report() {
		p := r.Plugins[name]
		p.Share = used.Seconds / max(now.Sub(c.began).Seconds(), time.Millisecond.Seconds())
		p.LogDropped += c.pluginLog.lost(name)
		r.Plugins[name] = p
	}
}
