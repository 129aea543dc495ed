package archive

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// zipFile writes a ZIP file of files, in the order of their names.
func zipFile(t testing.TB, name string, method uint16, files map[string][]byte) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, member := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: member, Method: method})
		if err == nil {
			_, err = w.Write(files[member])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// described adds to the files of a WACZ file what describes them.
func described(t testing.TB, files map[string][]byte) map[string][]byte {
	t.Helper()
	var resources []map[string]any
	for name, data := range files {
		resources = append(resources, map[string]any{"path": name, "hash": sha256Digest(data), "bytes": len(data)})
	}
	about, err := json.Marshal(map[string]any{"resources": resources})
	if err != nil {
		t.Fatal(err)
	}
	all := maps.Clone(files)
	all[packageName] = about
	all[packageDigest] = fmt.Appendf(nil, `{"path": "datapackage.json", "hash": %q}`, sha256Digest(about))
	return all
}

func TestWACZ(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	first, mark := oddRecord(1, oddEnd(twoBreaks))
	second, mark2 := oddRecord(2, oddEnd(twoBreaks))
	revisit := strings.Replace(foreign("revisit", "HTTP/1.1 200 OK\r\n\r\n", "WARC-Refers-To-Target-URI: http://b.example/1",
		"WARC-Refers-To-Date: 2020-03-12T10:00:00Z"), "urn:x:1", "urn:x:revisit", 1)
	files := map[string][]byte{"archive/a.warc.gz": gzipped(t, revisit, first), "archive/b.warc": []byte(second),
		"pages/pages.jsonl": []byte("{}\n")}
	for what, method := range map[string]uint16{"stored": zip.Store, "deflated": zip.Deflate} {
		name := filepath.Join(t.TempDir(), "x.wacz")
		zipFile(t, name, method, described(t, files))
		warcs := Unfold(name)
		if len(warcs) != 2 || warcs[0] != filepath.Join(name, "archive", "a.warc.gz") {
			t.Fatalf("%s: %v", what, warcs)
		}
		var blocks []string
		err := Answers(Reading{Files: warcs, Most: 1 << 20, Bad: func(b *BadRecord) { t.Errorf("%s: %v", what, b) },
			Each: func(x *Answer) error {
				blocks = append(blocks, string(x.Block))
				return nil
			}})
		if err != nil || len(blocks) != 3 || !strings.Contains(blocks[0], mark) || !strings.Contains(blocks[1], mark2) ||
			!strings.Contains(blocks[2], mark) {
			t.Errorf("%s: %q, %v", what, blocks, err)
		}
		reports, err := Verify(WithMembers(name)...)
		if err != nil || len(reports) != 3 || !reports[0].Packed || reports[0].Files != 3 || len(reports[0].Unusual) > 0 {
			t.Errorf("%s: %+v, %v", what, reports, err)
		}
		for _, r := range reports {
			if r.Wrong > 0 {
				t.Errorf("%s: %v", what, r.Bad)
			}
		}
	}
	if left, _ := os.ReadDir(temporary); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

// Files that cannot be opened, or hold no records, cost no record of others.
func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	record, mark := oddRecord(1, oddEnd(twoBreaks))
	dir := t.TempDir()
	for name, data := range map[string][]byte{"a.warc": []byte(record), "b.arc.gz": gzipped(t, "filedesc://x 0.0.0.0"), "c.warc": nil,
		"d.warc.xz": []byte("\xfd7zXZ\x00"), "notes.txt": []byte("x"), "e.wacz": []byte(zipMagic)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Below(dir)
	if err != nil || len(files) != 5 {
		t.Fatalf("%v, %v", files, err)
	}
	var said []string
	blocks := ""
	err = Answers(Reading{Files: append(Unfold(files...), filepath.Join(dir, "gone.warc"), dir), Most: 1 << 20,
		Bad: func(b *BadRecord) { said = append(said, b.Error()) },
		Each: func(x *Answer) error {
			blocks += string(x.Block)
			return nil
		}})
	all := strings.Join(said, "\n")
	if err != nil || !strings.Contains(blocks, mark) || len(said) != 6 {
		t.Errorf("%q, %s, %v", blocks, all, err)
	}
	for _, want := range []string{"warcio recompress", "the file is empty", "xz -d", "zip -FF", "no such file", "is a folder"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
}

// Each way in which a WACZ file is not what datapackage.json says is named.
func TestVerifyWACZ(t *testing.T) {
	t.Parallel()
	record, _ := oddRecord(1, oddEnd(twoBreaks))
	whole := described(t, map[string][]byte{"archive/a.warc": []byte(record), "pages/pages.jsonl": []byte("{}\n")})
	with := func(name, data string) map[string][]byte {
		files := maps.Clone(whole)
		if files[name] = []byte(data); data == "" {
			delete(files, name)
		}
		return files
	}
	for what, c := range map[string]struct {
		files map[string][]byte
		bad   string
		odd   string
	}{
		"whole":   {whole, "", ""},
		"changed": {with("pages/pages.jsonl", "[]\n"), "pages/pages.jsonl: its digest differs", ""},
		"longer":  {with("pages/pages.jsonl", "{}\n\n"), "pages/pages.jsonl: it has 4 bytes", ""},
		"missing": {with("pages/pages.jsonl", ""), "lists it, but it is missing", ""},
		"more":    {with("notes.txt", "x"), "", "notes.txt: WACZ: it is not in"},
		"changed description": {with(packageDigest, `{"hash": "md5:00000000000000000000000000000000"}`),
			"datapackage.json: its digest differs", ""},
		"no description":       {with(packageName, ""), "", "so nothing is compared"},
		"no digest of it":      {with(packageDigest, ""), "", ""},
		"without a WARC file":  {map[string][]byte{"a.txt": []byte("x")}, "no WARC file", "nothing is compared"},
		"description not JSON": {with(packageName, "x"), "", "so nothing is compared"},
	} {
		name := filepath.Join(t.TempDir(), "x.wacz")
		zipFile(t, name, zip.Deflate, c.files)
		reports, err := Verify(name)
		if err != nil {
			t.Fatal(err)
		}
		r := reports[0]
		if (r.Wrong > 0) != (c.bad != "") && what != "no description" && what != "description not JSON" ||
			c.bad != "" && !strings.Contains(r.Bad[0].Error(), c.bad) ||
			(len(r.Odd) > 0) != (c.odd != "") || c.odd != "" && !strings.Contains(r.Odd[0].Error(), c.odd) {
			t.Errorf("%s: %+v, %v, %v", what, r, r.Bad, r.Odd)
		}
	}
	name := filepath.Join(t.TempDir(), "x.wacz")
	zipFile(t, name, zip.Store, whole)
	data := read(t, name)
	at := bytes.Index(data, []byte("text of record"))
	data[at] = 'T'
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := Verify(name); err != nil || r[0].Wrong != 1 || r[0].Bad[0].Member != "archive/a.warc" {
		t.Errorf("a changed byte: %+v, %v", r, err)
	}
}
