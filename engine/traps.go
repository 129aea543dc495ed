package engine

import (
	"cmp"
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

// LevelProbe marks URLs that nobody links to. They are asked for to learn whether a place
// answers whatever it is asked for; they lead nowhere.
const LevelProbe = "probe"

// countTraps begins the names of the counters of refused links: kind and host follow.
const countTraps = "traps/"

// TrapReport is a place that may have no end.
type TrapReport struct {
	Kind  string `json:"kind"`  // such as "calendar" or "session id"
	Where string `json:"where"` // host, and folder or parameter
	// Evidence says how it was found to have no end; "" where it was not.
	Evidence string `json:"evidence,omitempty"`
	// Links counts those that were refused for their form alone.
	Links int64 `json:"links"`
	// Fetched and Waiting count the URLs that were put off and asked for since, and those
	// that are not; Examples are some of these.
	Fetched  int      `json:"fetched"`
	Waiting  int      `json:"waiting"`
	Examples []string `json:"examples,omitempty"`
}

const (
	trapExamples  = 10    // of a trap in a report
	trapsReported = 1_000 // in a report, those with most URLs
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

// Families are the URLs that wait in a frontier because they may have no end.
type Families interface {
	Families() []frontier.Family
	EachPutOff(family string, most int, fn func(frontier.Entry) error) error
}

// FillTraps tells of the places that may have no end.
func (r *Report) FillTraps(counters map[string]int64, f Families) error {
	r.Traps = []TrapReport{}
	for name, n := range family(counters, countTraps) {
		kind, where, _ := strings.Cut(name, " @ ")
		r.Traps = append(r.Traps, TrapReport{Kind: kind, Where: where, Links: n})
	}
	for _, one := range f.Families() {
		if one.Drawn+one.Waiting == 0 {
			continue // nobody linked to more of it
		}
		note := noteOf(one)
		r.Traps = append(r.Traps, TrapReport{Kind: note.Kind, Where: one.Name, Evidence: note.Evidence, Fetched: one.Drawn, Waiting: one.Waiting})
	}
	slices.SortFunc(r.Traps, func(a, b TrapReport) int {
		return cmp.Or(-cmp.Compare(a.Waiting, b.Waiting), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Where, b.Where))
	})
	r.Traps = r.Traps[:min(len(r.Traps), trapsReported)]
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

// WhyPutOff says why a URL is put off, or was: "" where it never was.
func WhyPutOff(f Families, e frontier.Entry) string {
	if e.Family == "" {
		return ""
	}
	all := f.Families()
	i := slices.IndexFunc(all, func(one frontier.Family) bool { return one.Name == e.Family })
	if i < 0 {
		return ""
	}
	one, n := all[i], noteOf(all[i])
	why := fmt.Sprintf("put off with %s, which may have no end (%s): %d fetched, %d wait", one.Name, n.Kind, one.Drawn, one.Waiting)
	if n.Evidence != "" {
		why += "; it " + n.Evidence
	}
	switch {
	case one.Closed:
		why += "; no more are fetched but by awarc resume --traps"
	case one.Limit > 0 && one.Drawn >= one.Limit:
		why += "; --trap-limit is reached"
	}
	return why
}

// restoreTraps takes over what earlier sessions suspected.
func (e *Engine) restoreTraps() {
	for _, f := range e.frontier.Families() {
		n := noteOf(f)
		e.traps.Restore(f.Name, trap.Verdict{Kind: n.Kind, Evidence: n.Evidence, Closed: f.Closed, Ended: n.Ended, Waiting: f.Waiting})
	}
}

// parentOf is the page that a URL was found on, nil for a seed.
func parentOf(lease frontier.Lease) *url.URL {
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
		v := e.traps.Verdict(name)
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
func (e *Engine) trapped(lease frontier.Lease) *frontier.Outcome {
	if e.options.NoTraps || lease.Level != "" || lease.Seed {
		return nil
	}
	name := e.traps.PutOff(parseURL(lease.URL.URL), false, lease.Drawn)
	if name == "" {
		return nil
	}
	return &frontier.Outcome{State: frontier.PutOff, Family: name, NoRequest: true, Reason: "put off: " + name, Families: e.families(map[string]bool{name: true})}
}

// watchTraps looks at a page of which the knowledge base does not say what it is.
func (e *Engine) watchTraps(r *reading, lease frontier.Lease, base *url.URL) {
	if e.options.NoTraps || r.page.Harvest.Level != nil || lease.Level != "" || r.again {
		return
	}
	f := e.traps.Page(r.page.Doc, base, parentOf(lease), lease.Family)
	r.copyOf = f.Copy
	e.found(r, f)
}

// found takes over what a page taught of suspects.
func (e *Engine) found(r *reading, f trap.Finding) {
	for _, name := range f.Changed {
		r.suspect(name)
	}
	r.probes = append(r.probes, f.Probes...)
}

func (r *reading) suspect(name string) {
	if r.suspects == nil {
		r.suspects = make(map[string]bool)
	}
	r.suspects[name] = true
}

// refuses reports whether a link is not followed because no person wrote its address, and counts it.
func (e *Engine) refuses(r *reading, u *url.URL) bool {
	if e.options.NoTraps {
		return false
	}
	kind := trap.Shape(u)
	if kind == "" {
		return false
	}
	if r.refused == nil {
		r.refused = make(map[string]int64)
	}
	r.refused[countTraps+kind+" @ "+u.Host]++
	return true
}

// putOff names the family in which a link waits, "" for none.
func (e *Engine) putOff(r *reading, u *url.URL, promised bool) string {
	if e.options.NoTraps || promised {
		return ""
	}
	name := r.copyOf
	if name == "" {
		name = e.traps.PutOff(u, true, false)
	}
	if name != "" {
		r.suspect(name)
	}
	return name
}

// addProbes schedules the addresses that nobody links to. One that is asked for twice has two keys.
func (r *reading) addProbes(lease frontier.Lease) {
	for i, at := range r.probes {
		r.links = append(r.links, frontier.URL{URL: at, Key: fmt.Sprint(at, "\n", LevelProbe, i), Hops: lease.Hops, Level: LevelProbe, Immediate: true})
	}
}

// readProbe reads the answer to a probe: whether there is a page, and whether it leads to what
// nothing else leads to.
func (e *Engine) readProbe(r *reading, lease frontier.Lease, ex *fetch.Exchange, base *url.URL) {
	var doc *html.Node
	var leads []*url.URL
	var charset string
	if ex.Status == http.StatusOK && !e.poisonous(lease.Key) && ex.Length(bigPage) < bigPage { // a big one is no template
		defer e.beginReading(r, lease.Key)()
		if text, err := ex.HTML(); err == nil {
			charset = text.Charset
			doc = Parse(Answer{URL: base, Status: ex.Status, Header: ex.Header, HTML: text.HTML, Captured: ex.Start})
		}
	}
	if doc != nil {
		rules := e.rules(base, nil)
		for _, l := range extract.AllLinks(extract.Page{Doc: doc, URL: base, Charset: charset}) {
			u := parseURL(l.URL)
			if _, known := e.frontier.Lookup(rules.Key(u)); !known && u.Host == base.Host {
				leads = append(leads, u)
			}
		}
	}
	e.found(r, e.traps.Answer(lease.URL.URL, ex.Status, doc, base, leads))
}
