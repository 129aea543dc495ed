package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
)

// Scoring says what pages and links are judged by. The zero value judges nothing:
// links then come in the order of the knowledge base.
type Scoring struct {
	// Definition gives the built-in modules, the weights, and whether these are
	// learned; nil is one that says nothing.
	Definition *score.Definition
	// Topic is what the crawl is about; nil is nothing.
	Topic *score.Topic
	// Plugins are the scorers and extractors of the crawl; nil is none. The engine does not
	// close them.
	Plugins *plugins.Set
	// Seeds are told to plugins with the topic.
	Seeds []string
}

func (s *Scoring) asked() bool { return s.Definition != nil || s.Plugins != nil }

// Names of settings in the frontier.
const (
	metaModules   = "score modules"     // the names that stored scores number
	metaWeights   = "score weights"     // what was learned of them
	metaTopicSeed = "topic seed "       // and its key: the text of a seed's page
	metaNoHost    = "blacklisted host " // and its name: who wants that
)

// scoring is the state of scoring in one session. What must outlive the process is
// in the frontier.
type scoring struct {
	Scoring
	on         bool
	aggregator *score.Aggregator
	worth      *score.Aggregator // by the user's weights, which learning does not change
	names      *score.Names
	modules    atomic.Pointer[[]score.Module] // for the topic of now

	mu struct {
		sync.Mutex
		topic   *score.Topic
		seeds   int               // whose pages extended the topic
		learner *score.Learner    // nil: weights stay
		hosts   map[string]string // blacklisted by plugins, and by which
		classes map[string]bool   // of objects of plugins
	}
}

// maxTopicSeeds is how many pages of seeds describe a topic.
const maxTopicSeeds = 100

// maxTopicText bounds the text of one page that describes a topic, in bytes.
const maxTopicText = 64 << 10

// open takes up what earlier sessions left.
func (s *scoring) open(o Scoring, f Frontier) (err error) {
	s.Scoring, s.on = o, o.asked()
	s.mu.hosts, s.mu.classes = map[string]string{}, map[string]bool{}
	if !s.on {
		return nil
	}
	if s.Definition == nil {
		s.Definition = new(score.Definition)
	}
	if s.aggregator, err = score.NewAggregator(s.Definition.Weights); err != nil {
		return err
	}
	if s.worth, err = score.NewAggregator(s.Definition.Weights); err != nil {
		return err
	}
	names, err := StoredNames(f)
	if err != nil {
		return err
	}
	s.names = score.NewNames(names, func(list []score.Name) error {
		data, err := json.Marshal(list)
		if err != nil {
			return err
		}
		return f.PutMeta(metaModules, data)
	})
	if s.Definition.Priority.Learn {
		s.mu.learner = score.NewLearner(s.aggregator)
		if state := f.Meta(metaWeights); state != nil {
			if err := s.mu.learner.Restore(state); err != nil {
				return err
			}
		}
	}
	err = f.EachMeta(metaNoHost, func(key string, value []byte) error {
		s.mu.hosts[strings.TrimPrefix(key, metaNoHost)] = string(value)
		return nil
	})
	if err != nil {
		return fmt.Errorf("blacklisted hosts: %w", err)
	}
	topic := s.Topic
	if topic == nil {
		topic = score.NewTopic(score.TopicSpec{})
	}
	var texts []string
	err = f.EachMeta(metaTopicSeed, func(_ string, value []byte) error {
		texts = append(texts, string(value))
		return nil
	})
	if err != nil {
		return fmt.Errorf("texts of seeds: %w", err)
	}
	s.mu.seeds = len(texts)
	s.use(topic.Extend(texts...))
	return nil
}

// StoredNames are the names that the scores in a frontier number.
func StoredNames(f interface{ Meta(key string) []byte }) (names []score.Name, err error) {
	if data := f.Meta(metaModules); data != nil {
		if err := json.Unmarshal(data, &names); err != nil {
			return nil, fmt.Errorf("the setting %q: %w", metaModules, err)
		}
	}
	return names, nil
}

// use makes a topic that of all pages read from now on. The caller holds the lock or
// is alone.
func (s *scoring) use(t *score.Topic) {
	s.mu.topic = t
	modules := s.Definition.Modules(t)
	s.modules.Store(&modules)
	if s.Plugins != nil {
		s.Plugins.SetTopic(PluginTopic(t, s.Seeds))
	}
}

// toldStems is how many terms of a topic that has no keywords plugins are told.
const toldStems = 100

