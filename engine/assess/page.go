package assess

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/layers"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
)

// Page is a page to assess.
type Page struct {
	extract.Page
	Objects   []extract.Object
	Scheduled frontier.URL // as the frontier had it
	Status    int
	MIME      string
	// HTML gives the text of the page for extractors; nil: they are not asked.
	HTML func() string
}

// Link is a link of a page that is to be assessed: as it is scheduled, and as it was found.
type Link struct {
	frontier.URL
	Found extract.Link
	At    *url.URL
	Way   string  // by which it leads on, where that is learned: see the package ways
	Known float64 // what the knowledge base says of it, from 0 to 1, or [score.None]
	// Pattern is the learned score of pages behind links with its pattern, from 0 to 1, or [score.None].
	Pattern float64
	// Optional links are followed only if their text or their pattern promises something.
	Optional bool
}

// Assessment is what modules and plugins made of one page.
type Assessment struct {
	Doc      score.Score
	Worth    float64 // score of the page itself, by the user's weights
	Canceled bool    // the crawl was broken off meanwhile
	Calls    map[string]*Calls
	Versions []string // of the plugins that were asked: name, version and begin of the hash
	Found    []graph.Addition

	// Links are the links of the page that may be followed, with their priorities; none
	// on a page that a plugin blacklisted.
	Links []frontier.URL
	// Blacklisted are links that are kept out for good.
	Blacklisted []Blacklisted
	// Settings of the frontier go with the page's outcome.
	Settings map[string][]byte

	spam  bool          // a plugin blacklisted the page
	stems []layers.Stem // of the page, for the context graph
}

// Blacklisted is a link that is kept out, and who wants that.
type Blacklisted struct {
	frontier.URL
	By string
}

// Calls counts the calls of one plugin about one page.
type Calls struct {
	Made   int64
	Failed int64 // without an answer, abstentions not counted
	Took   time.Duration
	// Objects and Triples are what is written of what it found.
	Objects, Triples int64
	LogDropped       int64            // lines of the log over the quota of a call
	Kinds            map[string]int64 // how calls ended that gave no answer, and why there were none
	Failure          string           // what the last call that failed said
}

// count keeps the books of one call of a plugin.
func count[R any](a *Assessment, r *plugins.Result[R]) {
	c := a.of(r.Plugin)
	c.Took += r.Time
	c.LogDropped += int64(r.Lost)
	switch r.Kind {
	case plugins.KindCanceled:
		a.Canceled = true
	case plugins.KindDisabled, plugins.KindInput:
		c.Kinds[string(r.Kind)]++
	case plugins.KindOK, plugins.KindNone:
		c.Made++
	default:
		c.Made++
		c.Failed++
		c.Kinds[string(r.Kind)]++
		if r.Err != nil {
			c.Failure = r.Err.Op + ": " + string(r.Kind) + ": " + r.Err.Message
		}
	}
}

// of returns the counts of a plugin.
func (a *Assessment) of(p plugins.Identity) *Calls {
	c := a.Calls[p.Name]
	if c == nil {
		c = &Calls{Kinds: map[string]int64{}}
		a.Calls[p.Name] = c
		a.Versions = append(a.Versions, p.Name+"@"+sourceOf(p))
	}
	return c
}

// Page assesses a page, by what modules and plugins say of it and of its links,
// which get their priorities or are kept out.
func (s *Assessor) Page(ctx context.Context, p *Page, links []Link) *Assessment {
	cut := Cut(p.Page, p.Objects)
	if err := s.learnSeed(p.Scheduled, cut.Text()); err != nil {
		s.warn("the page of a seed does not describe the topic", "error", err.Error())
	}
	scored := cut.page(p, links)
	var opinions []score.Opinion
	for _, m := range *s.modules.Load() {
		opinions = append(opinions, m.Score(scored)...)
	}
	a := &Assessment{Worth: score.None, Calls: map[string]*Calls{}, Settings: map[string][]byte{}}
	if s.Plugins != nil {
		page := s.Plugins.Begin()
		defer page.End()
		told := cut.links(p, links)
		for _, answer := range page.Score(ctx, cut.scoreRequest(p, told, s.parentScore(p.Scheduled))) {
			count(a, &answer)
			if answer.Kind == plugins.KindOK {
				s.asked(answer.Plugin.Name, 1+len(links))
				opinions = append(opinions, s.opinion(a, p, answer, links))
			}
		}
		a.extract(ctx, page, p, &cut, told)
	}
	a.byLayer(s.Layers, cut.Text(), len(links), &opinions)
	v := s.aggregator.Combine(scored, opinions)
	a.Doc = v.Doc
	a.Worth = s.worth.Combine(&score.Page{}, opinions).Doc.Value
	if !score.Given(a.Worth) {
		a.Worth = 0
		if len(p.Objects) > 0 {
			a.Worth = 1
		}
	}
	s.prioritise(a, v, links)
	return a
}

