package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDiffSinceFollowsCaptures divides the sessions of a watch by the times of their captures, which follow
// AWARC_CLOCK, and not by the names of their files, which do not.
func TestDiffSinceFollowsCaptures(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "graph"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, of := range []struct{ day, text string }{{"2020-01-01", "Oak bends well."}, {"2020-01-05", "Oak bends badly."}} {
		quads := fmt.Sprintf(`<urn:uuid:%[1]d> <http://www.w3.org/ns/prov#generatedAtTime> `+
			`"%[2]sT12:00:00.5Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> <urn:awarc:meta> .
<urn:uuid:%[1]d> <http://purl.org/dc/terms/source> <http://boats.example/1> <urn:awarc:meta> .
<http://boats.example/1#p1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://rdfs.org/sioc/ns#Post> <urn:uuid:%[1]d> .
<http://boats.example/1#p1> <http://rdfs.org/sioc/ns#content> "%[3]s" <urn:uuid:%[1]d> .
`, i, of.day, of.text)
		name := fmt.Sprintf("awarc-2026112815300%d-00001.nq", i)
		if err := os.WriteFile(filepath.Join(dir, "graph", name), []byte(quads), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := awarc(t, "", "diff", dir, "--since", "2020-01-03")
	o.want(t, exitDone)
	if row := o.out[strings.LastIndex(o.out, "sioc:Post"):]; strings.Join(strings.Fields(row), " ") != "sioc:Post 0 1 0 0 0" {
		t.Errorf("one post changed, and diff says\n%s", o.out)
	}
	awarc(t, "", "diff", dir, "--since", "2020-02-01").want(t, exitUsage, "has no session after 2020-02-01")
}
