package assess

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/awarc/awarc/engine/layers"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
)

// Options say what pages and links are assessed by. The zero value assesses nothing:
// links then come in the order of the knowledge base.
type Options struct {
	// Definition gives the built-in modules, the weights, and whether these are
	// learned; nil is an empty definition.
	Definition *score.Definition
	// Topic is what the crawl is about; nil is nothing.
	Topic *score.Topic
	// Layers score pages by their distance from targets; nil is none. The assessor adds the pages of the crawl to its examples.
	Layers *layers.Learner
	// Fixed keeps the scores of pending URLs when more is learned of their link patterns: the user has chosen how scores change.
	Fixed bool
	// Plugins are the scorers and extractors of the crawl; nil is none. The assessor does not
	// close them.
	Plugins *plugins.Set
	// Seeds are passed to plugins with the topic. No plugin can exclude their hosts.
	Seeds []string
	// MayBlacklist are the names of plugins that may keep any share of the URLs out; of others, see
	// mostKeptOut.
	MayBlacklist []string
	// MayBlacklistHosts are the names of plugins that may keep whole hosts out; others may ask for it in vain.
	MayBlacklistHosts []string
}

// Settings are what the assessor needs of a frontier.
type Settings interface {
	Meta(key string) []byte
	PutMeta(key string, value []byte) error
	EachMeta(prefix string, fn func(key string, value []byte) error) error
}

// Names of settings in the frontier.
const (
	metaModules   = "score modules"     // the names that stored scores number
	metaWeights   = "score weights"     // what was learned of them
	metaTopicSeed = "topic seed "       // and its key: the text of a seed's page
	metaNoHost    = "blacklisted host " // and its name: who wants that
	metaLayers    = "context graph "    // and the hash of a page's key: an example of it
)

// Assessor assesses the pages of one crawl in one session.
type Assessor struct {
	Options
	on         bool
	settings   Settings
	warn       func(msg string, args ...any)
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
		vain    map[string]bool   // plugins, and hosts of seeds, of which the operator was told that nothing is kept out
		classes map[string]bool   // of objects of plugins
		kept    map[string]*kept  // by plugin
	}
}

// maxTopicSeeds is how many pages of seeds describe a topic.
const maxTopicSeeds = 100

// maxTopicText bounds the text of one page that describes a topic, in bytes.
const maxTopicText = 64 << 10

