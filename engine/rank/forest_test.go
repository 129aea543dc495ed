package rank

import (
	"strings"
	"testing"
)

func TestBrokenForests(t *testing.T) {
	for text, want := range map[string]string{
		"=1":                        "line 1: a tree before",
		"forest x":                  "line 1: bias",
		"forest 0 a\n0<=1 =1":       "line 2: a tree ends early",
		"forest 0 a\n0<=1 =1 =2 =3": "line 2: 1 nodes too many",
		"forest 0 a\n1<=1 =1 =2":    `line 2: node "1<=1": not one of 1 features`,
		"forest 0 a\n0<=z =1 =2":    `line 2: node "0<=z"`,
		"forest 0 a\n" + strings.Repeat("0<=1 ", 5000): "line 2: a tree ends early or has more than 4096 nodes",
	} {
		if _, err := ReadForests(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

// TestForestModel adds the logits of a forest to an answer, by the names of the features.
func TestForestModel(t *testing.T) {
	f, err := ReadForests(strings.NewReader("forest 0.5 good bad\n1<=0.5 =2 =-2"))
	if err != nil {
		t.Fatal(err)
	}
	m := Model{Forest: &f[0]}
	names := []string{"bad", "good"}
	v := m.Decide(Question{Names: names, Answers: [][]float64{{1, 0}, {0, 0}}})
	if v.Best != 1 || m.Score(names, []float64{0, 1}) != 2.5 || m.Score(names, []float64{1, 1}) != -1.5 {
		t.Errorf("%+v", v)
	}
}
