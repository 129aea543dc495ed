package relax

import (
	"regexp"
	"strings"

	"github.com/awarc/awarc/yfilter/xpath"
)

// Reading is an expression of full XPath 1.0 as the fragment of package xpath can
// say it. What it cannot say was left out, so that the reading selects more.
type Reading struct {
	// Before is the path that comes before Expr and stays as it is, such as
	// "./following-sibling::tr[1]"; mostly empty.
	Before string
	Expr   *xpath.Expr
	// Pick is the position among all that Expr selects, such as "[1]"; it is
	// empty for all of them.
	Pick string
	// Dropped counts the predicates that were left out.
	Dropped int
}

// String writes the reading, or a relaxation of it, as an expression of full
// XPath 1.0; as one of the fragment where it is one.
func (r Reading) String() string { return r.With(r.Expr) }

// With writes another expression in the place of the reading's.
func (r Reading) With(e *xpath.Expr) string {
	if r.Before == "" && r.Pick == "" {
		return e.String()
	}
	body, tail := e, ""
	if last := e.Steps[len(e.Steps)-1]; !element(last.Test) && len(e.Steps) > 1 {
		body, tail = &xpath.Expr{Steps: e.Steps[:len(e.Steps)-1]}, (&xpath.Expr{Steps: []xpath.Step{last}}).XPath(false)
		if last.Axis == xpath.Child {
			tail = "/" + strings.TrimLeft(tail, "/")
		}
	}
	path := body.XPath(r.Before == "")
	if r.Pick == "" {
		return r.Before + path + tail
	}
	return "(" + r.Before + path + ")" + r.Pick + tail
}

// maxReadings bounds what one expression is read as: each "or" doubles it.
const maxReadings = 8

// Read reads an expression of the fragment or of full XPath 1.0, each branch of
// a union and each side of an "or" by itself. It returns nothing for what has no
// path in it, such as a computed string.
func Read(source string) []Reading {
	source = strings.TrimSpace(source)
	if e, err := xpath.Parse(source); err == nil {
		return []Reading{{Expr: e}}
	}
	source = tokenTest.ReplaceAllString(source, "contains($1, $2$3$2)")
	var out []Reading
	for _, branch := range splitTop(source, "|") {
		out = append(out, readBranch(strings.TrimSpace(branch))...)
	}
	return out[:min(len(out), maxReadings)]
}

// tokenTest is the way to ask for one token of a class in XPath 1.0.
var tokenTest = regexp.MustCompile(`contains\(\s*concat\(\s*['"] ['"]\s*,\s*(?:normalize-space\()?(@[\w-]+)\)?\s*,\s*['"] ['"]\s*\)\s*,\s*(['"]) ([^'"]*?) ['"]\s*\)`)

var picked = regexp.MustCompile(`^(\[(?:\d+|last\(\))\])(/.*)?$`)

// readBranch reads one branch of a union.
func readBranch(s string) []Reading {
	if strings.HasPrefix(s, "(") {
		end := closing(s, 0)
		if end < 0 {
			return nil
		}
		m := picked.FindStringSubmatch(strings.TrimSpace(s[end+1:]))
		if m == nil {
			return nil
		}
		var out []Reading
		for _, inner := range splitTop(s[1:end], "|") {
			for _, r := range readPath(strings.TrimSpace(inner) + m[2]) {
				r.Pick = m[1]
				out = append(out, r)
			}
		}
		return out
	}
	return readPath(s)
}

// axisName finds a step that the fragment has no axis for.
var axisName = regexp.MustCompile(`^(?:[a-z-]+::|\.\.)`)

