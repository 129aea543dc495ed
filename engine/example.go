package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/browser"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
)

// ExampleResult is what came of an example of the knowledge base.
type ExampleResult struct {
	Type    *kb.Type
	Example *kb.Example
	Page    Page
	Links   int // different pages that the follow actions lead to
	// Failures are the differences from the example; empty: it passed, unless NotRun is set.
	Failures []Failure
	NotRun   bool // it needs a browser
}

// Failure is one difference from an example, with its position there.
type Failure struct {
	Pos kb.Position
	Msg string
}

// RunExample inspects the page of an example as a crawl would and compares. The
// error is that of a page that cannot be read or parsed. An example with scripts is not run, and
// NotRun is set: see [RunScripts].
func RunExample(d *detect.Detector, t *kb.Type, x *kb.Example) (ExampleResult, error) {
	r := ExampleResult{Type: t, Example: x}
	if x.Scripts {
		r.NotRun = true
		return r, nil
	}
	a, err := exampleAnswer(x)
	if err != nil {
		return r, err
	}
	return r, r.compare(d, a)
}

// RunScripts is RunExample after a browser ran the scripts of the page and took the steps of its
// level.
func RunScripts(ctx context.Context, b Renderer, d *detect.Detector, t *kb.Type, x *kb.Example) (ExampleResult, error) {
	r := ExampleResult{Type: t, Example: x}
	a, err := exampleAnswer(x)
	if err != nil {
		return r, err
	}
	if a.URL == nil {
		return r, errors.New("has no url; expected the address of the page, which its scripts need")
	}
	p, err := b.Render(ctx, browser.Visit{
		URL:      a.URL.String(),
		Document: browser.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: a.HTML},
		Network: func(_ context.Context, req browser.Request) (*browser.Response, error) {
			u, err := url.Parse(req.URL)
			if err != nil {
				return nil, err
			}
			data, err := x.Beside(path.Base(u.Path) + "@" + u.RawQuery)
			if err != nil {
				data, err = x.Beside(u.Path)
			}
			kind := cmp.Or(mime.TypeByExtension(path.Ext(u.Path)), http.DetectContentType(data))
			return &browser.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {kind}}, Body: data}, err
		},
		Plan: func(html string) browser.Plan {
			a.HTML = []byte(html)
			f := d.Page(Parse(a), detect.Hints{Address: a.URL.Host + a.URL.Path})
			steps := browserSteps(browseOf(&f, a.URL), nil)
			return browser.Plan{Steps: steps, Explore: len(steps) == 0}
		},
	})
	if err != nil {
		return r, err
	}
	a.HTML = []byte(p.HTML)
	return r, r.compare(d, a)
}

// exampleAnswer reads the page of an example.
func exampleAnswer(x *kb.Example) (a Answer, err error) {
	body, err := x.Read()
	if err != nil {
		return a, fmt.Errorf("the page of the example: %w", err)
	}
	text := fetch.DecodeHTML(body, "")
	a.HTML, a.Charset = text.HTML, text.Charset
	if x.URL != "" {
		if a.URL, err = url.Parse(x.URL); err != nil || a.URL.Host == "" {
			return a, fmt.Errorf("url=%q; expected an absolute URL", x.URL)
		}
	}
	return a, nil
}

// compare compares a page with its example.
func (r *ExampleResult) compare(d *detect.Detector, a Answer) (err error) {
	if r.Page, err = Inspect(d, a, Hints{Actions: true}); err != nil {
		return err
	}
	if r.kind(); len(r.Failures) == 0 {
		r.content()
	}
	return nil
}

func (r *ExampleResult) failf(format string, args ...any) {
	r.failAt(r.Example.Pos, format, args...)
}

func (r *ExampleResult) failAt(pos kb.Position, format string, args ...any) {
	r.Failures = append(r.Failures, Failure{pos, fmt.Sprintf(format, args...)})
}

