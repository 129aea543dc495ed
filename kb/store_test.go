package kb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/kb"
)

var day = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// learnedTitle is an entry for the thread's title of the type slipway.
func learnedTitle(expr, site string) kb.Entry {
	return kb.Entry{Place: kb.Place{Type: "slipway", Level: "topic", Part: "sioc:Thread title"}, Expr: expr,
		Provenance: kb.Provenance{Learned: day.Truncate(24 * time.Hour), From: "h1", Cost: 1, Site: site, Pages: 4, Confidence: 0.9}}
}

// storeOf writes a source into a file of its own.
func storeOf(t *testing.T, source string) (s kb.Store, file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "mine.xml")
	if err := os.WriteFile(file, []byte(source), 0o640); err != nil {
		t.Fatal(err)
	}
	return kb.Store{Paths: []string{file}, Learned: filepath.Join(dir, "learned")}, file
}

func learn(t *testing.T, s kb.Store, want int, entries ...kb.Entry) *kb.Base {
	t.Helper()
	written, err := s.Learn(nil, entries...)
	if err != nil || len(written) != want {
		t.Fatalf("%d entries written, want %d; error %v", len(written), want, err)
	}
	return reload(t, s)
}

func reload(t *testing.T, s kb.Store) *kb.Base {
	t.Helper()
	b, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// titles gives the expressions of the thread's title in force at an address.
func titles(b *kb.Base, address string) string {
	var out []string
	for _, try := range b.Type("slipway").Level("topic")[0].Objects[0].Fields[0].Tries {
		if try.Learned == nil || try.Learned.AppliesAt(address) {
			out = append(out, try.Expr.Source)
		}
	}
	return strings.Join(out, " ")
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestStoreLearnsAcceptsRejects(t *testing.T) {
	s, file := storeOf(t, slipway)
	e := learnedTitle("h2[@class='t']", "a.example/f")
	b := learn(t, s, 1, e)
	if got := titles(b, "a.example/f/1") + ", " + titles(b, "b.example"); got != "h1 h2[@class='t'], h1" {
		t.Errorf("learned, the titles are %s", got)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file's mode is %v, error %v", info.Mode(), err)
	}
	if _, err := os.Stat(s.Learned); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder for all else was made, error %v", err)
	}
	once := read(t, file)
	learn(t, s, 0, e)
	if read(t, file) != once {
		t.Error("learning it again changed the file")
	}

	// A second and a third site.
	other := e
	other.Site = "b.example"
	b = learn(t, s, 1, other)
	if got := titles(b, "b.example/1") + ", " + titles(b, "d.example"); got != "h1 h2[@class='t'], h1" || len(b.Entries) != 1 {
		t.Errorf("on a second site the titles are %s, with %d entries", got, len(b.Entries))
	}
	other.Site = "c.example"
	b = learn(t, s, 1, other)
	if got := titles(b, "d.example"); got != "h1 h2[@class='t']" {
		t.Errorf("confirmed by three sites, the titles elsewhere are %s", got)
	}

	// Rejected, it stays out; accepted, it is good everywhere.
	files, err := s.Reject(e.ID(), "it is the subtitle", day)
	if err != nil || len(files) != 1 || files[0] != file {
		t.Fatalf("rejecting changed %v, error %v", files, err)
	}
	b = reload(t, s)
	if got := titles(b, "a.example/f/1"); got != "h1" || !b.Rejected(e) || b.Entries[0].Why != "it is the subtitle" {
		t.Errorf("rejected, the titles are %s, entries %+v", got, b.Entries)
	}
	learn(t, s, 0, e)
	if _, err := s.Accept(e.ID(), day); err != nil {
		t.Fatal(err)
	}
	b = reload(t, s)
	if got := titles(b, "z.example"); got != "h1 h2[@class='t']" || b.Entries[0].Rejected || b.Entries[0].Why != "" || b.Entries[0].Pages !=
		4 {
		t.Errorf("accepted, the titles are %s, entries %+v", got, b.Entries)
	}
	if _, err := s.Accept("0123456789", day); !errors.Is(err, kb.ErrUnknownEntry) {
		t.Errorf("accepting what is not there gives %v", err)
	}

	// Without the entry the file is what its author wrote.
	if got := regexp.MustCompile(`\n[ \t]*<try learned=[^>]*>[^<]*</try>`).ReplaceAllString(read(t, file), ""); got != slipway {
		t.Errorf("what the author wrote is now\n%s", got)
	}
}

// What cannot be written beside the original goes into the crawl's own folder and
// works all the same, in subtypes too.
func TestStoreOverlays(t *testing.T) {
	s := kb.Store{Under: kb.Builtin(), Learned: filepath.Join(t.TempDir(), "kb", "learned")}
	place := kb.Place{Type: "phpbb", Level: "topic"}
	level := reload(t, s).Type("phpbb").Level("topic")[0]
	place.Variant = level.Variant
	var entries []kb.Entry
	for i, spot := range level.Spots() {
		place.Part = spot.Part
		entries = append(entries, kb.Entry{Place: place, Expr: fmt.Sprintf("p[@class='x%d']", i),
			Provenance: kb.Provenance{Learned: day.Truncate(24 * time.Hour), Site: "a.example", From: "a"}})
	}
	b := learn(t, s, len(entries), entries...)
	if len(b.Entries) != len(entries) {
		t.Errorf("%d entries, want %d", len(b.Entries), len(entries))
	}
	now := b.Type("phpbb").Level("topic")[0]
	for i, spot := range level.Spots() {
		n := len(now.Spots()[i].Tries) - len(spot.Tries)
		if spot.Part == kb.PartDetect {
			n = len(now.Detect) - len(level.Detect)
		}
		if n != 1 {
			t.Errorf("%s: %d learned, want 1", spot.Place, n)
		}
	}
	files, err := filepath.Glob(filepath.Join(s.Learned, "*"))
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "phpbb.xml" {
		t.Errorf("the files are %v, error %v", files, err)
	}
	if before, after := kb.Lint(reload(t, kb.Store{Under: kb.Builtin()})), kb.Lint(b); len(after) != len(before) {
		t.Errorf("lint has %d problems, before %d", len(after), len(before))
	}

	// The folder of one crawl is a source of the next.
	next := kb.Store{Under: kb.Builtin(), Paths: []string{s.Learned}, Learned: filepath.Join(t.TempDir(), "learned")}
	learn(t, next, 0, entries...)
	if files, err := next.Reject(entries[0].ID(), "", day); err != nil || len(files) != 1 || files[0] !=
		filepath.Join(s.Learned, "phpbb.xml") {
		t.Errorf("rejecting changed %v, error %v", files, err)
	}
}

// A rejection counts wherever it stands, also beside a file that cannot be
// written.
func TestStoreRejectsWhatIsWriteProtected(t *testing.T) {
	s, file := storeOf(t, slipway)
	e := learnedTitle("h2", "a.example")
	learn(t, s, 1, e)
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	before := read(t, file)
	if _, err := s.Reject(e.ID(), "no", day); err != nil {
		t.Fatal(err)
	}
	b := learn(t, s, 0, e)
	if titles(b, "a.example") != "h1" || read(t, file) != before {
		t.Errorf("the titles are %s", titles(b, "a.example"))
	}
	// And what is learned then goes beside it.
	b = learn(t, s, 1, learnedTitle("h3", "a.example"))
	if titles(b, "a.example") != "h1 h3" || read(t, file) != before {
		t.Errorf("the titles are %s", titles(b, "a.example"))
	}
}

// While the author's file is broken nothing is written into it, and nothing lost.
func TestStoreLearnsBesideABrokenFile(t *testing.T) {
	s, file := storeOf(t, slipway)
	inForce := reload(t, s)
	broken := strings.Replace(slipway, "</level>", "", 1)
	if err := os.WriteFile(file, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	written, err := s.Learn(inForce, learnedTitle("h2", "a.example"))
	if err != nil || len(written) != 1 || read(t, file) != broken {
		t.Fatalf("%d written, error %v", len(written), err)
	}
	if err := os.WriteFile(file, []byte(slipway), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := titles(reload(t, s), "a.example"); got != "h1 h2" {
		t.Errorf("once it is mended the titles are %s", got)
	}
}

func TestStrayEntriesAreTold(t *testing.T) {
	b := load(t, slipway, `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="slipway"><learned>
		<try level="topic" part="sioc:Thread colour" learned="2026-11-21">h2</try></learned></type></category></kb>`)
	told := 0
	for _, p := range kb.Lint(b) {
		if p.Rule == "learned-nowhere" {
			told++
		}
	}
	if told != 1 || len(b.Entries) != 1 {
		t.Errorf("told %d times of %d entries", told, len(b.Entries))
	}
}

// learnTask makes the test binary learn, as another process: how many entries,
// which letter names them, and the file.
const learnTask = "AWARC_KB_LEARN"

func TestMain(m *testing.M) {
	task := strings.SplitN(os.Getenv(learnTask), ":", 2)
	if len(task) < 2 {
		os.Exit(m.Run())
	}
	s := kb.Store{Paths: []string{task[1]}}
	inForce, err := kb.Load(kb.Source{Name: task[1], Data: []byte(slipway)}) // the file may be half-written now
	if err != nil {
		panic(err)
	}
	for i := range manyEntries {
		if written, err := s.Learn(inForce, learnedTitle(fmt.Sprintf("h2[@id='%s%d']", task[0], i), "a.example")); err != nil ||
			len(written) != 1 {
			fmt.Fprintln(os.Stderr, len(written), "written:", err)
			os.Exit(1)
		}
		if _, err := s.Learn(inForce, shared(i)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// shared is an entry that both processes learn.
func shared(i int) kb.Entry { return learnedTitle(fmt.Sprintf("h2[@id='both%d']", i), "a.example") }

const manyEntries = 8

// Two processes that learn and an engineer who saves the same file, by renaming
// and in place: every entry is there in the end, once, also what both learn, every
// edit of the engineer, and all else as it was.
func TestTwoProcessesAndAnEngineer(t *testing.T) {
	for _, how := range []string{"nobody", "renaming", "in place"} {
		t.Run(how, func(t *testing.T) {
			s, file := storeOf(t, slipway)
			var learners sync.WaitGroup
			for _, name := range []string{"x", "y"} {
				learners.Go(func() {
					cmd := exec.CommandContext(t.Context(), os.Args[0])
					cmd.Env = append(os.Environ(), learnTask+"="+name+":"+file)
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Errorf("%s: %v: %s", name, err, out)
					}
				})
			}
			stopped, stop := context.WithCancel(context.Background())
			go func() { learners.Wait(); stop() }()
			edits := engineer(t, file, how, stopped.Done())
			if edits == 0 && how != "nobody" {
				t.Error("the engineer saved nothing")
			}

			// An editor saves what it read before: what was learned in between is gone
			// from the file. A crawl puts it back when it sees that.
			var all []kb.Entry
			for i := range manyEntries {
				all = append(all, shared(i))
				for _, name := range []string{"x", "y"} {
					all = append(all, learnedTitle(fmt.Sprintf("h2[@id='%s%d']", name, i), "a.example"))
				}
			}
			if how != "nobody" {
				if _, err := s.Learn(nil, all...); err != nil {
					t.Fatal(err)
				}
			}
			b := reload(t, s)
			if len(b.Entries) != len(all) {
				t.Errorf("%d entries, want %d", len(b.Entries), len(all))
			}
			text := read(t, file)
			for i := range edits {
				if !strings.Contains(text, edit(i)) {
					t.Errorf("edit %d of %d is lost", i, edits)
				}
			}
			text = regexp.MustCompile(`<!-- edit \d+ -->|\n[ \t]*<try learned=[^>]*>[^<]*</try>`).ReplaceAllString(text, "")
			if text != slipway {
				t.Errorf("what the author wrote is now\n%s", text)
			}
			if left, err := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, error %v", left, err)
			}
		})
	}
}

func edit(i int) string { return fmt.Sprintf("<!-- edit %d -->", i) }

// Files of one name in several folders are named apart, also from those that are called so.
func TestFileNamesAreDifferent(t *testing.T) {
	seen := map[string]bool{}
	for name := range kb.FileNames([]kb.Source{{Name: "a/x.xml"}, {Name: "b/x-2.xml"}, {Name: "c/x.xml"}, {Name: "d/x-2.xml"}}) {
		seen[name] = true
	}
	if len(seen) != 4 {
		t.Errorf("%v", seen)
	}
}

// engineer edits a file again and again until done, and returns how often. It saves what it read
// before somebody else learned something.
func engineer(t *testing.T, file, how string, done <-chan struct{}) (edits int) {
	t.Helper()
	if how == "nobody" {
		<-done
		return 0
	}
	// changed waits for an entry that is not in a text and returns the new text, or false when done.
	changed := func(old string) (text string, more bool) {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			text = read(t, file)
			if strings.Count(text, "<try ") > strings.Count(old, "<try ") && (edits == 0 || strings.Contains(text, edit(edits-1))) {
				return text, true
			}
			select {
			case <-done:
				return text, false
			case <-tick.C:
			}
		}
	}
	for saved := ""; ; edits++ {
		before, more := changed(saved)
		if !more {
			return edits
		}
		if _, more = changed(before); !more {
			return edits
		}
		text := strings.Replace(before, "</kb>", edit(edits)+"</kb>", 1)
		saved = text
		save := file
		if how == "renaming" {
			save = filepath.Join(filepath.Dir(file), "mine.xml~")
		}
		if err := os.WriteFile(save, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if how == "renaming" {
			if err := os.Rename(save, file); err != nil {
				t.Fatal(err)
			}
		}
	}
}
