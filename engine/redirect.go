package engine

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// maxRedirects bounds redirects in a row, as browsers do.
const maxRedirects = 20

// onceMore ends the key of a page that is asked for a second time.
const onceMore = "\n1"

// station is an address that a seed's redirects went through.
type station struct {
	URL    string `json:"url"`
	Key    string `json:"key"`
	Status int    `json:"status"` // of the redirect
}

// metaChain names the setting that holds the stations before the target of a seed's redirect, the
// seed first. It is written in the transaction that makes the target known.
func metaChain(key string) string { return fmt.Sprintf("redirected to %x", sha256.Sum256([]byte(key))) }

// chain gives the stations that a seed's redirects went through to come to a lease; none for others.
func (e *Engine) chain(lease leased) []station {
	if !lease.Seed || lease.Redirects == 0 {
		return nil
	}
	var before []station
	if err := json.Unmarshal(e.frontier.Meta(metaChain(lease.Key)), &before); err != nil || len(before) == 0 {
		return []station{{URL: lease.Via}} // of a crawl that an older version began
	}
	return before
}

// redirect makes the target of a redirect a URL of its own: a capture, not a
// hidden second fetch.
func (e *Engine) redirect(lease leased, ex *fetch.Exchange, to string) pageResult {
	r := pageResult{mime: ex.MediaType()}
	target := extract.Resolve(lease.at, to)
	if target == "" || lease.Redirects >= maxRedirects {
		return r
	}
	u := parseURL(target)
	target = u.String()
	f := e.follower.from(lease, e.follower.typeOf(lease))
	r.counters = f.counters
	// What a page needs may come from anywhere, and a seed may be behind any number of detours.
	if f.outOfScope(u, lease.Hops, named(lease)) {
		return r
	}
	if e.assessor.BlacklistedBy(u) != "" && !lease.Seed {
		return r
	}
	f.count(countOffered, 1)
	key := f.rules(u, f.typ).Key(u)
	if t := e.ticketOf(lease); t != nil {
		t.url = target
		key = t.key()
	}
	chain := append(e.chain(lease), station{lease.URL.URL, lease.Key, ex.Status})
	if key == lease.Key || target == lease.URL.URL || lease.Redirects > 0 && target == lease.Via || passed(chain, key) {
		// The same page again, or one that led here: with a cookie now, or
		// without a session id. It is asked for once more and not again.
		asked := func(s station) bool { return strings.HasSuffix(s.Key, onceMore) }
		if strings.HasSuffix(lease.Key, onceMore) || slices.ContainsFunc(chain, asked) {
			return r
		}
		key += onceMore
	}
	if lease.Seed {
		stations, _ := json.Marshal(chain) // texts and numbers
		r.settings = map[string][]byte{metaChain(key): stations}
	}
	r.links = []frontier.URL{{
		URL: target, Key: key, Via: lease.URL.URL, Hops: lease.Hops, Path: lease.hop(hopRedirect), Priority: lease.Priority + 1,
		Type: lease.Type, Level: lease.Level, Anchor: lease.Anchor, Seed: lease.Seed, Redirects: lease.Redirects + 1, Why: lease.Why,
	}}
	return r
}

func passed(chain []station, key string) bool {
	return slices.ContainsFunc(chain, func(s station) bool { return s.Key == key })
}

// metaRedirectedSeed begins the names of the settings that hold them. The digest of the URL follows; in crawls that an older version
// began, a number.
const metaRedirectedSeed = "redirected seed "

// RedirectedSeeds gives the ends of seeds' redirects that widened the scope of
// a crawl in earlier sessions.
func RedirectedSeeds(f interface {
	EachMeta(prefix string, fn func(key string, value []byte) error) error
}) (seeds []*url.URL, err error) {
	err = f.EachMeta(metaRedirectedSeed, func(_ string, value []byte) error {
		seeds = append(seeds, parseURL(string(value)))
		return nil
	})
	return seeds, err
}

// takeOverSeeds widens the scope by what another node of the crawl found, if a lease lies outside of the scope: then its page may lead
// to what is in it.
func (e *Engine) takeOverSeeds(lease leased) error {
	if _, shared := e.frontier.(Shared); !shared || named(lease) || e.options.Scope.placed(lease.at) {
		return nil
	}
	return e.restoreSeeds()
}

