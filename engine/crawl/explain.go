package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/layers"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/engine/trap"
	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Explanation is the state of a URL in a crawl, with the reasons.
type Explanation struct {
	URL      string   `json:"url"`
	Known    bool     `json:"known"`
	State    string   `json:"state"`
	Why      []string `json:"why"`
	Key      string   `json:"key,omitempty"`
	Via      string   `json:"via,omitempty"`
	Hops     int      `json:"hops"`
	Priority int      `json:"priority"`
	Type     string   `json:"type,omitempty"`
	Level    string   `json:"level,omitempty"`
	Tries    int      `json:"tries"`

	Score *Score `json:"score,omitempty"` // how the priority came about, where there is scoring
}

// Explain returns why the crawl in a folder, which no session has open, fetched a URL, will fetch
// it, or will not. For a URL that the frontier does not know, it reads the archive for the first
// answer that names the URL, and the archives of other nodes in the folders others. software is as
// in [Options].
func Explain(ctx context.Context, dir, software string, u *url.URL, others ...string) (Explanation, error) {
	dirs := append([]string{dir}, others...)
	if _, err := ReadNodes(dirs); err != nil {
		return Explanation{}, err
	}
	r, err := Read(dir, software)
	if err != nil {
		return Explanation{}, err
	}
	defer r.Close()
	x, err := r.Explain(u)
	if err != nil {
		return x, err
	}
	return x, x.FindLink(ctx, &r.Settings, u, dirs...)
}

// FindLink adds to the explanation of a URL that the frontier does not know the first answer in the
// archives of some folders that names it. The first folder is that of the settings. A session may
// be writing to the archives.
func (x *Explanation) FindLink(ctx context.Context, s *Settings, u *url.URL, dirs ...string) error {
	if x.Known {
		return nil
	}
	base, err := s.Store(dirs[0]).Load()
	if err != nil {
		return err
	}
	why, err := s.linked(ctx, base, dirs, u)
	x.Why = append(slices.DeleteFunc(x.Why, func(w string) bool { return w == notLinked }), why)
	return err
}

// errEnough ends reading an archive when what was looked for is found.
var errEnough = errors.New("found")

