package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

const tutorial = "../../kb/testdata/tutorial"

var (
	fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")
	timed = regexp.MustCompile(`\(\d+ us\)`)
)

// TestTutorial runs the commands of kb/README.md in the folder of its example
// and compares what they print; its XML stands in the example's file.
func TestTutorial(t *testing.T) {
	readme, err := os.ReadFile("../../kb/README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(tutorial)
	file, err := os.ReadFile("slipway.xml")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, block := range fence.FindAllStringSubmatch(string(readme), -1) {
		if block[1] == "xml" {
			if !strings.Contains(string(file), block[2]) {
				t.Errorf("this is not in slipway.xml:\n%s", block[2])
			}
			continue
		}
		for _, c := range strings.Split(block[2], "$ awarc ")[1:] {
			commands++
			line, want, _ := strings.Cut(c, "\n")
			o := awarc(t, "", strings.Fields(line)...)
			o.want(t, exitDone)
			if got := timed.ReplaceAllString(o.out, "(time)"); got != want {
				t.Errorf("awarc %s\nprints\n%s\nthe README says\n%s", line, got, want)
			}
		}
	}
	if commands < 4 {
		t.Errorf("only %d commands were found", commands)
	}
}

// Every rule that the code names is explained, and no other.
func TestReadmeExplainsEveryRule(t *testing.T) {
	readme, err := os.ReadFile("../../kb/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "## What `kb lint` says")
	known := map[string]bool{}
	for _, cell := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(table, -1) {
		for _, name := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(cell[1], -1) {
			known[name[1]] = true
		}
	}
	for _, name := range lintRules(t) {
		if !known[name] {
			t.Errorf("the rule %s is not explained", name)
		}
		delete(known, name)
	}
	for name := range known {
		t.Errorf("there is no rule %s", name)
	}
}

// lintRules reads the names of the rules from the sources.
func lintRules(t *testing.T) []string {
	t.Helper()
	rule := regexp.MustCompile(`(?:Pos|pos)\b[^"\n]*?,? (?:Rule: )?"([a-z]+-[a-z]+)"|Severity(?:Error|Warning), "([a-z]+-[a-z]+)"|Rule: ` +
		`"([a-z-]+)"`)
	seen := map[string]bool{}
	var names []string
	for _, file := range []string{"../../kb/lint.go", "../../kb/lintapart.go", "../../kb/lintexpr.go", "../../kb/lintnav.go",
		"../../kb/service.go", "../../engine/example.go", "../../engine/vocabulary.go",
		"kblint.go"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range rule.FindAllStringSubmatch(string(data), -1) {
			name := m[1] + m[2] + m[3]
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

func TestSchemaCommand(t *testing.T) {
	o := awarc(t, "", "kb", "schema")
	o.want(t, exitDone)
	if o.out != string(kb.Schema) {
		t.Error("kb schema prints something else than the schema")
	}
}
