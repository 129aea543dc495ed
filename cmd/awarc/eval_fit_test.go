package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/rank"
)

// TestEvalFit learns from a corpus of its own, and judges what was learned by another one.
func TestEvalFit(t *testing.T) {
	long(t)
	t.Parallel()
	pages, truth := savedPages(t, `{"pages": []}`)
	index := "cms\tversion_or_theme\tlevel\trepo\tpath\tcommit\turl\tfile\n"
	unseen := t.TempDir()
	for dir, example := range map[string]string{pages: "vbulletin-4-topic.html", unseen: "vbulletin-5-topic.html"} {
		data, err := os.ReadFile("../../kb/testdata/" + example)
		if err != nil {
			t.Fatal(err)
		}
		save(t, filepath.Join(dir, "vbulletin/some.site", example), string(data))
		save(t, filepath.Join(dir, "index.tsv"), index+"vbulletin\t\tpost-list\t\t\t\t\tvbulletin/some.site/"+example+"\n")
	}
	table, questions := filepath.Join(t.TempDir(), "weights.tsv"), filepath.Join(t.TempDir(), "questions.jsonl")
	fit := func(args ...string) string {
		var out, errs bytes.Buffer
		args = append([]string{"eval", "fit", "--pages", pages, "--truth", truth, "--type", "vbulletin", "--write", table}, args...)
		if status := run(t.Context(), args, streams{strings.NewReader(""), &out, &errs}); status != exitDone {
			t.Fatalf("status %d: %s", status, errs.String())
		}
		return out.String()
	}
	out := fit("--questions", questions, "--judge", unseen, "--leave-out", "site")
	for _, want := range []string{"content: ", "without the site", "content, judged", unseen} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing of %q in %s", want, out)
		}
	}
	written, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	learned, err := rank.Read(bytes.NewReader(written))
	if err != nil || len(learned["content"].Weights) == 0 || len(learned["date"].Weights) == 0 {
		t.Fatalf("%s: %v", written, err)
	}
	if fit("--questions", questions); !same(t, table, written) {
		t.Error("from the same questions something else is learned")
	}
	if !isLong() {
		return
	}
	if fit("--judge", unseen); !same(t, table, written) {
		t.Error("from the same pages something else is learned")
	}
}

// same reports whether a file holds something.
func same(t *testing.T, name string, data []byte) bool {
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(got, data)
}

// A cost or a penalty that means nothing is refused before anything is read.
func TestEvalFitRefusesCostsThatMeanNothing(t *testing.T) {
	for _, flag := range []string{"--cost=0", "--cost=-1", "--penalty=-0.1"} {
		var out, errs bytes.Buffer
		if status := run(t.Context(), []string{"eval", "fit", flag}, streams{strings.NewReader(""), &out, &errs}); status != exitUsage ||
			!strings.Contains(errs.String(), "--cost") {
			t.Errorf("%s: status %d, %s", flag, status, errs.String())
		}
	}
}
