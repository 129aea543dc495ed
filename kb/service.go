package kb

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/beevik/etree"
	"golang.org/x/net/html"
)

// ServiceCategory is that of [Service.Type].
const ServiceCategory CategoryID = "service"

// First is the first value that a try yields at a node, cut; "" for none.
func (t *Try) First(n *html.Node) string {
	for _, v := range t.Expr.Select(n, nil) {
		s := strings.TrimSpace(v.Text())
		if t.Match != nil {
			s = t.Match.Cut(s)
		}
		if s != "" {
			return s
		}
	}
	return ""
}

// ServiceID names a service: lower case, such as "wordpress-api".
type ServiceID string

// Service describes an API of the web that answers in JSON: where it is, what can be asked of it, and which objects its answers hold.
type Service struct {
	// Type is the service in log, report and graph: it has the ID of the service, and one level for each operation.
	Type *Type
	// Of are the types of web applications whose sites have the API; none for an API that is one site.
	Of []TypeID
	// Base is its address, or relative to that of a site.
	Base string
	// Root finds the address of the site on a page of it; nil: it is the root of its host.
	Root *Try
	// Auth are the kinds of authentication; none: it needs none.
	Auth   []Auth
	Limits []Limit
	// Values say how members of its answers are to be read, by their names.
	Values     Values
	Operations []*Operation
	Examples   []Recorded
	Pos        Position
}

// ID is that of the service.
func (s *Service) ID() ServiceID { return ServiceID(s.Type.ID) }

// Operation returns the operation with the id, or nil.
func (s *Service) Operation(id string) *Operation {
	for _, o := range s.Operations {
		if o.ID == id {
			return o
		}
	}
	return nil
}

// AuthKind is how a request authenticates.
type AuthKind string

// The kinds of authentication.
const (
	AuthKey    AuthKind = "key"    // in a header field or a parameter
	AuthBearer AuthKind = "bearer" // RFC 6750
	AuthOAuth2 AuthKind = "oauth2" // client credentials (RFC 6749, 4.4), which give a bearer token
)

// Auth is one way by which a service knows its users.
type Auth struct {
	Kind   AuthKind
	Header string // of a key: the field that has it, or
	Param  string // the parameter
	Token  string // of oauth2: where tokens are given
	Pos    Position
}

// Limit is what an answer says of how soon the service may be asked again.
type Limit struct {
	// Left selects how many requests are left, Reset when there will be more, which is read as As says. Without Left, Reset counts wherever
	// it is.
	Left, Reset *Expr
	As          string // seconds (from now), epoch (Unix time in seconds) or date
	Pos         Position
}

// Values are names of members of JSON objects, by what their values are.
type Values struct {
	Markup []string // HTML
	UTC    []string // times in UTC without a zone
	Epoch  []string // Unix times in seconds
	// JSONAPI says that the answers are documents of JSON:API: what a relationship refers to is to be found in it.
	JSONAPI bool
}

// Operation is one request that can be made, with what its answers hold.
type Operation struct {
	ID string
	// Path is relative to the base of the service.
	Path   []Part
	Params []Param
	// Complete is set if its answers, all pages of them, hold all items of a site.
	Complete bool
	Paging   *NextPage
	// Items selects the items on a page of a list; nil for an answer that is not a list.
	Items *Expr
	// Since, where not nil, lets a later round ask for, or stop at, what an earlier one has.
	Since *Since
	Calls []Call
	Level *Level // its objects, and the links that are handed to the crawler
	Pos   Position
}

// Part is a part of an address: literal text, or the value of an argument.
type Part struct{ Text, Arg string }

// Param is a parameter of a request. Where an argument of its value has no value the parameter is left out.
type Param struct {
	Name     string
	Value    []Part
	Required bool
}

// Needs returns the required arguments of an operation.
func (o *Operation) Needs() []string { return o.args(func(p Param) bool { return p.Required }) }

// Args are the arguments that have a place in the request.
func (o *Operation) Args() []string { return o.args(func(Param) bool { return true }) }

// args are those of the path and of some parameters.
func (o *Operation) args(of func(Param) bool) []string {
	names := []string{}
	add := func(parts []Part) {
		for _, p := range parts {
			if p.Arg != "" && !slices.Contains(names, p.Arg) {
				names = append(names, p.Arg)
			}
		}
	}
	add(o.Path)
	for _, p := range o.Params {
		if of(p) {
			add(p.Value)
		}
	}
	return names
}

