package draft

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/engine/extract"
)

// Shares of records or pages for which an expression must give a value.
const (
	nearlyAll = 0.9
	mostOf    = 0.8
)

// fields are the expressions of a post.
type fields struct {
	at                        selector
	creator, created, content selector
	dated                     dated  // what of created is the date
	id                        string // template behind the address
	records                   int    // how much they say, in bytes
	rank                      int    // of the class of at among those of the element
}

const longestDate = 40 // bytes of a text that is a date, perhaps told by the time since: 3 years, 7 months ago

// record is what may be one post.
type record struct {
	node  *html.Node
	dates map[*html.Node]date // elements inside that are a date and nothing else
}

// date is the date that an element tells.
type date struct {
	at  string
	how dated
}

// dated is what of an element is a date: its text, or an attribute, behind some words. loose is one that may be told by the time since: a
// page alone does not tell it, without the time at which it was captured.
type dated struct {
	attr, after string
	own         own
	order       string // of its numbers, as the texts of the pages prove it
	loose       bool
}

// of is an expression of the date, of the path of its element.
func (d dated) of(path string) string {
	path = d.own.of(path)
	if d.attr != "" {
		path += "/@" + d.attr
	}
	if d.after != "" {
		path = "substring-after(" + path + ", '" + d.after + "')"
	}
	return path
}

// numeric are the texts of pages that may have a date of numbers.
func numeric(group []*Page) (texts []string) {
	for _, p := range group {
		for n := range p.Doc.Descendants() {
			if n.Type == html.TextNode && strings.ContainsAny(n.Data, "-/.") && strings.ContainsAny(n.Data, "0123456789") {
				texts = append(texts, n.Data)
			}
		}
	}
	return texts
}

// datesOn reads the elements of a page that are a date. texts may prove the order of numbers.
func datesOn(p *Page, texts []string) map[*html.Node]date {
	body := bodyOf(p.Doc)
	if body == nil {
		return nil
	}
	r := dates.NewReader(extract.Language(p.Doc), p.Captured, slices.Values(texts))
	found := map[*html.Node]date{}
	for n := range body.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom != atom.Script && n.DataAtom != atom.Style {
			if d := dateOn(r, n); d.at != "" {
				found[n] = d
			}
		}
	}
	return found
}

// dateOn reads the date that an element tells: the datetime of a time, a title, which is whole where the text is in brief, the text, or one
// of its own beside the elements in it.
func dateOn(r *dates.Reader, n *html.Node) date {
	if n.DataAtom == atom.Time {
		if at := r.Read(attr(n, "datetime"), dates.Usual{}); at != "" {
			return date{at, dated{attr: "datetime"}}
		}
	}
	if title := attr(n, "title"); dates.Like(title) {
		if at := r.Read(title, dates.Usual{}); at != "" {
			return date{at, dated{attr: "title", order: r.Order(title)}}
		}
		digit := strings.IndexAny(title, "0123456789")
		if at := r.Read(title[digit:], dates.Usual{}); at != "" && !strings.Contains(title[:digit], "'") {
			return date{at, dated{attr: "title", after: title[:digit], order: r.Order(title)}}
		}
	}
	for _, o := range []own{whole, lastText, firstText} {
		text := o.text(n)
		if o == whole {
			text = shortText(n, longestDate)
		}
		if len(text) > longestDate || !strings.ContainsAny(text, "0123456789") {
			continue
		}
		if at := r.Read(text, dates.Usual{}); at != "" {
			return date{at, dated{own: o, order: r.Order(text), loose: !dates.Like(text)}}
		}
	}
	return date{}
}

// shortText is the text of an element if it is no longer than that.
func shortText(n *html.Node, most int) string {
	size := 0
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			if size += len(strings.TrimSpace(c.Data)); size > most {
				return ""
			}
		}
	}
	return textOf(n)
}

