package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/cmd/internal/eval/focused"
)

func TestEvalFrontier(t *testing.T) {
	long(t)
	t.Parallel()
	plot := filepath.Join(t.TempDir(), "harvest.svg")
	var out, errs strings.Builder
	args := []string{
		"eval", "frontier", "--web", "5000", "--crawl", "400", "--topics", "1", "--starts", "1", "--batch", "20",
		"--sites", t.TempDir(), "--format", "json", "--svg", plot,
	}
	if status := run(t.Context(), args, streams{nil, &out, &errs}); status != exitDone {
		t.Fatalf("exit status %d: %s", status, errs.String())
	}
	var report focused.Report
	if err := json.Unmarshal([]byte(out.String()), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Updates) != 7 || len(report.Batches) != 8 || len(report.Weights) != 8 || len(report.Harvest) != 3 || report.Crawls != 1 {
		t.Fatalf("report %+v", report)
	}
	for i := 0; i < len(report.Weights); i += 2 {
		if fixed, learned := report.Weights[i], report.Weights[i+1]; fixed.Learned || !learned.Learned || fixed.Similarity ==
			learned.Similarity {
			t.Errorf("a crawl that learns weights is the one that does not: %+v, %+v", fixed, learned)
		}
	}
	rows := map[string]focused.Row{}
	for _, r := range report.Updates {
		if r.Pages != 400 || r.OnTopic > r.Pages || r.OfTopics == 0 {
			t.Errorf("row %+v", r)
		}
		rows[r.Name()] = r
	}
	if best, blind := rows["avg, best host"], rows["breadth first"]; best.OnTopic <= blind.OnTopic {
		t.Errorf("best first finds %d pages on the topic, breadth first %d", best.OnTopic, blind.OnTopic)
	}
	if svg, err := os.ReadFile(plot); err != nil || !strings.Contains(string(svg), "breadth first") {
		t.Errorf("the plot: %v", err)
	}
	if status := run(t.Context(), []string{"eval", "frontier", "--web", "3"}, streams{nil, &out, &errs}); status != exitUsage {
		t.Errorf("a web of 3 pages: exit status %d", status)
	}
}
