package engine

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Way returns the name of the link pattern that led to a URL, "" for none.
func Way(u frontier.URL) string {
	name, _ := ways.Noted(u.Why)
	return name
}

// learns reports whether the link patterns on pages of a type, which may be nil, are learned.
func (e *Engine) learns(t *kb.Type) bool {
	return e.follower.ways != nil && (e.follower.focused() || e.options.undescribed(t))
}

// ordersByWays reports whether links are ordered by their link patterns. With a context graph, or
// with scores and without targets, they are ordered by their scores, which have the value of the
// link pattern as a part.
func (e *Engine) ordersByWays() bool {
	hunts := e.options.Targets != nil && e.options.Scoring.Layers == nil
	return e.follower.ways != nil && (hunts || !e.assessor.On())
}

// nameWays notes the link patterns of a page, if they are learned, and returns the key that the
// page declares as its own.
func (e *Engine) nameWays(t *kb.Type, found []assess.Link) (canonical string) {
	if !e.learns(t) {
		return ""
	}
	for i := range found {
		if l := &found[i]; (l.URL.Type == "" || e.follower.focused()) && l.URL.Family == "" && l.Way != "" {
			l.URL.Why = ways.Note(l.Way, "")
		}
		if found[i].Found.Canonical {
			canonical = found[i].URL.Key
		}
	}
	return canonical
}

// learnWays learns from an answer and its link pattern, and gives the links of the page their
// places in the order. It returns earlier links with new places, and settings to store with the
// outcome.
func (e *Engine) learnWays(v visited, links []frontier.URL) (more []frontier.URL, settings map[string][]byte) {
	if e.follower.ways == nil || v.robots {
		return nil, nil
	}
	host, from := v.lease.at.Host, Way(v.lease.URL)
	hosts := make([]string, len(links)) // "" for links without a pattern
	for i, l := range links {
		if Way(l) != "" && l.Redirects == 0 {
			hosts[i] = parseURL(l.URL).Host
		}
	}
	if e.learns(v.page.page.Finding.Type) && (from != "" || len(links) > 0) {
		var leads []ways.Link
		for i, l := range links {
			if hosts[i] == host && !e.unasked(l) {
				leads = append(leads, ways.Link{Way: Way(l), Key: l.Key})
			}
		}
		if e.follower.ways.Page(host, from, v.answer(), leads) {
			settings = map[string][]byte{metaWays + host: e.follower.ways.State(host)}
		}
	}
	if !e.ordersByWays() && e.options.Scoring.Fixed {
		return nil, settings
	}
	for i := range links {
		l := &links[i]
		if hosts[i] == "" || l.Priority <= priorityGuess {
			continue
		}
		value, known := e.follower.ways.Value(hosts[i], Way(*l))
		if known && e.ordersByWays() {
			l.Priority = e.place(*l, value)
		}
		e.keepEarly(hosts[i], v.lease.URL.URL, *l, value, known)
	}
	e.unvalued.drop(host, v.lease.Key)
	return e.valued(host), settings
}

// learnFailure learns that a link pattern led to a failure, which took a request without a reward.
// A busy server (429, 503) does not count.
func (e *Engine) learnFailure(v visited) {
	name := Way(v.lease.URL)
	if e.follower.ways == nil || name == "" || v.robots || v.ex == nil || v.ex.Status == http.StatusServiceUnavailable ||
		v.ex.Status == http.StatusTooManyRequests {
		return
	}
	e.follower.ways.Page(v.lease.at.Host, name, ways.Answer{}, nil)
}

// Places of links whose pattern has few pages yet, in a crawl with targets.
const (
	priorityPromised = priorityUnknown + ways.Levels + 1 // the link itself promises a target
	promiseTries     = 4                                 // pages of a pattern after which its value counts instead
)

// unasked reports whether, in a crawl with targets, neither the knowledge base nor the address of a
// link is a reason to follow it. Such links have no value until a page of their pattern was read.
func (e *Engine) unasked(u frontier.URL) bool {
	if e.options.Targets == nil || u.Type == "" || u.Level != "" || e.options.Targets.promises(nil, "", parseURL(u.URL)) {
		return false
	}
	v, _ := e.follower.ways.Value(parseURL(u.URL).Host, Way(u))
	return v.Tried == 0
}

