package engine

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/awarc/awarc/frontier"
)

// Outcomes states the outcome of every URL that was found in scope: Found is the sum of Archived,
// ArchivedAsAnother, Excluded, Failed, Deferred, Waiting and Lost.
type Outcomes struct {
	Found             int            `json:"found"`
	Archived          int            `json:"archived"` // with any status
	ArchivedAsAnother int            `json:"archived_as_another"`
	Excluded          map[string]int `json:"excluded"` // by the rule
	Failed            map[string]int `json:"failed"`   // by the kind of the last error
	Deferred          int            `json:"deferred"` // into families that are closed or used up
	Waiting           int            `json:"waiting"`
	Lost              int            `json:"lost"` // without any other outcome: an error of awarc
	// Named holds the first 1,000 URLs of each outcome that is not archived, in the order in which
	// they were found, and of the archived ones the requisites that were answered with an error.
	Named struct {
		Excluded   []NamedURL `json:"excluded,omitempty"`
		Failed     []NamedURL `json:"failed,omitempty"`
		Deferred   []NamedURL `json:"deferred,omitempty"`
		Waiting    []NamedURL `json:"waiting,omitempty"`
		Lost       []NamedURL `json:"lost,omitempty"`
		Requisites []NamedURL `json:"requisites,omitempty"`
	} `json:"named"`
	// Hosts counts the outcomes by host, of the first 1,000 hosts; further ones count together.
	Hosts map[string]*HostOutcomes `json:"hosts"`

	seeds map[string]frontier.Entry // by URL; targets of redirects too
}

// Text returns what became of the seed, to follow its address.
func (s SeedReport) Text() string {
	text := ": " + s.Verdict
	if s.RedirectedTo != "" {
		text += ", redirected to " + s.RedirectedTo
	}
	return text + ", " + Counted(s.Pages, "page|pages") + " and " + Counted(s.Objects, "object|objects") + " on its host"
}

// HostOutcomes counts the URLs of a host by their outcome.
type HostOutcomes struct {
	Found    int `json:"found"`
	Archived int `json:"archived"` // also as another
	Excluded int `json:"excluded"`
	Failed   int `json:"failed"`
	Deferred int `json:"deferred"`
	Waiting  int `json:"waiting"`
}

// String returns the counts in one line.
func (h *HostOutcomes) String() string {
	text := fmt.Sprintf("%d of %d URLs archived", h.Archived, h.Found)
	for _, part := range []struct {
		n    int
		name string
	}{{h.Excluded, "excluded"}, {h.Failed, "failed"}, {h.Deferred, "deferred"}, {h.Waiting, "waiting"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.name)
		}
	}
	return text
}

// HostLines returns one line for each host of a crawl of several hosts, the host with the most
// missing URLs first.
func (o *Outcomes) HostLines() (lines []string) {
	if o == nil || len(o.Hosts) < 2 {
		return nil
	}
	missing := func(host string) int { h := o.Hosts[host]; return h.Failed + h.Deferred + h.Waiting }
	for _, host := range slices.SortedFunc(maps.Keys(o.Hosts), func(a, b string) int {
		return cmp.Or(cmp.Compare(missing(b), missing(a)), strings.Compare(a, b))
	}) {
		lines = append(lines, host+": "+o.Hosts[host].String())
	}
	return lines
}

// SeedArchived is the verdict of a seed with a good answer.
const SeedArchived = "archived"

// SeedReport is the outcome of one seed.
type SeedReport struct {
	Seed         string `json:"seed"`
	Status       int    `json:"status"` // of the last answer in a row of redirects; 0 for none
	RedirectedTo string `json:"redirected_to,omitempty"`
	// Pages and Objects count the host of the seed (after redirects); seeds of one host share them.
	Pages   int64 `json:"pages"`
	Objects int64 `json:"objects"`
	// Verdict is SeedArchived, or how the seed failed.
	Verdict string `json:"verdict"`
}

// NamedURL is a URL that is not archived, and the reason.
type NamedURL struct {
	URL    string `json:"url"`
	Reason string `json:"reason,omitempty"`
}

const (
	maxSeeds    = 1_000_000     // seeds and targets of their redirects in a report; bounds memory
	otherHosts  = "other hosts" // beyond maxNamed hosts
	maxNamed    = 1_000         // URLs of one outcome in a report, and rules; arbitrary
	otherReason = "other rules" // beyond maxNamed rules
)

// NewOutcomes returns empty counts.
func NewOutcomes() *Outcomes {
	return &Outcomes{Excluded: map[string]int{}, Failed: map[string]int{}, Hosts: map[string]*HostOutcomes{},
		seeds: map[string]frontier.Entry{}}
}

