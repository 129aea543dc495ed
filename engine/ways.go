package engine

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/frontier"
)

// wayMark begins the Why of a URL that is in the order of its way's value.
const wayMark = "way "

// Way names the way by which a link led to a URL, "" where none is known.
func Way(u frontier.URL) string {
	name, _ := strings.CutPrefix(u.Why, wayMark)
	if len(name) == len(u.Why) {
		return ""
	}
	return name
}

// nameWays writes by which ways the links of a page of an unknown application lead on, and tells under which key the page says that it is.
func (e *Engine) nameWays(found []assess.Link) (canonical string) {
	if e.follower.ways == nil {
		return ""
	}
	for i := range found {
		if l := &found[i]; l.URL.Type == "" && l.URL.Family == "" && l.Way != "" {
			l.URL.Why = wayMark + l.Way
		}
		if found[i].Found.Canonical {
			canonical = found[i].URL.Key
		}
	}
	return canonical
}

// learnWays tells what a way led to, and gives the links of the page their places in the order. It returns earlier links that have theirs
// now, and settings to go with the outcome.
func (e *Engine) learnWays(v visited, links []frontier.URL) (more []frontier.URL, settings map[string][]byte) {
	if e.follower.ways == nil || v.robots {
		return nil, nil
	}
	host, from := v.lease.at.Host, Way(v.lease.URL)
	hosts := make([]string, len(links)) // of those that have a way
	for i, l := range links {
		if Way(l) != "" && l.Redirects == 0 {
			hosts[i] = parseURL(l.URL).Host
		}
	}
	if e.options.undescribed(v.page.page.Finding.Type) && (from != "" || len(links) > 0) {
		var leads []ways.Link
		for i, l := range links {
			if hosts[i] == host {
				leads = append(leads, ways.Link{Way: Way(l), Key: l.Key})
			}
		}
		if e.follower.ways.Page(host, from, v.page.text, leads) {
			settings = map[string][]byte{metaWays + host: e.follower.ways.State(host)}
		}
	}
	for i := range links {
		l := &links[i]
		if hosts[i] == "" || l.Priority <= priorityGuess {
			continue
		}
		value, known := e.follower.ways.Value(hosts[i], Way(*l))
		if !known {
			e.unvalued.add(hosts[i], v.lease.URL.URL, *l)
			continue
		}
		l.Priority = priorityUnknown + value.Order
	}
	return e.valued(host), settings
}

// learnFailure tells that a way led to an answer that is a failure, unless the server says that it is too busy: it took a request, and
// says nothing.
func (e *Engine) learnFailure(v visited) {
	name := Way(v.lease.URL)
	if e.follower.ways == nil || name == "" || v.robots || v.ex == nil || v.ex.Status == http.StatusServiceUnavailable ||
		v.ex.Status == http.StatusTooManyRequests {
		return
	}
	e.follower.ways.Page(v.lease.at.Host, name, ways.Text{}, nil)
}

// valued gives the links of a site that were found before anything was known of it, once something is: now they have places, too.
func (e *Engine) valued(host string) []frontier.URL {
	links := e.unvalued.take(host, func(first frontier.URL) bool {
		_, known := e.follower.ways.Value(host, Way(first))
		return known
	})
	for i := range links {
		value, _ := e.follower.ways.Value(host, Way(links[i]))
		links[i].Priority = priorityUnknown + value.Order
	}
	return links
}

// earlyLinks are links of sites of which too little was known when they were found to give them their places.
type earlyLinks struct {
	mu    sync.Mutex
	links map[string][]frontier.URL // by host
}

// Bounds of earlyLinks; what is beyond stays behind what is found later.
const (
	maxEarly      = 4096
	maxEarlySites = 256
)

func (e *earlyLinks) add(host, via string, u frontier.URL) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.links == nil {
		e.links = make(map[string][]frontier.URL)
	}
	if _, there := e.links[host]; there && len(e.links[host]) < maxEarly || !there && len(e.links) < maxEarlySites {
		u.Via = via
		e.links[host] = append(e.links[host], u)
	}
}

// take takes the links of a site, if it is time by the first of them.
func (e *earlyLinks) take(host string, isTime func(first frontier.URL) bool) []frontier.URL {
	e.mu.Lock()
	defer e.mu.Unlock()
	links := e.links[host]
	if len(links) == 0 || !isTime(links[0]) {
		return nil
	}
	delete(e.links, host)
	return links
}

