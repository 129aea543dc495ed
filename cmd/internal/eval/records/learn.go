package records

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/awarc/awarc/cmd/internal/eval/fit"
	"github.com/awarc/awarc/cmd/internal/eval/grow"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/engine/read/records"
)

// watcher labels the questions that reading a page asks.
type watcher struct {
	page     *Page
	judge    *judge
	examples []fit.Example
	fields   []fieldQuestion
}

// fieldQuestion is one about a field of a group, which is kept where the group is nearly right.
type fieldQuestion struct {
	fit.Example
	assigned int // records that are posts
	extra    int // and that are not
}

// Field labels the places of a field.
func (w *watcher) Field(kind records.Kind, q rank.Question, of []records.Record, nodes [][]int) {
	if len(w.page.Posts) == 0 {
		return
	}
	at := w.judge.assign(of)
	x := fieldQuestion{Example: w.example(kind, q)}
	for _, post := range at {
		if post >= 0 {
			x.assigned++
		} else {
			x.extra++
		}
	}
	if 2*x.assigned < len(w.page.Posts) {
		return
	}
	scores := make([]float64, len(nodes))
	best := 0.0
	for i := range nodes {
		scores[i] = w.agreement(kind, at, nodes[i])
		best = max(best, scores[i])
	}
	if least := map[records.Kind]float64{records.KindContent: 0.5, records.KindAuthor: 0.5, records.KindDate: 0.5}[kind]; best < least {
		if kind == records.KindContent {
			return // this group cannot be right
		}
		best = 2 // none is
	}
	for _, s := range scores {
		switch {
		case s >= best-0.02:
			x.Labels = append(x.Labels, fit.Right)
		case s >= best-0.1:
			x.Labels = append(x.Labels, fit.Enough)
		default:
			x.Labels = append(x.Labels, fit.Wrong)
		}
	}
	w.fields = append(w.fields, x)
}

func (w *watcher) example(kind records.Kind, q rank.Question) fit.Example {
	return fit.Example{Kind: adapt.Kind(kind), Type: w.page.Type, Site: w.page.Site, File: w.page.File, Place: string(kind), Question: q}
}

// agreement is how well the nodes of an option agree with the posts of their records, from 0 to 1.
func (w *watcher) agreement(kind records.Kind, at, nodes []int) float64 {
	sum, n := 0.0, 0
	for i, post := range at {
		if post < 0 {
			continue
		}
		want := w.judge.want[post]
		switch kind {
		case records.KindContent:
			n++
			sum += f1(w.judge.text(nodes[i], nil), want.bag)
		case records.KindAuthor:
			if want.user == "" {
				continue
			}
			if n++; w.judge.named(nodes[i], want) {
				sum++
			}
		case records.KindDate:
			if want.date == "" {
				continue
			}
			if n++; nodes[i] >= 0 && w.judge.sameDate(nodes[i], want.date) {
				sum++
			}
		}
	}
	return sum / float64(max(1, n))
}

// Group labels the groups of a page, and keeps the questions about fields of groups that are nearly right.
func (w *watcher) Group(q rank.Question, groups [][]records.Record) {
	x := w.example(records.KindGroup, q)
	best := 0.0
	values := make([]float64, len(groups))
	for i, of := range groups {
		s := w.judge.score(of)
		values[i] = float64(s.Found) - float64(s.Extracted-s.Found) + 0.3*float64(s.Users) + 0.3*float64(s.Dates)
		best = max(best, values[i])
	}
	if best < 0.5*float64(len(w.page.Posts)) || best == 0 {
		return // there is no right answer
	}
	for _, v := range values {
		switch {
		case best > 0 && v >= 0.97*best:
			x.Labels = append(x.Labels, fit.Right)
		case best > 0 && v >= 0.95*best:
			x.Labels = append(x.Labels, fit.Enough)
		default:
			x.Labels = append(x.Labels, fit.Wrong)
		}
	}
	w.examples = append(w.examples, x)
}

// mostStrayOnPage is the share of the records of a group of posts that may be none.
const mostStrayOnPage = 0.25