// byLayer adds the opinion of the context graph on the links of a page: each gets the score of the
// page's layer. The page itself gets no score.
func (a *Assessment) byLayer(l *layers.Learner, text string, links int, opinions *[]score.Opinion) {
	if l == nil {
		return
	}
	a.stems = Stems(text)
	if s, ok := l.Score(a.stems); ok {
		all := slices.Repeat([]float64{s}, links)
		*opinions = append(*opinions, score.Opinion{Module: score.ModuleContext, Doc: score.None, Links: all})
	}
}

// Stems returns the stems of a text as context graphs take them.
func Stems(text string) (stems []layers.Stem) {
	for _, t := range score.Terms(text, score.Detect(text)).Terms() {
		stems = append(stems, layers.Stem{Text: t.Text, N: t.Weight})
	}
	return stems
}

// parentScore is the score of the page that led to a URL, or [score.None].
func (s *Assessor) parentScore(at frontier.URL) float64 {
	stored, err := score.DecodeStored(noted(at), s.names.List())
	if err != nil {
		return score.None
	}
	return stored.Page
}

// opinion is what a scorer said, as modules say it.
func (s *Assessor) opinion(a *Assessment, p *Page, answer plugins.Score, links []Link) score.Opinion {
	resp, n := answer.Response, len(links)
	o := score.Opinion{Module: answer.Plugin.Name, Source: sourceOf(answer.Plugin), Doc: score.None}
	if resp.DocFlags&abi.NoOpinion == 0 {
		o.Doc = float64(resp.Doc)
	}
	if n > 0 && len(resp.Links) == n {
		o.Links = make([]float64, n)
		for i, x := range resp.Links {
			o.Links[i] = float64(x)
		}
	}
	for i, f := range resp.LinkFlags {
		if f&abi.NoOpinion != 0 && o.Links != nil {
			o.Links[i] = score.None
		}
		out := f&abi.BlacklistURL != 0 && s.keepsOut(a, answer.Plugin, links[i].URL.URL, o.Name().String())
		if !out && f&abi.BlacklistURL != 0 && o.Links != nil {
			o.Links[i] = 0
		}
		if f&abi.BlacklistHost != 0 && s.blacklistHost(a, hostKey(links[i].At), answer.Plugin.Name, o.Name().String()) {
			out = true
		}
		if out {
			if o.Blacklisted == nil {
				o.Blacklisted = make([]bool, n)
			}
			o.Blacklisted[i] = true
		}
	}
	if resp.DocFlags&abi.BlacklistURL != 0 && s.keepsOut(a, answer.Plugin, p.URL.String(), o.Name().String()) {
		a.spam = true
	}
	if resp.DocFlags&abi.BlacklistHost != 0 && s.blacklistHost(a, hostKey(p.URL), answer.Plugin.Name, o.Name().String()) {
		a.spam = true
	}
	return o
}

// sourceOf names the version of a plugin as short as it is certain.
func sourceOf(p plugins.Identity) string { return p.Version + " " + p.Hash[:min(len(p.Hash), 12)] }

// prioritise turns scores into priorities. What has no score keeps the order of the
// knowledge base. Links of a page that a plugin blacklisted are not followed.
func (s *Assessor) prioritise(a *Assessment, v score.Verdict, links []Link) {
	if a.spam {
		return
	}
	for i, l := range links {
		next, scored := l.URL, v.Links[i]
		if l.Optional && !promising(scored) {
			continue
		}
		if by := s.BlacklistedBy(l.At); by != "" && scored.BlacklistedBy == "" {
			scored.BlacklistedBy = by
		}
		if scored.BlacklistedBy != "" {
			a.Blacklisted = append(a.Blacklisted, Blacklisted{next, scored.BlacklistedBy})
			continue
		}
		if score.Given(scored.Value) {
			next.Priority = Priority(scored.Value)
			why, err := score.Stored{Score: scored, Page: v.Doc.Value}.Encode(s.names)
			if err != nil {
				s.warn("the explanation of a score could not be stored", "url", next.URL, "error", err.Error())
			}
			if next.Why = string(why); l.Way != "" {
				next.Why = ways.Note(l.Way, string(why))
			}
		}
		a.Links = append(a.Links, next)
	}
}

