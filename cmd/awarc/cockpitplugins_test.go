package main

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A plugin is loaded in the browser, and says what it thinks of a page.
func TestCockpitTriesPlugins(t *testing.T) {
	t.Parallel()
	site, err := newSite("phpbb", "", 1, 20)
	if err != nil {
		t.Fatal(err)
	}
	at := serve(t, site)
	p := startCockpit(t)
	dir := p.crawled("board", at+"/")
	b := openBrowser(t)
	b.open(p.base + "/crawls/board/plugins")
	b.until("main", "No plugins loaded")
	b.click("Load one")
	b.until("h1", "Load plugins")
	file, err := filepath.Abs(keywords)
	if err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{file}))
	b.click("Load")
	b.until(".saved", "is stored")
	b.do(chromedp.Click(chromedp.CSS("summary")))
	b.until("main", "22. ")
	b.look("loaded")
	topic := exchangesOf(t, dir, "topic")[0].URL
	b.open(p.base + "/crawls/board/plugins?url=" + url.QueryEscape(topic))
	b.click("Score")
	b.until("#trial", "units of fuel")
	b.until("#trial", "The page")
	if mode := script[string](b, "document.getElementById('plugin').value"); filepath.Base(mode) != "c-keywords.wasm" {
		t.Errorf("another plugin was asked: %s", mode)
	}
	b.look("plugins")
}

// A crawl that runs is given a plugin: it goes on with it.
func TestCockpitGivesARunningCrawlPlugins(t *testing.T) {
	t.Parallel()
	site, err := newSite("phpbb", "", 1, 300)
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(site, 30)
	at := serve(t, g)
	p := startCockpit(t)
	data, err := os.ReadFile(keywords)
	if err = errors.Join(err, os.Mkdir(filepath.Join(p.dir, "plugins"), 0o755)); err == nil {
		err = os.WriteFile(filepath.Join(p.dir, "plugins", "keywords.wasm"), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t)
	b.open(p.base + "/new")
	b.fill("seeds", at+"/")
	b.fill("name", "board")
	b.fill("delay", "0")
	b.fill("min-space", "0")
	b.click("Start the crawl")
	b.until("#exchanges", "phpbb topic")
	b.click("Pause")
	b.until(".state", "paused")
	g.pass(1) // the one that is in flight
	b.click("Plugins")
	b.until("h1", "Plugins")
	b.do(chromedp.Click(chromedp.CSS("#give0")))
	b.click("Continue with these")
	b.until("main", "A changed file")
	b.look("given")
	b.click("Live")
	b.until(".state", "paused")
	b.click("Continue")
	b.until(".state", "running")
	g.pass(30)
	until(t, "a call of the plugin", func() bool {
		return strings.Contains(p.fetched("/crawls/board/plugins"), "Kinds of failures")
	})
	b.click("Stop")
	g.open()
	b.until(".state", "stopped")
	if all := exchangesOf(t, filepath.Join(p.dir, "board"), "topic"); len(all[0].Plugins) == 0 || len(all[len(all)-1].Plugins) > 0 {
		t.Errorf("asked about the last page: %v, about the first: %v", all[0].Plugins, all[len(all)-1].Plugins)
	}
}
