package crawl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/kb"
)

const rowing = `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="rowing"><detect><pattern>i</pattern></detect>
<level id="topic" kind="terminal"><detect><pattern>b</pattern></detect>
<object class="sioc:Thread" id="{url}"><field name="title">h1</field></object></level></type></category></kb>
`

// A change that two crawls learned is written once. An editor that saves an older text does not
// remove it, also after the files were last read, unless it does so again; a crawl that did not
// learn it notes the loss.
func TestLearnedChangesSurviveAnOlderText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rowing.xml")
	save := func() {
		t.Helper()
		if err := os.WriteFile(file, []byte(rowing), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save()
	var notes []string
	entry := kb.Entry{Place: kb.Place{Type: "rowing", Level: "topic", Part: "sioc:Thread title"}, Expr: "h2",
		Provenance: kb.Provenance{Learned: time.Now(), From: "h1", Cost: 1, Site: "a.example", Pages: 4, Confidence: 0.9}}
	open := func() *Crawl {
		c := &Crawl{dir: t.TempDir()}
		c.settings.Flags.KB = []string{file}
		c.events = Events{Noted: func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }}.filled()
		base, err := c.store().Load()
		if err != nil {
			t.Fatal(err)
		}
		c.rules.set(base)
		return c
	}
	one, two := open(), open()
	for i, c := range []*Crawl{one, two} {
		if written, err := c.keep(c.rules.get(), []kb.Entry{entry}); err != nil || len(written) != 1-i {
			t.Fatalf("crawl %d wrote %d entries: %v", i+1, len(written), err)
		}
	}
	after := open() // another crawl with what they learned
	entries := func() int {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "<try ")
	}
	for _, c := range []*Crawl{two, one} { // each may be the last that runs
		save()
		if c.respectFiles(); entries() != 1 || len(notes) == 0 || !strings.Contains(notes[len(notes)-1], "is restored") {
			t.Errorf("%d entries are there, with the notes %q", entries(), notes)
		}
	}
	save()
	lost, err := after.store().Load()
	if err != nil {
		t.Fatal(err)
	}
	notes = nil
	after.respect(lost)
	if want := "an edit removed " + entry.ID(); entries() != 0 || len(notes) != 1 || !strings.HasPrefix(notes[0], want) ||
		!strings.HasSuffix(notes[0], "at a.example: rowing topic sioc:Thread title h2") {
		t.Errorf("the loss is noted as %q", notes)
	}
}
