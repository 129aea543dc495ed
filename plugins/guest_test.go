package plugins_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk/plugintest"
)

// A guest of the stock Go toolchain, with the standard library in it, in the sandbox.
func TestGoGuest(t *testing.T) {
	if plugins.RaceDetector {
		t.Skip("make plain runs it without the race detector")
	}
	file := plugintest.Build(t, "testdata/probe")
	cache := filepath.Join(t.TempDir(), "cache") // compiled once
	open := func(t *testing.T, o plugins.Options) *plugins.Set {
		o.CacheDir = cache
		return plugintest.Wasm(t, file, o)
	}
	ask := func(t *testing.T, s *plugins.Set, title string) plugins.Score {
		t.Helper()
		return s.Score(t.Context(), &abi.ScoreRequest{URL: "http://example.org/" + title, Title: title})[0]
	}
	reason := func(t *testing.T, s *plugins.Set, title string) string {
		t.Helper()
		r := ask(t, s, title)
		if r.Kind != plugins.KindOK {
			t.Fatalf("%s: %v", title, r.Err)
		}
		return r.Response.Reason
	}

	t.Run("configuration", func(t *testing.T) {
		s := open(t, plugins.Options{Topic: stormTopic, Config: map[string]string{"org.awarc.test.probe": "{}", "another": "secret"},
			CrawlID: "c1", Seed: 7, Deterministic: true})
		if got := reason(t, s, "config"); got != "{}|storms|3 terms|c1|7|true" {
			t.Error(got)
		}
		_, err := plugins.Open(t.Context(), []string{file}, plugins.Options{CacheDir: cache, Poll: -1,
			Limits: plugins.Limits{Setup: plugins.Budget{Time: 10 * time.Second}},
			Config: map[string]string{"org.awarc.test.probe": "refuse"}})
		if err == nil || !strings.Contains(err.Error(), "no such configuration") {
			t.Errorf("a configuration that the plugin refuses: %v", err)
		}
	})
	t.Run("time stands still", func(t *testing.T) {
		s := open(t, plugins.Options{})
		if got := reason(t, s, "clock"); got != "0 0s true" {
			t.Error(got)
		}
		if got := reason(t, s, "sleep"); got != "true" {
			t.Errorf("a minute passes in sleep: %s", got)
		}
		e := s.Extract(t.Context(), &abi.ExtractRequest{URL: "http://x/", HTML: "<p>", CaptureUnix: 1_800_000_000})[0]
		if e.Kind != plugins.KindOK {
			t.Fatal(e.Err)
		}
		if f := e.Response.Objects[0].Fields; f[0].Value.Str != "2027-01-15T08:00:00Z" || f[1].Value.Str != "<p>" {
			t.Errorf("%+v", f)
		}
	})
	t.Run("randomness is of seed and page", func(t *testing.T) {
		a, b, c := open(t, plugins.Options{Seed: 1}), open(t, plugins.Options{Seed: 1}), open(t, plugins.Options{Seed: 2})
		reason(t, b, "clock") // what was before does not count
		if x, y, z := reason(t, a, "random"), reason(t, b, "random"), reason(t, c, "random"); x != y || x == z {
			t.Errorf("seeds 1, 1, 2: %s, %s, %s", x, y, z)
		}
		r := a.Score(t.Context(), &abi.ScoreRequest{URL: "http://other/", Title: "random"})[0]
		if r.Kind != plugins.KindOK || r.Response.Reason == reason(t, a, "random") {
			t.Errorf("another page has the same: %+v, %v", r.Response, r.Err)
		}
	})
	t.Run("nothing around", func(t *testing.T) {
		if got := reason(t, open(t, plugins.Options{}), "surroundings"); got != "args [] env [] file true dir true" {
			t.Error(got)
		}
	})
	t.Run("logs", func(t *testing.T) {
		var lines []string
		s := open(t, plugins.Options{Events: plugins.Events{Log: func(p plugins.Identity, l plugins.Level, line string) {
			lines = append(lines, fmt.Sprint(p.Name, " ", l, ": ", line))
		}}})
		reason(t, s, "log")
		want := []string{"warn: a warning", "info: to standard output", "error: to standard error", "error: without end"}
		for i := range want {
			want[i] = "org.awarc.test.probe " + want[i]
		}
		if !slices.Equal(lines, want) {
			t.Errorf("got %q", lines)
		}
	})
	t.Run("ends", func(t *testing.T) {
		var lines []string
		s := open(t, plugins.Options{Instances: 1, Events: plugins.Events{Log: func(_ plugins.Identity, _ plugins.Level, line string) {
			lines = append(lines, line)
		}}})
		for _, c := range []struct {
			title   string
			kind    plugins.Kind
			message string
		}{
			{"panic", plugins.KindPlugin, "panic: in the guest"},
			{"exit", plugins.KindExit, "exited with status 3: last words"},
			{"memory", plugins.KindMemory, "out of memory"},
		} {
			r := ask(t, s, c.title)
			if r.Kind != c.kind || !strings.Contains(r.Err.Message, c.message) {
				t.Errorf("%s: %v", c.title, r.Err)
			}
			if slices.ContainsFunc(lines, func(l string) bool { return l != "" && strings.HasSuffix(c.message, l) }) {
				t.Errorf("the error of %s is logged too: %q", c.title, lines)
			}
			reason(t, s, "clock") // the next page is well
		}
	})
	t.Run("garbage is collected", func(t *testing.T) {
		if testing.Short() {
			t.Skip("2,000 pages")
		}
		s := open(t, plugins.Options{Instances: 1, Limits: plugins.Limits{Calls: 1 << 20}})
		for range 2_000 {
			reason(t, s, "garbage")
		}
		if u := s.Report()["org.awarc.test.probe"]; u.Instances != 1 {
			t.Errorf("%d instances were made: memory grows", u.Instances)
		}
	})
}