// NextPage is how an answer leads to the next part of a list.
type NextPage struct {
	// Param counts pages, or items, from First on in steps.
	Param       string
	First, Step int
	Size        int   // items of a full page; 0: not known
	Pages       *Expr // how many pages there are
	More        *Expr // whether there are more: anything but nothing, false, 0 and null
	// Cursors are parameters of the next request with their values from the answer. Without the first one there is no next page.
	Cursors []Cursor
	// Next selects the address of the next page; Link takes it from the field Link (RFC 8288).
	Next *Expr
	Link bool
	Pos  Position
}

// Cursor is a parameter whose value an answer gives.
type Cursor struct {
	Param string
	Value *Expr
}

// Since is how a later round goes on where an earlier one began.
type Since struct {
	Param string // of the request; empty: paging ends at a page with a value that the first page of the last round had
	Value *Expr  // of the first page
}

// Call is a further request for each node that an answer holds.
type Call struct {
	Operation string
	Once      bool // however many rounds name it
	At        *Expr
	Args      []Arg
	Pos       Position
}

// Arg is an argument with its value from a node, or from the same argument of the request.
type Arg struct {
	Name  string
	Value *Expr
}

// Recorded is an answer of a service with what is known of it, run by `awarc kb test`. Its page is a body of JSON, or all of an answer,
// from the status line on.
type Recorded struct {
	Example
	Operation string
	// Next is the address that it leads to as the next page; "none" says that there is none, "" nothing.
	Next string
	// Calls is how many further requests follow; -1 when not stated.
	Calls int
}

// Service returns the service with the id, or nil.
func (b *Base) Service(id ServiceID) *Service {
	for _, s := range b.Services {
		if s.ID() == id {
			return s
		}
	}
	return nil
}

func (l *loader) service(e *etree.Element) {
	l.allow(e, []string{"id", "name", "of", "base"}, []string{"root", "auth", "limit", "values", "operation", "example"})
	id := TypeID(l.id(e))
	t := &Type{ID: id, Name: e.SelectAttrValue("name", string(id)), Category: ServiceCategory, Pos: l.positions[e]}
	s := &Service{Type: t, Base: e.SelectAttrValue("base", ""), Pos: t.Pos}
	for _, of := range strings.Fields(e.SelectAttrValue("of", "")) {
		s.Of = append(s.Of, TypeID(of))
	}
	if _, err := url.Parse(s.Base); err != nil {
		l.fail(e, "base=%q; expected an address, or one relative to a site: %v", s.Base, err)
	}
	for _, r := range e.SelectElements("root") {
		l.allow(r, []string{"match"}, nil)
		s.Root = l.try(r, textOf(r), r.SelectAttrValue("match", ""))
	}
	for _, a := range e.SelectElements("auth") {
		s.Auth = append(s.Auth, l.auth(a))
	}
	for _, x := range e.SelectElements("limit") {
		s.Limits = append(s.Limits, l.limit(x))
	}
	for _, v := range e.SelectElements("values") {
		l.allow(v, []string{"markup", "utc", "epoch", "jsonapi"}, nil)
		l.noText(v)
		s.Values.JSONAPI = l.flag(v, "jsonapi")
		s.Values.Markup = append(s.Values.Markup, strings.Fields(v.SelectAttrValue("markup", ""))...)
		s.Values.UTC = append(s.Values.UTC, strings.Fields(v.SelectAttrValue("utc", ""))...)
		s.Values.Epoch = append(s.Values.Epoch, strings.Fields(v.SelectAttrValue("epoch", ""))...)
	}
	for _, x := range e.SelectElements("operation") {
		o := l.operation(x, id)
		if s.Operation(o.ID) != nil {
			l.fail(x, "the operation %s is declared twice", o.ID)
		}
		s.Operations = append(s.Operations, o)
		t.Levels = append(t.Levels, o.Level)
	}
	for _, x := range e.SelectElements("example") {
		s.Examples = append(s.Examples, l.recorded(x, s))
	}
	l.calls(s)
	if at := slices.IndexFunc(l.base.Services, func(o *Service) bool { return o.ID() == s.ID() }); at >= 0 {
		l.base.Services[at] = s // a later source replaces it
		return
	}
	l.base.Services = append(l.base.Services, s)
}

