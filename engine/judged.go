package engine

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
)

// candidate is a link of a page that is to be judged, beside its URL in the
// reading's links.
type candidate struct {
	link  extract.Link
	at    *url.URL
	known float64 // what the knowledge base says of it, or [score.None]
}

// judgement is what modules and plugins made of one page.
type judgement struct {
	doc      score.Score
	worth    float64 // what the page turned out to be worth, by the user's weights
	spam     bool    // a plugin blacklisted the page
	canceled bool    // the crawl was broken off meanwhile
	calls    map[string]*PluginReport
	versions []string // of the plugins that were asked
	found    []graph.Addition
	marks    []frontier.Mark // of the objects that were found
}

// describe completes a log line.
func (j *judgement) describe(s *Exchanged) {
	if j == nil {
		return
	}
	s.Plugins = j.versions
	if v := j.doc.Value; score.Given(v) {
		s.Score = &v
	}
}

// mark counts the objects that plugins found.
func (j *judgement) mark(out *frontier.Outcome) {
	if j != nil {
		out.Marks = append(out.Marks, j.marks...)
	}
}

// count keeps the books of one call of a plugin.
func (j *judgement) count(p plugins.Identity, kind plugins.Kind, took time.Duration) {
	c := j.calls[p.Name]
	if c == nil {
		c = &PluginReport{Kinds: map[string]int64{}}
		j.calls[p.Name] = c
		j.versions = append(j.versions, p.Name+"@"+sourceOf(p))
	}
	c.Time += took.Seconds()
	switch kind {
	case plugins.KindCanceled:
		j.canceled = true
	case plugins.KindDisabled, plugins.KindInput:
		c.Kinds[string(kind)]++
	case plugins.KindOK, plugins.KindNone:
		c.Calls++
	default:
		c.Calls++
		c.Errors++
		c.Kinds[string(kind)]++
	}
}

// addTo adds what the page's plugins did to the durable counters.
func (j *judgement) addTo(counters map[string]int64) {
	if j == nil {
		return
	}
	for name, c := range j.calls {
		counters[countPluginCalls+name] += c.Calls
		counters[countPluginErrors+name] += c.Errors
		counters[countPluginTime+name] += int64(c.Time * 1e6)
		for kind, n := range c.Kinds {
			counters[countPluginKinds+name+"/"+kind] += n
		}
	}
}

// parts is a page cut for modules and plugins.
type parts struct {
	title, lang string
	list        []abi.Part
	truncated   bool
}

// cutPage cuts a page: where the application is known the contents of its objects, so
// that menus and advertisements have no say, else all that is on it.
func cutPage(r *reading) parts {
	p := parts{title: extract.Title(r.page.Doc), lang: extract.Language(r.page.Doc)}
	content := false
	for _, o := range r.page.Harvest.Objects {
		if t := o.Value("title"); t != "" {
			p.list = append(p.list, abi.Part{Kind: abi.Heading, Text: t})
		}
		if c := o.Value("content"); c != "" {
			p.list, content = append(p.list, abi.Part{Kind: abi.Body, Text: c}), true
		}
	}
	if content {
		return p
	}
	all, cut := extract.Parts(r.page.Doc)
	p.list, p.truncated = make([]abi.Part, 0, len(all)), cut
	for _, a := range all {
		p.list = append(p.list, abi.Part{Kind: abi.PartKind(a.Kind), Text: a.Text}) // the kinds are numbered alike
	}
	return p
}

// texts are the parts that modules compare with a topic: all but menus, if there
// is anything else.
func (p *parts) texts() []string {
	var texts, menus []string
	for _, part := range p.list {
		if part.Kind == abi.Navigation {
			menus = append(menus, part.Text)
		} else {
			texts = append(texts, part.Text)
		}
	}
	if len(texts) == 0 {
		return menus
	}
	return texts
}

func (p *parts) text() string { return p.title + "\n" + strings.Join(p.texts(), "\n") }

// page is the page as modules see it.
func (p *parts) page(r *reading, lists []candidate) *score.Page {
	lang, _, _ := strings.Cut(strings.ToLower(p.lang), "-")
	out := &score.Page{URL: r.page.URL, Title: p.title, Parts: p.texts(), Lang: score.Lang(lang), Links: make([]score.Link, len(lists))}
	for i, c := range lists {
		out.Links[i] = score.Link{URL: c.at, Anchor: c.link.Text, Context: c.link.Around.Context, Known: c.known}
	}
	return out
}

