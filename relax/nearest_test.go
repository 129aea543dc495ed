package relax

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
)

// link is one element of a chain in which each lies alone in the one before.
type link struct {
	tag  string
	attr map[string]string
}

func (l link) holds(p xpath.Pred) bool {
	v, ok := l.attr[p.Value.Name]
	switch p.Kind {
	case xpath.Equals:
		return ok && v == p.Literal
	case xpath.Contains:
		return ok && strings.Contains(v, p.Literal)
	case xpath.StartsWith:
		return ok && strings.HasPrefix(v, p.Literal)
	}
	return false
}

func (l link) conditions() []xpath.Pred {
	var out []xpath.Pred
	for _, name := range []string{"class", "id"} {
		if v, ok := l.attr[name]; ok {
			out = append(out, xpath.Pred{Kind: xpath.Equals, Value: xpath.Test{Kind: xpath.Attr, Name: name}, Literal: v})
		}
	}
	return out
}

// tree gives a chain as a document and its last element.
func tree(chain []link) (root, last *html.Node) {
	root = &html.Node{Type: html.DocumentNode}
	last = root
	for _, l := range chain {
		n := &html.Node{Type: html.ElementNode, Data: l.tag}
		for k, v := range l.attr {
			n.Attr = append(n.Attr, html.Attribute{Key: k, Val: v})
		}
		last.AppendChild(n)
		last = n
	}
	return root, last
}

func selects(e *xpath.Expr, root, want *html.Node) bool {
	b := yfilter.NewBuilder()
	b.Add(e)
	found := false
	b.Build().Run(root, func(_ int, n *html.Node, _ string) bool {
		found = found || n == want
		return !found
	})
	return found
}

// Nearest gives what a search through all relaxations gives: none that selects
// the element is cheaper.
func TestNearestIsTheCheapestOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 400 {
		var chain []link
		for range 1 + r.IntN(4) {
			l := link{tag: pickOne(r, tags), attr: map[string]string{}}
			if r.IntN(3) > 0 {
				l.attr["class"] = pickOne(r, values)
			}
			if r.IntN(4) == 0 {
				l.attr["id"] = pickOne(r, values)
			}
			chain = append(chain, l)
		}
		e := randomExpr(r)
		protected := 0
		if r.IntN(4) == 0 {
			protected = r.IntN(len(e.Steps))
		}
		v := Vocabulary{Holds: func(s xpath.Step) bool {
			for _, l := range chain {
				ok := s.Test.Kind == xpath.AnyTag || s.Test.Name == l.tag
				for _, p := range s.Preds {
					ok = ok && l.holds(p)
				}
				if ok {
					return true
				}
			}
			return false
		}}
		var path []Element
		for _, l := range chain {
			v.Tags, v.Conditions = append(v.Tags, l.tag), append(v.Conditions, l.conditions()...)
			path = append(path, Element{Tag: l.tag, Conditions: l.conditions(), Holds: l.holds})
		}
		root, last := tree(chain)
		got, ok := Nearest(e, protected, path, xpath.Test{}, nil)
		var want *Relaxation
		for x := range Seq(e, protected, v) {
			if selects(x.Expr, root, last) {
				want = &x
				break
			}
		}
		switch {
		case !ok && want == nil:
		case !ok || want == nil:
			t.Fatalf("%s (%d protected) on %v: nearest %v, searched %v", e, protected, chain, ok, want)
		case got.Cost != want.Cost:
			t.Fatalf("%s (%d protected) on %v: nearest %s (%s), searched %s (%s)", e, protected, chain, got.Expr, got.Cost, want.Expr,
				want.Cost)
		case !selects(got.Expr, root, last):
			t.Fatalf("%s on %v: %s does not select the element", e, chain, got.Expr)
		default:
			found++
		}
	}
	if found < 300 {
		t.Errorf("only %d of 400 pairs say anything", found)
	}
}

func TestNearestToPartsOfAnElement(t *testing.T) {
	el := func(tag, class string) Element {
		l := link{tag, map[string]string{"class": class}}
		return Element{Tag: tag, Conditions: l.conditions(), Holds: l.holds}
	}
	datetime, title, text := xpath.Test{Kind: xpath.Attr, Name: "datetime"}, xpath.Test{Kind: xpath.Attr, Name: "title"},
		xpath.Test{Kind: xpath.Text}
	for _, c := range []struct {
		expr string
		to   xpath.Test
		want string // empty: none
	}{
		{"time[@class='when']/@datetime", datetime, "abbr[@class='date']/@datetime"},
		{"time[@class='when']/@datetime", title, "abbr[@class='date']/@title"},
		{"time[@class='when']/@datetime", xpath.Test{}, "abbr[@class='date']"},
		{"p[@class='date']/text()", text, "abbr[@class='date']/text()"},
		{"p[@class='date']/text()", title, ""},
		{"p[@class='date']", title, ""},
		{"@datetime", datetime, ""},
	} {
		got, ok := Nearest(expr(t, c.expr), 0, []Element{el("div", "post"), el("abbr", "date")}, c.to, nil)
		if ok != (c.want != "") || ok && got.Expr.String() != c.want {
			t.Errorf("%s towards %s: %v %v, want %s", c.expr, c.to, got.Expr, ok, c.want)
		}
	}
	if _, ok := Nearest(expr(t, "div/a"), 0, nil, xpath.Test{}, nil); ok {
		t.Error("nothing is near an empty path")
	}
}
