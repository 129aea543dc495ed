package kb_test

import (
	"testing"

	"github.com/awarc/awarc/kb"
)

// The built-in knowledge base has no errors; its warnings are shown by -v.
func TestBuiltinIsCleanOfErrors(t *testing.T) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, p := range kb.Lint(base) {
		count[p.Rule]++
		if p.Severity == kb.SeverityError {
			t.Errorf("%s: %s: %s: %s", p.Pos, p.Rule, p.Where, p.Msg)
		} else {
			t.Logf("%s: %s: %s: %s", p.Pos, p.Rule, p.Where, p.Msg)
		}
	}
	t.Log(count)
}
