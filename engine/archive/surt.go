package archive

import (
	"bytes"
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// uriParts splits a URI without line breaks: scheme, authority, path, query. Every text matches.
var uriParts = regexp.MustCompile(`^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$`)

// Session ids that are no part of a key.
var (
	pathSessions = []*regexp.Regexp{
		regexp.MustCompile(`(?i)^(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)$`),
		regexp.MustCompile(`(?i)^(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)$`),
	}
	querySessions = []*regexp.Regexp{
		regexp.MustCompile(`(?i)^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$`),
		regexp.MustCompile(`(?i)^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$`),
		regexp.MustCompile(`(?i)^(.*)sid=[0-9a-z]{32}(?:&(.*))?$`),
		regexp.MustCompile(`(?i)^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$`),
		regexp.MustCompile(`(?i)^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$`),
	}
)

// surt returns the key under which the tools of web archives look a URL up: the Sort-friendly URI Reordering Transform as the Python
// package surt makes it, which pywb and cdxj-indexer use. The host is from the top level down without www, all is in lower case, what is
// escaped for no need is not, the parameters are sorted, and a slash at the end and session ids are gone. A URI that the package refuses
// stays as it is.
func surt(uri string) string {
	trimmed := strings.Trim(uri, " \t\n\r\v\f")
	if trimmed == "" || strings.HasPrefix(uri, "filedesc") {
		return cmp.Or(uri, "-")
	}
	scheme, authority, path, query := splitURI(trimmed)
	host, port, ok := splitHost(authority)
	if !ok {
		return uri
	}
	if host == "" && path != "" && strings.HasPrefix(scheme, "http") { // http:////host/path
		host, path, _ = strings.Cut(strings.TrimLeft(path, "/"), "/")
		path = "/" + path
	}
	path = unescape(path)
	host = normalHost(host, scheme)
	var key strings.Builder
	if host == "" {
		key.WriteString(scheme + ":")
	} else {
		path = normalPath(path)
		labels := strings.Split(host, ".")
		slices.Reverse(labels)
		key.WriteString(strings.Join(labels, ","))
		if port != 0 && port != defaultPort(scheme) {
			fmt.Fprintf(&key, ":%d", port)
		}
		key.WriteByte(')')
	}
	path = withoutSession(strings.ToLower(escape(path)), pathSessions)
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	query = sortedQuery(strings.ToLower(withoutSession(escape(unescape(query)), querySessions)))
	if path == "" && query != "" {
		path = "/"
	}
	key.WriteString(path)
	if query != "" {
		key.WriteString("?" + query)
	}
	return key.String()
}

// splitURI gives the parts of a URI. Without a scheme it is one of http, and of several the last counts.
func splitURI(uri string) (scheme, authority, path, query string) {
	uri = strings.NewReplacer("\n", "", "\r", "", "\t", "").Replace(uri)
	if uriParts.FindStringSubmatch(uri)[1] == "" {
		uri = "http://" + uri
	}
	for last := ""; ; {
		rest, found := strings.CutPrefix(uri, "https://")
		prefix := "https://"
		if !found {
			rest, found = strings.CutPrefix(uri, "http://")
			prefix = "http://"
		}
		if !found {
			uri = last + uri
			break
		}
		last, uri = prefix, rest
	}
	parts := uriParts.FindStringSubmatch(uri)
	return parts[1], parts[2], parts[3], parts[4]
}

// splitHost gives host and port of an authority; 0 is no port.
func splitHost(authority string) (host string, port uint16, ok bool) {
	authority = strings.TrimRight(authority, ":")
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	var digits string
	if _, bracketed, found := strings.Cut(authority, "["); found {
		host, digits, _ = strings.Cut(bracketed, "]")
		_, digits, _ = strings.Cut(digits, ":")
	} else {
		host, digits, _ = strings.Cut(authority, ":")
	}
	if digits == "" {
		return host, 0, true
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	return host, uint16(n), err == nil
}

func defaultPort(scheme string) uint16 {
	switch strings.ToLower(scheme) {
	case "http":
		return 80
	case "https":
		return 443
	}
	return 0
}

// normalHost gives a host in ASCII and lower case, an address in decimals, and no www before it.
func normalHost(host, scheme string) string {
	host = unescape(host)
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		mapping := idna.New(idna.MapForLookup(), idna.Transitional(true), idna.StrictDomainName(false), idna.VerifyDNSLength(true))
		if ascii, err := mapping.ToASCII(strings.ToValidUTF8(host, "")); err == nil {
			host = ascii
		}
	}
	host = strings.Trim(strings.ReplaceAll(host, "..", "."), ".")
	if addr, ok := address(host); ok {
		return addr
	}
	host = strings.ToLower(escape(host))
	if rest, found := strings.CutPrefix(host, "www"); found && scheme != "dns" {
		if rest, found = strings.CutPrefix(strings.TrimLeft(rest, "0123456789"), "."); found {
			return rest
		}
	}
	return host
}

// address reads an IPv4 address as inet_aton does: up to four numbers, octal ones after a 0, of which the last fills what is left.
func address(host string) (string, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 || strings.Trim(host, "0123456789.") != "" {
		return "", false
	}
	if len(parts) == 1 {
		n, err := strconv.ParseUint(host, 10, 64)
		return decimal(uint32(n)), err == nil
	}
	var sum uint32
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		last := i == len(parts)-1
		if err != nil || !last && n > 255 || last && n>>(8*(5-len(parts))) > 0 {
			return "", false
		}
		if last {
			sum |= uint32(n)
		} else {
			sum |= uint32(n) << (24 - 8*i)
		}
	}
	return decimal(sum), true
}

func decimal(n uint32) string {
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}).String()
}

// normalPath resolves dots in a path and drops empty segments, but for the last.
func normalPath(path string) string {
	if path == "" {
		return "/"
	}
	var kept []string
	for _, segment := range strings.Split(path, "/")[1:] {
		switch {
		case segment == ".":
		case segment == ".." && len(kept) > 0:
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, segment)
		}
	}
	var out strings.Builder
	out.WriteByte('/')
	for i, segment := range kept {
		out.WriteString(segment)
		if i < len(kept)-1 && segment != "" {
			out.WriteByte('/')
		}
	}
	return out.String()
}

// sortedQuery sorts the parameters of a query by name, then by value, none before an empty one.
func sortedQuery(query string) string {
	params := strings.Split(query, "&")
	slices.SortFunc(params, func(a, b string) int {
		nameA, valueA, hasA := strings.Cut(a, "=")
		nameB, valueB, hasB := strings.Cut(b, "=")
		switch c := strings.Compare(nameA, nameB); {
		case c != 0:
			return c
		case hasA != hasB && hasB:
			return -1
		case hasA != hasB:
			return 1
		}
		return strings.Compare(valueA, valueB)
	})
	return strings.Join(params, "&")
}

// withoutSession drops session ids: what the expressions match, but for their groups.
func withoutSession(s string, sessions []*regexp.Regexp) string {
	for _, session := range sessions {
		if m := session.FindStringSubmatch(s); m != nil {
			s = m[1] + m[2]
		}
	}
	return s
}

// unescape resolves all %XX, also those that come about by that.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		out = append(out, s[i])
		for n := len(out); n >= 3 && out[n-3] == '%'; n = len(out) {
			c, err := strconv.ParseUint(string(out[n-2:]), 16, 8)
			if err != nil || bytes.ContainsAny(out[n-2:], "+-_") {
				break
			}
			out = append(out[:n-3], byte(c))
		}
	}
	return string(out)
}

// escape escapes what is not printable ASCII, spaces, # and %.
func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '#' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
