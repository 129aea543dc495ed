package fetch

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// Text is a page in UTF-8.
type Text struct {
	HTML    []byte
	Charset string // name of the encoding that the page was in, as the WHATWG Encoding Standard has it
	Guessed bool   // nothing valid declared it; the bytes did, or it is the default of the web
	Cut     bool   // the compressed data breaks off, though the answer is whole
}

// HTML returns the body, at most MaxPage bytes of it, unpacked and converted to UTF-8. Errors are as of Body.
//
// The encoding is, in this order: the byte order mark; the charset of Content-Type; the
// declaration in the page; the most likely encoding of a sample of the bytes outside ASCII. A declaration
// is ignored when the bytes contradict it: a page that says UTF-8 and is mostly not, and a page that
// says it is in one of the single-byte encodings and is valid UTF-8.
//
// XHTML comes in the syntax of HTML: empty elements are closed by a tag, CDATA is escaped.
func (e *Exchange) HTML() (Text, error) {
	text, err := e.Unpacked()
	if err != nil {
		return Text{}, err
	}
	if e.MediaType() == xhtml {
		text.HTML = inHTML(text.HTML)
	}
	return text, nil
}

// Unpacked is HTML of a file that may be packed by gzip, beside its Content-Encoding and more than once.
// Its bytes decide, since names, media types and codings of such files often disagree.
func (e *Exchange) Unpacked() (Text, error) {
	body, cut, err := e.body(MaxPage, e.unpacked)
	if err != nil {
		return Text{}, err
	}
	text := decodeText(body, e.Header.Get("Content-Type"))
	text.Cut = cut
	return text, nil
}

const xhtml = "application/xhtml+xml"

// voidElements are those that have no end tag in HTML.
var voidElements = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true, "link": true,
	"meta": true, "param": true, "source": true, "track": true, "wbr": true, "frame": true, "basefont": true, "bgsound": true,
	"keygen": true,
}

// inHTML writes XHTML in the syntax of HTML: to a parser of HTML "<script/>" begins a
// script, and so does "<a/>" a link.
func inHTML(page []byte) []byte {
	z := html.NewTokenizer(bytes.NewReader(page))
	z.AllowCDATA(true)
	var out bytes.Buffer
	for {
		kind := z.Next()
		raw := bytes.Clone(z.Raw())
		switch {
		case kind == html.ErrorToken:
			return out.Bytes()
		case kind == html.SelfClosingTagToken:
			name, _ := z.TagName()
			z.NextIsNotRawText()
			if !voidElements[string(name)] {
				out.Write(bytes.TrimSuffix(raw, []byte("/>")))
				out.WriteString("></" + string(name) + ">")
				continue
			}
		case kind == html.TextToken && bytes.HasPrefix(raw, []byte("<![CDATA[")):
			out.WriteString(html.EscapeString(string(z.Text())))
			continue
		}
		out.Write(raw)
	}
}

func decodeText(body []byte, contentType string) Text {
	for _, mark := range []struct{ bom, label string }{
		{"\xef\xbb\xbf", "utf-8"}, {"\xfe\xff", "utf-16be"}, {"\xff\xfe", "utf-16le"},
	} {
		if rest, ok := bytes.CutPrefix(body, []byte(mark.bom)); ok {
			return convert(rest, mark.label, false)
		}
	}
	_, params, _ := strings.Cut(contentType, ";")
	labels := []string{attribute(params, "charset"), declaredCharset(body)}
	valid, foreign, broken := census(body)
	for _, label := range labels {
		enc, name := charset.Lookup(strings.Trim(label, `"' `))
		switch {
		case enc == nil || name == "replacement":
			continue
		case name == "utf-8" && broken > foreign:
			continue // says UTF-8, is something else
		case valid && foreign > 0 && isSingleByte(name):
			return convert(body, "utf-8", true)
		}
		return convert(body, name, false)
	}
	return convert(body, guessCharset(body), true)
}

