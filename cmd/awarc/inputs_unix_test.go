//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// No option or argument that names a file waits for a named pipe.
func TestNamedPipesAreRefused(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	crawl := []string{"crawl", "--contact", "https://crawler.example/", "http://127.0.0.1:9/", "--out"}
	for _, option := range []string{"--kb", "--plugin", "--topic", "--seed-file", "--scope", "--cookies", "--domains", "--config",
		"--login",
		"--dedupe"} {
		pipeIsRefused(t, pipe, append(crawl, filepath.Join(t.TempDir(), "c"), option, pipe))
	}
	for _, command := range []string{"detect", "extract", "kb lint", "kb test", "kb example", "plugin test", "plugin run", "api run",
		"extract --crawl", "warc verify", "index", "robots --url http://h.example/ --agent x --robots"} {
		pipeIsRefused(t, pipe, append(strings.Fields(command), pipe))
	}
}

func pipeIsRefused(t *testing.T, pipe string, args []string) {
	t.Helper()
	if args[0] == "plugin" && args[1] == "run" {
		args = append(args, pipe) // the page
	}
	var out, errs strings.Builder
	status := run(t.Context(), args, streams{strings.NewReader(""), &out, &errs})
	if text := errs.String() + out.String(); status == 0 || !strings.Contains(text, "pipe is a named pipe") {
		t.Errorf("%v: status %d, %s", args, status, text)
	}
}
