package yfilter

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/awarc/awarc/yfilter/xpath"
	"golang.org/x/net/html"
)

// The string-value of an element is all the text below it, in order; comments
// do not count, scripts and styles do. Collecting it anew for every element
// that a predicate asks about takes quadratic time in a tree of nested
// elements, which a hostile page is free to send. So there are three ways,
// tried in this order:
//
//  1. no child, or one text: compare it where it is;
//  2. a small subtree: collect its text, looking at gatherNodes nodes and
//     gatherBytes bytes at most;
//  3. anything else: collect the text of the whole tree once per walk, with
//     the part of it that belongs to each element, and for each literal once
//     where it occurs.
const (
	gatherNodes = 64
	gatherBytes = 1024
)

// A reader compares the string-values of elements below root.
type reader struct {
	root *html.Node

	last *html.Node // whose text is in buf
	buf  []byte

	whole []byte // the text of the tree below root, once spans is not empty
	spans map[*html.Node]span
	marks map[string]*marks // by literal: see next
	trees uint64            // that were read
}

// marks are where a literal occurs in one of the trees.
type marks struct {
	tree uint64
	at   []int
}

// span is the part of whole that is the text of an element.
type span struct{ from, to int }

// reset forgets the tree, and memory that only an exceptional tree needs.
func (t *reader) reset() {
	t.root, t.last = nil, nil
	if len(t.spans) > 1<<14 || cap(t.whole) > 1<<20 || len(t.marks) > 1<<10 {
		t.whole, t.spans, t.marks = nil, nil, nil
	}
	t.whole = t.whole[:0]
	clear(t.spans)
	t.trees++
}

// matches applies the comparison of p to the string-value of an element.
func (t *reader) matches(p *xpath.Pred, n *html.Node) bool {
	if s, ok := t.value(n); ok {
		return p.Compare(s)
	}
	t.index()
	s := t.spans[n]
	if p.Kind == xpath.Contains && s.to-s.from > block {
		at := t.next(p.Literal, s.from)
		return at >= 0 && at+len(p.Literal) <= s.to
	}
	return p.Compare(view(t.whole[s.from:s.to]))
}

// value returns the string-value of an element where that is quickly found.
// It is good until the next call.
func (t *reader) value(n *html.Node) (s string, ok bool) {
	if n.FirstChild == nil {
		return "", true
	}
	if c := onlyText(n); c != nil {
		return c.Data, true
	}
	if t.gather(n) {
		return view(t.buf), true
	}
	return "", false
}

// onlyText returns the child of n if it has one child, which is a text, else nil.
func onlyText(n *html.Node) *html.Node {
	if c := n.FirstChild; c != nil && c.NextSibling == nil && c.Type == html.TextNode {
		return c
	}
	return nil
}

// long returns the string-value of any element, good until reset.
func (t *reader) long(n *html.Node) string {
	t.index()
	s := t.spans[n]
	return view(t.whole[s.from:s.to])
}

// all returns the text of the whole tree, good until reset.
func (t *reader) all() string {
	t.index()
	return view(t.whole)
}

// view makes a string of bytes without copying them: what it returns changes
// with them.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// gather collects the text of a small element in buf. It reports false when
// the element is not small.
func (t *reader) gather(n *html.Node) bool {
	if t.last == n {
		return true
	}
	t.last, t.buf = nil, t.buf[:0]
	nodes := 0
	for c := following(n, n); c != nil; c = following(c, n) {
		if c.Type == html.TextNode {
			t.buf = append(t.buf, c.Data...)
		}
		if nodes++; nodes > gatherNodes || len(t.buf) > gatherBytes {
			return false
		}
	}
	t.last = n
	return true
}

// following returns the node after n in document order, or nil at the end of
// the tree below top.
func following(n, top *html.Node) *html.Node {
	if n.FirstChild != nil {
		return n.FirstChild
	}
	for n != top {
		if n.NextSibling != nil {
			return n.NextSibling
		}
		n = n.Parent
	}
	return nil
}

// index collects the text of the whole tree and the span of each element, once.
func (t *reader) index() {
	if len(t.spans) > 0 {
		return
	}
	if t.spans == nil {
		t.spans = map[*html.Node]span{}
	}
	n := t.root
	for {
		switch n.Type {
		case html.TextNode:
			t.whole = append(t.whole, n.Data...)
		case html.ElementNode, html.DocumentNode:
			t.spans[n] = span{from: len(t.whole)}
		}
		if n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for n.NextSibling == nil || n == t.root {
			t.end(n)
			if n == t.root {
				return
			}
			n = n.Parent
		}
		t.end(n)
		n = n.NextSibling
	}
}

// end sets the end of the span of n, if it has one.
func (t *reader) end(n *html.Node) {
	if s, ok := t.spans[n]; ok {
		s.to = len(t.whole)
		t.spans[n] = s
	}
}

// block is the distance of the marks in the text.
const block = 512

// next returns where literal occurs in whole at or after from, or -1. marks
// holds the answer for every multiple of block, so that no more than one block
// is searched.
func (t *reader) next(literal string, from int) int {
	m := t.marks[literal]
	if m == nil {
		if t.marks == nil {
			t.marks = map[string]*marks{}
		}
		m = &marks{}
		t.marks[literal] = m
	}
	if len(m.at) == 0 || m.tree != t.trees {
		m.tree, m.at = t.trees, t.mark(literal, m.at[:0])
	}
	b := from / block
	if at := t.inBlock(literal, from, b); at >= 0 {
		return at
	}
	return m.at[b+1]
}

// mark appends, for each block, the first occurrence that begins in it or later.
func (t *reader) mark(literal string, at []int) []int {
	at = slices.Grow(at, len(t.whole)/block+2)[:len(t.whole)/block+2]
	at[len(at)-1] = -1
	for b := len(at) - 2; b >= 0; b-- {
		at[b] = t.inBlock(literal, b*block, b)
		if at[b] < 0 {
			at[b] = at[b+1]
		}
	}
	return at
}

// inBlock returns where literal first begins at or after from but in block b,
// or -1.
func (t *reader) inBlock(literal string, from, b int) int {
	to := min((b+1)*block+len(literal)-1, len(t.whole))
	if from >= to {
		return -1
	}
	if at := strings.Index(view(t.whole[from:to]), literal); at >= 0 {
		return from + at
	}
	return -1
}
