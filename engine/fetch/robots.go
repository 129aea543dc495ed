package fetch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/jimsmart/grobotstxt"
	"github.com/temoto/robotstxt"
)

const (
	// MaxRobotsRedirects is how many redirects in a row a crawler follows to a robots.txt (RFC 9309, 2.3.1.2); with
	// more it passes the status of the last redirect to [ParseRobots].
	MaxRobotsRedirects = 5
	// MaxRobotsSize bounds the bytes of a robots.txt that are read; RFC 9309, 2.5, requires at least 500 KiB.
	MaxRobotsSize = 512 << 10

	robotsLife     = 24 * time.Hour      // RFC 9309, 2.4
	robotsRetry    = 10 * time.Minute    // between two tries to get a robots.txt that is unreachable
	robotsPatience = 30 * 24 * time.Hour // RFC 9309, 2.3.1.4: unreachable for longer is unavailable
	maxSitemaps    = 10_000              // remembered of one file
)

// RobotsAccess is what the answer to a request for robots.txt means for the rest of the host.
type RobotsAccess uint8

const (
	// RobotsRules: the file is there; its rules apply.
	RobotsRules RobotsAccess = iota
	// RobotsAllowAll: there is no file; everything may be fetched.
	RobotsAllowAll
	// RobotsUnreachable: the server could not say; nothing may be fetched for now.
	RobotsUnreachable
)

// RobotsPolicy returns the policy for the status of the answer (after redirects), or for the error of the exchange.
// A success means rules. 429, 5xx and every failure of the network mean unreachable (RFC 9309, 2.3.1.4; 429 says "later",
// not "never"). Everything else, other 4xx above all, means that there is no file (2.3.1.3).
func RobotsPolicy(status int, err error) RobotsAccess {
	switch {
	case err != nil || status < 200 || status == http.StatusTooManyRequests || status >= 500:
		return RobotsUnreachable
	case status < 300:
		return RobotsRules
	}
	return RobotsAllowAll
}

// Robots is what is known of the robots.txt of one host. It is not changed after it is made and safe for concurrent use.
type Robots struct {
	access   RobotsAccess
	status   int
	body     []byte
	fetched  time.Time
	failing  time.Time // first of the tries that failed without a success between; zero: the last one succeeded
	groups   map[string]*robotsGroup
	sitemaps []string
}

// robotsGroup is what applies to one product token, lower case, or to "*". Tokens that a file names together share
// the sections, so that a file of many names and many rules takes no more memory than its own size.
type robotsGroup struct {
	rules  []*robotsSection
	delays []*robotsDelay
}

// robotsSection is a run of rules after a run of User-agent lines.
type robotsSection struct{ rules []robotsRule }

// robotsDelay is a run of Crawl-delay lines after a run of User-agent lines.
type robotsDelay struct{ values []string }

// ParseRobots makes the Robots of an answer: the status after redirects (0 when there was no answer), the decoded body, and
// the time of the answer. It never fails: lines that mean nothing are skipped, and of a body larger than MaxRobotsSize
// the whole lines within it count.
func ParseRobots(status int, body []byte, fetched time.Time) *Robots {
	r := &Robots{access: RobotsPolicy(status, nil), status: status, fetched: fetched}
	switch r.access {
	case RobotsUnreachable:
		r.failing = fetched
	case RobotsRules:
		if len(body) > MaxRobotsSize {
			body = body[:MaxRobotsSize]
			body = body[:bytes.LastIndexAny(body, "\r\n")+1] // half a rule forbids or allows too much
		}
		r.body = bytes.Clone(body)
		r.parse()
	}
	return r
}

// After returns r in the light of prev, the Robots that it replaces (nil: none). While the file is unreachable the
// rules of an earlier copy stay in force; without one everything is forbidden, until the file has been unreachable for 30
// days, when it counts as absent (RFC 9309, 2.3.1.4 and 2.4).
func (r *Robots) After(prev *Robots) *Robots {
	if prev == nil || r.access != RobotsUnreachable {
		return r
	}
	merged := *r
	if !prev.failing.IsZero() {
		merged.failing = prev.failing
	}
	switch {
	case prev.access != RobotsUnreachable:
		merged.access, merged.body, merged.groups, merged.sitemaps = prev.access, prev.body, prev.groups, prev.sitemaps
	case r.fetched.Sub(merged.failing) >= robotsPatience:
		merged.access = RobotsAllowAll
	}
	return &merged
}

