package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/plugins"
)

// scoreFlags say what the pages and links of a crawl are judged by, and how the
// frontier orders URLs.
type scoreFlags struct {
	Topic        string             `placeholder:"FILE" help:"Intelligent crawl definition (YAML): seeds, scope, keywords, entities, reference pages, weights."`
	Plugin       []string           `sep:"none" placeholder:"FILE.wasm" help:"Plugin that scores pages and links or extracts objects; repeatable. A new version of the file counts at once."`
	PluginConfig map[string]string  `mapsep:"none" placeholder:"NAME=JSON" help:"What a plugin is configured with; repeatable."`
	Weights      map[string]float64 `placeholder:"MODULE=W" help:"How much a module or plugin counts, 1 where nothing is said; in place of the topic's for those named."`
	Learn        bool               `help:"Adapt the weights to what pages turn out to be worth."`
	Update       string             `placeholder:"NAME" help:"What a further score of a waiting URL does to its priority: max (default), first, last, avg or sum."`
	Batch        int                `placeholder:"N" help:"Schedule links after each N pages only; 0 for at once."`
	PerTurn      int                `placeholder:"N" help:"URLs that a host gives before the next host's turn; 1 where nothing is said."`
	BestFirst    bool               `help:"Prefer the host with the most valuable URL to taking turns."`

	DomainBudget        int `placeholder:"N" help:"Requests that a domain without a seed gets, against link farms; 0 for no limit. More for each other domain that links to it:"`
	DomainBudgetPerLink int `placeholder:"N" help:"So many more for each."`
	DomainBudgetLinks   int `placeholder:"N" help:"Up to so many linking domains."`
}

// judges tells whether pages and links are scored.
func (f scoreFlags) judges() bool { return f.Topic != "" || len(f.Plugin) > 0 || f.Learn }

// frontierOptions are those that order URLs.
func (f scoreFlags) frontierOptions(o frontier.Options) (frontier.Options, error) {
	update, err := frontier.ParseUpdate(cmp.Or(f.Update, frontier.Max.String()))
	if err != nil {
		return o, usageError("--update: %v", err)
	}
	if f.Batch < 0 || f.PerTurn < 0 {
		return o, usageError("--batch %d, --per-turn %d: expected 0 or more", f.Batch, f.PerTurn)
	}
	farms := frontier.InDegree{Base: f.DomainBudget, Each: f.DomainBudgetPerLink, Until: f.DomainBudgetLinks}
	if farms.Base < 0 || farms.Each < 0 || farms.Until < 0 || farms.Base == 0 && farms != (frontier.InDegree{}) {
		return o, usageError("--domain-budget %d, --domain-budget-per-link %d, --domain-budget-links %d: expected 0 or more, and the first with either of the others", farms.Base, farms.Each, farms.Until)
	}
	o.InDegree = farms
	o.Update, o.Batch, o.PerTurn, o.BestFirst = update, f.Batch, f.PerTurn, f.BestFirst
	return o, nil
}

// topic is a definition with the texts of its references. A crawl keeps it, so that
// resume needs none of the files it was made of.
type topic struct {
	File       string   `json:"file"`
	Definition string   `json:"definition"` // YAML
	Texts      []string `json:"texts"`

	parsed *score.Definition
}

// topicFile is where a crawl keeps its topic, below its folder.
const topicFile = "state/topic.json"

// Bounds of what describes a topic.
const (
	maxReferences    = 400 // texts
	maxReferenceText = 64 << 10
)

// readDefinition reads a crawl definition.
func readDefinition(file string) (*score.Definition, []byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, usageError("--topic: %v", err)
	}
	d, err := score.ReadDefinition(file, strings.NewReader(string(data)))
	if err != nil {
		return nil, nil, usageError("--topic: %v", err)
	}
	return d, data, nil
}

// readTopic reads a crawl definition and what it refers to.
func (f crawlFlags) readTopic() (*topic, error) {
	if f.Topic == "" {
		return nil, nil
	}
	d, data, err := readDefinition(f.Topic)
	if err != nil {
		return nil, err
	}
	t := &topic{File: f.Topic, Definition: string(data), parsed: d}
	for _, name := range d.References {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(f.Topic), name)
		}
		texts, err := f.referenceTexts(path)
		if err != nil {
			return nil, usageError("--topic %s: reference %s: %v", f.Topic, name, err)
		}
		t.Texts = append(t.Texts, texts...)
	}
	t.Texts = t.Texts[:min(len(t.Texts), maxReferences)]
	return t, nil
}

