package records

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/engine/read/page"
)

// feature is one kind of evidence, mostly from 0 to 1; weights.tsv has its weight.
type feature[T any] struct {
	name, doc string
	value     func(T) float64
}

// described fills the features of one answer, and a last one for the answer "none".
func described[T any](features []feature[T], of T) []float64 {
	out := make([]float64, len(features)+1)
	for i, f := range features {
		out[i] = f.value(of)
	}
	return out
}

// namesOf are the names of features and of the answer "none".
func namesOf[T any](features []feature[T]) []string {
	out := make([]string, 0, len(features)+1)
	for _, f := range features {
		out = append(out, f.name)
	}
	return append(out, "none")
}

// Kind is what a question is about; weights.tsv has a model for each.
type Kind string

// The kinds.
const (
	KindDate    Kind = "date"
	KindAuthor  Kind = "author"
	KindContent Kind = "content"
	KindGroup   Kind = "group" // which group holds the posts
	KindPage    Kind = "page"  // whether it does
)

// Doc explains a feature in weights.tsv.
func Doc(kind, name string) string {
	switch Kind(kind) {
	case KindDate, KindAuthor, KindContent:
		for _, f := range ofPlaces[Kind(kind)] {
			if f.name == name {
				return f.doc
			}
		}
	case KindGroup, KindPage:
		for _, f := range ofGroups {
			if f.name == name {
				return f.doc
			}
		}
	}
	return ""
}

// option is a place that may hold a field of the records of a group.
type option struct {
	*reading
	*place
	sums                         []said // nil until needed, see texts
	letters, links               int
	dates, times, clocks, whole  int // records with a date, one for programs, one with a time of day, nothing beside it
	inOrder, inReverse, compared int
	hints                        [len(hintNames)]float64
	linkage                      *linkage // nil until needed
}

// linkage is how an option is linked, in shares of its records: at all, to addresses of people,
// and of its texts those that always lead to one address.
type linkage struct{ any, profile, steady float64 }

// reading is the state of a group during the search for its fields.
type reading struct {
	p       *page.Page
	g       *group // a sample of the whole one, or all of it
	whole   *group
	names   *names
	options []*option
	date    *option // nil before it is chosen, or for none
	author  *option
	content *option
	letters int // of all records
	apart   int // most letters of an option without date and author
}

func newReading(p *page.Page, g *group, m *names) *reading {
	r := &reading{p: p, g: g, names: m}
	for _, rec := range g.records {
		r.letters += max(0, rec.own)
	}
	for _, at := range m.finder.places(g) {
		r.options = append(r.options, r.option(at))
	}
	return r
}

