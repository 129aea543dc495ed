package main

import (
	"bytes"
	"strings"
	"testing"
)

// Long work shows a bar that renews itself on a terminal, and plain lines elsewhere.
func TestWorkShowsABar(t *testing.T) {
	var out bytes.Buffer
	p := newWorkProgress(streams{err: &out})
	p.every = 0
	size := int64(0)
	files := []string{write(t, "b.gz", "123456789"), write(t, "a.gz", "1")}
	for _, f := range files {
		size += sizeOf([]string{f})
	}
	p.at("verified", 5, size)
	if got := out.String(); got != "awarc: [######------]  50 % verified\n" {
		t.Errorf("in a log: %q", got)
	}
	out.Reset()
	p.progress.terminal = lineWidth
	read := p.through("reading", files)
	read(files[0], 9)
	read("elsewhere", 1)
	p.clear()
	if got := out.String(); strings.Count(got, "\r") != 2 || !strings.Contains(got, " % reading") || strings.Contains(got, "\n") {
		t.Errorf("on a terminal: %q", got)
	}
}
