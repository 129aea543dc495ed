package mirrors

import (
	"testing"

	"github.com/awarc/awarc/kb"
)

// A service and an application may have files of one name.
func TestSourcesOfOneNameAreWritten(t *testing.T) {
	r := &recrawl{dir: t.TempDir()}
	paths, err := r.write(kb.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	got, err := kb.ReadSources(paths...)
	if want := kb.Builtin(); err != nil || len(got) != len(want) {
		t.Errorf("%d sources of %d were written; %v", len(got), len(want), err)
	}
}
