package module

import (
	"errors"
	"strings"
	"testing"

	"github.com/awarc/awarc/plugins/module/moduletest"
)

// A refusal names what is wrong, where it is and what to do, and a module that has
// to be stopped later is not refused: the host's tests would not see it.
func TestHostileModulesAreRefusedAtLoadWithTheReason(t *testing.T) {
	refused := 0
	for _, h := range moduletest.All() {
		t.Run(h.Name, func(t *testing.T) {
			m, err := Verify(h.File, DefaultLimits())
			if h.When != moduletest.OnLoad {
				if err != nil {
					t.Fatalf("refused at load: %v", err)
				}
				if _, err := m.Meter(); err != nil {
					t.Fatal(err)
				}
				return
			}
			refused++
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an error with %q", err, h.Refusal)
			}
			if h.Refusal == "" || !strings.Contains(err.Error(), h.Refusal) {
				t.Errorf("got %v, want %q in it", err, h.Refusal)
			}
			if e.Rule == "" || e.What == "" || e.Do == "" || e.Offset > len(h.File) {
				t.Errorf("the error does not say what, where and what to do: %#v", e)
			}
		})
	}
	if refused < 90 {
		t.Errorf("only %d modules were to be refused", refused)
	}
}
