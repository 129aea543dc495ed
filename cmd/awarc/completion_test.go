package main

import (
	"slices"
	"strings"
	"testing"
)

// A shell that asks what could follow is told commands, flags and files, as bash asks: by variables.
func TestShellsComplete(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]string{
		"awarc kb li": "lint", "awarc cra": "crawl", "awarc crawl --max-h": "--max-hops", "awarc report --form": "--format",
	} {
		t.Setenv(completing, line)
		o := awarc(t, "", "awarc", line[strings.LastIndex(line, " ")+1:], "")
		o.want(t, exitDone)
		if got := strings.Fields(o.out); !slices.Contains(got, want) {
			t.Errorf("%s: %v", line, got)
		}
	}
	t.Setenv(completing, "")
	for _, shell := range []string{"bash", "zsh", "fish"} {
		o := awarc(t, "", "completion", "-c", shell)
		o.want(t, exitDone)
		if !strings.Contains(o.out, "awarc") {
			t.Errorf("%s: %q", shell, o.out)
		}
	}
}

// The man page has each command and its flags.
func TestManPage(t *testing.T) {
	o := awarc(t, "", "--man")
	o.want(t, exitDone)
	for _, part := range []string{".TH AWARC 1", "crawl", "--max-hops", "kb", "lint"} {
		if !strings.Contains(o.out, part) {
			t.Errorf("the page has no %q", part)
		}
	}
}
