package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// programs are the names that Chromium has in the packages of operating systems.
var programs = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// Find returns the path of an installed Chromium. The error names the programs it looked for.
func Find() (string, error) {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no browser: none of %v is in PATH; install Chromium, for example with apt-get install chromium", programs)
}

// Options configures a [Browser].
type Options struct {
	// Path is the program, as [Find] returns it.
	Path string
	// Folder keeps the browser's profile and is deleted by Close. It must not exist or be empty.
	Folder string
	// UserAgent is what scripts read in navigator.userAgent. "" keeps the browser's own.
	UserAgent string
	// Time bounds the rendering of a page. 0 means two minutes.
	Time time.Duration
	// NoClicks leaves buttons and other elements that react to clicks alone.
	NoClicks bool
	// Settle is how long a page must have made no request before it counts as complete. 0 means 500 ms.
	Settle time.Duration
	// Memory bounds the resident memory of all processes of the browser in bytes, on Linux only. A
	// browser that exceeds it is killed. 0 means 2 GiB.
	Memory int64
}

func (o Options) withDefaults() Options {
	if o.Time == 0 {
		o.Time = 2 * time.Minute
	}
	if o.Settle == 0 {
		o.Settle = 500 * time.Millisecond
	}
	if o.Memory == 0 {
		o.Memory = 2 << 30
	}
	return o
}

// Request is a request that a page makes.
type Request struct {
	Method, URL string
	Header      http.Header
	Body        []byte
	Clicked     bool   // made after a click that Browser chose itself
	Kind        string // such as "script", "fetch" and "document"; see Fetch.requestPaused of the DevTools protocol
}

// Response is the answer to a request. Body has no transfer or content coding.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Network answers the requests of a page. An error refuses the request: the page sees that it
// failed. A page makes several requests at once.
type Network func(context.Context, Request) (*Response, error)

// Visit is a page to render. Its document is known; Network is called for all other requests.
type Visit struct {
	URL      string
	Document Response
	Network  Network
	// Plan returns what the browser does on the rendered page. Nil: it scrolls and clicks.
	Plan func(html string) Plan
	// Screenshot takes a picture of the page at its end.
	Screenshot bool
}

// Plan says what the browser does on a page.
type Plan struct {
	// Steps come first, in this order.
	Steps []Step
	// Explore scrolls and clicks, as long as that brings something.
	Explore bool
	// Skip are controls that Explore leaves alone; see [Tried].
	Skip []string
	// Worth measures what a document holds; what Explore does has brought something if it grows.
	// Nil: any new text or link counts.
	Worth func(html string) int
}

// Tried is what Browser tried by itself on a page.
type Tried struct {
	// Control is an expression of the knowledge base that selects the clicked elements and others
	// of their kind, or [Scrolling].
	Control string
	// Times is the number of clicks, or 1 for scrolls.
	Times int
	// Brought reports that the page was then worth more, or went to another address.
	Brought bool
	// Leaves reports that a click replaced the page with another one of its application, which was
	// undone.
	Leaves bool
}

// Page is a page after its scripts ran.
type Page struct {
	HTML string // the document, serialised
	// Left are the addresses that the scripts tried to replace the page with, or showed after a click,
	// each once.
	Left []string
	// Scrolls is how often the page was scrolled to its end: until that brought no more text.
	Scrolls int
	// Clicks is how many elements were clicked.
	Clicks int
	// Steps says which steps were taken, in their order, and on how many elements.
	Steps []string
	// Tried lists the controls that the browser clicked by itself, and scrolls, the first one first.
	Tried []Tried
	// Screenshot is a PNG of the part of the page that a window of 800 x 600 pixels shows.
	Screenshot []byte
	// Unsettled reports that the page still loaded something when Options.Time was over, or after the
	// last permitted scroll.
	Unsettled bool
	// Refused counts what a page tried besides requests, by kind: "websocket", "popup", "dialog",
	// "download", "worker" (which runs, but gets no answers), and bounds that were reached: "click"
	// for elements, "repeat" for steps, "frame" for frames, "address" for each of Left.
	Refused map[string]int
}

