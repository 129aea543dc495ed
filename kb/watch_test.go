package kb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// watched is what one change of the files led to.
type watched struct {
	base *Base
	err  error
}

// kbXML is a knowledge base with types of the given ids, each with a pattern.
func kbXML(pattern string, ids ...string) string {
	var b strings.Builder
	b.WriteString(`<kb xmlns="urn:awarc:kb:1"><category id="forum" rank="2">`)
	for _, id := range ids {
		b.WriteString(`<type id="` + id + `"><detect><pattern>` + pattern + `</pattern></detect></type>` + "\n")
	}
	b.WriteString(`</category></kb>`)
	return b.String()
}

// watchDir watches a folder with one file and returns what comes of changes.
func watchDir(t *testing.T) (file string, base *Base, next func(what string) watched) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "kb")
	file = filepath.Join(dir, "a.xml")
	write(t, file, kbXML("body", "one"))
	store := Store{Paths: []string{dir}}
	base, err := store.Load()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	results := make(chan watched, 100)
	ended := make(chan error, 1)
	go func() {
		ended <- store.Watch(ctx, base, func(b *Base, err error) { results <- watched{b, err} })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return file, base, func(what string) watched {
		t.Helper()
		select {
		case r := <-results:
			return r
		case <-time.After(5 * time.Minute):
			t.Fatalf("%s: nothing came of it", what)
			return watched{}
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestWatchTakesOverValidEdits(t *testing.T) {
	file, base, next := watchDir(t)
	write(t, file, kbXML("h1", "one", "two"))
	got := next("an edit in place")
	if got.err != nil || got.base.Type("two") == nil {
		t.Fatalf("after an edit: %+v", got)
	}
	if s := base.Changes(got.base).String(); s != "added two; changed one" {
		t.Errorf("the changes are %q", s)
	}

	temp := filepath.Join(filepath.Dir(file), ".a.xml.swp")
	write(t, temp, kbXML("h1", "two"))
	if err := os.Rename(temp, file); err != nil {
		t.Fatal(err)
	}
	after := next("a replacement by renaming")
	if after.err != nil || after.base.Type("one") != nil {
		t.Fatalf("after renaming: %+v", after)
	}
	if s := got.base.Changes(after.base).String(); s != "removed one" {
		t.Errorf("the changes are %q", s)
	}
}

func TestWatchRefusesWhatIsInvalid(t *testing.T) {
	file, _, next := watchDir(t)
	write(t, file, kbXML("body", "one")[:60])
	half := next("a half-written file")
	var errs Errors
	if !errors.As(half.err, &errs) || errs[0].Pos.File != file || errs[0].Pos.Line == 0 {
		t.Fatalf("a half-written file gives %+v, want an error with file and line", half)
	}
	write(t, file, kbXML("body", "one"))
	if whole := next("the rest of the file"); whole.err != nil || whole.base.Type("one") == nil {
		t.Fatalf("once it is whole again: %+v", whole)
	}
}

func TestWatchSurvivesDeletedFolders(t *testing.T) {
	file, _, next := watchDir(t)
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	if gone := next("a deleted folder"); gone.err == nil {
		t.Fatalf("a deleted folder gives %+v, want an error", gone)
	}
	write(t, file, kbXML("h2", "one", "three"))
	for got := next("the folder made again"); ; got = next("the folder made again") {
		if got.err == nil && got.base.Type("three") != nil {
			break // an error may come between: the folder without its file
		}
	}
	write(t, filepath.Join(filepath.Dir(file), "deeper", "b.xml"), kbXML("h3", "four"))
	for got := next("a file in a new folder"); ; got = next("a file in a new folder") {
		if got.err == nil && got.base.Type("four") != nil {
			break
		}
	}
}

// TestChangesOfRules: examples and what was learned change a type, and not what it says of pages.
func TestChangesOfRules(t *testing.T) {
	load := func(follow, more string) *Base {
		t.Helper()
		b, err := Load(Source{Name: "a.xml", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="mine">` +
			`<detect><pattern>html</pattern></detect><level id="topic" kind="terminal"><detect><pattern>body</pattern></detect>` +
			`<follow to="topic">` + follow + `</follow></level>` + more + `</type></category></kb>`)})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	old := load("a", "")
	learned := load(`a
		<try learned="2026-11-21" from="a" cost="1" site="forum.example" pages="4" confidence="0.98">b/a</try>`, `<example page="a.html"/>`)
	if c := old.Changes(learned); len(c.Changed) != 1 || len(c.Ruled) != 0 {
		t.Errorf("%+v; want a change that is none of rules", c)
	}
	if c := old.Changes(load("p/a", "")); len(c.Changed) != 1 || len(c.Ruled) != 1 {
		t.Errorf("%+v; want a change of rules", c)
	}
}