func (r *reading) option(at *place) *option {
	o := &option{reading: r, place: at}
	last := ""
	for _, n := range at.nodes {
		if n < 0 {
			continue
		}
		o.letters += r.p.Letters(n)
		o.links += r.p.LinkLetters(n)
		if iso, programs := r.p.Date(n); iso != "" {
			o.dates++
			if programs {
				o.times++
			}
			if len(iso) > len("2006-01-02") {
				o.clocks++
			}
			if r.p.Letters(n) < 26 {
				o.whole++
			}
			if last != "" {
				o.compared++
				if iso >= last {
					o.inOrder++
				}
				if iso <= last {
					o.inReverse++
				}
			}
			last = iso
		}
	}
	if n := at.firstOf(); n >= 0 {
		o.hints = r.names.hintsOf(n)
	}
	return o
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return min(1, float64(n)/float64(of))
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (o *option) coverage() float64 { return share(o.filled, len(o.g.records)) }
func (o *option) distinct() float64 { return share(len(o.texts()), o.filled) }
func (o *option) mean() float64     { return float64(o.letters) / float64(max(1, o.filled)) }
func (o *option) node() *page.Node  { return &o.p.Nodes[o.firstOf()] }

// holds is the share of records in which an option holds the node of another one.
func (o *option) holds(other *option) float64 {
	if other == nil {
		return 0
	}
	n, both := 0, 0
	for i, a := range o.nodes {
		if b := other.nodes[i]; a >= 0 && b >= 0 {
			both++
			if o.p.Within(b, a) {
				n++
			}
		}
	}
	return share(n, both)
}

// after is the share of records in which an option is behind another one.
func (o *option) after(other *option) float64 {
	if other == nil {
		return 0.5
	}
	n, both := 0, 0
	for i, a := range o.nodes {
		if b := other.nodes[i]; a >= 0 && b >= 0 {
			both++
			if a > b {
				n++
			}
		}
	}
	return share(n, both)
}

// late is where in its record an option starts, in letters, from 0 to 1.
func (o *option) late() float64 {
	sum, n := 0.0, 0
	for i, at := range o.nodes {
		if rec := &o.g.records[i]; at >= 0 && rec.own > 0 {
			before := 0
			for c := rec.first; c < at; {
				if o.p.Within(at, c) {
					c++
					continue
				}
				before += o.p.Letters(c)
				c = o.p.Nodes[c].End
			}
			sum += share(before, rec.own)
			n++
		}
	}
	return sum / float64(max(1, n))
}

// constantPer is how much the text of an option is one per author and differs between authors,
// as a signature and the day of joining do.
func (o *option) constantPer(author *option) float64 {
	if author == nil || len(author.texts()) == author.filled { // each author once
		return 0
	}
	by := map[uint64]map[uint64]int{}
	for i, n := range o.nodes {
		if a := author.nodes[i]; n >= 0 && a >= 0 {
			key := o.p.Sum(a)
			if by[key] == nil {
				by[key] = map[uint64]int{}
			}
			by[key][o.p.Sum(n)]++
		}
	}
	again, same := 0, 0
	texts := map[uint64]bool{}
	for _, of := range by {
		all := 0
		for sum, n := range of {
			all += n
			texts[sum] = true
		}
		if all > 1 {
			again++
			if len(of) == 1 {
				same++
			}
		}
	}
	if again == 0 || len(texts) < 2 {
		return 0
	}
	return share(same, again)
}

// said is a text, by its sum, and the number of records with it.
type said struct {
	sum uint64
	n   int
}

// texts lists the different texts of an option, by their sums; it counts them once.
func (o *option) texts() []said {
	if o.sums != nil {
		return o.sums
	}
	all := make([]uint64, 0, o.filled)
	for _, n := range o.nodes {
		if n >= 0 {
			all = append(all, o.p.Sum(n))
		}
	}
	slices.Sort(all)
	o.sums = make([]said, 0, len(all))
	for i, sum := range all {
		if i > 0 && sum == all[i-1] {
			o.sums[len(o.sums)-1].n++
		} else {
			o.sums = append(o.sums, said{sum, 1})
		}
	}
	return o.sums
}

// linked computes the linkage of an option, once.
func (o *option) linked() linkage {
	if o.linkage != nil {
		return *o.linkage
	}
	n, named := 0, 0
	leads := map[uint64]string{} // text to its address, "" for several
	for _, at := range o.nodes {
		if at < 0 {
			continue
		}
		href := o.p.LinkOf(at)
		if href == "" {
			continue
		}
		n++
		if o.names.profile(href) {
			named++
		}
		if was, known := leads[o.p.Sum(at)]; known && was != href {
			href = ""
		}
		leads[o.p.Sum(at)] = href
	}
	one := 0
	for _, href := range leads {
		if href != "" {
			one++
		}
	}
	o.linkage = &linkage{share(n, o.filled), share(named, o.filled), share(one, len(leads))}
	return *o.linkage
}

// wordlike is the share of texts that look like a name.
func (o *option) wordlike() float64 {
	n := 0
	for _, at := range o.nodes {
		if at >= 0 && o.names.isName(at) {
			n++
		}
	}
	return share(n, o.filled)
}

func hasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }

// digits is the share of texts with a digit.
func (o *option) digits() float64 {
	n := 0
	for _, at := range o.nodes {
		if at >= 0 && len(o.p.Words(at)) < 30 && slices.ContainsFunc(o.p.Words(at), hasDigit) {
			n++
		}
	}
	return share(n, o.filled)
}

