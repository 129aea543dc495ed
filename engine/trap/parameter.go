package trap

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// parameter is one value in an address, and the address without it.
type parameter struct {
	name, value string
	rest        string
}

// parameters takes an address apart, once for each of its values: those of the query, of paths such as
// /a;jsessionid=1, and identifiers in the path that a machine drew.
func parameters(u *url.URL) (found []parameter) {
	path := u.EscapedPath()
	if at := strings.IndexByte(path, ';'); at >= 0 {
		if name, value, ok := strings.Cut(path[at:], "="); ok && value != "" {
			found = append(found, parameter{name, value, u.Host + path[:at] + "?" + u.RawQuery})
		}
	}
	if strings.ContainsAny(path, "0123456789") {
		segments := strings.Split(path, "/")
		for i, s := range segments {
			if isToken(s) {
				value := longestRun(s)
				segments[i] = ""
				found = append(found, parameter{"/" + strconv.Itoa(i), value, u.Host + strings.Join(segments, "/") + "?" + u.RawQuery})
				segments[i] = s
			}
		}
	}
	all := strings.Split(u.RawQuery, "&")
	if u.RawQuery == "" || len(all) > maxParameters {
		return found
	}
	for i, p := range all {
		name, value, _ := strings.Cut(p, "=")
		if value == "" {
			continue
		}
		rest := u.Host + path + "?"
		for j, other := range all {
			if j != i {
				rest += other + "&"
			}
		}
		found = append(found, parameter{"?" + name, value, rest})
	}
	return found
}

// longestRun is the longest part of a segment that is letters and digits.
func longestRun(s string) (longest string) {
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(run) > len(longest) {
			longest = run
		}
	}
	return longest
}

// key names what is left of the address without the value.
func (p parameter) key() uint64 { return hashOf(p.rest + "\x00" + p.name) }

// param is what is known of a parameter of a host.
type param struct {
	matters bool
	void    bool
	bases   map[uint64]uint64 // addresses on which it made little difference, and what they say
}

// nameOfParameter names what is suspected of a parameter of a host.
func nameOfParameter(u *url.URL, p parameter) string { return short(u.Host + " " + p.name) }

// learn takes what an address says. Once another one says the same it says nothing more of the parameter, and is not remembered.
func (x *param) learn(address, plain uint64) {
	_, known := x.bases[address]
	for _, said := range x.bases {
		if !known && said == plain {
			return
		}
	}
	x.bases[address] = plain
}

// enough reports whether the parameter made no difference on different pages: that pages are equal under
// one address says little, and several may all be missing.
func (x *param) enough() bool {
	said := make(map[uint64]struct{})
	for _, plain := range x.bases {
		said[plain] = struct{}{}
	}
	return len(said) >= leastBases
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
	combinations map[uint32]struct{}
	values       map[string]map[uint32]struct{} // by the name of the parameter, "" for the path
	many         bool                           // there are more values than can be multiplied
}

const (
	leastCombinations = 30   // before they are counted against the values
	mostCombinations  = 1000 // that are remembered
	mostOfOneFacet    = 30   // values of a parameter that is one; a topic's number has more
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
	c.place, _ = pathFamily(path)
	c.place = short(u.Host + c.place)
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
	if f.many || len(f.combinations) >= mostCombinations {
		return
	}
	f.combinations[uint32(c.hash)] = struct{}{}
	n := 0
	for name, parts := range c.values {
		if f.values[name] == nil {
			f.values[name] = make(map[uint32]struct{})
		}
		for _, v := range parts {
			f.values[name][uint32(hashOf(v))] = struct{}{}
		}
		f.many = f.many || name != "" && len(f.values[name]) > mostOfOneFacet
	}
	for _, values := range f.values {
		n += len(values)
	}
	if f.many = f.many || 2*n >= mostCombinations; f.many {
		f.combinations, f.values = nil, nil
	}
}

// multiply reports whether there are more combinations than values.
func (f *facets) multiply() bool {
	n := 0
	for _, values := range f.values {
		n += len(values)
	}
	return len(f.combinations) >= leastCombinations && len(f.combinations) > 2*n
}
