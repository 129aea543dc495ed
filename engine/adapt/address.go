package adapt

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

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
	if u := s.local(link); u != nil && s.page.Type != nil {
		rules := &s.page.Type.URLs
		if a.form = rules.Level(u); a.form != nil {
			a.level, a.key = a.form.Level, rules.ObjectKey(u)
			a.whole = !a.form.Part && rules.Key(u) == a.key
		}
	}
	s.addresses[link] = a
	return a
}

// local reads a URL of the site as if the page had been asked for there; nil for others.
func (s *session) local(link string) *url.URL {
	u, err := url.Parse(link)
	if err != nil || u.Host != s.page.URL.Host && u.Host != s.home {
		return nil
	}
	return s.asOwn(u)
}

// homeOf gives the host of the site: the page's or, where no link leads to an address of the type on it, as on a copy
// saved under another name, the host that most links with such addresses lead to, else most links.
func (s *session) homeOf() string {
	all, told := map[string]int{}, map[string]int{}
	seen := map[string]bool{}
	for _, n := range s.x.tags["a"] {
		href, _ := s.x.attr(n, "href")
		link := s.r.Link(href)
		u, err := url.Parse(link)
		if err != nil || u.Host == "" || strings.HasPrefix(href, "#") || seen[link] {
			continue
		}
		seen[link] = true
		all[u.Host]++
		if told[s.page.URL.Host] > 0 {
			break
		}
		s.x.spend(addressWork)
		if s.page.Type.URLs.Level(s.asOwn(u)) != nil {
			told[u.Host]++
		}
	}
	own := s.page.URL.Host
	if told[own] > 0 {
		return own
	}
	for host, n := range told {
		if n < fewestTopics {
			delete(told, host)
		}
	}
	switch {
	case len(told) > 0:
		return most(told)
	case all[own] > 0 || len(all) == 0:
		return own
	}
	return most(all)
}

// most is the name that counts most, the first of several.
func most(count map[string]int) string {
	best := ""
	for _, name := range slices.Sorted(maps.Keys(count)) {
		if best == "" || count[name] > count[best] {
			best = name
		}
	}
	return best
}

// asOwn is a URL as if the page had been asked for there.
func (s *session) asOwn(u *url.URL) *url.URL {
	at := *unsaved(u)
	at.Scheme, at.Host = s.page.URL.Scheme, s.page.URL.Host
	return &at
}

// unsaved gives back the address that a page of a mirror had: copies of sites keep
// "viewtopic.php?t=7&start=20" as the file "viewtopic.php@t=7&start=20.html" or
// "viewtopic.php-t=7-start=20.html". Where they keep the query they number the files:
// "index.php-15.html?forums/knots.2/", or tell them apart by four digits of a digest:
// "viewtopic3f0c.html?t=7".
func unsaved(u *url.URL) *url.URL {
	at := func(path, query string) *url.URL {
		was := *u
		was.Path, was.RawPath, was.RawQuery = path, "", query
		return &was
	}
	if n := savedDigest.FindStringSubmatch(u.Path); n != nil && strings.Contains(u.RawQuery, "=") {
		return at(n[1]+scriptExt, u.RawQuery)
	}
	if n := savedNumber.FindStringSubmatch(u.Path); n != nil && (u.RawQuery != "" || n[2] == "") {
		return at(n[1], u.RawQuery)
	}
	if u.RawQuery != "" {
		return u
	}
	if n := savedFolder.FindStringSubmatch(u.Path); n != nil {
		return at(n[1], "")
	}
	switch m := savedName.FindStringSubmatch(u.Path); {
	case m == nil:
		return u
	case m[2] == "-":
		return at(m[1], savedParam.ReplaceAllString(m[3], "&$1"))
	default:
		return at(m[1], m[3])
	}
}

var (
	savedName   = regexp.MustCompile(`^(.*\.php)([@?-])([a-z]+=.*?)(?:\.html)?$`)
	savedFolder = regexp.MustCompile(`^(.*/)index(?:\.html)?$`)
	savedNumber = regexp.MustCompile(`^(.*\.php)(-\d+)?\.html$`)
	savedDigest = regexp.MustCompile(`^(.*/[A-Za-z_]+?)[0-9a-f]{4}\.html$`)
	savedParam  = regexp.MustCompile(`-([a-z]+=)`)
)

