package browser

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// start returns a browser for a test, which is skipped where no Chromium is installed.
func start(t *testing.T, o Options) *Browser {
	t.Helper()
	path, err := Find()
	if err != nil {
		t.Skip("skipped: chromium is not installed, see cmd/awarc/testdata/e2e/tools.sh")
	}
	o.Path, o.Folder = path, filepath.Join(t.TempDir(), "profile")
	b := New(o)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func document(html string) Response {
	return Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(html)}
}

func visit(html string, a *asked) Visit {
	return Visit{URL: "http://app.test/", Document: document(html), Network: a.answer}
}

// asked are the requests of pages that a network got, which answers texts by path and refuses the rest.
type asked struct {
	texts map[string]string
	mu    sync.Mutex
	all   []Request
}

func (a *asked) answer(_ context.Context, r Request) (*Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, r)
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, err
	}
	text, ok := a.texts[u.Path]
	if !ok {
		return nil, errors.New("refused")
	}
	kind := http.Header{"Content-Type": {http.DetectContentType([]byte(text))}}
	return &Response{Status: http.StatusOK, Header: kind, Body: []byte(text)}, nil
}

// echo is answer with method and body behind the text.
func (a *asked) echo(ctx context.Context, r Request) (*Response, error) {
	answer, err := a.answer(ctx, r)
	if err == nil {
		answer.Body = append(answer.Body, r.Method+" "+string(r.Body)...)
	}
	return answer, err
}

func (a *asked) urls() (all []string) {
	for _, r := range a.all {
		all = append(all, r.Method+" "+r.URL)
	}
	slices.Sort(all)
	return all
}

func TestRender(t *testing.T) {
	t.Parallel()
	b := start(t, Options{UserAgent: "awarc/1"})
	a := &asked{texts: map[string]string{
		"/app.js": `fetch("/api?page=1", {headers: {"X-App": "1"}}).then(r => r.text()).then(text => {
			document.getElementById("app").textContent = text + " " + navigator.userAgent })`,
		"/api": "loaded later",
	}}
	shell := document(`<!doctype html><div id=app></div><script src=/app.js></script>`)
	p, err := b.Render(t.Context(), Visit{URL: "http://app.test/", Document: shell, Network: a.answer})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(p.HTML, "<!DOCTYPE html><html>") || !strings.Contains(p.HTML, `<div id="app">loaded later awarc/1</div>`) {
		t.Errorf("the rendered document is %s", p.HTML)
	}
	if want := []string{"GET http://app.test/api?page=1", "GET http://app.test/app.js"}; !slices.Equal(a.urls(), want) || p.Unsettled {
		t.Errorf("requests %q, want %q; unsettled %v", a.urls(), want, p.Unsettled)
	}
	for _, r := range a.all {
		if r.Kind == "fetch" && (r.Header.Get("X-App") != "1" || r.Header.Get("User-Agent") != "") {
			t.Errorf("the header of the script's request is %v", r.Header)
		}
	}
}

