package kb

import (
	"fmt"
	"regexp"

	"github.com/awarc/awarc/yfilter/xpath"
)

var (
	quotedForm = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	cssForm    = regexp.MustCompile(`(?:^|[\s/|\[(>])[a-z][a-z0-9]*\.[A-Za-z_][\w-]*|(?:^|[\s/|>])[a-z0-9]*#[A-Za-z_]|` +
		`(?:^|\s)\.[A-Za-z_][\w-]*(?:\s|$)`)
	orForm = regexp.MustCompile(`\s(?:or|and)\s`)
)

// isCSS reports whether an expression is written as a selector of CSS: an element's name with a dot or a hash.
func isCSS(source string) bool {
	return cssForm.MatchString(quotedForm.ReplaceAllLiteralString(source, "''"))
}

// asXPath is what a selector of CSS is in XPath, for people.
const asXPath = "h1.title > a is written h1[.title]/a here, and #next a is *[@id='next']//a"

// misread adds to an error of an expression what its author may have meant.
func misread(source string, err error) error {
	if err != nil && isCSS(source) {
		return fmt.Errorf("%w; it looks like CSS: %s", err, asXPath)
	}
	return err
}

// parsePattern reads a pattern.
func parsePattern(source string) (*xpath.Expr, error) {
	x, err := xpath.Parse(source)
	if err != nil && orForm.MatchString(quotedForm.ReplaceAllLiteralString(source, "''")) {
		return nil, fmt.Errorf("%w; patterns have no or and no and: write one pattern for each side of or, and [..][..] for and", err)
	}
	return x, misread(source, err)
}
