package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/quads"
)

// rows are as pages may have them.
func rows() []quads.Row {
	post := func(id, title, by, created, content string) quads.Row {
		return quads.Row{
			Object: quads.Object{ID: "http://forum.example/t/1#" + id, Class: []string{"sioc:Post", "schema:DiscussionForumPosting"},
				Title: title, Creator: []string{by}, Created: created, Page: "http://forum.example/t/1",
				Captured: "2026-11-24T10:00:00.000001Z", Record: "urn:uuid:1", Type: "phpbb", Level: "topic"},
			Forum: "Клуб", ForumURL: "http://forum.example/f/1", Thread: "A thread", ThreadURL: "http://forum.example/t/1",
			Content: content, HTML: "<p>" + content + "</p>", WARCFile: "a.warc.gz", WARCOffset: 12,
		}
	}
	all := []quads.Row{
		post("1", "Plain", "Ines", "2021-03-01T10:00:00+02:00", "One line."),
		post("2", "=HYPERLINK(\"http://e.example\")", "@Sven, \"O'Neil\"", "2021-03-01",
			"From the beginning\n>From here\n>>From there\n\nFrom \nFrom\n.\nlast"),
		post("3", strings.Repeat("длинный заголовок ", 10), "太郎 田中, Ltd.", "2021-03-01T10:00:00",
			"日本語\n"+strings.Repeat("long ", 400)+"\ntrailing space \n=3D = and \u202e, a tab\t, \"quotes\", ; and &lt;\n\n\n"),
		post("4", "=?utf-8?q?not_encoded?=", "=?utf-8?q?nor_this?=", "soon", ""),
		post("5", "two\nlines\r\nBcc: all@e.example", "a\nBcc: b@e.example <c@e.example>", "", "-1+1"),
		post("6", strings.Repeat("x", 5000), strings.Repeat("ü", 5000), "9999-12-31T23:59:59-13:45", "+49 30"),
	}
	all[1].Position = 2
	all[1].ReplyTo = []string{all[0].ID}
	all[1].Ancestors = []string{all[0].ID}
	all[2].Ancestors = []string{all[0].ID, all[1].ID}
	all[3].ID, all[3].Page = "urn:x:> <\r\nBcc: a@e.example", "javascript:alert(1)"
	return all
}

