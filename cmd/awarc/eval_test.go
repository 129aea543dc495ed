package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/cmd/internal/eval/quality"
)

// savedPages makes a folder of pages with an index.tsv and hand-made truth.
func savedPages(t *testing.T, golden string, rows ...string) (pages, truth string) {
	t.Helper()
	pages, truth = t.TempDir(), t.TempDir()
	index := "cms\tversion_or_theme\tlevel\trepo\tpath\tcommit\turl\tfile\n"
	for _, row := range rows {
		c := strings.Split(row, " ")
		index += c[0] + "\t\t" + c[1] + "\t\t\t\t\t" + c[0] + "/" + c[2] + "\n"
		page, err := os.ReadFile(filepath.Join("../../kb/testdata", c[2]))
		if err != nil {
			t.Fatal(err)
		}
		save(t, filepath.Join(pages, c[0], c[2]), string(page))
	}
	save(t, filepath.Join(pages, "index.tsv"), index)
	save(t, filepath.Join(truth, "golden", "some.json"), golden)
	return pages, truth
}

func save(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestEvalQualityCounts(t *testing.T) {
	golden := `{"pages": [{"file": "phpbb/phpbb-prosilver-topic.html", "title": "not this", "posts": 99,
		"first": {"creator": "nobody", "created": "", "starts": "", "ends": ""}}]}`
	pages, truth := savedPages(t, golden,
		"phpbb post-list phpbb-prosilver-topic.html",
		"phpbb forum-index phpbb-prosilver-forum.html", // the index says wrongly that it is an index
		"vbulletin post-list phpbb-subsilver-topic.html",
		"nosuchsoftware other vbulletin-4-topic.html")
	save(t, filepath.Join(truth, "types.tsv"), "# a comment\nvbulletin/*\tphpbb\twhy\n"+
		"phpbb/phpbb-prosilver-for*\t-\twhy\nnosuchsoftware/*\tvbulletin\twhy\n")
	save(t, filepath.Join(truth, "truth", "some.tsv"), "# a comment\nphpbb/phpbb-prosilver-for*\tforum\twhy\n")
	var out, errs strings.Builder
	args := []string{"eval", "quality", "--pages", pages, "--truth", truth, "--format", "json", "-v"}
	if status := run(t.Context(), args, streams{nil, &out, &errs}); status != exitDone {
		t.Fatalf("exit status %d\n%s", status, errs.String())
	}
	var r quality.Report
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		t.Fatal(err)
	}
	want := quality.TypeQuality{Types: quality.Tally{Right: 2, Total: 3}, Confused: 1, Foreign: quality.Tally{Total: 1}}
	if r.Pages != 4 || r.Labelled != want {
		t.Errorf("types as labelled: %+v; want %+v", r.Labelled, want)
	}
	if want := (quality.TypeQuality{Types: quality.Tally{Right: 3, Total: 3}, Foreign: quality.Tally{Right: 0, Total: 1}}); r.Corrected !=
		want {
		t.Errorf("types corrected: %+v; want %+v", r.Corrected, want)
	}
	if got := r.Labelled.String(); !strings.Contains(got, "1 called another, which count double: 33.3 %") ||
		!strings.Contains(got, "100.0 % called something") {
		t.Errorf("the penalty is not told: %s", got)
	}
	if r.Levels != (quality.Tally{Right: 3, Total: 3}) { // the page of another type is a topic all the same
		t.Errorf("levels %v", r.Levels)
	}
	if o := r.Objects["phpbb"]; o.Pages != 1 || o.CountExact != 0 || o.Fields != 4 || o.Right != 1 {
		t.Errorf("objects %+v; want one page, a wrong count, four fields and of them the content right", o)
	}
	if !strings.Contains(errs.String(), "wrong number of objects") {
		t.Errorf("what is wrong is not named: %s", errs.String())
	}
	if status := run(t.Context(), []string{"eval", "quality", "--pages", t.TempDir()}, streams{nil, &out, &errs}); status != exitUsage {
		t.Errorf("a folder without an index gives exit status %d", status)
	}
}
