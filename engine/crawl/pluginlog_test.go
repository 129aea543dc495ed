package crawl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The logs of plugins are bounded: the oldest messages are dropped and counted, also when a crash
// broke off the change of logs, and the versions of a plugin stay.
func TestPluginLogsAreBounded(t *testing.T) {
	dir := t.TempDir()
	logs := filepath.Join(dir, "log")
	const most = 2000
	open := func() *pluginLog {
		log, err := openPluginLog(logs, most)
		if err != nil {
			t.Fatal(err)
		}
		return log
	}
	log := open()
	size := func(name string) int64 {
		info, err := os.Stat(filepath.Join(logs, name))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	say := func(event string) {
		log.write(PluginEvent{Time: time.Unix(0, 0).UTC(), Event: event, Plugin: "loud", Message: strings.Repeat("x", 100)})
		if sum := size("plugins.jsonl") + log.most; sum > 3*most {
			t.Fatalf("the logs have %d bytes", sum)
		}
	}
	say("loaded")
	for range 100 {
		say("log")
	}
	lost := log.lost("loud")
	if kept := inLogs(t, logs, `"event":"log"`); lost == 0 || int(lost)+kept != 100 {
		t.Errorf("%d lines are dropped and %d kept, of 100", lost, kept)
	}
	if inLogs(t, logs, `"event":"loaded"`) != 1 {
		t.Error("rotation dropped the event of the loaded version")
	}
	// The process dies after the last lines of a full log, before it is renamed.
	say("loaded")
	log.write(PluginEvent{Event: eventDropped, Plugin: "loud", Lines: lost + 5})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	log = open()
	if n := log.lost("loud"); n != lost+5 || size("plugins.jsonl") != 0 {
		t.Errorf("after the crash %d lines are dropped, want %d; the log has %d bytes", n, lost+5, size("plugins.jsonl"))
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	events, err := ReadPluginLogs(dir)
	if err != nil || len(events) != 1 || events[0].Event != "loaded" {
		t.Errorf("the logs have the events %v: %v", events, err)
	}
}

// inLogs counts a text in the logs of plugins.
func inLogs(t *testing.T, dir, text string) (n int) {
	t.Helper()
	for _, name := range PluginLogs {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		n += strings.Count(string(data), text)
	}
	return n
}