func written(t *testing.T, format Format, o Options, all []quads.Row) string {
	t.Helper()
	var b bytes.Buffer
	w, err := New(&b, format, o)
	for i := range all {
		if err == nil {
			err = w.Write(&all[i])
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// readers are those of Python's library: what they read of all files is what was written.
const readers = `
import csv, json, mailbox, email, email.policy, email.utils, sys, xml.etree.ElementTree as xml
csv.field_size_limit(1 << 30)
dir = sys.argv[1] + "/"
box = mailbox.mbox(dir + "a.mbox", factory=lambda f: email.message_from_binary_file(f, policy=email.policy.default), create=False)
mail = [{
    "from": m["From"].addresses[0].display_name, "subject": m["Subject"], "id": m["Message-ID"], "in": m["In-Reply-To"],
    "references": (m["References"] or "").split(), "date": m["Date"] and m["Date"].datetime.isoformat(), "list": m["List-ID"],
    "text": m.get_content(), "names": [k for k in m.keys()], "defects": [str(d) for d in m.defects],
} for m in box]
with open(dir + "a.csv", newline="", encoding="utf-8-sig") as f:
    table = list(csv.DictReader(f))
feed = [{c.tag: c.text or "" for c in item} for item in xml.parse(dir + "a.rss").getroot().iter("item")]
json.dump({"mail": mail, "table": table, "feed": feed, "json": json.load(open(dir + "a.json")),
           "lines": [json.loads(l) for l in open(dir + "a.jsonl")]}, sys.stdout)
`

type readBack struct {
	Mail []struct {
		From, Subject, ID, In, Date, List, Text string
		References, Names, Defects              []string
	}
	Table []map[string]string
	Feed  []map[string]string
	JSON  []quads.Row
	Lines []quads.Row
}

func TestOtherProgramsReadWhatWasWritten(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not here")
	}
	dir := t.TempDir()
	all := rows()
	for _, f := range []Format{CSV, JSON, JSONL, RSS, Mbox} {
		name := filepath.Join(dir, "a."+string(f))
		if FormatOf(name) != f {
			t.Errorf("%s is taken for %q", name, FormatOf(name))
		}
		o := Options{BOM: true, Exact: true, Title: "<&>", Link: "http://forum.example/?a&b"}
		if err := os.WriteFile(name, []byte(written(t, f, o, all)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(python, "-c", readers, dir).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		t.Fatalf("%v: %s", err, failed.Stderr)
	}
	var got readBack
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Mail) != len(all) || len(got.Table) != len(all) || len(got.Feed) != len(all) {
		t.Fatalf("%d messages, %d lines, %d items of %d", len(got.Mail), len(got.Table), len(got.Feed), len(all))
	}
	var dates []string
	for i := range all {
		row := all[i]
		m, cells, item := got.Mail[i], got.Table[i], got.Feed[i]
		if want := strings.TrimRight(row.Content, "\n"); strings.TrimRight(m.Text, "\n") != want {
			t.Errorf("mail %d: %q, want %q", i, m.Text, want)
		}
		if len(m.Defects) > 0 || strings.Contains(strings.ToLower(strings.Join(m.Names, " ")), "bcc") {
			t.Errorf("mail %d: %q %q", i, m.Defects, m.Names)
		}
		if want := line(row.Title); m.Subject != want {
			t.Errorf("mail %d: subject %q, want %q", i, m.Subject, want)
		}
		// Python puts spaces between the encoded words of a name.
		if want := line(row.Creator[0]); strings.ReplaceAll(m.From, " ", "") != strings.ReplaceAll(want, " ", "") {
			t.Errorf("mail %d: from %q, want %q", i, m.From, want)
		}
		if len(m.References) != len(row.Ancestors) {
			t.Errorf("mail %d answers %q", i, m.References)
		}
		for _, name := range Columns() {
			if cells[name] != Cells(&row, []string{name})[0] && slices.Contains(DefaultColumns(), name) {
				t.Errorf("line %d: %s is %q, want %q", i, name, cells[name], Cells(&row, []string{name}))
			}
		}
		if item["{http://purl.org/dc/elements/1.1/}creator"] != strings.ReplaceAll(row.Creator[0], "\r\n", "\n") {
			t.Errorf("item %d: %q", i, item)
		}
		if all[i].Ancestors = nil; !reflect.DeepEqual(got.JSON[i], all[i]) || !reflect.DeepEqual(got.Lines[i], all[i]) {
			t.Errorf("JSON %d: %+v, want %+v", i, got.JSON[i], row)
		}
		dates = append(dates, m.Date)
	}
	if got.Mail[2].In != got.Mail[1].ID || got.Mail[2].References[0] != got.Mail[0].ID || got.Mail[0].In != "" {
		t.Errorf("%+v", got.Mail[2])
	}
	want := []string{"2021-03-01T10:00:00+02:00", "2021-03-01T00:00:00", "2021-03-01T10:00:00", "", "", "9999-12-31T23:59:59-13:45"}
	if !reflect.DeepEqual(dates, want) {
		t.Errorf("dates %q, want %q", dates, want)
	}
}

// What a spreadsheet would compute is marked as text, and nothing else is changed.
func TestFormulas(t *testing.T) {
	lines := strings.Split(written(t, CSV, Options{Columns: []string{"position", "title", "creator", "content"}}, rows()), "\r\n")
	if lines[1] != ",Plain,Ines,One line." {
		t.Errorf("%q", lines[1])
	}
	if !strings.HasPrefix(lines[2], `2,"'=HYPERLINK(""http://e.example"")","'@Sven, ""O'Neil""","From`) {
		t.Errorf("%q", lines[2])
	}
	if text := strings.Join(lines, "\n") + "\n"; !strings.Contains(text, ",'-1+1\n") || !strings.Contains(text, ",'+49 30\n") {
		t.Errorf("%q", text)
	}
	_, err := New(&bytes.Buffer{}, CSV, Options{Columns: []string{"titel"}})
	if err == nil || !strings.Contains(err.Error(), "expected class, forum,") {
		t.Error(err)
	}
}

// A message begins where a line does and a line of mail is not too long, whatever a page says.
func TestMailIsWellFormed(t *testing.T) {
	text := written(t, Mbox, Options{}, rows())
	begins := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "From ") {
			begins++
		}
		if len(line) > 998 || strings.ContainsFunc(line, func(r rune) bool { return r >= 0x7f || r < ' ' && r != '\n' && r != '\t' }) {
			t.Errorf("%q", line)
		}
	}
	if begins != len(rows()) {
		t.Errorf("%d messages, want %d", begins, len(rows()))
	}
}

func TestNothing(t *testing.T) {
	for format, want := range map[Format]string{JSON: "[]\n", JSONL: "", Mbox: ""} {
		if got := written(t, format, Options{}, nil); got != want {
			t.Errorf("%s: %q", format, got)
		}
	}
}

// TestLines: CR LF ends a line of CSV, as RFC 4180 has it, and a text keeps its line breaks.
func TestLines(t *testing.T) {
	var b strings.Builder
	l := NewLines(&b, true)
	err := errors.Join(l.Write([]string{"a", "two\nlines"}), l.Write([]string{"=1", ""}))
	if err != nil || b.String() != "a,\"two\nlines\"\r\n'=1,\r\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
