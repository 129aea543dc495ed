package main

import (
	"os"
	"strings"
	"testing"
)

// The pages of docs that commands print are what they print today.
func TestReferenceIsUpToDate(t *testing.T) {
	for file, command := range map[string]string{"kb-reference.md": "kb reference", "types.md": "kb list --format markdown"} {
		o := awarc(t, "", strings.Fields(command)...)
		o.want(t, exitDone)
		data, err := os.ReadFile("../../docs/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if string(data) != o.out {
			t.Errorf("docs/%s is not what awarc %s prints; write it with: go run ./cmd/awarc %s >docs/%s", file, command, command, file)
		}
	}
}