// PluginTopic is a topic as plugins are told it: the user's keywords and entities, or where there
// are none the stems that weigh most.
func PluginTopic(t *score.Topic, seeds []string) abi.Topic {
	out := abi.Topic{SeedURLs: seeds[:min(len(seeds), 1000)]}
	if t == nil {
		return out
	}
	out.Name = t.Name()
	if langs := t.Langs(); len(langs) > 0 {
		out.Lang = string(langs[0])
	}
	terms := t.Keywords()
	if len(terms) == 0 {
		terms = t.Vector().Terms()
		terms = terms[:min(len(terms), toldStems)]
	}
	for _, k := range terms {
		a := abi.Term{Text: k.Text, Weight: float32(k.Weight)}
		if strings.ContainsAny(strings.TrimSpace(k.Text), " \t") {
			a.Flags |= abi.TermPhrase
		}
		if k.Weight < 0 {
			a.Flags |= abi.TermNegative
			a.Weight = -a.Weight
		}
		out.Terms = append(out.Terms, a)
	}
	return out
}

// learnSeed lets the page of a seed describe the topic, where it shall.
func (e *Engine) learnSeed(lease frontier.Lease, text string) error {
	s := &e.scoring
	if !lease.Seed || s.Topic == nil || !s.Definition.LearnsSeeds() || strings.TrimSpace(text) == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.seeds >= maxTopicSeeds {
		return nil
	}
	setting := metaTopicSeed + lease.Key[:min(len(lease.Key), 900)]
	if e.frontier.Meta(setting) != nil {
		return nil // a session that was killed had read it
	}
	text = strings.ToValidUTF8(text[:min(len(text), maxTopicText)], "")
	if err := e.frontier.PutMeta(setting, []byte(text)); err != nil {
		return fmt.Errorf("remembering what the seed %s is about: %w", lease.URL.URL, err)
	}
	s.mu.seeds++
	s.use(s.mu.topic.Extend(text))
	return nil
}

// blacklistedBy tells who keeps the host of a URL out of the crawl, "" if nobody
// does.
func (s *scoring) blacklistedBy(u *url.URL) string {
	if !s.on {
		return ""
	}
	if score.Blacklist(s.Definition.Blacklist).Contains(u) {
		return score.ModuleBlacklist
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.mu.hosts) == 0 {
		return ""
	}
	return s.mu.hosts[hostKey(u)]
}

func hostKey(u *url.URL) string { return strings.ToLower(u.Host) }

// blacklistHost keeps a host out from now on, and for good once the page that asked for it is
// settled with the setting that this returns.
func (s *scoring) blacklistHost(r *reading, host, by string) {
	const longest = 300 // no host name is
	s.mu.Lock()
	defer s.mu.Unlock()
	if host == "" || len(host) > longest || s.mu.hosts[host] != "" {
		return
	}
	s.mu.hosts[host] = by
	r.set(metaNoHost+host, []byte(by))
}

// refused settles a lease whose host is blacklisted; nil means that it may be fetched. A seed
// is the user's word.
func (e *Engine) refused(lease frontier.Lease) *frontier.Outcome {
	if lease.Seed || !e.scoring.on {
		return nil
	}
	by := e.scoring.blacklistedBy(parseURL(lease.URL.URL))
	if by == "" {
		return nil
	}
	return &frontier.Outcome{State: frontier.Excluded, Reason: "host " + blacklisted + " by " + by, NoRequest: true, Counters: map[string]int64{countBlacklisted: 1}}
}

// judge gives the links of a page their priorities, by what modules and plugins
// say of the page and of them, and keeps out those that are blacklisted.
func (e *Engine) judge(ctx context.Context, r *reading, lease frontier.Lease, ex *fetch.Exchange, lists []candidate) {
	s := &e.scoring
	cut := cutPage(r)
	if err := e.learnSeed(lease, cut.text()); err != nil {
		e.warn("the page of a seed does not describe the topic", "error", err.Error())
	}
	p := cut.page(r, lists)
	var opinions []score.Opinion
	for _, m := range *s.modules.Load() {
		opinions = append(opinions, m.Score(p)...)
	}
	r.judged = &judgement{worth: score.None, calls: map[string]*PluginReport{}}
	if s.Plugins != nil {
		page := s.Plugins.Begin()
		defer page.End()
		links := cut.links(r, lists)
		for _, a := range page.Score(ctx, cut.scoreRequest(r, lease, links, e.parentScore(lease))) {
			r.judged.count(a.Plugin, a.Kind, a.Time)
			if a.Kind == plugins.KindOK {
				opinions = append(opinions, e.opinion(r, a, lists))
			}
		}
		e.extractWith(ctx, page, r, ex, &cut, links)
	}
	v := s.aggregator.Combine(p, opinions)
	r.judged.doc = v.Doc
	r.judged.worth = s.worth.Combine(&score.Page{}, opinions).Doc.Value
	if !score.Given(r.judged.worth) {
		r.judged.worth = 0
		if len(r.page.Harvest.Objects) > 0 {
			r.judged.worth = 1
		}
	}
	e.prioritise(r, v, lists)
}

