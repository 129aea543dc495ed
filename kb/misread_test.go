package kb

import (
	"strings"
	"testing"
)

// TestMisread: who writes CSS, or joins patterns with or, is told what to write instead.
func TestMisread(t *testing.T) {
	for source, want := range map[string]string{
		"<pattern>div[@id='x' or @id='y']</pattern>":                      "one pattern for each side of or",
		"<pattern>div/a | p/a</pattern>":                                  "one pattern for each side of or and |",
		"<pattern>p[contains(concat(' ', @class), ' a')]</pattern>":       "write div[.x] for one class of several",
		"<pattern>string-length(p)</pattern>":                             "use other functions in actions",
		"<pattern>#next a</pattern>":                                      "it looks like CSS",
		"<pattern>p</pattern></detect><detect><pattern>p a</pattern>":     "",
		"<pattern>p[.='a or b'</pattern>":                                 "",
		"<pattern>div.post a</pattern>":                                   "it looks like CSS",
		"<pattern>p[contains(@class, 'a') and contains(.,'b')]</pattern>": "[..][..] for and",
	} {
		_, err := Load(Source{Name: "a.xml", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="mine"><detect>` +
			source + `</detect></type></category></kb>`)})
		switch {
		case err == nil:
			t.Errorf("%s: no error", source)
		case want == "" && (strings.Contains(err.Error(), "CSS") || strings.Contains(err.Error(), "side of or")):
			t.Errorf("%s: %v", source, err)
		case !strings.Contains(err.Error(), want):
			t.Errorf("%s: %v; want %q", source, err, want)
		}
	}
}

// TestPatternOfAClass: the usual XPath for one class of several is a pattern, as its short form is.
func TestPatternOfAClass(t *testing.T) {
	for _, source := range []string{"div[contains(concat(' ', @class, ' '), ' post ')]/a",
		"div[contains(concat(' ', normalize-space(@class), ' '), ' post ')]/a"} {
		if x, err := parsePattern(source); err != nil || x.String() != "div[.post]/a" {
			t.Errorf("%s: %v, %v", source, x, err)
		}
	}
	for _, source := range []string{"div[contains(concat(' ', @class, ' '), 'post')]", "div[contains(concat(' ', @id, ' '), ' post ')]"} {
		if x, err := parsePattern(source); err == nil {
			t.Errorf("%s: %s", source, x)
		}
	}
}