// referenceTexts reads a page, a text, or what an earlier crawl extracted.
func (f crawlFlags) referenceTexts(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return crawlTexts(path)
	}
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	text := string(data)
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".html" || ext == ".htm" || ext == ".xhtml" {
		base, err := f.load()
		if err != nil {
			return nil, err
		}
		if text, err = engine.PageText(detect.New(base), engine.Answer{HTML: fetch.DecodeHTML(data, "").HTML}); err != nil {
			return nil, err
		}
	}
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("it holds no text")
	}
	return []string{clipText(text)}, nil
}

func clipText(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxReferenceText)], "")
}

// crawlTexts reads the titles and contents that a crawl extracted, one text a page.
func crawlTexts(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "graph", "*.nq.gz"))
	if err != nil {
		return nil, err
	}
	var pages []string // ids of captures, in order
	texts := map[string]*strings.Builder{}
	take := func(q statement) {
		field := earlierFields[q.predicate].name
		if q.graph == graph.Meta || field != "title" && field != "content" {
			return
		}
		b := texts[q.graph]
		if b == nil {
			if len(pages) >= maxReferences {
				return
			}
			b = new(strings.Builder)
			pages, texts[q.graph] = append(pages, q.graph), b
		}
		if b.Len() < maxReferenceText {
			b.WriteString(clipText(q.object) + "\n")
		}
	}
	for _, file := range files {
		if err := eachStatement(file, take); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if len(pages) == 0 {
		return nil, errors.New("no graph/*.nq.gz with a content there; expected a page, a text, or the folder of a crawl that extracted something")
	}
	var all []string
	for _, id := range pages {
		all = append(all, texts[id].String())
	}
	return all, nil
}

// eachStatement reads a graph file to its end.
func eachStatement(file string, fn func(statement)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	var z gzip.Reader
	for {
		if _, err := in.Peek(1); errors.Is(err, io.EOF) {
			return nil
		}
		if err := readMember(&z, in, fn); err != nil {
			return err
		}
	}
}

// keptTopic reads the topic that a crawl keeps; nil where it has none.
func keptTopic(dir string, f crawlFlags) (*topic, error) {
	if f.Topic == "" {
		return nil, nil
	}
	name := filepath.Join(dir, topicFile)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the topic of the crawl: %w", err)
	}
	t := new(topic)
	if err := json.Unmarshal(data, t); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if t.parsed, err = score.ReadDefinition(t.File, strings.NewReader(t.Definition)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// scoring is what the engine judges by, without plugins. Flags have precedence over the
// definition.
func (f scoreFlags) scoring(t *topic, seeds []string) engine.Scoring {
	if !f.judges() {
		return engine.Scoring{}
	}
	s := engine.Scoring{Definition: new(score.Definition), Seeds: seeds}
	if t != nil {
		d := *t.parsed
		s.Definition, s.Topic = &d, d.Topic(t.Texts...)
	}
	w := score.Weights{}
	maps.Copy(w, s.Definition.Weights)
	maps.Copy(w, f.Weights)
	s.Definition.Weights, s.Definition.Priority.Learn = w, f.Learn
	return s
}

// openPlugins opens the plugins of a crawl; nil where it has none.
func (f scoreFlags) openPlugins(ctx context.Context, t *topic, set settings, events plugins.Events) (*plugins.Set, error) {
	if len(f.Plugin) == 0 {
		return nil, nil
	}
	var cache string // empty is a temporary one
	if dir, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(dir, "awarc", "plugins")
	}
	return plugins.Open(ctx, f.Plugin, plugins.Options{
		Topic: engine.PluginTopic(f.scoring(t, nil).Topic, set.Seeds), Config: f.PluginConfig, CrawlID: set.CrawlID, CacheDir: cache, Events: events,
	})
}

// checkScoring refuses what could not be opened, before a crawl has a folder.
func (f scoreFlags) checkScoring(ctx context.Context, t *topic, set settings) error {
	if _, err := score.NewAggregator(f.Weights); err != nil {
		return usageError("--weights: %v", err)
	}
	known := score.BuiltIn()
	p, err := f.openPlugins(ctx, t, set, plugins.Events{})
	if err != nil {
		return usageError("--plugin: %v", err)
	}
	if p != nil {
		for _, id := range p.Plugins() {
			known = append(known, id.Name)
		}
		if err := p.Close(); err != nil {
			return err
		}
	}
	if s := f.scoring(t, nil); s.Definition != nil {
		for _, name := range slices.Sorted(maps.Keys(s.Definition.Weights)) {
			if !slices.Contains(known, name) {
				return usageError("a weight for %s, which is no module and no plugin of this crawl; expected one of %s", name, strings.Join(known, ", "))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.PluginConfig)) {
		if !slices.Contains(known, name) {
			return usageError("--plugin-config for %s, which is no plugin of this crawl", name)
		}
	}
	return nil
}

// pluginEvent is a line of log/plugins.jsonl.
type pluginEvent struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event"` // loaded, refused, failed, breaker, log or warning
	Plugin  string    `json:"plugin,omitempty"`
	Version string    `json:"version,omitempty"`
	Hash    string    `json:"hash,omitempty"`
	File    string    `json:"file,omitempty"`
	URL     string    `json:"url,omitempty"`
	Kind    string    `json:"kind,omitempty"`
	Level   string    `json:"level,omitempty"`
	Message string    `json:"message,omitempty"`
}

