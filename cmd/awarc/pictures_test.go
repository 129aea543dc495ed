package main

import (
	"bytes"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPictures makes the pictures of the README: `make pictures` sets AWARC_PICTURES to their folder.
func TestPictures(t *testing.T) {
	folder := os.Getenv("AWARC_PICTURES")
	if folder == "" {
		t.Skip("AWARC_PICTURES is not set; make pictures sets it")
	}
	site, err := newSite("phpbb", "", 1, 300)
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(site, 90)
	at := serve(t, g)
	p := startCockpit(t)
	b := openBrowser(t)
	b.open(p.base + "/new")
	for id, text := range map[string]string{"seeds": at + "/", "name": "board", "delay": "0.1", "min-space": "0"} {
		b.fill(id, text)
	}
	b.click("Start the crawl")
	b.until("#objects", "sioc:Post")
	g.wait(t) // the page shows a crawl in the middle of its work
	b.until("#exchanges", "topic")
	b.keep(filepath.Join(folder, "cockpit.jpg"), 1200, 700)
	g.open()
	b.click("Stop")
	b.untilEnded(".state", "stopped")

	t.Chdir(t.TempDir()) // the report shows the path of the crawl
	awarc(t, "", "crawl", "--delay", "0", "--min-space", "0", "--out", "board", at+"/").want(t, exitDone)
	awarc(t, "", "report", "-o", "report.html", "board").want(t, exitDone)
	report, err := filepath.Abs("report.html")
	if err != nil {
		t.Fatal(err)
	}
	b.open("file://" + report)
	b.keep(filepath.Join(folder, "report.jpg"), 900, 1000)
}

// keep writes the upper part of the page as JPEG.
func (b *browser) keep(file string, width, height int) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(int64(width), int64(height)))
	shot, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	page, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		b.t.Fatal(err)
	}
	size := page.Bounds()
	size.Max.Y = min(size.Max.Y, height)
	upper := image.NewRGBA(size)
	draw.Draw(upper, size, page, size.Min, draw.Src)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, upper, &jpeg.Options{Quality: 80}); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		b.t.Fatal(err)
	}
}
