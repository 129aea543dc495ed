package trap

import (
	"net/url"
	"strings"
	"sync"

	"golang.org/x/net/html"
)

// Bounds of what is observed before something is called a trap, and of the memory of it.
const (
	mostCopies    = 10     // of a page whose links are followed
	leastWords    = 3      // on a page that can be a copy
	leastBases    = 3      // different pages on which a session id made no difference
	staleFamily   = 30     // pages in a row, each found on another of the family, without a new word
	stalePerFresh = 2      // more of these for each page that had new words
	mostFresh     = 150    // pages up to which that is counted
	freshMixed    = 8      // new words of letters and digits on a page that says something new
	freshShare    = 4      // or one in so many words and numbers of the page
	familyWords   = 20_000 // remembered of a family; one with more is not called endless
	mostFamilies  = 5_000
	mostPages     = 500_000
)

// A Verdict says that something is a trap. The zero value says that nothing is.
type Verdict struct {
	Kind  string // one of the constants
	Where string // host, and folder or parameter
}

// Watch observes the pages of a crawl. The zero value is ready for use by several goroutines.
//
// What it has observed lives in memory and is bounded: of a crawl of more than half a
// million pages the oldest observations are forgotten, all at once.
type Watch struct {
	mu       sync.Mutex
	copies   map[uint64][]*original // by host and words
	pages    map[uint64]sample      // by an address without one of its parameters, and that parameter's name
	given    map[uint64]struct{}    // addresses without session ids, of which one was let through
	params   map[string]*param      // by host and name
	families map[string]*chain
}

// original is a page of which there may be copies.
type original struct {
	mark
	count  int
	folder string
	kind   string // near-duplicates as long as all were in one folder
}

// sample is what a page was with one value of a parameter.
type sample struct {
	mark
	value uint64
}

// param is what is known of a parameter of a host.
type param struct {
	matters bool
	void    bool
	bases   map[uint64]struct{} // contents of pages on which it made no difference
}

// chain is a family of pages, see family.
type chain struct {
	words map[uint32]struct{}
	fresh int // pages that had new words
	stale int // pages in a row that had none and were found on others of the family
	ended bool
	kind  string
}

// Restore takes over a verdict of an earlier session.
func (w *Watch) Restore(v Verdict) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.init()
	switch v.Kind {
	case SessionID:
		w.params[v.Where] = &param{void: true}
	case Calendar, Endless:
		w.families[v.Where] = &chain{ended: true, kind: v.Kind}
	}
}

func (w *Watch) init() {
	if w.pages == nil || len(w.pages) > mostPages {
		w.pages, w.given, w.copies = make(map[uint64]sample), make(map[uint64]struct{}), make(map[uint64][]*original)
	}
	if w.params == nil {
		w.params, w.families = make(map[string]*param), make(map[string]*chain)
	}
}

// Page observes a page that was found on another, via, which is nil for a seed. If it is
// a copy, its links are not to be followed; the verdict says so. What it says about
// others shows in Refuses.
func (w *Watch) Page(doc *html.Node, u, via *url.URL) Verdict {
	c := read(doc, u)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.init()
	w.learnParameters(u, c)
	w.learnFamily(u, via, c)
	return w.copy(u, c)
}

// copy tells whether a page is one copy too many of another on its host.
func (w *Watch) copy(u *url.URL, c content) Verdict {
	if c.size < leastWords {
		return Verdict{}
	}
	key := hashOf(u.Host) ^ c.plain
	for _, o := range w.copies[key] {
		if !o.copies(c.mark) {
			continue
		}
		if folder(u) != o.folder {
			o.kind = Soft404
		}
		if o.count++; o.count > mostCopies {
			return Verdict{o.kind, o.folder}
		}
		return Verdict{}
	}
	if len(w.copies[key]) < mostCopies {
		w.copies[key] = append(w.copies[key], &original{mark: c.mark, folder: folder(u), kind: NearDuplicates, count: 1})
	}
	return Verdict{}
}

func folder(u *url.URL) string { return u.Host + u.Path[:strings.LastIndexByte(u.Path, '/')+1] }

// learnParameters compares a page with those whose addresses differ from its own by the
// value of one parameter.
func (w *Watch) learnParameters(u *url.URL, c content) {
	for _, p := range parameters(u) {
		name := u.Host + " " + p.name
		at := hashOf(p.rest + "\x00" + p.name)
		value := hashOf(p.value)
		before, known := w.pages[at]
		if !known {
			w.pages[at] = sample{c.mark, value}
			continue
		}
		if before.value == value {
			continue
		}
		x := w.params[name]
		if x == nil {
			x = &param{bases: make(map[uint64]struct{})}
			w.params[name] = x
		}
		if !before.copies(c.mark) {
			x.matters = true
			x.void = false
			continue
		}
		// That pages are equal under one address says little: they may all be missing.
		if !x.matters && c.size >= leastWords && len(x.bases) < leastBases {
			x.bases[c.plain] = struct{}{}
			x.void = len(x.bases) == leastBases
		}
	}
}

// learnFamily counts what pages of a family have to say.
func (w *Watch) learnFamily(u, via *url.URL, c content) {
	name := family(u)
	f := w.families[name]
	if f == nil {
		if len(w.families) >= mostFamilies {
			for name, f := range w.families {
				if !f.ended {
					delete(w.families, name)
				}
			}
		}
		f = &chain{words: make(map[uint32]struct{})}
		w.families[name] = f
	}
	if f.ended {
		return
	}
	fresh := f.learn(c.words) > 0
	// A few of them are drawn for each page, such as the number of the request.
	if mixed := f.learn(c.mixed); mixed >= freshMixed || mixed > c.size/freshShare {
		fresh = true
	}
	switch {
	case fresh:
		f.fresh, f.stale = min(f.fresh+1, mostFresh), 0
	case via != nil && family(via) == name && u.String() != via.String():
		if f.stale++; f.stale >= staleFamily+stalePerFresh*f.fresh {
			f.ended, f.words, f.kind = true, nil, Endless
			if dated(u) {
				f.kind = Calendar
			}
		}
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

// Refuses tells whether a URL that was found on via belongs to a trap. It is to be asked
// once when the link is found and once before the request. The second question does not
// take the answer to the first one for a page.
func (w *Watch) Refuses(u, via *url.URL, linked bool) Verdict {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pages == nil {
		return Verdict{}
	}
	if via != nil {
		if f := w.families[family(u)]; f != nil && f.ended && family(via) == family(u) {
			return Verdict{f.kind, family(u)}
		}
	}
	for _, p := range parameters(u) {
		name := u.Host + " " + p.name
		if x := w.params[name]; x == nil || !x.void {
			continue
		}
		at := hashOf(p.rest + "\x00" + p.name)
		if before, fetched := w.pages[at]; fetched && before.value != hashOf(p.value) {
			return Verdict{SessionID, name}
		}
		if _, let := w.given[at]; linked && let {
			return Verdict{SessionID, name}
		}
		w.given[at] = struct{}{}
	}
	return Verdict{}
}
