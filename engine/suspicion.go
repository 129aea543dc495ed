package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Suspicion is a kind of answer that was archived and may lack the wanted content. It is reported.
// Only empty lists of a crawl without objects, and fields that answers of services lack, change the
// verdict: see ReasonLists and ReasonFields.
type Suspicion struct {
	Kind string `json:"kind"` // one of the Suspect constants
	// Count counts pages; requisites for SuspectRequisite, objects for SuspectField and
	// SuspectUnsure, links for SuspectSibling.
	Count   int64  `json:"count"`
	Example string `json:"example,omitempty"`
	Of      string `json:"of,omitempty"` // the level, the class and field, or the hosts
	Text    string `json:"text"`
}

// String returns the suspicion in one line.
func (s Suspicion) String() string {
	text := fmt.Sprintf("%d %s", s.Count, s.Text)
	if s.Of != "" {
		text += " (" + s.Of + ")"
	}
	if s.Example != "" {
		text += ", such as " + s.Example
	}
	return text
}

// Kinds of suspicion.
const (
	SuspectShell     = "script_shell"
	SuspectSteps     = "steps_missing"
	SuspectLogin     = "login_page"
	SuspectConsent   = "consent_page"
	SuspectChallenge = "challenge_page"
	SuspectSameText  = "same_text"
	SuspectList      = "empty_list"
	SuspectField     = "field_missing"
	SuspectRequisite = "requisite_failed"
	SuspectStyles    = "styles_missing"
	SuspectSibling   = "sibling_host"
	SuspectUnsure    = "unsure_posts"
	SuspectFront     = "front_page"
)

// suspectTexts are the phrases of kinds of suspicion, after their count.
var suspectTexts = map[string]string{
	SuspectShell:     "page|pages with scripts and little text, so content may be missing; awarc runs scripts if Chromium is installed",
	SuspectSteps:     "page|pages without the steps of the knowledge base; awarc takes them if Chromium is installed",
	SuspectLogin:     "login page:|pages: use --cookies or --login",
	SuspectConsent:   "consent page:|pages: use --cookies with the cookies of a browser that agreed",
	SuspectChallenge: "browser check:|checks: use --cookies with the cookies of a browser that passed",
	SuspectSameText:  "page|pages with the text of another URL: error pages with status 200, or copies",
	SuspectList:      "list|lists without an object or a link to one",
	SuspectField:     "object|objects without a required field, on all pages",
	SuspectSibling:   "link|links to other hosts of a seed's domain: --scope-type domain follows them",
	SuspectUnsure:    "post|posts of unknown software or templates, too unsure for the graph: awarc kb draft makes a type",
	SuspectFront:     "front page|pages without a link that the actions of the level find, so all links were followed",
	SuspectRequisite: "failed image,|images, styles or scripts: replay may miss them",
	SuspectStyles:    "page|pages without styles in replay: --requisites fetches them",
}

const (
	countSuspects = "suspects/" // and the kind; of lists "/" and the level

	shortText = 40 // letters below which equal texts are no evidence: arbitrary
)

// face is what the first look at a page shows.
type face struct {
	letters   int // visible
	links     int
	scripts   int
	password  bool
	holder    bool   // an element without content that has an id or a name of its own, for a script to fill
	needsJS   bool   // a <noscript> that names JavaScript
	challenge bool   // a resource of a service that checks for browsers
	agrees    bool   // a button that agrees to something
	text      uint64 // fingerprint of the visible text
	asks      bool   // the text names cookies, consent or an age
	styles    bool   // a link to a style sheet
}

// Bounds of faces, in letters of visible text. They were chosen on the saved pages of applications, few of which show less.
const (
	shellLetters     = 200
	loginLetters     = 1_200
	consentLetters   = 2_000
	challengeLetters = 800
	fewLinks         = 5
)

// challengers are parts of addresses of resources of services that check for browsers.
var challengers = []string{"/cdn-cgi/challenge-platform/", "challenges.cloudflare.com", "ddos-guard", ".within.website",
	"_incapsula_resource", "captcha-delivery.com", "px-captcha", "awswaf.com", "sucuri_cloudproxy", "/.well-known/ddos",
	"hcaptcha.com", "recaptcha", "/akam/", "kasada", "anubis"}

