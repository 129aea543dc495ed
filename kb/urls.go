package kb

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

// URLRules say which URLs of a type are one page, and of which level that page
// is. The zero value changes nothing and knows no level.
type URLRules struct {
	Drops     []Drop
	Defaults  []Default
	Pagings   []Paging
	Prefers   []Prefer
	Addresses []Address
}

// Drop is a parameter that never changes the content.
type Drop struct {
	Param string // may hold '*' and '?', as in utm_*
	With  string // only where this parameter is present too
	Path  string // only on paths that end so
	Pos   Position
}

// names reports whether the rule names a parameter. Only '*' and '?' stand for others; brackets are part of many names.
func (d *Drop) names(param string) bool {
	ok, _ := path.Match(plainBrackets.Replace(d.Param), param)
	return ok
}

var plainBrackets = strings.NewReplacer(`\`, `\\`, `[`, `\[`)

// Default is a parameter value that means the same as no such parameter.
type Default struct {
	Param, Value string
	Path         string // only on paths that end so
	Pos          Position
}

// Paging is the part of a URL that distinguishes the pages of one object.
type Paging struct {
	Param string
	Path  *regexp.Regexp // cut out of the path
	Form  string         // what Path was written as
	Pos   Position
}

// Prefer rewrites forms of a URL to the one that names the page. Requests keep the form of the link: it is the one that a replay
// looks for, and that the site is known to answer.
type Prefer struct {
	Form string // with {name} for what From captured
	From *regexp.Regexp
	Of   string // what From was written as
	Pos  Position
}

// Address is a form of URLs that identifies the pages of a level, for any
// template.
type Address struct {
	Level LevelID
	Of    string         // what Form was written as
	Form  *regexp.Regexp // as the end of what ObjectKey gives
	// Part is set where the URL names something on the page, such as one post,
	// and not the page.
	Part bool
	Pos  Position
}

func (l *loader) urls(e *etree.Element, r *URLRules) {
	l.allow(e, nil, []string{"drop", "default", "paging", "prefer", "address"})
	for _, d := range e.SelectElements("drop") {
		l.allow(d, []string{"param", "with", "path"}, nil)
		l.noText(d)
		r.Drops = append(r.Drops, Drop{Param: l.param(d), With: d.SelectAttrValue("with", ""), Path: d.SelectAttrValue("path", ""),
			Pos: l.positions[d]})
	}
	for _, d := range e.SelectElements("default") {
		l.allow(d, []string{"param", "value", "path"}, nil)
		l.noText(d)
		r.Defaults = append(r.Defaults, Default{Param: l.param(d), Value: d.SelectAttrValue("value", ""),
			Path: d.SelectAttrValue("path", ""), Pos: l.positions[d]})
	}
	for _, p := range e.SelectElements("paging") {
		l.allow(p, []string{"param", "path"}, nil)
		l.noText(p)
		if form := p.SelectAttrValue("path", ""); form != "" {
			if !formPart.MatchString(form) {
				l.fail(p, "path=%q has no number; expected its place, such as /page{n}", form)
			}
			end := "(?:/|$)" // "/page2" is no part of "/page2-of-a-diary"
			if strings.HasSuffix(form, "/") {
				end = ""
			}
			r.Pagings = append(r.Pagings, Paging{Path: l.form(p, form, end), Form: form, Pos: l.positions[p]})
			continue
		}
		r.Pagings = append(r.Pagings, Paging{Param: l.param(p), Pos: l.positions[p]})
	}
	for _, p := range e.SelectElements("prefer") {
		l.allow(p, []string{"url"}, []string{"from"})
		to := p.SelectAttrValue("url", "")
		if to == "" {
			l.fail(p, "has no url=\"...\"; expected the preferred form, such as showthread.php?t={t}")
		}
		from := p.SelectElements("from")
		if len(from) == 0 {
			l.fail(p, "has no <from>; expected the forms that are the same page as %q", to)
		}
		for _, f := range from {
			l.allow(f, nil, nil)
			of := Prefer{Form: to, From: l.form(f, textOf(f), "$"), Of: textOf(f), Pos: l.positions[f]}
			if part := of.unbound(); part != "" {
				l.fail(p, "url=%q has %s, which <from>%s</from> does not bind: all such addresses would be taken for one page; "+
					"expected the names of numbers in both, such as {t}; text cannot be carried over", to, part, of.Of)
			}
			r.Prefers = append(r.Prefers, of)
		}
	}
	for _, a := range e.SelectElements("address") {
		l.allow(a, []string{"level", "part"}, nil)
		r.Addresses = append(r.Addresses, Address{Level: LevelID(a.SelectAttrValue("level", "")), Of: textOf(a),
			Form: l.form(a, textOf(a), "$"), Part: l.flag(a, "part"), Pos: l.positions[a]})
		if a.SelectAttrValue("level", "") == "" {
			l.fail(a, "has no level=\"...\"; expected the id of the level whose pages have such addresses")
		}
	}
}

// unbound is a part of the preferred form that the other form says nothing of, "" if it has none.
func (p *Prefer) unbound() string {
	for _, part := range formPart.FindAllString(p.Form, -1) {
		name, _, _ := strings.Cut(strings.Trim(part, "{}"), ":")
		if p.From != nil && p.From.SubexpIndex(name) < 1 {
			return part
		}
	}
	return ""
}

func (l *loader) param(e *etree.Element) string {
	p := e.SelectAttrValue("param", "")
	if p == "" {
		l.fail(e, "param=%q; expected the name of a query parameter, '*' allowed", p)
	}
	return p
}

var formPart = regexp.MustCompile(`\{[a-z]+(?::[1-9])?\}|\{\*\}`)

// form compiles a URL form: {name} stands for digits, {name:4} for so many, {*} for
// anything but '/', '?', '&' and '#'; it matches the end of path and query.
func (l *loader) form(e *etree.Element, form, end string) *regexp.Regexp {
	if form == "" {
		l.fail(e, "is empty; expected a URL form such as showthread.php?{t}-{*}")
		return nil
	}
	var b strings.Builder
	last := 0
	for _, at := range formPart.FindAllStringIndex(form, -1) {
		b.WriteString(regexp.QuoteMeta(form[last:at[0]]))
		name, digits, counted := strings.Cut(form[at[0]+1:at[1]-1], ":")
		switch {
		case name == "*":
			b.WriteString(`[^/?&#]*`)
		case counted:
			fmt.Fprintf(&b, `(?P<%s>[0-9]{%s})`, name, digits)
		default:
			fmt.Fprintf(&b, `(?P<%s>[0-9]+)`, name)
		}
		last = at[1]
	}
	b.WriteString(regexp.QuoteMeta(form[last:]))
	re, err := regexp.Compile(b.String() + end)
	if err != nil {
		l.fail(e, "the URL form %q: %v", form, err)
	}
	return re
}

// with gives the rules of a parent followed by those of its child.
func (r URLRules) with(child URLRules) URLRules {
	return URLRules{
		Drops:    append(append([]Drop(nil), r.Drops...), child.Drops...),
		Defaults: append(append([]Default(nil), r.Defaults...), child.Defaults...),
		Pagings:  append(append([]Paging(nil), r.Pagings...), child.Pagings...),
		Prefers:  append(append([]Prefer(nil), r.Prefers...), child.Prefers...),

		Addresses: append(append([]Address(nil), r.Addresses...), child.Addresses...),
	}
}

type param struct {
	name, value string
	raw         string // both with the escaping of the page
}

func splitQuery(q string) []param {
	var ps []param
	for _, kv := range strings.Split(q, "&") {
		if kv == "" {
			continue
		}
		name, value, _ := strings.Cut(kv, "=")
		ps = append(ps, param{unescaped(name), unescaped(value), kv})
	}
	return ps
}

func unescaped(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

func joinQuery(ps []param) string {
	raws := make([]string, len(ps))
	for i, p := range ps {
		raws[i] = p.raw
	}
	return strings.Join(raws, "&")
}

// Fetchable gives the URL to ask the server for: without its fragment and the
// parameters that never change the content, the rest as the page wrote it.
func (r *URLRules) Fetchable(u *url.URL) *url.URL {
	out := *u
	out.Fragment, out.RawFragment = "", ""
	if kept := r.kept(u); len(kept) < len(splitQuery(u.RawQuery)) {
		out.RawQuery, out.ForceQuery = joinQuery(kept), false
	}
	return &out
}

func (r *URLRules) kept(u *url.URL) []param {
	ps := splitQuery(u.RawQuery)
	var out []param
next:
	for _, p := range ps {
		for _, d := range r.Drops {
			if d.names(p.name) && strings.HasSuffix(u.Path, d.Path) && (d.With == "" || has(ps, d.With)) {
				continue next
			}
		}
		out = append(out, p)
	}
	return out
}

func has(ps []param, name string) bool {
	for _, p := range ps {
		if p.name == name {
			return true
		}
	}
	return false
}

// Preferred is Fetchable with the preferred form of the URL, where servers know that form too: it
// names no further page that the URL does not name.
func (r *URLRules) Preferred(u *url.URL) *url.URL {
	out := *r.Fetchable(u)
	r.prefer(&out)
	for _, p := range splitQuery(out.RawQuery) {
		if r.isPaging(p.name) && !has(splitQuery(u.RawQuery), p.name) {
			return r.Fetchable(u)
		}
	}
	return &out
}

// Key gives the form under which a page is known: two URLs with one key are
// one page. It is a key, not a URL to fetch: parameters are sorted, defaults
// left out, preferred forms used.
func (r *URLRules) Key(u *url.URL) string { return r.key(u, false) }

// ObjectKey is Key without the part that distinguishes the pages of one object: all pages
// of a thread have one ObjectKey.
func (r *URLRules) ObjectKey(u *url.URL) string { return r.key(u, true) }

func (r *URLRules) key(u *url.URL, wholeObject bool) string {
	k := *r.Fetchable(u)
	k.ForceQuery = false
	if k.Opaque != "" {
		if plain, err := url.Parse(k.String()); err == nil { // escaped and not, it is one page
			k.Opaque, k.Path, k.RawPath = plain.Opaque, plain.Path, plain.RawPath
		}
	}
	if k.Path == "" && k.Opaque == "" && k.Host != "" {
		k.Path = "/"
	}
	r.prefer(&k)
	var kept []param
	for _, p := range splitQuery(k.RawQuery) {
		if !r.isDefault(p, k.Path) && !(wholeObject && r.isPaging(p.name)) {
			kept = append(kept, p)
		}
	}
	sortParams(kept)
	k.RawQuery = joinQuery(kept)
	if wholeObject {
		r.cutPaging(&k)
	}
	return k.String()
}

// Part is the number in a URL that distinguishes the pages of one object, as the software
// counts: of the page, or of the first thing on it. It is 0 where there is none.
func (r *URLRules) Part(u *url.URL) int {
	key, err := url.Parse(r.Key(u))
	if err != nil {
		return 0
	}
	var number string
	for _, p := range splitQuery(key.RawQuery) {
		if r.isPaging(p.name) {
			number = p.value
		}
	}
	for _, p := range r.Pagings {
		if p.Path == nil {
			continue
		}
		if m := p.Path.FindStringSubmatch(key.EscapedPath()); len(m) > 1 {
			number = m[1]
		}
	}
	const most = 9 // digits
	if n, err := strconv.Atoi(number); err == nil && n > 0 && len(number) <= most {
		return n
	}
	return 0
}

// Level returns the address form that assigns the page of a URL to a level, a
// further page of an object too; nil for none. The first that fits counts.
func (r *URLRules) Level(u *url.URL) *Address {
	if len(r.Addresses) == 0 {
		return nil
	}
	key, err := url.Parse(r.ObjectKey(u))
	if err != nil {
		return nil
	}
	target := key.EscapedPath()
	if key.RawQuery != "" {
		target += "?" + key.RawQuery
	}
	for i := range r.Addresses {
		a := &r.Addresses[i]
		if strings.HasSuffix(a.Of, "{*}") && strings.HasSuffix(target, "/") {
			continue // a folder is none of the things in it: "2019/02/" is a list
		}
		if m := a.Form.FindStringIndex(target); m != nil && (m[0] == 0 || target[m[0]-1] == '/') {
			return a
		}
	}
	return nil
}

// cutPaging takes the paging parts out of the path, its escaping kept.
func (r *URLRules) cutPaging(u *url.URL) {
	before := u.EscapedPath()
	after := before
	for _, p := range r.Pagings {
		if p.Path != nil {
			after = p.Path.ReplaceAllStringFunc(after, keepSlash)
		}
	}
	if after == before {
		return
	}
	if after == "" {
		after = "/"
	}
	if path, err := url.PathUnescape(after); err == nil {
		u.Path, u.RawPath = path, after
	}
}

// keepSlash takes a paging part out of a path: "/a/page/2/" becomes "/a/".
func keepSlash(part string) string {
	if strings.HasPrefix(part, "/") && strings.HasSuffix(part, "/") {
		return "/"
	}
	return ""
}

func (r *URLRules) isDefault(p param, at string) bool {
	for _, d := range r.Defaults {
		if p.name == d.Param && p.value == d.Value && strings.HasSuffix(at, d.Path) {
			return true
		}
	}
	return false
}

func (r *URLRules) isPaging(name string) bool {
	for _, p := range r.Pagings {
		if p.Param == name && name != "" {
			return true
		}
	}
	return false
}

// prefer rewrites the URL by the first form that matches the end of its path and query: as the page
// wrote it, or else with its parameters sorted by name and without those of paging, which the
// preferred form then keeps.
func (r *URLRules) prefer(u *url.URL) {
	if r.rewrite(u) || len(r.Prefers) == 0 {
		return
	}
	var kept, paging []param
	for _, p := range splitQuery(u.RawQuery) {
		if r.isPaging(p.name) {
			paging = append(paging, p)
		} else {
			kept = append(kept, p)
		}
	}
	sortParams(kept)
	sorted := *u
	if sorted.RawQuery = joinQuery(kept); sorted.RawQuery == u.RawQuery || !r.rewrite(&sorted) {
		return
	}
	if len(paging) > 0 {
		sorted.RawQuery = joinQuery(append(splitQuery(sorted.RawQuery), paging...))
	}
	*u = sorted
}

// sortParams sorts parameters by name. Of repeated ones servers take the first or the last: their
// order stays.
func sortParams(ps []param) {
	slices.SortStableFunc(ps, func(a, b param) int { return strings.Compare(a.name, b.name) })
}

// rewrite rewrites the URL by the first form that matches it as it is, and reports whether one does.
func (r *URLRules) rewrite(u *url.URL) bool {
	target := u.EscapedPath()
	if u.RawQuery != "" {
		target += "?" + u.RawQuery
	}
	for _, p := range r.Prefers {
		m := p.From.FindStringSubmatchIndex(target)
		if m == nil || m[0] > 0 && target[m[0]-1] != '/' {
			continue
		}
		form := formPart.ReplaceAllStringFunc(p.Form, func(part string) string {
			name, _, _ := strings.Cut(strings.Trim(part, "{}"), ":")
			if i := p.From.SubexpIndex(name); i > 0 && m[2*i] >= 0 {
				return target[m[2*i]:m[2*i+1]]
			}
			return ""
		})
		// The form is resolved in the folder before it, never as a whole: a path
		// that starts with "//" would name another host.
		dir, err := url.PathUnescape(target[:m[0]])
		if err != nil || strings.Contains(target[:m[0]], "?") {
			continue
		}
		folder := *u
		folder.Path, folder.RawPath, folder.RawQuery = dir, target[:m[0]], ""
		if next, err := folder.Parse(form); err == nil {
			*u = *next
		}
		return true
	}
	return false
}