// place returns the priority of a URL by the value of its link pattern. In a crawl with targets,
// links that the knowledge base does not select come after the ones that it selects, until a page
// of their pattern was read.
func (e *Engine) place(u frontier.URL, v ways.Value) int {
	switch {
	case e.options.Targets == nil:
	case v.Tried < promiseTries && e.options.Targets.promises(e.typ(kb.TypeID(u.Type)), kb.LevelID(u.Level), parseURL(u.URL)):
		return priorityPromised
	case e.unasked(u):
		return max(1, v.Order)
	}
	return priorityUnknown + v.Order
}

// placed gives a link its place by the value of its pattern: alone, or as a part of its score.
func (e *Engine) placed(u frontier.URL, v ways.Value) frontier.URL {
	if e.ordersByWays() {
		u.Priority = e.place(u, v)
		return u
	}
	return e.assessor.Repattern(u, patternScore(v))
}

// valued returns the earlier links of a site with new places: the ones whose pattern has a higher
// value than when they were found. In a crawl for new text, these are the ones that were found
// before the site had enough pages.
func (e *Engine) valued(host string) []frontier.URL {
	value := func(way string) (ways.Value, bool) { return e.follower.ways.Value(host, way) }
	if e.follower.focused() {
		return e.unvalued.raise(host, value, e.placed)
	}
	if _, known := value(""); !known {
		return nil
	}
	links := e.unvalued.take(host)
	for i := range links {
		v, _ := value(Way(links[i]))
		links[i] = e.placed(links[i], v)
	}
	return links
}

// keepEarly stores a link, which has its place by a value, for [Engine.valued].
func (e *Engine) keepEarly(host, via string, l frontier.URL, v ways.Value, is bool) {
	if !is || e.follower.focused() {
		l.Via = via
		e.unvalued.add(host, earlyLink{URL: l, known: knownBy(v, is)})
	}
}

// metaWays begins the names of the settings with the link patterns of a site; its host follows.
const metaWays = "ways "

// Deferral groups of the frontier in which URLs wait because of their link pattern.
const (
	lessWorth    = "ways"          // only until the same transaction schedules them again
	unproductive = "unproductive " // host and outline follow; closed
)

// restoreWays restores the link patterns of earlier sessions. Unproductive URLs are fetched last if
// this session leaves none, or if the user resumed the crawl for them.
func (e *Engine) restoreWays() error {
	if e.follower.ways == nil {
		return nil
	}
	open, families := false, map[string]frontier.FamilyChange{}
	for _, f := range e.frontier.Families() {
		switch is := strings.HasPrefix(f.Name, unproductive); {
		case is && f.Closed && !e.options.Productive:
			families[f.Name] = frontier.FamilyChange{Closed: &open}
		case is && !f.Closed && f.Waiting > 0: // the user resumed the crawl for them
			e.options.Productive = false
		}
	}
	if len(families) > 0 {
		if err := e.frontier.Amend("", frontier.Outcome{Families: families}); err != nil {
			return fmt.Errorf("reopening unproductive link patterns: %w", err)
		}
	}
	err := e.frontier.EachMeta(metaWays, func(name string, state []byte) error {
		if err := e.follower.ways.Restore(strings.TrimPrefix(name, metaWays), state); err != nil {
			e.warn("the learned yield of link patterns is lost and learned again", "error", err.Error())
		}
		return nil
	})
	return errors.Join(err, e.restoreEarly())
}

// maxRestored bounds the pending URLs that a session looks at when it starts. The frontier lists
// two of them in a microsecond or so.
const maxRestored = 1 << 18

// restoreEarly reads the pending URLs of earlier sessions, so that they get new places later.
func (e *Engine) restoreEarly() error {
	f, can := e.frontier.(interface {
		Pending(fn func(frontier.Entry) error) error
	})
	if !can || !e.ordersByWays() && e.options.Scoring.Fixed {
		return nil
	}
	seen, enough := 0, errors.New("enough pending URLs")
	err := f.Pending(func(x frontier.Entry) error {
		if seen++; seen > maxRestored {
			return enough
		}
		hasPlace := !e.follower.focused() && x.Priority > priorityUnknown
		if Way(x.URL) != "" && x.Redirects == 0 && x.Priority > priorityGuess && !hasPlace {
			e.keepEarly(parseURL(x.URL.URL).Host, x.Via, x.URL, ways.Value{}, false)
		}
		return nil
	})
	if err != nil && !errors.Is(err, enough) {
		return fmt.Errorf("reading the pending URLs: %w", err)
	}
	return nil
}

