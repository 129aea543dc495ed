package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/archive"
)

// Asked to, the archive has the text of each page, and what the page is, as Browsertrix has it.
func TestPageRecords(t *testing.T) {
	t.Parallel()
	site := serve(t, board(t, 30))
	dir, o := runCrawl(t, "--page-records", site+"/")
	o.want(t, exitDone)
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*[0-9].warc.gz"))
	texts, infos := map[string]string{}, map[string]string{}
	for _, f := range files {
		err := archive.Resources(f, 1<<20, func(string) bool { return true }, func(uri string, data []byte) error {
			if url, isText := strings.CutPrefix(uri, "urn:text:"); isText {
				texts[url] = string(data)
				return nil
			}
			var info struct{ URL, Title, Type, Level string }
			if err := json.Unmarshal(data, &info); err != nil {
				return err
			}
			infos[strings.TrimPrefix(uri, "urn:pageinfo:")] = strings.Join([]string{info.URL, info.Title, info.Type, info.Level}, " ")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	pages := 0
	for _, e := range readLog(t, dir) {
		if e.Level == "" {
			continue
		}
		pages++
		if info := infos[e.URL]; !strings.HasPrefix(info, e.URL+" ") || !strings.HasSuffix(info, e.Type+" "+e.Level) {
			t.Errorf("%s: %q", e.URL, info)
		}
		if e.Level == "topic" && len(texts[e.URL]) < 100 {
			t.Errorf("%s has the text %q", e.URL, texts[e.URL])
		}
	}
	if n := readReport(t, dir).Pages; pages == 0 || len(texts) != int(n) || len(infos) != int(n) {
		t.Errorf("%d texts and %d records of %d pages", len(texts), len(infos), n)
	}
	for _, f := range files {
		if r, err := archive.Verify(f); err != nil || r[0].Wrong > 0 {
			t.Errorf("%+v, %v", r, err)
		}
	}
}