// Access reports whether rules apply, everything is allowed, or nothing is for now.
func (r *Robots) Access() RobotsAccess { return r.access }

// Status is the status that the file was answered with, 0 for no answer.
func (r *Robots) Status() int { return r.status }

// Fetched is the time of the answer.
func (r *Robots) Fetched() time.Time { return r.fetched }

// Expires returns when the file must be fetched again: after 24 hours, or after 10 minutes when it was unreachable.
func (r *Robots) Expires() time.Time {
	if !r.failing.IsZero() {
		return r.fetched.Add(robotsRetry)
	}
	return r.fetched.Add(robotsLife)
}

// Expired reports whether the file must be fetched again.
func (r *Robots) Expired(now time.Time) bool { return !now.Before(r.Expires()) }

// Sitemaps returns the values of the Sitemap lines, in the order of the file, each once, at most 10,000.
func (r *Robots) Sitemaps() (all []string) {
	for _, value := range r.sitemaps {
		all = append(all, readByTemoto("Sitemap", value).Sitemaps...)
	}
	return all
}

// CrawlDelay returns the Crawl-delay for the product token agent, 0 when none is given. Without a group of its own the
// agent gets the delay of "*". It is not bounded: the caller has a longest wait.
func (r *Robots) CrawlDelay(agent string) time.Duration {
	g := r.group(agent)
	if g == nil {
		return 0
	}
	var wait time.Duration
	for _, d := range g.delays { // a token may be named several times: the politest
		for _, value := range d.values {
			asked := readByTemoto("Crawl-delay", value).FindGroup("*").CrawlDelay
			if asked < 0 { // more than a Duration holds: what is written with a minus is refused
				asked = math.MaxInt64
			}
			wait = max(wait, asked)
		}
	}
	return wait
}

// Marshal returns r as bytes for UnmarshalRobots.
func (r *Robots) Marshal() []byte {
	header, err := json.Marshal(robotsNote{r.access, r.status, r.fetched, r.failing})
	if err != nil {
		// Only a year outside 0 to 9999 can do this. A note that cannot be read is an absent one.
		return nil
	}
	return append(append(header, '\n'), r.body...)
}

// robotsNote is the first line of the form that Marshal makes; the file as it was follows.
type robotsNote struct {
	Access  RobotsAccess `json:"access"`
	Status  int          `json:"status"`
	Fetched time.Time    `json:"fetched"`
	Failing time.Time    `json:"failing"`
}

// UnmarshalRobots reads what Marshal made.
func UnmarshalRobots(data []byte) (*Robots, error) {
	header, body, ok := bytes.Cut(data, []byte{'\n'})
	var note robotsNote
	if !ok {
		return nil, errors.New("robots note: no first line")
	}
	if err := json.Unmarshal(header, &note); err != nil {
		return nil, fmt.Errorf("robots note: %w", err)
	}
	if note.Access > RobotsUnreachable || len(body) > MaxRobotsSize {
		return nil, fmt.Errorf("robots note: access %d with a file of %d bytes", note.Access, len(body))
	}
	r := &Robots{access: note.Access, status: note.Status, fetched: note.Fetched, failing: note.Failing}
	if r.access == RobotsRules {
		r.body = bytes.Clone(body)
		r.parse()
	}
	return r, nil
}

// ProductToken returns the part of a User-Agent header that robots.txt files address: the ASCII letters, - and _ that
// it begins with (RFC 9309, 2.2.1). It is "" when it begins otherwise.
func ProductToken(userAgent string) string {
	for i := range len(userAgent) {
		if c := userAgent[i]; (c|0x20 < 'a' || c|0x20 > 'z') && c != '-' && c != '_' {
			return userAgent[:i]
		}
	}
	return userAgent
}

