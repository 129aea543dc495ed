package testsites

import (
	"html"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// blockKind says how a piece of a message is shown.
type blockKind int

const (
	paragraph blockKind = iota
	quotation
	list
	code
	picture
	bold
	linked
	heading
)

// block is one piece of a message, before any markup.
type block struct {
	kind  blockKind
	text  string
	items []string // of a list
	who   string   // quoted author
	ref   int      // quoted post, or number of the picture
}

// message writes the blocks of a text: one to four paragraphs and now and then something else.
func (l *language) message(r *random) []block {
	var out []block
	for range 1 + r.n(3) {
		out = append(out, block{kind: paragraph, text: l.paragraph(r, 1+r.n(4))})
	}
	switch r.n(14) {
	case 0:
		var items []string
		for range 2 + r.n(3) {
			items = append(items, l.sentence(r))
		}
		out = append(out, block{kind: list, items: items})
	case 1:
		out = append(out, block{kind: code, text: "for i in $(seq " + itoa(1+r.n(90)) + "); do echo \"<$i>\" && sleep 1\ndone"})
	case 2:
		out = append(out, block{kind: bold, text: l.sentence(r)})
	case 3:
		out = append(out, block{kind: picture, ref: 1 + r.n(500)})
	case 4:
		out = append(out, block{kind: linked, text: "https://example.org/notes?id=" + itoa(r.n(1000)) + "&v=2"})
	}
	return out
}

// textOf is the text of a body as a reader sees it: tags away, entities resolved, block ends and <br> as line breaks,
// white space within a line collapsed, empty lines dropped. It is meant for the markup that this package writes.
func textOf(body string) string {
	var b strings.Builder
	for body != "" {
		text, rest, more := strings.Cut(body, "<")
		b.WriteString(html.UnescapeString(strings.ReplaceAll(text, "\n", " ")))
		if !more {
			break
		}
		tag, after, _ := strings.Cut(rest, ">")
		body = after
		switch name := strings.Trim(strings.ToLower(strings.Fields(tag + " x")[0]), "/"); name {
		case "p", "br", "div", "li", "ul", "ol", "blockquote", "pre", "h2", "h3", "cite", "dl", "dt", "dd", "table", "tr", "td", "figure",
			"figcaption", "hr":
			b.WriteByte('\n')
		case "!--nextpage--":
			b.WriteByte('\n')
		}
	}
	var lines []string
	for line := range strings.SplitSeq(b.String(), "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
