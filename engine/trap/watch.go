package trap

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unique"

	"golang.org/x/net/html"
)

// Bounds of what is observed before something is suspected.
const (
	nameless      = 2_500  // copies of a family in a row: more than a site has that one would miss
	mostCopies    = 10     // of a page whose links are as good as any
	leastWords    = 3      // on a page that can be a copy
	leastBases    = 3      // different pages on which a session id made no difference
	staleFamily   = 30     // pages of a family in a row without a new word
	stalePerFresh = 2      // more of these for each page that had new words
	mostFresh     = 150    // pages up to which that is counted
	freshMixed    = 8      // new words of letters and digits on a page that says something new
	freshShare    = 4      // or one in so many words and numbers of the page
	firstProbe    = 300    // pages of a family that nothing is wrong with, before it is probed; then ten times as many
	familyWords   = 20_000 // remembered of a family; one with more is not suspected for want of words
)

// Watch observes the pages of a crawl. The zero value is ready for use by several goroutines.
//
// What it has observed lives in memory and is bounded, to 75 MB: of a large crawl the oldest observations
// are forgotten. What it suspects is remembered by its caller, see [Watch.Restore].
type Watch struct {
	Now func() time.Time // nil means time.Now
	// Via gives the page that led to an address, as an earlier session may have found it; nil where there is none. It may be nil
	// itself, and is called while the watch is locked.
	Via func(*url.URL) *url.URL

	mu         sync.Mutex
	copies     recently[[]original] // by host and words
	pages      recently[sample]     // by an address without one of its parameters, and that parameter's name
	given      recently[uint64]     // addresses without what makes no difference, and the one of each that was let through
	params     map[string]*param    // by host and name
	voids      int                  // of these, how many make no difference
	families   map[string]*chain
	words      int // remembered of all families, up to mostWords
	facets     map[string]*facets
	suspects   map[string]*suspect
	probes     map[string]*suspect // by the address that is asked
	chance     int                 // differs from watch to watch, so that nothing is made up for which an earlier session asked
	regions    map[string]*region  // by name
	linked     map[uint32]link     // addresses that are counted in their regions, and on their branches
	branches   map[uint32]*branch  // by number
	lastBranch uint32
	grams      int    // remembered of all suspects
	turn       uint64 // counts the pages and links
}

// original is a page of which there may be copies.
type original struct {
	mark
	place  unique.Handle[string]
	folder uint64 // its hash
	count  int32
	spread bool // over folders
}

// chain is a family of pages, see family.
type chain struct {
	words map[uint32]struct{}
	pages int
	fresh int // pages that had new words
	stale int // pages in a row that had none
	probe int // pages at which it is probed whatever it says

	exact  map[uint32]struct{} // pages word for word
	copies int                 // in a row
}

// A Finding is what follows from a page.
type Finding struct {
	// Copy names the suspect with which the page's links wait, where it is one copy
	// too many of another; "" for none.
	Copy string
	// Changed names the suspects of which something was found out.
	Changed []string
	// Probes are addresses to ask for that nobody links to.
	Probes []string
}

func (w *Watch) init() {
	w.turn++
	if w.params == nil {
		w.params, w.families, w.facets = make(map[string]*param), make(map[string]*chain), make(map[string]*facets)
		w.suspects, w.probes = make(map[string]*suspect), make(map[string]*suspect)
		w.chance = 2 * rand.IntN(1<<30)
		w.regions, w.linked, w.branches = make(map[string]*region), make(map[uint32]link), make(map[uint32]*branch)
	}
	w.makeRoom()
}

func (w *Watch) now() time.Time {
	if w.Now == nil {
		return time.Now()
	}
	return w.Now()
}

// Page observes a page that was found on another, via, which is nil for a seed, and that
// waited with the suspect called from, "" for none.
func (w *Watch) Page(doc *html.Node, u, via *url.URL, from string) Finding {
	c := read(doc, u)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.init()
	v := &visit{watch: w, doc: doc, url: u, via: via}
	w.learnParameters(v, c)
	copyOf := w.copy(v, c)
	w.learnFamily(v, c, copyOf)
	w.learnRegions(v)
	w.learnBranches(v)
	if without, _ := w.essence(u); w.voids > 0 {
		w.given.put(without, hashOf(u.RequestURI()), 1, mostGiven)
	}
	if s := w.suspects[from]; s != nil {
		if from != family(u) && !s.wide() {
			w.observe(v, s)
		}
		v.again(s)
	}
	v.finding.Copy = copyOf
	return v.finding
}

// visit is one page that is observed.
type visit struct {
	watch    *Watch
	doc      *html.Node
	url, via *url.URL
	said     []gram // once it is asked for
	finding  Finding
}

// grams reads what the page says as closely as suspects want it, once.
func (v *visit) grams() []gram {
	if v.said == nil {
		v.said = grams(v.doc, v.url)
	}
	return v.said
}

