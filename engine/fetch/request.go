package fetch

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/idna"
)

// request is ready to be sent.
type request struct {
	method   string
	url      string // as asked for
	scheme   string // http or https
	host     string // ASCII name or address, without brackets
	port     string
	hostPort string   // value of Host: the port only where it is not the scheme's own
	target   string   // origin form: path and query
	parsed   *url.URL // for the cookie jar
	bytes    []byte   // the head that an origin server gets, but for a password and cookies that are hidden
	cookie   string   // value of Cookie, sent and not recorded
	body     []byte   // of other methods than GET

	h2         bool // by HTTP/2
	noALPN     bool // the server of a new connection chose no protocol
	authorized bool // the caller's fields have an Authorization, or there is a secret

	secret *Secret // sent and not recorded; nil for none
}

// key names the connections that can serve r.
func (r *request) key() string { return r.scheme + "://" + r.host + ":" + r.port }

// absolute returns r.bytes in absolute form, with the credentials of a plain HTTP proxy.
func (r *request) absolute(authorization string) []byte {
	_, rest, _ := strings.Cut(string(r.bytes), "\r\n")
	head := r.method + " " + r.scheme + "://" + r.hostPort + r.target + " HTTP/1.1\r\n"
	if authorization != "" {
		head += "Proxy-Authorization: " + authorization + "\r\n"
	}
	return []byte(head + rest)
}

// parseURL splits rawURL. The path and query go on the wire exactly as they are
// written there (only bytes that may not stand in a request line are %-encoded), so
// that URLs which net/url would refuse or rewrite, such as /%zz, are fetched as the site links them.
func parseURL(rawURL string) (*request, error) {
	r := &request{url: rawURL, method: http.MethodGet}
	scheme, rest, ok := strings.Cut(rawURL, "://")
	r.scheme = strings.ToLower(scheme)
	if !ok || r.scheme != "http" && r.scheme != "https" {
		return nil, errors.New("not an http or https URL")
	}
	rest, _, _ = strings.Cut(rest, "#")
	authority := rest
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, r.target = rest[:i], rest[i:]
	}
	if !strings.HasPrefix(r.target, "/") {
		r.target = "/" + r.target
	}
	r.target = Escape(r.target)

	u, err := url.Parse(r.scheme + "://" + authority + "/")
	if err != nil {
		return nil, fmt.Errorf("host part %q: %w", authority, err)
	}
	r.host, r.port = u.Hostname(), u.Port()
	if net.ParseIP(r.host) == nil && !strings.Contains(r.host, "%") { // an address may have a zone
		if r.host, err = idna.Lookup.ToASCII(r.host); err != nil {
			// Names that IDNA refuses, such as those with an underscore, exist all the same.
			r.host = strings.ToLower(u.Hostname())
		}
	}
	if r.host, err = numericHost(r.host); err != nil {
		return nil, err
	}
	if r.host == "" || !httpguts.ValidHostHeader(r.host) {
		return nil, fmt.Errorf("no valid host in %q", authority)
	}
	r.hostPort = r.host
	if strings.Contains(r.host, ":") {
		address, _, _ := strings.Cut(r.host, "%") // a zone means nothing to the server
		r.hostPort = "[" + address + "]"
	}
	standard := map[string]string{"http": "80", "https": "443"}[r.scheme]
	if r.port == "" {
		r.port = standard
	}
	if r.port != standard {
		r.hostPort += ":" + r.port
	}
	path, query, hasQuery := strings.Cut(r.target, "?")
	r.parsed = &url.URL{Scheme: r.scheme, User: u.User, Host: r.hostPort, Path: path, RawQuery: query, ForceQuery: hasQuery}
	return r, nil
}

// numericHost returns the IPv4 address that browsers see in names such as 127.1, 0x7f.1 and 2130706433, and other names as they are. Left
// to itself each resolver would see something else in them.
func numericHost(host string) (string, error) {
	last := strings.TrimSuffix(host, ".")
	last = last[strings.LastIndexByte(last, '.')+1:]
	if last == "" || last[0] < '0' || last[0] > '9' || strings.Contains(host, ":") {
		return host, nil
	}
	u, err := whatwg.Parse("http://" + host + "/")
	if err != nil {
		return "", fmt.Errorf("no valid host in %q: %w", host, err)
	}
	return u.Hostname(), nil
}

