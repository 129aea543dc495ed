package trap

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

const (
	emptyPages   = 30  // in a row, of a place that has no end
	recentPages  = 4   // that are compared with what is made up
	recentGrams  = 500 // of each
	mostPatience = 70  // more of these, one for each page that said something
)

// suspect is a set of addresses that may have no end.
type suspect struct {
	name, kind string
	kin        bool    // its addresses are a family
	putOff     bool    // its addresses wait behind all others
	evidence   string  // that there is no end, "" for none
	closed     bool    // none is asked for any more
	ended      bool    // it was closed once
	left       int     // pages until it is closed again
	page       []gram  // of an address with the value that makes no difference
	region     *region // nil for others
	branch     *branch // nil for others
	seen       uint64  // when a page of it, or a link to one, was seen last
	counts     int     // what it remembers, as Watch.grams has it

	observed
	probing
}

// observed is what the pages of a suspect say.
type observed struct {
	pages       int                 // observed
	dull        int                 // pages in a row of which less than half is new
	fresh, void int                 // since there is evidence: pages with something new; pages in a row without
	said        map[uint32]struct{} // grams of its pages
	pagesSaid   map[uint32]struct{} // what its pages say, each as a whole
	addresses   map[uint32]struct{} // that pages led to since it is a suspect
	found       int                 // of these, since the last page that was no copy
	noisy       map[uint32]struct{} // places of the template that differ whenever a page is asked for
	derived     map[uint32]struct{} // places that differ between two addresses for which nobody made a page
	madeUp      int                 // grams there that one such address has and another has not
}

// probing is what is needed to ask for addresses of a suspect that nobody links to, and what was answered.
type probing struct {
	member  *url.URL // a page, and where it was found
	via     *url.URL
	tries   int // how often it was probed
	probeAt int // pages at which it is probed next
	asked   []string
	answers []*answer // to asked
	recent  [][]gram  // what its last pages say
}

// answer is what a probe brought.
type answer struct {
	here  bool            // a page, as if there were one
	said  []gram          // on it
	leads map[string]bool // to addresses that nothing else leads to
}

// A Verdict is what is known of a suspect.
type Verdict struct {
	Kind     string // one of the constants
	Evidence string // that there is no end, "" for none
	Closed   bool   // no URL of it is to be asked for any more
	Ended    bool   // it was closed once
	Waiting  int    // URLs that wait, of one that is open again: it is closed after as many
}

// suspect finds or makes a suspect.
func (w *Watch) suspect(name, kind string) *suspect {
	s := w.suspects[name]
	if s == nil {
		s = &suspect{name: name, kind: kind, probing: probing{probeAt: emptyPages}}
		w.forget(s)
		if kind == RepeatingPath {
			s.probeAt = mostCopies // its addresses are nearly evidence
		}
		w.suspects[name] = s
	}
	s.seen = w.turn
	return s
}

// Restore takes over what an earlier session knew of a suspect.
func (w *Watch) Restore(name string, v Verdict) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.init()
	w.restore(name, v)
}

// Share takes over what another crawler of the same sites has found out about a suspect, unless as much is known of it.
func (w *Watch) Share(name string, v Verdict) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.init()
	if s := w.suspects[name]; s != nil && s.putOff && (s.closed || !v.Closed) && (s.evidence != "" || v.Evidence == "") {
		return
	}
	w.restore(name, v)
}

func (w *Watch) restore(name string, v Verdict) {
	s := w.suspect(name, v.Kind)
	s.kin = !strings.Contains(name, " ")
	s.putOff, s.evidence, s.closed, s.ended = true, v.Evidence, v.Closed, v.Ended
	if s.ended && !s.closed {
		s.left = v.Waiting
	}
	if strings.HasSuffix(name, allBelow) {
		w.restoreRegion(s)
	}
	if v.Kind == SessionID {
		w.params[name] = &param{void: true}
		w.voids++
	}
}

// Verdict returns what is known of a suspect that a [Finding] or PutOff named.
func (w *Watch) Verdict(name string) Verdict {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.suspects[name]
	if s == nil {
		return Verdict{}
	}
	return Verdict{Kind: s.kind, Evidence: s.evidence, Closed: s.closed, Ended: s.ended}
}

// again counts a page of a suspect that is open again, and closes it after the last of those that waited.
func (v *visit) again(s *suspect) {
	if s.left == 0 {
		return
	}
	if s.left--; s.left == 0 {
		s.closed = true
		v.finding.Changed = append(v.finding.Changed, s.name)
	}
}

// wide reports whether a suspect is more than addresses of one kind, so that its pages have nothing in common.
func (s *suspect) wide() bool { return s.region != nil || strings.HasSuffix(s.name, ledTo) }

// put puts a suspect's addresses off.
func (v *visit) put(s *suspect) {
	if !s.putOff {
		s.putOff = true
		v.finding.Changed = append(v.finding.Changed, s.name)
	}
}