// Open reads the state of earlier sessions from the settings of a frontier. warn receives what
// an operator should know.
func Open(o Options, f Settings, warn func(msg string, args ...any)) (*Assessor, error) {
	s := &Assessor{Options: o, on: o.Definition != nil || o.Plugins != nil || o.Layers != nil, settings: f, warn: warn}
	s.mu.hosts, s.mu.vain, s.mu.classes, s.mu.kept = map[string]string{}, map[string]bool{}, map[string]bool{}, map[string]*kept{}
	if !s.on {
		return s, nil
	}
	if s.Definition == nil {
		s.Definition = new(score.Definition)
	}
	if err := errors.Join(s.openWeights(), s.openLayers()); err != nil {
		return nil, err
	}
	err := f.EachMeta(metaNoHost, func(key string, value []byte) error {
		s.mu.hosts[strings.TrimPrefix(key, metaNoHost)] = string(value)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("blacklisted hosts: %w", err)
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
		return nil, fmt.Errorf("texts of seeds: %w", err)
	}
	s.mu.seeds = len(texts)
	s.use(topic.Extend(texts...))
	return s, nil
}

// openWeights makes the aggregators, with what was learned of weights.
func (s *Assessor) openWeights() (err error) {
	if s.aggregator, err = score.NewAggregator(s.Definition.Weights); err != nil {
		return err
	}
	if s.worth, err = score.NewAggregator(s.Definition.Weights); err != nil {
		return err
	}
	names, err := StoredNames(s.settings)
	if err != nil {
		return err
	}
	s.names = score.NewNames(names, func(list []score.Name) error {
		data, err := json.Marshal(list)
		if err != nil {
			return err
		}
		return s.settings.PutMeta(metaModules, data)
	})
	if !s.Definition.Priority.Learn {
		return nil
	}
	s.mu.learner = score.NewLearner(s.aggregator)
	if state := s.settings.Meta(metaWeights); state != nil {
		return s.mu.learner.Restore(state)
	}
	return nil
}

// openLayers adds the examples of earlier sessions to the context graph.
func (s *Assessor) openLayers() error {
	if s.Layers == nil {
		return nil
	}
	err := s.settings.EachMeta(metaLayers, func(_ string, state []byte) error { return s.Layers.Restore(state) })
	s.Layers.Train()
	return err
}

// LearnLayers adds an answer to the examples of the context graph, with its assessment, nil for a file. links are the keys of its links,
// worth is from 0 to 1. It returns settings to be written with the outcome of the URL.
func (s *Assessor) LearnLayers(at frontier.URL, a *Assessment, links []string, worth float64) map[string][]byte {
	if s.Layers == nil {
		return nil
	}
	var stems []layers.Stem
	if a != nil {
		stems = a.stems
	}
	state := s.Layers.Add(at.Key, stems, links, worth)
	if state == nil {
		return nil
	}
	return map[string][]byte{fmt.Sprintf("%s%x", metaLayers, sha256.Sum256([]byte(at.Key))): state}
}

// On reports whether anything is assessed at all.
func (s *Assessor) On() bool { return s.on }

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
func (s *Assessor) use(t *score.Topic) {
	s.mu.topic = t
	modules := s.Definition.Modules(t)
	s.modules.Store(&modules)
	if s.Plugins != nil {
		s.Plugins.SetTopic(PluginTopic(t, s.Definition, s.Seeds))
	}
}

// toldStems is how many terms of a topic that has no keywords plugins are told.
const toldStems = 100

// PluginTopic is a topic as plugins receive it: the user's keywords and entities, or if there
// are none the stems with the greatest weights. Entities with their other names are the parameter "entities", too, in JSON.
func PluginTopic(t *score.Topic, d *score.Definition, seeds []string) abi.Topic {
	out := abi.Topic{SeedURLs: seeds[:min(len(seeds), 1000)]}
	if d != nil && len(d.Entities) > 0 {
		text, err := json.Marshal(d.Entities)
		if err != nil {
			panic(err) // strings and finite numbers
		}
		out.Params = map[string]string{"entities": string(text)}
	}
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
func (s *Assessor) learnSeed(at frontier.URL, text string) error {
	if !at.Seed || s.Topic == nil || !s.Definition.LearnsSeeds() || strings.TrimSpace(text) == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.seeds >= maxTopicSeeds {
		return nil
	}
	setting := metaTopicSeed + at.Key[:min(len(at.Key), 900)]
	if s.settings.Meta(setting) != nil {
		return nil // a session that was killed had read it
	}
	text = strings.ToValidUTF8(text[:min(len(text), maxTopicText)], "")
	if err := s.settings.PutMeta(setting, []byte(text)); err != nil {
		return fmt.Errorf("storing the text of the seed %s: %w", at.URL, err)
	}
	s.mu.seeds++
	s.use(s.mu.topic.Extend(text))
	return nil
}

// BlacklistedBy names the plugin that excludes the host of a URL, "" if none
// does.
func (s *Assessor) BlacklistedBy(u *url.URL) string {
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
// settled with the setting that this adds to its assessment. It reports whether the host is out: a plugin needs the operator's consent,
// and the hosts of seeds stay, so that none ends a crawl unnoticed.
func (s *Assessor) blacklistHost(a *Assessment, host, plugin, by string) bool {
	const longest = 300 // no host name is
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case host == "" || len(host) > longest:
		return false
	case s.mu.hosts[host] != "":
		return true
	case !slices.Contains(s.MayBlacklistHosts, plugin):
		s.inVain(plugin, "a plugin may not exclude a host: --plugin-allow "+plugin+"=blacklist_host permits it", host, by)
		return false
	case slices.ContainsFunc(s.Seeds, func(seed string) bool { u, err := url.Parse(seed); return err == nil && hostKey(u) == host }):
		s.inVain("host "+host, "a plugin asked to exclude the host of a seed; ignored", host, by)
		return false
	}
	s.mu.hosts[host] = by
	a.Settings[metaNoHost+host] = []byte(by)
	s.warn("a plugin excluded a host", "host", host, "plugin", by)
	return true
}

// mostKeptOut is the share of the received pages and links that a plugin may exclude without
// consent of the operator, besides one URL. It is arbitrary: on most sites fewer URLs are spam,
// logout links and the like.
const mostKeptOut = 0.1

// kept counts the URLs that a plugin excluded, and the URLs that it received, in this session.
type kept struct{ out, of int }

func (s *Assessor) keptBy(plugin string) *kept {
	k := s.mu.kept[plugin]
	if k == nil {
		k = &kept{}
		s.mu.kept[plugin] = k
	}
	return k
}

// asked counts pages and links that a plugin received.
func (s *Assessor) asked(plugin string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keptBy(plugin).of += n
}

// keepsOut reports whether a plugin may exclude a URL. It counts the refused ones.
func (s *Assessor) keepsOut(a *Assessment, plugin plugins.Identity, address, by string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.keptBy(plugin.Name)
	consent := slices.Contains(s.MayBlacklist, plugin.Name) || slices.Contains(s.MayBlacklistHosts, plugin.Name)
	if consent || k.out == 0 || float64(k.out+1) <= mostKeptOut*float64(k.of) {
		k.out++
		return true
	}
	a.of(plugin).Kinds[KindNoConsent]++
	if what := plugin.Name + " URLs"; !s.mu.vain[what] {
		s.mu.vain[what] = true
		s.warn(fmt.Sprintf("a plugin asked to exclude more than %.0f %% of the URLs; they are fetched last: "+
			"--plugin-allow %s=blacklist permits it", 100*mostKeptOut, plugin.Name), "url", address, "plugin", by)
	}
	return false
}

// KindNoConsent counts, beside the kinds of ends of calls, URLs that a plugin would have kept out
// without consent.
const KindNoConsent = "no_consent"

// inVain tells the operator once what a plugin asked for in vain.
func (s *Assessor) inVain(what, message, host, by string) {
	if !s.mu.vain[what] {
		s.mu.vain[what] = true
		s.warn(message, "host", host, "plugin", by)
	}
}

// maxClasses is how many classes of objects plugins may bring into the report of a crawl.
const maxClasses = 1000

// otherClass stands for further ones.
const otherClass = "awarc:Other"

// CountedAs is the name under which objects of a class of a plugin are counted.
func (s *Assessor) CountedAs(class string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	const longest = 200
	if !s.mu.classes[class] {
		if len(class) > longest || len(s.mu.classes) >= maxClasses {
			return otherClass
		}
		s.mu.classes[class] = true
	}
	return class
}

// Learns reports whether weights are learned.
func (s *Assessor) Learns() bool { return s.on && s.Definition.Priority.Learn }

// Learn takes a lesson: what turned out to be behind the link by which a URL was
// scheduled. It returns settings to be written with the URL's outcome.
func (s *Assessor) Learn(at frontier.URL, worth float64) map[string][]byte {
	stored, err := score.DecodeStored(noted(at), s.names.List())
	s.mu.Lock()
	defer s.mu.Unlock()
	if at.Type != "" && at.Level != "" {
		s.mu.learner.Level(at.Type+"/"+at.Level, worth)
	}
	if err != nil {
		return nil // nobody said anything of it
	}
	s.mu.learner.Harvest(stored.Score.Parts, worth)
	if s.mu.learner.Pages()%score.LearnEvery != 0 {
		return nil
	}
	state, err := s.mu.learner.State()
	if err != nil {
		s.warn("the learned weights could not be stored", "error", err.Error())
		return nil
	}
	return map[string][]byte{metaWeights: state}
}

// Lift is the factor between the yield of pages of a level and of other pages.
func (s *Assessor) Lift(level string) float64 {
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

// Learned gives what was learned of weights; nil where nothing shall be.
func (s *Assessor) Learned() *Learned {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.learner == nil {
		return nil
	}
	return &Learned{
		Modules: slices.Concat([]score.Lesson{}, s.mu.learner.Lessons()),
		Levels:  slices.Concat([]score.LevelLesson{}, s.mu.learner.LevelLessons()),
	}
}