// linked returns which answer of the archive names a URL that the frontier does not know, and why
// the crawl did not follow it.
func (s *Settings) linked(ctx context.Context, base *kb.Base, dirs []string, u *url.URL) (why string, err error) {
	var files []string
	for _, dir := range dirs {
		of, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz*")) // also of one that is being written
		files = append(files, of...)
	}
	why = "never seen: no archived page links to it, redirects to it or embeds it"
	err = engine.ReadArchive(ctx, files, engine.StoredOptions{
		Detector: detect.New(base),
		Bad:      func(*archive.BadRecord) {},
		Made:     func(x *engine.Stored) { x.Note = x.RefersTo(u) },
		Each: func(x *engine.Stored) error {
			how, _ := x.Note.(engine.Reference)
			if how == engine.NoReference {
				return nil
			}
			why = "skipped: " + x.URL + " " + string(how)
			switch t, level := x.Page.Finding.Type, x.Page.Harvest.Level; {
			case how == engine.NeededReference && !s.Flags.Requisites:
				why += ", but the crawl has no --requisites"
			case how != engine.LinkReference:
			case t != nil && level != nil:
				why += fmt.Sprintf(", but no navigation action of %s/%s selects it", t.ID, level.ID)
			case t != nil:
				why += fmt.Sprintf(", a page of %s at an unknown level: its links are followed by their URLs", t.ID)
			}
			return errEnough
		},
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return why, err
}

// Explain says why the crawl fetched a URL, will fetch it, or will not.
func (c *Crawl) Explain(u *url.URL) (Explanation, error) {
	return c.settings.explain(c.frontier, c.dir, u)
}

// notLinked is all that is known of a URL in scope without a look into the archive.
const notLinked = "in scope, but no navigation action on any page read so far selects a link to it"

// explain looks a URL up under every key that the knowledge base could have
// given it, then asks the rules that kept it out.
func (s *Settings) explain(f queue, dir string, u *url.URL) (Explanation, error) {
	x := Explanation{URL: u.String(), State: "unknown"}
	base, err := s.Store(dir).Load()
	if err != nil {
		return x, err
	}
	scope, err := s.nextScope(f)
	if err != nil {
		return x, err
	}
	rules := []*kb.URLRules{{}}
	seen := f.Counters()
	for _, t := range base.Types {
		if seen["types/"+string(t.ID)] > 0 || s.Flags.Type == string(t.ID) {
			rules = append(rules, &t.URLs)
		}
	}
	keys := make([]string, 0, len(rules)+1)
	for _, r := range rules {
		keys = append(keys, r.Key(u))
	}
	if s.Flags.Campaign != nil || s.Flags.APISources {
		asked, err := lastAsked(f, u)
		if err != nil {
			return x, err
		}
		if asked != "" {
			keys = append(keys, asked)
		}
	}
	for _, key := range keys {
		e, ok := f.Lookup(key)
		if !ok {
			continue
		}
		x.found(key, e)
		x.Why = append(x.Why, explainWatch(f, key)...)
		if why := engine.WhyPutOff(f, e); why != "" {
			x.Why = append(x.Why, why)
		}
		if why := engine.WhyOrder(f, e.URL, engine.RewardOf(len(s.Flags.Targets) > 0, s.Flags.scores())); why != "" {
			x.Why = append(x.Why, why)
		}
		if e.State == frontier.Pending && s.Flags.Scope != "" {
			why, _ := scope.Explain(u, e.Hops, e.Seed || engine.IsRequisite(e.Level))
			x.Why = append(x.Why, why...)
		}
		if x.Score, err = scoreOf(f, e, s.Flags.Update); err != nil {
			x.Why = append(x.Why, "the explanation of its score is missing: "+err.Error())
		}
		x.Why = append(x.Why, x.Score.layer()...)
		x.Why = append(x.Why, s.whyFocus(e, x.Score)...)
		x.Why = append(x.Why, s.whyOntology(dir, x.Score)...)
		return x, nil
	}
	why, in := scope.Explain(u, 0, false)
	x.Why = append(x.Why, why...)
	if kind := trap.Shape(u); in && kind != "" && !s.Flags.NoTraps {
		x.Why = append(x.Why, "refused as a malformed, generated URL: "+kind+"; --no-traps follows it")
	} else if in {
		x.Why = append(x.Why, notLinked)
	}
	if host, err := frontier.HostOf(u.String()); err == nil && !s.Flags.IgnoreRobots {
		if r := engine.RobotsOf(f.Note(host), u); r != nil && !r.Allowed(fetch.ProductToken(s.Flags.agent()), fetch.Escape(u.String())) {
			x.Why = append(x.Why, "robots.txt of "+host+" forbids it")
		}
	}
	return x, nil
}

// lastAsked returns the key of the last request to a service at an address, "" for none: the round
// is part of the key.
func lastAsked(f queue, u *url.URL) (key string, err error) {
	var plain kb.URLRules
	wanted := plain.Key(u)
	_, err = f.All(func(e frontier.Entry) error {
		if !engine.IsService(e.Level) {
			return nil
		}
		if at, err := url.Parse(e.URL.URL); e.URL.URL == u.String() || err == nil && plain.Key(at) == wanted {
			key = e.Key
		}
		return nil
	})
	return key, err
}

// nextScope gives the scope of the crawl as its next session would have it.
func (s *Settings) nextScope(f queue) (*engine.Scope, error) {
	seeds, err := parseSeeds(s.Seeds)
	if err != nil {
		return nil, err
	}
	data, err := readScope(s.Flags.Scope)
	if err != nil {
		return nil, err
	}
	scope, err := s.Flags.scope(seeds, data)
	if err != nil {
		return nil, err
	}
	redirected, err := engine.RedirectedSeeds(f)
	for _, seed := range redirected {
		scope.AddSeed(seed)
	}
	return scope, err
}

// found takes over what the frontier has of the URL.
func (x *Explanation) found(key string, e frontier.Entry) {
	x.Known, x.Key, x.State, x.Via, x.Hops = true, key, e.State.String(), e.Via, e.Hops
	x.Priority, x.Type, x.Level, x.Tries = e.Priority, e.Type, e.Level, e.Tries
	switch {
	case e.Redirects > 0:
		x.Why = append(x.Why, "a redirect of "+e.Via)
	case engine.IsService(e.Level):
		x.Why = append(x.Why, "a request to an API: "+strings.TrimPrefix(e.Level, engine.LevelService))
	case e.Seed:
		x.Why = append(x.Why, "a seed")
	case e.Level == engine.LevelProbe:
		x.Why = append(x.Why, "no page links to it: requested to test for a crawler trap")
	case e.Level == engine.LevelSitemap:
		x.Why = append(x.Why, "a sitemap, named by robots.txt, another sitemap or --sitemaps, or a feed, named by a page")
	case engine.IsRequisite(e.Level):
		x.Why = append(x.Why, "embedded in "+e.Via)
	case e.Level != "" && engine.Way(e.URL) != "" && !strings.Contains(engine.Way(e.URL), ">"):
		x.Why = append(x.Why, fmt.Sprintf("a link on %s, whose address is one of level %s of %s", e.Via, e.Level, e.Type))
	case e.Level != "":
		x.Why = append(x.Why, fmt.Sprintf("a navigation action of %s on %s leads to level %s", e.Type, e.Via, e.Level))
	case e.Via == "":
		x.Why = append(x.Why, "named over the API")
	default:
		x.Why = append(x.Why, "a link on "+e.Via)
	}
	if e.Reason != "" {
		x.Why = append(x.Why, e.Reason)
	}
	if e.State == frontier.Failed {
		x.Why = append(x.Why, "not retried automatically; awarc resume --failed DIR retries it")
	}
	if !e.NotBefore.IsZero() {
		x.Why = append(x.Why, "waits until "+e.NotBefore.Format(time.RFC3339))
	}
}

// Score is how the score came about that gave a URL its priority.
type Score struct {
	Value float64      `json:"value"`
	Parts []score.Part `json:"parts"`
	// Page is the score of the page that held the link; nil where it had none.
	Page *float64 `json:"page,omitempty"`
	// Scores is how many scores the URL was given; this is the highest.
	Scores int    `json:"scores"`
	Update string `json:"update"` // what further scores do
}

// whyFocus explains a URL on which the context graph had no opinion, and one that may wait because
// the crawl stops by rank.
func (s *Settings) whyFocus(e frontier.Entry, scored *Score) (why []string) {
	if s.Flags.Context != "" && scored != nil && scored.layer() == nil {
		why = append(why, "context graph: no opinion; too few pages near targets were known when the link was found")
	}
	if s.Flags.RankMass > 0 && e.State == frontier.Pending {
		why = append(why, fmt.Sprintf("rank: the crawl stops when the fetched pages have %g %% of the page rank from the seeds; "+
			"it may leave pending URLs; the rank changes no order", 100*s.Flags.RankMass))
	}
	return why
}

// conceptsExplained bounds the concepts that an explanation names.
const conceptsExplained = 8

// whyOntology lists the weights of the concepts by which the ontology scored a link; nil if it did
// not.
func (s *Settings) whyOntology(dir string, scored *Score) []string {
	is := func(p score.Part) bool { return p.Module == score.ModuleOntology || p.Module == score.ModuleConcepts }
	if scored == nil || !slices.ContainsFunc(scored.Parts, is) {
		return nil
	}
	t, err := keptTopic(dir, s.Flags)
	if err != nil {
		return []string{"ontology: the weights of its concepts are missing: " + err.Error()}
	}
	weights := t.parsed.Graph().Weights()
	var named []string
	for _, w := range weights[:min(len(weights), conceptsExplained)] {
		named = append(named, fmt.Sprintf("%s %.2f", w.Label, w.Weight))
	}
	r := t.parsed.Ontology.Factors()
	return []string{fmt.Sprintf("ontology: %d concepts have a weight, by relation (narrower %g, broader %g, related %g): %s",
		len(weights), r.Narrower, r.Broader, r.Related, strings.Join(named, ", "))}
}

// layer explains the score of the context graph; nil for none.
func (s *Score) layer() []string {
	if s == nil {
		return nil
	}
	at := slices.IndexFunc(s.Parts, func(p score.Part) bool { return p.Module == score.ModuleContext })
	if at < 0 {
		return nil
	}
	layer := layers.LayerOf(s.Parts[at].Score, layers.DefaultDepth)
	switch {
	case layer == 0:
		return []string{"context graph: the page with the link is like the targets (layer 0)"}
	case layer > layers.DefaultDepth:
		return []string{"context graph: the page with the link is like no page near a target"}
	}
	const text = "context graph: the page with the link is like pages %d links away from a target (layer %[1]d of %d)"
	return []string{fmt.Sprintf(text, layer, layers.DefaultDepth)}
}

// scoreOf reads the score that is stored with an entry, nil where there is none.
func scoreOf(f queue, e frontier.Entry, update string) (*Score, error) {
	_, why := ways.Noted(e.Why)
	if why == "" {
		return nil, nil
	}
	names, err := assess.StoredNames(f)
	if err != nil {
		return nil, err
	}
	s, err := score.DecodeStored([]byte(why), names)
	if err != nil {
		return nil, err
	}
	out := &Score{Value: s.Score.Value, Parts: s.Score.Parts, Scores: e.Scores, Update: cmp.Or(update, frontier.Max.String())}
	if score.Given(s.Page) {
		out.Page = &s.Page
	}
	return out, nil
}
