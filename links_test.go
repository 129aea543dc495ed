package awarc

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	linkInText = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	codeBlock  = regexp.MustCompile("(?ms)^```.*?^```$|^ {4}.*?$")
)

// anchors are the fragments that GitHub gives to the headings of a document.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		found[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	return found
}

// TestLinksOfDocuments: each relative link leads to a file of the repository, and to a heading of it.
func TestLinksOfDocuments(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != ".") {
			return fs.SkipDir
		}
		if err == nil && strings.HasSuffix(name, ".md") {
			var text []byte
			text, err = os.ReadFile(name)
			texts[filepath.ToSlash(name)] = codeBlock.ReplaceAllString(string(text), "")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for name, text := range texts {
		for _, m := range linkInText.FindAllStringSubmatch(text, -1) {
			u, err := url.Parse(m[1])
			if err != nil || u.Scheme != "" {
				continue
			}
			links++
			target := name
			if u.Path != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), u.Path))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link %s leads to no file", name, m[1])
			} else if u.Fragment != "" && !anchors(texts[target])[u.Fragment] {
				t.Errorf("%s: the link %s leads to no heading of %s", name, m[1], target)
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links were found", links)
	}
}

// TestPagesOfDocs: each page of docs begins with a title and its purpose, and ends with what can go wrong.
func TestPagesOfDocs(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("docs/*.md")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	exempt := map[string]bool{"README.md": true, "kb-reference.md": true, "types.md": true} // an index; printed by awarc kb
	for _, name := range names {
		if exempt[filepath.Base(name)] {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`^# .*\n\nThis page `).Match(text) {
			t.Errorf("%s: the first paragraph must say what the page is for (\"This page ...\")", name)
		}
		headings := heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1)
		if last := headings[len(headings)-1][1]; last != "What can go wrong" {
			t.Errorf("%s: the last section must be \"What can go wrong\", not %q", name, last)
		}
	}
}