// TestRenderScrolls: a page that loads more at its end is scrolled until it loads nothing more.
func TestRenderScrolls(t *testing.T) {
	t.Parallel()
	b := start(t, Options{})
	a := &asked{texts: map[string]string{"/1": "first", "/2": "second", "/3": "third"}}
	p, err := b.Render(t.Context(), Visit{URL: "http://app.test/", Network: a.answer, Document: document(`<body><script>
		let n = 0, ended = false
		const more = async () => {
			const answer = await fetch("/" + ++n).catch(() => ended = true)
			if (ended) return
			const part = document.createElement("p")
			part.style.height = "3000px"
			part.textContent = await answer.text()
			document.body.append(part)
		}
		onscroll = () => { if (!ended && scrollY + innerHeight >= document.documentElement.scrollHeight) more() }
		more()
	</script>`)})
	if err != nil || !strings.Contains(p.HTML, ">third</p>") || p.Scrolls < 3 || p.Unsettled {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestRenderClicks: what pages show after clicks is in the document, also what a second click needs; forms are not sent, and a click that
// takes text away costs nothing.
func TestRenderClicks(t *testing.T) {
	t.Parallel()
	b := start(t, Options{})
	for name, c := range map[string]struct {
		html, want string
		clicks     int
	}{
		"load more": {`<button id=b>Load more</button><script>b.addEventListener("click", async () => {
			document.body.append(await (await fetch("/more")).text()) })</script>`, "loaded by a click", 2},
		"second step": {`<div id=d>Show</div><script>d.addEventListener("click", () => {
			const e = document.createElement("span"); e.textContent = "next"; document.body.append(e)
			e.addEventListener("click", () => document.body.append("after two clicks")) })</script>`, "after two clicks", 5},
		"new ones first": {`<div id=a>Show</div><div id=b>Hide</div><script>
			a.addEventListener("click", () => { const e = document.createElement("button"); document.body.append(e)
				e.onclick = () => document.body.append("before it was hidden") })
			b.addEventListener("click", () => document.querySelector("button")?.remove())</script>`, "before it was hidden", 3},
		"another listener": {
			`<button onclick="this.setAttribute('onclick', 'document.body.append(&quot;shown &quot;.repeat(20))')">x</button>`,
			"shown shown", 3},
		"form": {`<form onsubmit="document.body.append('sent')"><button>Send</button></form><p>a form`, "<p>a form", 0},
		"tabs": {`<p id=p>A long text that the tab replaces.</p><a href="#x" onclick="p.textContent = ''">x</a>`,
			"A long text that", 1},
		"login": {`<script>addEventListener("click", () => {})</script><p>nothing reacts`, "<p>nothing reacts", 0},
	} {
		a := &asked{texts: map[string]string{"/more": "loaded by a click"}}
		p, err := b.Render(t.Context(), visit("<body>"+c.html, a))
		shown := strings.Split(p.HTML, "<script>")[0] + p.HTML[strings.LastIndex(p.HTML, "</script>")+1:]
		if err != nil || !strings.Contains(shown, c.want) || p.Clicks != c.clicks || strings.Contains(shown, "</form>sent") {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

// TestRenderUndoesClicks: a click that leads to another page of an application gives its address,
// and the page stays as it was, with what earlier clicks showed. Nothing is requested twice.
func TestRenderUndoesClicks(t *testing.T) {
	t.Parallel()
	b := start(t, Options{})
	a := &asked{texts: map[string]string{"/list": "topics ", "/more": "more topics "}}
	html := `<body><div id=app></div><script>
		const app = document.getElementById("app"), show = async (path, ...rest) => {
			app.append(await (await fetch(path)).text())
			for (const e of rest) app.append(e)
		}
		const make = (name, kind, does) => Object.assign(document.createElement(name), {className: kind, onclick: does})
		const open = n => () => { history.pushState({}, "", "/topic/" + n); app.textContent = "topic " + n + " which is long ".repeat(99) }
		show("/list", make("button", "more", e => { e.target.remove(); return show("/more") }),
			make("div", "row x1", open(1)), make("div", "row x2", open(2)),
			make("button", "vote", () => {}))
	</script>`
	p, err := b.Render(t.Context(), visit(html, a))
	body := p.HTML[strings.Index(p.HTML, "<div id"):strings.Index(p.HTML, "<script>")]
	want := []Tried{{"button[.more]", 1, true, false}, {"div[.row]", 2, true, true}, {"button[.vote]", 1, false, false}}
	if err != nil || !strings.Contains(body, "topics ") || !strings.Contains(body, "more topics ") ||
		strings.Contains(body, "which is long") ||
		strings.Join(p.Left, " ") != "http://app.test/topic/1 http://app.test/topic/2" || !slices.Equal(p.Tried, want) {
		t.Errorf("%+v, %v", p, err)
	}
	if got := strings.Join(a.urls(), " "); got != "GET http://app.test/list GET http://app.test/more" {
		t.Errorf("requested %s", got)
	}
	skipping := visit(html, new(asked{texts: a.texts}))
	skipping.Plan = func(string) Plan { return Plan{Explore: true, Skip: []string{"div[.row]", "button[.vote]", Scrolling}} }
	if p, err = b.Render(t.Context(), skipping); err != nil || !slices.Equal(p.Tried, want[:1]) {
		t.Errorf("with controls to skip: %+v, %v", p, err)
	}
}

// TestRenderFlattens: what shadow trees and frames show is in the document, frames of other hosts
// and nested ones too.
func TestRenderFlattens(t *testing.T) {
	t.Parallel()
	b := start(t, Options{})
	a := &asked{texts: map[string]string{"/comments": `<p>comments of <iframe src=http://other.test/inner></iframe>`,
		"/inner": `<body class=in>an inner frame`}}
	p, err := b.Render(t.Context(), visit(`<!doctype html><x-post>title</x-post><iframe src=http://other.test/comments></iframe><p>after
		<script>document.querySelector("x-post").attachShadow({mode: "open"}).innerHTML =
			"<article><h1><slot></slot></h1><p>in the shadow</article>"</script>`, a))
	for _, want := range []string{`<x-post><article><h1><slot>title</slot></h1><p>in the shadow</p></article></x-post>`,
		`</iframe><div data-frame=""><div><p>comments of <iframe src="http://other.test/inner"></iframe>` +
			`<div data-frame=""><div class="in">an inner frame</div></div></p>`, `<p>after`} {
		if got := strings.ReplaceAll(p.HTML, "<div data-frame>", `<div data-frame="">`); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s is not in %s, %v", want, got, err)
		}
	}
}

// TestPagesThatMisbehave: hostile pages end within their time, and reach no server but through the network.
func TestPagesThatMisbehave(t *testing.T) {
	t.Parallel()
	reached := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.Path }))
	defer server.Close()
	socket := strings.Replace(server.URL, "http", "ws", 1)
	const endless = "all of it, for ever" // its timers decide whether it settles
	b, short := start(t, Options{}), start(t, Options{Time: 2 * time.Second})
	for name, c := range map[string]struct {
		script  string
		refused string // kind
		left    string
		settles bool
	}{
		"dialogs":   {`for (let i = 0; i < 20; i++) alert(i); document.body.append("end")`, "dialog", "", true},
		"websocket": {`new WebSocket("` + socket + `/socket"); document.body.append("end")`, "websocket", "", true},
		"popups": {`for (let i = 0; i < 5; i++) window.open("` + server.URL + `/popup"); document.body.append("end")`, "popup", "",
			true},
		"worker": {
			`new Worker(URL.createObjectURL(new Blob(["fetch('` + server.URL + `/worker')"]))); document.body.append("end")`, "worker",
			"", true},
		"download": {`const a = document.createElement("a"); a.download = "x"; a.href = "data:text/plain,x"; document.body.append(a)
			a.click(); a.remove(); document.body.append("end")`, "download", "", true},
		"refused": {`new Image().src = "` + server.URL + `/image.png"; document.body.append("end")`, "", "", true},
		"leaves":  {`document.body.append("end"); location.href = "/elsewhere"`, "", "http://app.test/elsewhere", true},
		"reloads": {`document.body.append("end"); location.reload()`, "", "", true},
		"unload":  {`window.onbeforeunload = () => "stay"; document.body.append("end")`, "", "", true},
		endless: {`document.body.append("end"); setInterval(() => { alert(1); window.open("` + server.URL + `/popup")
			new Worker(URL.createObjectURL(new Blob([""]))); onbeforeunload = () => "stay"; location.reload()
			new WebSocket("` + socket + `/socket") }, 50)`, "dialog", "", false},
		"requests": {`document.body.append("end"); setInterval(() => fetch("/more").catch(() => {}), 10)`, "", "", false},
	} {
		in := b
		if !c.settles {
			in = short
		}
		p, err := in.Render(t.Context(), visit("<body><script>"+c.script+"</script>", new(asked)))
		switch {
		case name == endless && errors.Is(err, ErrHung): // it ended, too
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case !strings.Contains(p.HTML, "</script>end"), c.refused != "" && p.Refused[c.refused] == 0,
			strings.Join(p.Left, " ") != c.left, p.Unsettled == c.settles && name != endless:
			t.Errorf("%s: %+v", name, p)
		}
	}
	select {
	case path := <-reached:
		t.Errorf("a page reached the server: %s", path)
	default:
	}
}

// TestBrowserIsRestarted: a page that hangs, or takes too much memory, ends its browser, and the next one is rendered.
func TestBrowserIsRestarted(t *testing.T) {
	t.Parallel()
	b := start(t, Options{Time: 3 * time.Second, Memory: 1 << 30})
	cases := map[string]error{`for (;;) {}`: ErrHung}
	if runtime.GOOS == "linux" {
		cases[`const all = []; setInterval(() => all.push(new Uint8Array(64 << 20).fill(1)), 10)`] = ErrMemory
	}
	for script, want := range cases {
		_, err := b.Render(t.Context(), visit("<body>"+`<script>`+script+`</script>`, new(asked)))
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", script, err, want)
		}
		p, err := b.Render(t.Context(), visit("<p>well", new(asked)))
		if err != nil || !strings.Contains(p.HTML, "<p>well") {
			t.Errorf("after %s: %q, %v", script, p.HTML, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Render(ended, visit("", new(asked))); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