// kind compares type and level.
func (r *ExampleResult) kind() {
	x, p := r.Example, &r.Page
	switch got := p.Finding.Type; {
	case got == nil:
		r.failf("the page has no known type; expected %s", r.Type.ID)
		return
	case got != r.Type:
		r.failf("the page has the type %s; expected %s", got.ID, r.Type.ID)
		return
	}
	switch got := p.Finding.Level(); {
	case x.Level == "":
	case got == nil:
		r.failf("no level matches the page; expected %s", x.Level)
	case got.ID != x.Level:
		r.failf("the page has the level %s; expected %s", got.Name(), x.Level)
	}
	if got := p.Harvest.Level; got != nil && x.Variant != "" && got.ID == x.Level && got.Variant != x.Variant {
		r.failf("%s matched; expected the variant %s", got.Name(), x.Variant)
	}
}

// content compares objects, fields and links.
func (r *ExampleResult) content() {
	x, h := r.Example, &r.Page.Harvest
	if n := len(h.Objects); x.Objects >= 0 && n != x.Objects {
		r.failf("%d objects; expected %d", n, x.Objects)
	}
	for _, m := range h.Misses {
		r.failf("%s %s lacks the required field %s", m.Object, m.ID, m.Field)
	}
	for _, o := range h.SameID() {
		r.failf("two %s have the id %s; make the id template unique", o.Class, o.ID)
	}
	for i := range x.Values {
		r.value(&x.Values[i])
	}
	leads := r.leads()
	if r.Links = len(leads); x.Links >= 0 && r.Links != x.Links {
		r.failf("links to %d pages; expected %d%s", r.Links, x.Links, r.unnamed(maps.Clone(leads)))
	}
	if n := len(h.Changes); x.Changes >= 0 && n != x.Changes {
		r.failf("%d changes of other pages; expected %d", n, x.Changes)
	}
	for _, k := range x.Leads {
		u := extract.Page{Doc: r.Page.Doc, URL: r.Page.URL, Charset: r.Page.Charset}.Resolve(k.URL)
		if !leads[lead{k.To, r.key(u)}] {
			r.failAt(k.Pos, "no link to %s %s", k.To, k.URL)
		}
	}
}

// linksNamed is how many links are named that an example has not.
const linksNamed = 5

// unnamed lists pages that the actions lead to and the example does not name, where they lead to more than it says.
func (r *ExampleResult) unnamed(leads map[lead]bool) string {
	if r.Links < r.Example.Links {
		return ""
	}
	page := extract.Page{Doc: r.Page.Doc, URL: r.Page.URL, Charset: r.Page.Charset}
	for _, k := range r.Example.Leads {
		delete(leads, lead{k.To, r.key(page.Resolve(k.URL))})
	}
	var names []string
	for l := range leads {
		names = append(names, string(l.to)+" "+l.key)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return ""
	}
	return "; unexpected: " + strings.Join(names[:min(len(names), linksNamed)], ", ")
}

type lead struct {
	to  kb.LevelID
	key string
}

// leads are the pages that the follow actions lead to.
func (r *ExampleResult) leads() map[lead]bool {
	all := map[lead]bool{}
	for _, l := range r.Page.Harvest.Links {
		all[lead{l.To, r.key(l.URL)}] = true
	}
	return all
}

func (r *ExampleResult) key(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return r.Type.URLs.Key(u)
}

