package main

import (
	"os"
	"testing"
)

// The reference in docs is what the command prints today.
func TestReferenceIsUpToDate(t *testing.T) {
	heavy(t)
	const name = "../../docs/kb-reference.md"
	o := awarc(t, "", "kb", "reference")
	o.want(t, exitDone)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != o.out {
		t.Errorf("%s is not what awarc kb reference prints; write it with: go run ./cmd/awarc kb reference >docs/kb-reference.md", name)
	}
}
