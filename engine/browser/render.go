package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// MostHTML bounds the length of a rendered document in bytes.
const MostHTML = 64 << 20

// Render loads a page, runs its scripts until it makes no more requests, and returns what they
// left. Then it takes the steps of the visit, or scrolls and clicks. A page that is not complete
// within Options.Time is returned as it is, with Unsettled. Errors are ErrHung, ErrMemory, that of
// ctx, and that the browser cannot be started or crashed.
func (b *Browser) Render(ctx context.Context, v Visit) (Page, error) {
	select {
	case b.tabs <- struct{}{}:
		defer func() { <-b.tabs }()
	case <-ctx.Done():
		return Page{}, ctx.Err()
	}
	p, err := b.running()
	if err != nil {
		return Page{}, err
	}
	life, cancel := context.WithCancel(p.ctx)
	defer context.AfterFunc(ctx, cancel)()
	asking, stop := context.WithCancel(ctx)
	tab, closeTab := chromedp.NewContext(life)
	defer closeTab()
	r := &rendering{Visit: v, result: Page{Refused: map[string]int{}}, changed: make(chan struct{}, 1)}
	rendered, err := r.run(asking, tab, b.options)
	stop()
	r.working.Wait()
	switch {
	case ctx.Err() != nil:
		return Page{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		b.endProcess(p, ErrHung)
		return Page{}, ErrHung
	case err != nil:
		return Page{}, b.cause(p, fmt.Errorf("rendering %s: %w", v.URL, err))
	}
	return rendered, nil
}

// rendering is a page at work.
type rendering struct {
	Visit
	changed chan struct{} // holds a token after a change of what follows

	working sync.WaitGroup // calls of Network

	mu       sync.Mutex
	result   Page
	inFlight int // requests without an answer
	requests int // with one
	loaded   bool
	crashed  bool
	clicking bool                 // the elements that react to clicks
	stepping bool                 // what the visit prescribes
	moved    bool                 // a click led to another page without a request for a document
	undone   int                  // clicks that were undone
	kept     int                  // bytes of answers
	main     cdp.FrameID          // frame of the page; "" before its request
	url      string               // that the page was requested with
	sent     int                  // how often the document was sent
	answers  map[string]*Response // by method, URL and body
}

// change changes the state of the page and notes that.
func (r *rendering) change(f func()) {
	r.mu.Lock()
	f()
	r.mu.Unlock()
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

func (r *rendering) run(ctx context.Context, tab context.Context, o Options) (Page, error) {
	if err := r.prepare(ctx, tab); err != nil {
		return Page{}, err
	}
	hung, cancel := context.WithTimeout(tab, o.Time+min(o.Time, hungAfter))
	defer cancel()
	if _, err := chromedp.Call(hung, page.Navigate, page.NavigateParams{URL: r.URL}); err != nil {
		return Page{}, err
	}
	over := time.NewTimer(o.Time)
	defer over.Stop()
	html, whole, err := r.act(hung, over.C, o)
	if err != nil {
		return Page{}, err
	}
	if len(html) > MostHTML {
		return Page{}, fmt.Errorf("the document has %d bytes after its scripts ran, more than %d", len(html), MostHTML)
	}
	var picture []byte
	if r.Screenshot {
		shot, err := chromedp.Call(hung, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: "png"})
		if err != nil {
			return Page{}, err
		}
		picture = shot.Data
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.HTML, r.result.Screenshot, r.result.Unsettled = html, picture, !whole
	return r.result, nil
}

// hungAfter is how long after its time a page may take to return its document.
const hungAfter = 30 * time.Second

// settle waits until the page is loaded and makes no request for a while. It returns false if time is over before.
func (r *rendering) settle(ctx context.Context, over <-chan time.Time, while time.Duration) (bool, error) {
	quiet := time.NewTimer(while)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-over:
			return false, nil
		case <-r.changed:
			quiet.Reset(while)
		case <-quiet.C:
			r.mu.Lock()
			done, crashed := r.loaded && r.inFlight == 0, r.crashed
			r.mu.Unlock()
			switch {
			case crashed:
				return false, errors.New("the page crashed")
			case done:
				return true, nil
			}
		}
	}
}

