package main

import (
	"net/url"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// A plugin is loaded in the browser, and says what it thinks of a page.
func TestCockpitTriesPlugins(t *testing.T) {
	heavy(t)
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
	b.until("main", "no plugin to ask")
	b.click("Load one")
	b.until("h1", "Load plugins")
	file, err := filepath.Abs(keywords)
	if err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{file}))
	b.click("Load")
	b.until(".saved", "is there")
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
