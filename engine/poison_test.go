package engine

import "testing"

// TestSuspectIsReadAlone: of two pages that were being read when the process died, none is read beside another page.
func TestSuspectIsReadAlone(t *testing.T) {
	var before, e Engine
	dir := t.TempDir()
	if err := before.poison.open(dir); err != nil {
		t.Fatal(err)
	}
	before.beginReading("a")
	before.beginReading("b")
	before.beginReading("d")()
	before.poison.file.Close() // and the process dies
	if err := e.poison.open(dir); err != nil {
		t.Fatal(err)
	}
	defer e.poison.close()

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
	for key, want := range map[string]int64{"a": 0, "b": 1, "c": 0, "d": 0} {
		if got := e.poison.deaths(key); got != want {
			t.Errorf("the process died %d times at %s, want %d", got, key, want)
		}
	}
}
