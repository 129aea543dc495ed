package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A WACZ file is read where WARC files are: verified, extracted, deduplicated against, and as the
// archive that revisits refer to.
func TestAPackedCrawlIsReadAsAnArchive(t *testing.T) {
	t.Parallel()
	site := serve(t, board(t, 40)) + "/"
	dir, o := runCrawl(t, site)
	o.want(t, exitDone)
	folder := t.TempDir()
	file := filepath.Join(folder, "board.wacz")
	awarc(t, "", "pack", dir, "-o", file).want(t, exitDone)

	for _, name := range []string{file, folder} {
		o = awarc(t, "", "warc", "verify", name)
		o.want(t, exitDone)
		if !strings.Contains(o.out, "board.wacz: ") || !strings.Contains(o.out, "match datapackage.json; ok") ||
			!strings.Contains(o.out, "warcinfo; ok") {
			t.Errorf("%s: %s", name, o.out)
		}
	}
	x := extractAgain(t, exitDone, file, "--out", filepath.Join(dir, "again"))
	if want, have := sortedQuads(t, dir, "graph"), sortedQuads(t, dir, "again"); !slices.Equal(have, want) || x.Files != 2 {
		t.Errorf("%d statements, want the same %d; the first that differs: %s", len(have), len(want), firstDifference(have, want))
	}
	x = extractAgain(t, exitDone, folder, "--without", "phpbb")
	if filepath.Dir(x.Graph) != folder || x.Types["phpbb"] != 0 {
		t.Errorf("the graph is %s, of %v", x.Graph, x.Types)
	}

	second, o := runCrawl(t, "--dedupe", file, site)
	o.want(t, exitDone)
	if r := readReport(t, second); r.Elsewhere < r.Pages {
		t.Errorf("%d of %d pages refer to the WACZ file", r.Elsewhere, r.Pages)
	}
	posts := int(readReport(t, dir).Objects["sioc:Post"])
	if x = extractAgain(t, exitDone, second); x.Objects["sioc:Post"] != posts {
		t.Errorf("%+v, want %d posts", x.Result, posts)
	}
	moved := filepath.Join(t.TempDir(), "moved.wacz")
	if err := os.Rename(file, moved); err != nil {
		t.Fatal(err)
	}
	x = extractAgain(t, exitDone, second, "--previous", moved, "--out", filepath.Join(second, "again"))
	if x.Objects["sioc:Post"] != posts {
		t.Errorf("with --previous: %+v, want %d posts", x.Result, posts)
	}
	awarc(t, "", "crawl", "--previous", moved, "--out", filepath.Join(folder, "c"), site).want(t, exitUsage, "--dedupe")

	data, err := os.ReadFile(moved)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(moved, data[:len(data)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	awarc(t, "", "warc", "verify", moved).want(t, exitFailed, "files are damaged")
	extractAgain(t, exitWithFaults, moved, "--out", filepath.Join(folder, "cut"))
	awarc(t, "", "warc", "recover", moved).want(t, exitFailed, "unpack it")
}