// agreeing are words of buttons that agree, in the languages of most sites.
var agreeing = []string{"accept", "agree", "consent", "allow all", "i am over", "akzeptier", "zustimm", "einverstanden", "accepte",
	"acepto", "aceptar", "accetto", "accetta", "aceito", "aceitar", "akkoord", "accepteer", "godkänn", "zgadzam", "akceptuj",
	"принять", "соглас", "souhlas", "同意"}

var askedFor = []string{"cookie", "consent", "gdpr", "18 years", "your age", "einwilligung", "datenschutz"}

// look reads the face of a document.
func look(doc *html.Node) face {
	f := face{text: fingerprintSeed}
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Html && n != doc { // beside it stand facts about the answer
			return look(n)
		}
		switch n.Type {
		case html.TextNode:
			f.readText(n)
		case html.ElementNode:
			f.readElement(n)
		}
	}
	return f
}

func (f *face) readText(n *html.Node) {
	if strings.TrimSpace(n.Data) == "" {
		return
	}
	for p := n.Parent; p != nil; p = p.Parent {
		switch p.DataAtom {
		case atom.Script, atom.Style, atom.Head, atom.Template:
			return
		case atom.Noscript:
			f.needsJS = f.needsJS || strings.Contains(strings.ToLower(n.Data), "javascript")
		}
	}
	for _, r := range n.Data {
		if unicode.IsLetter(r) {
			f.letters++
		}
	}
	for _, word := range strings.Fields(n.Data) {
		f.text = fingerprint(fingerprint(f.text, word), " ")
	}
	f.asks = f.asks || f.letters < consentLetters && containsAny(n.Data, askedFor) // with more text it asks for nothing
}

func (f *face) readElement(n *html.Node) {
	switch n.DataAtom {
	case atom.A:
		f.links++
	case atom.Script:
		f.scripts++
	case atom.Link:
		f.styles = f.styles || strings.Contains(strings.ToLower(attribute(n, "rel")), "stylesheet")
	case atom.Input:
		f.password = f.password || strings.EqualFold(attribute(n, "type"), "password")
		f.agrees = f.agrees || containsAny(attribute(n, "value"), agreeing)
	case atom.Button:
		f.agrees = f.agrees || n.FirstChild != nil && containsAny(n.FirstChild.Data, agreeing)
	case atom.Div, atom.Main, atom.Section, 0:
		named := attribute(n, "id") != "" || n.DataAtom == 0 && strings.Contains(n.Data, "-")
		f.holder = f.holder || named && isHollow(n)
	}
	if n.DataAtom == atom.Script || n.DataAtom == atom.Iframe || n.DataAtom == atom.Form || n.DataAtom == atom.Link {
		for _, name := range []string{"src", "action", "href"} {
			f.challenge = f.challenge || containsAny(attribute(n, name), challengers)
		}
	}
}

// isHollow reports whether an element holds nothing but white space and comments.
func isHollow(n *html.Node) bool {
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode || c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			return false
		}
	}
	return true
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func containsAny(text string, of []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(of, func(s string) bool { return strings.Contains(text, s) })
}

// kind is what a page without objects looks like, "" for nothing suspicious.
func (f *face) kind() string {
	switch {
	case f.challenge && f.letters < challengeLetters && f.links <= fewLinks && !f.password:
		return SuspectChallenge
	case f.password && f.letters < loginLetters && (f.letters >= shortText || f.scripts == 0):
		return SuspectLogin
	case f.scripts > 0 && f.letters < shellLetters && f.links <= fewLinks && (f.holder || f.needsJS || f.letters < shortText):
		return SuspectShell
	case f.agrees && f.asks && f.letters < consentLetters && f.links <= 2*fewLinks:
		return SuspectConsent
	}
	return ""
}

// reporting is what the counters of reports need of this session.
type reporting struct {
	exampled sync.Map // kinds of loss that have an example
	texts    SeenTexts
	hosts    hosts // of which pages are counted
}

