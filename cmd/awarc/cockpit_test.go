package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
)

// cockpitProcess is awarc serve, as its users run it.
type cockpitProcess struct {
	t    *testing.T
	base string // address, without a slash at its end
	dir  string // of the crawls
	errs *lockedBuffer
	stop func() // ends it, once
}

func startCockpit(t *testing.T, args ...string) *cockpitProcess {
	t.Helper()
	return startCockpitIn(t, t.TempDir(), args...)
}

// startCockpitIn starts a cockpit of the crawls in a folder.
func startCockpitIn(t *testing.T, dir string, args ...string) *cockpitProcess {
	t.Helper()
	p := &cockpitProcess{t: t, dir: dir, errs: new(lockedBuffer)}
	c := command(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--dir", p.dir}, args...)...)
	c.Stderr = p.errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	p.stop = sync.OnceFunc(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		if status := exitStatus(t, c); status != exitInterrupted {
			t.Errorf("exit status %d: %s", status, p.errs.String())
		}
	})
	t.Cleanup(p.stop)
	where := regexp.MustCompile(`cockpit at (https?://\S+)/`)
	until(t, "the cockpit", func() bool { return where.MatchString(p.errs.String()) })
	p.base = where.FindStringSubmatch(p.errs.String())[1]
	return p
}

// browser is a browser with one page in it.
type browser struct {
	t     *testing.T
	ctx   context.Context
	axe   string
	shots string      // folder
	quiet atomic.Bool // what the console says is not looked at
}

func openBrowser(t *testing.T) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("skipped: chromium is not installed, see testdata/e2e/tools.sh")
	}
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Headless,
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.IgnoreCertErrors)
	t.Cleanup(cancel)
	ctx, leave := chromedp.NewContext(allocator)
	t.Cleanup(leave)
	ctx, late := context.WithTimeout(ctx, 2*patience())
	t.Cleanup(late)
	b := &browser{t: t, ctx: ctx, shots: t.ArtifactDir()}
	if text, err := os.ReadFile("../../.cache/tools/node_modules/axe-core/axe.min.js"); err == nil {
		b.axe = string(text)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)); err != nil { // the browser lives as long as this context
		t.Fatal(err)
	}
	said := chromedp.Console(ctx)
	go func() { // what a policy blocks is said there, too
		for message, err := range said {
			if err != nil {
				return
			}
			if (message.Type == "error" || message.IsException()) && !b.quiet.Load() && !strings.HasSuffix(message.URL, "/favicon.ico") {
				t.Errorf("the console says %s (%s)", message.Text, message.URL)
			}
		}
	}()
	return b
}

// do takes steps. A page that loads itself again takes the element away that a step has found: the
// step is then taken again.
func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, step := range steps {
		ctx, late := context.WithTimeout(b.ctx, patience())
		err := chromedp.Do(ctx, step)
		for again := 0; err != nil && ctx.Err() == nil && again < 20; again++ {
			b.t.Logf("a step is taken again: %v", err)
			b.at("true")
			err = chromedp.Do(ctx, step)
		}
		late()
		if err != nil {
			b.t.Fatalf("%v, at %s", err, script[string](b, "location.href+' '+document.body?.innerText"))
		}
	}
}

// script gives what a script comes to in the page.
func script[T any](b *browser, text string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](text, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%.200s: %v", text, err)
	}
	return v
}

// open goes to an address, by way of an empty page. The page that is left loads itself again when
// its crawl ends, which would break off the way to another one: its scripts are stopped first.
func (b *browser) open(address string) {
	b.t.Helper()
	b.stopScripts(true)
	b.do(chromedp.Navigate("about:blank"))
	b.at("location.href === 'about:blank'")
	b.stopScripts(false)
	b.do(chromedp.Navigate(address))
	b.at("location.href !== 'about:blank'")
}

// stopScripts has pages run no scripts of their own, or has them run again in those that are loaded
// from now on.
func (b *browser) stopScripts(stop bool) {
	b.t.Helper()
	params := emulation.SetScriptExecutionDisabledParams{Value: stop}
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, params); err != nil {
		b.t.Fatal(err)
	}
}

// at waits for a page that is loaded and meets a condition.
func (b *browser) at(condition string) {
	b.t.Helper()
	until(b.t, "a page where "+condition, func() bool {
		ctx, late := context.WithTimeout(b.ctx, 5*time.Second) // a page that is being left gives no answer
		defer late()
		there, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("document.readyState === 'complete' && "+condition))
		return err == nil && there
	})
}

// click clicks what has a text: a button, a link, or what folds.
func (b *browser) click(text string) {
	b.t.Helper()
	b.do(chromedp.Click(fmt.Sprintf(`//*[self::a or self::button or self::summary][normalize-space()=%q]`, text)))
}

// fill replaces the text of a field.
func (b *browser) fill(id, text string) {
	b.t.Helper()
	field := chromedp.CSS("#" + id)
	b.do(chromedp.WaitReady(field))
	script[int](b, fmt.Sprintf("document.getElementById(%q).value = ''; 0", id))
	b.do(chromedp.SendKeys(field, text))
}

// text is that of what a selector finds.
func (b *browser) text(selector string) string {
	b.t.Helper()
	b.at("true")
	return script[string](b, fmt.Sprintf("[...document.querySelectorAll(%q)].map(e => e.innerText).join('\\n')", selector))
}