// readPath reads a path of steps.
func readPath(s string) []Reading {
	r := Reading{}
	rest := s
	lead := "//"
	switch {
	case strings.HasPrefix(rest, ".//"):
		rest = rest[3:]
	case strings.HasPrefix(rest, "./"):
		rest, lead = rest[2:], "/"
	case strings.HasPrefix(rest, "//"):
		rest = rest[2:]
	case strings.HasPrefix(rest, "/"):
		rest, lead = rest[1:], "/"
	}
	steps := splitPath(lead + rest)
	for i := len(steps) - 1; i >= 0; i-- { // what comes before another axis is kept as text
		if axisName.MatchString(strings.TrimLeft(steps[i], "/")) {
			r.Before = "." + strings.Join(steps[:i+1], "")
			if !strings.HasPrefix(s, ".") && !strings.HasPrefix(s, "/") && !axisName.MatchString(s) {
				r.Before = ".//" + strings.TrimLeft(strings.Join(steps[:i+1], ""), "/")
			}
			if strings.HasPrefix(s, "..") || axisName.MatchString(s) {
				r.Before = strings.TrimLeft(strings.Join(steps[:i+1], ""), "/")
			}
			steps = steps[i+1:]
			break
		}
	}
	if len(steps) == 0 {
		return nil
	}
	alternatives := []Reading{r}
	for _, st := range steps {
		var next []Reading
		ways := readStep(st)
		for _, a := range alternatives {
			for _, w := range ways {
				b := a
				b.Dropped += w.dropped
				b.Expr = &xpath.Expr{}
				if a.Expr != nil {
					b.Expr.Steps = append(b.Expr.Steps, a.Expr.Steps...)
				}
				b.Expr.Steps = append(b.Expr.Steps, w.step)
				if next = append(next, b); len(next) >= maxReadings {
					break
				}
			}
		}
		alternatives = next
	}
	out := alternatives[:0]
	for _, a := range alternatives {
		if e, err := xpath.Parse(a.Expr.String()); err == nil {
			a.Expr = e
			out = append(out, a)
		}
	}
	return out
}

type readStepWay struct {
	step    xpath.Step
	dropped int
}

// readStep reads one step with its axis in front, each "or" as several ways.
func readStep(s string) []readStepWay {
	head, preds, ok := splitPreds(s)
	e, err := xpath.Parse(head)
	if !ok || err != nil || len(e.Steps) != 1 {
		return nil
	}
	ways := []readStepWay{{step: e.Steps[0]}}
	for _, p := range preds {
		var next []readStepWay
		for _, alternative := range splitTop(p, " or ") {
			for _, w := range ways {
				w.step.Preds = append([]xpath.Pred(nil), w.step.Preds...)
				for _, one := range splitTop(alternative, " and ") {
					w = w.with(strings.TrimSpace(one))
				}
				if next = append(next, w); len(next) >= maxReadings {
					break
				}
			}
		}
		ways = next
	}
	return ways
}

// with adds one condition, or leaves it out.
func (w readStepWay) with(cond string) readStepWay {
	if tag, ok := strings.CutPrefix(cond, "self::"); ok && w.step.Test.Kind == xpath.AnyTag {
		if e, err := xpath.Parse(tag); err == nil && len(e.Steps) == 1 && len(e.Steps[0].Preds) == 0 {
			w.step.Test = e.Steps[0].Test
			return w
		}
	}
	e, err := xpath.Parse("x[" + cond + "]")
	if err != nil || len(e.Steps) != 1 || len(e.Steps[0].Preds) != 1 {
		w.dropped++
		return w
	}
	w.step.Preds = append(w.step.Preds, e.Steps[0].Preds[0])
	return w
}

// splitTop cuts a source at each separator outside brackets and strings.
func splitTop(s, sep string) []string {
	var parts []string
	start := 0
	scan(s, func(i, depth int) {
		if depth == 0 && i >= start && strings.HasPrefix(s[i:], sep) {
			parts = append(parts, s[start:i])
			start = i + len(sep)
		}
	})
	return append(parts, s[start:])
}

// splitPath cuts a path before each step; the slashes stay with the step.
func splitPath(s string) []string {
	var steps []string
	start := 0
	scan(s, func(i, depth int) {
		if depth == 0 && s[i] == '/' && i > start && s[i-1] != '/' {
			steps = append(steps, s[start:i])
			start = i
		}
	})
	return append(steps, s[start:])
}

// splitPreds cuts a step into its test and the insides of its predicates; ok is
// false where a bracket is not closed, or something follows.
func splitPreds(s string) (head string, preds []string, ok bool) {
	open := strings.IndexByte(s, '[')
	if open < 0 {
		return s, nil, true
	}
	head = s[:open]
	for open < len(s) && s[open] == '[' {
		end := closing(s, open)
		if end < 0 {
			return head, preds, false
		}
		preds = append(preds, s[open+1:end])
		open = end + 1
	}
	return head, preds, strings.TrimSpace(s[open:]) == ""
}

// closing finds the bracket that closes the one at an offset, or -1.
func closing(s string, open int) int {
	end := -1
	scan(s[open:], func(i, depth int) {
		if c := s[open+i]; end < 0 && depth == 1 && (c == ')' || c == ']') {
			end = open + i
		}
	})
	return end
}

// scan visits each byte outside strings with how many brackets are open before it.
func scan(s string, visit func(i, depth int)) {
	depth := 0
	var quote byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		if quote != 0 {
			if c == quote {
				quote = 0
			}
			continue
		}
		visit(i, depth)
		switch c {
		case '\'', '"':
			quote = c
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		}
	}
}