// value looks for an object with the value of a field.
func (r *ExampleResult) value(v *kb.FieldValue) {
	var seen []string
	n := 0
	for i := range r.Page.Harvest.Objects {
		o := &r.Page.Harvest.Objects[i]
		if o.Class != v.Of {
			continue
		}
		if n++; v.N > 0 && n != v.N {
			continue
		}
		for _, got := range stated(o, v.Name) {
			if v.Holds(got) || r.Page.URL != nil && r.extracted().Resolve(v.Value) == got {
				return
			}
			seen = append(seen, fmt.Sprintf("%.80q", got))
		}
	}
	which := v.Of
	if v.N > 0 {
		which = fmt.Sprintf("%s number %d", v.Of, v.N)
	}
	if len(seen) == 0 {
		r.failAt(v.Pos, "%s has no %s; expected %q (there are %d %s)", which, v.Name, v.Value, n, v.Of)
		return
	}
	r.failAt(v.Pos, "%s of %s is %s; expected %q", v.Name, which, strings.Join(seen[:min(len(seen), 5)], ", "), v.Value)
}

// stated gives the values of a field of an object. What it belongs or replies to is a field, too, and so is its id.
func stated(o *extract.Object, name string) (values []string) {
	switch name {
	case "id":
		return []string{o.ID}
	case o.Rel:
		values = append(values, o.Parent)
	}
	for _, f := range o.Fields {
		if f.Name == name {
			values = append(values, f.Values...)
		}
	}
	return values
}

func (r *ExampleResult) extracted() extract.Page {
	return extract.Page{Doc: r.Page.Doc, URL: r.Page.URL, Charset: r.Page.Charset, Captured: time.Time{}, Type: r.Page.Finding.Type,
		Levels: r.Page.Finding.Levels}
}

// Costs gives the work of each expression on the page, the dearest first; none for a page without a type.
func (r *ExampleResult) Costs() []kb.Cost {
	if r.Page.Doc == nil || r.Page.Finding.Type == nil {
		return nil
	}
	return extract.Costs(r.extracted())
}

// Coverage notes which levels and actions examples reach.
type Coverage struct {
	reached  map[kb.Position]bool
	scripted []*kb.Level
}

// Add notes what an example reached: one with scripts all of its level.
func (c *Coverage) Add(r *ExampleResult) {
	v := r.Page.Harvest.Level
	if r.Example.Scripts {
		c.scripted = append(c.scripted, r.Type.Level(r.Example.Level)...)
	}
	if v == nil || r.Page.Finding.Type == nil {
		return
	}
	if c.reached == nil {
		c.reached = map[kb.Position]bool{}
	}
	c.reached[v.Pos] = true
	c.addresses(r)
	for _, a := range extract.Explain(r.extracted(), v) {
		if a.Count > 0 {
			c.reached[a.Pos] = true
		}
	}
}

// addresses notes which rules for some paths are for the page or for a link on it.
func (c *Coverage) addresses(r *ExampleResult) {
	ends := func(path string) {
		for _, d := range r.Type.URLs.Drops {
			c.reached[d.Pos] = c.reached[d.Pos] || strings.HasSuffix(path, d.Path)
		}
		for _, d := range r.Type.URLs.Defaults {
			c.reached[d.Pos] = c.reached[d.Pos] || strings.HasSuffix(path, d.Path)
		}
	}
	ends(r.Page.URL.Path)
	for _, l := range extract.AllLinks(r.extracted()) {
		if u, err := url.Parse(l.URL); err == nil {
			ends(u.Path)
		}
	}
}

// paths are the rules of a type for some paths that no address of its examples has.
func (c *Coverage) paths(t *kb.Type) (out []kb.Problem) {
	untested := func(pos kb.Position, rule, param, path string) {
		if path != "" && !c.reached[pos] {
			c.reached[pos] = true // subtypes inherit it
			out = append(out, kb.Problem{Pos: pos, Severity: kb.SeverityWarning, Rule: "path-untested",
				Where: "type[" + string(t.ID) + "]/urls/" + rule + "[" + param + "]",
				Msg:   "no page or link of the examples has a path that ends with " + path,
				Hint:  "correct the path (it has no query), or add an example with such a link"})
		}
	}
	for _, d := range t.URLs.Drops {
		untested(d.Pos, "drop", d.Param, d.Path)
	}
	for _, d := range t.URLs.Defaults {
		untested(d.Pos, "default", d.Param, d.Path)
	}
	return out
}

