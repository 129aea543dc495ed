package archive

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGatheredRecords: records of compressed files and of others become one sound file, and its index has their lines among those that
// were there.
func TestGatheredRecords(t *testing.T) {
	records := []string{foreign("response", "one", "Content-Type: text/plain"), foreign("resource", "two", "Content-Type: text/plain")}
	compressed := saved(t, gzipped(t, records...))
	plain := saved(t, []byte(strings.Join(records, "")))
	second := int64(len(gzipped(t, records[0])))
	dir := t.TempDir()
	index, all, file := filepath.Join(dir, "index.cdxj"), filepath.Join(dir, "all.cdxj"), filepath.Join(dir, "gathered.warc.gz")
	here := []string{"example,a)/ 20260101000000 {}\n", "example,z)/ 20260101000000 {}\n"}
	if err := os.WriteFile(index, []byte(strings.Join(here, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Gather(t.Context(), f, "gathered.warc.gz", []Place{{compressed, second, 0}, {plain, 0, 0}},
		[]string{index}, all); err != nil {
		t.Fatal(err)
	}
	reports, err := Verify(file)
	if err != nil || reports[0].Wrong > 0 || reports[0].Records["resource"] != 1 || reports[0].Records["response"] != 1 {
		t.Errorf("%+v, %v", reports, err)
	}
	want := here
	lines := &sorter{dir: dir}
	if err := indexFile(file, "gathered.warc.gz", lines); err != nil {
		t.Fatal(err)
	}
	want = append(want, lines.lines...)
	slices.Sort(want)
	if have, err := os.ReadFile(all); err != nil || string(have) != strings.Join(want, "") || len(want) != 4 {
		t.Errorf("%v: the index is\n%swant\n%s", err, have, strings.Join(want, ""))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 3 {
		t.Errorf("it leaves %v", left)
	}
	err = Gather(t.Context(), f, "gathered.warc.gz", []Place{{compressed, 1, 0}}, []string{index}, all)
	if err == nil || !strings.Contains(err.Error(), "byte 1") {
		t.Errorf("a place without a record: %v", err)
	}
}
