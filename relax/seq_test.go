package relax

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/yfilter/xpath"
)

func expr(t testing.TB, s string) *xpath.Expr {
	t.Helper()
	e, err := xpath.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// cond parses a condition such as @class='x'.
func cond(t testing.TB, s string) xpath.Pred {
	t.Helper()
	return expr(t, "x["+s+"]").Steps[0].Preds[0]
}

func conds(t testing.TB, all ...string) []xpath.Pred {
	t.Helper()
	var out []xpath.Pred
	for _, s := range all {
		out = append(out, cond(t, s))
	}
	return out
}

func take(seq iter.Seq[Relaxation], n int) []Relaxation {
	var out []Relaxation
	for r := range seq {
		if out = append(out, r); len(out) == n {
			break
		}
	}
	return out
}

// The example of section 6.2: the pattern that fired stays, the rest has another
// attribute, another value, another tag.
func TestThePapersExample(t *testing.T) {
	e := expr(t, "div[contains(@class, 'post')]/h2[@class='post-title']")
	v := Vocabulary{Tags: []string{"div", "h2", "p"},
		Conditions: conds(t, "@class='post-head'", "@class='storytitle'", "@class='sidebar'", "@id='post-title'")}
	var got []string
	for _, r := range take(Seq(e, 1, v), 1000) {
		if !strings.HasPrefix(r.Expr.String(), "div[contains(@class, 'post')]") {
			t.Errorf("the protected prefix was changed: %s", r.Expr)
		}
		if r.Cost.Changes < 2 {
			got = append(got, r.Expr.String())
		}
	}
	const in = "div[contains(@class, 'post')]"
	want := []string{
		in + "/h2[@class='post-title']",  // itself
		in + "//h2[@class='post-title']", // a wrapper more
		in + "/h2[@id='post-title']",     // another attribute
		in + "/h2[@class='post-head']",   // shares a word
		in + "/div[@class='post-title']", // another tag
		in + "/p[@class='post-title']",
		in + "/h2[@class='storytitle']", // a word inside a word
		in + "/h2[@class='sidebar']",
		in + "/h2", // no predicate
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%s is not among the relaxations with one change:\n%s", w, strings.Join(got, "\n"))
		}
	}
	if got[0] != want[0] || slices.Index(got, want[3]) > slices.Index(got, want[6]) ||
		slices.Index(got, want[6]) > slices.Index(got, want[7]) || slices.Index(got, want[7]) > slices.Index(got, want[8]) {
		t.Errorf("likeness does not order the relaxations:\n%s", strings.Join(got, "\n"))
	}
}

func TestWhatSiblingTypesUseComesFirst(t *testing.T) {
	e := expr(t, "a[@class='username']")
	v := Vocabulary{Conditions: conds(t, "@class='user'", "@class='bigname'"),
		Known: func(p xpath.Pred) bool { return p.Literal == "bigname" }}
	got := take(Seq(e, 0, v), 2)
	if got[1].Expr.String() != "a[@class='bigname']" {
		t.Errorf("%s came before what sibling types use", got[1].Expr)
	}
}

// randomExpr and randomVocabulary draw from few names, so that things meet.
func randomExpr(r *rand.Rand) *xpath.Expr {
	e := &xpath.Expr{}
	for i := range 1 + r.IntN(3) {
		s := xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: pickOne(r, tags)}, Axis: xpath.Axis(r.IntN(2))}
		if i == 0 {
			s.Axis = xpath.Descendant
		}
		if r.IntN(6) == 0 {
			s.Test = xpath.Test{Kind: xpath.AnyTag}
		}
		for range r.IntN(3) {
			s.Preds = append(s.Preds, randomCond(r))
		}
		e.Steps = append(e.Steps, s)
	}
	return e
}

var (
	tags   = []string{"div", "span", "a"}
	values = []string{"post", "post-body", "author"}
)

func pickOne(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func randomCond(r *rand.Rand) xpath.Pred {
	kinds := []xpath.PredKind{xpath.Equals, xpath.Contains, xpath.StartsWith}
	return xpath.Pred{Kind: kinds[r.IntN(3)], Value: xpath.Test{Kind: xpath.Attr, Name: pickOne(r, []string{"class", "id"})},
		Literal: pickOne(r, values)}
}

// Costs never fall along the sequence, each expression comes once, printed forms
// parse back, and the first costs nothing.
func TestRelaxationsComeInRisingCost(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		e := randomExpr(r)
		v := Vocabulary{Tags: tags, Attrs: []string{"title"}}
		for range r.IntN(6) {
			v.Conditions = append(v.Conditions, randomCond(r))
		}
		protected := r.IntN(len(e.Steps))
		prefix := (&xpath.Expr{Steps: e.Steps[:protected]}).String()
		seen := map[string]bool{}
		var last Relaxation
		for i, x := range take(Seq(e, protected, v), 400) {
			s := x.Expr.String()
			switch {
			case i == 0 && (s != e.String() || x.Cost != Cost{}):
				t.Fatalf("%s: the first is %s at %s", e, s, x.Cost)
			case i > 0 && last.Compare(x) >= 0:
				t.Fatalf("%s: %s (%s) comes after %s (%s)", e, s, x.Cost, last.Expr, last.Cost)
			case seen[s]:
				t.Fatalf("%s: %s comes twice", e, s)
			case !strings.HasPrefix(s, prefix):
				t.Fatalf("%s: %s changes the protected %s", e, s, prefix)
			}
			if back, err := xpath.Parse(s); err != nil || back.String() != s {
				t.Fatalf("%s does not parse back: %v", s, err)
			}
			seen[s], last = true, x
		}
	}
}

// Cost is a strict order: of two costs exactly one is less, or they are equal,
// and less is transitive.
func TestCostIsAStrictOrder(t *testing.T) {
	var all []Cost
	for _, w := range []bool{false, true} {
		for c := range 3 {
			for d := range 3 {
				all = append(all, Cost{w, c, 50 * d})
			}
		}
	}
	for i, a := range all {
		for j, b := range all {
			if got := a.Compare(b); (got < 0) != (i < j) || (got == 0) != (i == j) || (b.Compare(a) > 0) != (got < 0) {
				t.Errorf("%s against %s: %d", a, b, got)
			}
		}
	}
}

// A relaxation with a step that nothing fulfils is never made, and none is made
// before it is asked for.
func TestRelaxationsAreLazyAndPossible(t *testing.T) {
	e := expr(t, "div[@class='a']/span[@class='b']//a[@id='c']")
	var v Vocabulary
	for i := range 200 {
		v.Tags = append(v.Tags, "t"+string(rune('a'+i%26)))
		v.Conditions = append(v.Conditions, xpath.Pred{Kind: xpath.Equals, Value: xpath.Test{Kind: xpath.Attr, Name: "class"},
			Literal: strings.Repeat("x", i)})
	}
	asked := 0
	v.Holds = func(s xpath.Step) bool {
		asked++
		return s.Test.Name != "ta"
	}
	for _, r := range take(Seq(e, 0, v), 300) {
		if strings.Contains(r.Expr.String(), "ta[") || strings.HasSuffix(r.Expr.String(), "ta") {
			t.Errorf("%s has a step that nothing fulfils", r.Expr)
		}
	}
	if all := 600 * 600 * 600; asked > 10_000 {
		t.Errorf("300 of %d relaxations asked for %d steps", all, asked)
	}
}
