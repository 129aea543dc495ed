package unknown

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/kb"
)

// TestTargetsAreCounted: each target counts once, when it was first fetched with success.
func TestTargetsAreCounted(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "log"), 0o777); err != nil {
		t.Fatal(err)
	}
	log := ""
	for i, at := range []string{"/", "/post/1", "/list", "/post/1", "/post/2?x=1", "/post/3", "/post/4"} {
		status := 200
		if at == "/post/3" {
			status = 404
		}
		log += fmt.Sprintf(`{"url":"http://a.example%s","status":%d,"hops":%d}`+"\n", at, status, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "log", "crawl.jsonl"), []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}
	column := Column{Name: "posts", Match: `^/post/\d`, Crawls: yaml.MapSlice{{Key: "one", Value: dir}}}
	r, err := Focus(t.Context(), &kb.Base{}, column, new(Sites), 10, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Curves[0]
	if r.Contents != 3 || c.Requests != 7 || c.At[50] != 5 || c.At[100] != 7 {
		t.Errorf("%d targets, %+v", r.Contents, c)
	}
	var b strings.Builder
	if err := PrintFocus(&b, []*Report{r}); err != nil || !strings.Contains(b.String(), "posts, 3") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// TestColumnsOfAFile: the columns of a file have paths relative to it, targets from a list, and orders over a generated web. An unknown key
// is an error.
func TestColumnsOfAFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("one/log/crawl.jsonl", `{"url":"http://a.example/","status":200}
{"url":"http://a.example/wiki/Caf%C3%A9","status":200}
{"url":"http://a.example/wiki/Other","status":200}
`)
	write("gnus.list", "/wiki/Caf%C3%A9\n/wiki/Missing\n")
	write("columns.yaml", `
- {name: a category, list: gnus.list, crawls: {"awarc, topic": one}}
- {name: a generated web, generated: 600}
`)
	write("wrong.yaml", "- {name: a category, lists: gnus.list}\n")
	if _, err := ReadColumns(filepath.Join(dir, "wrong.yaml")); err == nil || !strings.Contains(err.Error(), "lists") {
		t.Errorf("an unknown key: %v", err)
	}
	columns, err := ReadColumns(filepath.Join(dir, "columns.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var reports []*Report
	for _, c := range columns {
		r, err := Focus(t.Context(), &kb.Base{}, c, new(Sites), 2, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
	}
	if r := reports[0]; r.Contents != 1 || r.Curves[0].Name != "awarc, topic" || r.Curves[0].At[100] != 2 {
		t.Errorf("%d targets, %+v", r.Contents, r.Curves[0])
	}
	found := map[string]int{}
	for _, c := range reports[1].Curves {
		found[c.Name] = len(c.after)
	}
	for _, order := range []string{"random", "breadth first", "best first", "context graph, online"} {
		if n := found[order+", simulated"]; n == 0 || n != found["random, simulated"] {
			t.Errorf("%s finds %d targets of %v", order, n, found)
		}
	}
	if svg := Plots("caption", reports); !strings.Contains(svg, "a generated web") {
		t.Error("the plot has no panel for the second column")
	}
}

// TestCategoriesOfAWiki: a wiki stands for a column for each of its categories, with the category's name and another word as keywords, its
// pages as targets and an ontology. Their sum follows.
func TestCategoriesOfAWiki(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("pages/CategoryBoatHulls", "Hulls of oak. Oak timber, oak planks, timber. CategorySails")
	for i := range 6 {
		write(fmt.Sprint("pages/Hull it's ", i), "planks\nCategoryBoatHulls")
		write(fmt.Sprint("pages/Sail", i), "canvas, CategorySails")
	}
	log := ""
	for _, at := range []string{"", "wiki/Sail1", "wiki/Hull%20it%27s%201", "wiki/Sail2", "wiki/Hull%20it's%202"} {
		log += fmt.Sprintf(`{"url":"http://a.example/%s","status":200}`+"\n", at)
	}
	write("by-BoatHulls/log/crawl.jsonl", log)
	write("by-Sails/log/crawl.jsonl", log)
	write("columns.yaml", `
- name: a wiki
  wiki: {pages: pages, topics: topics, categories: [BoatHulls, Sails]}
  crawls: {"awarc": by-*}
`)
	columns, err := ReadColumns(filepath.Join(dir, "columns.yaml"))
	if err != nil || len(columns) != 2 {
		t.Fatalf("%d columns: %v", len(columns), err)
	}
	d, topic, err := crawl.ReadTopic(columns[0].Topic)
	if err != nil || d.Graph().Score("boat hulls") <= d.Graph().Score("sails") || d.Graph().Score("sails") == 0 {
		t.Errorf("the ontology does not score its concept above a related one: %v", err)
	}
	if topic.Similarity("timber", "en") == 0 {
		t.Error("the most frequent word of the category's page is not a keyword")
	}
	var reports []*Report
	for _, c := range columns {
		r, err := Focus(t.Context(), &kb.Base{}, c, new(Sites), 1, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
	}
	all := Together(reports)
	if len(all) != 3 || all[2].Name != "a wiki" || all[2].Contents != 4 || fmt.Sprint(all[2].Curves[0].after) != "[2 3 4 5]" {
		t.Fatalf("together: %+v", all[len(all)-1])
	}
	if at := all[2].Curves[0].At; at[50] != 3 || at[100] != 5 {
		t.Errorf("medians of requests %v, want 3 for half and 5 for all", at)
	}
}
