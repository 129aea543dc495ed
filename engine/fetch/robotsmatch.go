package fetch

import "strings"

// Allowed reports whether the product token agent (such as "awarc", see [ProductToken]) may fetch url, which is
// absolute and as it is sent: bytes outside ASCII that [Escape] would encode match stars only, as the reference has it.
// The groups of the agent count or, when the file has none, the groups of "*". Of the matching rules, the longest
// decides, and allow wins over an equal disallow; where none matches everything is allowed
// (RFC 9309, 2.2.2). The file /robots.txt itself is always allowed.
func (r *Robots) Allowed(agent, url string) bool {
	path := comparable(pathOf(url), true)
	switch {
	case path == "/robots.txt" || r.access == RobotsAllowAll:
		return true
	case r.access == RobotsUnreachable:
		return false
	}
	g := r.group(agent)
	if g == nil {
		return true
	}
	longest, allowed := -1, true
	for _, section := range g.rules {
		for i := range section.rules {
			rule := &section.rules[i]
			n := rule.length
			if n < longest || n == longest && (allowed || !rule.allow) {
				continue // cannot change the answer
			}
			if matches(path, rule.pattern) {
				longest, allowed = n, rule.allow
			} else if n := len(rule.directory); n > 0 && n >= longest && matches(path, rule.directory) {
				longest, allowed = n, true
			}
		}
	}
	return allowed
}

// group returns the group that applies to agent, nil when there is none.
func (r *Robots) group(agent string) *robotsGroup {
	if g := r.groups[strings.ToLower(agent)]; g != nil && agent != "*" {
		return g
	}
	return r.groups["*"]
}

// robotsRule is one Allow or Disallow line with a value.
type robotsRule struct {
	pattern string // as comparable has it
	length  int    // of the pattern in bytes, which ranks the rules that match
	allow   bool
	// directory is a second pattern that an Allow of an index page stands for: people who allow
	// /a/index.html mean that /a/ may be fetched, too.
	directory string
}

func newRobotsRule(pattern string, allow bool) robotsRule {
	pattern = comparable(pattern, false)
	rule := robotsRule{pattern: literalDollars(pattern), length: len(pattern), allow: allow}
	if slash := strings.LastIndexByte(pattern, '/'); allow && slash >= 0 && strings.HasPrefix(pattern[slash:], "/index.htm") {
		rule.directory = pattern[:slash+1] + "$"
	}
	return rule
}

// matches reports whether pattern matches a beginning of path: * stands for any bytes, and $ at the end for the end of path. It takes
// the leftmost place for each part between stars, which is never worse than a later one, so that the time does not explode.
func matches(path, pattern string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	part, rest, star := strings.Cut(pattern, "*")
	if !strings.HasPrefix(path, part) {
		return false
	}
	path = path[len(part):]
	for star {
		part, rest, star = strings.Cut(rest, "*")
		if !star && anchored {
			return strings.HasSuffix(path, part)
		}
		i := strings.Index(path, part)
		if i < 0 {
			return false
		}
		path = path[i+len(part):]
	}
	return !anchored || path == ""
}

// pathOf returns the path and query of an absolute URL, "/" at least.
func pathOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	url, _, _ = strings.Cut(url, "#")
	i := strings.IndexAny(url, "/?;")
	if i < 0 {
		return "/"
	}
	if url[i] != '/' {
		return "/" + url[i:]
	}
	return url[i:]
}

const upperHex = "0123456789ABCDEF"

// inASCII %-encodes bytes outside ASCII and writes the digits of escapes in upper case, so that
// grobotstxt, which garbles other escapes, changes nothing.
func inASCII(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); i++ {
		if c, ok := escapeAt(s, i); ok {
			writeEscape(&b, c)
			i += 2
		} else if s[i] >= 0x80 {
			writeEscape(&b, s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// escapeAt decodes the escape that begins at byte i, if one does.
func escapeAt(s string, i int) (c byte, ok bool) {
	if s[i] != '%' || i+2 >= len(s) || unhex(s[i+1]) < 0 || unhex(s[i+2]) < 0 {
		return 0, false
	}
	return byte(unhex(s[i+1])<<4 | unhex(s[i+2])), true
}

// comparable writes the path of a URL, or a pattern, in the one way that makes them comparable byte by
// byte (RFC 9309, 2.2.2 and 2.2.3): unreserved characters (RFC 3986, 2.3) are not %-encoded, what may not
// stand in a URI is, and the digits of an escape are upper case. The * and $ of a path become %2A and %24,
// so that they match these escapes in a pattern, which are the literal characters.
func comparable(s string, path bool) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		c, escaped := escapeAt(s, i)
		if escaped {
			i += 2
		} else {
			c = s[i]
		}
		switch {
		case unreserved(c):
			b.WriteByte(c)
		case escaped, path && (c == '*' || c == '$'), c < 0x80 && !reserved(c) && c != '%':
			writeEscape(&b, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// literalDollars escapes the $ of a pattern that do not stand at its end, as comparable does those of paths.
func literalDollars(pattern string) string {
	start, anchored := strings.CutSuffix(pattern, "$")
	start = strings.ReplaceAll(start, "$", "%24")
	if anchored {
		start += "$"
	}
	return start
}

func writeEscape(b *strings.Builder, c byte) {
	b.WriteByte('%')
	b.WriteByte(upperHex[c>>4])
	b.WriteByte(upperHex[c&15])
}

// unhex returns the value of a hexadecimal digit, -1 for other bytes.
func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// reserved reports whether c is one of the reserved characters of RFC 3986, 2.2.
func reserved(c byte) bool { return strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0 }
