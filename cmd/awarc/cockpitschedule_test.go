package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/awarc/awarc/engine/cockpit"
	"github.com/awarc/awarc/engine/crawl"
)

// schedule fills the form in and has the crawl begin tomorrow.
func (b *browser) schedule(base, name, seed string) {
	b.t.Helper()
	b.open(base + "/new")
	b.fill("seeds", seed)
	b.fill("name", name)
	b.fill("delay", "0")
	b.fill("min-space", "0")
	b.fill("exclude", "^https://") // pictures on a host that does not exist, which is tried three times
	at := time.Now().Add(24 * time.Hour)
	b.do(chromedp.SetValue(chromedp.CSS("#start"), at.Format("2006-01-02T15:04")))
	script[int](b, `document.getElementById("start").dispatchEvent(new Event("input", {bubbles: true})); 0`)
	b.until("#command", at.Format("at -t 200601021504"))
	b.click("Start the crawl")
	b.until(".state", "scheduled")
	b.until("main", at.Format("2006-01-02 15:04"))
}

// A crawl that is to begin later is shown, begun by a click or removed, and begins by itself when it is due: at once where it was due while
// no process was there.
func TestCockpitSchedulesCrawls(t *testing.T) {
	t.Parallel()
	site, err := newSite("phpbb", "", 1, 20)
	if err != nil {
		t.Fatal(err)
	}
	at := serve(t, site) + "/"
	p := startCockpit(t)
	b := openBrowser(t)
	b.schedule(p.base, "now", at)
	b.look("scheduled")
	b.open(p.base + "/crawls/now/results") // nothing is there to be searched
	b.until(".state", "scheduled")
	b.click("Start now")
	b.untilEnded(".state.complete, .state.incomplete", "complete")

	b.schedule(p.base, "never", at)
	b.click("Remove")
	b.until("h1", "Crawls")
	if _, err := os.Stat(filepath.Join(p.dir, "never")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was removed is there: %v", err)
	}

	b.schedule(p.base, "later", at)
	b.open(p.base + "/")
	b.until("tbody", "starts")
	b.look("schedule")
	p.stop()
	file := filepath.Join(p.dir, "later", crawl.ScheduledFile)
	var kept cockpit.Scheduled
	data, err := os.ReadFile(file)
	if err = errors.Join(err, json.Unmarshal(data, &kept)); err != nil {
		t.Fatal(err)
	}
	kept.At = time.Now().Add(3 * time.Second)
	if data, err = json.Marshal(kept); err == nil {
		err = os.WriteFile(file, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	p = startCockpitIn(t, p.dir)
	b.open(p.base + "/crawls/later/")
	b.until(".state", "scheduled")
	b.untilEnded(".state.complete, .state.incomplete", "complete") // by itself
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what has begun is still to begin: %v", err)
	}
	if text := p.fetched("/"); strings.Contains(text, "starts ") {
		t.Errorf("the list: %s", text)
	}
}
