package adapt

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// session is the work on one page.
type session struct {
	lex      *Lexicon
	page     extract.Page
	category kb.CategoryID
	x        *index
	r        *extract.Reader
	fired    [][]xpath.Step // detection patterns, which stay untouched
	past     *past          // what an earlier crawl found here, or nil
	tried    int
	why      []string // no level is the page's, for people
	most     int      // visits: see budget
	weights  rank.Table
	watch    func(Question)

	void    map[kb.Place]bool // fields that no object has
	faulted map[kb.Place]bool // whose fields are missing or wrong; nil where that is not known
	asked
	pageSays
	siteSays
	readings
}

// asked is how a session looks at its page for now.
type asked struct {
	// guessing tells that what is read comes from no action as it was written.
	guessing bool
	unknown  bool // the template is another one: how far a candidate is from what is written says little
}

// pageSays is what a page says of itself, mostly read when it is asked for.
type pageSays struct {
	title     string             // plain
	parts     []string           // it and what its signs part it in, plain
	shared    map[string]bool    // titles of other pages
	own       address            // of the page
	states    *extract.Statement // nil before it is asked for
	misstated bool               // what the page states of its date is another moment than readers are shown
	bulkAt    int                // see bulk
	bulkKnown bool
	isList    *bool // see lists; nil before it is asked for
	dates     []int // see dateSpots; nil before they are asked for
}

// siteSays is what a page says of its site and by its links.
type siteSays struct {
	home      string             // host of the site
	sites     map[string]bool    // names of the site, plain; nil before they are asked for
	addresses map[string]address // of links
	anchorsOf map[int]*anchor    // see anchors
	// listNames are links that lead down and have a name of their own, by the action.
	listNames map[kb.Place]*xpath.Expr
}

// readings are what was worked out and may be asked for again.
type readings struct {
	hinted       map[string]float64
	groupsOfPage []*group
	weighedOf    *scope // of which weights are
	weighed      []weighed
	liked        map[string]bool // texts: whether they may be dates
	texts        map[textKey]string
	selectedBy   map[selectKey][]kb.Value
	fieldsFound  map[string]found // of the page's own object
}

// farthest is the most that a candidate can be from what is written: what was read off the page is no further from one expression than from
// another.
const farthest = 1.5

func newSession(base *kb.Base, p extract.Page, o Options) *session {
	s := &session{
		lex: o.Lexicon, page: p, x: newIndex(p.Doc), r: extract.NewReader(p),
		pageSays: pageSays{shared: o.shared},
		siteSays: siteSays{addresses: map[string]address{}, listNames: map[kb.Place]*xpath.Expr{}},
		readings: readings{hinted: map[string]float64{}, liked: map[string]bool{}, texts: map[textKey]string{},
			selectedBy:  map[selectKey][]kb.Value{},
			fieldsFound: map[string]found{}},
	}
	if s.lex == nil || s.lex.base != base {
		s.lex = NewLexicon(base)
	}
	if s.watch, s.weights = o.Watch, o.Weights; s.weights == nil {
		s.weights = Weights()
	}
	s.past = remember(s.x, o.earlier(p))
	s.most = budget(len(s.x.nodes), cmp.Or(o.MaxWork, defaultWork))
	s.x.spend(parseWork * len(s.x.nodes)) // the index itself
	if window := windowTitle(p.Doc); window != "" {
		s.title = plainTitle(window)
		s.parts = append(s.parts, s.title)
		for _, part := range titleSigns.Split(window, -1) {
			s.parts = append(s.parts, plainTitle(part))
		}
	}
	if p.Type != nil {
		s.category = p.Type.Category
		s.home = s.homeOf()
		if s.own = s.ownAddress(); s.own.level == "" {
			if level := ofArticle(p.Type); level != "" && s.statement().Article {
				s.own.level = level
			}
		}
	}
	return s
}

// windowTitle is the title of a page's window.
func windowTitle(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Title {
			return textContent(n)
		}
	}
	return ""
}

// protect notes the patterns of a level that fire on the page.
func (s *session) protect(v *kb.Level) {
	s.fired = nil
	for _, p := range v.Detect {
		if t := target(p.Expr); t == (xpath.Test{}) && len(s.x.selectIn(p.Expr, -1)) > 0 {
			s.fired = append(s.fired, p.Expr.Steps)
		}
	}
}

// dateSpots lists the elements with something like a date of their own.
func (s *session) dateSpots() []int {
	if s.dates != nil {
		return s.dates
	}
	s.dates = []int{}
	for n, node := range s.x.nodes {
		if unread(node) {
			continue
		}
		found := slices.ContainsFunc(node.Attr, func(a html.Attribute) bool {
			return (a.Key == "datetime" || a.Key == "title" || strings.HasPrefix(a.Key, "data-")) && s.dateLike(a.Val)
		})
		if found || s.speaksOfDate(n) {
			s.dates = append(s.dates, n)
		}
	}
	return s.dates
}

// nodesOf evaluates where an object is, as declared.
func (s *session) nodesOf(tries []*kb.Try, ctx int) (nodes []int) {
	for _, t := range tries {
		if len(nodes) == 0 && t.AppliesTo(s.page.URL) {
			nodes = s.selected(t.Expr, ctx)
		}
	}
	return nodes
}