func (e *Engine) restoreSeeds() error {
	seeds, err := RedirectedSeeds(e.frontier)
	if err != nil {
		return fmt.Errorf("reading which seeds were redirected: %w", err)
	}
	for _, u := range seeds {
		e.options.Scope.AddSeed(u)
	}
	return nil
}

// widen takes the page that a seed's redirects end at for a seed, and remembers it for the sessions
// to come, if that changes the scope and if the site of the seed is there: a seed is often named
// without the www. that its site has. Otherwise away says why it is not.
func (e *Engine) widen(lease leased, ex *fetch.Exchange) (away string, err error) {
	if !lease.Seed || lease.Redirects == 0 || ex == nil || ex.Status != http.StatusOK {
		return "", nil
	}
	e.widening.Lock()
	defer e.widening.Unlock()
	end := lease.at
	if e.options.Scope.placed(end) && !e.options.Scope.narrows(end) {
		return "", nil
	}
	chain := e.chain(lease)
	if away = detour(chain, end); away != "" {
		e.warn("a seed redirects to another site, which is not crawled; to crawl it, make it a seed",
			"seed", chain[0].URL, "to", lease.URL.URL, "why", away)
		return away, nil
	}
	text := []byte(end.String())
	if err := e.frontier.PutMeta(fmt.Sprintf("%s%x", metaRedirectedSeed, sha256.Sum256(text)), text); err != nil {
		return "", fmt.Errorf("storing the redirect of the seed %s to %s: %w", chain[0].URL, end, err)
	}
	e.options.Scope.AddSeed(end)
	return "", nil
}

// detour decides by the stations of a seed's redirects whether the site of the seed is at their
// end; what speaks against it is why. A sign-on or consent page is told where to
// send the browser back. Another registered domain is the site only if servers say that it moved there for good.
func detour(chain []station, end *url.URL) (why string) {
	seed := parseURL(chain[0].URL)
	home := registeredDomain(seed)
	away := registeredDomain(end) != home
	atHome := func(s station) bool {
		u := parseURL(s.URL)
		return u.Host == seed.Host || away && registeredDomain(u) == home
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if atHome(chain[i]) { // whatever detours there were before, they led back
			chain = chain[i:]
			break
		}
	}
	for i := range chain {
		here, next := parseURL(chain[i].URL), end
		if i+1 < len(chain) {
			next = parseURL(chain[i+1].URL)
		}
		sameStop := next.Host == end.Host || away && registeredDomain(next) == registeredDomain(end)
		if back := leadsBack(next, home, chain, maxNested); sameStop && back != "" {
			return "a detour: " + next.Host + " sends the browser back to " + back
		}
		if s := chain[i].Status; away && registeredDomain(here) != registeredDomain(next) && s != http.StatusMovedPermanently && s !=
			http.StatusPermanentRedirect {
			return fmt.Sprintf("a detour: %s redirects to %s only for now (status %d)", here.Host, next.Host, s)
		}
	}
	return ""
}

// maxNested bounds addresses within parameters of addresses within parameters.
const maxNested = 3

// leadsBack gives the address in a parameter of u that leads back to the seed's domain, or to the page of
// the same host that redirected here; "" where there is none.
func leadsBack(u *url.URL, home string, chain []station, nested int) string {
	for _, values := range u.Query() { // what of it is well-formed
		for _, v := range values {
			if decoded, err := url.QueryUnescape(v); err == nil && !strings.Contains(v, "/") {
				v = decoded // escaped twice
			}
			if !strings.HasPrefix(v, "/") && !strings.HasPrefix(v, "http://") && !strings.HasPrefix(v, "https://") {
				continue
			}
			to, err := u.Parse(v)
			if err != nil {
				continue
			}
			if to.Host != u.Host && registeredDomain(to) == home || to.Host == u.Host && redirected(chain, to) {
				return to.Redacted()
			}
			if nested > 0 {
				if back := leadsBack(to, home, chain, nested-1); back != "" {
					return back
				}
			}
		}
	}
	return ""
}

// redirected reports whether the page at u redirected.
func redirected(chain []station, u *url.URL) bool {
	return slices.ContainsFunc(chain, func(s station) bool {
		at := parseURL(s.URL)
		return at.Host == u.Host && at.RequestURI() == u.RequestURI()
	})
}

// registeredDomain is the domain that somebody registered, such as example.co.uk; of addresses
// and single names all of it.
func registeredDomain(u *url.URL) string {
	name := u.Hostname()
	if d, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil && net.ParseIP(name) == nil {
		return d
	}
	return name
}
