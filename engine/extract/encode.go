package extract

import (
	"fmt"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/width"
)

// Encoder gives the function that encodes queries and forms of pages in a charset, nil for UTF-8: also where the page is in UTF-16,
// as in browsers. Characters that the charset lacks become character references, as the mode "html" of the Encoding Standard has it.
func Encoder(name string) func(string) string {
	enc, name := charset.Lookup(name)
	switch name {
	case "", "utf-8", "utf-16le", "utf-16be", "replacement", "x-user-defined":
		return nil
	}
	return func(s string) string {
		encoded, err := encoding.HTMLEscapeUnsupported(enc.NewEncoder()).String(prepared(s, name, enc))
		if err != nil {
			return s
		}
		return encoded
	}
}

// likened are characters that the encoders of Japanese charsets write as others.
var likened = map[string]*strings.Replacer{
	"shift_jis":   strings.NewReplacer("\u2212", "\uff0d", "\u00a5", "\\", "\u203e", "~"),
	"euc-jp":      strings.NewReplacer("\u2212", "\uff0d", "\u00a5", "\\", "\u203e", "~"),
	"iso-2022-jp": strings.NewReplacer("\u2212", "\uff0d"),
}

// prepared makes up for where golang.org/x/text encodes otherwise than browsers: in Japanese likenesses, and in characters that
// browsers decode and do not encode, of JIS X 0212 and of the Hong Kong part of Big5.
func prepared(s, name string, enc encoding.Encoding) string {
	if isASCII(s) {
		return s
	}
	if like := likened[name]; like != nil {
		s = like.Replace(s)
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case name == "iso-2022-jp" && r >= 0xff61 && r <= 0xff9f:
			b.WriteString(width.Widen.String(string(r)))
		case (name == "euc-jp" || name == "big5") && r >= 0x80 && onlyDecoded(r, name, enc):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func onlyDecoded(r rune, name string, enc encoding.Encoding) bool {
	encoded, err := enc.NewEncoder().String(string(r))
	if err != nil || encoded == "" {
		return false
	}
	return name == "euc-jp" && encoded[0] == 0x8f || name == "big5" && encoded[0] < 0xa1
}
