package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestRenamedWikisLong crawls a MediaWiki and a DokuWiki all of whose classes have other names, and finds at least 95 of a
// hundred articles as they are under the names that the knowledge base has.
func TestRenamedWikisLong(t *testing.T) {
	long(t)
	for _, wiki := range []string{"mediawiki", "dokuwiki"} {
		t.Run(wiki, func(t *testing.T) {
			base, _ := serveByScript(t, "testdata/e2e/wiki.sh", "ready", wiki)
			var out, errs strings.Builder
			args := []string{"eval", "adaptation", "--only", "renamed", "--sites", t.TempDir(), "--running", wiki + "=" + base, "--format",
				"json"}
			if status := run(t.Context(), args, streams{nil, &out, &errs}); status != exitDone {
				t.Fatalf("exit status %d: %s", status, errs.String())
			}
			var got adaptationReport
			if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
				t.Fatal(err)
			}
			if len(got.Renamed) == 0 {
				t.Fatal("nothing was measured")
			}
			for _, r := range got.Renamed {
				t.Logf("%+v", r)
				if r.Objects < 200 || !strings.HasSuffix(r.Renamed, " ids") && 100*r.Equal < 95*r.Objects {
					t.Errorf("%s: %d of %d objects are equal; at least 95 %% of 200 or more were", r.Renamed, r.Equal, r.Objects)
				}
			}
		})
	}
}
