package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestEvalAdaptation runs the command on a corpus of its own.
func TestEvalAdaptation(t *testing.T) {
	t.Parallel()
	pages, truth := savedPages(t, `{"pages": []}`, "phpbb post-list phpbb-prosilver-topic.html",
		"vbulletin post-list vbulletin-4-topic.html", "smf post-list smf-1.1-topic.html")
	// Sites are folders below the type's.
	index := "cms\tversion_or_theme\tlevel\trepo\tpath\tcommit\turl\tfile\n"
	for _, p := range []string{"phpbb/phpbb-prosilver-topic.html", "vbulletin/vbulletin-4-topic.html", "smf/smf-1.1-topic.html"} {
		data, err := os.ReadFile(pages + "/" + p)
		if err != nil {
			t.Fatal(err)
		}
		cms, file, _ := strings.Cut(p, "/")
		save(t, pages+"/"+cms+"/some.site/"+file, string(data))
		index += fmt.Sprintf("%s\t\tpost-list\t\t\t\t\t%s/some.site/%s\n", cms, cms, file)
	}
	save(t, pages+"/index.tsv", index)
	measure := func(only string, more ...string) (got adaptationReport) {
		var out, errs bytes.Buffer
		args := []string{"eval", "adaptation", "--pages", pages, "--truth", truth, "--type", "vbulletin", "--only", only, "--format",
			"json"}
		args = append(args, more...)
		if status := run(t.Context(), args, streams{strings.NewReader(""), &out, &errs}); status != exitDone {
			t.Fatalf("status %d: %s", status, errs.String())
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := measure("new-sites,mutations")
	if len(got.NewSites) != 3 || len(got.Mutations) != 6 || got.Cost.Pages == 0 {
		t.Fatalf("%+v", got)
	}
	for _, r := range got.NewSites {
		if r.Theme == "4" && (r.Pages == 0 || r.Missed == 0) {
			t.Errorf("nothing was missed by a knowledge base that knows one version: %+v", r)
		}
		if r.Literal != nil {
			t.Errorf("algorithm 2 of the paper was run unasked: %+v", r)
		}
	}
	if r := measure("new-sites", "--literal").NewSites[2]; r.Literal == nil || r.Literal.Missed != r.Missed {
		t.Errorf("algorithm 2 of the paper: %+v", r)
	}
	for _, m := range got.Mutations[:len(got.Mutations)-1] {
		if m.Pages == 0 || m.Missed == 0 {
			t.Errorf("aimed edits broke nothing: %+v", m)
		}
	}
	if got.Deleted.Pages == 0 || got.Deleted.Relearned > 0 {
		t.Errorf("deleted: %+v", got.Deleted)
	}
	if again := measure("mutations"); !slices.Equal(again.Mutations, got.Mutations) {
		t.Errorf("the same seed gives other figures: %+v, %+v", again.Mutations, got.Mutations)
	}
}