// shownScript resolves to the text that a selector finds on a loaded page: as soon as it contains a
// text, or after a second.
const shownScript = `new Promise(resolve => {
	let last = "";
	const look = () => {
		last = document.readyState !== "complete" ? "" : [...document.querySelectorAll(%q)].map(e => e.innerText).join("\n");
		if (last.includes(%q)) resolve(last);
	};
	addEventListener("load", look);
	new MutationObserver(look).observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
	look();
	setTimeout(() => resolve(last), 1000);
})`

// until waits for a text in the elements that match a selector.
func (b *browser) until(selector, text string) {
	b.t.Helper()
	last := ""
	until(b.t, fmt.Sprintf("%q in %s", text, selector), func() bool {
		ctx, late := context.WithTimeout(b.ctx, 5*time.Second) // a page that is being left gives no answer
		last, _ = chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf(shownScript, selector, text), chromedp.EvalAwaitPromise))
		late()
		if strings.Contains(last, text) {
			return true
		}
		select {
		case <-b.ctx.Done():
			b.t.Fatalf("the browser has ended; %s was last %q", selector, last)
		default:
		}
		return false
	})
}

// untilEnded waits for the live page of a crawl whose session has ended. The page shows the new
// state first and loads itself again then: a step in between would find no element.
func (b *browser) untilEnded(selector, text string) {
	b.t.Helper()
	b.until(selector, text)
	b.at("!document.querySelector('[data-events]')")
}

// look keeps pictures of the page at two widths, and holds it to what serves people who do not see or use no mouse.
func (b *browser) look(name string) {
	b.t.Helper()
	for _, width := range []int64{390, 1280} {
		b.do(chromedp.EmulateViewport(width, 900))
		if wide := script[int64](b, "document.documentElement.scrollWidth"); wide > width {
			b.t.Errorf("%s is %d wide where %d are shown: %s", name, wide, width, script[string](b, fmt.Sprintf(
				"[...document.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > %d)"+
					".map(e => e.outerHTML.slice(0, 80)).join()", width)))
		}
		shot, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		if err == nil {
			err = os.WriteFile(filepath.Join(b.shots, fmt.Sprintf("%s-%d.png", name, width)), shot, 0o644)
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
	if b.axe == "" {
		return
	}
	script[int](b, b.axe+";0")
	for _, scheme := range []string{"dark", "light"} {
		params := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, params); err != nil {
			b.t.Fatal(err)
		}
		faults := script[string](b, `axe.run(document, {iframes: false}).then(r => JSON.stringify(r.violations
			.filter(v => ["serious", "critical"].includes(v.impact))
			.map(v => [v.id, v.nodes.slice(0, 3).map(n => [n.html, n.failureSummary])])))`)
		if faults != "[]" {
			b.t.Errorf("%s, %s: %s", name, scheme, faults)
		}
	}
}

// A crawl is begun by the form, watched, paused and stopped.
func TestCockpitCrawlsByForm(t *testing.T) {
	t.Parallel()
	site, err := newSite("phpbb", "", 1, 300)
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(site, 60)
	at := serve(t, g)
	p := startCockpit(t)
	topic := filepath.Join(p.dir, "topics", "boats.yaml")
	if err := errors.Join(os.Mkdir(filepath.Dir(topic), 0o755), os.WriteFile(topic, []byte("keywords: [boats]\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t)
	b.open(p.base + "/")
	b.until("main", "no crawl")
	b.look("empty")
	b.click("New crawl")
	b.until("h1", "New crawl")
	b.look("new")
	b.fill("seeds", at+"/")
	b.fill("name", "board")
	b.fill("delay", "0")
	b.fill("min-space", "0")
	b.do(chromedp.SetValue(chromedp.CSS("#topic"), topic))
	script[int](b, `document.getElementById("topic").dispatchEvent(new Event("input", {bubbles: true})); 0`)
	b.until("#command", "awarc crawl --out=board --requisites --delay=0 --min-space=0 --topic="+topic+" -- "+at+"/")
	b.click("Check the seeds")
	b.until("article", "phpbb")
	b.look("checked")
	b.click("Start the crawl")
	b.until("h1", "Live")
	b.until(".state", "running")
	b.until("#exchanges", "topic") // by itself, too
	b.until("#objects", "sioc:Post")
	b.click("Pause")
	b.until(".state", "paused")
	b.until("#queues", "127.0.0.1")
	b.look("live")
	b.click("Continue")
	b.until(".state", "running")
	b.click("Stop")
	g.open()
	b.untilEnded(".state", "stopped")
	b.click("Resume")
	b.untilEnded(".state.incomplete", "23 failed") // by itself; the board shows pictures of a host that does not exist
	b.look("incomplete")
	checkArchive(t, filepath.Join(p.dir, "board"))
	b.click("Why")
	b.until("h1", "Why")
	b.fill("url", at+"/nowhere")
	b.click("Explain")
	b.until("main", "never seen: no archived page links to it")
	post := exchangesOf(t, filepath.Join(p.dir, "board"), "topic")[0].URL
	b.open(p.base + "/crawls/board/why?url=" + url.QueryEscape(post))
	b.until("main", "State: fetched")
	b.until("main", " matches")
	b.until("main", "sioc:Post")
	b.look("why")
	b.open(p.base + "/")
	b.until("tbody", "board")
	b.look("list")
}

// exchangesOf are the exchanges of a crawl's log with pages of a level.
func exchangesOf(t *testing.T, dir, level string) []engine.Exchanged {
	t.Helper()
	all, err := crawl.Folder(dir).Exchanges(1000, func(e *engine.Exchanged) bool { return e.Level == level && e.Record != "" })
	if err != nil || len(all) == 0 {
		t.Fatalf("no page of level %s: %v", level, err)
	}
	return all
}