func (o *option) is(atoms ...atom.Atom) float64 {
	for _, a := range atoms {
		if o.node().DataAtom == a {
			return 1
		}
	}
	return 0
}

func hint(i int) func(*option) float64 { return func(o *option) float64 { return o.hints[i] } }

var ofAll = []feature[*option]{
	{"coverage", "records that have it", (*option).coverage},
	{"gaps", "it lacks in a tenth of the records or more", func(o *option) float64 { return truth(o.coverage() < 0.9) }},
	{"distinct", "texts that differ from record to record", (*option).distinct},
	{"constant", "the same text in nearly all records", func(o *option) float64 { return truth(o.filled > 2 && o.distinct() < 0.34) }},
	{"text", "a text and no element", func(o *option) float64 { return truth(o.node().Type == html.TextNode) }},
	{"late", "how far down in its record it starts", (*option).late},
	{"hcontent", "named as contents are", hint(0)},
	{"hauthor", "named as authors are", hint(1)},
	{"hdate", "named as dates are", hint(2)},
	{"hboiler", "named as controls and menus are", hint(3)},
	{"htitle", "named as titles are", hint(6)},
	{"hsig", "named as signatures and notes of changes are", hint(7)},
}

var ofPlaces = map[Kind][]feature[*option]{
	KindDate: append([]feature[*option]{
		{"dated", "records in which it is a date", func(o *option) float64 { return share(o.dates, len(o.g.records)) }},
		{"most", "nearly all of them", func(o *option) float64 { return truth(10*o.dates >= 9*len(o.g.records)) }},
		{"clock", "with a time of day", func(o *option) float64 { return share(o.clocks, o.dates) }},
		{"programs", "in an attribute", func(o *option) float64 { return share(o.times, o.dates) }},
		{"alone", "with hardly anything beside it", func(o *option) float64 { return share(o.whole, o.dates) }},
		{"order", "in order of time, or its reverse", func(o *option) float64 {
			return share(max(o.inOrder, o.inReverse), o.compared)
		}},
		{"time", "in an element for times", func(o *option) float64 { return o.is(atom.Time, atom.Abbr) }},
		{"length", "letters around it", func(o *option) float64 { return min(1, o.mean()/100) }},
	}, ofAll...),
	KindAuthor: append([]feature[*option]{
		{"wordlike", "short as a name", (*option).wordlike},
		{"short", "less than 30 letters", func(o *option) float64 { return truth(o.mean() < 30) }},
		{"tiny", "one or two letters", func(o *option) float64 { return truth(o.mean() < 2.5) }},
		{"linked", "a link", func(o *option) float64 { return o.linked().any }},
		{"profile", "a link to a profile by its address", func(o *option) float64 { return o.linked().profile }},
		{"steady", "the same text leads to the same address", func(o *option) float64 { return o.linked().steady }},
		{"again", "texts that come again, and differ", func(o *option) float64 {
			return truth(o.distinct() < 1 && len(o.texts()) > 1)
		}},
		{"digits", "with a digit", (*option).digits},
		{"isdate", "a date", func(o *option) float64 { return share(o.dates, o.filled) }},
		{"holdsdate", "around the date", func(o *option) float64 { return o.holds(o.date) }},
		{"heading", "a heading", func(o *option) float64 { return o.is(atom.H1, atom.H2, atom.H3, atom.H4, atom.H5) }},
		{"strong", "printed in bold", func(o *option) float64 { return o.is(atom.B, atom.Strong) }},
		{"prop", "stated as author or name", func(o *option) float64 {
			v := page.Attr(o.node().Node, "itemprop")
			return truth(v == "author" || v == "name" || v == "creator")
		}},
		{"inauthor", "in an element named as authors are", func(o *option) float64 {
			n := o.node()
			if n.Parent < 0 {
				return 0
			}
			return o.names.hintsOf(n.Parent)[1]
		}},
	}, ofAll...),
	KindContent: append([]feature[*option]{
		{"bulk", "share of the text of the records", func(o *option) float64 { return share(o.letters, o.reading.letters) }},
		{"apart", "share of the longest text without date and author", func(o *option) float64 {
			return share(o.letters, o.reading.apart)
		}},
		{"most", "nearly all of that", func(o *option) float64 { return truth(10*o.letters >= 9*o.reading.apart) }},
		{"holdsdate", "around the date", func(o *option) float64 { return o.holds(o.date) }},
		{"holdsname", "around the author", func(o *option) float64 { return o.holds(o.author) }},
		{"isname", "the author, or in it", func(o *option) float64 {
			if o.author == nil {
				return 0
			}
			return o.author.holds(o)
		}},
		{"behind", "behind the author", func(o *option) float64 { return o.after(o.author) }},
		{"behinddate", "behind the date", func(o *option) float64 { return o.after(o.date) }},
		{"links", "in links", func(o *option) float64 { return share(o.links, o.letters) }},
		{"linky", "mostly links", func(o *option) float64 { return truth(2*o.links > o.letters) }},
		{"steady", "one text for each author", func(o *option) float64 { return o.constantPer(o.author) }},
		{"p", "a paragraph, or inside one", func(o *option) float64 {
			return o.is(atom.P, atom.Span, atom.A, atom.B, atom.Strong, atom.Font)
		}},
		{"heading", "a heading", func(o *option) float64 { return o.is(atom.H1, atom.H2, atom.H3, atom.H4, atom.H5) }},
		{"quote", "a quotation", func(o *option) float64 { return o.is(atom.Blockquote) }},
		{"unmarked", "without a class", func(o *option) float64 { return truth(len(o.node().Classes) == 0) }},
		{"mean", "how long it is, by its logarithm", func(o *option) float64 { return logarithm(o.mean()) / 8 }},
		{"prop", "stated as text", func(o *option) float64 {
			v := page.Attr(o.node().Node, "itemprop")
			return truth(v == "text" || v == "articleBody" || v == "description" || v == "commentText")
		}},
		{"inner", "how deep in its record it is", func(o *option) float64 {
			return min(1, float64(o.node().Depth-o.p.Nodes[o.g.records[0].first].Depth)/8)
		}},
		{"wrapped", "as much text as a place inside it", func(o *option) float64 { return truth(o.inside(0.97)) }},
		{"stray", "text beside the longest part of it", func(o *option) float64 { return truth(!o.inside(0.8)) }},
	}, ofAll...),
}

