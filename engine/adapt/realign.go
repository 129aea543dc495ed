package adapt

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Moved is the fault that algorithm 1 finds: what an earlier crawl extracted is
// still on the page, but not where the actions look.
const Moved FaultKind = "moved"

// past is what an earlier crawl extracted from a page, looked up in the page as it
// is now: detectAndMarkStructuralChanges and alignCrawlingActions of algorithm 1
// in section 6.1 of Faheem & Senellart (2013). Where it is known, it decides: of all
// expressions that could take the place of a failed one the right one gives the
// values that were there before, and of what is gone nothing is relearned.
type past struct {
	objects []pastObject
	flat    string // the page's text without white space and case
	from    []int  // by element: where its text begins in flat
	to      []int
}

// pastObject is one object of the earlier crawl.
type pastObject struct {
	class  string
	values map[string]string // by field, as in flat
	shown  map[string]string // by field, as they were
	at     int               // where its content, or its longest value, begins in flat; -1: it is gone
}

// shortest is how long a value must be to say where on the page its object is, in
// bytes without white space.
const shortest = 12

// remember looks up the objects that an earlier crawl extracted from a page; nil
// where there are none.
func remember(x *index, earlier []extract.Object) *past {
	if len(earlier) == 0 {
		return nil
	}
	p := &past{from: make([]int, len(x.nodes)), to: make([]int, len(x.nodes))}
	p.flatten(x)
	next := map[string]int{} // by class: objects keep their order, mostly
	for _, o := range earlier {
		one := pastObject{class: o.Class, values: map[string]string{}, shown: map[string]string{}, at: -1}
		longest := ""
		for _, f := range o.Fields {
			v := squeezed(strings.Join(f.Values, "\n"))
			if v == "" || strings.HasSuffix(f.Name, "_html") {
				continue
			}
			one.values[f.Name], one.shown[f.Name] = v, strings.Join(f.Values, "\n")
			if f.As != kb.Date && f.As != kb.URL &&
				(f.Name == "content" || longest == "" || len(v) > len(longest) && one.values["content"] != longest) {
				longest = v
			}
		}
		if len(longest) >= shortest {
			one.at = p.find(longest, next[o.Class])
			if one.at >= 0 {
				next[o.Class] = one.at + 1
			}
		}
		p.objects = append(p.objects, one)
	}
	return p
}

// find looks a value up behind a place, or else anywhere. A long text is looked up
// by its beginning: it may have been edited further down.
func (p *past) find(value string, after int) int {
	const enough = 120
	value = clip(value, enough)
	if i := strings.Index(p.flat[min(after, len(p.flat)):], value); i >= 0 {
		return after + i
	}
	return strings.Index(p.flat, value)
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// flatten writes the text that a reader sees and notes where each element's is.
func (p *past) flatten(x *index) {
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		number, known := x.number[n]
		if known {
			p.from[number] = b.Len()
		}
		switch {
		case n.Type == html.TextNode:
			b.WriteString(squeezed(n.Data))
		case !unread(n):
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				walk(c)
			}
		}
		if known {
			p.to[number] = b.Len()
		}
	}
	if len(x.nodes) > 0 {
		root := x.nodes[0]
		for root.Parent != nil {
			root = root.Parent
		}
		walk(root)
	}
	p.flat = b.String()
}

func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// located gives where the objects of a class are that are still on the page.
func (p *past) located(class string) []int {
	var out []int
	for _, o := range p.objects {
		if o.class == class && o.at >= 0 {
			out = append(out, o.at)
		}
	}
	return out
}

// gone tells that the earlier crawl found objects of a class on the page and
// that none of them is there: they were deleted.
func (p *past) gone(class string) bool {
	return p != nil && len(p.located(class)) == 0 && slices.ContainsFunc(p.objects, func(o pastObject) bool { return o.class == class })
}

// hold says how well elements hold the objects of a class: 1 where each object
// that is still there lies in one of them and none holds two, less where some lie
// outside. ok is false where nothing is known of the class.
func (p *past) hold(class string, nodes []int) (share float64, ok bool) {
	if p == nil {
		return 0, false
	}
	at := p.located(class)
	if len(at) == 0 {
		return 0, false
	}
	held := 0
	for _, n := range nodes {
		in := 0
		for _, a := range at {
			if p.from[n] <= a && a < p.to[n] {
				in++
			}
		}
		if in > 1 {
			return 0, true
		}
		held += in
	}
	return float64(held) / float64(len(at)), true
}