// observe counts a page of a suspect.
func (w *Watch) observe(v *visit, s *suspect) {
	if s.closed {
		return
	}
	defer w.count(s)
	s.seen = w.turn
	s.pages++
	if s.member == nil || v.via != nil && sameForm(v.url, v.via) {
		s.member, s.via = v.url, v.via
	}
	if s.kin && s.evidence == "" {
		s.remember(v.grams())
	}
	if s.evidence == "" && len(s.said) >= familyWords {
		w.forget(s) // few suspects ever have evidence; the pages of these come to an end a little later
	}
	said, derived := w.learn(s, v.grams())
	if s.dull++; 2*said >= len(v.grams()) {
		s.dull = 0
	}
	if s.counted() {
		said = w.arranged(s, v.grams())
	}
	if said > 0 || derived > 2*s.madeUp {
		s.fresh, s.void = s.fresh+1, 0
	} else {
		s.void++
	}
	if s.putOff && s.pages >= s.probeAt && (s.evidence == "" || s.tries == 0) && s.kind != SessionID {
		s.probeAt = 3 * s.pages // another page may tell more
		v.probe(s)
	}
	if w.weigh(s) {
		v.finding.Changed = append(v.finding.Changed, s.name)
	}
}

// learn adds to what the pages of a suspect say, and counts what is new: what says
// something, and what stands where the place makes something up.
func (w *Watch) learn(s *suspect, said []gram) (fresh, derived int) {
	for _, g := range said {
		if _, known := s.said[g.hash]; known {
			continue
		}
		if _, noise := s.noisy[g.place]; noise {
			continue
		}
		if _, is := s.derived[g.place]; is {
			derived++
		} else {
			fresh++
		}
		s.said[g.hash] = struct{}{}
	}
	return fresh, derived
}

// counted reports whether a suspect is a family of numbered pages, or what a list leads to: of these, one may say something
// by putting in another order what others said, as a timetable does.
func (s *suspect) counted() bool {
	return s.kin && strings.Contains(s.name, "#") || strings.HasSuffix(s.name, copiesOf)
}

// arranged counts a page that says the same as none before in the same order, but for noise and what is made up.
func (w *Watch) arranged(s *suspect, said []gram) int {
	var all uint64
	for _, g := range said {
		_, noise := s.noisy[g.place]
		if _, made := s.derived[g.place]; !noise && !made {
			all = 31*all + uint64(g.hash)
		}
	}
	h := uint32(all) ^ uint32(all>>32)
	if _, known := s.pagesSaid[h]; known {
		return 0
	}
	s.pagesSaid[h] = struct{}{}
	return 1
}

// saysMore reports whether a suspect that was probed, and not found to be answered as its pages are, says much that is
// new all the time. A number that counts on is not much.
func (s *suspect) saysMore() bool { return s.tries > 0 && s.dull < emptyPages }

// weigh reports whether a suspect is closed by what was observed: there is evidence that its
// addresses have no end, and what its pages say has come to one.
func (w *Watch) weigh(s *suspect) (changed bool) {
	if s.ended || s.evidence == "" {
		return false
	}
	s.closed = s.kind == RepeatingPath || s.kind == SessionID || s.void >= emptyPages+min(s.fresh, mostPatience)
	if !s.closed {
		return false
	}
	s.ended, s.putOff = true, true
	s.noisy, s.derived, s.recent = nil, nil, nil
	w.unask(s)
	w.forget(s) // its pages are observed no more
	return true
}

// probe asks for addresses of a suspect that nobody links to: one, the same once more, and
// another.
//
// Of a parameter it asks for the page itself once more, and with another value.
func (v *visit) probe(s *suspect) {
	member, via := s.member, s.via
	if member == nil || s.kind == SessionID {
		member, via = v.url, v.via
	}
	n := v.watch.chance + 2*s.tries
	first, second := invented(member, via, s, n), invented(member, via, s, n+1)
	if s.kind == SessionID {
		v.ask(s, member.String(), first)
		return
	}
	v.ask(s, first, first, second)
}

// ask schedules the probes of a suspect.
func (v *visit) ask(s *suspect, probes ...string) {
	w := v.watch
	s.tries++
	if slices.Contains(probes, "") {
		return
	}
	page := s.page
	w.unask(s)
	s.page, s.asked, s.answers = page, probes, make([]*answer, len(probes))
	w.count(s)
	for _, at := range s.asked {
		w.probes[at] = s
	}
	v.finding.Probes = append(v.finding.Probes, s.asked...)
}

// Probes reports whether the answer to a probe still matters.
func (w *Watch) Probes(address string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.probes[address] != nil
}

