package yfilter

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/yfilter/xpath"
	"golang.org/x/net/html"
)

// pagesDir holds saved pages of real sites, where they are at hand.
const pagesDir = "../../shared/pages"

// realPages parses every n-th of the saved pages.
func realPages(t testing.TB, n int) []*html.Node {
	t.Helper()
	index, err := os.Open(filepath.Join(pagesDir, "index.tsv"))
	if err != nil {
		t.Skipf("the comparison on real pages is skipped: %v", err)
	}
	defer index.Close()
	var roots []*html.Node
	lines := bufio.NewScanner(index)
	for i := 0; lines.Scan(); i++ {
		fields := strings.Split(lines.Text(), "\t")
		if i == 0 || i%n != 0 {
			continue
		}
		page, err := os.ReadFile(filepath.Join(pagesDir, fields[len(fields)-1]))
		if err != nil {
			t.Fatal(err)
		}
		root, err := html.Parse(bytes.NewReader(page))
		if err != nil {
			t.Logf("%s: %v", fields[len(fields)-1], err)
			continue
		}
		roots = append(roots, Document(root, testMeta()))
	}
	return roots
}

// usualPatterns are the kind of thing that a knowledge base says.
var usualPatterns = []string{
	"meta[@name='generator'][starts-with(@content, 'WordPress')]/@content",
	"meta[@name='generator'][contains(@content, 'vBulletin')]",
	"body[@id='phpbb']", "body[contains(@class, 'single')]", "link[contains(@href, 'wp-content')]",
	"script[contains(@src, 'vbulletin')]", "script[contains(., 'vb_disable_ajax')]",
	"a[starts-with(@href, './viewforum.php')]/@href", "a[contains(@href, 'showthread.php')]/text()",
	"a[@rel='next'][1]/@href", "link[@rel='next'][last()]/@href", "a[contains(., 'phpBB')]",
	"div[contains(@class, 'postbody')]//div[@class='content']", "p[@class='author']//a[last()]",
	"div[@class='pagination']/text()[last()]", "td[span='Author']", "table[@id]/tbody/tr[2]/td[1]",
	"h1[contains(@class, 'entry-title')]/a/@href", "article//time/@datetime", "article[1]//p[1]",
	"ol[contains(@class, 'comment')]/li[not(@class='pingback')]", "div[not(@class)][not(@id)]/p",
	"div[starts-with(@id, 'post')]//a[img]/@href", "ul/li[last()]/a", "title[.='']", "title/text()",
	"div[contains(., 'Powered by')]", "body[contains(., 'All times are')]", "span[.='1']", "li[1]//a[1]/@*",
	"/page/html/head/meta", "/page/http/status[.='200']", "http/cookie[starts-with(@name, 'phpbb')]/text()",
	"url/path[contains(., 'viewtopic.php')]", "url/param[@name='t']", "/page/*/*[1]", "html//@id[starts-with(., 'p')]",
	"form[input]//input[@type='hidden'][@name='sid']/@value", "table//table//td[@class='row1']//text()",
}

// plausible makes an expression that selects some element of a page, in the
// way in which somebody who looks at its source would write it.
func plausible(r *rand.Rand, elements []*html.Node) string {
	var e xpath.Expr
	n := elements[r.IntN(len(elements))]
	for range 1 + r.IntN(3) {
		s := xpath.Step{Axis: xpath.Axis(r.IntN(2)), Test: xpath.Test{Kind: xpath.Tag, Name: n.Data}}
		if len(n.Attr) > 0 && r.IntN(3) > 0 {
			a := n.Attr[r.IntN(len(n.Attr))]
			p := xpath.Pred{Kind: xpath.PredKind(r.IntN(4)), Value: xpath.Test{Kind: xpath.Attr, Name: a.Key}}
			if p.Kind != xpath.Exists {
				words := strings.Fields(a.Val + " x")
				p.Literal = words[0]
			}
			s.Preds = append(s.Preds, p)
		}
		if r.IntN(8) == 0 {
			s.Preds = append(s.Preds, xpath.Pred{Kind: xpath.Position, N: 1 + r.IntN(2)})
		}
		e.Steps = append([]xpath.Step{s}, e.Steps...)
		if n = n.Parent; n.Type != html.ElementNode {
			break
		}
	}
	e.Steps[0].Axis = xpath.Descendant
	return e.String()
}

// TestRealPages is the comparison of FuzzAgainstXPath with the patterns and
// pages of real life.
func TestRealPages(t *testing.T) {
	roots := realPages(t, 24)
	var exprs []*xpath.Expr
	for _, s := range usualPatterns {
		e, err := xpath.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		exprs = append(exprs, e)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, root := range roots {
		var elements []*html.Node
		for n := root; n != nil; n = following(n, root) {
			if n.Type == html.ElementNode {
				elements = append(elements, n)
			}
		}
		for range 8 {
			if e, err := xpath.Parse(plausible(r, elements)); err == nil {
				exprs = append(exprs, e)
			}
		}
	}
	b := NewBuilder()
	for _, e := range exprs {
		b.Add(e)
	}
	nfa := b.Build()
	nonempty := 0
	for i, root := range roots {
		all := runAll(t, nfa, root, false)
		compareOrder(t, root, all)
		compareFirst(t, all, runAll(t, nfa, root, true))
		sets := make([]map[point]bool, len(exprs))
		for _, m := range all {
			if sets[m.pattern] == nil {
				sets[m.pattern] = map[point]bool{}
				nonempty++
			}
			sets[m.pattern][m.at] = true
		}
		for k, e := range exprs {
			want, err := map[point]bool(nil), error(nil)
			if antchfxIsWrong(e) != "" {
				want = selectByHand(root, e)
			} else if want, err = byAntchfx(root, e.XPath(false)); err != nil {
				t.Errorf("%s: %v", e, err)
			}
			if !sameSet(sets[k], want) {
				t.Errorf("page %d: %s: automaton selects %s, want %s", i, e, show(sets[k]), show(want))
			}
		}
	}
	t.Logf("%d pages, %d patterns, %d of the pairs match", len(roots), len(exprs), nonempty)
	if nonempty < 1000 {
		t.Errorf("only %d pairs of page and pattern match: the comparison says little", nonempty)
	}
}
