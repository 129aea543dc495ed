package crawl

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// membership notices that a site has logged the crawl out. It takes signs for a reason to look, and for no more: public sites have
// pages that are refused, that lead to a form, or that show one. With a login the crawl logs in again where it must. With cookies
// alone, a page that the crawl has seen as a member is requested again: the site has logged the crawl out if that page is refused
// now, leads to a form or shows one that it did not, or has lost the link that logs out.
//
// An answer of a site that has logged the crawl out has [fetch.Exchange.LoggedOut] set. It is safe for concurrent use.
type membership struct {
	engine.Fetcher
	login   *signedIn // nil: cookies alone
	cookies []fetch.FileCookie
	note    func(format string, args ...any)
	remedy  string // what the user can do

	// remember and recall keep the page that each site is looked at by.
	remember func(host string, witness []byte)
	recall   func(host string) []byte
	// count counts requests that are not those of URLs.
	count func(requests int64)

	mu    sync.Mutex
	sites map[string]*memberSite
}

// memberSite is what is known of a host.
type memberSite struct {
	witness witness
	out     bool
	why     string
	// After a look that found nothing, the next signs are overlooked, twice as many each time up to mostOverlooked.
	vain, overlooked int
}

// witness is a page that the crawl has seen as a member, with what it showed. It has no URL where there is none.
type witness struct {
	URL    string
	Inside bool // a link that logs out, or what the login shows
	Form   bool // a field for a password
}

// mostOverlooked bounds the signs that are overlooked in a row, and so how many pages of a site that has logged the crawl out are
// taken for those of a member: a look costs a request, at most one in nine.
const mostOverlooked = 8

// mostMemberSites bounds the hosts that are watched. Cookies of browsers are of some hundred.
const mostMemberSites = 10_000