// Page labels the likeliest group of a page: it holds posts or it does not.
func (w *watcher) Page(q rank.Question, group []records.Record) {
	s := w.judge.score(group)
	x := w.example(records.KindPage, q)
	x.Labels = []fit.Label{fit.Wrong}
	switch holds := s.Extracted > 0 && float64(s.Stray) <= mostStrayOnPage*float64(s.Extracted); {
	case holds:
		x.Labels[0] = fit.Right
	case len(w.page.Posts) > 0:
		return // records that no type describes may be beside the posts
	}
	w.examples = append(w.examples, x)
}

// mostFields bounds the questions about one field of a page.
const mostFields = 4

func (w *watcher) all() []fit.Example {
	slices.SortStableFunc(w.fields, func(a, b fieldQuestion) int {
		return cmp.Compare(b.assigned-b.extra, a.assigned-a.extra)
	})
	of := map[adapt.Kind]int{}
	for _, f := range w.fields {
		if of[f.Kind]++; of[f.Kind] <= mostFields {
			w.examples = append(w.examples, f.Example)
		}
	}
	return w.examples
}

// Questions reads pages and labels the questions asked.
func Questions(pages []*Page, models rank.Table) []fit.Example {
	out := make([][]fit.Example, len(pages))
	each(pages, func(i int, p *Page) {
		m := p.Model()
		w := &watcher{page: p, judge: newJudge(m, p.Posts)}
		records.Read(m, models, w)
		out[i] = w.all()
	})
	examples := slices.Concat(out...)
	for _, x := range examples[:len(examples):len(examples)] {
		examples = append(examples, renamed(x))
	}
	return examples
}

// renamed is a question as a page with other classes, ids and properties would ask it.
func renamed(x fit.Example) fit.Example {
	without := func(features []float64) []float64 {
		out := slices.Clone(features)
		for i, n := range x.Names {
			if records.OfNames(n) {
				out[i] = 0
			}
		}
		return out
	}
	answers := make([][]float64, len(x.Answers))
	for i, a := range x.Answers {
		answers[i] = without(a)
	}
	x.Answers = answers
	return x
}

func each(pages []*Page, of func(i int, p *Page)) {
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range pages {
		work.Go(func() error { of(i, p); return nil })
	}
	_ = work.Wait()
}

// rounds of learning: which date and author are taken changes the questions about contents and groups.
const rounds = 2

// growth is arbitrary: a small forest, for some hundred pages.
var growth = grow.Growth{Trees: 60, Leaves: 8, Rate: 0.15, Ridge: 2, Least: 2, Pages: 0.6, Features: 0.5}

// Learn learns the models.
func Learn(pages []*Page, penalty float64) (kinds []*fit.Kind, table rank.Table, err error) {
	table = records.Weights()
	for range rounds {
		kinds, err = fit.Learn(Questions(pages, table), fit.Options{Present: table, Prior: rank.Table{}, Cost: 1, Penalty: penalty})
		if err != nil {
			return nil, nil, err
		}
		for _, k := range kinds {
			if slices.Contains(records.Planted[:], records.Kind(k.Kind)) {
				k.Plant(growth)
			}
		}
		table = fit.Table(rank.Table{}, kinds)
	}
	return kinds, table, nil
}

// Row is the score of a page.
type Row struct {
	*Page
	Score Score
	Sure  float64
}

// Measure reads each page by the models for it, at every confidence.
func Measure(pages []*Page, models func(*Page) rank.Table) []Row {
	rows := make([]Row, len(pages))
	each(pages, func(i int, p *Page) {
		m := p.Model()
		got := records.Read(m, models(p), nil)
		rows[i] = Row{Page: p, Score: newJudge(m, p.Posts).score(got.Records), Sure: got.Sure}
	})
	return rows
}

// mostWrong is the share of pages with published posts that may have none, and the share of pages
// without posts that may give some.
const mostWrong = 0.01

// Threshold is the least confidence that keeps both shares of [mostWrong], by weights that were
// learned without the pages' sites.
func Threshold(kinds []*fit.Kind) float64 {
	for _, k := range kinds {
		if string(k.Kind) != string(records.KindPage) {
			continue
		}
		var without []float64 // confidence of pages without posts
		for _, o := range k.BySite {
			if o.Labels[0] == fit.Wrong {
				without = append(without, o.Verdict.Sure)
			}
		}
		slices.Sort(without)
		least := k.Threshold(mostWrong)
		if n := len(without); n > 0 {
			least = max(least, math.Nextafter(without[n-1-int(mostWrong*float64(n))], 1))
		}
		return least
	}
	return 1
}