// Escape %-encodes the bytes of a URL that would break a request line, as Do does.
func Escape(s string) string {
	bad := func(c byte) bool { return c <= ' ' || c >= 0x7f }
	var b strings.Builder
	for i := range len(s) {
		if bad(s[i]) {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// acceptEncoding prefers what every reader of WARC files decodes.
const acceptEncoding = "gzip, deflate, br;q=0.9, zstd;q=0.8"

// newRequest builds the GET of rawURL. Fields of extra replace those of the client; Host,
// Connection and the framing fields are the client's own.
func (c *Client) newRequest(rawURL string, extra http.Header) (*request, error) {
	r, err := parseURL(rawURL)
	if err != nil {
		return nil, err
	}
	fields := [][2]string{{"Host", r.hostPort}, {"User-Agent", c.userAgent}}
	if c.from != "" {
		fields = append(fields, [2]string{"From", c.from})
	}
	fields = append(fields,
		[2]string{"Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
		[2]string{"Accept-Encoding", acceptEncoding})
	cookie := c.cookies.header(r.parsed)
	if c.opts.HideCookies {
		r.cookie, cookie = cookie, ""
	}
	if cookie != "" {
		fields = append(fields, [2]string{"Cookie", cookie})
	}
	if fields, err = override(fields, extra); err != nil {
		return nil, err
	}
	r.authorized = slices.ContainsFunc(fields, func(f [2]string) bool { return f[0] == "Authorization" })
	var b strings.Builder
	b.WriteString("GET " + r.target + " HTTP/1.1\r\n")
	for _, f := range fields {
		b.WriteString(f[0] + ": " + f[1] + "\r\n")
	}
	b.WriteString("\r\n")
	r.bytes = []byte(b.String())
	return r, nil
}

// override replaces fields by those of extra and appends the others, sorted by name.
func override(fields [][2]string, extra http.Header) ([][2]string, error) {
	names := make([]string, 0, len(extra))
	for name := range extra {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		canonical := http.CanonicalHeaderKey(name)
		switch canonical {
		case "Host", "Connection", "Content-Length", "Transfer-Encoding", "Expect", "Upgrade", "Te":
			return nil, fmt.Errorf("header field %s is reserved for the client", canonical)
		}
		fields = slices.DeleteFunc(fields, func(f [2]string) bool { return f[0] == canonical })
		for _, value := range extra[name] {
			if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
				return nil, fmt.Errorf("header field %q: %q cannot be sent", name, value)
			}
			fields = append(fields, [2]string{canonical, value})
		}
	}
	return fields, nil
}

func basicAuth(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// identify derives User-Agent and From from Options.
func identify(userAgent, contact string) (agent, from string, err error) {
	if userAgent == "" {
		userAgent = "awarc"
	}
	switch {
	case contact == "":
	case strings.HasPrefix(contact, "http://"), strings.HasPrefix(contact, "https://"):
		userAgent += " (+" + contact + ")"
	default:
		address, err := mail.ParseAddress(strings.TrimPrefix(contact, "mailto:"))
		if err != nil {
			return "", "", fmt.Errorf("option Contact %q is neither an http(s) URL nor a mail address", contact)
		}
		from = address.Address
		userAgent += " (+mailto:" + from + ")"
	}
	if !httpguts.ValidHeaderFieldValue(userAgent) || !httpguts.ValidHeaderFieldValue(from) {
		return "", "", fmt.Errorf("option UserAgent %q or Contact %q has characters that headers forbid", userAgent, contact)
	}
	if ProductToken(userAgent) == "" {
		return "", "", fmt.Errorf("option UserAgent %q must begin with a name of letters, - and _, which robots.txt files can address",
			userAgent)
	}
	return userAgent, from, nil
}
