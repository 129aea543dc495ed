package trap

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

const (
	firstLook     = 20  // requests after which growth is looked at; then twice as many each time
	growsAllAlong = 4   // looks in a row with growth, before addresses come behind others
	growsOnly     = 7   // before those are put off that nothing else leads to
	branchDepth   = 4   // branches in branches
	longestPath   = 200 // of pages that led to each other, that is followed back
	leastRepeated = 50  // of so many addresses one is found on a second page before it is asked for, where there is an end
	leastBarren   = 20  // of so many pages one leads to less than two new addresses, where there is an end
	drawnLength   = 16  // of what a machine drew
	drawnTurns    = 5   // in it, from letters to digits, back, and to capitals
)

// growth counts the addresses that pages led to, and requests.
type growth struct {
	asked int
	seen  int   // of these at the last look
	all   trend // of the addresses found
	ahead trend // without those that come last in any case
}

// trend is whether more is found than asked for.
type trend struct {
	found, before int // now, and at the last look
	grew          int // looks in a row, up to the last one, at which there was growth
}

func (g *growth) find(last bool) {
	g.all.found++
	if !last {
		g.ahead.found++
	}
}

func (g *growth) ask() { g.asked++ }

// see looks at the growth since the last look, if it is time.
func (g *growth) see() (seen bool) {
	if g.asked < max(firstLook, 2*g.seen) {
		return false
	}
	g.all.look(g.asked - g.seen)
	g.ahead.look(g.asked - g.seen)
	g.seen = g.asked
	return true
}

func (t *trend) look(asked int) {
	if t.grew++; 2*(t.found-t.before) < 3*asked { // half as many again wait
		t.grew = 0
	}
	t.before = t.found
}

// branch is a page with all that it led to first, and what that led to, and so on. Where a place without end is in one folder with
// content, and its addresses look like those, they are on different branches.
type branch struct {
	growth
	name    string // address of the page
	parent  *branch
	depth   int
	fertile int // pages that led to several new addresses
	drawn   int // of the addresses found, those that a machine drew
	again   int // addresses that a second page led to before they were asked for
	suspect *suspect
}

// link is what is known of an address that was found.
type link struct {
	branch       uint32
	asked, again bool
	led          uint8 // to so many new addresses, up to 2
}

// ledTo ends the names of suspects that are branches.
const ledTo = " and all that it leads to"

func addressOf(u *url.URL) uint32 { return uint32(hashOf(u.Host + u.RequestURI())) }