// recordsOf finds the posts of a group of pages; ok is false where there are fewer than least of them, or none repeats on a page.
func recordsOf(group []*Page, least int) (best fields, ok bool) {
	all, repeated := candidates(group)
	for s, records := range all {
		if !repeated[s] || len(records) < least || 10*len(records) < 9*count(group, s) {
			continue
		}
		f, weight := fieldsOf(s, records)
		if weight == 0 {
			continue
		}
		f.records, f.rank = weight, rankOf(s, records)
		if !ok || cmp.Or(cmp.Compare(weight, best.records), cmp.Compare(best.rank, f.rank), cmp.Compare(best.at.class, s.class),
			cmp.Compare(best.at.name, s.name)) > 0 {
			best, ok = f, true
		}
	}
	return best, ok
}

// rankOf is the less the surer a mark is of what an element is: classes before the rest, and of these the first, since the others mostly
// say how it is.
func rankOf(s selector, records []record) int {
	rank := slices.Index(marks(records[0].node), s)
	if s.class == "" {
		rank += 100
	}
	return rank
}

// candidates are the elements of pages that have a date in them, by what tells them; repeated are those that one page has several of.
func candidates(group []*Page) (all map[selector][]record, repeated map[selector]bool) {
	all, repeated = map[selector][]record{}, map[selector]bool{}
	texts := numeric(group)
	for _, p := range group {
		here := map[selector]map[*html.Node]*record{}
		for n, at := range datesOn(p, texts) {
			for around := n.Parent; around != nil && around.DataAtom != atom.Body; around = around.Parent {
				for _, s := range marks(around) {
					if here[s] == nil {
						here[s] = map[*html.Node]*record{}
					}
					if here[s][around] == nil {
						here[s][around] = &record{around, map[*html.Node]date{}}
					}
					here[s][around].dates[n] = at
				}
			}
		}
		for s, records := range here {
			repeated[s] = repeated[s] || len(records) > 1
			for _, r := range records {
				all[s] = append(all[s], *r)
			}
		}
	}
	return all, repeated
}

// singlesOf finds the posts of pages that have one each: what stands once on each of them, the innermost of those that say most. Where the
// title of the page stands in it, it is an article.
func singlesOf(group []*Page) (best fields, ok bool) {
	all, repeated := candidates(group)
	var found []fields
	deep, most := map[selector]int{}, 0
	for s, records := range all {
		if repeated[s] || len(records) < len(group) || count(group, s) > len(group) || !titledOutside(group, records) {
			continue
		}
		f, weight := fieldsOf(s, records)
		if weight == 0 {
			continue
		}
		f.records, f.rank = weight, rankOf(s, records)
		for _, r := range records {
			deep[s] += depth(r.node)
		}
		found, most = append(found, f), max(most, weight)
	}
	found = slices.DeleteFunc(found, func(f fields) bool { return float64(f.records) < nearlyAll*float64(most) })
	if len(found) == 0 {
		return best, false
	}
	return slices.MinFunc(found, func(a, b fields) int {
		return cmp.Or(cmp.Compare(deep[b.at], deep[a.at]), cmp.Compare(a.rank, b.rank), cmp.Compare(a.at.class, b.at.class),
			cmp.Compare(a.at.name, b.at.name))
	}), true
}

// titledOutside reports whether most pages say outside of their records what is in their title, and in that of no other page.
func titledOutside(group []*Page, records []record) bool {
	titles := make([]string, len(group))
	for i, p := range group {
		titles[i] = titleText(p)
	}
	says := 0
	for i, p := range group {
		for n := range bodyOf(p.Doc).Descendants() {
			if n.Type != html.ElementNode || slices.ContainsFunc(records, func(r record) bool { return within(n, r.node) }) {
				continue
			}
			text := shortText(n, len(titles[i]))
			if text != "" && strings.Contains(titles[i], text) && !slices.ContainsFunc(titles, func(other string) bool {
				return other != titles[i] && strings.Contains(other, text)
			}) {
				says++
				break
			}
		}
	}
	return float64(says) >= mostOf*float64(len(group))
}

// count counts the elements that a selector tells.
func count(group []*Page, s selector) (n int) {
	for _, p := range group {
		for e := range p.Doc.Descendants() {
			if s.isLike(e) {
				n++
			}
		}
	}
	return n
}

