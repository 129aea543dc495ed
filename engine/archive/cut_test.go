package archive

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The part of a last record that is there is read, in whatever way the file is packed, and is still
// there after a repair, as a truncated record without the digests of the whole.
func TestLastRecordThatIsCutIsReadInPart(t *testing.T) {
	t.Parallel()
	first, mark := oddRecord(1, oddEnd(twoBreaks))
	var text strings.Builder
	for n := range 8000 { // more than a block of zstd
		fmt.Fprintf(&text, "<p>sentence %d of the last page, %x</p>\n", n, n*n*7919)
	}
	last := foreign("response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"+text.String(),
		"WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "WARC-Payload-Digest: md5:00000000000000000000000000000000")
	for form, pack := range oddForms(t) {
		whole := pack([]string{first, last})
		data := whole[:len(whole)-len(pack([]string{last}))/3]
		name := filepath.Join(t.TempDir(), "cut"+form)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		check := func(damaged int, why string) {
			t.Helper()
			truncated, bad := "", 0
			var blocks strings.Builder
			err := Answers(Reading{Files: []string{name}, Most: 1 << 20, Bad: func(b *BadRecord) {
				if bad++; !b.Read {
					t.Errorf("%s, %s: %v", form, why, b)
				}
			}, Each: func(x *Answer) error {
				truncated = x.Truncated
				blocks.Write(x.Block)
				return nil
			}})
			if err != nil || bad != damaged || truncated != "unspecified" || !strings.Contains(blocks.String(), mark) ||
				!strings.Contains(blocks.String(), "sentence 300 of") || strings.Contains(blocks.String(), "sentence 7999 of") {
				t.Errorf("%s, %s: %v; %d damaged, truncated %q, %d bytes", form, why, err, bad, truncated, blocks.Len())
			}
		}
		check(1, "as it is")
		if form == ".warc.zst" {
			continue // which is not repaired
		}
		got, err := Recover(name)
		if err != nil || got.Records != 2 || len(got.Saved) != 1 {
			t.Errorf("%s: %+v, %v", form, got, err)
		}
		check(0, "repaired")
		if r, err := Verify(name); err != nil || r[0].Wrong > 0 {
			t.Errorf("%s: repaired, %+v, %v", form, r, err)
		}
	}
}

// Compressed members without a record, and one with a wrong checksum, cost no record.
func TestEmptyMembersAndChecksums(t *testing.T) {
	t.Parallel()
	one, mark := oddRecord(1, oddEnd(twoBreaks))
	two, mark2 := oddRecord(2, oddEnd(twoBreaks))
	blocks, bad, unusual := readOdd(t, saved(t, gzipped(t, "", one, "\r\n", two, "")))
	if !strings.Contains(blocks, mark) || !strings.Contains(blocks, mark2) || bad != nil || unusual[OddPadding] != 2 {
		t.Errorf("%q, %v, %v", blocks, bad, unusual)
	}
	data := gzipped(t, one)
	data[len(data)-6] ^= 1
	blocks, bad, _ = readOdd(t, saved(t, append(data, gzipped(t, two)...)))
	if !strings.Contains(blocks, mark) || !strings.Contains(blocks, mark2) || len(bad) != 1 || !bad[0].Read {
		t.Errorf("%q, %v", blocks, bad)
	}
	for what, data := range map[string][]byte{"zeros": make([]byte, 1000), "members without a byte": gzipped(t, "", "")} {
		name := saved(t, data)
		_, bad, _ := readOdd(t, name)
		r, err := Verify(name)
		if len(bad) != 1 || err != nil || r[0].Wrong != 1 {
			t.Errorf("%s: %v, %+v, %v", what, bad, r, err)
		}
		if _, err := Recover(name); err == nil || !strings.Contains(err.Error(), errNoRecord.Error()) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if kind := kindOf(bytes.NewReader(gzipped(t, string(gzipped(t, one)))), 1<<20); !strings.Contains(kind, "gunzip") {
		t.Errorf("compressed twice: %q", kind)
	}
}
