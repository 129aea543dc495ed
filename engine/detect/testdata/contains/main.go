// Command contains compares the automaton with nothing but the contains() of 5,000 types on one value with the automaton
// of Aho and Corasick, as two libraries make it: over all such values of saved pages, which for ours are a tree of nothing
// else. It prints the least times. It is a module of its own, so that awarc's users do not download what only it needs.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	trie "github.com/BobuSumisu/aho-corasick"
	"github.com/cloudflare/ahocorasick"
	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
)

// names are those of BenchmarkScale.
var names = []string{
	"phpbb/mirror-eaglecraft/index.php@news=535.html",
	"smf/mirror-bitcointalk/index.php?action=unread;board=6.0.html",
	"joomla/nachtkritik.de/traf-nachtkritik.de-Dragqueens.html",
	"medium/netflixtechblog.com/wcxb-dev-2972.html",
	"wordpress/darkveins.com/autopager-201.html",
	"vbulletin/mirror-klnet/showthread.php-t=5009.html",
}

func main() {
	dir := flag.String("pages", "../shared/pages", "folder of the saved pages")
	flag.Parse()
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		log.Fatal(err)
	}
	var pages []*html.Node
	for _, name := range names {
		source, err := os.ReadFile(filepath.Join(*dir, name))
		if err != nil {
			log.Fatal(err)
		}
		root, err := html.Parse(bytes.NewReader(source))
		if err != nil {
			log.Fatal(err)
		}
		u := &url.URL{Scheme: "http", Host: "saved.invalid", Path: "/"}
		pages = append(pages, yfilter.Document(root, yfilter.Meta{Status: http.StatusOK, URL: u}))
	}
	base = detect.Synthetic(base, pages, 5000, 1)
	fmt.Printf("%-14s %9s %9s %12s %14s %14s\n", "value", "literals", "bytes", "matcher us", "cloudflare us", "BobuSumisu us")
	for _, of := range []asked{{"script", "text()"}, {"a", "@href"}, {"img", "@src"}} {
		of.compare(base, pages)
	}
}

// asked is a value of an element of which patterns ask what it contains.
type asked struct{ tag, value string }

func (of asked) compare(base *kb.Base, pages []*html.Node) {
	nfa, literals := of.patterns(base)
	all, values, size := of.values(pages)
	linked, array := ahocorasick.NewStringMatcher(literals), trie.NewTrieBuilder().AddStrings(literals).Build()
	parts := []func(){
		func() { nfa.Run(all, func(int, *html.Node, string) bool { return true }) },
		func() {
			for _, v := range values {
				linked.Match(v)
			}
		},
		func() {
			for _, v := range values {
				array.Walk(v, func(_, _, _ int64) bool { return true })
			}
		},
	}
	times := slices.Repeat([]time.Duration{1 << 62}, len(parts))
	for range 120 {
		for k, f := range parts {
			start := time.Now()
			f()
			times[k] = min(times[k], time.Since(start))
		}
	}
	us := func(k int) float64 { return float64(times[k]) / 1e3 }
	fmt.Printf("%-14s %9d %9d %12.0f %14.0f %14.0f\n", of.tag+" "+of.value, len(literals), size, us(0), us(1), us(2))
}

// patterns makes an automaton of nothing but the value's contains(), and returns its literals.
func (of asked) patterns(base *kb.Base) (*yfilter.NFA, []string) {
	var literals []string
	builder := yfilter.NewBuilder()
	add := func(p kb.Pattern) {
		for _, s := range p.Expr.Steps {
			for _, c := range s.Preds {
				if c.Kind == xpath.Contains && s.Test.Name == of.tag && c.Value.String() == of.value && !slices.Contains(literals, c.Literal) {
					literals = append(literals, c.Literal)
					builder.Add(&xpath.Expr{Steps: []xpath.Step{{Axis: xpath.Descendant, Test: s.Test, Preds: []xpath.Pred{c}}}})
				}
			}
		}
	}
	for _, t := range base.Types {
		for _, p := range t.Detect {
			add(p)
		}
		for _, l := range t.Levels {
			for _, p := range l.Detect {
				add(p)
			}
		}
	}
	return builder.Build(), literals
}

// values returns the values of the pages' elements, as a tree of them alone and as they are, and their bytes.
func (of asked) values(pages []*html.Node) (all *html.Node, values [][]byte, size int) {
	all = &html.Node{Type: html.ElementNode, Data: "all"}
	add := func(n *html.Node, value string) {
		all.AppendChild(n)
		values = append(values, []byte(value))
		size += len(value)
	}
	for _, page := range pages {
		for n := range page.Descendants() {
			if n.Type != html.ElementNode || n.Data != of.tag {
				continue
			}
			if c := n.FirstChild; of.value == "text()" && c != nil {
				alone := &html.Node{Type: html.ElementNode, Data: n.Data}
				alone.AppendChild(&html.Node{Type: html.TextNode, Data: c.Data})
				add(alone, c.Data)
			}
			for _, a := range n.Attr {
				if "@"+a.Key == of.value {
					add(&html.Node{Type: html.ElementNode, Data: n.Data, Attr: []html.Attribute{a}}, a.Val)
				}
			}
		}
	}
	return all, values, size
}
