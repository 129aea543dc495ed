package records

import (
	"slices"
	"strings"
	"unicode"

	"github.com/awarc/awarc/engine/read/page"
)

// Words that templates use in classes, ids and properties, by what they mark.
var hintNames = [...]string{"content", "author", "date", "boilerplate", "record", "list", "title", "signature"}

var hintWords = [len(hintNames)][]string{
	{"content", "body", "text", "message", "msg", "entry", "descr", "copy", "inner"},
	{"author", "user", "poster", "creator", "member", "nick", "byline", "owner", "name", "profile"},
	{"date", "time", "posted", "created", "publish", "when", "stamp", "ago"},
	{"nav", "menu", "foot", "button", "btn", "action", "tool", "control", "share", "rating", "vote", "avatar", "stat", "badge",
		"count", "crumb", "hidden", "option"},
	{"post", "comment", "message", "reply", "answer", "msg", "thread", "entry", "item"},
	{"list", "topic", "teaser", "card", "product", "related", "result", "recent", "widget", "sidebar", "promo"},
	{"title", "subject", "head", "caption"},
	{"sig", "edited", "modif", "edit-", "edit_"},
}

// names caches what nodes and addresses of a page are called, which many groups and places share,
// and finds the places of its groups.
type names struct {
	p        *page.Page
	finder   *finder
	hints    []*[len(hintNames)]float64 // by node; nil until needed
	byName   map[string]*[len(hintNames)]float64
	named    []verdict // by node: whether its text looks like a name
	profiles map[string]bool
	alike    map[uint64]int // nodes with words by their path and mark; nil until needed
}

// verdict is an answer that is found once.
type verdict int8

const (
	unasked verdict = iota
	yes
	no
)

func newNames(p *page.Page) *names {
	return &names{p: p, finder: newFinder(p), hints: make([]*[len(hintNames)]float64, len(p.Nodes)),
		byName: map[string]*[len(hintNames)]float64{}, named: make([]verdict, len(p.Nodes)), profiles: map[string]bool{}}
}

// hintsOf returns the hints of the names of a node.
func (m *names) hintsOf(n int) [len(hintNames)]float64 {
	if m.hints[n] == nil {
		node := m.p.Nodes[n].Node
		text := page.Attr(node, "class") + " " + page.Attr(node, "id") + " " + page.Attr(node, "itemprop")
		out := m.byName[text]
		if out == nil {
			out = &[len(hintNames)]float64{}
			m.byName[text] = out
			if lower := strings.ToLower(text); len(text) > 2 {
				for i, words := range hintWords {
					out[i] = truth(containsAny(lower, words))
				}
			}
		}
		m.hints[n] = out
	}
	return *m.hints[n]
}

// like counts the nodes of the page with words that have the path and the mark of one.
func (m *names) like(n int) int {
	key := func(i int) uint64 { return mix(m.p.Nodes[i].Path, m.finder.keys[i].mark) }
	if m.alike == nil {
		m.alike = map[uint64]int{}
		for i := range m.p.Nodes {
			if m.p.Letters(i) > 0 {
				m.alike[key(i)]++
			}
		}
	}
	return m.alike[key(n)]
}

// isName reports whether the text of a node looks like a name: a few words with a letter, without a
// colon.
func (m *names) isName(n int) bool {
	if m.named[n] == unasked {
		m.named[n] = no
		if looksLikeName(m.p.Words(n)) {
			m.named[n] = yes
		}
	}
	return m.named[n] == yes
}

func looksLikeName(words []string) bool {
	if len(words) > 4 {
		return false
	}
	length, letter := len(words)-1, false
	for _, w := range words {
		length += len(w)
		letter = letter || strings.ContainsFunc(w, unicode.IsLetter)
		if strings.ContainsAny(w, ":?!|»«/") {
			return false
		}
	}
	return letter && length <= 50
}

// profile reports whether an address looks like one of a person.
func (m *names) profile(href string) bool {
	is, known := m.profiles[href]
	if !known {
		is = containsAny(strings.ToLower(href), profileForms)
		m.profiles[href] = is
	}
	return is
}

var profileForms = []string{"user", "member", "profil", "author", "/u/", "/@", "people", "uid=", "account", "person", "mitglied",
	"utilisateur", "usuario"}

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// OfNames reports whether a feature depends on the names that a template gives to classes, ids and
// properties.
func OfNames(feature string) bool {
	switch feature {
	case "hcontent", "hauthor", "hdate", "hboiler", "htitle", "hsig", "hrecord", "hlist", "inauthor", "prop":
		return true
	}
	return false
}