// parse fills groups and sitemaps from body; the values of delays and sitemaps are read by temoto/robotstxt when they are asked
// for. grobotstxt finds the lines and their meaning, with the tolerance for
// misspellings that made it the reference; it sees a body in ASCII.
func (r *Robots) parse() {
	r.groups = make(map[string]*robotsGroup)
	body := r.body
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		body = decodeText(body, "").HTML // UTF-16, which editors save
	}
	for _, b := range []byte("\xef\xbb\xbf") { // a byte order mark, or the part of one that survived
		body = bytes.TrimPrefix(body, []byte{b})
	}
	grobotstxt.Parse(inASCII(string(body)), &robotsBuilder{robots: r, sitemapSeen: make(map[string]bool)})
}

// robotsBuilder is called by grobotstxt for each line.
type robotsBuilder struct {
	robots *Robots
	// section gets the next rule; nil before the first agent. closed says that a rule has come, so that the next
	// User-agent line begins another. Lines of other kinds do not close (RFC 9309, 2.2.4).
	section *robotsSection
	closed  bool
	// The same for Crawl-delay, which is outside the RFC: here a delay closes, too.
	delay       *robotsDelay
	delayClosed bool
	sitemapSeen map[string]bool
}

func (b *robotsBuilder) HandleRobotsStart() {}
func (b *robotsBuilder) HandleRobotsEnd()   {}

func (b *robotsBuilder) HandleUserAgent(_ int, value string) {
	if b.section == nil || b.closed {
		b.section, b.closed = &robotsSection{}, false
	}
	if b.delay == nil || b.delayClosed {
		b.delay, b.delayClosed = &robotsDelay{}, false
	}
	token := strings.ToLower(ProductToken(value))
	if value == "*" || strings.HasPrefix(value, "* ") || strings.HasPrefix(value, "*\t") {
		token = "*"
	}
	if token == "" {
		return
	}
	g := b.robots.groups[token]
	if g == nil {
		g = &robotsGroup{}
		b.robots.groups[token] = g
	}
	if n := len(g.rules); n == 0 || g.rules[n-1] != b.section {
		g.rules = append(g.rules, b.section)
	}
	if n := len(g.delays); n == 0 || g.delays[n-1] != b.delay {
		g.delays = append(g.delays, b.delay)
	}
}

func (b *robotsBuilder) HandleAllow(_ int, value string)    { b.rule(value, true) }
func (b *robotsBuilder) HandleDisallow(_ int, value string) { b.rule(value, false) }

func (b *robotsBuilder) rule(pattern string, allow bool) {
	if b.section == nil {
		return // rules outside groups mean nothing
	}
	b.closed, b.delayClosed = true, true
	if pattern != "" {
		b.section.rules = append(b.section.rules, newRobotsRule(pattern, allow))
	}
}

func (b *robotsBuilder) HandleSitemap(_ int, value string) {
	if value != "" && !b.sitemapSeen[value] && len(b.robots.sitemaps) < maxSitemaps {
		b.sitemapSeen[value] = true
		b.robots.sitemaps = append(b.robots.sitemaps, value)
	}
}

func (b *robotsBuilder) HandleUnknownAction(_ int, action, value string) {
	switch strings.ToLower(action) {
	case "crawl-delay", "crawldelay", "crawl delay":
	default:
		return
	}
	if b.delay == nil || value == "" {
		return
	}
	b.delayClosed = true
	b.delay.values = append(b.delay.values, strings.Replace(value, ",", ".", 1))
}

// readByTemoto has temoto/robotstxt read the value of a line, in a group of its own: of a whole file, one line that it cannot
// read loses all others, and many names with many rules take it time and memory that grow with their product.
func readByTemoto(key, value string) *robotstxt.RobotsData {
	data, err := robotstxt.FromString("User-agent: *\n" + key + ": " + value + "\n")
	if err != nil {
		return new(robotstxt.RobotsData) // the line says nothing
	}
	return data
}
