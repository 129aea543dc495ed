package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestSeedFileNamesTheLine: an error names the line of a seed that is not a URL, and leaves out what may be a password.
func TestSeedFileNamesTheLine(t *testing.T) {
	for line, seed := range map[string]string{"gopher://h.example/": "gopher://h.example/", "http://ada:secret@h:x y/": "http://h:x y/"} {
		text := "# seeds\n\nhttp://h.example/\n" + line + "\n"
		file := write(t, "seeds.txt", text)
		for name, from := range map[string]string{file: file, "-": "-"} {
			o := awarc(t, text, "crawl", "--dry-run", "--seed-file", from)
			o.want(t, exitUsage, fmt.Sprintf("%s:4: seed %q", name, seed))
			if strings.Contains(o.err, "secret") {
				t.Error(o.err)
			}
		}
	}
}