// Problems are the levels, actions and rules that no example reached, of types that
// have examples.
func (c *Coverage) Problems(base *kb.Base) []kb.Problem {
	if c.reached == nil {
		c.reached = map[kb.Position]bool{}
	}
	var out []kb.Problem
	for _, t := range base.Types {
		if len(t.Examples) == 0 {
			continue // one problem of its own: kb.Lint tells it
		}
		out = append(out, c.paths(t)...)
		for _, v := range t.Levels {
			if v.Type == t.ID {
				out = append(out, c.level("type", v)...)
			}
		}
	}
	for _, s := range base.Services {
		if len(s.Examples) == 0 {
			continue // likewise
		}
		for _, v := range s.Type.Levels {
			out = append(out, c.level("service", v)...)
		}
	}
	return out
}

func (c *Coverage) level(of string, v *kb.Level) []kb.Problem {
	if slices.Contains(c.scripted, v) {
		return nil
	}
	where := of + "[" + string(v.Type) + "]/level[" + v.Name() + "]"
	if !c.reached[v.Pos] {
		return []kb.Problem{{Pos: v.Pos, Severity: kb.SeverityWarning, Rule: "level-untested", Where: where, Msg: "unused in examples",
			Hint: "add <example> with a page of this level and these templates"}}
	}
	var out []kb.Problem
	untested := func(pos kb.Position, what string) {
		if !c.reached[pos] {
			out = append(out, kb.Problem{Pos: pos, Severity: kb.SeverityWarning, Rule: "action-untested", Where: where + "/" + what,
				Msg: "matches nothing in any example", Hint: "add an example that uses it, or delete it"})
		}
	}
	for _, f := range v.Follow {
		untested(f.Pos, "follow["+string(f.To)+"]")
	}
	totals := func(list []*kb.Total, in string) {
		for _, t := range list {
			untested(t.Pos, in+"total["+t.Of+"]")
		}
	}
	var objects func([]*kb.Object)
	objects = func(list []*kb.Object) {
		for _, o := range list {
			if untested(o.Pos, "object["+o.Class+"]"); !c.reached[o.Pos] {
				continue
			}
			for _, f := range o.Fields {
				untested(f.Pos, "object["+o.Class+"]/field["+f.Name+"]")
			}
			totals(o.Totals, "object["+o.Class+"]/")
			objects(o.Objects)
		}
	}
	objects(v.Objects)
	totals(v.Totals, "")
	return out
}

// Problems are what is wrong with a knowledge base that loads, its examples run.
func Problems(base *kb.Base) []kb.Problem {
	d := sync.OnceValue(func() *detect.Detector { return detect.New(base) })
	var coverage Coverage
	var more []kb.Problem
	for _, t := range base.Types {
		for i := range t.Examples {
			x := &t.Examples[i]
			r, err := RunExample(d(), t, x)
			if err != nil {
				more = append(more, kb.Problem{Pos: x.Pos, Severity: kb.SeverityError, Rule: "example-page",
					Where: "type[" + string(t.ID) + "]/example", Msg: err.Error(),
					Hint: "page=\"...\" is looked for in the folder of the file and in the one above"})
				continue
			}
			coverage.Add(&r)
		}
	}
	for _, s := range base.Services {
		for i := range s.Examples {
			x := &s.Examples[i]
			r, err := RunRecorded(s, x)
			if err != nil {
				more = append(more, kb.Problem{Pos: x.Pos, Severity: kb.SeverityError, Rule: "example-page",
					Where: "service[" + string(s.ID()) + "]/example", Msg: err.Error(),
					Hint: "page=\"...\" is looked for in the folder of the file and in the one above"})
				continue
			}
			coverage.Add(&r)
		}
	}
	return kb.Lint(base, slices.Concat(more, coverage.Problems(base), vocabularyProblems(base))...)
}
