package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/trap"
	"github.com/awarc/awarc/frontier"
)

// LevelProbe marks URLs that no page links to. They are requested to test whether a place
// answers any URL; their links are not followed.
const LevelProbe = "probe"

// countTraps begins the names of the counters of refused links: kind and host follow.
const countTraps = "traps/"

// TrapReport is a suspected crawler trap.
type TrapReport struct {
	Kind  string `json:"kind"`  // such as "calendar" or "session id"
	Where string `json:"where"` // host, and folder or parameter
	// Evidence is the evidence for a trap; "" if there is none yet.
	Evidence string `json:"evidence,omitempty"`
	// Links counts the links that were refused for their form alone.
	Links int64 `json:"links"`
	// Fetched and Waiting count the deferred URLs that were requested since, and the ones
	// that were not; Examples are some of the latter.
	Fetched  int      `json:"fetched"`
	Waiting  int      `json:"waiting"`
	Examples []string `json:"examples,omitempty"`
}

const (
	trapExamples  = 10    // of a trap in a report
	trapsReported = 1_000 // in a report, and all others of which URLs wait
)

// trapNote is what a family of the frontier has as its note.
type trapNote struct {
	Kind     string `json:"kind"`
	Evidence string `json:"evidence,omitempty"`
	Ended    bool   `json:"ended,omitempty"` // closed once
}

func noteOf(f frontier.Family) (n trapNote) {
	if json.Unmarshal([]byte(f.Note), &n) != nil || n.Kind == "" {
		n.Kind = trap.Endless // one without a note was put off in the moment of a crash
	}
	return n
}

// isTrap reports whether what waits in a family may have no end.
func isTrap(f frontier.Family) bool {
	return f.Name != lessWorth && !strings.HasPrefix(f.Name, unproductive)
}

// Families are the URLs that wait in a frontier as suspected traps.
type Families interface {
	Families() []frontier.Family
	EachPutOff(family string, most int, fn func(frontier.Entry) error) error
}

// FillTraps lists the suspected traps.
func (r *Report) FillTraps(counters map[string]int64, f Families) error {
	r.Traps = []TrapReport{}
	waiting := 0 // places where URLs wait
	for name, n := range family(counters, countTraps) {
		kind, where, _ := strings.Cut(name, " @ ")
		r.Traps = append(r.Traps, TrapReport{Kind: kind, Where: where, Links: n})
	}
	for _, one := range f.Families() {
		if one.Drawn+one.Waiting == 0 || !isTrap(one) {
			continue // nobody linked to more of it
		}
		if one.Waiting > 0 {
			waiting++
		}
		note := noteOf(one)
		r.Traps = append(r.Traps, TrapReport{Kind: note.Kind, Where: one.Name, Evidence: note.Evidence, Fetched: one.Drawn,
			Waiting: one.Waiting})
	}
	slices.SortFunc(r.Traps, func(a, b TrapReport) int {
		return cmp.Or(-cmp.Compare(a.Waiting, b.Waiting), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Where, b.Where))
	})
	r.Traps = r.Traps[:min(len(r.Traps), max(waiting, trapsReported))]
	for i := range r.Traps {
		t := &r.Traps[i]
		if t.Waiting == 0 {
			continue
		}
		err := f.EachPutOff(t.Where, trapExamples, func(e frontier.Entry) error {
			t.Examples = append(t.Examples, e.URL.URL)
			return nil
		})
		if err != nil {
			return fmt.Errorf("URLs that wait in %s: %w", t.Where, err)
		}
	}
	return nil
}

// WhyPutOff returns why a URL is deferred, or was: "" if it never was.
func WhyPutOff(f Families, e frontier.Entry) string {
	if e.Family == "" {
		return ""
	}
	all := f.Families()
	i := slices.IndexFunc(all, func(one frontier.Family) bool { return one.Name == e.Family })
	if i < 0 {
		return ""
	}
	if one := all[i]; !isTrap(one) {
		return fmt.Sprintf("left: URLs like %s are expected to lead to nothing that the crawl looks for; %d wait; "+
			"awarc resume --traps fetches them",
			strings.TrimPrefix(one.Name, unproductive), one.Waiting)
	}
	one, n := all[i], noteOf(all[i])
	why := fmt.Sprintf("deferred with %s, a suspected trap (%s): %d fetched, %d wait", one.Name, n.Kind, one.Drawn, one.Waiting)
	if n.Evidence != "" {
		why += "; it " + n.Evidence
	}
	switch {
	case one.Closed:
		why += "; only awarc resume --traps fetches more"
	case one.Limit > 0 && one.Drawn >= one.Limit:
		why += "; --trap-limit is reached"
	}
	return why
}

// restoreTraps takes over what earlier sessions suspected.
func (e *Engine) restoreTraps() {
	for _, f := range e.frontier.Families() {
		if !isTrap(f) {
			continue
		}
		n := noteOf(f)
		e.follower.traps.Restore(f.Name, trap.Verdict{Kind: n.Kind, Evidence: n.Evidence, Closed: f.Closed, Ended: n.Ended,
			Waiting: f.Waiting})
	}
}

// ShareTraps takes over the evidence of other nodes of the crawl about suspected traps.
func (e *Engine) ShareTraps() {
	for _, f := range e.frontier.Families() {
		if !isTrap(f) || f.Note == "" {
			continue
		}
		n := noteOf(f)
		e.follower.traps.Share(f.Name, trap.Verdict{Kind: n.Kind, Evidence: n.Evidence, Closed: f.Closed, Ended: n.Ended,
			Waiting: f.Waiting})
	}
}