// copy names the suspect that a page which is one copy too many of another on its host
// belongs to.
func (w *Watch) copy(v *visit, c content) string {
	if c.size < leastWords {
		return ""
	}
	key := hashOf(v.url.Host) ^ c.plain
	in := hashOf(folder(v.url))
	originals, _ := w.copies.get(key)
	for i := range originals {
		o := &originals[i]
		if !o.copies(c.mark) {
			continue
		}
		o.spread = o.spread || in != o.folder
		if o.count++; o.count <= mostCopies {
			return ""
		}
		kind := NearDuplicates
		switch {
		case dated(v.url):
			kind = Calendar
		case o.spread:
			kind = Soft404
		}
		s := w.suspect(o.place.Value()+copiesOf, kind)
		s.kind = kind
		v.put(s)
		if s.member == nil {
			s.member, s.via = v.url, v.via
		}
		return s.name // what its links lead to is what counts
	}
	if len(originals) < mostCopies {
		originals = append(originals, original{mark: c.mark, place: unique.Make(place(v.url)), folder: in, count: 1})
		w.copies.put(key, originals, len(originals), mostOriginals)
	}
	return ""
}

// copiesOf ends the names of suspects that are the links of copies.
const copiesOf = " copies"

// learnParameters compares a page with those whose addresses differ from its own by the
// value of one parameter.
func (w *Watch) learnParameters(v *visit, c content) {
	for _, p := range parameters(v.url) {
		name := nameOfParameter(v.url, p)
		value := hashOf(p.value)
		before, known := w.pages.get(p.key())
		if !known {
			w.pages.put(p.key(), sample{c.mark, value}, 1, mostSamples)
			continue
		}
		if before.value == value {
			continue
		}
		x := w.params[name]
		if x == nil {
			if len(w.params) >= mostParams {
				maps.DeleteFunc(w.params, func(_ string, x *param) bool { return !x.void })
			}
			x = &param{bases: make(map[uint64]uint64)}
			w.params[name] = x
		}
		if x.matters || x.void || c.size < leastWords {
			continue
		}
		if !before.nearTo(c.mark) {
			x.matters = true
			continue
		}
		if x.learn(p.key(), c.plain); !x.enough() {
			continue
		}
		x.void, x.bases = true, nil
		w.voids++
		s := w.suspect(name, SessionID)
		s.page = grams(v.doc, nil)
		v.put(s)
		v.probe(s)
	}
}

// learnFamily counts what pages of a family have to say.
func (w *Watch) learnFamily(v *visit, c content, copyOf string) {
	name := family(v.url)
	s := w.suspects[name]
	if s != nil && s.closed {
		return
	}
	f := w.chain(name)
	before := f.size()
	f.pages++
	fresh := f.learn(c.words) > 0
	// A few of them are drawn for each page, such as the number of the request.
	if mixed := f.learn(c.mixed); mixed >= freshMixed || mixed > c.size/freshShare {
		fresh = true
	}
	if fresh {
		f.fresh, f.stale = min(f.fresh+1, mostFresh), 0
	} else {
		f.stale++
	}
	f.copy(uint32(c.exact))
	w.words += f.size() - before
	stale := f.stale >= staleFamily+stalePerFresh*f.fresh
	if s == nil && (f.stale >= mostCopies || f.pages >= f.probe) {
		s = w.suspect(name, Endless)
		s.kin, s.pages = true, f.pages-1
	}
	if s == nil {
		return
	}
	if stale && !s.putOff {
		switch {
		case dated(v.url):
			s.kind = Calendar
		case copyOf != "":
			s.kind = w.suspects[copyOf].kind
		}
		if s.tries == 0 {
			v.probe(s)
		}
		if !s.saysMore() {
			v.put(s)
		}
	}
	if f.copies == 0 {
		s.found = 0
	}
	if f.copies >= nameless && s.found >= nameless && s.evidence == "" {
		s.evidence = fmt.Sprintf("gave %d pages in a row that were earlier ones word for word, and led to as many more", nameless)
		s.void = nameless
	}
	w.observe(v, s)
	if f.pages >= f.probe && (len(s.recent) == recentPages || s.evidence != "") {
		f.probe *= 10
		v.probe(s)
	}
}

func (w *Watch) chain(name string) *chain {
	f := w.families[name]
	if w.words >= mostWords || f == nil && len(w.families) >= mostFamilies {
		clear(w.families)
		f, w.words = nil, 0
	}
	if f == nil {
		f = &chain{words: make(map[uint32]struct{}), exact: make(map[uint32]struct{}), probe: firstProbe}
		w.families[name] = f
	}
	return f
}

// size is how much is remembered of the family.
func (f *chain) size() int { return len(f.words) + len(f.exact) }

// copy counts a page if it was there before, word for word, under another name.
func (f *chain) copy(exact uint32) {
	if _, known := f.exact[exact]; known {
		f.copies++
		return
	}
	f.copies = 0
	if len(f.exact) < familyWords {
		f.exact[exact] = struct{}{}
	}
}