// Answer takes what came back for a probe. doc is nil where it was no page, and leads are the addresses that it links to
// and nothing else does. It names the suspects of which something was found out.
func (w *Watch) Answer(address string, status int, doc *html.Node, u *url.URL, leads []*url.URL) (changed []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.init()
	s := w.probes[address]
	if s == nil {
		return nil // of an earlier session
	}
	a := &answer{here: status == http.StatusOK && doc != nil, leads: make(map[string]bool)}
	if a.here {
		a.said = grams(doc, u)
		if s.kind == SessionID {
			a.said = grams(doc, nil) // a page that says which value it was asked for makes a difference
		}
		for _, to := range leads {
			if to.Host == u.Host && s.has(to) {
				a.leads[to.String()] = true
			}
		}
	}
	left := 0
	taken := false
	for i, at := range s.asked {
		if s.answers[i] == nil && at == address && !taken {
			s.answers[i], taken = a, true
		}
		if s.answers[i] == nil && !a.here && s.kind != SessionID {
			s.answers[i] = a // one address without a page is enough: the others are not requested
		}
		if s.answers[i] == nil {
			left++
		}
	}
	if left > 0 {
		return nil
	}
	concluded := w.conclude(s)
	w.unask(s)
	if !concluded {
		return nil
	}
	w.weigh(s)
	return []string{s.name}
}

// conclude reports whether the answers to all probes of a suspect are evidence that it has no end.
func (w *Watch) conclude(s *suspect) bool {
	switch {
	case s.kind == SessionID:
		return w.concludeParameter(s)
	case s.region != nil:
		return s.concludeRegion()
	}
	first, again, second := s.answers[0], s.answers[1], s.answers[2]
	if !first.here || !again.here || !second.here || !leadsOn(first, second) || !leadsOn(second, first) {
		return false
	}
	like := !s.kin || s.likePages()
	s.recent = nil
	s.noisy, s.derived = differences(first.said, again.said), differences(first.said, second.said)
	s.madeUp = freshAt(s.derived, second.said, first.said)
	w.learn(s, first.said)
	w.learn(s, second.said)
	s.fresh, s.void = 0, 0
	s.putOff = s.putOff || like // else it is as good as any until its pages come to an end
	s.evidence = "answers and leads on from addresses that nobody links to: " + s.asked[0]
	return s.putOff
}

// has reports whether an address of its host belongs to a suspect that is a family or a region.
func (s *suspect) has(u *url.URL) bool {
	switch {
	case s.kin:
		return family(u) == s.name
	case s.region != nil:
		return s.region.has(u)
	}
	return true
}

// remember keeps what a page says, and reports whether there are enough of them.
func (s *suspect) remember(said []gram) bool {
	s.recent = append(s.recent[max(0, len(s.recent)-recentPages+1):], slices.Clone(said[:min(len(said), recentGrams)]))
	return len(s.recent) == recentPages
}

// likePages reports whether addresses that were made up are answered as pages are: in the places where these say something of
// their own, with at least half as much as they have. A page that says that there is none, or what there is instead,
// does so elsewhere.
func (s *suspect) likePages() bool {
	first, again, second := s.answers[0].said, s.answers[1].said, s.answers[2].said
	own := make(map[uint32]struct{})
	for i := 1; i < len(s.recent); i++ {
		maps.Copy(own, differences(s.recent[i-1], s.recent[i]))
	}
	for place := range differences(first, again) {
		delete(own, place)
	}
	usual := []int{0}
	for i := 1; i < len(s.recent); i++ {
		usual = append(usual, freshAt(own, s.recent[i], s.recent[i-1]))
	}
	slices.Sort(usual)
	madeUp := freshAt(own, second[:min(len(second), recentGrams)], first)
	return 2*madeUp >= usual[len(usual)/2] && (madeUp > 0 || s.kin)
}

// freshAt counts the grams at some places that one reading has and another has not.
func freshAt(places map[uint32]struct{}, said, other []gram) (n int) {
	known := make(map[uint32]struct{})
	for _, g := range other {
		known[g.hash] = struct{}{}
	}
	for _, g := range said {
		_, before := known[g.hash]
		if _, is := places[g.place]; is && !before {
			known[g.hash] = struct{}{}
			n++
		}
	}
	return n
}

// concludeParameter reports whether a page says the same with a value that was made up, but for noise.
func (w *Watch) concludeParameter(s *suspect) bool {
	again, other := s.answers[0], s.answers[1]
	noisy := differences(s.page, again.said)
	same := again.here && other.here && s.page != nil
	for place := range differences(s.page, other.said) {
		if _, is := noisy[place]; !is {
			same = false
		}
	}
	if !same {
		x := w.params[s.name]
		x.matters, x.void = true, false
		return false
	}
	s.evidence = fmt.Sprintf("made little difference on %d pages, and none when its value was made up: %s", leastBases, s.asked[1])
	return true
}

// leadsOn reports whether an answer leads to what another does not.
func leadsOn(a, other *answer) bool {
	for to := range a.leads {
		if !other.leads[to] {
			return true
		}
	}
	return false
}

// differences are the places at which two readings of one address differ.
func differences(a, b []gram) map[uint32]struct{} {
	count := make(map[gram]int)
	for _, g := range a {
		count[g]++
	}
	for _, g := range b {
		count[g]--
	}
	noisy := make(map[uint32]struct{})
	for g, n := range count {
		if n != 0 {
			noisy[g.place] = struct{}{}
		}
	}
	return noisy
}