// convert decodes body from the encoding called name, which must be known.
func convert(body []byte, name string, guessed bool) Text {
	enc, _ := charset.Lookup(name)
	text := Text{Charset: name, Guessed: guessed}
	if name == "utf-8" {
		if text.HTML = body; !utf8.Valid(body) {
			text.HTML = bytes.ToValidUTF8(body, []byte("\uFFFD"))
		}
		return text
	}
	decoded, err := enc.NewDecoder().Bytes(body)
	if err != nil {
		// The decoders replace what they cannot decode; an error leaves only the ASCII to save.
		decoded, text.Guessed = bytes.ToValidUTF8(body, []byte("\uFFFD")), true
	}
	text.HTML = decoded
	return text
}

// census counts the multi-byte characters of UTF-8 and the bytes that cannot be part of one. A character that is
// cut off at the end counts as neither.
func census(body []byte) (valid bool, foreign, broken int) {
	for len(body) > 0 {
		if body[0] < utf8.RuneSelf {
			body = body[1:]
			continue
		}
		r, size := utf8.DecodeRune(body)
		switch {
		case r != utf8.RuneError || size > 1:
			foreign++
		case !utf8.FullRune(body):
			return broken == 0, foreign, broken
		default:
			broken++
		}
		body = body[size:]
	}
	return broken == 0, foreign, broken
}

// isSingleByte reports whether the encoding maps each byte to one character. Text in those is, beyond ASCII,
// practically never valid UTF-8 by accident; in the double-byte encodings of East Asia short texts are.
func isSingleByte(name string) bool {
	enc, err := htmlindex.Get(name)
	_, single := enc.(*charmap.Charmap)
	return err == nil && single
}

// How far into a page a declaration is looked for. The HTML standard says 1024 bytes, wherever the element is; browsers
// that find it later in a long head read the page again.
const (
	bodyReach = 1 << 10
	headReach = 16 << 10
)

// declaredCharset returns the label in the XML declaration or the first meta element that has one of an encoding, ""
// when there is none.
func declaredCharset(body []byte) string {
	body = body[:min(len(body), headReach)]
	z := html.NewTokenizer(bytes.NewReader(body))
	inBody := false
	for at := 0; !inBody || at < bodyReach; at += len(z.Raw()) {
		label := ""
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.CommentToken: // the tokenizer takes an XML declaration for a comment
			if strings.HasPrefix(string(z.Raw()), "<?xml") {
				label = attribute(string(z.Text()), "encoding")
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			switch token := z.Token(); token.Data {
			case "body":
				inBody = true
			case "meta":
				label = metaCharset(token.Attr)
			}
		}
		if enc, _ := charset.Lookup(strings.TrimSpace(label)); enc != nil {
			return pageLabel(strings.TrimSpace(label))
		}
	}
	return ""
}

func metaCharset(attrs []html.Attribute) string {
	var pragma bool
	var label, content string
	for _, a := range attrs {
		switch a.Key {
		case "charset":
			label = a.Val
		case "http-equiv":
			pragma = strings.EqualFold(strings.TrimSpace(a.Val), "content-type")
		case "content":
			content = attribute(a.Val, "charset")
		}
	}
	if label == "" && pragma {
		return content
	}
	return label
}

// pageLabel applies what the HTML standard says of labels inside a page: whoever could read a
// declaration of UTF-16 was not reading UTF-16, and x-user-defined means windows-1252.
func pageLabel(label string) string {
	switch _, name := charset.Lookup(label); name {
	case "utf-16le", "utf-16be":
		return "utf-8"
	case "x-user-defined":
		return "windows-1252"
	}
	return label
}

// attribute returns the value after name and "=" in s, quoted or not.
func attribute(s, name string) string {
	for found := false; !found; {
		i := strings.Index(strings.ToLower(s), name)
		if i < 0 || i+len(name) > len(s) {
			return ""
		}
		s = strings.TrimLeft(s[i+len(name):], " \t\r\n")
		s, found = strings.CutPrefix(s, "=")
	}
	s = strings.TrimLeft(s, " \t\r\n")
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		value, _, ok := strings.Cut(s[1:], s[:1])
		if !ok {
			return ""
		}
		return value
	}
	if end := strings.IndexAny(s, " \t\r\n;,?"); end >= 0 {
		s = s[:end]
	}
	return s
}
