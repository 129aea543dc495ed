package page

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/dates"
)

func read(t *testing.T, text string) *Page {
	t.Helper()
	doc, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	return New(doc, "en", time.Date(2024, 5, 6, 7, 8, 0, 0, time.UTC))
}

// find is the first node with a mark.
func find(t *testing.T, p *Page, mark string) int {
	t.Helper()
	for i, n := range p.Nodes {
		if n.Mark == mark {
			return i
		}
	}
	t.Fatalf("no %s", mark)
	return -1
}

// TestNumbersOfNodes compares words, letters and sums of nodes with what walking them gives.
func TestNumbersOfNodes(t *testing.T) {
	p := read(t, `<body><script>no words</script><div class="b3 a 9 b4"><a href="/x">One two</a> three <b>four</b></div>`+
		`<p>One two three four</p><p>One two four three</p><noscript><i>漢字</i></noscript></body>`)
	div := find(t, p, "div.a.b")
	if got := p.Text(div); got != "One two three four" {
		t.Errorf("text %q", got)
	}
	if p.Letters(div) != 15 || p.LinkLetters(div) != 6 {
		t.Errorf("%d letters, %d in links", p.Letters(div), p.LinkLetters(div))
	}
	same := find(t, p, "p")
	other := p.Nodes[same].End
	if p.Sum(div) != p.Sum(same) || p.Sum(same) == p.Sum(other) {
		t.Error("sums do not tell texts apart")
	}
	if n := find(t, p, "i"); p.Letters(n) != 6 {
		t.Errorf("%d letters of two signs", p.Letters(n))
	}
	if got := p.LinkOf(find(t, p, "a")); got != "/x" {
		t.Errorf("link %q", got)
	}
	for i, n := range p.Nodes {
		sum := 0
		for c := range p.Children(i) {
			if p.Nodes[c].Parent != i {
				t.Errorf("node %d is a child of %d and of %d", c, i, p.Nodes[c].Parent)
			}
			sum += p.Letters(c)
		}
		if n.Type == html.ElementNode && sum != p.Letters(i) {
			t.Errorf("%s: %d letters, its children %d", n.Mark, p.Letters(i), sum)
		}
	}
}

// TestDatesOfNodes reads dates of attributes, texts and texts around them.
func TestDatesOfNodes(t *testing.T) {
	p := read(t, `<time datetime="2020-02-03T04:05:06Z">then</time><p>Posted by Ada on 3 May 2021, 10:15</p>`+
		`<i>yesterday</i><b>12 apples</b>`)
	for mark, want := range map[string]string{"time": "2020-02-03T04:05:06Z", "p": "2021-05-03T10:15:00", "b": "", "i": ""} {
		if got, programs := p.Date(find(t, p, mark)); got != want || programs != (mark == "time") {
			t.Errorf("%s: %q, for programs %v", mark, got, programs)
		}
	}
}

// TestExactDates reads seconds and zone from the attribute inside or around a node of the same date.
func TestExactDates(t *testing.T) {
	for text, want := range map[string]string{
		`<p>Ada, <time datetime="2020-02-03T04:05:06Z">Feb 3, 2020 5:05</time></p>`: "2020-02-03T04:05:06Z",

		`<time datetime="2020-02-03T23:05:06Z"><p>Feb 4, 2020 0:05</p></time>`: "2020-02-03T23:05:06Z",

		`<p>Feb 3, 2020 5:05 <time datetime="2021-02-03T04:05:06Z">changed since</time></p>`: "2020-02-03T05:05:00",

		`<i title="2020-02-03T04:05:06Z">All that was said of the boat <p>Feb 3, 2020 5:05</p></i>`: "2020-02-03T05:05:00",

		`<p>a day</p>`: "",
	} {
		p := read(t, text)
		if got := p.ExactDate(find(t, p, "p")); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestDeepPages bounds what is read of a hostile page.
func TestDeepPages(t *testing.T) {
	n := &html.Node{Type: html.ElementNode, Data: "div"}
	top := n
	for range 3 * maxDepth {
		c := &html.Node{Type: html.ElementNode, Data: "div"}
		n.AppendChild(c)
		n = c
	}
	if p := New(top, "", time.Time{}); !p.Cut || len(p.Nodes) > maxDepth+2 {
		t.Errorf("%d nodes, cut %v", len(p.Nodes), p.Cut)
	}
}

// TestDatesOfTexts compares the dates of nodes with those of their texts, each read for itself.
func TestDatesOfTexts(t *testing.T) {
	captured := time.Date(2024, 5, 6, 7, 8, 0, 0, time.UTC)
	p := read(t, `<body><p><b><i>May 3, 2024</i></b></p><div>12</div><div>(5)</div><div>3 replies</div><div>2024</div><div>1.2.2024</div>`+
		`<div>20240203</div><div>3/2</div><div>3 days ago</div><div>10:30</div><div><b>5</b> <b>May</b> <b>2024</b></div>`+
		`<div>5月3日</div><div>٣</div>`+
		`<div>1714900000</div><div>7 2 2024</div><div>-</div><p>May 3, 2024</p></body>`)
	r := dates.NewReader("en", captured, p.numericTexts())
	found := 0
	for i, n := range p.Nodes {
		want := ""
		if n.to-n.from <= 24 && strings.ContainsFunc(p.Text(i), unicode.IsDigit) {
			want = r.Find(p.Text(i), dates.Usual{})
		}
		got, _ := p.Date(i)
		if got != want {
			t.Errorf("%q: date %q, want %q", p.Text(i), got, want)
		}
		if want != "" {
			found++
		}
	}
	if found < 10 {
		t.Errorf("%d dates", found)
	}
}