// inside reports whether another option inside this one has nearly as many letters.
func (o *option) inside(least float64) bool {
	for _, other := range o.options {
		if other != o && other.firstOf() > o.firstOf() && other.letters <= o.letters &&
			float64(other.letters) >= least*float64(o.letters) && other.filled >= o.filled && o.holds(other) > 0.9 {
			return true
		}
	}
	return false
}

// anonymous is how many times as likely as the best option it must be that records have no author:
// nearly all posts have one. It is arbitrary.
const anonymous = 3

// decide takes the likeliest of some options; nil for none.
func (r *reading) decide(kind Kind, m rank.Model, options []*option, watch func(Kind, rank.Question, []*option)) (*option, float64) {
	if len(options) == 0 {
		return nil, 0
	}
	q := question(kind, options)
	if watch != nil {
		watch(kind, q, options)
	}
	v := m.Decide(q)
	if none := v.None; v.Best < 0 || kind == KindAuthor && none > anonymous*v.P[v.Best] || kind != KindAuthor && none > v.P[v.Best] {
		return nil, 0
	}
	return options[v.Best], v.P[v.Best]
}

// question describes options, and that none of them is right.
func question(kind Kind, options []*option) rank.Question {
	return ask(ofPlaces[kind], placeNames[kind], options)
}

// placeNames are the names of the features of each field.
var placeNames = map[Kind][]string{
	KindDate: namesOf(ofPlaces[KindDate]), KindAuthor: namesOf(ofPlaces[KindAuthor]), KindContent: namesOf(ofPlaces[KindContent]),
}

func ask[T any](features []feature[T], names []string, of []T) rank.Question {
	q := rank.Question{Names: names, None: make([]float64, len(names)), Answers: make([][]float64, len(of))}
	q.None[len(features)] = 1
	for i, one := range of {
		q.Answers[i] = described(features, one)
	}
	return q
}