// learn adds words to those of the family and counts the new ones.
func (f *chain) learn(words []uint32) (fresh int) {
	for _, word := range words {
		if _, known := f.words[word]; !known {
			fresh++
			if len(f.words) < familyWords {
				f.words[word] = struct{}{}
			}
		}
	}
	return fresh
}

// Linked names the suspect with which a URL to which a page links waits, "" for none. last says that it comes behind others in any case:
// however many of these there are, they hold nothing up, see [Watch.Growing].
func (w *Watch) Linked(u, on *url.URL, last bool) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.init()
	return w.putOff(u, &linking{last: last, isNew: w.lead(on, u, last)}, false)
}

// Due names the suspect with which a URL waits that is about to be asked for, "" for none. It does not take the answer of [Watch.Linked]
// for a page. A URL that waited before is asked for whatever is suspected, unless there is evidence: drawn says so.
func (w *Watch) Due(u *url.URL, drawn bool) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.init()
	return w.putOff(u, nil, drawn)
}

// linking is what a link to an address says beside it.
type linking struct{ isNew, last bool }

// putOff names the suspect of a URL that a link was found to, or, with nil, that is about to be asked for.
func (w *Watch) putOff(u *url.URL, by *linking, drawn bool) string {
	within := func(u *url.URL, _ bool) *suspect { return w.within(u, by) }
	name := ""
	for _, find := range []func(*url.URL, bool) *suspect{within, w.branching, w.repeating, w.sessions, w.combined, w.kin} {
		switch s := find(u, by != nil); {
		case s == nil || !s.putOff:
		case s.closed:
			return s.name
		case !drawn && name == "":
			name = s.name
		}
	}
	return name
}

// repeating finds what addresses that begin to repeat themselves are suspected of.
func (w *Watch) repeating(u *url.URL, _ bool) *suspect {
	if !stutters(u) {
		return nil
	}
	s := w.suspect(u.Host+" repeating paths", RepeatingPath)
	s.putOff = true
	return s
}

// sessions finds the parameter that makes no difference by which a URL differs from one that was asked
// for or let through.
func (w *Watch) sessions(u *url.URL, linked bool) *suspect {
	without, s := w.essence(u)
	if s == nil {
		return nil
	}
	own := hashOf(u.RequestURI())
	if asked, let := w.given.get(without); let && (linked || asked != own) {
		return s
	}
	w.given.put(without, own, 1, mostGiven)
	return nil
}

// essence names an address without the parameters that make no difference, in whatever order the others come and however
// often, and finds the suspect of one of those.
func (w *Watch) essence(u *url.URL) (without uint64, s *suspect) {
	if w.voids == 0 {
		return hashOf(u.Host + u.RequestURI()), nil
	}
	path := u.EscapedPath()
	var kept []string
	for _, p := range parameters(u) {
		name := nameOfParameter(u, p)
		if x := w.params[name]; x != nil && x.void && w.suspects[name] != nil {
			s = w.suspects[name]
			if p.name[0] != '?' {
				path = strings.Replace(path, p.value, "", 1)
			}
		} else if p.name[0] == '?' {
			kept = append(kept, p.name+"="+p.value)
		}
	}
	slices.Sort(kept)
	return hashOf(u.Host + path + strings.Join(slices.Compact(kept), "")), s
}

// combined finds the place whose values a URL combines.
func (w *Watch) combined(u *url.URL, linked bool) *suspect {
	c, several := combinationOf(u)
	if !several {
		return nil
	}
	f := w.facets[c.place]
	if f == nil {
		if !linked {
			return nil
		}
		if len(w.facets) >= mostFacets {
			clear(w.facets)
		}
		f = &facets{combinations: make(map[uint32]struct{}), values: make(map[string]map[uint32]struct{})}
		w.facets[c.place] = f
	}
	if linked {
		f.learn(c)
	}
	if !f.multiply() {
		return nil
	}
	s := w.suspect(c.place+" combinations", Facets)
	s.putOff = true
	return s
}

// find counts the addresses of a suspect that pages lead to.
func (w *Watch) find(s *suspect, u *url.URL) {
	h := uint32(hashOf(u.RequestURI()))
	if _, known := s.addresses[h]; known {
		return
	}
	s.found++
	s.addresses[h] = struct{}{}
	w.count(s)
}

// kin finds the family of a URL, if it is suspected.
func (w *Watch) kin(u *url.URL, linked bool) *suspect {
	name := family(u)
	s := w.suspects[name]
	if s != nil {
		s.seen = w.turn
	}
	if linked && s != nil && !s.closed {
		w.find(s, u)
	}
	if linked && (s == nil || !s.putOff) && beyond(u, w.now()) {
		s = w.suspect(name, Calendar)
		s.kind, s.kin, s.putOff = Calendar, true, true
	}
	return s
}