// From drops the records that are less sure.
func From(rows []Row, sure float64) []Row {
	out := slices.Clone(rows)
	for i := range out {
		if out[i].Sure < sure {
			out[i].Score = Score{Posts: out[i].Score.Posts, Dated: out[i].Score.Dated}
		}
	}
	return out
}

// LeftOut is the score of a site, or a type, that nothing was learned from.
type LeftOut struct {
	LeftOut string         `json:"left_out"` // site or type
	Name    string         `json:"name"`
	Posts   int            `json:"posts"`
	Found   int            `json:"found"`
	Wrong   int            `json:"wrong"` // records that agree with no post
	Fields  map[string]int `json:"fields"`
}

// Sum adds up rows by site or type.
func Sum(leftOut string, rows []Row, name func(*Page) string) []LeftOut {
	sums := map[string]*Score{}
	for _, r := range rows {
		if sums[name(r.Page)] == nil {
			sums[name(r.Page)] = &Score{}
		}
		sums[name(r.Page)].Add(r.Score)
	}
	var out []LeftOut
	for _, name := range sortedKeys(sums) {
		s := sums[name]
		out = append(out, LeftOut{leftOut, name, s.Posts, s.Found, s.Extracted - s.Found,
			map[string]int{"creator": s.Users, "created": s.Dates, "created_known": s.Dated}})
	}
	return out
}

// Print prints the scores by group, and in sum; sites count alike in the mean.
func Print(w io.Writer, rows []Row, verbose bool) {
	by, sites := map[string]*Score{}, map[string]*Score{}
	add := func(m map[string]*Score, key string, s Score) {
		if m[key] == nil {
			m[key] = &Score{}
		}
		m[key].Add(s)
	}
	for _, r := range rows {
		kind := string(r.Type)
		if !r.Known {
			kind = "unknown"
		}
		add(by, kind, r.Score)
		add(sites, string(r.Type)+" "+r.Site, r.Score)
		add(by, "all", r.Score)
		if s := r.Score; verbose && (s.Found < s.Posts || s.Extracted > s.Found || s.Users < s.Found || s.Dates < min(s.Dated, s.Found)) {
			fmt.Fprintf(w, "%s: %d of %d posts, %d extracted, %d users, %d of %d dates, %.2f\n", r.File, s.Found, s.Posts,
				s.Extracted, s.Users, s.Dates, s.Dated, r.Sure)
		}
	}
	for _, k := range sortedKeys(by) {
		s := by[k]
		fmt.Fprintf(w, "%-14s recall %.3f precision %.3f stray %.3f users %.3f dates %.3f (%d posts)\n", k,
			ratio(s.Found, s.Posts), ratio(s.Found, s.Extracted), ratio(s.Stray, s.Extracted), ratio(s.Users, s.Posts),
			ratio(s.Dates, s.Dated), s.Posts)
	}
	recall, n, wrong, empty := 0.0, 0, 0, 0
	for _, s := range sites {
		if s.Posts > 0 {
			recall, n = recall+ratio(s.Found, s.Posts), n+1
		}
	}
	for _, r := range rows {
		if r.Score.Posts == 0 && r.Score.Extracted > 0 {
			wrong++
			if verbose {
				fmt.Fprintf(w, "%s: has no posts, %d extracted, %.2f\n", r.File, r.Score.Extracted, r.Sure)
			}
		}
		if r.Score.Posts == 0 {
			empty++
		}
	}
	fmt.Fprintf(w, "pages without posts that give some: %d of %d\n", wrong, empty)
	fmt.Fprintf(w, "recall, sites counting alike: %.3f of %d sites\n", recall/float64(max(1, n)), n)
}

func sortedKeys(m map[string]*Score) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, strings.Compare)
	return out
}

func ratio(a, b int) float64 { return float64(a) / float64(max(1, b)) }
