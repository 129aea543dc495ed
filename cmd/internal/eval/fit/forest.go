package fit

import (
	"hash/fnv"
	"math/rand/v2"

	"github.com/awarc/awarc/cmd/internal/eval/grow"
	"github.com/awarc/awarc/engine/rank"
)

// Plant adds a forest to the models of a kind. It is learned from single answers; the answers of a
// question count so that it has a right and a wrong half. The logits of an answer become the mean of
// what the weighted features and the forest say. Sites and types are left out by folds.
func (k *Kind) Plant(g grow.Growth) {
	p := k.problem
	k.Model = mean(k.Model, planted(p, g, func(*Example) bool { return true }))
	k.plantWithout(k.sites, g, (*Example).site)
	k.plantWithout(k.types, g, func(x *Example) string { return string(x.Type) })
	for i, x := range p.examples {
		w := p.samples[i].weight
		k.BySite[i], k.ByType[i] = judge(x, w, k.sites[x.site()]), judge(x, w, k.types[string(x.Type)])
	}
	take(k.BySite, k.Model.Sure)
	take(k.ByType, k.Model.Sure)
}

// mean adds a forest to a model whose weights count half from then on.
func mean(m rank.Model, f *rank.Forest) rank.Model {
	weights := map[string]float64{}
	for name, w := range m.Weights {
		weights[name] = w / 2
	}
	m.Weights, m.Forest = weights, f
	return m
}

// plantWithout adds to the model of each group a forest of the folds without it.
func (k *Kind) plantWithout(models map[string]rank.Model, g grow.Growth, group func(*Example) string) {
	fold := func(name string) int {
		h := fnv.New32a()
		_, _ = h.Write([]byte(name))
		return int(h.Sum32() % folds)
	}
	for out := range folds {
		f := planted(k.problem, g, func(x *Example) bool { return fold(group(x)) != out })
		for name, m := range models {
			if fold(name) == out {
				models[name] = mean(m, f)
			}
		}
	}
}

// planted learns a forest of the examples that are kept, and halves its logits.
func planted(p *problem, g grow.Growth, keep func(*Example) bool) *rank.Forest {
	var rows grow.Rows
	for i, x := range p.examples {
		if !keep(x) {
			continue
		}
		answers := make([][]float32, len(x.Answers))
		right := 0
		for j, a := range x.Answers {
			answers[j] = make([]float32, len(a))
			for f, v := range a {
				answers[j][f] = float32(v)
			}
			if x.Labels[j] != Wrong {
				right++
			}
		}
		target, weight := make([]float64, len(answers)), make([]float64, len(answers))
		for j := range answers {
			n := len(answers) - right
			if x.Labels[j] != Wrong {
				target[j], n = 1, right
			}
			weight[j] = p.samples[i].weight * float64(len(p.examples)) / float64(n)
		}
		rows.Add(answers, target, weight)
	}
	f := grow.Forest(&rows, p.examples[0].Names, g, rand.New(rand.NewPCG(1, 1)))
	f.Bias /= 2
	for _, t := range f.Trees {
		for i := range t {
			if t[i].Left == 0 {
				t[i].Value /= 2
			}
		}
	}
	return &f
}