// fieldsOf finds the fields of records. weight is how much they say: the length of their contents.
func fieldsOf(at selector, records []record) (f fields, weight int) {
	f.at = at
	var has bool
	if f.created, has = dateOf(records); !has {
		return f, 0
	}
	f.dated = records[0].dates[f.created.first(records[0].node)].how
	if f.creator, has = creatorOf(records, f.created); !has {
		return f, 0
	}
	if f.content, weight = contentOf(records, f.created, f.creator); weight == 0 {
		return f, 0
	}
	if f.id = idOf(records); f.id == "" {
		return f, 0
	}
	return f, weight
}

// tally counts for how many records a selector's first element has a value, and which.
type tally struct {
	records int
	values  map[string]int
}

// size is the length of all values.
func (t *tally) size() (sum int) {
	for v, n := range t.values {
		sum += n * len(v)
	}
	return sum
}

// tallies tries the selectors of all elements of the records that have a value.
func tallies(records []record, value func(r *record, n *html.Node) string) map[selector]*tally {
	return talliesOf(whole, records, value)
}

// talliesOf is tallies of the texts that elements have of their own, or of all that they say.
func talliesOf(o own, records []record, value func(r *record, n *html.Node) string) map[selector]*tally {
	out := map[selector]*tally{}
	for i := range records {
		r := &records[i]
		seen := map[selector]bool{}
		for n := range r.node.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			for _, s := range selectors(n, r.node) {
				if seen[s] {
					continue // not the first
				}
				seen[s] = true
				if v := value(r, n); v != "" {
					as := s
					as.own = o
					if out[as] == nil {
						out[as] = &tally{values: map[string]int{}}
					}
					out[as].records++
					out[as].values[v]++
				}
			}
		}
	}
	return out
}

// best is the selector with the greatest rank, of those that are simplest and first by name.
func best[T any](of map[selector]T, rank func(selector, T) float64) (s selector, ok bool) {
	most := 0.0
	keys := slices.SortedFunc(maps.Keys(of), func(a, b selector) int {
		return cmp.Or(cmp.Compare(len(a.inside), len(b.inside)), strings.Compare(a.attr, b.attr), strings.Compare(a.id, b.id),
			strings.Compare(a.class, b.class), strings.Compare(a.name, b.name))
	})
	for _, k := range keys {
		if r := rank(k, of[k]); r > most {
			s, most, ok = k, r, true
		}
	}
	return s, ok
}

// dateOf finds the date of the records: what differs most from one to the next.
func dateOf(records []record) (selector, bool) {
	of := tallies(records, func(r *record, n *html.Node) string { return r.dates[n].at })
	return best(of, func(_ selector, t *tally) float64 {
		if float64(t.records) < nearlyAll*float64(len(records)) {
			return 0
		}
		return float64(len(t.values))
	})
}

const longestName = 60 // bytes

// creatorOf finds the author of the records: a name that leads to one address whenever it comes again, else one that comes again.
func creatorOf(records []record, created selector) (selector, bool) {
	leads := map[string]map[string]bool{} // by name
	says := map[selector]int{}            // records in which the template says so
	of := tallies(records, func(r *record, n *html.Node) string {
		text := shortText(n, longestName)
		letters := strings.ContainsFunc(text, unicode.IsLetter)
		if !letters || utf8.RuneCountInString(text) > 40 || r.dates[n].at != "" || created.first(n) != nil {
			return ""
		}
		href := ""
		if n.DataAtom == atom.A {
			href = attr(n, "href")
		}
		if strings.HasPrefix(href, "#") {
			return "" // a place on the page is nobody's
		}
		if href != "" {
			if leads[text] == nil {
				leads[text] = map[string]bool{}
			}
			leads[text][href] = true
		}
		if saysAuthor(n) {
			for _, s := range selectors(n, r.node) {
				if s.first(r.node) == n {
					says[s]++
				}
			}
		}
		return text
	})
	// Where no element has the name alone, it may stand beside the element that has the date.
	maps.Copy(of, talliesOf(firstText, records, func(r *record, n *html.Node) string {
		text := firstText.text(n)
		d := r.dates[n]
		ofDate := d.at != "" && d.how.attr == "" && d.how.own != lastText
		if !strings.ContainsFunc(text, unicode.IsLetter) || len(text) > longestName || ofDate {
			return ""
		}
		return text
	}))
	return best(of, func(s selector, t *tally) float64 {
		said := float64(says[s]) >= nearlyAll*float64(len(records))
		if float64(t.records) < nearlyAll*float64(len(records)) || len(t.values) < 2 && !said {
			return 0
		}
		linked, again := 0, 0
		for v, n := range t.values {
			if len(leads[v]) == 1 {
				linked += n
			}
			if n > 1 {
				again += n
			}
		}
		rank := float64(again) / float64(t.records)
		if said {
			rank++
		}
		if s.name == "a" {
			rank += 2 * float64(linked) / float64(t.records)
		}
		if len(t.values) == 1 {
			rank = min(rank, 1) // one may have written all, or it is a label
		}
		// Names are many, unlike ranks and labels; and a name alone is better than one with words around it.
		return rank + float64(len(t.values))/float64(t.records+len(t.values)) - float64(t.size())/float64(1000*t.records)
	})
}