// suspect returns the counters of what is suspicious about a page.
func (e *Engine) suspect(p *Page) map[string]int64 {
	c := map[string]int64{}
	f := look(p.Doc)
	h := &p.Harvest
	if kind := f.kind(); kind != "" && !yields(h) {
		c[countSuspects+kind] = 1
	}
	if f.styles && !e.options.Requisites {
		c[countSuspects+SuspectStyles] = 1
	}
	if f.letters >= shortText && e.texts.repeated(f.text, p.URL.String()) {
		c[countSuspects+SuspectSameText] = 1
	}
	if h.Unsure > 0 {
		c[countSuspects+SuspectUnsure] = int64(h.Unsure)
	}
	if t := p.Finding.Type; t != nil && isEmptyList(h) {
		c[countSuspects+SuspectList+"/"+string(t.ID)+"/"+string(h.Level.ID)] = 1
	}
	return c
}

// yields reports whether a page gave objects or links of its level.
func yields(h *extract.Harvest) bool {
	return len(h.Objects) > 0 || slices.ContainsFunc(h.Links, func(l extract.Link) bool { return l.To != "" && !l.Paging })
}

// isEmptyList reports whether a page is a list that leads nowhere but to lists of its level.
func isEmptyList(h *extract.Harvest) bool {
	return h.Level != nil && h.Level.Kind == kb.Intermediate && len(h.Objects) == 0 &&
		!slices.ContainsFunc(h.Links, func(l extract.Link) bool { return !l.Paging && l.To != "" && l.To != h.Level.ID })
}

// fillSuspicions reads the suspicions from the counters; examples are known.
func (r *Report) fillSuspicions() {
	r.Suspicions = []Suspicion{}
	add := func(kind, of string, n int64, example string) {
		r.Suspicions = append(r.Suspicions, Suspicion{kind, n, example, of, inNumber(n, suspectTexts[kind])})
	}
	siblings := map[string]int64{}
	for _, name := range slices.Sorted(maps.Keys(r.suspects)) {
		n := r.suspects[name]
		kind, level, _ := strings.Cut(name, "/")
		if kind == SuspectSibling {
			siblings[level] = n
			continue
		}
		if kind == SuspectSameText && n < fewSame || kind == SuspectList && 2*n < r.Levels[level] {
			continue
		}
		add(kind, level, n, r.Examples[countSuspects+name])
	}
	r.fillSiblings(siblings)
	for _, name := range slices.Sorted(maps.Keys(r.Missing)) {
		class, _, _ := strings.Cut(name, ".")
		if n := r.Missing[name]; r.Objects[class] > 0 && n >= r.Objects[class] {
			add(SuspectField, name, n, r.Examples[countMissing+name])
		}
	}
}

// fillSiblings adds the links to each host that is out of scope as one suspicion, which names the
// hosts with the most links.
func (r *Report) fillSiblings(links map[string]int64) {
	if len(links) == 0 {
		return
	}
	const most = 3 // hosts that are named
	s := Suspicion{Kind: SuspectSibling}
	hosts := slices.SortedFunc(maps.Keys(links), func(a, b string) int {
		return cmp.Or(cmp.Compare(links[b], links[a]), strings.Compare(a, b))
	})
	for _, host := range hosts {
		s.Count += links[host]
	}
	s.Text = inNumber(s.Count, suspectTexts[SuspectSibling])
	s.Example = r.Examples[countSuspects+SuspectSibling+"/"+hosts[0]]
	if s.Of = strings.Join(hosts[:min(most, len(hosts))], ", "); len(hosts) > most {
		s.Of += fmt.Sprintf(" and %d more", len(hosts)-most)
	}
	r.Suspicions = append(r.Suspicions, s)
}

// emptyFields counts the objects without a required field that no object of their class has, in a
// crawl that asked services: these describe fields exactly, unlike templates of pages.
func (r *Report) emptyFields() (n int64, example string) {
	for _, s := range r.Suspicions {
		if s.Kind == SuspectField && r.Services != nil && s.Count >= fewObjects && s.Count > n {
			n, example = s.Count, s.Example
		}
	}
	return n, example
}

// fewObjects without a field are no evidence that all lack it.
const fewObjects = 3

// emptyLists counts the pages of lists of a crawl that found no object at all, since no list led to one.
func (r *Report) emptyLists() (n int64, example string) {
	for _, s := range r.Suspicions {
		if s.Kind == SuspectList && s.Count >= r.Levels[s.Of] && len(r.Objects) == 0 {
			n, example = n+s.Count, s.Example
		}
	}
	return n, example
}
