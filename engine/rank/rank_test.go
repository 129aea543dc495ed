package rank

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func model() Model {
	return Model{Weights: map[string]float64{"good": 2, "bad": -1, "nothing": 0.5}, Sure: 0.8, Unconfirmed: 0.9}
}

func TestDecide(t *testing.T) {
	names := []string{"good", "bad", "nothing"}
	q := Question{Names: names, None: []float64{0, 0, 1}, Answers: [][]float64{{0.5, 1, 0}, {1, 0, 0}, {1, 0.5, 0}}}
	v := model().Decide(q)
	sums := []float64{0, 2, 1.5, 0.5}
	total := 0.0
	for _, s := range sums {
		total += math.Exp(s)
	}
	if v.Best != 1 || v.Next != 2 || math.Abs(v.Sure-math.Exp(2)/total) > 1e-12 || math.Abs(v.None-math.Exp(0.5)/total) > 1e-12 {
		t.Errorf("%+v", v)
	}
	q.Alike = [][]int{nil, {2}, {1}}
	if v = model().Decide(q); v.Best != 1 || v.Next != 0 || math.Abs(v.Sure-(math.Exp(2)+math.Exp(1.5))/total) > 1e-12 {
		t.Errorf("with answers that say the same: %+v", v)
	}
	if v = model().Decide(Question{Names: names}); v.Best != -1 || v.Next != -1 || v.None != 1 {
		t.Errorf("without answers: %+v", v)
	}
}

func TestDecideHugeSums(t *testing.T) {
	v := model().Decide(Question{Names: []string{"good"}, Answers: [][]float64{{1e6}, {-1e6}}})
	if v.Best != 0 || v.Sure != 1 {
		t.Errorf("%+v", v)
	}
}

func TestTable(t *testing.T) {
	var b bytes.Buffer
	if err := (Table{"date": model()}).Write(&b, func(_, name string) string { return "about " + name }); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&b)
	if err != nil || got["date"].Sure != 0.8 || got["date"].Unconfirmed != 0.9 ||
		len(got["date"].Weights) != 3 || got["date"].Weights["bad"] != -1 {
		t.Errorf("%v %v", got, err)
	}
	for _, bad := range []string{"date good", "date good x", "date good NaN", "date good 1\ndate good 2"} {
		if _, err := Read(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestParts(t *testing.T) {
	parts := model().Parts([]string{"good", "bad", "nothing"}, []float64{0.1, -3, 0})
	if len(parts) != 2 || parts[0] != (Part{"bad", -3, 3}) {
		t.Errorf("%v", parts)
	}
}
