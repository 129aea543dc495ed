package extract

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// Fields of what quotes others.
const (
	contentField = "content"
	ownField     = "content_own" // the content without what it quotes
	quotedField  = "quoted"      // each quotation, with the words that say whose it is
	replyField   = "reply_of"    // what the quotations are of
)

// quotations finds the outermost quotations below n: blockquotes, and what the templates of
// boards name so, with the line above that says who wrote it.
func (r *run) quotations(n *html.Node, left func(*html.Node) bool) (quotes []*html.Node) {
	var walk func(*html.Node, int)
	walk = func(n *html.Node, depth int) {
		for k := n.FirstChild; k != nil; k = k.NextSibling {
			switch {
			case k.Type != html.ElementNode || left(k) || depth > maxDepth || !r.work.Spend(1):
			case isQuotation(k) && !isFrame(k):
				quotes = append(quotes, k)
			default:
				walk(k, depth+1)
			}
		}
	}
	walk(n, 0)
	return quotes
}

func isQuotation(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Blockquote:
		return true
	case atom.Table: // phpBB 2: the names in one row, the text in the next
		return quoteCell(n, "quote")
	case atom.Div: // vBulletin 3: "Quote:" above a table
		if quoteCell(n, "alt2") {
			return true
		}
	case atom.P:
		return attr(n, "class") == "citation" // IP.Board 3, above a blockquote
	case atom.Aside, atom.Fieldset, atom.Dl:
	default:
		return false
	}
	return namedQuote(n)
}

// namedQuote reports whether a class of an element says that it is a quotation, and not that it can be quoted.
func namedQuote(n *html.Node) bool {
	for _, token := range strings.Fields(strings.ToLower(attr(n, "class"))) {
		if strings.Contains(token, "quote") && !strings.Contains(token, "unquote") && !strings.Contains(token, "noquote") &&
			!strings.Contains(token, "selectquote") {
			return true
		}
	}
	return false
}

// Quoted reports whether a node is in a quotation that is in another node, or is one.
func Quoted(n, in *html.Node) bool {
	for ; n != nil && n != in; n = n.Parent {
		if isQuotation(n) && !isFrame(n) {
			return true
		}
	}
	return false
}

// isFrame reports whether a blockquote is what a template puts around all that somebody wrote, as vBulletin 4 and XenForo 1 do: it
// stands alone, and its name says nothing of a quotation.
func isFrame(n *html.Node) bool {
	if n.DataAtom != atom.Blockquote || attr(n, "class") == "" || namedQuote(n) {
		return false
	}
	for k := n.Parent.FirstChild; k != nil; k = k.NextSibling {
		if k != n && (k.Type == html.ElementNode || k.Type == html.TextNode && strings.TrimSpace(k.Data) != "") {
			return false
		}
	}
	return true
}

// quoteCell reports whether the cells of a table, or of the only table right below a block, are of a class.
func quoteCell(n *html.Node, class string) bool {
	if n.DataAtom == atom.Div {
		table := n.LastChild
		for table != nil && table.Type != html.ElementNode {
			table = table.PrevSibling
		}
		if n = table; n == nil || n.DataAtom != atom.Table {
			return false
		}
	}
	for body := n.FirstChild; body != nil; body = body.NextSibling {
		for row := body.FirstChild; row != nil; row = row.NextSibling {
			for cell := row.FirstChild; cell != nil; cell = cell.NextSibling {
				if cell.DataAtom == atom.Td && slices.Contains(strings.Fields(attr(cell, "class")), class) {
					return true
				}
			}
		}
	}
	return false
}

// isHead reports whether a quotation is the line above another: of SMF and IP.Board 2 and 3.
func isHead(n, next *html.Node) bool {
	after := n.NextSibling
	for after != nil && after.Type != html.ElementNode {
		after = after.NextSibling
	}
	class := attr(n, "class")
	return after == next && (strings.HasSuffix(class, "quoteheader") || class == "quotetop" || class == "citation")
}