// ownAddress tells of which level the page is by its address, or else by the one
// that it gives itself, by those of its further pages, or by that of its title.
func (s *session) ownAddress() address {
	given := []string{s.page.URL.String()}
	for _, n := range s.canonical() {
		href, _ := s.x.attr(n.node, n.attr)
		given = append(given, s.r.Link(href))
	}
	for _, link := range append(given, s.mirrored()) {
		if a := s.addressed(link); a.level != "" {
			return a
		}
	}
	for _, by := range []func() address{s.permalinked, s.partsOf, s.titled} {
		if a := by(); a.level != "" {
			return a
		}
	}
	if u := s.local(s.page.URL.String()); s.rooted().is(u) {
		return s.rootAddress(u)
	}
	return address{}
}

// mirrored gives the address that the page had before it was copied, where the program
// that copied it says so; "" where it does not.
func (s *session) mirrored() string {
	for n := range s.page.Doc.Descendants() {
		if n.DataAtom == atom.Body {
			break
		}
		if m := mirroredFrom.FindStringSubmatch(n.Data); n.Type == html.CommentNode && m != nil {
			if u, err := url.Parse("http://" + m[1]); err == nil {
				u.Host = s.page.URL.Host
				return u.String()
			}
		}
	}
	return ""
}

// mirroredFrom is what HTTrack writes above a page.
var mirroredFrom = regexp.MustCompile(`^ Mirrored from (\S+) by HTTrack`)

// titled gives the address of the links that are called as the page is; none where they
// lead to several things.
func (s *session) titled() address {
	var own address
	for _, n := range s.x.tags["a"] {
		if l := s.x.length(n); l == 0 || l > 2*len(s.title)+longText {
			continue
		}
		t := plainTitle(s.x.read(s.x.nodes[n]))
		if len(t) < shortestTitle || 2*len(t) < len(s.title) || !strings.HasPrefix(s.title, t) && !strings.HasSuffix(s.title, t) {
			continue
		}
		a := s.addressed(s.linkOf(n))
		switch {
		case a.level == "" || a.form.Part:
		case own.level != "" && own.key != a.key:
			return address{}
		default:
			own = a
		}
	}
	return own
}

// shortestTitle is how many letters and digits tell a page by its title.
const shortestTitle = 8

// partsOf tells what a page without an address of its own is a page of: of what many
// of its links lead to parts, further pages and single posts, and twice as many as lead
// to parts of anything else. Lists name parts of all that they list.
func (s *session) partsOf() address {
	of, parts := map[string]address{}, map[string]int{}
	seen := map[string]bool{}
	for _, n := range s.x.tags["a"] {
		href, _ := s.x.attr(n, "href")
		link := s.r.Link(href)
		if a := s.addressed(link); a.level != "" && !a.whole && !a.form.Part && !seen[link] {
			seen[link] = true
			of[a.key] = a
			parts[a.key]++
		}
	}
	best := most(parts)
	own := parts[best]
	delete(parts, best)
	if own < fewestParts || own < 2*parts[most(parts)] {
		return address{}
	}
	return of[best]
}

// fewestParts is how many links to parts of a thing its page has at least.
const fewestParts = 2

// attrOf is an attribute of an element of a kind.
type attrOf struct {
	node int
	attr string
	from xpath.Step // what the element is
}