// renamed settles a URL that is another address of a page by a type that the crawl has drafted
// since the URL was found. The preferred address of the page is scheduled instead, unless it is
// known.
func (e *Engine) renamed(lease leased) *frontier.Outcome {
	t := e.typ(e.follower.nearType(lease))
	if !e.options.drafted(t) || lease.Redirects > 0 || named(lease) {
		return nil
	}
	next := lease.URL
	next.URL, next.Key, next.Family = t.URLs.Preferred(lease.at).String(), t.URLs.Key(lease.at), ""
	if next.URL == lease.URL.URL {
		return nil
	}
	return &frontier.Outcome{State: frontier.Excluded, NoRequest: true, Reason: "another address of a page, by the drafted type",
		Links: []frontier.URL{next}}
}

// postpone defers a URL whose link pattern has turned out to be worth less than when the URL was
// found, and every other link of the site to which this happened. With Productive, unproductive
// links wait until a user resumes the crawl for them. A URL that was drawn at random is fetched in
// any case.
func (e *Engine) postpone(lease leased) *frontier.Outcome {
	name := Way(lease.URL)
	if e.follower.ways == nil || lease.Seed {
		return nil
	}
	out := &frontier.Outcome{State: frontier.PutOff, Family: lessWorth, NoRequest: true}
	leave := func() *frontier.Outcome {
		closed := true
		out.Family = unproductive + lease.at.Host + ways.Outline(cmp.Or(name, ways.Name("", lease.at)))
		out.Reason, out.Families = "unproductive", map[string]frontier.FamilyChange{out.Family: {Closed: &closed}}
		return out
	}
	if e.options.Productive && e.options.Targets != nil && e.follower.ways.Exhausted(lease.at.Host, name) {
		return leave()
	}
	if name == "" || strings.HasPrefix(lease.Family, unproductive) || !e.ordersByWays() {
		return nil
	}
	v, known := e.follower.ways.Value(lease.at.Host, name)
	if !known {
		return nil
	}
	if e.options.Productive && e.options.Targets == nil && v.Unproductive {
		return leave()
	}
	if lease.Drawn {
		return nil
	}
	const slack = 2 // levels; the value may rise again. Arbitrary
	again := e.placed(lease.URL, v)
	again.Decisive, again.Family = true, ""
	if lease.Priority < again.Priority+max(0, v.Level-v.Order)+slack {
		return nil
	}
	out.Links = e.unvalued.lower(lease.at.Host, lease.Key, again.Priority, slack)
	if !slices.ContainsFunc(out.Links, func(l frontier.URL) bool { return l.Key == lease.Key }) {
		out.Links = append(out.Links, again)
	}
	return out
}

// LeftReport counts the URLs of an outline that were left as unproductive.
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

// text returns the text that is rewarded: the contents of the page's records, or else the whole
// page; none if the page declares another address as its own.
func (e *Engine) text(p *Page, canonical, key string) ways.Text {
	if e.follower.ways == nil || !e.options.undescribed(p.Finding.Type) || canonical != "" && canonical != key {
		return ways.Text{}
	}
	contents := p.awaited
	for i := range p.Harvest.Objects {
		if c := p.Harvest.Objects[i].Value("content"); c != "" {
			contents = append(contents, c)
		}
	}
	if len(contents) > 0 {
		return ways.Content(contents)
	}
	return ways.Read(p.Doc)
}

// WhyOrder explains the place of a URL by its link pattern; "" for URLs without one. f has the link
// patterns of the crawl up to its last checkpoint.
func WhyOrder(f interface{ Meta(key string) []byte }, u frontier.URL, reward ways.Reward) string {
	name := Way(u)
	if name == "" {
		return ""
	}
	place, shape, _ := strings.Cut(name, " ")
	text := fmt.Sprintf("its link pattern: links at %s to %s", cmp.Or(place, "the head of the answer"), shape)
	l, host := ways.Learner{Reward: reward}, parseURL(u.URL).Host
	state := f.Meta(metaWays + host)
	if state == nil || l.Restore(host, state) != nil {
		return text + "; nothing is stored of their yield yet"
	}
	v, known := l.Value(host, name)
	if !known {
		return text + "; too little is known of the site to value it"
	}
	switch reward.(type) {
	case ways.NewTargets:
		text += fmt.Sprintf("; expected yield %.2f targets a request", v.Rate/ways.Target)
	case ways.Score:
		text += fmt.Sprintf("; expected yield %.2f a request (1 is a page that is all about the topic)", v.Rate/ways.Target)
	default:
		text += fmt.Sprintf("; expected yield %.0f runs of new text a request", v.Rate)
	}
	text += fmt.Sprintf(", from %.0f pages of this pattern", v.Tried)
	if v.Unproductive {
		text += "; it is unproductive"
	}
	return text
}
