package fetch

import (
	"net/url"
	"regexp"
)

// loginPart is what stands before the host in a URL that cannot be parsed, or has no scheme.
var loginPart = regexp.MustCompile(`^((?:[A-Za-z][A-Za-z0-9+.-]*:)?//)?.*@`)

// WithoutPassword gives a URL without user and password, and whether it had them. Of what cannot be
// parsed it leaves out all that may be a password.
func WithoutPassword(raw string) (string, bool) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		shown := loginPart.ReplaceAllString(raw, "$1")
		return shown, shown != raw
	}
	if u.User == nil {
		return raw, false
	}
	u.User = nil
	return u.String(), true
}
