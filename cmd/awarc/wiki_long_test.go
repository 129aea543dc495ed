package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestRenamedWikisLong crawls a MediaWiki and a DokuWiki all of whose classes have other names, and finds at least 95 of a
// hundred articles as they are under the names that the knowledge base has. The 34 talk pages of the MediaWiki, and what is
// said in them, need not be found: classes alone tell where a remark is.
func TestRenamedWikisLong(t *testing.T) {
	long(t)
	for wiki, talk := range map[string]int{"mediawiki": 68, "dokuwiki": 0} {
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
				articles := r.Objects - talk
				if articles < 200 || !strings.HasSuffix(r.Renamed, " ids") && 100*r.Equal < 95*articles {
					t.Errorf("%s: %d objects are equal; at least 95 %% of the articles were, 200 or more, and here %d", r.Renamed, r.Equal,
						articles)
				}
			}
		})
	}
}

// TestMediaWikiAPI asks a real MediaWiki for all of its pages, and finds in each what its page says; a crawl that asks the API, too, misses
// none of them.
func TestMediaWikiAPI(t *testing.T) {
	long(t)
	base, _ := serveByScript(t, "testdata/e2e/wiki.sh", "ready", "mediawiki")
	campaign := write(t, "wiki.yaml", "sources:\n  - {service: mediawiki-api, site: '"+base+"', operations: [pages]}\n")
	dir, o := runAPI(t, campaign, "--ignore-robots")
	o.want(t, exitDone)
	checkArchive(t, dir)
	r := readReport(t, dir)
	articles := r.Objects["sioct:WikiArticle"]
	if lists := (articles + 499) / 500; articles < 200 || r.Requests != articles+lists || len(r.Missing) > 0 {
		t.Errorf("%d requests for %d articles, missing %v", r.Requests, articles, r.Missing)
	}
	pages, o := runCrawl(t, "--api-sources", base+"/")
	o.want(t, exitDone)
	got, want := readGraph(t, dir), readGraph(t, pages)
	for id, w := range want {
		if delete(w.props, "modified"); strings.Contains(id, "Category:") { // pages say it without seconds and zone
			delete(want, id)
		}
	}
	fields, equal := sameFields(t, got, want, "WikiArticle")
	t.Logf("%d articles in %d requests; %d of %d fields equal", articles, r.Requests, equal, fields)
	if equal != fields || int64(fields) < 4*articles {
		t.Errorf("%d of %d fields equal", equal, fields)
	}
	if s := readReport(t, pages).Services; s == nil || s.Answers["mediawiki-api/pages"] == 0 || s.Answers["mediawiki-api/text"] > 0 {
		t.Errorf("the crawl asked the API: %+v", s)
	}
}