// isDrawn reports whether an address has a checksum or the like in it: letters and digits, or small letters and capitals, that take turns.
func isDrawn(u *url.URL) bool {
	for _, s := range strings.FieldsFunc(u.Path+"?"+unescaped(u.RawQuery), func(r rune) bool { return strings.ContainsRune("/?&=;", r) }) {
		turns := 0
		for i := 1; i < len(s); i++ {
			turns += bit(isDigit(s[i-1]) && isLetter(s[i]) || isLetter(s[i-1]) && isDigit(s[i]) || isLower(s[i-1]) && isUpper(s[i]))
		}
		if len(s) >= drawnLength && turns >= drawnTurns {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isLetter(c byte) bool { return isLower(c) || isUpper(c) }

func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}

// branchOf is the branch that an address is on, nil if nothing is known of it.
func (w *Watch) branchOf(u *url.URL) *branch { return w.branches[w.linked[addressOf(u)].branch] }

// lead counts an address that a page led to, and reports whether it is a new one. last says that it comes last in any case.
func (w *Watch) lead(on, u *url.URL, last bool) (isNew bool) {
	from, to := addressOf(on), addressOf(u)
	b := w.branches[w.linked[from].branch]
	if l, known := w.linked[to]; known {
		if of := w.branches[l.branch]; !l.asked && !l.again {
			l.again = true
			w.linked[to] = l
			for ; of != nil; of = of.parent {
				of.again++
			}
		}
		return false
	}
	if len(w.linked) >= mostLinked {
		clear(w.linked)
	}
	page := w.linked[from]
	w.linked[to] = link{branch: page.branch}
	fertile := 0
	if page.led < 2 {
		page.led++
		w.linked[from] = page
		fertile = int(page.led) / 2 // with the second
	}
	machine := bit(isDrawn(u))
	for ; b != nil; b = b.parent {
		b.find(last)
		b.fertile += fertile
		b.drawn += machine
	}
	return true
}

// trace finds out on which branch an address is of which nothing is known, as after a restart: that of the page that led to it, or of
// the page that led to that one, and so on. A first page and what it leads to begin branches.
func (w *Watch) trace(u, via *url.URL) {
	path := []*url.URL{u}
	for via != nil && len(path) < longestPath {
		if _, known := w.linked[addressOf(via)]; known {
			break
		}
		path = append(path, via)
		if w.Via == nil {
			break
		}
		via = w.Via(via)
	}
	var on link
	if via != nil {
		on = w.linked[addressOf(via)]
	}
	for _, at := range slices.Backward(path) {
		if b := w.branches[on.branch]; b == nil || b.depth == 0 {
			on.branch = w.begin(at, b, on.branch)
		}
		w.linked[addressOf(at)] = link{branch: on.branch, asked: true}
	}
}

// learnBranches counts a page on its branches. One on a branch that grows begins another, and so does what a first page leads to.
func (w *Watch) learnBranches(v *visit) {
	at := addressOf(v.url)
	l, known := w.linked[at]
	if !known {
		w.trace(v.url, v.via)
		l = w.linked[at]
	}
	l.asked = true
	b := w.branches[l.branch]
	for x := b; x != nil; x = x.parent {
		if x.ask(); x.see() {
			v.judge(x)
		}
	}
	if known && (b == nil || b.depth < branchDepth && (b.depth == 0 || b.all.grew > 0)) {
		l.branch = w.begin(v.url, b, l.branch)
	}
	w.linked[at] = l
}

// begin begins a branch within another, and gives its number.
func (w *Watch) begin(u *url.URL, parent *branch, number uint32) uint32 {
	if len(w.branches) >= mostBranches {
		maps.DeleteFunc(w.branches, func(_ uint32, b *branch) bool { return b.all.grew == 0 && b.suspect == nil })
		if len(w.branches) >= mostBranches/2 {
			return number
		}
	}
	b := &branch{name: short(strings.ReplaceAll(u.Host+u.RequestURI(), " ", "+")), parent: parent}
	if parent != nil {
		b.depth = parent.depth + 1
	}
	w.lastBranch++
	w.branches[w.lastBranch] = b
	return w.lastBranch
}

// judge puts a branch off that has grown all along, of which each page led to several new ones, and none to what another led to, at
// addresses that a machine drew. A large site grows as long, too, and its addresses may be checksums; but its pages lead to each
// other, and lists lead to pages that lead to nothing new.
func (v *visit) judge(b *branch) {
	found := b.all.found
	tree := leastRepeated*b.again <= found && leastBarren*(b.asked-b.fertile) <= b.asked && leastBarren*(found-b.drawn) <= found
	if b.depth == 0 || b.all.grew < growsOnly || !tree {
		if b.suspect != nil {
			b.suspect.putOff = false
		}
		return
	}
	s := v.watch.suspect(b.name+ledTo, Endless)
	b.suspect, s.branch = s, b
	s.evidence = fmt.Sprintf("led to several new addresses that no person wrote from each of %d pages, and to none from two of them",
		b.asked)
	v.put(s)
}

// branching finds the branch without end that an address is on.
func (w *Watch) branching(u *url.URL, _ bool) *suspect {
	for b := w.branchOf(u); b != nil; b = b.parent {
		if b.suspect != nil && b.suspect.putOff {
			return b.suspect
		}
	}
	return nil
}

// Growing counts the folders around an address, and the branches that the page is on which leads to it, in which more addresses are
// found than fetched all along, those of the host aside. There may be no end of them, though nothing that is made up is answered;
// what is elsewhere had better come first.
func (w *Watch) Growing(u, on *url.URL) (places int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.init()
	for _, r := range w.regionsOf(u) {
		if r.depth > 0 && r.ahead.grew >= growsAllAlong {
			places++
		}
	}
	for b := w.branchOf(on); b != nil; b = b.parent {
		if b.depth > 0 && b.ahead.grew >= growsAllAlong {
			places++
		}
	}
	return places
}