// ErrHung means that a page did not respond any more, and the browser was killed.
var ErrHung = errors.New("the page does not respond; the browser was restarted")

// ErrMemory means that the browser needed more than Options.Memory, and was killed.
var ErrMemory = errors.New("the page takes more memory than the browser may have; the browser was restarted")

// mostTabs bounds the pages that are rendered at once.
const mostTabs = 2

// Browser is a Chromium that starts with the first page, and again after it was killed. Its methods
// may be called by several goroutines at once.
type Browser struct {
	options Options
	tabs    chan struct{}

	mu      sync.Mutex
	process *process // nil: none runs
}

// process is a running Chromium.
type process struct {
	ctx  context.Context
	kill context.CancelFunc
	died error // why it was killed; guarded by Browser.mu
}

// New returns a browser, which starts with the first page.
func New(o Options) *Browser {
	return &Browser{options: o.withDefaults(), tabs: make(chan struct{}, mostTabs)}
}

// Close ends the browser and deletes its folder.
func (b *Browser) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end(nil)
	if b.options.Folder == "" {
		return nil
	}
	return os.RemoveAll(b.options.Folder)
}

// end kills the running process; b.mu is held.
func (b *Browser) end(cause error) {
	if p := b.process; p != nil {
		p.died, b.process = cause, nil
		p.kill()
	}
}

// endProcess kills a process that is of no use any more, if it still runs.
func (b *Browser) endProcess(p *process, cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.process == p {
		b.end(cause)
	}
}

// cause returns why a process was killed, or else err.
func (b *Browser) cause(p *process, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.died != nil {
		return p.died
	}
	return err
}

// running returns the running process and starts one where there is none.
func (b *Browser) running() (*process, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.process; p != nil && p.ctx.Err() == nil {
		return p, nil
	}
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), b.flags()...)
	ctx, end := chromedp.NewContext(allocator)
	kill := func() { end(); endAllocator() }
	if err := chromedp.Do(ctx); err != nil {
		kill()
		return nil, fmt.Errorf("starting %s: %w", b.options.Path, err)
	}
	_, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior,
		browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny, EventsEnabled: new(true)})
	if err != nil {
		kill()
		return nil, fmt.Errorf("preparing %s: %w", b.options.Path, err)
	}
	b.process = &process{ctx: ctx, kill: kill}
	go b.watchMemory(b.process)
	return b.process, nil
}

// flags are the browser's arguments. It resolves no name and its proxy is a closed port, so pages get
// nothing but the answers of a [Network]. All frames of a page run in one process; otherwise the
// requests of frames from other sites would not be intercepted.
func (b *Browser) flags() []chromedp.ExecAllocatorOption {
	flags := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(b.options.Path), chromedp.DisableGPU,
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"), chromedp.ProxyServer("http://127.0.0.1:9"),
		chromedp.Flag("proxy-bypass-list", "<-loopback>"), chromedp.Flag("force-webrtc-ip-handling-policy", "disable_non_proxied_udp"),
		chromedp.Flag("disable-features", "Translate,IsolateOrigins,site-per-process"),
		chromedp.Flag("disable-site-isolation-trials", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("mute-audio", true), chromedp.Flag("disable-quic", true), chromedp.Flag("js-flags", "--max-old-space-size=512"))
	if b.options.Folder != "" {
		flags = append(flags, chromedp.UserDataDir(b.options.Folder))
	}
	if b.options.UserAgent != "" {
		flags = append(flags, chromedp.UserAgent(b.options.UserAgent))
	}
	if os.Geteuid() == 0 {
		flags = append(flags, chromedp.NoSandbox) // Chromium refuses to run as root with it
	}
	return flags
}

// memoryEvery is the time between two looks at the memory of the browser.
const memoryEvery = time.Second

// watchMemory kills a process that takes too much memory.
func (b *Browser) watchMemory(p *process) {
	running := chromedp.FromContext(p.ctx).Browser
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-tick.C:
			if root := running.Process(); root != nil && memoryOf(root.Pid) > b.options.Memory {
				b.endProcess(p, ErrMemory)
				return
			}
		}
	}
}
