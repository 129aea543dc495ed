package parse

import (
	"bytes"
	"testing"

	"golang.org/x/net/html"
)

// units counts the nodes of a tree and their attributes.
func units(n *html.Node) int {
	all := 1 + len(n.Attr)
	for k := range n.Descendants() {
		all += 1 + len(k.Attr)
	}
	return all
}

// pieces are what random pages are made of: what html.Parse copies, moves and closes by
// itself, and what is text in one place and markup in another.
var pieces = []string{
	"<b>", "</b>", "<b x=1>", "<b x=2 y>", "<i>", "</i>", "<font size=1>", "</font>", "<a href=1>", "<a>", "</a>", "<nobr>",
	"</nobr>", "<u>", "</u>", "<s>", "</s>",
	"<div>", "</div>", "<p>", "</p>", "<li>", "</li>", "<ul>", "</ul>", "<h1>", "</h1>", "<table>", "</table>", "<tr>", "</tr>",
	"<td>", "</td>", "<th>", "<tbody>", "</tbody>",
	"<caption>", "</caption>", "<col>", "<colgroup>", "</colgroup>", "<object>", "</object>", "<applet>", "</applet>", "<marquee>",
	"</marquee>", "<template>", "</template>",
	"<button>", "</button>", "<select>", "</select>", "<option>", "<optgroup>", "<form>", "</form>", "<svg>", "</svg>", "<math>",
	"</math>", "<mi>", "</mi>", "<desc>", "</desc>",
	"<foreignObject>", "</foreignObject>", "<title>", "</title>", "<style>", "</style>", "<script>", "</script>", "<textarea>",
	"</textarea>", "<xmp>", "</xmp>", "<noscript>", "</noscript>",
	"<iframe>", "</iframe>", "<noembed>", "<noframes>", "</noframes>", "<frameset>", "</frameset>", "<frame>", "<html>",
	"<html z=1>", "<body>", "<body q=2>", "</body>", "</html>",
	"<head>", "</head>", "<br>", "</br>", "<img>", "<hr>", "<input>", "<ruby>", "<rt>", "<dd>", "</dd>", "<dt>", "<pre>", "</pre>",
	"<b/>", "<x/>", "<x>", "</x>", "<center>", "</center>",
	"<!--", "-->", "<![CDATA[", "]]>", "x", " ", "<font color=1>", "<em>", "</em>", "<span>", "</span>", "<!doctype html>",
	"<main>", "<image>", "<annotation-xml encoding=text/html>",
}

// FuzzAppraise: html.Parse never makes more of a page than it was appraised at.
func FuzzAppraise(f *testing.F) {
	f.Add([]byte{0, 17, 19, 0, 17, 19, 103, 1, 103})
	f.Add([]byte{27, 0, 29, 31, 103, 103, 32, 31, 103})
	f.Fuzz(func(t *testing.T, program []byte) { checkAppraisal(t, pageOf(program)) })
}

// pageOf is the page of pieces that a program names.
func pageOf(program []byte) []byte {
	var page []byte
	for _, c := range program[:min(len(program), 1200)] {
		page = append(page, pieces[int(c)%len(pieces)]...)
	}
	return page
}

// checkAppraisal holds html.Parse to the appraisal of a page.
func checkAppraisal(t *testing.T, page []byte) {
	t.Helper()
	a := &appraisal{of: map[string]int{}}
	for tokens := newTokens(page); tokens.next(); {
		if !a.add(tokens) {
			return
		}
	}
	root, err := html.ParseWithOptions(bytes.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		return
	}
	const implied = 20 // html, head, body and the like; a cell can imply a row and its group
	if got, most := units(root), 2*a.units+a.copies+implied; got > most {
		t.Errorf("%d nodes and attributes of a page of %d tokens that was appraised at %d copies: %s", got, a.units, a.copies, page)
	}
}

// FuzzGlance: what is harmless at a glance is so when it is looked at.
func FuzzGlance(f *testing.F) {
	for _, page := range []string{
		"<!DOCTYPE html><title>x</title><p class='a>b'><a href=x>y<span>z</span></a><svg a=b/><path d=\"\"/></svg><b>x</b>",
		"<script>'</scrip' < \"<!\"</script ><textarea></textareas></textarea><a><!-- a -- > - --><br/>x</a></html>",
		"<b><svg><g x=y/></svg></b><noscript><i>x</i></noscript><x a=/></x><a b='\"' c = d>x</a ><? x ?><i/>x</i>",
		"<svg><title>x</title></svg>", "<p><!-- --!> <b> -->", "<a <b>x</a>", "<b\x00>x</b>", "<svg><style><b></style></svg>",
	} {
		f.Add([]byte(page))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		for _, page := range [][]byte{page, pageOf(page)} {
			if !harmlessAtAGlance(page) {
				continue
			}
			if end, safe := appraise(page); end != len(page) || !safe {
				t.Errorf("harmless at a glance, but appraised as %d, %v: %q", end, safe, page)
			}
		}
	})
}

// FuzzPlain: a plain tree takes every page, holds the bounds, and is a tree.
func FuzzPlain(f *testing.F) {
	f.Add([]byte("<table><b>x<tr><td>y<table><p>z</table><svg><a/><title><b></svg><a href=1><div><a href=2>"))
	f.Fuzz(func(t *testing.T, page []byte) {
		tree := plain(page)
		depth, n := map[*html.Node]int{tree.Root: 0}, 0
		for k := range tree.Root.Descendants() {
			n++
			depth[k] = depth[k.Parent] + 1
			if depth[k] > maxDepth+4 {
				t.Fatal("nested too deep")
			}
		}
		if tree.End != len(page) || n > 2*len(page)+8 {
			t.Errorf("%d nodes of %d bytes, to byte %d", n, len(page), tree.End)
		}
	})
}
