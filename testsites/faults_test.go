package testsites

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

var hello = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })

// fetch asks a real server for a path and returns status, headers, as much of the body as came, and the error.
func fetch(t *testing.T, h http.Handler, path string, most int64) (*http.Response, string, error) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	c := srv.Client()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := c.Get(srv.URL + path)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, most))
	return res, string(body), err
}

func TestUnavailableRelentsAfterNTries(t *testing.T) {
	h := Unavailable(hello, 2, 7*time.Second)
	for i, want := range []int{503, 503, 200} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/a?b", nil))
		if w.Code != want {
			t.Errorf("try %d: status %d, want %d", i+1, w.Code, want)
		}
		if want == 503 && w.Header().Get("Retry-After") != "7" {
			t.Errorf("Retry-After %q, want 7", w.Header().Get("Retry-After"))
		}
	}
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest("GET", "/other", nil)); w.Code != 503 {
		t.Errorf("another URL: status %d, want its own count", w.Code)
	}
}

func TestGarbageIsNoHTTP(t *testing.T) {
	if _, _, err := fetch(t, Garbage(), "/", 100); err == nil {
		t.Error("a client understood the answer")
	}
}

func TestEndlessGoesOn(t *testing.T) {
	_, body, err := fetch(t, Endless(0), "/", 100_000)
	if err != nil || len(body) != 100_000 {
		t.Errorf("%d bytes and %v, want as many as one reads", len(body), err)
	}
}

func TestRedirectLoopComesBack(t *testing.T) {
	h, path := RedirectLoop(3), "/x"
	var seen []string
	for range 5 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		path = w.Header().Get("Location")
		seen = append(seen, path)
	}
	if got := strings.Join(seen, " "); got != "/x?loop=0 /x?loop=1 /x?loop=2 /x?loop=0 /x?loop=1" {
		t.Error(got)
	}
}

func TestRobotsWrappersAnswerOnlyRobots(t *testing.T) {
	for _, h := range []http.Handler{RobotsError(hello, 503), Robots(hello, "User-agent: *\nDisallow: /\n")} {
		if _, body, _ := fetch(t, h, "/page", 100); body != "hello" {
			t.Errorf("the page answers %q", body)
		}
	}
	if res, _, _ := fetch(t, RobotsError(hello, 503), "/robots.txt", 100); res.StatusCode != 503 {
		t.Errorf("status %d", res.StatusCode)
	}
	if _, body, _ := fetch(t, Robots(hello, "Disallow: /\n"), "/robots.txt", 100); body != "Disallow: /\n" {
		t.Errorf("robots.txt is %q", body)
	}
}

func TestCutShortBreaksOff(t *testing.T) {
	_, body, err := fetch(t, CutShort(1000), "/", 5000)
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(body) != 500 {
		t.Errorf("%d bytes and %v, want half and an early end", len(body), err)
	}
}

func TestSlowWaits(t *testing.T) {
	start := time.Now()
	_, body, err := fetch(t, Slow(hello, 20*time.Millisecond), "/", 10)
	if err != nil || body != "hello" || time.Since(start) < 20*time.Millisecond {
		t.Errorf("%q, %v", body, err)
	}
}
