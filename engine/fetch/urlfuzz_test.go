package fetch

import (
	"net/netip"
	"strings"
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// FuzzParseURL: a URL is refused, or its host and target can stand in a request, and where browsers see an address the host
// is that address.
func FuzzParseURL(f *testing.F) {
	for _, raw := range []string{
		"http://site.example/a?b#c", "https://me:pass@site.example:8443/", "http://127.1/", "http://0x7f.1/", "http://2130706433/",
		"http://017700000001/", "http://127.0.0.1./",
		"http://[::ffff:127.0.0.1]/", "http://[::1%25lo]/", "http://１２７.０.０.１/", "http://1.2.3.4.5/", "http://b\u00fccher.example/",
		"http://%31%32%37.1/", "http://a_b.example/",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		r, err := parseURL(raw)
		if err != nil {
			return
		}
		if r.host == "" || strings.ContainsAny(r.hostPort+r.target, " \r\n\t\x00") || r.target[0] != '/' {
			t.Errorf("host %q, target %q", r.hostPort, r.target)
		}
		u, err := whatwg.Parse(raw)
		if err != nil || !strings.HasPrefix(u.Protocol(), "http") || strings.ContainsAny(r.host, "+-") {
			return // the library takes +1 for a number, browsers do not
		}
		browser, err := netip.ParseAddr(strings.Trim(u.Hostname(), "[]"))
		if err != nil {
			return
		}
		ours, err := netip.ParseAddr(r.host)
		if err != nil || ours.WithZone("").Unmap() != browser.Unmap() {
			t.Errorf("%q: browsers see %s, we see %q", raw, browser, r.host)
		}
	})
}