// metaWays begins the names of the settings that keep what was learned of a site, whose host follows.
const metaWays = "ways "

// Families of the frontier in which URLs wait because of their way.
const (
	lessWorth    = "ways"          // only until the same transaction schedules it anew
	unproductive = "unproductive " // host and outline follow; closed
)

// restoreWays takes over what earlier sessions learned. What they left as unproductive is fetched last, if this session leaves nothing.
func (e *Engine) restoreWays() error {
	if e.follower.ways == nil {
		return nil
	}
	open, families := false, map[string]frontier.FamilyChange{}
	for _, f := range e.frontier.Families() {
		if strings.HasPrefix(f.Name, unproductive) && f.Closed && !e.options.Productive {
			families[f.Name] = frontier.FamilyChange{Closed: &open}
		}
	}
	if len(families) > 0 {
		if err := e.frontier.Amend("", frontier.Outcome{Families: families}); err != nil {
			return fmt.Errorf("reopening unproductive link patterns: %w", err)
		}
	}
	return e.frontier.EachMeta(metaWays, func(name string, state []byte) error {
		if err := e.follower.ways.Restore(strings.TrimPrefix(name, metaWays), state); err != nil {
			e.warn("the learned yield of link patterns is lost and learned again", "error", err.Error())
		}
		return nil
	})
}

// postpone lets a URL wait of whose way it has turned out, since it was found, that it leads to less than thought; with Productive
// until somebody asks for it, if that is next to nothing. What was drawn is fetched in any case.
func (e *Engine) postpone(lease leased) *frontier.Outcome {
	name := Way(lease.URL)
	if e.follower.ways == nil || name == "" || lease.Drawn || lease.Seed {
		return nil
	}
	v, known := e.follower.ways.Value(lease.at.Host, name)
	if !known {
		return nil
	}
	out := &frontier.Outcome{State: frontier.PutOff, Family: lessWorth, NoRequest: true}
	if e.options.Productive && v.Unproductive {
		closed := true
		out.Family = unproductive + lease.at.Host + ways.Outline(name)
		out.Reason, out.Families = "unproductive", map[string]frontier.FamilyChange{out.Family: {Closed: &closed}}
		return out
	}
	const slack = 2 // levels; it may be on its way up again
	if lease.Priority < priorityUnknown+v.Level+slack {
		return nil
	}
	again := lease.URL
	again.Priority, again.Decisive, again.Family = priorityUnknown+v.Order, true, ""
	out.Links = []frontier.URL{again}
	return out
}

// LeftReport says what a crawl with Productive left: addresses of an outline, which turned out to lead to next to no new text.
type LeftReport struct {
	Addresses string   `json:"addresses"` // host, and script or folder with the names of parameters; # is a number, * a word
	Waiting   int      `json:"waiting"`
	Examples  []string `json:"examples,omitempty"`
}

// FillLeft lists the link patterns that were left as unproductive, the largest first.
func (r *Report) FillLeft(f Families) error {
	for _, one := range f.Families() {
		addresses, is := strings.CutPrefix(one.Name, unproductive)
		if !is || one.Waiting == 0 {
			continue
		}
		left := LeftReport{Addresses: addresses, Waiting: one.Waiting}
		err := f.EachPutOff(one.Name, trapExamples, func(e frontier.Entry) error {
			left.Examples = append(left.Examples, e.URL.URL)
			return nil
		})
		if err != nil {
			return fmt.Errorf("URLs that wait in %s: %w", one.Name, err)
		}
		r.Left = append(r.Left, left)
	}
	slices.SortFunc(r.Left, func(a, b LeftReport) int {
		return cmp.Or(cmp.Compare(b.Waiting, a.Waiting), strings.Compare(a.Addresses, b.Addresses))
	})
	return nil
}

// LeftURLs counts the URLs that were left as unproductive.
func (r *Report) LeftURLs() (n int) {
	for _, l := range r.Left {
		n += l.Waiting
	}
	return n
}

// text is what a page of an unknown application says, as far as the value of ways is reckoned from it: nothing where it says that it is
// a copy.
func (e *Engine) text(p *Page, canonical, key string) ways.Text {
	if e.follower.ways == nil || !e.options.undescribed(p.Finding.Type) || canonical != "" && canonical != key {
		return ways.Text{}
	}
	return ways.Read(p.Doc)
}
