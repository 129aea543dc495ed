package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/quads"
	"github.com/awarc/awarc/testsites"
)

// The examples of the documents give what the documents say.
func TestDocumentedTables(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 1, Posts: 120})
	if err != nil {
		t.Fatal(err)
	}
	dir, o := runCrawl(t, serve(t, site)+"/")
	o.want(t, exitDone)
	text, err := os.ReadFile("../../docs/tables.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(dir))
	if err := os.Rename(dir, "mycrawl"); err != nil {
		t.Fatal(err)
	}
	examples := 0
	for _, block := range regexp.MustCompile(`(?m)^    \$ awarc (.*)\n((?:    [^$\n].*\n)*)`).FindAllStringSubmatch(string(text), -1) {
		args, want := strings.Fields(block[1]), strings.ReplaceAll(strings.TrimPrefix(block[2], "    "), "\n    ", "\n")
		if args[0] == "testsite" || args[0] == "crawl" {
			continue
		}
		examples++
		o := awarc(t, "", args...)
		o.want(t, exitDone)
		if got := o.out + o.err; got != want {
			t.Errorf("awarc %s\ngives\n%s\nand not\n%s", block[1], got, want)
		}
	}
	if examples < 3 {
		t.Errorf("only %d examples were found", examples)
	}
}

// A forum becomes a table of its posts, in the order of its threads.
func TestExport(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	site := board(t, 60)
	base := serve(t, site)
	dir, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	file := filepath.Join(t.TempDir(), "posts.csv")
	awarc(t, "", "export", "--crawl", dir, "-o", file).want(t, exitDone, "wrote 60 objects")
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) != 61 {
		t.Fatalf("%d lines (%v)", len(lines), err)
	}
	column := func(line []string, name string) string { return line[slices.Index(lines[0], name)] }
	got := map[string][]string{}
	last, position := "", 0
	for _, line := range lines[1:] {
		_, id, _ := strings.Cut(column(line, "id"), "#p")
		got[id] = line
		if thread := column(line, "thread_url"); thread != last {
			last, position = thread, 0
		}
		if position++; column(line, "position") != strconv.Itoa(position) {
			t.Errorf("%s is at the position %s, want %d", id, column(line, "position"), position)
		}
	}
	titles := map[string]string{}
	for object := range site.Objects(base) {
		switch object.Class {
		case "sioc:Thread":
			titles[object.ID] = object.Title
		case "sioc:Post":
			line, ok := got[object.ID]
			if !ok {
				t.Errorf("post %s is missing", object.ID)
				continue
			}
			if column(line, "creator") != object.Creator || column(line, "thread") != titles[object.Parent] ||
				!strings.HasPrefix(column(line, "created"), object.Created[:10]) || column(line, "record") == "" {
				t.Errorf("post %+v is %q", object, line)
			}
		}
	}
	o = awarc(t, "", "export", "--crawl", dir, "--format", "jsonl", "--class", "sioc:Thread")
	o.want(t, exitDone)
	var thread quads.Row
	if first, _, _ := strings.Cut(o.out, "\n"); json.Unmarshal([]byte(first), &thread) != nil || thread.Title == "" ||
		strings.Count(o.out, "\n") != len(titles) {
		t.Errorf("%s", o.out)
	}
	awarc(t, "", "export", "--crawl", dir, "-o", "posts.xls").want(t, exitUsage, "posts.xls: unknown format")
	awarc(t, "", "export", "--crawl", dir, "--columns", "titel").want(t, exitUsage, "unknown column \"titel\"")
	awarc(t, "", "export", "--crawl", dir, `"open`).want(t, exitUsage, "quotation mark")
	awarc(t, "", "export", "--crawl", dir, "-o", filepath.Join(dir, "none", "posts.csv")).want(t, exitFailed, "no such file")
}