// contentOf finds the text of the records: the element with most of it beside date and author, the innermost of those.
func contentOf(records []record, created, creator selector) (selector, int) {
	whole := 0
	for _, r := range records {
		whole += len(textOf(r.node))
	}
	sizes, depths, seen := map[selector]int{}, map[selector]int{}, map[selector]int{}
	for _, r := range records {
		first := map[selector]bool{}
		date, who := created.first(r.node), creator.first(r.node)
		for n := range r.node.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			apart := !within(date, n) && !within(who, n)
			for _, s := range selectors(n, r.node) {
				if first[s] {
					continue
				}
				if first[s] = true; apart {
					sizes[s] += len(textOf(n))
					depths[s] += depth(n)
					seen[s]++
				}
			}
		}
	}
	most := 0
	for s, size := range sizes {
		if float64(seen[s]) >= mostOf*float64(len(records)) {
			most = max(most, size)
		}
	}
	if 5*most < whole {
		return selector{}, 0 // it is not what the records are for
	}
	s, _ := best(sizes, func(s selector, size int) float64 {
		if float64(seen[s]) < mostOf*float64(len(records)) || float64(size) < nearlyAll*float64(most) {
			return 0
		}
		if s.name == "p" {
			return 1 // where no element holds the paragraphs of a text
		}
		deep := float64(depths[s]) / float64(seen[s])
		if s.unmarked() {
			deep -= 1.5 // an element that the template names is surer than the one right in it
		}
		return deep
	})
	return s, sizes[s]
}

func depth(n *html.Node) (d int) {
	for ; n != nil; n = n.Parent {
		d++
	}
	return d
}

// idOf finds what tells one record from the others of its page: its own attribute, or that of an element inside it. What is said again
// on other pages, as lists of texts do, are no records.
func idOf(records []record) string {
	tells := func(id func(top *html.Node) string) bool {
		texts, perPage := map[string]bool{}, map[string]bool{}
		for _, r := range records {
			v, page := id(r.node), r.node
			if v == "" {
				return false
			}
			for page.Parent != nil {
				page = page.Parent
			}
			perPage[fmt.Sprintf("%p %s", page, v)] = true
			texts[v+" "+textOf(r.node)] = true
		}
		return len(perPage) == len(records) && float64(len(texts)) >= mostOf*float64(len(records))
	}
	if tells(func(top *html.Node) string { return attr(top, "id") }) {
		return "{@id}"
	}
	for _, name := range []string{"id", "name"} {
		for n := range records[0].node.Descendants() {
			if !strings.ContainsAny(attr(n, name), "0123456789") {
				continue
			}
			for _, s := range selectors(n, records[0].node) {
				if tells(func(top *html.Node) string {
					if first := s.first(top); first != nil {
						return attr(first, name)
					}
					return ""
				}) {
					return "{" + s.firstPath() + "/@" + name + "}"
				}
			}
		}
	}
	return ""
}
