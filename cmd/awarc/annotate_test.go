package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/quads"
	"github.com/awarc/awarc/engine/trends"
	"github.com/awarc/awarc/plugins/sdk/plugintest"
)

// annotated is a crawl of a board of 120 posts with the plugin annotate, and entities of a file and of a crawl definition.
func annotated(t *testing.T) (dir, plugin, gazetteer string) {
	t.Helper()
	plugin = plugintest.Build(t, "../../plugins/examples/annotate")
	gazetteer = write(t, "things.csv", "name,iri,class\nweather station,http://e.example/station,schema:Thing\nferryman,,schema:Person\n")
	topic := write(t, "topic.yaml", "entities: [{name: Tram, iri: 'http://e.example/tram', aliases: [streetcar]}]\nkeywords: [tram]\n")
	dir, o := runCrawl(t, "--plugin", plugin, "--plugin-config", "org.awarc.annotate=@"+gazetteer, "--topic", topic,
		serve(t, board(t, 120))+"/")
	o.want(t, exitDone)
	return dir, plugin, gazetteer
}

// Entities, keywords and languages are said of posts, by a plugin that the graph names, and can be searched, asked for and exported.
func TestAnnotations(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, plugin, gazetteer := annotated(t)
	var found quads.Found
	for _, entity := range []string{"Tram", "http://e.example/tram", "ferryman", "urn:awarc:entity:ferryman"} {
		o := awarc(t, "", "search", "--format", "json", "--crawl", dir, "--limit", "200", "--class", "sioc:Post", "--entity", entity)
		o.want(t, exitDone)
		if err := json.Unmarshal([]byte(o.out), &found); err != nil {
			t.Fatal(err)
		}
		word := entity[strings.LastIndexAny(entity, "/:")+1:]
		o = awarc(t, "", "export", "--format", "jsonl", "--crawl", dir, "--class", "sioc:Post")
		want := 0
		for line := range strings.Lines(o.out) {
			var row quads.Row
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			if row.Quoted != "" {
				row.Content = row.Own // what others wrote is not his
			}
			if strings.Contains(strings.ToLower(row.Title+" "+row.Content), strings.ToLower(word)) {
				want++
			}
		}
		if found.Total != want || want == 0 {
			t.Errorf("%d posts mention %s, want %d", found.Total, entity, want)
		}
	}
	query := `SELECT ?name ?class (COUNT(DISTINCT ?post) AS ?posts) {
  ?post a sioc:Post ; schema:mentions ?e ; awarc:extractedBy/schema:name "org.awarc.annotate" . ?e schema:name ?name ; a ?class
} GROUP BY ?name ?class ORDER BY ?name`
	o := awarc(t, "", "query", "--format", "csv", "--crawl", dir, query)
	o.want(t, exitDone)
	if lines := strings.Split(o.out, "\r\n"); len(lines) != 5 || !strings.HasPrefix(lines[1], "Tram,http://schema.org/Thing,") ||
		!strings.HasPrefix(lines[2], "ferryman,http://schema.org/Person,") {
		t.Errorf("%s", o.out)
	}
	file := filepath.Join(t.TempDir(), "posts.csv")
	awarc(t, "", "export", "--crawl", dir, "--entity", "tram", "--columns", "mentions,keywords,language", "-o", file).want(t, exitDone)
	table, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(table), "Tram") || !strings.Contains(string(table), ",en\r\n") {
		t.Errorf("%s (%v)", table, err)
	}
	mentionedOverTime(t, dir)

	// An archive that has none is read again with the plugin.
	again := filepath.Join(t.TempDir(), "graph")
	o = awarc(t, "", "extract", "--crawl", dir, "--out", again, "--plugin", plugin, "--plugin-config", "org.awarc.annotate=@"+gazetteer)
	o.want(t, exitDone)
	counts := func(from string) string {
		return awarc(t, "", "trends", "--crawl", from, "--entity", "ferryman", "--entity", "weather station", "--by", "year").out
	}
	if got, want := counts(again), counts(dir); got != want || !strings.Contains(got, "2010") {
		t.Errorf("read again\n%s\nwant\n%s", got, want)
	}
	awarc(t, "", "crawl", "--dry-run", "--plugin-config", "x=@nowhere.csv", "http://e.example/").want(t, exitUsage, "nowhere.csv")
}

// mentionedOverTime holds what trends counts to what export has.
func mentionedOverTime(t *testing.T, dir string) {
	t.Helper()
	o := awarc(t, "", "trends", "--crawl", dir, "--by", "year", "--format", "json")
	o.want(t, exitDone)
	var table trends.Table
	if err := json.Unmarshal([]byte(o.out), &table); err != nil || len(table.Series) != 3 {
		t.Fatalf("%s (%v)", o.out, err)
	}
	want := map[string]map[string]int{}
	o = awarc(t, "", "export", "--crawl", dir, "--format", "jsonl")
	for line := range strings.Lines(o.out) {
		var row quads.Row
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		year := want[row.Created[:4]]
		if year == nil {
			year = map[string]int{}
			want[row.Created[:4]] = year
		}
		year[""]++
		for _, m := range row.Mentions {
			year[m]++
		}
	}
	if len(want) != len(table.Periods) {
		t.Errorf("%d years, want %d", len(table.Periods), len(want))
	}
	for _, p := range table.Periods {
		for i, s := range table.Series {
			if p.All != want[p.Name][""] || p.Counts[i] != want[p.Name][s.Name] {
				t.Errorf("%s: %d of %d mention %s, want %v", p.Name, p.Counts[i], p.All, s.Name, want[p.Name])
			}
		}
	}
	o = awarc(t, "", "trends", "--crawl", dir, "--crawl", dir, "--by", "crawl", "--format", "csv", "--entity", "Tram",
		"ferryman", "nowhere")
	o.want(t, exitDone)
	lines := strings.Split(o.out, "\r\n")
	if len(lines) != 4 || lines[0] != "crawl,all,ferryman,nowhere,Tram" || lines[1] != lines[2] ||
		!strings.HasPrefix(lines[1], "crawl,120,") {
		t.Errorf("%s", o.out)
	}
	o = awarc(t, "", "trends", "--crawl", dir, "--keywords", "--top", "2")
	if o.want(t, exitDone); strings.Count(o.out, "\n") < 50 {
		t.Errorf("%s", o.out)
	}
	awarc(t, "", "trends", "--crawl", dir, `"open`).want(t, exitUsage, "quotation mark")
	awarc(t, "", "trends", "--crawl", dir, "--top", "0").want(t, exitUsage, "expected 1 to 1000")
}
