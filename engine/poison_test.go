package engine

import "testing"

// TestSuspectIsReadAlone: of two pages that were being read when the process died, none is read beside another page.
func TestSuspectIsReadAlone(t *testing.T) {
	var before, e Engine
	before.poison.dir = t.TempDir()
	e.poison.dir = before.poison.dir
	before.beginReading("a")
	before.beginReading("b")

	mayBegin := func() string {
		switch alone := &e.poison.alone; {
		case alone.TryLock():
			alone.Unlock()
			return "all"
		case alone.TryRLock():
			alone.RUnlock()
			return "all but suspects"
		}
		return "none"
	}
	read := func(key, want string) {
		t.Helper()
		defer e.beginReading(key)()
		if got := mayBegin(); got != want {
			t.Errorf("beside %s may be read: %s; want %s", key, got, want)
		}
	}
	read("a", "none")
	read("c", "all but suspects")
	read("a", "all but suspects") // since it was read to its end
	if got := mayBegin(); got != "all" {
		t.Errorf("while nothing is read may be read: %s", got)
	}
	if a, b, c := e.poison.deaths("a"), e.poison.deaths("b"), e.poison.deaths("c"); a != 0 || b != 1 || c != 0 {
		t.Errorf("the process died %d, %d and %d times, want 0, 1 and 0", a, b, c)
	}
}