func (p *parts) links(r *reading, lists []candidate) []abi.Link {
	out := make([]abi.Link, len(lists))
	for i, c := range lists {
		l := abi.Link{URL: c.at.String(), Anchor: c.link.Text, Context: c.link.Around.Context}
		for _, f := range [...]struct {
			set  bool
			flag abi.LinkFlags
		}{{c.link.Around.NoFollow, abi.NoFollow}, {c.at.Host == r.page.URL.Host, abi.SameHost}, {c.link.Around.Image, abi.Image}, {c.link.Around.Navigation, abi.InNavigation}} {
			if f.set {
				l.Flags |= f.flag
			}
		}
		out[i] = l
	}
	return out
}

// scoreRequest is the page as scorers see it.
func (p *parts) scoreRequest(r *reading, lease frontier.Lease, links []abi.Link, parent float64) *abi.ScoreRequest {
	req := &abi.ScoreRequest{
		URL: r.page.URL.String(), Title: p.title, Parts: p.list, Links: links, Lang: p.lang, Depth: uint32(max(0, lease.Hops)),
		HTTPStatus: uint32(r.status), ContentType: r.mime, Truncated: p.truncated,
	}
	if score.Given(parent) {
		req.ParentScore = float32(parent)
	}
	return req
}

// extractWith asks the extractors of the crawl about a page.
func (e *Engine) extractWith(ctx context.Context, page *plugins.Page, r *reading, ex *fetch.Exchange, p *parts, links []abi.Link) {
	if r.again || !page.Has(module.Extractor) {
		return
	}
	req := &abi.ExtractRequest{
		URL: r.page.URL.String(), Title: p.title, Parts: p.list, Links: links, Lang: p.lang, ContentType: r.mime, CaptureUnix: uint64(max(0, ex.Start.Unix())),
	}
	if body, err := ex.Body(fetch.MaxPage); err == nil {
		req.HTML = string(body)
	}
	for _, a := range page.Extract(ctx, req) {
		r.judged.count(a.Plugin, a.Kind, a.Time)
		if a.Kind == plugins.KindOK {
			r.judged.found = append(r.judged.found, e.addition(a))
		}
	}
}

// maxClasses is how many classes of objects plugins may bring into the report of a crawl.
const maxClasses = 1000

// otherClass stands for further ones.
const otherClass = "awarc:Other"

// countedAs is the name under which objects of a class of a plugin are counted.
func (s *scoring) countedAs(class string) string {
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

// encodeFound writes what plugins found on a page, each whole or not at all.
func (e *Engine) encodeFound(c graph.Capture, r *reading) []byte {
	if r.judged == nil {
		return nil
	}
	var all []byte
	r.judged.marks = nil
	for _, a := range r.judged.found {
		quads, ids, err := graph.EncodeFound(c, a)
		if err != nil {
			e.warn("what a plugin found cannot be written as RDF", "plugin", a.Plugin.Name, "url", c.URL, "error", err.Error())
			continue
		}
		all = append(all, quads...)
		for i, o := range a.Objects {
			class := e.scoring.countedAs(graph.Prefixed(o.Class))
			r.judged.marks = append(r.judged.marks, frontier.Mark{Key: class + " " + ids[i], Counter: countObjects + class, Title: o.Title()})
		}
	}
	return all
}

// addition is what an extractor found, as the graph takes it.
func (e *Engine) addition(a plugins.Extraction) graph.Addition {
	out := graph.Addition{Plugin: graph.Plugin{Name: a.Plugin.Name, Version: a.Plugin.Version, Hash: a.Plugin.Hash}}
	for _, o := range a.Response.Objects {
		g := graph.Found{Class: o.Type, ID: o.ID, Confidence: o.Confidence}
		for _, f := range o.Fields {
			v := valueOf(f.Value)
			v.Lang = f.Lang
			g.Fields = append(g.Fields, graph.FoundField{Name: f.Name, Value: v})
		}
		out.Objects = append(out.Objects, g)
	}
	for _, t := range a.Response.Triples {
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
