package adapt

import (
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Moved is the fault that algorithm 1 finds: what an earlier crawl extracted is still on the page, but not where the actions look.
const Moved FaultKind = "moved"

// past is what an earlier crawl extracted from a page, looked up in the page as it is now: detectAndMarkStructuralChanges and
// alignCrawlingActions of algorithm 1 in section 6.1 of Faheem & Senellart (2013). Where it is known, it decides: of all expressions
// that could take the place of a failed one the right one gives the values that were there before, and of what is gone nothing is
// relearned.
type past struct {
	x       *index
	objects map[string][]pastObject // by class
	flat    string                  // the page's text without white space and case
	starts  []int                   // where in flat each piece of text begins
	owners  []int                   // the elements that the pieces stand in
}

// pastObject is one object of the earlier crawl.
type pastObject struct {
	values map[string]string // by field, as they were
	at     int               // the element in which its content, or its longest value, begins; -1: it is gone
}

const (
	shortestFound = 12  // bytes of a value that says where on the page its object is
	enoughFound   = 120 // bytes of a value that are looked up: a long text may have been edited further down
)

// remember looks up the objects that an earlier crawl extracted from a page.
func remember(x *index, earlier []extract.Object) *past {
	p := &past{x: x, objects: map[string][]pastObject{}}
	if len(earlier) == 0 || len(x.nodes) == 0 {
		return p
	}
	p.flatten()
	next := map[string]int{} // by class: objects keep their order, mostly
	for _, o := range earlier {
		one := pastObject{values: map[string]string{}, at: -1}
		longest := ""
		for _, f := range o.Fields {
			if strings.HasSuffix(f.Name, "_html") {
				continue
			}
			one.values[f.Name] = strings.Join(f.Values, "\n")
			if v := squeezed(one.values[f.Name]); f.As != kb.Date && f.As != kb.URL && len(v) > len(longest) {
				longest = v
			}
		}
		if text := cmp.Or(squeezed(one.values["content"]), longest); len(text) >= shortestFound {
			if at := p.find(text, next[o.Class]); at >= 0 {
				next[o.Class] = at + 1
				one.at = p.owners[sort.SearchInts(p.starts, at+1)-1]
			}
		}
		p.objects[o.Class] = append(p.objects[o.Class], one)
	}
	return p
}

// flatten writes the text that a reader sees and notes in which elements it stands.
func (p *past) flatten() {
	var b strings.Builder
	var walk func(in int)
	walk = func(in int) {
		for c := range p.x.nodes[in].ChildNodes() {
			if c.Type == html.TextNode {
				p.starts, p.owners = append(p.starts, b.Len()), append(p.owners, in)
				b.WriteString(squeezed(c.Data))
			} else if n, ok := p.x.number[c]; ok && !unread(c) {
				walk(n)
			}
		}
	}
	walk(0)
	p.flat = b.String()
}

// find looks a value up behind a place, or else anywhere.
func (p *past) find(value string, after int) int {
	value = value[:min(len(value), enoughFound)]
	if i := strings.Index(p.flat[min(after, len(p.flat)):], value); i >= 0 {
		return after + i
	}
	return strings.Index(p.flat, value)
}

func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// gone tells that the earlier crawl found objects of a class on the page and that none of them is there: they were deleted.
func (p *past) gone(class string) bool {
	was := p.objects[class]
	return len(was) > 0 && !slices.ContainsFunc(was, func(o pastObject) bool { return o.at >= 0 })
}

// hold says how well elements hold the objects of a class: 1 where each object that is still there lies in one of them and none holds
// two, less where some lie outside. ok is false where nothing is known of the class.
func (p *past) hold(class string, nodes []int) (share float64, ok bool) {
	held, there := map[int]bool{}, 0
	for _, o := range p.objects[class] {
		if o.at < 0 {
			continue
		}
		there++
		for _, n := range nodes {
			if !p.x.inside(o.at, n) {
				continue
			}
			if held[n] {
				return 0, true
			}
			held[n] = true
		}
	}
	return float64(len(held)) / float64(max(1, there)), there > 0
}

// object gives the object of a class that was at an element. The page itself (-1) holds one object of a
// class.
func (p *past) object(class string, record int) (of pastObject, ok bool) {
	for _, o := range p.objects[class] {
		if record < 0 || o.at >= 0 && p.x.inside(o.at, record) {
			return o, true
		}
	}
	return of, false
}

// was gives what a field had in the object that was at an element; "" where that is not known.
func (p *past) was(class string, f *kb.Field, record int) string {
	o, _ := p.object(class, record)
	return o.values[f.Name]
}

// added gives the share of records that have a value for a field which the earlier crawl found none
// for in the same object.
func (p *past) added(class string, f *kb.Field, records []int, values []string) float64 {
	n := 0
	for i, rec := range records {
		if o, known := p.object(class, rec); known && o.values[f.Name] == "" && values[i] != "" {
			n++
		}
	}
	return float64(n) / float64(max(1, len(records)))
}

// longestLabel is how much text may stand around a value that is cut out of it, in bytes.
const longestLabel = 30

// cut gives what cuts the values that a field had out of longer texts, such as "By Ada": the same before and after each; nil where
// nothing does.
func (p *past) cut(class string, f *kb.Field, records []int, texts []string) *kb.Regexp {
	found, before, after := false, "", ""
	for i, rec := range records {
		was := p.was(class, f, rec)
		if was == "" || texts[i] == "" {
			continue
		}
		b, a, ok := strings.Cut(texts[i], was)
		if !ok || len(a)+len(b) == 0 || len(a)+len(b) > longestLabel || found && (a != after || b != before) {
			return nil
		}
		found, before, after = true, b, a
	}
	if !found || strings.ContainsFunc(before+after, unicode.IsDigit) {
		return nil
	}
	return &kb.Regexp{Regexp: regexp.MustCompile("^" + regexp.QuoteMeta(before) + "(.+)" + regexp.QuoteMeta(after) + "$")}
}

// agreement says in which share of the records that it is known for a field has the value that it had; ok is false where it is known
// for none. Times agree as finely as the coarser of the two tells them, at most to the minute.
func (p *past) agreement(class string, f *kb.Field, records []int, values []string) (share float64, ok bool) {
	const minutes = len("2006-01-02t15:04")
	known, same := 0, 0.0
	for i, rec := range records {
		was, is := squeezed(p.was(class, f, rec)), squeezed(values[i])
		if was == "" {
			continue
		}
		known++
		fine := min(len(was), minutes)
		switch {
		case was == is, f.As == kb.Date && len(is) >= fine && is[:fine] == was[:fine]:
			same++
		case f.As == kb.Date && is != "" && strings.HasPrefix(was, is):
			same += 0.6 // the day alone, where the time was there too
		}
	}
	return same / float64(max(1, known)), known > 0
}

// Changed lists the actions of a page's level that no longer find what an earlier crawl of the same URL did although it is still there:
// hasChanged of algorithm 1. What was deleted, or edited, is no change of the template.
func Changed(p extract.Page, h extract.Harvest, earlier []extract.Object) []Fault {
	if h.Level == nil || len(earlier) == 0 {
		return nil
	}
	was := remember(newIndex(p.Doc), earlier)
	var faults []Fault
	for _, s := range h.Level.Spots() {
		if len(s.Objects) == 0 || s.Total != nil || s.Without != nil || s.Field != nil && s.Field.As == kb.Date {
			continue // dates are shown in many ways
		}
		class := s.Objects[len(s.Objects)-1].Class
		there, missing := 0, 0
		for _, o := range was.objects[class] {
			if o.at < 0 || s.Field != nil && !was.shows(o.values[s.Field.Name]) {
				continue
			}
			if there++; !extracted(h, class, s.Field, o.values) {
				missing++
			}
		}
		if 2*missing > there {
			faults = append(faults, Fault{Kind: Moved, Place: s.Place, Bad: missing, Of: there, Detail: "it is still on the page"})
		}
	}
	return faults
}

// shows reports whether a value is still on the page.
func (p *past) shows(value string) bool {
	v := squeezed(value)
	return v != "" && p.find(v, 0) >= 0
}

// extracted reports whether a harvest has an object with the value that a field had, or, without a field, with any value of the object.
func extracted(h extract.Harvest, class string, f *kb.Field, was map[string]string) bool {
	return slices.ContainsFunc(h.Objects, func(o extract.Object) bool {
		return o.Class == class && slices.ContainsFunc(o.Fields, func(g extract.Field) bool {
			v := squeezed(strings.Join(g.Values, "\n"))
			return v != "" && (f == nil || g.Name == f.Name) && v == squeezed(was[g.Name])
		})
	})
}
