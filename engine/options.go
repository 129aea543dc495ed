package engine

import (
	"errors"
	"net/url"
	"time"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/rankmass"
	"github.com/awarc/awarc/kb"
)

// Limits end a crawl early. Zero values do not limit.
type Limits struct {
	Pages int64         // HTML pages with status 200
	Bytes int64         // bytes received
	Time  time.Duration // of this session
	// RankShare ends the crawl when Rank, which the engine fills, covers this share of the rank; a nil Rank never does.
	RankShare float64
	Rank      *rankmass.Mass
	// Grace is how long exchanges under way may go on once a limit is reached,
	// before they are broken off; 0 means 30 s.
	Grace time.Duration
	// Stall is how long an exchange may bring almost nothing before a stand-in for its worker
	// begins another URL. Then it gets no grace either. 0 means 2 s.
	Stall time.Duration
}

// Reach selects the links that the crawl follows within the scope.
type Reach struct {
	// Optional follows optional navigation actions too, such as profiles.
	Optional bool
	// Requisites fetches what a page needs to be shown.
	Requisites bool
	// Sitemaps says which sitemaps are followed.
	Sitemaps SitemapUse
	// Follow follows the links of pages that ask by nofollow not to.
	Follow bool
	// Productive leaves what of sites of unknown software is expected to say next to nothing new. With Targets it is always set, and
	// links are left only when their site is exhausted.
	Productive bool
	// Targets are the files or records that the crawl looks for; nil for none.
	Targets *Targets
	// Speculative follows what only looks like an address, in scripts and texts.
	Speculative bool
	// Drafted reports whether the crawl itself has drafted a type: what the actions of such a type
	// do not select comes after what they do, in the order of unknown software, and is not left
	// out. nil: none is.
	Drafted func(*kb.Type) bool
}

// undescribed reports whether nobody described the software of a page of a type, which may be nil.
func (r *Reach) undescribed(t *kb.Type) bool { return t == nil || r.drafted(t) }

func (r *Reach) drafted(t *kb.Type) bool { return t != nil && r.Drafted != nil && r.Drafted(t) }

// aliases returns the keys that a captured page of a type also satisfies. In a drafted type, the
// preferred form of the address of a post names the first page of its thread, and the capture may
// show a further page; so the preferred form is fetched.
func (r *Reach) aliases(t *kb.Type, u *url.URL) []string {
	if r.drafted(t) && t.URLs.Preferred(u).String() != t.URLs.Fetchable(u).String() {
		return nil
	}
	return []string{t.URLs.Key(u)}
}

// Persistence says how often, and for how long, a crawl retries failed requests.
type Persistence struct {
	// MaxTries is how often the crawl requests a URL before the URL fails. The frontier must have
	// the same number. 0 means 3.
	MaxTries int
	// Pause is the first rest of a host that is down. It doubles with each failed probe, up to five
	// minutes. 0 means 5 s.
	Pause time.Duration
	// Patience is how long a host may refuse all requests, or not answer, before its URLs fail. 0
	// means two hours.
	Patience time.Duration
	// RetryDelay is the wait before the second try of a URL that fails while its host answers other
	// URLs. The wait doubles with each try, up to an hour. A URL that fails at its last try gets
	// one more when the crawl has nothing else left. 0 disables that try and waits for
	// frontier.Options.Backoff.
	RetryDelay time.Duration
}

// Options of a crawl. The zero value crawls nothing but is valid but for Scope.
type Options struct {
	Scope   *Scope
	Workers int // 0 means 8
	Blind   bool
	Reach
	// Force is the type that all pages are taken to be of; empty detects.
	Force kb.TypeID
	// Agent is the product token for the groups of robots.txt files; "" means that robots.txt
	// is ignored.
	Agent string
	// RobotsSince requests a robots.txt again that could not be had before this time.
	RobotsSince time.Time
	// MaxCrawlDelay bounds the wait that a robots.txt may ask for; 0 means 5 min.
	MaxCrawlDelay time.Duration
	Persistence
	Limits Limits
	// NoTraps follows every link, also into suspected traps.
	NoTraps bool
	// Adaptation repairs the actions that do not fit a page's template.
	Adaptation Adaptation
	// Scoring says what pages and links are assessed by.
	Scoring assess.Options
	// Rendering runs the scripts of pages.
	Rendering Rendering
	// Reading is a folder for notes of the URLs whose pages are being read, so that a
	// page that ends the process is not read again and again; "" for none.
	Reading string
	// Conditional sends conditional requests for URLs that an earlier crawl archived; pages that
	// did not change are archived as revisits.
	Conditional bool
	Services    Services
	Records     Records
	Now         func() time.Time // nil means time.Now
	Watching
}

// Watching is set where a crawl follows its site for months.
type Watching struct {
	Watch Watcher // nil: each URL is fetched once
	// Clock returns the time of the crawl's clock at a time of the system's clock; nil: they are the
	// same. Records, graph and log have times of the crawl's clock.
	Clock func(time.Time) time.Time
	// Speed is by how much the crawl's clock is faster than the system's. Waits before retries, and
	// Patience, are that much shorter. Values up to 1 change nothing.
	Speed float64
}

// Records are what archive and graph have beside the answers.
type Records struct {
	CrawlID string // urn:uuid of the crawl, for provenance
	Pages   bool   // the text of each page, and what the page is, as resource records beside its response
}

func (o Options) withDefaults() (Options, error) {
	if o.Workers == 0 {
		o.Workers = 8
	}
	if o.MaxCrawlDelay == 0 {
		o.MaxCrawlDelay = 5 * time.Minute
	}
	if o.MaxTries == 0 {
		o.MaxTries = 3
	}
	if o.Pause == 0 {
		o.Pause = 5 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = defaultPatience
	}
	for _, wait := range []*time.Duration{&o.Pause, &o.Patience, &o.RetryDelay} {
		if *wait > 0 && o.Speed > 1 {
			*wait = max(time.Duration(float64(*wait)/o.Speed), time.Nanosecond)
		}
	}
	if o.Limits.Stall == 0 {
		o.Limits.Stall = stallAfter
	}
	if o.Limits.Grace == 0 {
		o.Limits.Grace = 30 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Productive = o.Productive || o.Targets != nil
	if o.Clock == nil {
		o.Clock = func(t time.Time) time.Time { return t }
	}
	var errs []error
	if o.Scope == nil {
		errs = append(errs, errors.New("engine: no scope; expected one made by NewScope"))
	}
	if o.Workers < 0 || o.MaxTries < 0 || o.Limits.Pages < 0 || o.Limits.Bytes < 0 || o.Limits.Time < 0 || o.Limits.Grace < 0 ||
		o.Pause < 0 || o.RetryDelay < 0 || o.Limits.Stall < 0 {
		errs = append(errs, errors.New("engine: a negative number of workers or tries, or a negative limit"))
	}
	return o, errors.Join(errs...)
}