// Repattern returns a URL with the score that it has by a new score of its link pattern. It returns a URL without a score unchanged.
func (s *Assessor) Repattern(u frontier.URL, pattern float64) frontier.URL {
	way, why := ways.Noted(u.Why)
	stored, err := score.DecodeStored([]byte(why), s.names.List())
	if err != nil || !score.Given(pattern) {
		return u
	}
	stored.Score = s.aggregator.Replace(stored.Score, score.ModulePattern, pattern)
	again, err := stored.Encode(s.names)
	if err != nil || !score.Given(stored.Score.Value) {
		return u
	}
	u.Priority, u.Why = Priority(stored.Score.Value), ways.Note(way, string(again))
	return u
}

// noted returns the score that is stored with a URL.
func noted(u frontier.URL) []byte {
	_, why := ways.Noted(u.Why)
	return []byte(why)
}

// promisingModules score a link by itself.
var promisingModules = []string{score.ModuleAnchor, score.ModulePattern, score.ModuleConcepts}

// promising reports whether the text of a link itself speaks for it, or the pages behind links of its pattern.
func promising(s score.Score) bool {
	return slices.ContainsFunc(s.Parts, func(p score.Part) bool {
		return p.Score > 0 && !p.FromDocument && slices.Contains(promisingModules, p.Module)
	})
}

// TopPriority is that of a URL with the score 1.
const TopPriority = 1000

// Priority is that of a URL with a score.
func Priority(score float64) int { return max(1, int(score*TopPriority+0.5)) }

// extract asks the extractors of the crawl about a page.
func (a *Assessment) extract(ctx context.Context, page *plugins.Page, of *Page, p *Parts, links []abi.Link) {
	if of.HTML == nil || !page.Has(module.Extractor) {
		return
	}
	req := p.extractRequest(of, links)
	for _, answer := range page.Extract(ctx, req) {
		count(a, &answer)
		if answer.Kind == plugins.KindOK {
			found := Addition(answer.Plugin, answer.Response)
			found.Page = len(req.HTML)
			a.Found = append(a.Found, found)
		}
	}
}

// Extract asks the extractors among plugins about a page, without its links.
func Extract(ctx context.Context, set *plugins.Set, p *Page) *Assessment {
	a := &Assessment{Worth: score.None, Calls: map[string]*Calls{}}
	page := set.Begin()
	defer page.End()
	cut := Cut(p.Page, p.Objects)
	a.extract(ctx, page, p, &cut, nil)
	return a
}

// Addition is what an extractor found, as the graph takes it.
func Addition(by plugins.Identity, answer *abi.ExtractResponse) graph.Addition {
	out := graph.Addition{Plugin: graph.Plugin{Name: by.Name, Version: by.Version, Hash: by.Hash}}
	for _, o := range answer.Objects {
		g := graph.Found{Class: o.Type, ID: o.ID, Confidence: o.Confidence}
		for _, f := range o.Fields {
			v := valueOf(f.Value)
			v.Lang = f.Lang
			g.Fields = append(g.Fields, graph.FoundField{Name: f.Name, Value: v})
		}
		out.Objects = append(out.Objects, g)
	}
	for _, t := range answer.Triples {
		v := graph.Value{Text: t.Object, Datatype: t.Datatype, Lang: t.Lang}
		if t.ObjectKind != abi.LiteralNode {
			v.Kind = graph.Resource
		}
		out.Triples = append(out.Triples, graph.Triple{Subject: t.Subject, Predicate: t.Predicate, Object: v})
	}
	return out
}

func valueOf(v abi.Value) graph.Value {
	switch v.Kind {
	case abi.IntKind:
		return graph.Value{Text: fmt.Sprint(v.Int), Datatype: "xsd:integer"}
	case abi.FloatKind:
		return graph.Value{Text: fmt.Sprint(v.Float), Datatype: "xsd:double"}
	case abi.BoolKind:
		return graph.Value{Text: fmt.Sprint(v.Bool), Datatype: "xsd:boolean"}
	case abi.IRIKind:
		return graph.Value{Text: v.Str, Kind: graph.Resource}
	case abi.TimeKind:
		return graph.Value{Text: v.Str, Datatype: "xsd:dateTime"}
	}
	return graph.Value{Text: v.Str}
}
