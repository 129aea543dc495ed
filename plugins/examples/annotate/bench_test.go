package main

import (
	"strings"
	"testing"

	"github.com/awarc/awarc/plugins/sdk/extract"
)

func BenchmarkAnnotate(b *testing.B) {
	s, err := read(people, "")
	if err != nil {
		b.Fatal(err)
	}
	options = s
	p := page(strings.Repeat("The harbour wall was repaired by the town, and stood for many years after the storm of the century. ", 100))
	for b.Loop() {
		var out extract.Result
		annotate("", textsOf(p), &out)
	}
}