func (l *loader) auth(e *etree.Element) Auth {
	l.allow(e, []string{"kind", "header", "param", "token"}, nil)
	l.noText(e)
	a := Auth{Kind: AuthKind(e.SelectAttrValue("kind", "")), Header: e.SelectAttrValue("header", ""), Param: e.SelectAttrValue("param", ""),
		Token: e.SelectAttrValue("token", ""), Pos: l.positions[e]}
	switch {
	case a.Kind == AuthKey && (a.Header == "") == (a.Param == ""):
		l.fail(e, "a key is in one place; expected header=\"...\" or param=\"...\"")
	case a.Kind == AuthOAuth2 && a.Token == "":
		l.fail(e, "expected token=\"...\", the URL that issues tokens")
	case a.Kind != AuthKey && a.Kind != AuthBearer && a.Kind != AuthOAuth2:
		l.fail(e, "kind=%q; expected key, bearer or oauth2", a.Kind)
	}
	return a
}

func (l *loader) limit(e *etree.Element) Limit {
	l.allow(e, []string{"left", "reset", "as"}, nil)
	l.noText(e)
	x := Limit{Left: l.optional(e, "left"), Reset: l.expression(e, e.SelectAttrValue("reset", "")), As: e.SelectAttrValue("as", "seconds"),
		Pos: l.positions[e]}
	if !contains([]string{"seconds", "epoch", "date"}, x.As) {
		l.fail(e, "as=%q; expected seconds, epoch or date", x.As)
	}
	return x
}

// expression reads the expression of an element; nil if it is none.
func (l *loader) expression(e *etree.Element, source string) *Expr {
	known, ok := l.exprs[source]
	if !ok {
		var err error
		if known, err = NewExpr(source); err != nil {
			l.fail(e, "%v", err)
			return nil
		}
		l.exprs[source] = known
	}
	x := *known
	x.Pos = l.positions[e]
	return &x
}

// optional is the expression in an attribute, nil without one.
func (l *loader) optional(e *etree.Element, attr string) *Expr {
	if source := e.SelectAttrValue(attr, ""); source != "" {
		return l.expression(e, source)
	}
	return nil
}

func (l *loader) operation(e *etree.Element, of TypeID) *Operation {
	l.allow(e, []string{"id", "path", "complete", "items"}, []string{"param", "paging", "since", "call", "object", "follow"})
	o := &Operation{ID: l.id(e), Path: l.parts(e, e.SelectAttrValue("path", "")), Complete: l.flag(e, "complete"),
		Items: l.optional(e, "items"), Pos: l.positions[e]}
	o.Level = &Level{Type: of, ID: LevelID(o.ID), Kind: Terminal, Pos: o.Pos}
	for _, p := range e.SelectElements("param") {
		l.allow(p, []string{"name", "value", "required"}, nil)
		l.noText(p)
		one := Param{Name: p.SelectAttrValue("name", ""), Value: l.parts(p, p.SelectAttrValue("value", "")),
			Required: l.flag(p, "required")}
		if one.Name == "" {
			l.fail(p, "expected name=\"...\"")
		}
		o.Params = append(o.Params, one)
	}
	for _, p := range e.SelectElements("paging") {
		if o.Paging != nil {
			l.fail(p, "a list has one way of paging; the first is at %s", o.Paging.Pos)
		}
		o.Paging = l.answerPaging(p)
	}
	for _, s := range e.SelectElements("since") {
		l.allow(s, []string{"param", "value"}, nil)
		l.noText(s)
		o.Since = &Since{Param: s.SelectAttrValue("param", ""), Value: l.expression(s, s.SelectAttrValue("value", ""))}
	}
	for _, c := range e.SelectElements("call") {
		o.Calls = append(o.Calls, l.call(c))
	}
	for _, x := range e.SelectElements("object") {
		o.Level.Objects = append(o.Level.Objects, l.object(x, nil))
	}
	for _, f := range e.SelectElements("follow") {
		l.allow(f, []string{"match"}, []string{"try"})
		o.Level.Follow = append(o.Level.Follow, &Follow{Tries: l.tries(f), Pos: l.positions[f]})
	}
	return o
}

var argForm = regexp.MustCompile(`\{([a-z][a-z0-9_-]*)\}`)

// parts takes an address or a value with arguments apart.
func (l *loader) parts(e *etree.Element, text string) (parts []Part) {
	at := 0
	for _, m := range argForm.FindAllStringSubmatchIndex(text, -1) {
		if m[0] > at {
			parts = append(parts, Part{Text: text[at:m[0]]})
		}
		parts = append(parts, Part{Arg: text[m[2]:m[3]]})
		at = m[1]
	}
	if at < len(text) {
		parts = append(parts, Part{Text: text[at:]})
	}
	if strings.ContainsAny(argForm.ReplaceAllString(text, ""), "{}") {
		l.fail(e, "unmatched brace in %q; expected {name} in lower case", text)
	}
	return parts
}