// at gives the object that was at an element; nil where that is not known. The
// page itself (-1) holds one object of a class.
func (p *past) at(class string, record int) *pastObject {
	if p == nil {
		return nil
	}
	for i := range p.objects {
		if o := &p.objects[i]; o.class == class && (record < 0 || o.at >= 0 && p.from[record] <= o.at && o.at < p.to[record]) {
			return o
		}
	}
	return nil
}

// label is how much text may stand around a value that is cut out of it, in
// bytes.
const label = 30

// cut gives what cuts the values that a field had out of longer texts, such as
// "By Ada": the same before and after each; nil where nothing does.
func (p *past) cut(class string, f *kb.Field, records []int, texts []string) *kb.Regexp {
	found, before, after := false, "", ""
	for i, rec := range records {
		o := p.at(class, rec)
		if o == nil || o.shown[f.Name] == "" || i >= len(texts) || texts[i] == "" {
			continue
		}
		b, a, ok := strings.Cut(texts[i], o.shown[f.Name])
		if !ok || len(a)+len(b) == 0 || len(a)+len(b) > label || found && (a != after || b != before) {
			return nil
		}
		found, before, after = true, b, a
	}
	if !found || strings.ContainsFunc(before+after, unicode.IsDigit) {
		return nil
	}
	re, err := regexp.Compile("^" + regexp.QuoteMeta(before) + "(.+)" + regexp.QuoteMeta(after) + "$")
	if err != nil {
		return nil
	}
	return &kb.Regexp{Regexp: re}
}

// agreement says in which share of the records that it is known for a field has
// the value that it had; ok is false where it is known for none.
func (p *past) agreement(class string, f *kb.Field, records []int, values []string) (share float64, ok bool) {
	known, same := 0, 0.0
	for i, rec := range records {
		o := p.at(class, rec)
		if o == nil || o.values[f.Name] == "" || i >= len(values) {
			continue
		}
		want := o.values[f.Name]
		known++
		if is := squeezed(values[i]); sameValue(f, want, is) {
			same++
			if f.As == kb.Date && len(is) < min(len(want), minutes) {
				same -= 0.4 // the day alone, where the time was there too
			}
		}
	}
	if known == 0 {
		return 0, false
	}
	return same / float64(known), true
}

// sameValue compares what was and what is, both without white space and case.
// Times agree as finely as the coarser of the two tells them, at most to the
// minute.
func sameValue(f *kb.Field, was, is string) bool {
	if f.As != kb.Date || was == "" || is == "" {
		return was == is
	}
	n := min(len(was), len(is), minutes)
	return was[:n] == is[:n]
}

// minutes is how long a time to the minute is.
const minutes = len("2006-01-02t15:04")

// Changed lists the actions of a page's level that no longer find what an earlier
// crawl of the same URL did although it is still there: hasChanged of algorithm 1.
// What was deleted, or edited, is no change of the template.
func Changed(p extract.Page, h extract.Harvest, earlier []extract.Object) []Fault {
	if h.Level == nil || len(earlier) == 0 {
		return nil
	}
	was := remember(newIndex(p.Doc), earlier)
	var faults []Fault
	for _, s := range h.Level.Spots() {
		if len(s.Objects) == 0 || s.Total != nil || s.Without != nil {
			continue
		}
		class := s.Objects[len(s.Objects)-1].Class
		there, missing := 0, 0
		for _, o := range was.objects {
			if o.class != class || o.at < 0 {
				continue
			}
			value := ""
			if s.Field != nil {
				if value = o.values[s.Field.Name]; value == "" || s.Field.As == kb.Date || !strings.Contains(was.flat, clip(value, 120)) {
					continue // dates are shown in many ways
				}
			}
			there++
			if !extracted(h, class, s.Field, o, value) {
				missing++
			}
		}
		if 2*missing > there {
			faults = append(faults, Fault{Kind: Moved, Place: s.Place, Bad: missing, Of: there, Detail: "it is still on the page"})
		}
	}
	return faults
}

// extracted reports whether a harvest has an object with a value, or, without a
// field, with any value that the object had.
func extracted(h extract.Harvest, class string, f *kb.Field, o pastObject, value string) bool {
	return slices.ContainsFunc(h.Objects, func(got extract.Object) bool {
		return got.Class == class && slices.ContainsFunc(got.Fields, func(g extract.Field) bool {
			v := squeezed(strings.Join(g.Values, "\n"))
			if f != nil {
				return g.Name == f.Name && v == value
			}
			return v != "" && o.values[g.Name] == v
		})
	})
}
