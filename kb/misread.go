package kb

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/awarc/awarc/yfilter/xpath"
)

var (
	quotedForm = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	cssForm    = regexp.MustCompile(`(?:^|[\s/|\[(>])[a-z][a-z0-9]*\.[A-Za-z_][\w-]*|(?:^|[\s/|>])[a-z0-9]*#[A-Za-z_]|` +
		`(?:^|\s)\.[A-Za-z_][\w-]*(?:\s|$)`)
	orForm = regexp.MustCompile(`\s(?:or|and)\s|\|`)
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

// parsePattern reads a pattern. The usual XPath for one class of several, contains(concat(' ', @class, ' '), ' x '), is read as [.x].
func parsePattern(source string) (*xpath.Expr, error) {
	x, err := xpath.Parse(source)
	if err == nil {
		return x, nil
	}
	tree, treeErr := xpath.ParseTree(source)
	if treeErr == nil {
		var ok bool
		if x, ok = xpath.Fragment(xpath.Edit(tree, tokens)); ok {
			return x, nil
		}
	}
	if orForm.MatchString(quotedForm.ReplaceAllLiteralString(source, "''")) {
		return nil, fmt.Errorf("%w; patterns have no or, no and and no |: "+
			"write one pattern for each side of or and |, and [..][..] for and", err)
	}
	if treeErr == nil && callForm.MatchString(quotedForm.ReplaceAllLiteralString(source, "''")) {
		return nil, fmt.Errorf("%w; a pattern selects an element or attribute, with contains, starts-with and not as its only functions: "+
			"write div[.x] for one class of several, and use other functions in actions", err)
	}
	return nil, misread(source, err)
}

// callForm finds a function that patterns do not have.
var callForm = regexp.MustCompile(`\b[a-z-]+\(`)

// tokens replaces a condition on one class of several by its short form.
func tokens(n xpath.Node) (xpath.Node, bool) {
	if attr, literal, ok := xpath.Padded(n); ok && attr == "class" {
		if token := strings.Trim(literal, " "); literal == " "+token+" " && token != "" && !strings.ContainsAny(token, " \t\n") {
			return xpath.Class(token), false
		}
	}
	return n, true
}