// prepare directs the requests of a tab to the network, and makes the tab close dialogs and popups.
func (r *rendering) prepare(ctx, tab context.Context) error {
	if err := chromedp.Do(tab); err != nil { // the tab lives as long as this context
		return err
	}
	own := chromedp.FromContext(tab).Target.TargetID
	err := chromedp.Listen(tab, func(event any) {
		switch e := event.(type) {
		case *fetch.EventRequestPaused:
			r.change(func() { r.inFlight++ })
			r.working.Go(func() {
				r.respond(ctx, tab, e)
				r.change(func() { r.inFlight-- })
			})
		case *page.EventLoadEventFired:
			r.change(func() { r.loaded = true })
		case *page.EventJavascriptDialogOpening:
			r.refuse("dialog")
			// An undone click leaves the page.
			leave := e.Type == page.DialogTypeBeforeunload
			go chromedp.Call(tab, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: leave}) // it may have closed
		case *page.EventNavigatedWithinDocument:
			r.change(func() { r.move(e) })
		case *network.EventWebSocketCreated:
			r.refuse("websocket")
		case *target.EventAttachedToTarget:
			if strings.HasSuffix(e.TargetInfo.Type, "worker") {
				r.refuse("worker")
			}
		}
	})
	if err != nil {
		return err
	}
	err = chromedp.ListenBrowser(tab, func(event any) {
		switch e := event.(type) {
		case *target.EventTargetCreated:
			if e.TargetInfo.OpenerID == own {
				r.refuse("popup")
				go chromedp.CallBrowser(tab, target.CloseTarget, target.CloseTargetParams{TargetID: e.TargetInfo.TargetID}) // likewise
			}
		case *browser.EventDownloadWillBegin:
			r.mu.Lock()
			isOwn := r.main == e.FrameID
			r.mu.Unlock()
			if isOwn {
				r.refuse("download")
			}
		case *target.EventTargetCrashed:
			if e.TargetID == own {
				r.change(func() { r.crashed = true })
			}
		}
	})
	if err != nil {
		return err
	}
	if _, err := chromedp.Call(tab, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true}); err != nil {
		return err
	}
	attach := target.SetAutoAttachParams{AutoAttach: true, Flatten: new(true)}
	if _, err := chromedp.Call(tab, target.SetAutoAttach, attach); err != nil { // to count workers
		return err
	}
	all := []*fetch.RequestPattern{{URLPattern: "*"}}
	_, err = chromedp.Call(tab, fetch.Enable, fetch.EnableParams{Patterns: all})
	return err
}

func (r *rendering) refuse(kind string) { r.change(func() { r.result.Refused[kind]++ }) }

// mostLeft bounds the addresses that are remembered of a page.
const mostLeft = 1000

// mostReloads is how often a page gets its document again. Pages that reload themselves more often do so for ever.
const mostReloads = 2

// respond answers a request of the page.
func (r *rendering) respond(ctx, tab context.Context, e *fetch.EventRequestPaused) {
	var response *Response
	var err error
	r.mu.Lock()
	submitted := false
	if e.ResourceType == network.ResourceTypeDocument && (r.main == "" || r.main == e.FrameID) {
		response = r.navigate(e)
		submitted = response == nil
	}
	r.mu.Unlock()
	if response == nil && isIcon(e) {
		err = errIcon
	} else if response == nil {
		req := request(e)
		r.mu.Lock()
		req.Clicked = r.clicking
		r.mu.Unlock()
		if response = r.known(req); response == nil {
			if response, err = r.Network(ctx, req); err == nil {
				r.keepAnswer(req, response)
			}
		}
	}
	if err != nil && submitted {
		response, err = &Response{Status: http.StatusNoContent}, nil // the page stays
		r.change(func() { r.loaded = true })
	}
	if err != nil {
		// The page may be closed already.
		_, _ = chromedp.Call(tab, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID,
			ErrorReason: network.ErrorReasonBlockedByClient})
		return
	}
	_, _ = chromedp.Call(tab, fetch.FulfillRequest, fetch.FulfillRequestParams{RequestID: e.RequestID, ResponseCode: int64(response.Status),
		ResponseHeaders: headers(response.Header), Body: response.Body})
}

