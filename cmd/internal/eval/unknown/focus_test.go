package unknown

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

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
