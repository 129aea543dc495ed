package corpora

import (
	"hash/fnv"
	"html"
	"math/rand/v2"
	"strings"
	"unicode"
)

// draw returns the generator of one page of one corpus, or of one facet of it: the same
// arguments give the same numbers with every release of Go.
func draw(facet string, i int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(facet))
	return rand.New(rand.NewPCG(h.Sum64(), uint64(i)))
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// title writes the first letter large.
func title(s string) string {
	for i, c := range s {
		return string(unicode.ToUpper(c)) + s[i+len(string(c)):]
	}
	return s
}

// split makes a list of what commas separate.
func split(s string) []string {
	list := strings.Split(s, ",")
	for i := range list {
		list[i] = strings.Join(strings.Fields(list[i]), " ")
	}
	return list
}

// table is the markup of rows of cells, which are text.
func table(head []string, lines ...[]string) string {
	var b strings.Builder
	b.WriteString("<table>\n")
	row := func(tag string, cells []string) {
		if len(cells) == 0 {
			return
		}
		b.WriteString("<tr>")
		for _, c := range cells {
			b.WriteString("<" + tag + ">" + html.EscapeString(c) + "</" + tag + ">")
		}
		b.WriteString("</tr>\n")
	}
	row("th", head)
	for _, l := range lines {
		row("td", l)
	}
	return b.String() + "</table>"
}

// pairs is the markup of names with values, which are text.
func pairs(list ...string) string {
	var b strings.Builder
	b.WriteString("<dl>\n")
	for i := 0; i+1 < len(list); i += 2 {
		b.WriteString("<dt>" + html.EscapeString(list[i]) + "</dt><dd>" + html.EscapeString(list[i+1]) + "</dd>\n")
	}
	return b.String() + "</dl>"
}

// para is the markup of paragraphs of text.
func para(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		b.WriteString("<p>" + html.EscapeString(t) + "</p>\n")
	}
	return b.String()
}

// pre is the markup of text with its lines.
func pre(text string) string { return "<pre>" + html.EscapeString(text) + "</pre>" }