// quoting gives what the author of a content wrote, and what it quotes; ok is false where it quotes nothing.
func (r *run) quoting(n *html.Node, left func(*html.Node) bool) (own string, quoted []string, ok bool) {
	quotes := r.quotations(n, left)
	if len(quotes) == 0 {
		return "", nil, false
	}
	r.quotes = append(r.quotes, quotes...)
	own = (&copier{work: r.work, left: func(n *html.Node) bool { return left(n) || slices.Contains(quotes, n) }}).blockText(n)
	all := &copier{work: r.work, left: left}
	size := len(own)
	head := "" // of the next
	for i, q := range quotes {
		t := strings.TrimPrefix(head+"\n"+all.blockText(q), "\n")
		if head = ""; i+1 < len(quotes) && isHead(q, quotes[i+1]) {
			head = t
		} else if t != "" {
			quoted, size = append(quoted, t), size+len(t)
		}
	}
	return own, quoted, len(quoted) > 0 && r.keep(size)
}

// answered gives the ids of the objects that those which an object quotes are from, as far
// as its quotations say it.
func (r *run) answered(id string) []Field {
	var of []string
	for _, q := range r.quotes {
		if target := r.quotedID(id, q); target != "" && target != id && !slices.Contains(of, target) && r.keep(len(target)) {
			of = append(of, target)
		}
	}
	if len(of) == 0 {
		return nil
	}
	return []Field{{Name: replyField, As: kb.URL, Values: of}}
}

// quotedID is the id of what a quotation is from, which is like that of what quotes it; ""
// where the page does not tell. Links tell it, or attributes with its number.
func (r *run) quotedID(own string, quote *html.Node) string {
	var nodes []*html.Node
	for d := range quote.Descendants() {
		nodes = append(nodes, d)
	}
	for _, n := range append([]*html.Node{quote}, nodes...) {
		if n.Type != html.ElementNode || r.deeper(n, quote) {
			continue
		}
		for _, name := range []string{"cite", "href"} {
			if target := r.likeID(own, r.resolve.id(attr(n, name))); target != "" {
				return target
			}
		}
		for _, name := range numberAttributes {
			if target := numbered(own, lastDigits.FindString(attr(n, name)), attr(n, "data-topic")); target != "" {
				return target
			}
		}
	}
	return ""
}

// deeper reports whether a node is in a quotation inside a quotation.
func (r *run) deeper(n, quote *html.Node) bool {
	inside := 0
	for ; n != nil && n != quote; n = n.Parent {
		if n.DataAtom == atom.Blockquote {
			inside++
		}
	}
	return inside > 1 || inside == 1 && quote.DataAtom == atom.Blockquote
}

// numberAttributes hold the number of the post that is quoted: of XenForo 2, phpBB 3.2, IP.Board 4 and 3, Discourse.
var numberAttributes = []string{"data-source", "data-post-id", "data-ipsquote-contentcommentid", "data-cid", "data-post"}

var (
	lastDigits = regexp.MustCompile(`[0-9]+$`)
	digitRuns  = regexp.MustCompile(`[0-9]+`)
)

// likeID makes of an address an id that is like another one; "" for what is none.
func (r *run) likeID(own, address string) string {
	page, fragment, _ := strings.Cut(address, "#")
	ownPage, ownFragment, _ := strings.Cut(own, "#")
	key := r.objectKey(page)
	if key == "" || fragment == "" {
		return ""
	}
	shape := func(s string) string { return digitRuns.ReplaceAllString(s, "9") }
	switch {
	case shape(fragment) != shape(ownFragment):
		return ""
	case shape(key) == shape(ownPage):
		return key + "#" + fragment
	}
	return numbered(own, lastDigits.FindString(fragment), "")
}

// numbered is an id with another number, and perhaps that of another thread, instead of its own.
func numbered(own, number, thread string) string {
	page, fragment, found := strings.Cut(own, "#")
	was := lastDigits.FindString(fragment)
	if !found || was == "" || number == "" {
		return ""
	}
	replace := func(s string) string {
		return digitRuns.ReplaceAllStringFunc(s, func(run string) string {
			if run == was {
				return number
			}
			return run
		})
	}
	if thread != "" {
		at := lastDigits.FindStringIndex(page)
		if at == nil || digitRuns.FindString(thread) != thread {
			return ""
		}
		return page[:at[0]] + thread + "#" + replace(fragment)
	}
	if path, query, has := strings.Cut(page, "?"); has {
		page = path + "?" + replace(query)
	}
	return page + "#" + replace(fragment)
}
