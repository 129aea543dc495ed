package graph

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IRI returns the IRI by which graphs name an address: what RFC 3987 has no place for is percent-encoded, such as spaces, brackets in a
// query, a percent sign that begins no escape, and bytes that are not UTF-8. An address that is an IRI already is its own. It returns ""
// for what has no scheme, or breaks the rules of its scheme: http, https, ftp and ws want a host, urn a namespace, file two slashes.
func IRI(address string) string {
	if !hasScheme(address) {
		return ""
	}
	rest, fragment, hasFragment := strings.Cut(address, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	scheme, path, _ := strings.Cut(rest, ":")
	authority, hasAuthority := "", strings.HasPrefix(path, "//")
	if hasAuthority {
		end := len(path)
		if i := strings.IndexByte(path[2:], '/'); i >= 0 {
			end = 2 + i
		}
		authority, path = encodeAuthority(path[2:end]), path[end:]
	}
	path = encode(path, ":@/")
	if !obeysScheme(strings.ToLower(scheme), authority, path, hasAuthority, hasQuery) {
		return ""
	}
	var b strings.Builder
	b.Grow(len(address))
	b.WriteString(scheme + ":")
	if hasAuthority {
		b.WriteString("//" + authority)
	}
	b.WriteString(path)
	if hasQuery {
		b.WriteString("?" + encode(query, ":@/?"))
	}
	if hasFragment {
		b.WriteString("#" + encode(fragment, ":@/?"))
	}
	return b.String()
}

// hasScheme reports whether s starts as an absolute IRI does and goes on after the colon.
func hasScheme(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || rest == "" || scheme == "" {
		return false
	}
	for i := range len(scheme) {
		c := scheme[i] | 0x20
		if (c < 'a' || c > 'z') && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(scheme[i]))) {
			return false
		}
	}
	return true
}

// urnPath is what RFC 8141 wants behind "urn:"; the one of a UUID is in its place.
var urnPath = regexp.MustCompile(`^(?i:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z0-9][a-z0-9-]{0,30}[a-z0-9]:.+)$`)

func obeysScheme(scheme, authority, path string, hasAuthority, hasQuery bool) bool {
	switch scheme {
	case "http", "https", "ftp", "ws", "wss":
		_, host, _ := cutLast(authority, '@')
		return host != "" && host[0] != ':'
	case "file":
		return hasAuthority
	case "urn":
		uuid := len(path) >= 5 && strings.EqualFold(path[:5], "uuid:")
		return !hasAuthority && !hasQuery && urnPath.MatchString(path) && (!uuid || len(path) == len("uuid:")+36)
	}
	return true
}

// cutLast cuts s around the last separator; without one, all is behind it.
func cutLast(s string, separator byte) (before, after string, found bool) {
	i := strings.LastIndexByte(s, separator)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

func encodeAuthority(authority string) string {
	user, host, hasUser := cutLast(authority, '@')
	if hasUser {
		user = encode(user, ":") + "@"
	}
	name, port := host, ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 && (i+1 == len(host) || digits(host[i+1:])) && (host[0] != '[' || host[i-1] == ']') {
		name, port = host[:i], host[i:]
	}
	if inner, ok := strings.CutPrefix(name, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); ok && ipLiteral(inner) {
			return user + name + port
		}
	}
	return user + encode(name, "") + port
}

var futureIP = regexp.MustCompile(`^[vV][0-9a-fA-F]+\.[-._~!$&'()*+,;=:a-zA-Z0-9]+$`)

// ipLiteral reports whether an address may stand in brackets.
func ipLiteral(s string) bool {
	ip, err := netip.ParseAddr(s)
	return err == nil && ip.Is6() && ip.Zone() == "" || futureIP.MatchString(s)
}

// encode percent-encodes all but what any part of an IRI may hold, escapes, and the characters of also.
func encode(s, also string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r < utf8.RuneSelf && (inIRI[r] || strings.IndexByte(also, byte(r)) >= 0) || r == '%' && escape(s[i:]) ||
			r >= utf8.RuneSelf && size > 1 && ucschar(r) {
			i += size
			continue
		}
		b.WriteString(s[done:i])
		for _, c := range []byte(s[i : i+size]) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
		i += size
		done = i
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// inIRI has the ASCII characters that every part of an IRI may hold: unreserved ones and sub-delims.
var inIRI = func() (in [utf8.RuneSelf]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=" {
		in[c] = true
	}
	return in
}()

// escape reports whether s begins with a percent-encoded byte.
func escape(s string) bool {
	hex := func(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
	return len(s) > 2 && hex(s[1]) && hex(s[2])
}

// ucschar reports whether RFC 3987 takes a character beyond ASCII: not private ones, which it takes in queries alone, and not those that
// only turn the direction of writing. Spaces, which nobody sees and some tools refuse, are not taken either.
func ucschar(r rune) bool {
	switch {
	case unicode.IsSpace(r) || r >= 0x200e && r <= 0x200f || r >= 0x202a && r <= 0x202e:
		return false
	case r < 0x10000:
		return r >= 0xa0 && r <= 0xd7ff || r >= 0xf900 && r <= 0xfdcf || r >= 0xfdf0 && r <= 0xffef
	}
	return r < 0xe0000 && r&0xffff <= 0xfffd || r >= 0xe1000 && r <= 0xefffd
}