// maxPluginLog is the size from which on the log of plugins takes no more: a plugin may
// say fifty lines a page.
const maxPluginLog = 64 << 20

// pluginEvents tells what plugins do: in their log, and what an operator should know
// in the progress.
func (x *session) pluginEvents() plugins.Events {
	write := func(id plugins.Identity, e pluginEvent) {
		e.Time, e.Plugin, e.Version, e.Hash = time.Now().UTC(), id.Name, id.Version, id.Hash
		if x.pluginLog.size() < maxPluginLog {
			x.pluginLog.write(e)
		}
	}
	return plugins.Events{
		Loaded: func(id plugins.Identity) {
			x.progress.note("plugin " + id.String() + " is in use")
			write(id, pluginEvent{Event: "loaded"})
		},
		Refused: func(file string, err error) {
			x.progress.note("a plugin was refused, the version before stays in use: " + err.Error())
			write(plugins.Identity{}, pluginEvent{Event: "refused", File: file, Message: err.Error()})
		},
		Failed: func(e *plugins.Error) {
			x.progress.warn(warning("a plugin failed on a page, which is judged without it", "plugin", e.Plugin.String(), "url", e.URL, "kind", string(e.Kind), "error", e.Message))
			write(e.Plugin, pluginEvent{Event: "failed", URL: e.URL, Kind: string(e.Kind), Message: e.Message})
		},
		Breaker: func(id plugins.Identity, pause time.Duration) {
			until := "for " + pause.String()
			if pause == 0 {
				until = "until its file changes"
			}
			x.progress.note("plugin " + id.String() + " failed too often and is left alone " + until)
			write(id, pluginEvent{Event: "breaker", Message: until})
		},
		Log: func(id plugins.Identity, l plugins.Level, line string) {
			write(id, pluginEvent{Event: "log", Level: l.String(), Message: line})
		},
		Warning: func(id plugins.Identity, key string) {
			x.progress.note("plugin " + id.String() + ": the manifest has the key " + key + ", which this version does not know")
			write(id, pluginEvent{Event: "warning", Message: "unknown key of the manifest: " + key})
		},
	}
}

// addTopicSeeds adds the seeds of the topic.
func (t *topic) seeds() []string {
	if t == nil {
		return nil
	}
	return t.parsed.Seeds
}

// scoreJSON is how the score came about that gave a URL its priority.
type scoreJSON struct {
	Value float64      `json:"value"`
	Parts []score.Part `json:"parts"`
	// Page is the score of the page that held the link; nil where it had none.
	Page *float64 `json:"page,omitempty"`
	// Scores is how many scores the URL was given; this is the highest.
	Scores int    `json:"scores"`
	Update string `json:"update"` // what further scores do
}

// scoreOf reads the score that is stored with an entry, nil where there is none.
func scoreOf(f *frontier.Frontier, e frontier.Entry, flags scoreFlags) (*scoreJSON, error) {
	if e.Why == "" {
		return nil, nil
	}
	names, err := engine.StoredNames(f)
	if err != nil {
		return nil, err
	}
	s, err := score.DecodeStored([]byte(e.Why), names)
	if err != nil {
		return nil, err
	}
	out := &scoreJSON{Value: s.Score.Value, Parts: s.Score.Parts, Scores: e.Scores, Update: cmp.Or(flags.Update, frontier.Max.String())}
	if score.Given(s.Page) {
		out.Page = &s.Page
	}
	return out, nil
}

func (s *scoreJSON) print(w io.Writer) {
	fmt.Fprintf(w, "  score     %.4f", s.Value)
	if s.Scores > 1 {
		fmt.Fprintf(w, ", the highest of %d, of which the priority is the %s", s.Scores, s.Update)
	}
	if s.Page != nil {
		fmt.Fprintf(w, "; its page has %.4f", *s.Page)
	}
	fmt.Fprintln(w)
	for _, p := range s.Parts {
		from := ""
		if p.FromDocument {
			from = " (said of the page)"
		}
		name := p.Module
		if p.Source != "" {
			name += "@" + p.Source
		}
		fmt.Fprintf(w, "            %.4f x%g  %s%s\n", p.Score, p.Weight, name, from)
	}
}
