package extract

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// addressFunctions are the functions of CSS whose strings are addresses. In url() they are part of one token, unless
// something follows them there.
var addressFunctions = map[string]bool{
	"url": true, "src": true, "image": true, "image-set": true, "-webkit-image-set": true, "cross-fade": true,
	"-webkit-cross-fade": true,
}

// namingRules are the rules of CSS whose addresses name something that nobody loads.
var namingRules = map[string]bool{"namespace": true, "document": true, "-moz-document": true}

// StyleLinks extracts what a style sheet in UTF-8 loads, each address once.
func StyleLinks(sheet string, from *url.URL) []Link {
	c := &collector{p: Page{URL: from}}
	c.start()
	c.style(sheet)
	return c.links
}

// style adds what a style sheet, or the declarations of a style attribute, load.
func (c *collector) style(sheet string) {
	for _, u := range styleAddresses(sheet) {
		c.add(u, nil)
	}
}

// styleAddresses gives the addresses in a style sheet that a browser may load: in url() and the like, and after @import.
func styleAddresses(sheet string) []string {
	var out []string
	var rule string // whose prelude is read
	var open []bool // functions and parentheses: whether the strings in them are addresses
	l := css.NewLexer(parse.NewInputString(sheet))
	for len(out) < maxLinks {
		kind, token := l.Next()
		isAddress := false
		switch kind {
		case css.ErrorToken:
			return out
		case css.AtKeywordToken:
			rule = styleName(token[1:])
		case css.SemicolonToken, css.LeftBraceToken:
			rule = ""
		case css.LeftParenthesisToken:
			open = append(open, false)
		case css.FunctionToken:
			open = append(open, addressFunctions[styleName(token[:len(token)-1])])
		case css.RightParenthesisToken:
			open = open[:max(0, len(open)-1)]
		case css.URLToken, css.BadURLToken:
			_, argument, _ := strings.Cut(string(token), "(")
			token = []byte(strings.TrimLeft(argument, cssSpace))
			isAddress = !namingRules[rule] && (kind == css.URLToken || isQuoted(token))
		case css.StringToken:
			isAddress = rule == "import" || len(open) > 0 && open[len(open)-1]
		}
		if isAddress {
			out = append(out, styleAddress(string(token)))
			rule = strings.TrimPrefix(rule, "import") // what else is in it are conditions
		}
	}
	return out
}

const cssSpace = " \t\n\r\f"

func isQuoted(token []byte) bool { return len(token) > 0 && (token[0] == '"' || token[0] == '\'') }

// styleAddress reads an address as it stands in url(), which may end behind it, or as a string.
func styleAddress(s string) string {
	const longest = 8 * maxURL // with all of it escaped
	if len(s) > longest {
		return ""
	}
	if !isQuoted([]byte(s)) {
		s = strings.TrimRight(strings.TrimSuffix(s, ")"), cssSpace)
	} else if m := styleString.FindStringSubmatch(s); m != nil {
		s = m[1] + m[2]
	} else {
		return "" // it ends at a line's end, and browsers load nothing
	}
	return styleEscape.ReplaceAllStringFunc(s, unescapeStyle)
}

// styleName is the name of a function or rule, in lower case.
func styleName(token []byte) string {
	return strings.ToLower(styleEscape.ReplaceAllStringFunc(string(token), unescapeStyle))
}

var (
	styleString = regexp.MustCompile(`^(?:"((?:[^"\\\n\r\f]|\\[\s\S])*)(?:"|$)|'((?:[^'\\\n\r\f]|\\[\s\S])*)(?:'|$))`)
	styleEscape = regexp.MustCompile(`\\(?:([0-9A-Fa-f]{1,6})(?:\r\n|[ \t\n\f\r])?|\r?\n|(.))`)
)

// unescapeStyle undoes one escape of CSS: `\28 ` is "(", as is `\(`.
func unescapeStyle(escape string) string {
	m := styleEscape.FindStringSubmatch(escape)
	if m[1] == "" {
		return m[2]
	}
	code := rune(0)
	for _, d := range strings.ToLower(m[1]) {
		code = code<<4 | rune(strings.IndexRune("0123456789abcdef", d))
	}
	return string(code)
}
