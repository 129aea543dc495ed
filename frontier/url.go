package frontier

import (
	"crypto/sha256"
	"errors"
	"strings"
	"time"
	"unicode/utf8"
)

// A URL is a discovered address with what its discoverer knows about it. The
// frontier interprets URL, Key and Priority; it carries the other fields from Add to
// Next and to Lookup.
type URL struct {
	URL       string // absolute, as it will be requested; at most 32 KiB
	Key       string // canonical identity; "" means URL itself
	Via       string // the page that named it; in Outcome.Links "" means the leased URL
	Hops      int    // links between a seed and this URL
	Path      string // kinds of the hops by which Via led here from a seed; cut at 1 KiB
	Priority  int    // higher comes first within the host; equals come breadth first
	Immediate bool   // before all that are not, for any priority
	Decisive  bool   // its priority replaces the one of a scheduled URL, for any Options.Update
	Type      string // type id that the page is expected to have
	Level     string // level id that the page is expected to have
	Anchor    string // link text; cut at 512 bytes
	Seed      bool   // named by the user
	Forced    bool   // for the caller; a forced URL is still taken once only
	Redirects int    // redirects followed in a row to get here
	Modified  int64  // when a sitemap says that the page was last changed, Unix time in seconds; 0 where none says
	Why       string // the caller's explanation of the priority; dropped if longer than 1 KiB

	// Family, if it is not empty, defers the URL: it waits behind all others in the family of that name, which is cut at 500
	// bytes, until it is drawn or named without a family. A seed is never deferred. For a drawn URL it names the family.
	Family string
}

// State is what became of a URL, or in an Outcome what shall become of it.
type State uint8

// The states. Pending is the state of an entry only; Retry and Defer are verdicts
// of an Outcome only; PutOff is both; Aliased comes from Outcome.Aliases.
const (
	Pending  State = iota // accepted, not settled
	Fetched               // captured
	Failed                // all tries failed
	Excluded              // never to be fetched: robots, scope, not a usable URL
	Aliased               // captured under another key
	PutOff                // accepted, waiting in its family, not scheduled
	Retry                 // try again later, this was a try
	Defer                 // put back at the front of the host, this was not a try
	states   = int(PutOff) + 1
)

// String returns the state in lower case.
func (s State) String() string {
	names := [...]string{"pending", "fetched", "failed", "excluded", "aliased", "deferred", "retry", "defer"}
	if int(s) < len(names) {
		return names[s]
	}
	return "unknown"
}

// An Entry is what the frontier knows about one key.
type Entry struct {
	URL                 // as first added; the highest priority brings its Via, Anchor, Type, Level and Why
	Scores    int       // number of priorities taken in; except for Avg and Sum, only new highest ones
	State     State     // Pending while it is leased, too
	Reason    string    // of the last outcome; cut at 1 KiB
	Tries     int       // exchanges that ended as Fetched, Failed or Retry
	Added     time.Time // first accepted
	Settled   time.Time // given its final state; zero while pending or deferred
	NotBefore time.Time // of a pending URL: end of its back-off; zero if there is none
	Batched   bool      // pending, and not to be leased before its batch is complete
}

// Bounds of what is stored about one URL: hostile pages choose these strings.
const (
	maxURL    = 32 << 10
	maxAnchor = 512
	maxReason = 1 << 10
	maxWhy    = 1 << 10
	maxHost   = 255 + len(":65535")
)

// HostOf returns the authority of an absolute URL in lower case, without user
// name and default port: "example.com", "example.com:8080", "[::1]:8080". That is
// the name under which the frontier keeps pace and note of a host. The schemes
// http and https of one authority share it.
//
// It reads no more of the URL than it must, so that addresses that net/url
// refuses, such as http://example.com/100%, can be crawled.
func HostOf(rawURL string) (string, error) {
	if len(rawURL) > maxURL {
		return "", errors.New("URL longer than 32 KiB")
	}
	scheme, rest, ok := strings.Cut(rawURL, "://")
	if !ok || scheme == "" || strings.ContainsAny(scheme, "/?#@ ") {
		return "", errors.New("URL not absolute")
	}
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		rest = rest[:end]
	}
	host := strings.ToLower(rest[strings.LastIndexByte(rest, '@')+1:])
	switch strings.ToLower(scheme) {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	host = strings.TrimSuffix(host, ":")
	if host == "" || host[0] == ':' {
		return "", errors.New("URL without a host")
	}
	if len(host) > maxHost {
		return "", errors.New("host name longer than DNS allows")
	}
	for i := range len(host) {
		if host[i] <= ' ' || host[i] == 0x7f {
			return "", errors.New("host name with a space or control character")
		}
	}
	return host, nil
}

// hash names a mark in the file.
type hash [16]byte

func hashOf(key string) hash {
	sum := sha256.Sum256([]byte(key))
	return hash(sum[:16])
}

// key returns the identity of the URL.
func (u URL) key() string {
	if u.Key != "" {
		return u.Key
	}
	return u.URL
}

// why is the URL's Why as it is kept: whole or not at all, since nobody could read a part.
func (u URL) why() string {
	if len(u.Why) > maxWhy {
		return ""
	}
	return strings.Clone(u.Why)
}

// clip cuts s to at most n bytes without splitting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n])
}
