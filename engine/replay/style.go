package replay

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// Style gives a style sheet with its addresses rewritten.
func Style(text []byte, o Options) []byte { return style(text, o, false) }

// style rewrites the addresses of a sheet, or of declarations alone: those in url() and of @import.
func style(text []byte, o Options, inline bool) []byte {
	if !bytes.Contains(text, []byte("(")) && !bytes.Contains(text, []byte("@")) {
		return text
	}
	var out bytes.Buffer
	l := css.NewLexer(parse.NewInputBytes(bytes.Clone(text)))
	importing, inURL := false, false
	for {
		kind, data := l.Next()
		switch {
		case kind == css.ErrorToken:
			return out.Bytes()
		case kind == css.URLToken:
			_, address, _ := strings.Cut(string(data), "(") // at the end of a sheet nothing may close it
			address = strings.TrimSpace(strings.TrimSuffix(address, ")"))
			out.WriteString("url(" + quoted(o.link(unquoted(address), false)) + ")")
			importing = false
			continue
		case kind == css.StringToken && (importing || inURL):
			out.WriteString(quoted(o.link(unquoted(string(data)), false)))
			importing, inURL = false, false
			continue
		case kind == css.AtKeywordToken:
			importing = !inline && strings.EqualFold(string(data), "@import")
		case kind == css.FunctionToken:
			name := strings.ToLower(string(data))
			inURL = name == "url(" || name == "image-set(" || name == "src("
		case kind == css.RightParenthesisToken, kind == css.SemicolonToken:
			importing, inURL = false, false
		}
		out.Write(data)
	}
}

// unquoted is the text of a string of CSS.
func unquoted(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') {
		s = strings.TrimSuffix(s[1:], s[:1])
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		end := i + 1
		for end < len(s) && end < i+7 && strings.IndexByte("0123456789abcdefABCDEF", s[end]) >= 0 {
			end++
		}
		if code, err := strconv.ParseUint(s[i+1:end], 16, 32); err == nil {
			b.WriteRune(rune(code))
			if i = end - 1; end < len(s) && s[end] == ' ' {
				i = end
			}
			continue
		}
		i++
		b.WriteByte(s[i])
	}
	return b.String()
}

// quoted is a string of CSS that nothing in it ends.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if r < ' ' || strings.ContainsRune(`"\<>`, r) {
			b.WriteString(`\` + strconv.FormatInt(int64(r), 16) + " ")
			continue
		}
		b.WriteRune(r)
	}
	return b.String() + `"`
}
