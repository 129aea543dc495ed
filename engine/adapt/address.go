package adapt

import (
	"fmt"
	"maps"
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
	// whole tells that it is the first page of what it names: no further page, and no part of one.
	whole bool
	key   string
	form  *kb.Address
}

// addressed reads a URL of the site by the type's URL rules: themes and versions of an application change its templates and keep its
// addresses.
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

// homeOf gives the host of the site: the page's or, where no link leads to an address of the type on it, as on a copy saved under another
// name, the host that most links with such addresses lead to.
func (s *session) homeOf() string {
	own, told := s.page.URL.Host, map[string]int{}
	for _, n := range s.x.tags["a"] {
		href, _ := s.x.attr(n, "href")
		u, err := url.Parse(s.r.Link(href))
		if err != nil || u.Host == "" || strings.HasPrefix(href, "#") {
			continue
		}
		if s.x.spend(addressWork); s.page.Type.URLs.Level(s.asOwn(u)) != nil {
			told[u.Host]++
		}
		if told[own] > 0 {
			return own
		}
	}
	if home := most(told); told[home] >= fewestTopics {
		return home
	}
	return own
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

// unsaved gives back the address that a page of a mirror had: copies of sites keep "viewtopic.php?t=7&start=20" as the file
// "viewtopic.php@t=7&start=20.html" or "viewtopic.php-t=7-start=20.html". Where they keep the query they number the files:
// "index.php-15.html?forums/knots.2/", or tell them apart by four digits of a digest: "viewtopic3f0c.html?t=7".
func unsaved(u *url.URL) *url.URL {
	at := strings.ReplaceAll(u.Path, "?", "@") + "?" + u.RawQuery
	for _, saved := range savedNames {
		if saved.is.MatchString(at) {
			was := *u
			was.Path, was.RawQuery, _ = strings.Cut(saved.is.ReplaceAllString(at, saved.was), "?")
			was.RawPath, was.RawQuery = "", savedParam.ReplaceAllString(was.RawQuery, "&$1")
			return &was
		}
	}
	return u
}

// savedNames are how copies of sites name their files, and what addresses those were of.
var savedNames = []struct {
	is  *regexp.Regexp
	was string
}{
	{regexp.MustCompile(`^([^?]*/[A-Za-z_]+?)[0-9a-f]{4}\.html\?(.*=.*)$`), "$1.php?$2"},
	{regexp.MustCompile(`^([^?]*\.php)(?:-\d+)?\.html\?(.+)$`), "$1?$2"},
	{regexp.MustCompile(`^([^?]*\.php)\.html\?$`), "$1?"},
	{regexp.MustCompile(`^([^?]*/)index(?:\.html)?\?$`), "$1?"},
	{regexp.MustCompile(`^([^?]*\.php)[@-]([a-z]+=[^?]*?)(?:\.html)?\?$`), "$1?$2"},
}

var savedParam = regexp.MustCompile(`-([a-z]+=)`)

// scriptExt is what the names of scripts that make pages end in.
const scriptExt = ".php"

// ownPlaces are where pages give their own address, that of their data for programs included.
var ownPlaces = []struct{ is, attr string }{
	{"link[@rel='canonical']", "href"}, {"meta[@property='og:url']", "content"}, {"link[@type='application/json']", "href"},
}

// ownAddress tells of which level the page is by its address, or else by the one that it gives itself, or by those of places on it.
func (s *session) ownAddress() address {
	given := []string{s.page.URL.String()}
	for _, place := range ownPlaces {
		if e, err := xpath.Parse(place.is); err == nil {
			for _, n := range s.x.selectIn(e, -1) {
				href, _ := s.x.attr(n, place.attr)
				given = append(given, s.r.Link(href))
			}
		}
	}
	for _, link := range given {
		if a := s.addressed(link); a.level != "" {
			return a
		}
	}
	return s.permalinked()
}

// signs reads what tells addresses of a form from others, as it stands in them: a script ("viewtopic.php"), a folder ("topics/"), what a
// part begins with ("Forum-"), a parameter ("t=") or a folder in the query.
func signs(form string) []string {
	path, query, _ := strings.Cut(form, "?")
	var out []string
	for part := range strings.SplitSeq(path, "/") {
		switch begin, _, filled := strings.Cut(part, "{"); {
		case strings.HasSuffix(begin, "-") || !filled && strings.Contains(part, "."):
			out = append(out, begin)
		case !filled && part != "":
			out = append(out, part+"/")
		}
	}
	for p := range strings.SplitSeq(query, "&") {
		name, _, valued := strings.Cut(p, "=")
		if folder, _, inside := strings.Cut(name, "/"); valued {
			out = append(out, name+"=")
		} else if inside {
			out = append(out, folder+"/")
		}
	}
	return out
}

// patternsOf writes a sign as patterns of the address that a page was asked for by, and of the address that it gives itself.
func patternsOf(sign string) []string {
	var out []string
	if name, valued := strings.CutSuffix(sign, "="); valued {
		out = append(out, fmt.Sprintf("url/param[@name='%s']", name))
	} else if strings.Contains(sign, ".") {
		out = append(out, fmt.Sprintf("url/path[contains(., '%s')]", sign))
	} else {
		out = append(out, fmt.Sprintf("url/path[contains(., '/%s')]", sign), fmt.Sprintf("url/param[starts-with(@name, '%s')]", sign))
	}
	for _, place := range ownPlaces {
		out = append(out, fmt.Sprintf("%s[contains(@%s, '%s')]", place.is, place.attr, sign))
	}
	return out
}

// addressPattern writes as a pattern what in the page's own address tells its level: the script, folder or parameter that addresses of no
// other level of the type have; "" where nothing does.
func (s *session) addressPattern(a address) string {
	if a.form == nil {
		return ""
	}
	for _, sign := range signs(a.form.Of) {
		if slices.ContainsFunc(s.page.Type.URLs.Addresses, func(o kb.Address) bool {
			return o.Level != a.level && slices.Contains(signs(o.Of), sign)
		}) {
			continue
		}
		for _, is := range patternsOf(sign) {
			if e, err := xpath.Parse(is); err == nil && writable(e) && len(s.x.selectIn(e, -1)) > 0 {
				return e.String()
			}
		}
	}
	return ""
}

// permalinked gives the address of the links to numbered places that are on the page itself, as posts have them: "show.php?p=41#p41" on a
// page with an element that is called "p41". None where they are of several levels. Which thing of its level the page shows they tell where
// they all name one.
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
