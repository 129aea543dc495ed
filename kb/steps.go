package kb

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/awarc/awarc/yfilter/xpath"
)

// StepKind names what a step does.
type StepKind string

// The steps, after the actions of OXPath (Furche et al., VLDB 2011).
const (
	Click  StepKind = "click"  // each selected element
	Hover  StepKind = "hover"  // the pointer goes to each selected element
	Scroll StepKind = "scroll" // to the end of each selected element, or of the page
	Fill   StepKind = "fill"   // the first selected field
	Choose StepKind = "select" // an option of the first selected list
	Submit StepKind = "submit" // the form that is selected, or that has the selected element
	Wait   StepKind = "wait"   // until an element is selected
	Repeat StepKind = "repeat" // steps, until a round shows nothing new
)

// Step is what a browser does on a page of a level before the page is read.
type Step struct {
	Do StepKind
	// At selects elements of the rendered page. Nil: the page itself, for Scroll; none for Repeat.
	At *Expr
	// Values are what Fill and Choose enter. With several, the steps behind run for each. Choose
	// without any chooses each option.
	Values []string
	// Keywords enters the keywords of the crawl's topic too.
	Keywords bool
	// Most bounds the rounds of Repeat, and the seconds of Wait.
	Most  int
	Steps []*Step // of Repeat
	// Learned says where it comes from; nil for what an author wrote.
	Learned *Entry
	Pos     Position
}

// AppliesTo reports whether a step may be taken on the page of a URL.
func (s *Step) AppliesTo(page *url.URL) bool {
	return s.Learned == nil || s.Learned.AppliesAt(page.Host+page.Path)
}

// Bounds of steps, when not given. The values are arbitrary.
const (
	mostRounds = 50
	mostWait   = 10 // seconds
)

var stepNames = []string{"click", "hover", "scroll", "fill", "select", "submit", "wait"}

// browse reads the steps of a level.
func (l *loader) browse(e *etree.Element) (steps []*Step) {
	l.allow(e, nil, append([]string{"repeat"}, stepNames...))
	for _, c := range e.ChildElements() {
		steps = append(steps, l.step(c))
	}
	if len(steps) == 0 {
		l.fail(e, "has no step; expected one of: %s", list(append([]string{"repeat"}, stepNames...)))
	}
	return steps
}

func (l *loader) step(e *etree.Element) *Step {
	s := &Step{Do: StepKind(e.Tag), Pos: l.positions[e]}
	switch s.Do {
	case Click, Hover, Submit, Scroll:
		l.allow(e, nil, nil)
		if source := textOf(e); source != "" || s.Do != Scroll {
			s.At = l.element(e, source)
		}
	case Fill, Choose:
		l.filled(e, s)
	case Wait:
		l.allow(e, []string{"for", "most"}, nil)
		l.noText(e)
		s.At, s.Most = l.element(e, e.SelectAttrValue("for", "")), mostWait
		if e.SelectAttr("most") != nil {
			s.Most = l.integer(e, "most", 1, 60)
		}
	case Repeat:
		l.allow(e, []string{"until", "most"}, stepNames)
		if until := e.SelectAttrValue("until", "nothing new"); until != "nothing new" {
			l.fail(e, "until=%q; expected nothing new", until)
		}
		s.Most = mostRounds
		if e.SelectAttr("most") != nil {
			s.Most = l.integer(e, "most", 1, 1000)
		}
		for _, c := range e.ChildElements() {
			s.Steps = append(s.Steps, l.step(c))
		}
		if len(s.Steps) == 0 {
			l.fail(e, "has no step; expected one of: %s", list(stepNames))
		}
	}
	return s
}

// filled reads a step that enters values.
func (l *loader) filled(e *etree.Element, s *Step) {
	attrs := []string{"at"}
	if s.Do == Fill {
		attrs = append(attrs, "keywords")
		s.Keywords = l.flag(e, "keywords")
	}
	l.allow(e, attrs, []string{"value"})
	s.At = l.element(e, e.SelectAttrValue("at", ""))
	for _, v := range e.SelectElements("value") {
		l.allow(v, nil, nil)
		if textOf(v) == "" {
			l.fail(v, "is empty; expected a text")
		}
		s.Values = append(s.Values, textOf(v))
	}
	if s.Do == Fill && len(s.Values) == 0 && !s.Keywords {
		l.fail(e, "has nothing to enter; expected <value>...</value> or keywords=\"yes\"")
	}
}

// element reads an expression that must select elements.
func (l *loader) element(e *etree.Element, source string) *Expr {
	x := l.expression(e, source)
	if x == nil {
		return nil
	}
	if !x.selectsElements() {
		l.fail(e, "%s selects no element; expected one that can be acted on", source)
		return nil
	}
	return x
}

// selectsElements reports whether all nodes that an expression selects are elements.
func (x *Expr) selectsElements() bool {
	for _, n := range xpath.Operands(x.Tree, "|") {
		p, isPath := n.(*xpath.Path)
		if isPath && len(p.Steps) > 0 {
			last := p.Steps[len(p.Steps)-1]
			isPath = last.Axis != "@" && last.Axis != "attribute" && !strings.Contains(last.Test, "(")
		}
		if !isPath {
			return false
		}
	}
	return true
}

// String gives the step as logs show it.
func (s *Step) String() string {
	text := string(s.Do)
	if s.At != nil {
		text += " " + s.At.Source
	}
	if s.Do == Repeat {
		text += " " + strconv.Itoa(s.Most) + " times at most"
	}
	return text
}

// OnlyForm reports whether steps only fill in and submit a form, which needs no browser if the form
// uses GET.
func OnlyForm(steps []*Step) bool {
	for i, s := range steps {
		last := i == len(steps)-1
		if s.Do != Fill && s.Do != Choose && (s.Do != Submit || !last) || last && s.Do != Submit {
			return false
		}
	}
	return len(steps) > 0
}
