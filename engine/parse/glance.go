package parse

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxGlance is the size of a page in bytes up to which its nodes and attributes are not too many, since each takes two bytes at least.
const maxGlance = maxUnits

// glance is an appraisal of what nearly all pages are, without the tokenizer, which takes ten times as long. It gives up where it
// might read a page differently, and where tags in an element that marks text, or in <svg>, are not closed in the order in which they
// were opened.
type glance struct {
	appraisal
	text []byte
	at   int
}

// harmlessAtAGlance reports whether [appraise] certainly lets html.Parse have all of a page. False says nothing.
func harmlessAtAGlance(text []byte) bool {
	if len(text) > maxGlance {
		return false
	}
	g := glance{text: text, appraisal: appraisal{of: map[string]int{}}}
	for {
		begin := bytes.IndexByte(text[g.at:], '<')
		if begin < 0 {
			return g.copies+g.live <= maxCopies
		}
		if begin > 0 {
			g.copies += g.live
		}
		g.at += begin
		if !g.pass() || g.copies > maxCopies {
			return false
		}
	}
}

// pass goes behind the tag, or what else begins with the '<' at g.at; false where it gives up.
func (g *glance) pass() bool {
	rest := g.text[g.at:]
	switch {
	case len(rest) < 3:
		return false
	case isLetter(rest[1]):
		return g.startTag(rest)
	case rest[1] == '/' && isLetter(rest[2]):
		return g.endTag(rest)
	case bytes.HasPrefix(rest, []byte("<!--")):
		end := bytes.Index(rest[4:], []byte("-->"))
		if end < 0 || bytes.Contains(rest[4:4+end], []byte("--!")) || rest[4] == '>' || rest[4] == '-' {
			return false
		}
		g.at += 4 + end + len("-->")
	case rest[1] == '!' && isLetter(rest[2]): // <!DOCTYPE
		end := bytes.IndexByte(rest, '>')
		if end < 0 {
			return false
		}
		g.at += end + 1
	default:
		return false
	}
	return true
}

func (g *glance) startTag(rest []byte) bool {
	most, end, attrs := measureTag(rest)
	name := tagName(rest[1:end])
	t := tokens{kind: html.StartTagToken, name: string(name), atom: atom.Lookup(name), given: attrs}
	if most < end || rest[end-1] != '>' || t.atom == atom.Plaintext {
		return false
	}
	g.at += end
	inSVG := g.foreign > 0
	if inSVG && rest[end-2] == '/' {
		if attrs > 0 && !isSpace(rest[end-3]) && rest[end-3] != '"' {
			return false // the slash may be of an attribute
		}
		t.kind = html.SelfClosingTagToken
	}
	if len(g.open) > 0 || formatting[t.atom] || t.atom == atom.Svg || t.atom == atom.Math || t.atom == atom.Html || t.atom == atom.Body {
		g.start(&t)
	}
	if rawText[t.atom] && t.atom != atom.Noscript {
		return !inSVG && g.passRaw(name, t.atom)
	}
	return true
}

// passRaw goes to the end tag of an element whose content is no markup.
func (g *glance) passRaw(name []byte, a atom.Atom) bool {
	rest := g.text[g.at:]
	for at := 0; ; {
		i := bytes.Index(rest[at:], []byte("</"))
		if i < 0 {
			return false
		}
		at += i + 2
		if behind := at + len(name); behind < len(rest) && bytes.EqualFold(rest[at:behind], name) && endsName(rest[behind]) {
			content := rest[:at-2]
			if len(content) > 0 {
				g.copies += g.live
			}
			g.at += len(content)
			return a != atom.Script || !bytes.Contains(content, []byte("<!--")) // which may hide the end
		}
	}
}

func (g *glance) endTag(rest []byte) bool {
	_, end, _ := measureTag(rest[1:])
	if rest[end] != '>' {
		return false
	}
	g.at += 1 + end
	if len(g.open) == 0 {
		return true
	}
	name := string(tagName(rest[2:]))
	if g.open[len(g.open)-1].name != name {
		return false
	}
	g.end(name)
	return true
}

// tagName gives the name that text begins with, in lower case.
func tagName(text []byte) []byte {
	n := 0
	lower := true
	for n < len(text) && !endsName(text[n]) {
		lower = lower && (text[n] < 'A' || text[n] > 'Z')
		n++
	}
	if lower {
		return text[:n]
	}
	return bytes.ToLower(text[:n])
}

func endsName(c byte) bool { return isSpace(c) || c == '/' || c == '>' }