// Do makes an exchange, once more where its site had logged the crawl out and it has logged in again.
func (m *membership) Do(ctx context.Context, rawURL string, header http.Header) (*fetch.Exchange, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Path == "/robots.txt" || !m.watches(u.Host) {
		return m.Fetcher.Do(ctx, rawURL, header)
	}
	times := 0
	if l := m.loginOf(u.Host); l != nil {
		times = l.check(ctx)
	}
	ex, err := m.Fetcher.Do(ctx, rawURL, header)
	if err != nil || !m.again(ctx, u, ex, times) {
		return ex, err
	}
	if err := ex.Close(); err != nil {
		return nil, err
	}
	if ex, err = m.Fetcher.Do(ctx, rawURL, header); err != nil {
		return ex, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.site(u.Host); s != nil && m.sign(s, u, m.look(u, ex)) {
		s.inVain() // members are shown the same
	}
	return ex, nil
}

// watches reports whether the crawl fetches as a member of a host.
func (m *membership) watches(host string) bool {
	return m.loginOf(host) != nil || slices.ContainsFunc(m.cookies, func(c fetch.FileCookie) bool { return c.For(bare(host)) })
}

// bare is a host without its port.
func bare(host string) string { return (&url.URL{Host: host}).Hostname() }

// loginOf is the login of a host; nil for none.
func (m *membership) loginOf(host string) *signedIn {
	if m.login != nil && host == m.login.at.Host {
		return m.login
	}
	return nil
}

// seen is what an answer shows.
type seen struct {
	refused string // how the answer keeps strangers out; empty where it does not
	page    bool   // a page of HTML
	inside  bool   // it has a link that logs out, or what the login shows
	form    bool   // it has a field for a password
}

// loginAddress finds words of addresses that members log in at.
var loginAddress = regexp.MustCompile(
	`(?i)(^|[^a-z])(user[-_]?)?(log[-_]?(in|on)|sign[-_]?in|authenticate|auth|sso|oauth2?|saml2?|cas|anmelden|connexion|acceder)([^a-z]|$)`)

// leadsIn reports whether members log in at an address.
func (m *membership) leadsIn(u *url.URL) bool {
	if l := m.loginOf(u.Host); l != nil && u.Path == l.at.Path {
		return true
	}
	return loginAddress.MatchString(u.EscapedPath()) || loginAddress.MatchString(u.RawQuery)
}

// look reads what an answer shows.
func (m *membership) look(u *url.URL, ex *fetch.Exchange) (s seen) {
	switch {
	case ex.Status == http.StatusUnauthorized || ex.Status == http.StatusForbidden:
		s.refused = fmt.Sprintf("status %d", ex.Status)
	case ex.Redirect() != "":
		if to, err := u.Parse(ex.Redirect()); err == nil && m.leadsIn(to) {
			s.refused = "it leads to " + to.Scheme + "://" + to.Host + to.EscapedPath()
		}
	case ex.Status == http.StatusOK && (ex.MediaType() == "text/html" || ex.MediaType() == "application/xhtml+xml"):
		text, err := ex.HTML()
		if err != nil {
			return s // the engine meets the error, too
		}
		s.page = true
		s.inside, s.form = marksOf(u, text.HTML)
		if l := m.loginOf(u.Host); l != nil && l.form.Shows != "" {
			s.inside = bytes.Contains(text.HTML, []byte(l.form.Shows))
		}
	}
	return s
}

// mostMarks bounds the tags that are looked at in a page, and maxTag the bytes of one.
const (
	mostMarks = 50_000
	maxTag    = 1 << 20
)

// marksOf looks for a link or form that logs out, and for a field for a password.
func marksOf(at *url.URL, page []byte) (inside, password bool) {
	z := html.NewTokenizer(bytes.NewReader(page))
	z.SetMaxBuf(maxTag)
	for range mostMarks {
		kind := z.Next()
		if kind == html.ErrorToken || inside && password {
			break
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		name, more := z.TagName()
		of := atom.Lookup(name)
		if of != atom.A && of != atom.Form && of != atom.Input && of != atom.Button {
			continue
		}
		for more {
			var key, value []byte
			key, value, more = z.TagAttr()
			switch string(key) {
			case "type":
				password = password || of == atom.Input && strings.EqualFold(string(value), "password")
			case "href", "action", "formaction":
				to, err := at.Parse(string(value))
				inside = inside || err == nil && kb.Never(to) == kb.LogsOut
			}
		}
	}
	return inside, password
}

// again looks at an answer, and reports whether its URL is to be requested once more: the crawl has logged in since.
func (m *membership) again(ctx context.Context, u *url.URL, ex *fetch.Exchange, times int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, shows := m.site(u.Host), m.look(u, ex)
	if s == nil {
		return false
	}
	if !m.sign(s, u, shows) {
		m.welcome(s, u, shows)
		return false
	}
	if s.overlooked > 0 {
		s.overlooked--
		m.mark(s, u, ex, shows)
		return false
	}
	renewed, out, why := m.check(ctx, s, u, times, shows)
	switch {
	case renewed:
		s.out, s.vain = false, 0
	case out && !s.out:
		s.out, s.why = true, why
		m.note("%s logged the crawl out (%s: %s). Its pages are archived as the public sees them and counted as "+
			"logged_out; %s",
			u.Host, u, why, m.remedy)
	case !out && s.out:
		m.welcome(s, u, seen{inside: true})
	}
	if !renewed {
		s.inVain()
	}
	m.mark(s, u, ex, shows)
	return renewed
}

func (s *memberSite) inVain() {
	s.vain = min(s.vain+1, mostOverlooked)
	s.overlooked = min(1<<s.vain, mostOverlooked)
}

// sign reports whether an answer may be one for strangers.
func (m *membership) sign(s *memberSite, u *url.URL, shows seen) bool {
	l := m.loginOf(u.Host)
	switch {
	case m.leadsIn(u) || shows.inside:
		return false
	case shows.refused != "":
		return true
	case l != nil && l.form.Shows != "":
		return shows.page
	}
	return shows.page && (s.witness.Inside || shows.form && s.witness.URL != "" && !s.witness.Form)
}

// welcome takes over what a page shows that is no sign.
func (m *membership) welcome(s *memberSite, u *url.URL, shows seen) {
	if shows.inside && s.out {
		s.out, s.vain, s.overlooked = false, 0, 0
		m.note("%s: logged in again", u.Host)
	}
	if better := s.witness.URL == "" || shows.inside && !s.witness.Inside; !shows.page || !better || s.out &&
		s.witness.URL != "" || m.leadsIn(u) {
		return
	}
	s.witness = witness{u.String(), shows.inside, shows.form}
	if data, err := json.Marshal(s.witness); err == nil {
		m.remember(u.Host, data)
	}
}

// check finds out whether a sign is right: whether the crawl has logged in again, or is logged out, and why.
func (m *membership) check(ctx context.Context, s *memberSite, u *url.URL, times int, shows seen) (renewed, out bool, why string) {
	if l := m.loginOf(u.Host); l != nil {
		renewed, err := l.enter(ctx, times)
		if err != nil {
			return false, ctx.Err() == nil, err.Error()
		}
		return renewed, false, ""
	}
	if s.witness.URL == "" { // nothing was seen of the site before
		return false, shows.refused != "", shows.refused
	}
	at, err := url.Parse(s.witness.URL)
	if err != nil {
		return false, false, ""
	}
	m.count(1)
	ex, err := m.Fetcher.Do(ctx, s.witness.URL, nil)
	if err != nil {
		return false, s.out, s.why
	}
	now := m.look(at, ex)
	_ = ex.Close() // nothing of it is kept
	switch {
	case now.refused != "":
		return false, true, now.refused
	case !now.page:
		return false, s.out, s.why
	case s.witness.Inside && !now.inside:
		return false, true, "the link that logs out is gone"
	case !s.witness.Form && now.form:
		return false, true, "it has a password field"
	}
	return false, false, ""
}

// mark marks an answer of a site that has logged the crawl out.
func (m *membership) mark(s *memberSite, u *url.URL, ex *fetch.Exchange, shows seen) {
	if s.out && !m.leadsIn(u) && !shows.inside && (shows.page || shows.refused != "") {
		ex.LoggedOut = s.why
	}
}

// site is what is known of a host; nil for one that is not watched.
func (m *membership) site(host string) *memberSite {
	s := m.sites[host]
	if s == nil && len(m.sites) < mostMemberSites {
		s = new(memberSite)
		_ = json.Unmarshal(m.recall(host), &s.witness) // there is none in a first session
		m.sites[host] = s
	}
	return s
}

// asMember gives a fetcher that notices where it is no member any more; the same one where the crawl fetches as anybody.
func (c *Crawl) asMember(f engine.Fetcher) engine.Fetcher {
	if c.signedIn == nil && len(c.cookies) == 0 {
		return f
	}
	return &membership{
		Fetcher: f, login: c.signedIn, cookies: c.cookies, sites: map[string]*memberSite{},
		note: c.note, remedy: c.remedy(),
		remember: func(host string, witness []byte) {
			if err := c.frontier.PutMeta(metaMember+host, witness); err != nil {
				c.note("a page for members of %s could not be stored: %v", host, err)
			}
		},
		recall: func(host string) []byte { return c.frontier.Meta(metaMember + host) },
		count:  c.countRequests,
	}
}

// remedy is what a user can do once a site has logged the crawl out.
func (c *Crawl) remedy() string {
	if c.signedIn != nil {
		return "awarc resume --failed " + c.dir + " logs in and fetches them again"
	}
	return "save new cookies with your browser: awarc resume --failed --cookies FILE " + c.dir + " fetches them again"
}

// metaMember begins the names, in the frontier, of pages that the crawl has seen as a member.
const metaMember = "member of "

// countRequests counts requests that are not those of URLs.
func (c *Crawl) countRequests(n int64) {
	err := c.frontier.Amend("", frontier.Outcome{Counters: map[string]int64{engine.CounterRequests: n}})
	if err != nil && c.stopping.Err() == nil {
		c.note("%d requests could not be counted: %v", n, err)
	}
}

// noteCookies takes over the cookies of a file, and warns of those that are of no use.
func (c *Crawl) noteCookies(from fetch.CookieFile) {
	const most = 5 // warnings of lines: arbitrary
	for i, err := range from.Wrong {
		if i == most {
			c.note("%d more lines of %s are not cookies and are ignored", len(from.Wrong)-most, c.settings.Flags.Cookies)
			break
		}
		c.note("not a cookie, ignored: %v", err)
	}
	c.cookies = from.Cookies
	expired, used := 0, 0
	for _, cookie := range c.cookies {
		if !cookie.Expires.IsZero() && cookie.Expires.Before(c.began) {
			expired++
			continue
		}
		if slices.ContainsFunc(c.settings.Seeds, func(seed string) bool {
			u, err := url.Parse(seed)
			return err == nil && cookie.For(u.Hostname())
		}) {
			used++
		}
	}
	file := c.settings.Flags.Cookies
	if expired > 0 {
		c.note("%d of the %d cookies in %s have expired and are not sent", expired, len(c.cookies), file)
	}
	if used == 0 && c.settings.Flags.Cookies != "" {
		c.note("%s has no cookie for the host of a seed: the crawl is not logged in", file)
	}
}
