package testsites

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// answer is one answer of a site.
type answer struct {
	status      int
	header      http.Header
	body        string
	contentType string
}

// client asks a handler directly; with a jar it keeps cookies, as wget does.
type client struct {
	h       http.Handler
	cookies map[string]string
}

func newClient(h http.Handler, keepCookies bool) *client {
	c := &client{h: h}
	if keepCookies {
		c.cookies = map[string]string{}
	}
	return c
}

func (c *client) get(t testing.TB, u string) answer {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, u, nil)
	for n, v := range c.cookies {
		r.AddCookie(&http.Cookie{Name: n, Value: v})
	}
	w := httptest.NewRecorder()
	c.h.ServeHTTP(w, r)
	res := w.Result()
	if c.cookies != nil {
		for _, ck := range res.Cookies() {
			c.cookies[ck.Name] = ck.Value
		}
	}
	return answer{res.StatusCode, res.Header, w.Body.String(), res.Header.Get("Content-Type")}
}

// links lists what a blind crawler follows on a page: every href and src, resolved, without fragment.
func links(t *testing.T, page string, a answer) []string {
	t.Helper()
	base, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	if loc := a.header.Get("Location"); loc != "" {
		return resolve(t, base, loc)
	}
	if !strings.Contains(a.contentType, "html") {
		return nil
	}
	doc, err := html.Parse(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, at := range n.Attr {
			if n.Data == "base" && at.Key == "href" {
				if b, err := base.Parse(at.Val); err == nil {
					base = b
				}
			} else if at.Key == "href" || at.Key == "src" {
				out = append(out, resolve(t, base, at.Val)...)
			}
		}
	}
	return out
}

func resolve(t *testing.T, base *url.URL, ref string) []string {
	t.Helper()
	u, err := base.Parse(ref)
	if err != nil {
		t.Errorf("%s: bad link %q: %v", base, ref, err)
		return nil
	}
	if u.Host != base.Host || u.Scheme != base.Scheme {
		return nil
	}
	u.Fragment, u.RawFragment = "", ""
	return []string{u.String()}
}

// walk follows every link from the front page and returns the answers; it stops the test past limit.
func walk(t *testing.T, c *client, start string, limit int) (map[string]answer, map[string]string) {
	t.Helper()
	seen := map[string]answer{}
	via := map[string]string{start: ""}
	queue := []string{start}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		a := c.get(t, u)
		seen[u] = a
		if len(seen) > limit {
			t.Fatalf("no end after %d pages; the last one is %s via %s", limit, u, via[u])
		}
		for _, l := range links(t, u, a) {
			if _, ok := via[l]; !ok {
				via[l] = u
				queue = append(queue, l)
			}
		}
	}
	return seen, via
}
