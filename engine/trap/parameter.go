package trap

import (
	"net/url"
	"strings"
	"unicode"
)

// parameter is one value in an address, and the address without it.
type parameter struct {
	name, value string
	rest        string
}

// session reports whether a parameter may be a session id: by its name, or because its value
// is one that a machine drew.
func session(name, value string) bool {
	switch name = strings.ToLower(name); {
	case name == "sid", name == "s", name == "cfid", name == "cftoken", name == "zenid", name == "oscsid", strings.Contains(name, "sess"):
		return value != ""
	}
	digits := strings.ContainsAny(value, "0123456789")
	letters := strings.ContainsFunc(value, unicode.IsLetter)
	return digits && (len(value) >= 9 || letters && len(value) >= 6)
}

// parameters takes an address apart, once for each of its values that may be a session
// id: those of the query and of paths such as /a;jsessionid=1.
func parameters(u *url.URL) (found []parameter) {
	if at := strings.IndexByte(u.Path, ';'); at >= 0 {
		if name, value, ok := strings.Cut(u.Path[at:], "="); ok && session(name, value) {
			found = append(found, parameter{name, value, u.Host + u.Path[:at] + "?" + u.RawQuery})
		}
	}
	all := strings.Split(u.RawQuery, "&")
	if u.RawQuery == "" || len(all) > maxParameters {
		return found
	}
	for i, p := range all {
		name, value, _ := strings.Cut(p, "=")
		if !session(name, value) {
			continue
		}
		rest := u.Host + u.Path + "?"
		for j, other := range all {
			if j != i {
				rest += other + "&"
			}
		}
		found = append(found, parameter{"?" + name, value, rest})
	}
	return found
}

// key names what is left of the address without the value.
func (p parameter) key() uint64 { return hashOf(p.rest + "\x00" + p.name) }

// param is what is known of a parameter of a host.
type param struct {
	matters bool
	void    bool
	bases   map[uint64]struct{} // contents of pages on which it made no difference
}

// sample is what a page was with one value of a parameter.
type sample struct {
	mark
	value uint64
}

// facets are addresses of one place that name several values at once: /tags/a+b, ?color=red&size=m.
// Where these are combinations of a few values, each of which may be left out, there are
// more of them than anybody wrote.
type facets struct {
	combinations map[uint64]struct{}
	values       map[string]map[uint64]struct{} // by the name of the parameter, "" for the path
}

const (
	leastCombinations = 30   // before they are counted against the values
	mostCombinations  = 1000 // that are remembered
	mostOfOneFacet    = 30   // values of a parameter that is one; a topic's number has more
	mostFacets        = 2000 // places
)

// separators stand between the values in a segment or a parameter.
const separators = "+,|"

// combination is the values that an address names at once, by the name of their parameter, "" for
// those of the path. Numbers are none: pages and items have them.
type combination struct {
	place  string
	values map[string][]string
	hash   uint64
}

// combinationOf takes the values of an address apart; ok is false where there are not several.
func combinationOf(u *url.URL) (c combination, ok bool) {
	path := u.EscapedPath()
	if !strings.Contains(u.RawQuery, "=") && !strings.ContainsAny(path, separators+"%") {
		return c, false // as most are
	}
	c.values = make(map[string][]string)
	n := 0
	add := func(name string, parts []string) {
		n += len(parts)
		c.values[name] = append(c.values[name], parts...)
		c.hash = 31*c.hash + hashOf(name+"="+strings.Join(parts, "+"))
	}
	at := strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/') + 1
	if parts := listed(strings.TrimSuffix(path[at:], "/")); len(parts) > 1 {
		add("", parts)
		path = path[:at]
	}
	for pair := range pairs(u.RawQuery) {
		name, value, _ := strings.Cut(pair, "=")
		if isNumber(value) {
			continue
		}
		name, _, _ = strings.Cut(name, "%5B") // f[0]=a and f[1]=a are one value
		name, _, _ = strings.Cut(name, "[")
		add(name, listed(value))
	}
	c.place = u.Host + path
	return c, n > 1
}

// separator writes the separators as one.
var separator = strings.NewReplacer("%2B", "+", "%2b", "+", "%2C", "+", "%2c", "+", "%7C", "+", "%7c", "+", "%20", "+", ",", "+", "|", "+")

// listed gives the values that separators part.
func listed(s string) []string {
	if !strings.ContainsAny(s, separators+"%") {
		return []string{s}
	}
	return strings.FieldsFunc(separator.Replace(s), func(r rune) bool { return r == '+' })
}

// learn counts a combination.
func (f *facets) learn(c combination) {
	if len(f.combinations) >= mostCombinations {
		return
	}
	f.combinations[c.hash] = struct{}{}
	for name, parts := range c.values {
		if f.values[name] == nil {
			f.values[name] = make(map[uint64]struct{})
		}
		for _, v := range parts {
			f.values[name][hashOf(v)] = struct{}{}
		}
	}
}

// multiply reports whether there are more combinations than values.
func (f *facets) multiply() bool {
	n := 0
	for name, values := range f.values {
		if name != "" && len(values) > mostOfOneFacet {
			return false
		}
		n += len(values)
	}
	return len(f.combinations) >= leastCombinations && len(f.combinations) > 2*n
}
