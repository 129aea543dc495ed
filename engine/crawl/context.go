package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/layers"
	"github.com/awarc/awarc/kb"
)

// ContextSelf is the value of [Scoring.Context] for a context graph without an earlier crawl.
const ContextSelf = "self"

// contextFile holds the examples of the earlier crawl, below the folder of the crawl.
const contextFile = "state/context.gz"

// contextExamples reads the examples of a context graph from an earlier crawl; nil for none.
func (o Options) contextExamples(t *topic) ([]byte, error) {
	switch {
	case o.Context == "":
		return nil, nil
	case len(o.Targets) == 0 && o.Topic == "":
		return nil, complain("%s: no targets are known; add %s or %s", option("Context"), option("Targets"), option("Topic"))
	case o.Context == ContextSelf:
		return nil, nil
	}
	fail := func(err error) error { return complain("%s %s: %v", option("Context"), o.Context, err) }
	if _, err := ReadSettings(o.Context); err != nil {
		return nil, complain("%s: %v", option("Context"), err)
	}
	l, unread, err := o.contextOf(context.Background(), o.Context, t)
	if err != nil {
		return nil, fail(err)
	}
	if sizes := l.Train(); sizes[0] == 0 {
		return nil, fail(errors.Join(append([]error{errors.New("no page of this crawl is a target, or about the topic")}, unread...)...))
	}
	if len(unread) > 0 {
		o.Events.filled().Noted("%s: %d pages of %s cannot be read and are not examples, the first: %v", option("Context"), len(unread),
			o.Context, unread[0])
	}
	return l.State(), nil
}

// contextOf makes the pages of a crawl the examples of a learner. Files can be targets only. unread
// has an error for each page that cannot be read.
func (o Options) contextOf(ctx context.Context, dir string, t *topic) (l *layers.Learner, unread []error, err error) {
	base, err := o.loadKB()
	if err != nil {
		return nil, nil, err
	}
	targets, err := engine.ParseTargets(o.Targets)
	if err != nil {
		return nil, nil, err
	}
	o.Context, o.Plugin, o.Learn = "", nil, false
	assessor, err := assess.Open(o.scoring(t, nil), noSettings{}, func(string, ...any) {})
	if err != nil {
		return nil, nil, err
	}
	found, err := FirstExchanges(dir, layers.MaxPages, func(e *engine.Exchanged) bool { return e.Status == 200 && !e.Robots })
	if err != nil {
		return nil, nil, err
	}
	l = layers.New(layers.DefaultDepth)
	d := detect.New(base)
	for i := range found {
		e := &found[i]
		at, err := url.Parse(e.URL)
		if err != nil {
			continue
		}
		if !strings.Contains(e.MIME, "html") {
			l.Add((&kb.URLRules{}).Key(at), nil, nil, boolWorth(targets.On(e, nil)))
			continue
		}
		p, err := Folder(dir).ReadPage(ctx, d, e)
		if p == nil {
			unread = append(unread, fmt.Errorf("%s: %w", e.URL, err))
			continue
		}
		worth := boolWorth(targets.On(e, &p.Page))
		if targets == nil {
			page := &assess.Page{Page: p.Extracted(), Objects: p.Harvest.Objects, Status: e.Status, MIME: e.MIME}
			worth = assessor.Page(ctx, page, nil).Worth
		}
		key, links := keysOn(p)
		cut := assess.Cut(p.Extracted(), p.Harvest.Objects)
		l.Add(key, assess.Stems(cut.Text()), links, worth)
	}
	return l, unread, nil
}

func boolWorth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// keysOn returns the key of a page and the keys of its links.
func keysOn(p *Page) (key string, links []string) {
	rules := &kb.URLRules{}
	if p.Finding.Type != nil {
		rules = &p.Finding.Type.URLs
	}
	for _, l := range extract.AllLinks(p.Extracted()) {
		if u, err := url.Parse(l.URL); err == nil {
			links = append(links, rules.Key(u))
		}
	}
	return rules.Key(p.URL), links
}

// noSettings keep nothing.
type noSettings struct{}

func (noSettings) Meta(string) []byte                                { return nil }
func (noSettings) PutMeta(string, []byte) error                      { return nil }
func (noSettings) EachMeta(string, func(string, []byte) error) error { return nil }

// keptContext opens the context graph of a crawl; nil where it has none.
func keptContext(dir string, o Options) (*layers.Learner, error) {
	if o.Context == "" {
		return nil, nil
	}
	l := layers.New(layers.DefaultDepth)
	if o.Context == ContextSelf {
		return l, nil
	}
	state, err := os.ReadFile(filepath.Join(dir, contextFile))
	if err != nil {
		return nil, fmt.Errorf("the context graph of the crawl: %w", err)
	}
	if err := l.Restore(state); err != nil {
		return nil, err
	}
	l.Train()
	return l, nil
}