// parentScore is the score of the page that led to a URL, or [score.None].
func (e *Engine) parentScore(lease frontier.Lease) float64 {
	stored, err := score.DecodeStored([]byte(lease.Why), e.scoring.names.List())
	if err != nil {
		return score.None
	}
	return stored.Page
}

// opinion is what a scorer said, as modules say it.
func (e *Engine) opinion(r *reading, a plugins.Score, lists []candidate) score.Opinion {
	resp, n := a.Response, len(lists)
	o := score.Opinion{Module: a.Plugin.Name, Source: sourceOf(a.Plugin), Doc: score.None}
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
		if f&(abi.BlacklistURL|abi.BlacklistHost) != 0 {
			if o.Blacklisted == nil {
				o.Blacklisted = make([]bool, n)
			}
			o.Blacklisted[i] = true
		}
		if f&abi.BlacklistHost != 0 {
			e.scoring.blacklistHost(r, hostKey(lists[i].at), o.Name().String())
		}
	}
	if resp.DocFlags&abi.BlacklistHost != 0 {
		e.scoring.blacklistHost(r, hostKey(r.page.URL), o.Name().String())
	}
	r.judged.spam = r.judged.spam || resp.DocFlags&(abi.BlacklistURL|abi.BlacklistHost) != 0
	return o
}

// sourceOf names the version of a plugin as short as it is certain.
func sourceOf(p plugins.Identity) string { return p.Version + " " + p.Hash[:min(len(p.Hash), 12)] }

// prioritise turns scores into priorities. What has no score keeps the order of the
// knowledge base. Links of a page that a plugin blacklisted are not followed.
func (e *Engine) prioritise(r *reading, v score.Verdict, lists []candidate) {
	if r.judged.spam {
		r.tally.candidates -= int64(len(r.links))
		r.links = nil
		return
	}
	kept := r.links[:0]
	for i, l := range r.links {
		link := v.Links[i]
		if by := e.scoring.blacklistedBy(lists[i].at); by != "" && link.BlacklistedBy == "" {
			link.BlacklistedBy = by
		}
		if link.BlacklistedBy != "" {
			r.tally.candidates--
			r.exclude = append(r.exclude, frontier.Exclusion{URL: l, Reason: blacklisted + " by " + link.BlacklistedBy, Counter: countBlacklisted})
			continue
		}
		if score.Given(link.Value) {
			l.Priority = max(1, int(link.Value*prioritySeed+0.5))
			why, err := score.Stored{Score: link, Page: v.Doc.Value}.Encode(e.scoring.names)
			if err != nil {
				e.warn("how a score came about could not be kept", "url", l.URL, "error", err.Error())
			}
			l.Why = string(why)
		}
		kept = append(kept, l)
	}
	r.links = kept
}

// learnWeights tells the learner what became of a link: what the page behind it is
// worth, nothing where there is none.
func (e *Engine) learnWeights(out *frontier.Outcome, lease frontier.Lease, r *reading, status int) {
	s := &e.scoring
	worth := 0.0
	switch {
	case s.mu.learner == nil || out.State != frontier.Fetched || r == nil:
		return
	case r.judged != nil:
		worth = r.judged.worth
	case status < 400:
		return // a redirect, or no page
	}
	stored, err := score.DecodeStored([]byte(lease.Why), s.names.List())
	s.mu.Lock()
	defer s.mu.Unlock()
	if lease.Type != "" && lease.Level != "" {
		s.mu.learner.Level(lease.Type+"/"+lease.Level, worth)
	}
	if err != nil {
		return // nobody said anything of it
	}
	s.mu.learner.Harvest(stored.Score.Parts, worth)
	if s.mu.learner.Pages()%score.LearnEvery != 0 {
		return
	}
	state, err := s.mu.learner.State()
	if err != nil {
		e.warn("what was learned of weights could not be kept", "error", err.Error())
		return
	}
	if out.Meta == nil {
		out.Meta = map[string][]byte{}
	}
	out.Meta[metaWeights] = state
}

// lift is by how much more than others pages of a level turned out to be worth.
func (s *scoring) lift(level string) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.learner == nil {
		return 1
	}
	return s.mu.learner.Lift(level)
}

// Learned is what a crawl learned of weights: a part of the report.
type Learned struct {
	Modules []score.Lesson      `json:"modules"`
	Levels  []score.LevelLesson `json:"levels"`
}

// Learned tells what was learned of weights; nil where nothing shall be.
func (e *Engine) Learned() *Learned {
	s := &e.scoring
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.learner == nil {
		return nil
	}
	return &Learned{Modules: slices.Concat([]score.Lesson{}, s.mu.learner.Lessons()), Levels: slices.Concat([]score.LevelLesson{}, s.mu.learner.LevelLessons())}
}
