package fit

import (
	"cmp"
	"maps"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/kb"
)

// penalties are the candidate penalties. The one with the least loss in cross-validation is chosen;
// the pages of a site are in one fold.
var penalties = []float64{3e-2, 1e-2, 3e-3, 1e-3, 3e-4}

const folds = 10

// Kind is the result of learning for one kind of questions.
type Kind struct {
	Kind     adapt.Kind
	L2       float64
	Scale    float64    // of the prior
	Model    rank.Model // learned from all questions
	Features []Feature
	Present  []Outcome // by question, with the present table
	BySite   []Outcome // with models learned from other sites
	ByType   []Outcome // with models learned from other types

	sites, types map[string]rank.Model // models learned without the site or type
	problem      *problem
}

// Feature is the weight and use of a feature.
type Feature struct {
	Name   string
	Weight float64
	Worth  float64 // growth of the loss on held-out sites without the feature
}

// Outcome is the result of a model for a question.
type Outcome struct {
	*Example
	Verdict rank.Verdict
	Loss    float64 // negative logarithm of the probability of the right answers
	weight  float64
	taken   bool
}

// label returns the true label of the best answer.
func (o *Outcome) label() Label {
	if o.Verdict.Best < 0 {
		return Wrong
	}
	return o.Labels[o.Verdict.Best]
}

// Options are the settings of learning.
type Options struct {
	Present rank.Table
	Prior   rank.Table // weights before learning
	Cost    float64    // of an accepted wrong answer, in accepted right answers
	Penalty float64    // for deviation from Prior; 0: the penalty with the least loss on held-out sites
	Ablate  bool       // compute Feature.Worth
}

// Learn learns the weights of all kinds of questions.
func Learn(examples []Example, o Options) ([]*Kind, error) {
	by := map[adapt.Kind][]*Example{}
	var kinds []*Kind
	for i := range examples {
		x := &examples[i]
		if x.Judged {
			continue
		}
		if by[x.Kind] == nil {
			kinds = append(kinds, &Kind{Kind: x.Kind})
		}
		by[x.Kind] = append(by[x.Kind], x)
	}
	slices.SortFunc(kinds, func(a, b *Kind) int { return cmp.Compare(a.Kind, b.Kind) })
	for _, k := range kinds {
		k.problem = newProblem(by[k.Kind])
		if err := k.learn(o); err != nil {
			return nil, err
		}
	}
	return kinds, nil
}

func (k *Kind) learn(o Options) error {
	p := k.problem
	all, _ := p.without(func(*sample) bool { return false })
	prior := make([]float64, len(p.names))
	for i, n := range p.names {
		prior[i] = o.Prior[string(k.Kind)].Weights[n]
	}
	b, err := k.believe(prior, o.Penalty)
	if err != nil {
		return err
	}
	weights, err := learn(all, b, b.weights)
	if err != nil {
		return err
	}
	sites, err := p.leaveOut(b, weights, func(s *sample) int { return s.site })
	if err != nil {
		return err
	}
	types, err := p.leaveOut(b, weights, func(s *sample) int { return s.typ })
	if err != nil {
		return err
	}
	k.sites, k.types = map[string]rank.Model{}, map[string]rank.Model{}
	for i, x := range p.examples {
		s := &p.samples[i]
		k.sites[x.site()], k.types[string(x.Type)] = p.model(sites[s.site], 0), p.model(types[s.typ], 0)
	}
	for i, x := range p.examples {
		w := p.samples[i].weight
		k.Present = append(k.Present, judge(x, w, o.Present[string(k.Kind)]))
		k.BySite = append(k.BySite, judge(x, w, k.sites[x.site()]))
		k.ByType = append(k.ByType, judge(x, w, k.types[string(x.Type)]))
	}
	sure := o.Cost / (1 + o.Cost) // from here on the gain of right answers exceeds the cost of wrong ones
	take(k.Present, o.Present[string(k.Kind)].Sure)
	take(k.BySite, sure)
	take(k.ByType, sure)
	for _, models := range []map[string]rank.Model{k.sites, k.types} {
		for name, m := range models {
			m.Sure = sure
			models[name] = m
		}
	}
	k.Model = p.model(weights, sure)
	return k.weighFeatures(weights, b, o.Ablate)
}

// fold returns the fold of a sample. All samples of a site are in one fold.
func fold(s *sample) int { return s.site % folds }

