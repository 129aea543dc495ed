package fit

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/kb"
)

// known are the weights that synthetic questions are answered by.
var known = map[string]float64{"good": 3, "bad": -2, "idle": 0, "none": 1}

// synthetic makes questions of some sites, answered as often as the known weights say.
func synthetic(n int, r *rand.Rand) []Example {
	var out []Example
	for i := range n {
		x := Example{Kind: adapt.KindName, Type: kb.TypeID(fmt.Sprint("type", i%3)), Site: fmt.Sprint("site", i%12), File: fmt.Sprint(i)}
		x.Names = []string{"none", "good", "bad", "idle"}
		x.None = []float64{1, 0, 0, 0}
		for range 1 + r.IntN(4) {
			x.Answers = append(x.Answers, []float64{0, r.Float64(), r.Float64(), r.Float64()})
			x.Labels, x.Exprs, x.Shown = append(x.Labels, Wrong), append(x.Exprs, "b"), append(x.Shown, "")
		}
		v := rank.Model{Weights: known}.Decide(x.Question)
		dice := r.Float64()
		for k, p := range v.P {
			if dice -= p; dice < 0 {
				x.Labels[k] = Right
				break
			}
		}
		out = append(out, x)
	}
	return out
}

func TestGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	examples := synthetic(40, r)
	for i := range examples { // several right answers, too
		if len(examples[i].Labels) > 2 {
			examples[i].Labels[0], examples[i].Labels[1] = Right, Right
		}
	}
	p := newProblem(pointers(examples))
	all, _ := p.without(func(*sample) bool { return false })
	at, gradient := []float64{0.3, -1, 2, 0.1}, make([]float64, 4)
	b := belief{[]float64{1, 0, -1, 0.5}, 0.1}
	objective(all, b, at, gradient)
	for i := range at {
		const step = 1e-6
		up, down := append([]float64{}, at...), append([]float64{}, at...)
		up[i] += step
		down[i] -= step
		want := (objective(all, b, up, nil) - objective(all, b, down, nil)) / (2 * step)
		if math.Abs(want-gradient[i]) > 1e-6 {
			t.Errorf("%s: %v, want %v", p.names[i], gradient[i], want)
		}
	}
}

func pointers(examples []Example) []*Example {
	var out []*Example
	for i := range examples {
		out = append(out, &examples[i])
	}
	return out
}

func TestLearn(t *testing.T) {
	examples := synthetic(2000, rand.New(rand.NewPCG(3, 4)))
	kinds, err := Learn(examples, Options{Present: rank.Table{"name": {Sure: 0.5}}, Cost: 3, Ablate: true})
	if err != nil {
		t.Fatal(err)
	}
	k := kinds[0]
	for _, f := range k.Features {
		if math.Abs(f.Weight-known[f.Name]) > 0.35 {
			t.Errorf("%s: %.2f, want %.2f", f.Name, f.Weight, known[f.Name])
		}
		if useful := f.Worth > 0.005; useful != (f.Name != "idle") {
			t.Errorf("%s is worth %.4f", f.Name, f.Worth)
		}
	}
	var present, learned count
	for i := range k.BySite {
		present.add(&k.Present[i])
		learned.add(&k.BySite[i])
	}
	if learned.loss >= present.loss || learned.taken == 0 || 2*learned.wrong > learned.right {
		t.Errorf("learned %+v, before %+v", learned, present)
	}
	if k.Model.Sure != 0.75 {
		t.Errorf("sure %.2f where a wrong answer costs as much as three right ones give", k.Model.Sure)
	}
}

// TestLearnWithout learns nothing of a site from the site itself.
func TestLearnWithout(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	examples := synthetic(600, r)
	for i := range examples { // one site and one type where what is bad is right
		x := &examples[i]
		if x.Site == "site3" || x.Type == "type1" {
			most := 0
			for k := range x.Answers {
				x.Labels[k] = Wrong
				if x.Answers[k][2] > x.Answers[most][2] {
					most = k
				}
			}
			x.Labels[most] = Right
		}
	}
	kinds, err := Learn(examples, Options{Cost: 3})
	if err != nil {
		t.Fatal(err)
	}
	bad := func(t rank.Table) float64 { return t["name"].Weights["bad"] }
	all := bad(Table(rank.Table{}, kinds))
	if got := bad(WithoutSite(nil, kinds, "type0", "site3")); got >= all-0.1 {
		t.Errorf("without the site that is against it %.2f, with all %.2f", got, all)
	}
	if got := bad(WithoutType(nil, kinds, "type1")); got >= all-0.1 {
		t.Errorf("without the type that is against it %.2f, with all %.2f", got, all)
	}
	if got := bad(WithoutSite(nil, kinds, "type0", "another")); got != all {
		t.Errorf("without a site that is unknown %.2f, with all %.2f", got, all)
	}
}

func TestLearnTheSameInEachRun(t *testing.T) {
	examples := synthetic(200, rand.New(rand.NewPCG(7, 8)))
	examples = append(examples, examples[:50]...)
	var first string
	for range 3 {
		rand.Shuffle(len(examples), func(i, k int) { examples[i], examples[k] = examples[k], examples[i] })
		arranged := Arrange(examples)
		if len(arranged) != 200 {
			t.Fatalf("%d questions", len(arranged))
		}
		kinds, err := Learn(arranged, Options{Cost: 3})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := Table(rank.Table{"other": {Sure: 0.5}}, kinds).Write(&b, func(string, string) string { return "" }); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = b.String()
		}
		if b.String() != first {
			t.Errorf("%s\n%s", b.String(), first)
		}
	}
	if got, err := rank.Read(bytes.NewReader([]byte(first))); err != nil || len(got["name"].Weights) != 4 || got["other"].Sure != 0.5 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestReadAndWrite(t *testing.T) {
	examples := synthetic(20, rand.New(rand.NewPCG(9, 10)))
	var b bytes.Buffer
	if err := Write(&b, examples); err != nil {
		t.Fatal(err)
	}
	got, err := Read(bytes.NewReader(b.Bytes()))
	if err != nil || fmt.Sprint(got) != fmt.Sprint(examples) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Read(bytes.NewReader(b.Bytes()[:b.Len()-9])); err == nil {
		t.Error("half a question was read")
	}
}
