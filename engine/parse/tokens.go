package parse

import (
	"bytes"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxAttrs bounds the attributes of a tag: each of them is copied with the element, and
// the tokenizer keeps their names in a map.
const maxAttrs = 256

// maxToken bounds a tag, comment or text in bytes: the tokenizer keeps up to three times as much of one.
const maxToken = 4 << 20

// tokens reads the tags and texts of a page one by one. It drives an [html.Tokenizer],
// which never sees a tag with more than maxAttrs attributes: the rest are cut from it.
type tokens struct {
	at, end   int // where the current token begins and ends in the text
	from      int // where to read on so that the token is read the same: at, or the tag that makes it no markup
	kind      html.TokenType
	name      string // of a tag, in lower case
	atom      atom.Atom
	given     int  // attributes of a start tag, those that were cut too
	shortened bool // a tag so far lost attributes, or a token so far its end

	text []byte
	z    *html.Tokenizer
	raw  bool   // the next token is not markup
	in   bool   // nor is the current one
	of   string // the element that the token belongs to that is not markup
	long bool   // the current token was too long: the tokenizer goes on behind it
}

func newTokens(text []byte) *tokens {
	return &tokens{text: text, z: newTokenizer(bytes.NewReader(text))}
}

func newTokenizer(r io.Reader) *html.Tokenizer {
	z := html.NewTokenizer(r)
	z.SetMaxBuf(maxToken)
	return z
}

// next goes to the next token; false at the end of the page.
func (t *tokens) next() bool {
	if !t.raw {
		t.from = t.end
	}
	t.at, t.in = t.end, t.raw
	if t.long {
		t.z, t.long = newTokenizer(bytes.NewReader(t.text[t.at:])), false
	}
	end := 0
	t.given = 0
	if rest := t.text[t.at:]; !t.raw && len(rest) > 1 && rest[0] == '<' && isLetter(rest[1]) {
		var most int
		if most, end, t.given = measureTag(rest); most < end {
			t.shortened = true
			t.z = newTokenizer(io.MultiReader(bytes.NewReader(rest[:most]), strings.NewReader(">"), bytes.NewReader(rest[end:])))
		} else {
			end = 0
		}
	}
	t.kind = t.z.Next()
	t.name, t.atom, t.raw = "", 0, false
	if len(t.z.Raw()) >= maxToken {
		t.passLong()
		return true
	}
	if t.kind == html.ErrorToken {
		return false
	}
	if t.end = t.at + end; end == 0 {
		t.end = t.at + len(t.z.Raw())
	}
	if t.kind == html.StartTagToken || t.kind == html.EndTagToken || t.kind == html.SelfClosingTagToken {
		name, _ := t.z.TagName()
		if t.atom = atom.Lookup(name); t.atom != 0 {
			t.name = t.atom.String()
		} else {
			t.name = string(name)
		}
		t.of = t.name
		if t.raw = t.kind != html.EndTagToken && rawText[t.atom]; t.atom == atom.Noscript {
			t.markup() // scripts are not run
		}
	}
	return true
}

// passLong ends the current token, of which the tokenizer has read as much as it may. A text is read on as another one;
// of all else the end is passed over, and a tag is left out.
func (t *tokens) passLong() {
	t.long = true
	if t.kind == html.TextToken && !t.in {
		t.end = t.at + len(t.z.Raw())
		return
	}
	t.end, t.shortened = t.at+longEnd(t.text[t.at:], t.in, t.of), true
	if t.kind != html.TextToken {
		t.kind = html.DoctypeToken // which nobody looks at
	}
}

// longEnd gives the end of the tag or comment that text begins with or, in an element whose content is no markup, that of
// the content.
func longEnd(text []byte, in bool, element string) int {
	if !in && len(text) > 1 && isLetter(text[1]) {
		_, end, _ := measureTag(text)
		return end
	}
	mark := ">"
	if in {
		mark = "</"
	} else if bytes.HasPrefix(text, []byte("<!--")) {
		mark = "-->"
	}
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(mark))
		if i < 0 {
			return len(text)
		}
		at += i + len(mark)
		if !in {
			return at
		}
		if name := text[at:min(at+len(element), len(text))]; strings.EqualFold(string(name), element) {
			return at - len(mark)
		}
	}
}

// markup says that what follows a tag is not raw.
func (t *tokens) markup() {
	t.raw = false
	t.z.NextIsNotRawText()
}

// attrs gives the attributes of a tag. It may be asked once.
func (t *tokens) attrs() []html.Attribute {
	var list []html.Attribute
	for more := true; more; {
		var key, val []byte
		if key, val, more = t.z.TagAttr(); len(key) > 0 {
			list = append(list, html.Attribute{Key: string(key), Val: string(val)})
		}
	}
	return list
}

// nodes is how many nodes and attributes the current token makes, besides what it implies.
func (t *tokens) nodes() int {
	if t.kind == html.EndTagToken && t.atom != atom.P && t.atom != atom.Br {
		return 0
	}
	return 1 + t.given
}

// rawText are the elements whose content is not markup, as the tokenizer has it.
var rawText = map[atom.Atom]bool{
	atom.Iframe: true, atom.Noembed: true, atom.Noframes: true, atom.Noscript: true, atom.Plaintext: true, atom.Script: true,
	atom.Style: true, atom.Textarea: true, atom.Title: true, atom.Xmp: true,
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' }

// measureTag gives the end of the start tag that text begins with, and how much of it
// holds its first maxAttrs attributes: the same where it has no more. Attributes end where
// they do for the tokenizer; those without a name and those named twice count here.
func measureTag(text []byte) (most, end, attrs int) {
	i := 1
	for i < len(text) && !isSpace(text[i]) && text[i] != '/' && text[i] != '>' {
		i++
	}
	for ; ; attrs++ {
		i = afterSpace(text, i)
		if attrs == maxAttrs {
			most = i
		}
		if i >= len(text) || text[i] == '>' {
			break
		}
		i = afterAttr(text, i)
	}
	end = min(i+1, len(text))
	if most == 0 || most >= i {
		return end, end, attrs
	}
	return most, end, attrs
}

func afterSpace(text []byte, i int) int {
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}

// afterAttr gives the end of the attribute that begins at i.
func afterAttr(text []byte, i int) int {
	for start := i; i < len(text); i++ {
		if c := text[i]; isSpace(c) || c == '/' || c == '>' || c == '=' && i > start {
			break
		}
	}
	i = afterSpace(text, i)
	if i >= len(text) {
		return i
	}
	if text[i] == '/' {
		return i + 1
	}
	if text[i] != '=' {
		return i
	}
	if i = afterSpace(text, i+1); i >= len(text) || text[i] == '>' {
		return i
	}
	if q := text[i]; q == '"' || q == '\'' {
		n := bytes.IndexByte(text[i+1:], q)
		if n < 0 {
			return len(text)
		}
		return i + 1 + n + 1
	}
	for i < len(text) && !isSpace(text[i]) && text[i] != '>' {
		i++
	}
	return i
}