// ledTo gives the page on which an address was found, nil for a seed and for one that is not known.
func (e *Engine) ledTo(u *url.URL) *url.URL {
	if known, ok := e.frontier.Lookup(e.follower.rules(u, nil).Key(u)); ok && known.Via != "" {
		return parseURL(known.Via)
	}
	return nil
}

// parentOf is the page that a URL was found on, nil for a seed.
func parentOf(lease leased) *url.URL {
	if lease.Via == "" {
		return nil
	}
	return parseURL(lease.Via)
}

// families says what is known of suspects, as an outcome has it.
func (e *Engine) families(names map[string]bool) map[string]frontier.FamilyChange {
	if len(names) == 0 {
		return nil
	}
	changes := make(map[string]frontier.FamilyChange)
	for name := range names {
		v := e.follower.traps.Verdict(name)
		if v.Kind == "" {
			continue // forgotten meanwhile
		}
		data, _ := json.Marshal(trapNote{v.Kind, v.Evidence, v.Ended}) // strings and a bool
		note := string(data)
		changes[name] = frontier.FamilyChange{Note: &note}
		if v.Closed {
			changes[name] = frontier.FamilyChange{Note: &note, Closed: &v.Closed}
		}
	}
	return changes
}

// trapped puts a URL off that was found to be in a place without end since it was scheduled. URLs
// that an action of the knowledge base promised are content.
func (e *Engine) trapped(lease leased) *frontier.Outcome {
	if e.options.NoTraps || lease.Level != "" || lease.Seed {
		return nil
	}
	name := e.follower.traps.Due(lease.at, lease.Drawn)
	if name == "" {
		return nil
	}
	families := e.families(map[string]bool{name: true})
	return &frontier.Outcome{State: frontier.PutOff, Family: name, NoRequest: true, Reason: "deferred: " + name, Families: families}
}

// watch looks at a page of which the knowledge base does not say what it is. It returns addresses to ask for that nobody
// links to.
func (f *following) watch(p *Page) (probes []string) {
	if f.options.NoTraps || p.Harvest.Level != nil || f.lease.Level != "" {
		return nil
	}
	found := f.traps.Page(p.Doc, f.lease.at, parentOf(f.lease), f.lease.Family)
	f.copyOf = found.Copy
	f.suspect(found.Changed...)
	return found.Probes
}

func (f *following) suspect(names ...string) {
	for _, name := range names {
		f.suspects[name] = true
	}
}

// refuses reports whether a link is not followed because no person wrote its address, and counts it.
func (f *following) refuses(u *url.URL) bool {
	if f.options.NoTraps {
		return false
	}
	kind := trap.Shape(u)
	if kind == "" {
		return false
	}
	f.count(countTraps+kind+" @ "+u.Host, 1)
	return true
}

// putOff names the family in which a link waits, "" for none; last says that it comes behind others in any case.
func (f *following) putOff(u *url.URL, last, promised bool) string {
	if f.options.NoTraps || promised {
		return ""
	}
	name := f.copyOf
	if name == "" {
		name = f.traps.Linked(u, f.lease.at, last)
	}
	if name != "" {
		f.suspect(name)
	}
	return name
}

// growing counts the folders around a link, and the branches that lead to it, in which more is found than fetched all along.
func (f *following) growing(u *url.URL) int {
	if f.options.NoTraps {
		return 0
	}
	return f.traps.Growing(u, f.lease.at)
}

// probeURLs schedules the addresses that nobody links to. One that is asked for twice has two keys.
func probeURLs(probes []string, lease leased) (out []frontier.URL) {
	for i, at := range probes {
		out = append(out, frontier.URL{URL: at, Key: fmt.Sprint(at, "\n", LevelProbe, i), Hops: lease.Hops, Path: lease.hop(hopInferred),
			Level: LevelProbe, Immediate: true})
	}
	return out
}

// idleProbe settles a probe that is not needed any more: another one of its suspect was answered
// with an error, or an earlier session scheduled it.
func (e *Engine) idleProbe(lease leased) *frontier.Outcome {
	if lease.Level != LevelProbe || e.follower.traps.Probes(lease.URL.URL) {
		return nil
	}
	return &frontier.Outcome{State: frontier.Excluded, NoRequest: true, Reason: "a probe whose answer no longer matters",
		Counters: map[string]int64{}}
}

// readProbe reads the answer to a probe: whether there is a page, and whether it leads to what
// nothing else leads to.
func (e *Engine) readProbe(ctx context.Context, lease leased, ex *fetch.Exchange) (pageResult, error) {
	var doc *html.Node
	var leads []*url.URL
	var charset string
	if length := ex.Length(bigPage); ex.Status == http.StatusOK && length < bigPage && !e.poisonous(lease.Key) { // a big one is no template
		release, err := makeRoomFor(ctx, length)
		if err != nil {
			return pageResult{}, errBrokenOff
		}
		defer release()
		defer e.beginReading(lease.Key)()
		if text, err := ex.HTML(); err == nil {
			charset = text.Charset
			doc = Parse(Answer{URL: lease.at, Status: ex.Status, Header: ex.Header, HTML: text.HTML, Captured: ex.Start})
		}
	}
	f := e.follower.from(lease, nil)
	if doc != nil {
		rules := f.rules(lease.at, nil)
		for _, l := range extract.AllLinks(extract.Page{Doc: doc, URL: lease.at, Charset: charset}) {
			u := parseURL(l.URL)
			if _, known := e.frontier.Lookup(rules.Key(u)); !known && u.Host == lease.at.Host {
				leads = append(leads, u)
			}
		}
	}
	f.suspect(f.traps.Answer(lease.URL.URL, ex.Status, doc, lease.at, leads)...)
	return pageResult{mime: ex.MediaType(), suspects: f.suspects}, nil
}