func (l *loader) answerPaging(e *etree.Element) *NextPage {
	l.allow(e, []string{"param", "first", "step", "size", "pages", "more", "next", "link"}, []string{"cursor"})
	p := &NextPage{Param: e.SelectAttrValue("param", ""), First: 1, Step: 1, Pages: l.optional(e, "pages"), More: l.optional(e, "more"),
		Next: l.optional(e, "next"), Link: l.flag(e, "link"), Pos: l.positions[e]}
	if e.SelectAttr("first") != nil {
		p.First = l.integer(e, "first", 0, 1)
	}
	if e.SelectAttr("step") != nil {
		p.Step = l.integer(e, "step", 1, 100_000)
	}
	if e.SelectAttr("size") != nil {
		p.Size = l.integer(e, "size", 1, 100_000)
	}
	for _, c := range e.SelectElements("cursor") {
		l.allow(c, []string{"param"}, nil)
		one := Cursor{Param: c.SelectAttrValue("param", ""), Value: l.expression(c, textOf(c))}
		if one.Param == "" {
			l.fail(c, "expected param=\"...\", the parameter that the next request has")
		}
		p.Cursors = append(p.Cursors, one)
	}
	ways := 0
	for _, has := range []bool{p.Param != "", len(p.Cursors) > 0, p.Next != nil, p.Link} {
		if has {
			ways++
		}
	}
	if ways != 1 {
		l.fail(e, "expected one of param=\"...\", <cursor>, next=\"...\" and link=\"yes\"")
	}
	return p
}

func (l *loader) call(e *etree.Element) Call {
	l.allow(e, []string{"operation", "at", "once"}, []string{"arg"})
	c := Call{Operation: e.SelectAttrValue("operation", ""), Once: l.flag(e, "once"), At: l.expression(e, e.SelectAttrValue("at", "")),
		Pos: l.positions[e]}
	for _, a := range e.SelectElements("arg") {
		l.allow(a, []string{"name"}, nil)
		c.Args = append(c.Args, Arg{a.SelectAttrValue("name", ""), l.expression(a, textOf(a))})
	}
	return c
}

// calls checks what operations of a service say of others.
func (l *loader) calls(s *Service) {
	for _, o := range s.Operations {
		for _, c := range o.Calls {
			where := fmt.Sprintf("service[%s]/operation[%s]/call", s.ID(), o.ID)
			to := s.Operation(c.Operation)
			if to == nil {
				l.failAt(c.Pos, where, "operation=%q is not an operation of the service", c.Operation)
				continue
			}
			for _, need := range to.Needs() {
				if !slices.ContainsFunc(c.Args, func(a Arg) bool { return a.Name == need }) {
					l.failAt(c.Pos, where, "%s needs {%s}; expected <arg name=%[2]q>", to.ID, need)
				}
			}
		}
	}
}

func (l *loader) recorded(e *etree.Element, s *Service) Recorded {
	l.allow(e, []string{"page", "url", "operation", "objects", "links", "next", "calls"}, []string{"field"})
	x := Recorded{Operation: e.SelectAttrValue("operation", ""), Next: e.SelectAttrValue("next", ""), Calls: -1}
	if e.SelectAttr("calls") != nil {
		x.Calls = l.integer(e, "calls", 0, 1<<20)
	}
	if s.Operation(x.Operation) == nil {
		l.fail(e, "operation=%q is not an operation of the service", x.Operation)
	}
	if x.Example = l.stated(e); x.URL == "" {
		l.fail(e, "has no url=\"...\"; expected the requested URL")
	}
	return x
}

// services looks at the services of a knowledge base.
func (l *linter) services() {
	for _, s := range l.base.Services {
		if _, known := l.files[s.Pos.File]; !known {
			l.files[s.Pos.File] = len(l.files)
		}
		where := "service[" + string(s.ID()) + "]"
		for _, of := range s.Of {
			if l.base.Type(of) == nil {
				l.warn(s.Pos, "service-of", where, "name a type of awarc kb list, or leave it out", "unknown type of=%q", of)
			}
		}
		if len(s.Examples) == 0 {
			l.warn(s.Pos, "service-untested", where, "record an answer of each operation and add <example>", "has no example")
		}
		for _, o := range s.Operations {
			if o.Paging != nil && o.Items == nil && o.Paging.Param != "" && o.Paging.Pages == nil && o.Paging.More == nil {
				l.errorf(o.Paging.Pos, "paging-endless", where+"/operation["+o.ID+"]/paging",
					"add items=\"...\" to the operation, or pages or more here", "the list never ends")
			}
		}
	}
}