// Add counts the outcome of an entry.
func (o *Outcomes) Add(e frontier.Entry) {
	if e.Seed && len(o.seeds) < maxSeeds {
		o.seeds[e.URL.URL] = e
	}
	host := o.host(e.URL.URL)
	host.Found++
	switch e.State {
	case frontier.Fetched:
		o.Archived++
		host.Archived++
		if status, _ := Archived(e); IsRequisite(e.Level) && status >= http.StatusBadRequest {
			name(&o.Named.Requisites, e.URL.URL, e.Reason)
		}
	case frontier.Aliased:
		o.ArchivedAsAnother++
		host.Archived++
	case frontier.Pending:
		o.Waiting++
		host.Waiting++
		name(&o.Named.Waiting, e.URL.URL, e.Reason)
	case frontier.PutOff:
		o.Deferred++
		host.Deferred++
		name(&o.Named.Deferred, e.URL.URL, e.Family)
	case frontier.Excluded:
		count(o.Excluded, e.Reason)
		host.Excluded++
		name(&o.Named.Excluded, e.URL.URL, e.Reason)
	case frontier.Failed:
		kind, _, _ := strings.Cut(e.Reason, ":")
		count(o.Failed, kind)
		host.Failed++
		name(&o.Named.Failed, e.URL.URL, e.Reason)
	}
}

// host returns the counts of the host of a URL.
func (o *Outcomes) host(address string) *HostOutcomes {
	name, err := frontier.HostOf(address)
	if h := o.Hosts[name]; h != nil {
		return h
	}
	if err != nil || len(o.Hosts) >= maxNamed {
		name = otherHosts
	}
	if o.Hosts[name] == nil {
		o.Hosts[name] = &HostOutcomes{}
	}
	return o.Hosts[name]
}

// Seeds returns a report of each seed. pages counts pages by host, and objects the objects whose
// identifier is an address of the host.
func (o *Outcomes) Seeds(seeds []string, pages, objects map[string]int64) []SeedReport {
	all := make([]SeedReport, 0, len(seeds))
	for _, seed := range seeds {
		all = append(all, o.seed(seed, pages, objects))
	}
	return all
}

func (o *Outcomes) seed(seed string, pages, objects map[string]int64) SeedReport {
	r := SeedReport{Seed: seed, Verdict: "not found in the frontier"}
	at := seed
	e, known := o.seeds[at]
	for range maxRedirects {
		if !known {
			break
		}
		_, to, redirects := strings.Cut(e.Reason, redirectsTo)
		from, err := url.Parse(at)
		if to, _, _ = strings.Cut(to, "; "); !redirects || err != nil {
			break
		}
		if target, err := from.Parse(to); err == nil {
			target.Fragment = ""
			to = target.String()
		}
		at, r.RedirectedTo = to, to
		if next, ok := o.seeds[to]; ok {
			e = next
		} else {
			known = false
		}
	}
	r.Status, _ = Archived(e)
	switch {
	case !known && r.RedirectedTo != "":
		r.Status, r.Verdict = 0, "redirected to an address that was archived as another or is out of scope"
	case !known:
	case e.State == frontier.Fetched && r.Status < http.StatusBadRequest:
		r.Verdict = SeedArchived
	default:
		r.Verdict = e.State.String() + ": " + e.Reason
	}
	if host, err := frontier.HostOf(at); err == nil {
		r.Pages, r.Objects = max(0, pages[host]), objects[host]
	}
	return r
}

// maxHosts bounds the hosts of which a session counts pages: one counter each.
const maxHosts = 10_000

// hosts are those of which pages are counted.
type hosts struct {
	mu    sync.Mutex
	known map[string]bool
}

// counts reports whether the pages of a host are counted.
func (h *hosts) counts(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil {
		h.known = map[string]bool{}
	}
	if len(h.known) < maxHosts {
		h.known[host] = true
	}
	return h.known[host]
}

func name(list *[]NamedURL, url, reason string) {
	if len(*list) < maxNamed {
		*list = append(*list, NamedURL{url, reason})
	}
}

func count(m map[string]int, reason string) {
	if _, known := m[reason]; !known && len(m) >= maxNamed {
		reason = otherReason
	}
	m[reason]++
}

// Lose moves a URL from archived to lost: the frontier has it as fetched, the archive lacks it.
func (o *Outcomes) Lose(url string) {
	o.Archived--
	o.Lost++
	name(&o.Named.Lost, url, "")
}

// Close sets the number of URLs found. URLs without an outcome count as lost.
func (o *Outcomes) Close(found int) {
	o.Found = found
	known := o.Archived + o.ArchivedAsAnother + o.Deferred + o.Waiting + o.Lost
	for _, by := range []map[string]int{o.Excluded, o.Failed} {
		for _, n := range by {
			known += n
		}
	}
	o.Lost += max(0, found-known)
}
