// Package records finds the records of a page (posts, comments, answers) and their fields by the
// page alone: repeated groups of elements and groups around dates are candidates, and learned
// weights decide which of them holds the posts, and where author, date and text stand in it.
//
// Weights are in weights.tsv and forests.txt, made by "awarc eval records --write". No rule here is
// of one application.
package records

import (
	"embed"
	"fmt"
	"math"
	"sync"

	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/engine/read/page"
)

//go:embed weights.tsv forests.txt
var files embed.FS

// learned are the models of weights.tsv, with the forests of forests.txt for groups and pages.
var learned = sync.OnceValue(func() rank.Table {
	t, err := readWeights()
	if err != nil {
		panic("engine/read/records: " + err.Error())
	}
	return t
})

func readWeights() (rank.Table, error) {
	weights, err := files.Open("weights.tsv")
	if err != nil {
		return nil, err
	}
	defer weights.Close()
	t, err := rank.Read(weights)
	if err != nil {
		return nil, fmt.Errorf("weights.tsv: %w", err)
	}
	text, err := files.Open("forests.txt")
	if err != nil {
		return nil, err
	}
	defer text.Close()
	forests, err := rank.ReadForests(text)
	if err == nil && len(forests) != len(Planted) {
		err = fmt.Errorf("%d forests instead of %d", len(forests), len(Planted))
	}
	if err != nil {
		return nil, fmt.Errorf("forests.txt: %w", err)
	}
	for i, kind := range Planted {
		m := t[string(kind)]
		m.Forest = &forests[i]
		t[string(kind)] = m
	}
	return t, nil
}

// Planted are the kinds whose models have forests, in the order of forests.txt.
var Planted = [...]Kind{KindGroup, KindPage}

// Weights are the built-in models, by [Kind].
func Weights() rank.Table { return learned() }

// LeastSure is the confidence from which records are published: at least 99 of 100 were posts, on
// sites that the weights were not learned from.
func LeastSure() float64 { return learned()[string(KindPage)].Sure }

// Record is one post of a page, by nodes of [page.Page]; -1 stands for a field that it lacks.
type Record struct {
	First, End            int // the nodes of the record: First is the first one, End is after the last
	Content, Author, Date int
	// Left are nodes inside Content that are not part of the post: controls, its number, the
	// signature of its author.
	Left []int
}

// Result is the group of a page that holds its posts.
type Result struct {
	Records []Record
	// Sure is the probability that they are posts, from 0 to 1.
	Sure float64
}

// Watcher is called with each question while a page is read: for learning.
type Watcher interface {
	// Field is called with the places that may hold a field of a group: nodes by record.
	Field(kind Kind, q rank.Question, records []Record, nodes [][]int)
	// Group is called with all groups of the page, after their fields were found.
	Group(q rank.Question, groups [][]Record)
	// Page is called with the likeliest of them, and whether it holds posts at all.
	Page(q rank.Question, group []Record)
}

// Read finds the posts of a page. Records is empty for a page that more likely has none. watch may be nil.
func Read(p *page.Page, models rank.Table, watch Watcher) Result {
	var found []*reading
	m := newNames(p)
	work := maxWork * max(len(p.Nodes), leastWork)
	for _, g := range candidates(p) {
		sample := g.sample()
		if work -= sample.size(); work < 0 {
			break // of the largest groups, which come first, enough were read
		}
		if r := readGroup(newReading(p, sample, m), models, watch); r != nil {
			r.whole = g
			found = append(found, r)
		}
	}
	groups := groupQuestion(found)
	if watch != nil {
		all := make([][]Record, len(found))
		for i, r := range found {
			if whole := r.ofAll(models); whole != nil {
				all[i] = whole.records()
			}
		}
		watch.Group(groups, all)
	}
	v := models[string(KindGroup)].Decide(groups)
	if v.Best < 0 {
		return Result{}
	}
	best := found[v.Best].ofAll(models)
	if best == nil {
		return Result{}
	}
	q := groupQuestion([]*reading{best})
	of := best.records()
	if watch != nil {
		watch.Page(q, of)
	}
	exists := models[string(KindPage)].Decide(q)
	if exists.None >= exists.P[0] {
		return Result{}
	}
	if first, ok := best.lead(); ok {
		of = append([]Record{first}, of...)
	}
	return Result{Records: of, Sure: exists.P[0]}
}

// ofAll reads the whole group of a sample.
func (r *reading) ofAll(models rank.Table) *reading {
	if len(r.g.records) == r.g.all {
		return r
	}
	return readGroup(newReading(r.p, r.whole, r.names), models, nil)
}

// leastWork is how many nodes a smaller page counts as.
const leastWork = 1_000

// groupQuestion describes groups, and that none of them holds posts.
func groupQuestion(groups []*reading) rank.Question { return ask(ofGroups, groupNames, groups) }

// readGroup finds the fields of a group; nil for one without contents.
func readGroup(r *reading, models rank.Table, watch Watcher) *reading {
	var field func(Kind, rank.Question, []*option)
	if watch != nil {
		field = func(kind Kind, q rank.Question, options []*option) {
			nodes := make([][]int, len(options))
			for i, o := range options {
				nodes[i] = o.nodes
			}
			watch.Field(kind, q, r.bare(), nodes)
		}
	}
	var dates, names, texts []*option
	for _, o := range r.options {
		if 2*o.dates >= len(r.g.records) {
			dates = append(dates, o)
		}
		if o.mean() < 40 && o.wordlike() > 0.6 {
			names = append(names, o)
		}
	}
	r.date, _ = r.decide(KindDate, models[string(KindDate)], dates, field)
	r.author, _ = r.decide(KindAuthor, models[string(KindAuthor)], names, field)
	for _, o := range r.options {
		if o.holds(r.date) == 0 && o.holds(r.author) == 0 {
			r.apart = max(r.apart, o.letters)
		}
	}
	for _, o := range r.options {
		if 5*o.letters >= r.apart && o != r.author && o != r.date {
			texts = append(texts, o)
		}
	}
	if r.content, _ = r.decide(KindContent, models[string(KindContent)], texts, field); r.content == nil {
		return nil
	}
	return r
}

