package fetch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/idna"

	"github.com/awarc/awarc/engine/infile"
)

const (
	maxCookieFile = 64 << 20 // bytes: arbitrary, all cookies of a browser have a few MB
	maxExpiry     = 1 << 37  // seconds of Unix, about the year 6300: later ones are in smaller units, or never
)

// CookieFile is a file of cookies, including expired ones.
type CookieFile struct {
	Cookies []FileCookie
	// Wrong are the lines, or the items of JSON, that are not cookies. Each error names its place.
	Wrong []error
}

// FileCookie is a cookie of a file.
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

// FileCookies returns what Options.Cookies names.
func (c *Client) FileCookies() CookieFile { return c.file }

// ReadCookies reads a file in Netscape format (cookies.txt), or the JSON that extensions of browsers
// and browser drivers export: a list of cookies, or an object that has one as "cookies". A line or an
// item that is not a cookie costs only itself. A file without any cookie beside such is an error.
func ReadCookies(path string) (file CookieFile, err error) {
	data, err := infile.ReadStream(path, maxCookieFile)
	if err != nil {
		return file, fmt.Errorf("option Cookies: %w", err)
	}
	data = infile.Text(data)
	if start := bytes.TrimSpace(data); len(start) > 0 && (start[0] == '{' || start[0] == '[' && json.Valid(start)) {
		if err := file.readJSON(path, start); err != nil {
			return file, fmt.Errorf("option Cookies: %s: %w", path, err)
		}
	} else {
		for i, line := range infile.Lines(data) {
			cookie, err := readCookie(line)
			file.add(cookie, err, fmt.Sprintf("%s:%d", path, i+1))
		}
	}
	if len(file.Cookies) == 0 && len(file.Wrong) > 0 {
		return file, fmt.Errorf("option Cookies: %w; expected cookies.txt (Netscape format) or a browser's export as JSON", file.Wrong[0])
	}
	return file, nil
}

func (f *CookieFile) add(cookie *FileCookie, err error, place string) {
	if err == nil && cookie != nil {
		err = cookie.check()
	}
	switch {
	case err != nil:
		f.Wrong = append(f.Wrong, fmt.Errorf("%s: %w", place, err))
	case cookie != nil:
		f.Cookies = append(f.Cookies, *cookie)
	}
}

// readCookie reads one line: domain, whether subdomains get it too, path, whether https only, expiry in Unix
// seconds (0 = end of session), name, value; separated by tabs, or by spaces that an editor made of them.
// Comments and empty lines give nil, but "#HttpOnly_" before the domain is a mark and no comment.
func readCookie(line string) (*FileCookie, error) {
	line = strings.TrimPrefix(line, "#HttpOnly_")
	if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
		return nil, nil
	}
	const most = 7
	f := strings.SplitN(line, "\t", most)
	if len(f) < most-1 {
		f = fieldsN(line, most)
	}
	if len(f) == most-1 {
		f = append(f, "") // editors strip the tab before an empty value
	}
	if len(f) != most {
		return nil, fmt.Errorf("%d fields separated by tabs instead of 7", len(f))
	}
	for i := range f[:most-1] {
		f[i] = strings.TrimSpace(f[i])
	}
	cookie := &FileCookie{Host: f[0], Subdomains: strings.EqualFold(f[1], "TRUE") || strings.HasPrefix(f[0], "."), path: f[2],
		secure: strings.EqualFold(f[3], "TRUE"), name: f[5], value: f[6]}
	return cookie, cookie.expire(f[4])
}

// fieldsN splits at white space into at most n fields, of which the last may hold some.
func fieldsN(s string, n int) (out []string) {
	for s = strings.TrimLeft(s, " \t"); s != ""; s = strings.TrimLeft(s, " \t") {
		end := strings.IndexAny(s, " \t")
		if end < 0 || len(out) == n-1 {
			return append(out, strings.TrimRight(s, " \t"))
		}
		out, s = append(out, s[:end]), s[end:]
	}
	return out
}

// expire takes over the seconds of Unix at which the cookie expires: browsers export fractions, and
// "" or what is not positive for cookies of a session.
func (f *FileCookie) expire(text string) error {
	seconds, err := strconv.ParseFloat(cmp.Or(strings.TrimSpace(text), "0"), 64)
	if err != nil && !math.IsInf(seconds, 1) || math.IsNaN(seconds) {
		return errors.New("the expiry is not a number of seconds") // the field may be the value of a cookie
	}
	if seconds > 0 {
		f.Expires = time.Unix(int64(min(seconds, maxExpiry)), 0)
	}
	return nil
}

// check brings the host into the form of URLs, and reports a cookie that no site can get.
func (f *FileCookie) check() error {
	host := strings.TrimPrefix(f.Host, ".")
	if _, rest, ok := strings.Cut(host, "://"); ok { // written by hand
		host, _, _ = strings.Cut(rest, "/")
	}
	if h, port, err := net.SplitHostPort(host); err == nil && port != "" {
		host = h
	}
	host = strings.Trim(host, "[]")
	if ip, err := netip.ParseAddr(host); err == nil {
		host, f.Subdomains = ip.String(), false
	} else if host, err = idna.Lookup.ToASCII(host); err != nil || host == "" {
		return errors.New("the domain is not the name of a host")
	}
	f.Host = host
	if !strings.HasPrefix(f.path, "/") {
		f.path = "/"
	}
	switch {
	case f.name == "":
		return errors.New("the cookie has no name")
	case len(f.name)+len(f.value) > maxCookie:
		return fmt.Errorf("the cookie is longer than %d bytes", maxCookie)
	case strings.ContainsAny(f.name, "=; ") || strings.Contains(f.value, ";") || !httpguts.ValidHeaderFieldValue(f.name+f.value):
		return errors.New("name or value has characters that cookies cannot have")
	}
	return nil
}

// jsonCookie has the names of EditThisCookie, Cookie-Editor, Playwright, Puppeteer and Selenium.
type jsonCookie struct {
	Name, Value, Domain, Path, Host, URL string

	HostOnly                        *bool
	Secure, Session                 bool
	ExpirationDate, Expires, Expiry json.RawMessage // seconds, which some write as a string
}

// readJSON reads an export as JSON.
func (f *CookieFile) readJSON(path string, data []byte) error {
	var list []json.RawMessage
	if data[0] == '{' {
		var state struct{ Cookies []json.RawMessage }
		if err := json.Unmarshal(data, &state); err != nil {
			return err
		}
		if list = state.Cookies; list == nil {
			return errors.New(`the JSON has no list "cookies"`)
		}
	} else if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for i, item := range list {
		var c jsonCookie
		err := json.Unmarshal(item, &c)
		domain := cmp.Or(c.Domain, c.Host, c.URL)
		cookie := &FileCookie{Host: domain, Subdomains: strings.HasPrefix(domain, "."), path: c.Path, secure: c.Secure,
			name: c.Name, value: c.Value}
		if c.HostOnly != nil {
			cookie.Subdomains = !*c.HostOnly
		}
		if err == nil && !c.Session {
			for _, seconds := range []json.RawMessage{c.ExpirationDate, c.Expires, c.Expiry} {
				if text := strings.Trim(string(seconds), `"`); text != "" && text != "null" {
					err = errors.Join(err, cookie.expire(text))
				}
			}
		}
		f.add(cookie, err, fmt.Sprintf("%s: cookie %d", path, i+1))
	}
	return nil
}
