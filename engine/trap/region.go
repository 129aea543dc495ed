package trap

import (
	"maps"
	"net/url"
	"strings"
	"unicode"
)

const (
	regionDepth   = 4  // folders below the root
	leastFound    = 10 // addresses in a folder of a region without end, before it is asked whether that folder has one
	inventedApart = 40 // keeps what is made up in regions apart from what is in families
	mostFolders   = 20 // of a region without end that are asked so
)

// region is a folder and all that is below it. A place whose pages lead to new folders, or have words and numbers
// in their addresses, is no one family, but one region.
type region struct {
	growth
	name    string
	parent  *region
	depth   int      // folders
	due     bool     // it is probed as soon as recent has enough
	suspect *suspect // once it was probed
	finite  bool     // the last probe found nothing made up
	folders int      // in it that were probed since it has no end
}

// endless reports whether a region is one of made-up pages.
func (r *region) endless() bool { return r.suspect != nil && r.suspect.evidence != "" }

// allBelow ends the names of suspects that are regions.
const allBelow = " and all below"

// foldersOf are the folders of an address that regions are named by.
func foldersOf(u *url.URL) []string {
	path := u.EscapedPath()
	folders := strings.Split(strings.Trim(path[:strings.LastIndexByte(path, '/')+1], "/"), "/")
	if folders[0] == "" {
		return nil
	}
	for i, f := range folders {
		folders[i] = nameOf(f)
	}
	return folders[:min(len(folders), regionDepth)]
}

// has reports whether an address is in the region.
func (r *region) has(u *url.URL) bool {
	folders := foldersOf(u)
	return len(folders) >= r.depth && short(strings.Join(append([]string{u.Host}, folders[:r.depth]...), "/")+"/") == r.name
}

// regionsOf finds the regions of an address, the largest first, and makes those that are new.
func (w *Watch) regionsOf(u *url.URL) []*region { return w.regionsIn(u.Host, foldersOf(u)) }

func (w *Watch) regionsIn(host string, folders []string) (in []*region) {
	name := host + "/"
	var parent *region
	for depth := range len(folders) + 1 {
		if depth > 0 {
			name += folders[depth-1] + "/"
		}
		r := w.regions[short(name)]
		if r == nil {
			if r = w.newRegion(short(name), parent, depth); r == nil {
				return in
			}
		}
		in = append(in, r)
		parent = r
	}
	return in
}

func (w *Watch) newRegion(name string, parent *region, depth int) *region {
	if len(w.regions) >= mostRegions {
		maps.DeleteFunc(w.regions, func(_ string, r *region) bool { return r.suspect == nil })
		if len(w.regions) >= mostRegions/2 {
			return nil
		}
	}
	r := &region{name: name, parent: parent, depth: depth}
	w.regions[name] = r
	return r
}

// nameOf writes "#" for the numbers of a folder.
func nameOf(folder string) string {
	if isToken(folder) {
		return "#"
	}
	folder = strings.ReplaceAll(unescaped(folder), " ", "+")
	if at := strings.IndexFunc(folder, unicode.IsDigit); at >= 0 {
		return folder[:at] + "#"
	}
	return folder
}

// within finds the region without end that a URL is in, and counts the URL.
func (w *Watch) within(u *url.URL, by *linking) (s *suspect) {
	for _, r := range w.regionsOf(u) {
		switch {
		case by == nil:
			r.ask()
		case by.isNew:
			r.find(by.last)
		}
		switch {
		case r.finite:
			s = nil
		case s == nil && r.endless():
			s = r.suspect
		}
	}
	return s
}

// learnRegions looks at how the regions of a page grow, and probes those that do so all along. Of a region without end it probes
// the folders that have some pages: one that has an end is none of it.
func (w *Watch) learnRegions(v *visit) {
	within := false // a region without end
	for _, r := range w.regionsOf(v.url) {
		switch p := r.parent; {
		case r.endless():
			within = true
			continue
		case r.finite:
			within = false
		case within && p.endless() && r.suspect == nil && r.all.found >= leastFound && p.folders < mostFolders:
			p.folders++
			r.due = true
		}
		if !within && r.see() {
			r.due = r.due || r.all.grew > 1
		}
		if !r.due || segmentBelow(v.url, r.depth) == "" {
			continue
		}
		if r.suspect == nil {
			r.suspect = w.suspect(r.name+allBelow, Endless)
			r.suspect.region = r
		}
		s := r.suspect
		enough := s.remember(v.grams())
		w.count(s)
		if enough {
			n := w.chance + inventedApart + 2*s.tries
			first, second := inventedBelow(v.url, r.depth, n), inventedBelow(v.url, r.depth, n+1)
			v.ask(s, first, first, second)
			r.due = false
		}
	}
}

// segmentBelow is what an address has below a folder.
func segmentBelow(u *url.URL, depth int) string {
	segments := strings.Split(u.EscapedPath(), "/")
	if depth+1 >= len(segments) {
		return ""
	}
	return segments[depth+1]
}

// inventedBelow makes up an address like another, which differs in the first segment below a folder.
func inventedBelow(u *url.URL, depth, n int) string {
	segments := strings.Split(u.EscapedPath(), "/")
	s := segments[depth+1]
	numbers := numbersOf(s)
	switch {
	case isToken(s):
		s = token(len(s), n)
	case len(numbers) > 0:
		last := len(numbers) - 1
		x := numbers[last]
		below := strings.Join(segments[depth+1:], "/") // the rest tells what the number is
		s = s[:x.from] + farFrom(below, numbersOf(below), last, n) + s[x.to:]
	default:
		s = strings.TrimPrefix(withWord("/"+s, n), "/")
	}
	segments[depth+1] = s
	at := strings.Join(segments, "/")
	if u.RawQuery != "" {
		at += "?" + u.RawQuery
	}
	return absolute(u, at)
}

// concludeRegion takes over whether a region has an end, as its probes say.
func (s *suspect) concludeRegion() bool {
	first, again, second := s.answers[0], s.answers[1], s.answers[2]
	s.region.finite = !first.here || !again.here || !second.here || !leadsOn(first, second) || !leadsOn(second, first) || !s.likePages()
	s.recent = nil
	if s.region.finite {
		return false
	}
	s.putOff = true
	s.evidence = "is answered and leads on, with as much to say as the pages there, whatever is made up: " + s.asked[0]
	return true
}

// restoreRegion takes over a region that an earlier session found to have no end.
func (w *Watch) restoreRegion(s *suspect) {
	host, path, _ := strings.Cut(strings.TrimSuffix(s.name, allBelow), "/")
	folders := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	in := w.regionsIn(host, folders[:min(len(folders), regionDepth)])
	if len(in) > 0 {
		s.region = in[len(in)-1]
		s.region.suspect = s
	}
}
