package adapt

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// address is what the form of a URL says of the page that it names.
type address struct {
	level kb.LevelID // "" for nothing
	// whole tells that it is the first page of what it names: no further page, and no
	// part of one.
	whole bool
	key   string
	form  *kb.Address
}

// addressed reads a URL of the site by the type's URL rules: themes and versions of an
// application change its templates and keep its addresses.
func (s *session) addressed(link string) address {
	a, known := s.addresses[link]
	if known {
		return a
	}
	s.x.spend(addressWork)
	u, err := url.Parse(link)
	if err == nil && u.Host == s.page.URL.Host && s.page.Type != nil {
		u = unsaved(u)
		rules := &s.page.Type.URLs
		if a.form = rules.Level(u); a.form != nil {
			a.level, a.key = a.form.Level, rules.ObjectKey(u)
			a.whole = !a.form.Part && rules.Key(u) == a.key
		}
	}
	s.addresses[link] = a
	return a
}

// unsaved gives back the address that a page of a mirror had: copies of sites keep
// "viewtopic.php?t=7&start=20" as the file "viewtopic.php@t=7&start=20.html" or
// "viewtopic.php-t=7-start=20.html".
func unsaved(u *url.URL) *url.URL {
	m := savedName.FindStringSubmatch(u.Path)
	if m == nil || u.RawQuery != "" {
		return u
	}
	was := *u
	was.Path, was.RawPath, was.RawQuery = m[1], "", m[3]
	if m[2] == "-" {
		was.RawQuery = savedParam.ReplaceAllString(m[3], "&$1")
	}
	return &was
}

var (
	savedName  = regexp.MustCompile(`^(.*\.php)([@?-])([a-z]+=.*?)(?:\.html)?$`)
	savedParam = regexp.MustCompile(`-([a-z]+=)`)
)

// ownAddress tells of which level the page is by its address, or else by the one
// that it gives itself.
func (s *session) ownAddress() address {
	if a := s.addressed(s.page.URL.String()); a.level != "" {
		return a
	}
	for _, n := range s.canonical() {
		href, _ := s.x.attr(n.node, n.attr)
		if a := s.addressed(s.r.Link(href)); a.level != "" {
			return a
		}
	}
	return address{}
}

// attrOf is an attribute of an element of a kind.
type attrOf struct {
	node int
	attr string
	from xpath.Step // what the element is
}

// canonical lists where the page gives its own address.
func (s *session) canonical() []attrOf {
	var out []attrOf
	for _, c := range []struct{ tag, attr, value, holds string }{{"link", "rel", "canonical", "href"}, {"meta", "property", "og:url", "content"}} {
		for _, n := range s.x.tags[c.tag] {
			if v, _ := s.x.attr(n, c.attr); v == c.value {
				is := xpath.Pred{Kind: xpath.Equals, Value: xpath.Test{Kind: xpath.Attr, Name: c.attr}, Literal: c.value}
				out = append(out, attrOf{n, c.holds, xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: c.tag}, Preds: []xpath.Pred{is}}})
			}
		}
	}
	return out
}

// sign is what tells addresses of a form from others: a script or folder of the path,
// or a parameter.
type sign struct {
	param bool
	text  string
}

// signs reads the fixed parts of a form, "viewtopic.php" of "viewtopic.php?t={t}" and
// then "t".
func signs(form string) []sign {
	path, query, _ := strings.Cut(form, "?")
	var out []sign
	for part := range strings.SplitSeq(path, "/") {
		if part != "" && !strings.Contains(part, "{") {
			out = append(out, sign{text: part})
		}
	}
	for p := range strings.SplitSeq(query, "&") {
		name, _, valued := strings.Cut(p, "=")
		folder, _, inside := strings.Cut(name, "/")
		switch {
		case valued:
			out = append(out, sign{true, name})
		case inside: // the path stands in the query
			out = append(out, sign{true, folder + "/"})
		}
	}
	return out
}

// patterns writes a sign as patterns of the address that a page was asked for by, and
// of the address that it gives itself.
func (n sign) patterns(own []attrOf) []string {
	contains := func(value xpath.Test, text string) xpath.Pred {
		return xpath.Pred{Kind: xpath.Contains, Value: value, Literal: text}
	}
	step := func(tag string, p ...xpath.Pred) xpath.Step {
		return xpath.Step{Axis: xpath.Child, Test: xpath.Test{Kind: xpath.Tag, Name: tag}, Preds: p}
	}
	var out []string
	add := func(steps ...xpath.Step) {
		steps[0].Axis = xpath.Descendant
		out = append(out, (&xpath.Expr{Steps: steps}).String())
	}
	name, text := xpath.Test{Kind: xpath.Attr, Name: "name"}, n.text
	switch {
	case n.param && strings.HasSuffix(text, "/"):
		add(step("url"), step("param", xpath.Pred{Kind: xpath.StartsWith, Value: name, Literal: text}))
	case n.param:
		add(step("url"), step("param", xpath.Pred{Kind: xpath.Equals, Value: name, Literal: text}))
		text += "="
	case !strings.Contains(text, "."):
		text = "/" + text + "/"
		fallthrough
	default:
		add(step("url"), step("path", contains(xpath.Test{Kind: xpath.Self}, text)))
	}
	for _, c := range own {
		is := c.from
		is.Preds = append(slices.Clone(is.Preds), contains(xpath.Test{Kind: xpath.Attr, Name: c.attr}, text))
		add(is)
	}
	return out
}

// addressPattern writes as a pattern what in the page's own address tells its level:
// the script, folder or parameter that addresses of no other level of the type have;
// "" where nothing does.
func (s *session) addressPattern(a address) string {
	for _, sign := range signs(a.form.Of) {
		if slices.ContainsFunc(s.page.Type.URLs.Addresses, func(o kb.Address) bool {
			return o.Level != a.level && slices.Contains(signs(o.Of), sign)
		}) {
			continue
		}
		for _, e := range sign.patterns(s.canonical()) {
			if x, err := kb.NewExpr(e); err == nil && x.Fragment != nil && len(s.x.selectIn(x.Fragment, -1)) > 0 {
				return e
			}
		}
	}
	return ""
}
