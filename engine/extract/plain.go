package extract

import (
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// plainBase resolves the addresses that nearly all are, of which the URL Standard changes nothing: it puts them behind a part of the base.
type plainBase struct {
	origin string // scheme and host; "" where nothing is plain
	folder string // and path, up to its last slash
}

func plainBaseOf(base *whatwg.Url) plainBase {
	if !isWeb(base) {
		return plainBase{}
	}
	origin := base.Protocol() + "//" + base.Host()
	path := base.Pathname()
	return plainBase{origin, origin + path[:strings.LastIndexByte(path, '/')+1]}
}

// resolve makes an address absolute; false where it is not plain.
func (b plainBase) resolve(href string) (string, bool) {
	if b.origin == "" {
		return "", false
	}
	href, _, _ = strings.Cut(href, "#")
	path, of := href, b.origin
	if rest, ok := strings.CutPrefix(href, b.origin); ok {
		path = rest
	}
	if path == "" {
		return "", false
	}
	if path[0] != '/' {
		if len(path) < len(href) {
			return "", false // what continues the host
		}
		path, of = strings.TrimPrefix(path, "./"), b.folder
	}
	if !isPlain(path, of == b.origin) {
		return "", false
	}
	if len(path) < len(href) && of == b.origin {
		return href, true
	}
	return of + path, true
}

// What the bytes of a plain address may be.
const (
	inName    = 1 << iota // of its first part, where no path precedes it: a colon would end a scheme
	inPath                // of a path
	inQuery               // of a query
	beginning             // of a name
)

var plainBytes = func() (table [256]byte) {
	for c := range table {
		switch b := byte(c); {
		case 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_':
			table[c] = inName | inPath | inQuery | beginning
		case strings.IndexByte("-.~!$&()*+,;=", b) >= 0:
			table[c] = inName | inPath | inQuery
		case b == ':' || b == '@':
			table[c] = inPath | inQuery
		case b == '/' || b == '?' || b == '%':
			table[c] = inQuery
		}
	}
	return table
}()

// isPlain reports whether a path, with its query, stays as it is when it is parsed. One that is not rooted begins with a name.
func isPlain(path string, rooted bool) bool {
	want := byte(inPath)
	if !rooted {
		if path == "" || plainBytes[path[0]]&beginning == 0 {
			return false
		}
		want = inName
	}
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case plainBytes[c]&want != 0:
		case c == '?':
			want = inQuery
			if i == len(path)-1 {
				return false
			}
		case c == '%':
			if rest := path[i+1:]; len(rest) >= 2 && rest[0] == '2' && rest[1]|0x20 == 'e' {
				return false // a dot
			}
		case c == '/':
			want = inPath
			if rest := path[i+1:]; rest != "" && (rest[0] == '.' || i == 0 && rest[0] == '/') {
				return false // a part of dots, or a host
			}
		default:
			return false
		}
	}
	return true
}
