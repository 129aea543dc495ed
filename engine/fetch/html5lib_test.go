package fetch

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
)

// TestHTML5LibEncodings compares with the encodings that html5lib-tests expects. They
// come with PyPI's html5lib; cmd/awarc/testdata/e2e/tools.sh puts them where they are read.
func TestHTML5LibEncodings(t *testing.T) {
	t.Parallel()
	dir := "../../.cache/tools/html5lib-tests"
	if d := os.Getenv("HTML5LIB_TESTS"); d != "" {
		dir = d
	}
	files, err := filepath.Glob(filepath.Join(dir, "encoding", "*.dat"))
	if err != nil || len(files) == 0 {
		t.Skipf("skipped: no html5lib-tests in %s; make tools fetches them", dir)
	}
	passed, all := 0, 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range bytes.Split(append([]byte("\n"), data...), []byte("\n#data\n"))[1:] {
			page, want, ok := bytes.Cut(c, []byte("\n#encoding\n"))
			if !ok {
				continue
			}
			label, _, _ := strings.Cut(string(want), "\n")
			_, name := charset.Lookup(strings.TrimSpace(label))
			all++
			got := DecodeHTML(page, "").Charset
			if got == name || name == "windows-1252" && isASCII(page) {
				passed++ // where nothing is declared ASCII may be called anything
				continue
			}
			t.Logf("%s: %s, want %s: %.200q", filepath.Base(f), got, name, page)
		}
	}
	t.Logf("%d of %d", passed, all)
	if passed*100 < all*95 {
		t.Errorf("only %d of %d pass", passed, all)
	}
}

func isASCII(b []byte) bool {
	return bytes.IndexFunc(b, func(r rune) bool { return r >= 0x80 }) < 0
}