// believe chooses the penalty for deviation from the prior.
func (k *Kind) believe(prior []float64, penalty float64) (best belief, err error) {
	p := k.problem
	if penalty > 0 {
		k.L2 = penalty
		return belief{prior, penalty}, nil
	}
	all, _ := p.without(func(*sample) bool { return false })
	start, least := prior, math.Inf(1)
	for _, l2 := range penalties {
		b := belief{prior, l2}
		if start, err = learn(all, b, start); err != nil {
			return b, err
		}
		loss, err := p.heldOut(b, start)
		if err != nil {
			return b, err
		}
		if loss < least-1e-6 {
			best, least, k.L2 = b, loss, l2
		}
	}
	return best, nil
}

// heldOut returns the mean loss of samples with weights learned without their fold.
func (p *problem) heldOut(b belief, start []float64) (float64, error) {
	weights, err := p.leaveOut(b, start, fold)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i := range p.samples {
		s := &p.samples[i]
		sum += s.weight * s.loss(weights[fold(s)], nil)
	}
	return sum, nil
}

// leaveOut learns weights without the samples of a group, for each group. Groups are numbered.
func (p *problem) leaveOut(b belief, start []float64, group func(*sample) int) ([][]float64, error) {
	groups := 0
	for i := range p.samples {
		groups = max(groups, group(&p.samples[i])+1)
	}
	out := make([][]float64, groups)
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for g := range groups {
		work.Go(func() (err error) {
			rest, _ := p.without(func(s *sample) bool { return group(s) == g })
			out[g], err = learn(rest, b, start)
			return err
		})
	}
	return out, work.Wait()
}

// judge evaluates a question with a model.
func judge(x *Example, weight float64, m rank.Model) Outcome {
	o := Outcome{Example: x, Verdict: m.Decide(x.Question), weight: weight}
	right := 0.0
	for i, p := range o.Verdict.P {
		if x.Labels[i] == Right {
			right += p
		}
	}
	if !x.answerable() {
		right = o.Verdict.None
	}
	const least = 1e-9
	o.Loss = -math.Log(max(right, least))
	return o
}

// take accepts the answers whose probability reaches the threshold.
func take(outcomes []Outcome, sure float64) {
	for i := range outcomes {
		o := &outcomes[i]
		o.taken = o.Verdict.Best >= 0 && o.Verdict.Sure >= sure
	}
}

// Table returns the present table with the learned models.
func Table(present rank.Table, kinds []*Kind) rank.Table {
	t := rank.Table{}
	maps.Copy(t, present)
	for _, k := range kinds {
		m := k.Model
		m.Unconfirmed = present[string(k.Kind)].Unconfirmed
		t[string(k.Kind)] = m
	}
	return t
}

// WithoutSite returns the table with the models learned without a site.
func WithoutSite(present rank.Table, kinds []*Kind, typ kb.TypeID, site string) rank.Table {
	x := Example{Type: typ, Site: site}
	return without(Table(present, kinds), kinds, func(k *Kind) (rank.Model, bool) { m, known := k.sites[x.site()]; return m, known })
}

// WithoutType returns the table with the models learned without a type.
func WithoutType(present rank.Table, kinds []*Kind, typ kb.TypeID) rank.Table {
	return without(Table(present, kinds), kinds, func(k *Kind) (rank.Model, bool) { m, known := k.types[string(typ)]; return m, known })
}

func without(t rank.Table, kinds []*Kind, of func(*Kind) (rank.Model, bool)) rank.Table {
	for _, k := range kinds {
		if m, known := of(k); known {
			m.Unconfirmed = t[string(k.Kind)].Unconfirmed
			t[string(k.Kind)] = m
		}
	}
	return t
}

// weighFeatures lists the features with their weight and use.
func (k *Kind) weighFeatures(weights []float64, b belief, ablate bool) error {
	p := k.problem
	whole := 0.0
	var err error
	if ablate {
		if whole, err = p.heldOut(b, weights); err != nil {
			return err
		}
	}
	for i, n := range p.names {
		f := Feature{Name: n, Weight: k.Model.Weights[n]}
		if ablate {
			start := slices.Clone(weights)
			start[i] = 0
			loss, err := p.leftOut(i).heldOut(b, start)
			if err != nil {
				return err
			}
			f.Worth = loss - whole
		}
		k.Features = append(k.Features, f)
	}
	return nil
}

// leftOut returns the problem without a feature: its value is always 0.
func (p *problem) leftOut(feature int) *problem {
	out := &problem{names: p.names, samples: slices.Clone(p.samples), examples: p.examples}
	for i := range out.samples {
		s := &out.samples[i]
		s.rows = slices.Clone(s.rows)
		for k, r := range s.rows {
			s.rows[k] = slices.DeleteFunc(slices.Clone(r), func(t term) bool { return t.feature == feature })
		}
	}
	return out
}
