package fetch

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"
)

// Bounds on what a site can make the client remember and send.
const (
	maxCookie       = 4096     // bytes of name and value
	maxSiteCookies  = 180      // distinct cookies of a registrable domain
	maxCookieHeader = 16 << 10 // bytes of a Cookie header
)

// cookies is a cookie jar that a hostile site cannot fill without end.
type cookies struct {
	jar *cookiejar.Jar
	mu  sync.Mutex
	// known has, by registrable domain, the cookies that were accepted.
	known map[string]map[string]bool
	state *state
}

// newCookies returns a jar with the cookies of a file.
func newCookies(list []FileCookie) (*cookies, error) {
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		return nil, err
	}
	c := &cookies{jar: jar, known: make(map[string]map[string]bool)}
	for _, f := range list {
		cookie := &http.Cookie{Name: f.name, Value: f.value, Path: f.path, Secure: f.secure, Expires: f.Expires}
		host := f.Host
		if f.Subdomains {
			cookie.Domain = f.Host
		}
		if strings.Contains(host, ":") { // IPv6
			host = "[" + host + "]"
		}
		c.set(&url.URL{Scheme: "https", Host: host, Path: f.path}, []*http.Cookie{cookie})
	}
	return c, nil
}

// header returns the Cookie header for u, "" when there is none.
func (c *cookies) header(u *url.URL) string {
	var b strings.Builder
	for _, cookie := range c.jar.Cookies(u) {
		pair := cookie.Name + "=" + cookie.Value
		if b.Len()+len(pair) > maxCookieHeader {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(pair)
	}
	return b.String()
}

// store takes in the Set-Cookie fields of an answer from u.
func (c *cookies) store(u *url.URL, h http.Header) {
	if len(h["Set-Cookie"]) > 0 {
		c.set(u, (&http.Response{Header: h}).Cookies())
	}
}

func (c *cookies) set(u *url.URL, list []*http.Cookie) {
	site, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname())
	if err != nil {
		site = u.Hostname() // an address, or a public suffix itself
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.known[site]
	if known == nil {
		known = make(map[string]bool)
		c.known[site] = known
	}
	accepted := list[:0:0]
	for _, cookie := range list {
		id := cookieID(u, cookie)
		if len(cookie.Name)+len(cookie.Value) > maxCookie || !known[id] && len(known) >= maxSiteCookies {
			continue
		}
		known[id] = true
		accepted = append(accepted, cookie)
		c.state.put(held{Key: "cookie " + id, Cookie: remembered(u, cookie)})
	}
	c.jar.SetCookies(u, accepted)
}

// cookieID is what makes a cookie another one to the jar: its host or domain, its path and its name (RFC 6265, 5.3).
func cookieID(u *url.URL, c *http.Cookie) string {
	domain, path := strings.ToLower(strings.TrimPrefix(c.Domain, ".")), c.Path
	if domain == "" {
		domain = strings.ToLower(u.Hostname())
	}
	if !strings.HasPrefix(path, "/") {
		path = "/"
		if last := strings.LastIndex(u.Path, "/"); last > 0 {
			path = u.Path[:last]
		}
	}
	return domain + "\t" + path + "\t" + c.Name
}