// errIcon refuses the icon of a site, which the browser requests itself.
var errIcon = errors.New("no page requests it")

func isIcon(e *fetch.EventRequestPaused) bool {
	return e.ResourceType == network.ResourceTypeOther && strings.HasSuffix(e.Request.URL, "/favicon.ico")
}

// navigate answers the request for the document of the page, or for another one in its place: then
// the page stays. It returns nil for a form that a step sends with POST: only its answer has the
// content.
func (r *rendering) navigate(e *fetch.EventRequestPaused) *Response {
	if r.main == "" {
		r.main, r.url = e.FrameID, e.Request.URL
	}
	if r.stepping && e.Request.Method == http.MethodPost {
		r.loaded = false
		return nil
	}
	if e.Request.URL != r.url || e.Request.Method != http.MethodGet {
		r.leave(e.Request.URL)
	} else if r.sent++; r.sent <= 1+mostReloads {
		return &r.Document
	}
	r.loaded = true // the browser stops loading the page, and its load event may not come
	return &Response{Status: http.StatusNoContent}
}

// leave remembers an address that the page goes to; r.mu is held.
func (r *rendering) leave(to string) {
	switch {
	case slices.Contains(r.result.Left, to):
	case len(r.result.Left) < mostLeft:
		r.result.Left = append(r.result.Left, to)
	default:
		r.result.Refused["address"]++
	}
}

// move remembers the address that a click gave to the page; r.mu is held.
func (r *rendering) move(e *page.EventNavigatedWithinDocument) {
	to, _, _ := strings.Cut(e.URL, "#")
	if from, _, _ := strings.Cut(r.url, "#"); r.clicking && e.FrameID == r.main && to != from {
		r.moved = true
		r.leave(to)
	}
}

// mostKept bounds the answers that are kept for a page that is loaded again, in bytes.
const mostKept = 32 << 20

// known returns the answer that a request got before the page was loaded again, or nil.
func (r *rendering) known(req Request) *Response {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.undone == 0 {
		return nil
	}
	return r.answers[req.Method+" "+req.URL+"\n"+string(req.Body)]
}

// keepAnswer counts a request with an answer, and keeps the answer.
func (r *rendering) keepAnswer(req Request, answer *Response) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	if r.kept+len(answer.Body) > mostKept {
		return
	}
	if r.answers == nil {
		r.answers = map[string]*Response{}
	}
	r.kept += len(answer.Body)
	r.answers[req.Method+" "+req.URL+"\n"+string(req.Body)] = answer
}

// request returns an intercepted request without the fields that are the fetcher's own.
func request(e *fetch.EventRequestPaused) Request {
	r := Request{Method: e.Request.Method, URL: e.Request.URL, Header: http.Header{}, Kind: strings.ToLower(string(e.ResourceType))}
	for name, value := range e.Request.Headers {
		switch name = http.CanonicalHeaderKey(name); {
		case name == "User-Agent", name == "Accept-Encoding", name == "Cookie", name == "Host", name == "Connection",
			name == "Content-Length", name == "Upgrade-Insecure-Requests", strings.HasPrefix(name, "Sec-"):
		default:
			r.Header.Set(name, fmt.Sprint(value))
		}
	}
	for _, part := range e.Request.PostDataEntries {
		r.Body = append(r.Body, part.Bytes...)
	}
	return r
}

// headers returns the fields of a response without those that describe its transfer.
func headers(h http.Header) (all []*fetch.HeaderEntry) {
	for name, values := range h {
		switch name {
		case "Content-Encoding", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive":
			continue
		}
		for _, v := range values {
			all = append(all, &fetch.HeaderEntry{Name: name, Value: v})
		}
	}
	return all
}