// canonical lists where the page gives its own address, that of its data for programs
// included.
func (s *session) canonical() []attrOf {
	var out []attrOf
	for _, c := range []struct{ tag, attr, value, holds string }{{"link", "rel", "canonical", "href"},
		{"meta", "property", "og:url", "content"}, {"link", "type", "application/json", "href"}} {
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
// what a part of it begins with, or a parameter.
type sign struct {
	param bool
	begin bool
	text  string
}

// href is the sign as it stands in a link.
func (n sign) href() string {
	switch {
	case n.param && !strings.HasSuffix(n.text, "/"):
		return n.text + "="
	case !n.param && !n.begin && !strings.Contains(n.text, "."):
		return n.text + "/"
	}
	return n.text
}

// signs reads the fixed parts of a form, "viewtopic.php" of "viewtopic.php?t={t}" and
// then "t".
func signs(form string) []sign {
	path, query, _ := strings.Cut(form, "?")
	var out []sign
	for part := range strings.SplitSeq(path, "/") {
		begin, _, filled := strings.Cut(part, "{")
		switch {
		case !filled && part != "":
			out = append(out, sign{text: part})
		case strings.HasSuffix(begin, "-"): // "Forum-{*}"
			out = append(out, sign{begin: true, text: begin})
		}
	}
	for p := range strings.SplitSeq(query, "&") {
		name, _, valued := strings.Cut(p, "=")
		folder, _, inside := strings.Cut(name, "/")
		switch {
		case valued:
			out = append(out, sign{param: true, text: name})
		case inside: // the path stands in the query
			out = append(out, sign{param: true, text: folder + "/"})
		}
	}
	return out
}

// patterns writes a sign as patterns of the address that a page was asked for by, and
// of the address that it gives itself.
func (n sign) patterns(own []attrOf) []*xpath.Expr {
	contains := func(value xpath.Test, text string) xpath.Pred {
		return xpath.Pred{Kind: xpath.Contains, Value: value, Literal: text}
	}
	step := func(tag string, p ...xpath.Pred) xpath.Step {
		return xpath.Step{Axis: xpath.Child, Test: xpath.Test{Kind: xpath.Tag, Name: tag}, Preds: p}
	}
	var out []*xpath.Expr
	add := func(steps ...xpath.Step) {
		steps[0].Axis = xpath.Descendant
		out = append(out, &xpath.Expr{Steps: steps})
	}
	name, text := xpath.Test{Kind: xpath.Attr, Name: "name"}, n.text
	switch {
	case n.param && strings.HasSuffix(text, "/"):
		add(step("url"), step("param", xpath.Pred{Kind: xpath.StartsWith, Value: name, Literal: text}))
	case n.param:
		add(step("url"), step("param", xpath.Pred{Kind: xpath.Equals, Value: name, Literal: text}))
		text += "="
	case n.begin:
		text = "/" + text
		add(step("url"), step("path", contains(xpath.Test{Kind: xpath.Self}, text)))
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
			if writable(e) && len(s.x.selectIn(e, -1)) > 0 {
				return e.String()
			}
		}
	}
	return ""
}

// datedPath is where a path begins with a date, with what is before it.
var datedPath = regexp.MustCompile(`^(?:/[a-z-]+)?/(?:19|20)\d\d/\d\d/(?:\d\d/)?`)

// shapePattern writes as a pattern of a level that the path of the page begins with a date
// and goes on, as those of posts do, or that it is an address without words: the front of
// the site, or a month; "" for others.
func (s *session) shapePattern(v *kb.Level) string {
	path := s.page.URL.Path
	day, shape := datedPath.FindString(path), digit.ReplaceAllString(path, "9")
	e := ""
	switch numbers := s.own.form != nil && wordless.MatchString(s.own.form.Of); {
	case s.own.form == nil || numbers && (s.page.URL.RawQuery != "" || s.addressed(s.page.URL.String()).form != s.own.form):
		return ""
	case numbers && s.own.whole:
		e = fmt.Sprintf("url/shape[.='%s']", shape)
	case numbers: // a further page, "/2019/05/page/2/"
		e = fmt.Sprintf("url/shape[starts-with(., '%s9')]", strings.TrimRight(strings.TrimRight(shape, "/"), "9"))
	case v.Kind == kb.Terminal && day != "" && len(day) < len(path):
		e = fmt.Sprintf("url/shape[starts-with(., '%s')][not(.='%[1]s')][not(contains(., '/page/'))]", digit.ReplaceAllString(day, "9"))
	default:
		return ""
	}
	if x, err := xpath.Parse(e); err != nil || len(s.x.selectIn(x, -1)) == 0 {
		return ""
	}
	return e
}

// wordless is a form of addresses that is made of numbers.
var wordless = regexp.MustCompile(`^(?:/|(?:\{[a-z]+(?::\d)?\}/?)+)$`)

var digit = regexp.MustCompile(`\d`)

// permalinked gives the address of the links to numbered places that are on the page
// itself, as posts have them: "show.php?p=41#p41" on a page with an element that is called
// "p41". None where they are of several levels. Which thing of its level the page shows
// they tell where they all name one.
func (s *session) permalinked() address {
	var own address
	for _, n := range s.x.tags["a"] {
		href, _ := s.x.attr(n, "href")
		at, place, _ := strings.Cut(href, "#")
		if !numberedPlace.MatchString(place) || len(s.x.values["id"][place])+len(s.x.values["name"][place]) == 0 {
			continue
		}
		switch a := s.addressed(s.r.Link(at)); {
		case a.level == "":
		case own.level == "":
			own = a
		case own.level != a.level:
			return address{}
		case own.key != a.key:
			own.key, own.whole = "", false
		}
	}
	return own
}

// numberedPlace is the name of a place on a page that no other page has.
var numberedPlace = regexp.MustCompile(`^[A-Za-z_-]*\d+$`)