// bare are the records of a group without fields.
func (r *reading) bare() []Record {
	out := make([]Record, len(r.g.records))
	for i, rec := range r.g.records {
		out[i] = Record{First: rec.first, End: rec.end, Content: -1, Author: -1, Date: -1}
	}
	return out
}

func (r *reading) records() []Record {
	out := r.bare()
	left := r.left()
	for i := range out {
		out[i].Content = r.content.nodes[i]
		if r.author != nil {
			out[i].Author = r.author.nodes[i]
		}
		if r.date != nil {
			out[i].Date = r.date.nodes[i]
		}
		out[i].Left = left[i]
	}
	return out
}

func logarithm(x float64) float64 { return math.Log1p(x) }

// ofGroups describe a group whose fields were found.
var ofGroups = []feature[*reading]{
	{"records", "how many, by their logarithm", func(r *reading) float64 { return logarithm(float64(r.g.all)) / 5 }},
	{"two", "only two", func(r *reading) float64 { return truth(r.g.all == 2) }},
	{"bulk", "share of the page's text in the records", func(r *reading) float64 { return share(r.g.letters, r.p.Letters(0)) }},
	{"contents", "share of the page's text in the contents", func(r *reading) float64 {
		return share(r.content.letters*r.g.all/len(r.g.records), r.p.Letters(0))
	}},
	{"filled", "share of the records' text in the contents", func(r *reading) float64 { return share(r.content.letters, r.letters) }},
	{"mean", "how long contents are, by its logarithm", func(r *reading) float64 { return logarithm(r.content.mean()) / 8 }},
	{"coverage", "records with a content", func(r *reading) float64 { return r.content.coverage() }},
	{"distinct", "contents that differ", func(r *reading) float64 { return r.content.distinct() }},
	{"links", "share of contents in links", func(r *reading) float64 { return share(r.content.links, r.content.letters) }},
	{"linky", "contents are mostly links", func(r *reading) float64 { return truth(2*r.content.links > r.content.letters) }},
	{"dated", "records with a date", func(r *reading) float64 {
		if r.date == nil {
			return 0
		}
		return share(r.date.dates, len(r.g.records))
	}},
	{"clock", "with a time of day", func(r *reading) float64 {
		if r.date == nil {
			return 0
		}
		return share(r.date.clocks, len(r.g.records))
	}},
	{"order", "dates in order, or its reverse", func(r *reading) float64 {
		if r.date == nil {
			return 0
		}
		return share(max(r.date.inOrder, r.date.inReverse), r.date.compared)
	}},
	{"named", "records with an author", func(r *reading) float64 {
		if r.author == nil {
			return 0
		}
		return r.author.coverage()
	}},
	{"profile", "authors that link to a profile", func(r *reading) float64 {
		if r.author == nil {
			return 0
		}
		return r.author.linked().profile
	}},
	{"again", "authors that come again", func(r *reading) float64 {
		return truth(r.author != nil && r.author.distinct() < 1 && len(r.author.texts()) > 1)
	}},
	{"both", "with author and date", func(r *reading) float64 {
		return truth(r.author != nil && r.date != nil && r.author.coverage() > 0.8 && 10*r.date.dates > 8*len(r.g.records))
	}},
	{"merged", "several dates in the place of one, as of several records", func(r *reading) float64 { return r.merged() }},
	{"hrecord", "named as posts are", func(r *reading) float64 { return r.names.hintsOf(r.g.records[0].first)[4] }},
	{"hlist", "named as lists are", func(r *reading) float64 { return r.names.hintsOf(r.g.records[0].first)[5] }},
	{"hboiler", "named as menus are", func(r *reading) float64 { return r.names.hintsOf(r.g.records[0].first)[3] }},
	{"hcontent", "contents named as contents are", func(r *reading) float64 { return r.content.hints[0] }},
	{"number", "with a number of its own in an id or name", func(r *reading) float64 { return r.identified() }},
	{"aside", "in a menu, a footer or beside the text", func(r *reading) float64 { return r.aside() }},
	{"sliced", "several siblings each", func(r *reading) float64 { return truth(r.g.sliced) }},
	{"alike", "first nodes with the same classes", func(r *reading) float64 { return r.alike() }},
	{"outside", "the same place outside of the records", func(r *reading) float64 { return r.outside() }},
	{"missed", "at least one such place", func(r *reading) float64 { return truth(r.outside() > 0) }},
	{"cdate", "contents around the date", func(r *reading) float64 { return r.content.holds(r.date) }},
	{"cname", "contents around the author", func(r *reading) float64 { return r.content.holds(r.author) }},
	{"behind", "contents behind the author", func(r *reading) float64 { return r.content.after(r.author) }},
	{"behinddate", "contents behind the date", func(r *reading) float64 { return r.content.after(r.date) }},
	{"titled", "a link of its own before the content, as in lists", func(r *reading) float64 { return r.titled() }},
	{"ragged", "records that differ much in length", func(r *reading) float64 { return r.ragged() }},
}

var groupNames = namesOf(ofGroups)
