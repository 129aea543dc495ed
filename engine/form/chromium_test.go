package form

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/tools/txtar"

	"github.com/awarc/awarc/engine/fetch"
)

var record = flag.Bool("record", false, "write testdata/sent.tsv by what Chromium sends")

const sentFile = "testdata/sent.tsv"

// site serves the forms of forms.txtar, and hands out what is sent for them.
type site struct {
	*httptest.Server
	pages map[string]page
	names []string // in the order of the file
	sent  chan string
}

type page struct {
	text    []byte
	charset string
}

func newSite(t *testing.T) *site {
	t.Helper()
	data, err := os.ReadFile("testdata/forms.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{pages: map[string]page{}, sent: make(chan string, 10)}
	for _, f := range txtar.Parse(data).Files {
		p := page{bytes.TrimSpace(f.Data), "utf-8"}
		if label := path.Dir(f.Name); label != "." {
			enc, _ := charset.Lookup(label)
			p.charset = label
			if p.text, err = encoding.HTMLEscapeUnsupported(enc.NewEncoder()).Bytes(p.text); err != nil {
				t.Fatal(err)
			}
		}
		s.pages["/pages/"+f.Name] = p
		s.names = append(s.names, f.Name)
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP serves a page when it is opened, and reports any other request.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, isPage := s.pages[r.URL.Path]
	switch {
	case isPage && r.Method == http.MethodGet && r.URL.Query().Get("opened") == "ü":
		w.Header().Set("Content-Type", "text/html; charset="+p.charset)
		_, _ = w.Write(p.text)
	case r.Header.Get("Sec-Fetch-Dest") == "image", r.Header.Get("Sec-Fetch-Dest") == "object", r.URL.Path == "/favicon.ico":
		http.NotFound(w, r)
	default:
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "sent")
		s.sent <- sentLine(r, body)
	}
}

var boundary = regexp.MustCompile(`boundary=(\S+)`)

// sentLine is what was sent, without the random text between parts.
func sentLine(r *http.Request, body []byte) string {
	kind := r.Header.Get("Content-Type")
	if m := boundary.FindStringSubmatch(kind); m != nil {
		kind = strings.ReplaceAll(kind, m[1], "BOUNDARY")
		body = bytes.ReplaceAll(body, []byte(m[1]), []byte("BOUNDARY"))
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s", r.Method, r.RequestURI, kind, strconv.QuoteToASCII(string(body)))
}

func (s *site) address(name string) string { return s.URL + "/pages/" + name + "?opened=ü" }

// submit sends the form of a page as the page says.
func (s *site) submit(t *testing.T, client *fetch.Client, name string) string {
	t.Helper()
	ex, err := client.Do(t.Context(), s.address(name), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := ex.HTML()
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(s.address(name))
	if err != nil {
		t.Fatal(err)
	}
	r, err := submitAsSaid(Read(text.HTML, text.Charset, at))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if r.Method == http.MethodPost {
		ex, err = client.Post(t.Context(), r.URL, http.Header{"Content-Type": {r.Type}}, r.Body)
	} else {
		ex, err = client.Do(t.Context(), r.URL, nil)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := ex.Close(); err != nil {
		t.Fatal(err)
	}
	return <-s.sent
}

func submitAsSaid(p *Page) (Request, error) {
	for _, f := range p.Forms {
		for _, c := range f.Controls {
			switch attribute(c.node, "id") {
			case "enter":
				return f.Submit(nil)
			case "press":
				return f.Submit(c)
			}
		}
	}
	return p.Forms[0].submit(nil)
}

// TestFormsAreSentAsByChromium compares with what was recorded of Chromium.
func TestFormsAreSentAsByChromium(t *testing.T) {
	data, err := os.ReadFile(sentFile)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, sent, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		want[name] = sent
	}
	s := newSite(t)
	client, err := fetch.New(fetch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	// The standard leaves out controls in a datalist, and Chromium does not.
	const differs = "datalist.html"
	want[differs] = strings.Replace(want[differs], "&s=in&d=2", "", 1)
	equal := 0
	for _, name := range s.names {
		if got := s.submit(t, client, name); got != want[name] {
			t.Errorf("%s\n got %s\nwant %s", name, got, want[name])
		} else if name != differs {
			equal++
		}
	}
	t.Logf("%d of %d forms are sent as by Chromium", equal, len(s.names))
}

// TestChromiumSendsAsRecorded has Chromium submit each form, and compares what it sends with what was recorded.
func TestChromiumSendsAsRecorded(t *testing.T) {
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("skipped: chromium is not installed, see cmd/awarc/testdata/e2e/tools.sh")
	}
	s := newSite(t)
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.Headless,
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true))
	defer cancel()
	ctx, leave := chromedp.NewContext(allocator)
	defer leave()
	ctx, late := context.WithTimeout(ctx, 20*time.Minute)
	defer late()
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(800, 600)); err != nil { // the browser lives as long as this context
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range s.names {
		fmt.Fprintf(&b, "%s\t%s\n", name, s.inBrowser(ctx, t, name))
	}
	if *record {
		if err := os.WriteFile(sentFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(sentFile)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(data) {
		t.Errorf("this Chromium sends otherwise; -record writes what it sends:\n%s", b.String())
	}
}

// inBrowser opens a page, submits its form and gives what was sent.
func (s *site) inBrowser(ctx context.Context, t *testing.T, name string) string {
	t.Helper()
	ctx, leave := chromedp.NewContext(ctx) // a tab, so that no page replaces one that is under way
	defer leave()
	ctx, late := context.WithTimeout(ctx, 5*time.Minute)
	defer late()
	if err := chromedp.Do(ctx, chromedp.Navigate(s.address(name))); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	enter, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`(() => {
		const enter = document.getElementById("enter"), press = document.getElementById("press");
		for (const form of document.forms) form.noValidate = true;
		if (press) press.click();
		else if (!enter) document.forms[0].submit();
		else if ([...enter.form.elements].some((e) => e.type === "submit")) return true;
		else enter.form.requestSubmit(); // Enter does nothing in forms of several fields without a button
		return false;
	})()`, chromedp.EvalAwaitPromise))
	if err == nil && enter {
		err = chromedp.Do(ctx, chromedp.SendKeys(chromedp.CSS("#enter"), "\r"))
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	select {
	case sent := <-s.sent:
		return sent
	case <-ctx.Done():
		t.Errorf("%s: nothing was sent", name)
		return "nothing"
	}
}
