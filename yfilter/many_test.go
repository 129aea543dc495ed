package yfilter

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/awarc/awarc/yfilter/xpath"
	"golang.org/x/net/html"
)

// crowd makes n patterns of the kinds that matchers answer, with literals that
// are parts of what the page has, some of them changed in one place: so that
// every literal has neighbours of the same beginning, middle and end.
func (v *vocabulary) crowd(r *rand.Rand, n int) []*xpath.Expr {
	tags := []string{"*", "div", "a", "p", "li"}
	values := []string{"@class", "@href", ".", "text()"}
	seen := map[string]bool{}
	var list []*xpath.Expr
	for tries := 0; len(list) < n && tries < 20*n; tries++ {
		value := pick(r, values)
		literals := v.texts
		if value[0] == '@' {
			literals = v.values
		}
		s := v.piece(r, literals)
		if len(s) > 0 && r.IntN(3) == 0 {
			at := r.IntN(len(s))
			s = s[:at] + string(rune('a'+r.IntN(26))) + s[at+r.IntN(2):]
		}
		s = strings.NewReplacer("'", "", "\x00", "").Replace(s)
		form := []string{"%s='%s'", "contains(%s, '%s')", "starts-with(%s, '%s')"}[r.IntN(3)]
		expr := pick(r, tags) + "[" + fmt.Sprintf(form, value, s) + "]"
		condition := fmt.Sprintf("["+form+"]", value, s)
		switch r.IntN(9) {
		case 3: // behind what excludes few
			expr = pick(r, tags) + pick(r, []string{"[not(contains(@class, 'ab'))]", "[not(@href)]", "[not(@class='a')][not(@href='b')]"}) +
				condition
		case 4: // of an element that a page has once, and of all others with the same
			expr = pick(r, []string{"body", "html"}) + condition
		case 5:
			expr = pick(r, tags) + pick(r, []string{"[@class]", "[@href]", "[not(@class)][@href]"}) + condition
		case 0:
			expr = "body//" + expr + "/@class"
		case 1:
			expr += fmt.Sprintf("[starts-with(@class, '%c')]", 'a'+rune(r.IntN(3)))
		case 2:
			expr = pick(r, []string{"@class", "@href", "@*", "p/text()"}) + fmt.Sprintf("["+form+"]", ".", s)
		}
		if e, err := xpath.Parse(expr); err == nil && !seen[expr] {
			seen[expr] = true
			list = append(list, e)
		}
	}
	return list
}

// TestCrowdsOfPatterns is the comparison of FuzzAgainstXPath with so many
// patterns at one place that none of them is asked by itself.
func TestCrowdsOfPatterns(t *testing.T) {
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 7))
		root := Document(mustParse(t, crowdedPage(r)), testMeta())
		exprs := vocabularyOf(root).crowd(r, 1500)
		compareByHand(t, root, exprs)
	}
}

// crowdedPage has short and long values, texts of all three ways of reading them,
// and attributes that are there twice.
func crowdedPage(r *rand.Rand) string {
	words := []string{"post", "postbody", "post-", "viewtopic.php?t=", "a", "b", "ab", "abc", "ba", "größe", "view", "topic", "x=1&y=2",
		"aaaa", "aaaaaaaa"}
	var b strings.Builder
	text := func() {
		for range r.IntN(4) {
			b.WriteString(pick(r, words))
		}
	}
	var fill func(depth int)
	fill = func(depth int) {
		for range 1 + r.IntN(4) {
			fmt.Fprintf(&b, "<%s", pick(r, []string{"div", "div", "a", "p", "ul", "li", "svg"}))
			for _, name := range []string{"class", "href"} {
				if r.IntN(2) == 0 {
					b.WriteString(" " + name + `="`)
					text()
					b.WriteString(`"`)
				}
			}
			b.WriteString(">")
			text()
			if depth < 3 {
				fill(depth + 1)
			}
			text()
		}
	}
	fill(0)
	fmt.Fprintf(&b, "<body class='%s' href=ab>", pick(r, words)) // attributes of body that was opened before
	b.WriteString("<div>" + strings.Repeat("postbody view topic ", 100) + "<p>abc</p>viewtopic.php</div>")
	return b.String()
}

// compareByHand is compareAll without the slower of the evaluators.
func compareByHand(t *testing.T, root *html.Node, exprs []*xpath.Expr) {
	t.Helper()
	b := NewBuilder()
	for _, e := range exprs {
		b.Add(e)
	}
	nfa := b.Build()
	if nfa.plans[0].read == nil {
		t.Fatal("no text is planned")
	}
	got := runAll(t, nfa, root, false)
	compareOrder(t, root, got)
	compareFirst(t, got, runAll(t, nfa, root, true))
	sets := make([]map[point]bool, len(exprs))
	matched := 0
	for _, m := range got {
		if sets[m.pattern] == nil {
			sets[m.pattern] = map[point]bool{}
			matched++
		}
		if sets[m.pattern][m.at] {
			t.Errorf("%s: told twice of one node", exprs[m.pattern])
		}
		sets[m.pattern][m.at] = true
	}
	for i, e := range exprs {
		if want := selectByHand(root, e); !sameSet(sets[i], want) {
			t.Errorf("%s: automaton selects %s, by hand %s", e, show(sets[i]), show(want))
		}
	}
	if matched < len(exprs)/20 || matched == len(exprs) {
		t.Errorf("%d of %d patterns match: the comparison says little", matched, len(exprs))
	}
}

// TestWarmRunsDoNotAllocate holds for pages of any kind of question, once a
// runner has met their like.
func TestWarmRunsDoNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	root := Document(mustParse(t, crowdedPage(r)), testMeta())
	b := NewBuilder()
	for _, e := range vocabularyOf(root).crowd(r, 2000) {
		b.Add(e)
	}
	a := b.Build()
	matches := 0
	found := func(int, *html.Node, string) bool { matches++; return true }
	x := newRunner(a)
	for _, first := range []bool{false, true} {
		run := func() { x.walk(root, found, first); x.reset() }
		run()
		run()
		if n := testing.AllocsPerRun(20, run); n > 0 {
			t.Errorf("first %v: %v allocations for each page", first, n)
		}
	}
	if matches == 0 {
		t.Error("nothing matched")
	}
}

// TestAddOnce: patterns that cannot differ are one, others are not.
func TestAddOnce(t *testing.T) {
	b := NewBuilder()
	for i, c := range []struct {
		expr  string
		id    int
		added bool
	}{
		{"a[@href='x']", 0, true}, {"a[@href='y']", 1, true}, {"a[@href='x']", 0, false}, {"a", 2, true},
		{"a[contains(@href, 'x')]", 3, true}, {"a[starts-with(@href, 'x')]", 4, true}, {"a[not(@href='x')]", 5, true},
		{"a[not(@href='x')]", 5, false}, {"a[1]", 6, true}, {"a[2]", 7, true}, {"a[1][last()]", 6, false}, {"/a", 8, true},
		{"a/b", 9, true},
	} {
		e, err := xpath.Parse(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if id, added := b.AddOnce(e); id != c.id || added != c.added {
			t.Errorf("%d: %s: number %d, added %v; want %d, %v", i, c.expr, id, added, c.id, c.added)
		}
	}
}
