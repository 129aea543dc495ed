package kb

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// coding is how a source is encoded. Its zero value is UTF-8 without a byte order mark.
type coding struct {
	bom string
	enc encoding.Encoding // nil: UTF-8
}

// longestDeclaration bounds the XML declaration, in bytes: arbitrary, real ones have some sixty.
const longestDeclaration = 1 << 10

// signatures are the first bytes of XML by encoding, after appendix F of XML 1.0: byte order marks,
// which do not belong to the text, then "<" in the encodings of several bytes.
var signatures = []struct {
	start string
	bom   bool
	enc   encoding.Encoding
}{
	{"\x00\x00\xfe\xff", true, utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
	{"\xff\xfe\x00\x00", true, utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
	{"\xef\xbb\xbf", true, nil},
	{"\xfe\xff", true, utf16BE},
	{"\xff\xfe", true, utf16LE},
	{"\x00\x00\x00<", false, utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
	{"<\x00\x00\x00", false, utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
	{"\x00<", false, utf16BE},
	{"<\x00", false, utf16LE},
}

var (
	utf16BE = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	utf16LE = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
)

// ebcdic is "<?xm" in EBCDIC; digits, letters and signs of its declaration are the same in all code pages.
const ebcdic = "\x4c\x6f\xa7\x94"

// declared is the encoding of an XML declaration.
var declared = regexp.MustCompile(`^<\?xml\s[^>]*?\sencoding\s*=\s*(?:"([^"]*)"|'([^']*)')`)

// SourceText converts a source to UTF-8 without a byte order mark, as authors see it. A source whose encoding
// is unknown stays as it is.
func SourceText(data []byte) []byte {
	text, _, err := decode(Source{Data: data})
	if err != nil {
		return data
	}
	return text
}

// decode converts a source to UTF-8: by its first bytes, or else by its declaration. Line numbers stay.
func decode(s Source) ([]byte, coding, *Error) {
	c, wrong := codingOf(s.Data)
	if wrong != "" {
		return nil, c, &Error{Pos: Position{File: s.Name, Line: 1, Column: 1}, Msg: wrong}
	}
	text := s.Data[len(c.bom):]
	if c.enc == nil {
		return text, c, invalidUTF8(s.Name, text)
	}
	text, err := c.enc.NewDecoder().Bytes(text)
	bad := bytes.IndexRune(text, utf8.RuneError)
	if err != nil || bad >= 0 {
		at := position(s.Name, text, max(bad, 0))
		return nil, c, &Error{Pos: at, Msg: fmt.Sprintf("not well-formed XML: not valid in its encoding, %v", c.enc)}
	}
	return text, c, nil
}

// codingOf finds the encoding of a source; wrong says why there is none.
func codingOf(data []byte) (c coding, wrong string) {
	for _, s := range signatures {
		if bytes.HasPrefix(data, []byte(s.start)) {
			if c.enc = s.enc; s.bom {
				c.bom = s.start
			}
			return c, ""
		}
	}
	head := data[:min(len(data), longestDeclaration)]
	wide := bytes.HasPrefix(head, []byte(ebcdic))
	if wide {
		head, _ = charmap.CodePage037.NewDecoder().Bytes(head) // a table: it cannot fail
	}
	m := declared.FindSubmatch(head)
	name := ""
	if m != nil {
		name = string(m[1]) + string(m[2])
	}
	switch {
	case m == nil && wide:
		return c, `EBCDIC without a code page; expected one such as encoding="IBM037" in the XML declaration`
	case m == nil || strings.EqualFold(name, "utf-8"):
		return c, ""
	}
	var err error
	if c.enc, err = htmlindex.Get(name); err != nil {
		c.enc, err = ianaindex.IANA.Encoding(name)
	}
	switch of := strings.ToLower(name); {
	case err != nil || c.enc == nil:
		return c, fmt.Sprintf("encoding=%q is not an encoding that awarc reads; expected UTF-8, UTF-16, ISO-8859-1 "+
			"or another name of IANA", name)
	case c.enc == unicode.UTF8:
		c.enc = nil
	case strings.HasPrefix(of, "utf-16"), strings.HasPrefix(of, "utf-32"), strings.Contains(of, "10646"):
		return c, fmt.Sprintf("encoding=%q, but the file is in single bytes; expected encoding=\"UTF-8\"", name)
	case wide != isEBCDIC(c.enc):
		return c, fmt.Sprintf("encoding=%q, but the declaration is not in it; expected the encoding of the file", name)
	}
	return c, ""
}

func isEBCDIC(enc encoding.Encoding) bool {
	start, err := enc.NewEncoder().Bytes([]byte("<?xm"))
	return err == nil && string(start) == ebcdic
}

// invalidUTF8 reports the first byte that is not UTF-8, nil where there is none.
func invalidUTF8(file string, text []byte) *Error {
	if utf8.Valid(text) {
		return nil
	}
	at := 0
	for r, n := rune(0), 0; ; at += n {
		if r, n = utf8.DecodeRune(text[at:]); r == utf8.RuneError && n <= 1 {
			break
		}
	}
	return &Error{Pos: position(file, text, at), Msg: fmt.Sprintf("not well-formed XML: the byte %#x is not UTF-8; "+
		"save the file as UTF-8, or name its encoding, such as <?xml version=\"1.0\" encoding=\"windows-1252\"?>", text[at])}
}

// position is that of a byte of a text.
func position(file string, text []byte, at int) Position {
	before := text[:at]
	return Position{File: file, Line: 1 + bytes.Count(before, []byte("\n")), Column: at - bytes.LastIndexByte(before, '\n')}
}

// encode is the inverse of decode. Characters that the encoding does not have become references.
func (c coding) encode(text []byte) ([]byte, error) {
	if c.enc == nil {
		return append([]byte(c.bom), text...), nil
	}
	e := c.enc.NewEncoder()
	data, err := e.Bytes(text)
	if err != nil {
		var b strings.Builder
		for _, r := range string(text) {
			if _, err := e.String(string(r)); err == nil {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(&b, "&#%d;", r)
			}
		}
		data, err = e.Bytes([]byte(b.String()))
	}
	return append([]byte(c.bom), data...), err
}

// encodedAs encodes a text of UTF-8 as another source is.
func encodedAs(source, text []byte) []byte {
	if _, c, wrong := decode(Source{Data: source}); wrong == nil {
		if data, err := c.encode(text); err == nil {
			return data
		}
	}
	return text
}

// anyCharset is for parsers of XML that was converted to UTF-8, whose declaration still names another encoding.
func anyCharset(_ string, in io.Reader) (io.Reader, error) { return in, nil }

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// Escape writes a text for an element or an attribute in double quotes. Characters that XML cannot have become spaces or are left out.
func Escape(s string) string {
	return escapes.Replace(strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "")))
}
