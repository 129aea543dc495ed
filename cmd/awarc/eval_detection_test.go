package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/cmd/internal/eval/detection"
)

// TestEvalDetection measures on a corpus of its own: the figures are whatever the
// machine gives, but they are all there, and so is the plot.
func TestEvalDetection(t *testing.T) {
	dir := t.TempDir()
	page := "<title>x</title><body class=single>" + strings.Repeat(`<div class="post"><a href="viewtopic.php?t=1">a topic</a></div>`, 400)
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("page.html", page)
	write("small.html", "<p>too small to be measured")
	write("index.tsv", "cms\tlevel\tfile\nphpbb\tforum\tpage.html\nphpbb\tforum\tsmall.html\nphpbb\tforum\tgone.html\n")
	plot := filepath.Join(dir, "plot.svg")
	var out, errs bytes.Buffer
	args := []string{"eval", "detection", "--pages", dir, "--types", "40,80", "--format", "json", "--svg", plot}
	if status := run(t.Context(), args, streams{strings.NewReader(""), &out, &errs}); status != exitDone {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	var got detection.Table
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Pages != 1 || len(got.Rows) != 2 || got.Rows[0].Types != 40 || got.Rows[1].Types != 80 {
		t.Fatalf("%+v", got)
	}
	for _, r := range got.Rows {
		if r.Patterns <= r.Types || r.Micros <= 0 || r.Parse <= 0 || r.OneByOne <= 0 {
			t.Errorf("%+v", r)
		}
	}
	svg, err := os.ReadFile(plot)
	if err != nil || bytes.Count(svg, []byte("<polyline")) != 3 || !bytes.HasSuffix(svg, []byte("</svg>\n")) {
		t.Errorf("%v: %s", err, svg)
	}
	out.Reset()
	args = []string{"eval", "detection", "--pages", filepath.Join(dir, "gone")}
	if status := run(t.Context(), args, streams{strings.NewReader(""), &out, &errs}); status != exitUsage {
		t.Errorf("a folder that is not there: status %d", status)
	}
}
