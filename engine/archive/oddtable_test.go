package archive

import (
	"strings"
	"testing"
)

// The table of docs/extract.md has each oddity, and no other.
func TestOdditiesAreDocumented(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(string(read(t, "../../docs/extract.md")), "## Archives of other programs")
	section, _, _ = strings.Cut(section, "\n## ")
	all := []Oddity{OddPadding, OddVersion, OddHeaderLine, OddHeaderBreak, OddMissing, OddLineBreaks, OddShared, OddMixed, OddStatusLine,
		OddDate, OddPackage, OddUnread, OddHead, OddNotHTTP, OddLength, OddChunks, OddDigest, OddDuplicate}
	for _, kind := range all {
		if !strings.Contains(section, "\n| `"+string(kind)+"` |") {
			t.Errorf("%s is not in the table", kind)
		}
	}
	if n := strings.Count(section, "\n| `"); n != len(all) {
		t.Errorf("%d rows, want %d", n, len(all))
	}
}
