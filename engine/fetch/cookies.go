package fetch

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"
)

// Bounds on what a site can make the client remember and send.
const (
	maxCookie       = 4096     // bytes of name and value
	maxSiteCookies  = 180      // distinct cookies of a registrable domain
	maxCookieHeader = 16 << 10 // bytes of a Cookie header
	maxExpiry       = 1 << 37  // seconds of Unix, about the year 6300: later ones are in smaller units, or never
)

// cookies is a cookie jar that a hostile site cannot fill without end.
type cookies struct {
	jar *cookiejar.Jar
	mu  sync.Mutex
	// known has, by registrable domain, the cookies that were accepted.
	known map[string]map[string]bool
	state *state
}

// newCookies returns a jar with the cookies of a file in Netscape format, none when path is "".
func newCookies(path string) (*cookies, error) {
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		return nil, err
	}
	c := &cookies{jar: jar, known: make(map[string]map[string]bool)}
	if path == "" {
		return c, nil
	}
	list, err := ReadCookies(path)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		cookie := &http.Cookie{Name: f.name, Value: f.value, Path: f.path, Secure: f.secure, Expires: f.Expires}
		if f.Subdomains {
			cookie.Domain = f.Host
		}
		c.set(&url.URL{Scheme: "https", Host: f.Host, Path: f.path}, []*http.Cookie{cookie})
	}
	return c, nil
}

// FileCookie is a cookie of a file in Netscape format.
type FileCookie struct {
	Host       string
	Subdomains bool      // whether hosts below Host get it, too
	Expires    time.Time // zero for the end of the session

	name, value, path string
	secure            bool
}

// For reports whether a host gets the cookie.
func (f *FileCookie) For(host string) bool {
	return host == f.Host || f.Subdomains && strings.HasSuffix(host, "."+f.Host)
}

// ReadCookies reads a file in Netscape format, the cookies that have expired included.
func ReadCookies(path string) (list []FileCookie, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("option Cookies: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		cookie, err := readCookie(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if err != nil {
			return nil, fmt.Errorf("option Cookies: %s:%d: %w", path, n, err)
		}
		if cookie != nil {
			list = append(list, *cookie)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("option Cookies: %s: %w", path, err)
	}
	return list, nil
}

// readCookie reads one line: domain, whether subdomains get it too, path, whether https only, expiry in Unix
// seconds (0 = end of session), name, value; separated by tabs. Comments and empty lines give nil,
// but "#HttpOnly_" before the domain is a mark and no comment.
func readCookie(line string) (*FileCookie, error) {
	line = strings.TrimPrefix(strings.TrimRight(line, "\r"), "#HttpOnly_")
	if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
		return nil, nil
	}
	f := strings.Split(line, "\t")
	if len(f) == 1 {
		f = strings.Fields(line) // tabs that an editor turned into spaces
	}
	if len(f) == 6 {
		f = append(f, "") // editors strip the tab before an empty value
	}
	if len(f) != 7 {
		return nil, fmt.Errorf("%d fields separated by tabs instead of 7", len(f))
	}
	expires, err := strconv.ParseFloat(cmp.Or(strings.TrimSpace(f[4]), "0"), 64) // browsers export fractions
	if err != nil && !math.IsInf(expires, 1) || math.IsNaN(expires) {
		return nil, errors.New("the expiry is not a number of seconds") // the field may be the value of a cookie
	}
	cookie := &FileCookie{Host: strings.TrimPrefix(f[0], "."), Subdomains: strings.EqualFold(f[1], "TRUE"), path: f[2],
		secure: strings.EqualFold(f[3], "TRUE"), name: f[5], value: f[6]}
	if expires > 0 {
		cookie.Expires = time.Unix(int64(min(expires, maxExpiry)), 0)
	}
	return cookie, nil
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
		id := cookie.Domain + "\t" + cookie.Path + "\t" + cookie.Name
		if cookie.Path == "" {
			id = cookie.Domain + "\t" + u.Path + "\t" + cookie.Name // the jar derives the path from that of u
		}
		if len(cookie.Name)+len(cookie.Value) > maxCookie || !known[id] && len(known) >= maxSiteCookies {
			continue
		}
		known[id] = true
		accepted = append(accepted, cookie)
		c.state.put(held{Key: "cookie " + u.Hostname() + "\t" + id, Cookie: remembered(u, cookie)})
	}
	c.jar.SetCookies(u, accepted)
}
