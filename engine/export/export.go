package export

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/awarc/awarc/engine/quads"
)

// Format is a kind of file.
type Format string

// The formats.
const (
	CSV   Format = "csv"   // RFC 4180, with a line of names
	JSON  Format = "json"  // an array of objects
	JSONL Format = "jsonl" // an object a line
	RSS   Format = "rss"
	Mbox  Format = "mbox"
)

// FormatOf gives the format that the end of a file's name stands for; "" is none.
func FormatOf(file string) Format {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".csv":
		return CSV
	case ".json":
		return JSON
	case ".jsonl", ".ndjson":
		return JSONL
	case ".rss", ".xml":
		return RSS
	case ".mbox", ".mbx":
		return Mbox
	}
	return ""
}

// Options say how rows are written.
type Options struct {
	Columns []string // of CSV; empty: [DefaultColumns]
	Exact   bool     // CSV has texts as they are, also texts that a spreadsheet would run as formulas
	BOM     bool     // CSV begins with a byte order mark, by which Excel knows UTF-8
	Title   string   // of RSS
	Link    string   // of RSS
}

// A Writer writes rows. They are all there once Close gave no error.
type Writer interface {
	Write(row *quads.Row) error
	Close() error
}

// New writes rows in a format.
func New(w io.Writer, format Format, o Options) (Writer, error) {
	switch format {
	case CSV:
		return newTable(w, o)
	case JSON:
		return &array{w: w}, nil
	case JSONL:
		return &array{w: w, lines: true}, nil
	case RSS:
		return newFeed(w, o)
	case Mbox:
		return &mailbox{w: w}, nil
	}
	return nil, fmt.Errorf("export: unknown format %q", format)
}

// column is one of a table.
type column struct {
	name string
	of   func(*quads.Row) string
}

var columns = [...]column{
	{"class", func(r *quads.Row) string { return r.Class[0] }},
	{"forum", func(r *quads.Row) string { return r.Forum }},
	{"forum_url", func(r *quads.Row) string { return r.ForumURL }},
	{"thread", func(r *quads.Row) string { return r.Thread }},
	{"thread_url", func(r *quads.Row) string { return r.ThreadURL }},
	{"position", func(r *quads.Row) string { return count(int64(r.Position)) }},
	{"title", func(r *quads.Row) string { return r.Title }},
	{"creator", func(r *quads.Row) string { return strings.Join(r.Creator, "; ") }},
	{"creator_url", func(r *quads.Row) string { return strings.Join(r.CreatorURL, " ") }},
	{"contributor", func(r *quads.Row) string { return strings.Join(r.Contributor, "; ") }},
	{"created", func(r *quads.Row) string { return r.Created }},
	{"modified", func(r *quads.Row) string { return r.Modified }},
	{"content", func(r *quads.Row) string { return r.Content }},
	{"content_html", func(r *quads.Row) string { return r.HTML }},
	{"content_own", func(r *quads.Row) string {
		if r.Quoted == "" {
			return r.Content
		}
		return r.Own
	}},
	{"quoted", func(r *quads.Row) string { return r.Quoted }},
	{"language", func(r *quads.Row) string { return r.Language }},
	{"reply_to", func(r *quads.Row) string { return strings.Join(r.ReplyTo, " ") }},
	{"mentions", func(r *quads.Row) string { return strings.Join(r.Mentions, "; ") }},
	{"keywords", func(r *quads.Row) string { return strings.Join(r.Keywords, "; ") }},
	{"id", func(r *quads.Row) string { return r.ID }},
	{"page", func(r *quads.Row) string { return r.Page }},
	{"type", func(r *quads.Row) string { return r.Type }},
	{"level", func(r *quads.Row) string { return r.Level }},
	{"captured", func(r *quads.Row) string { return r.Captured }},
	{"record", func(r *quads.Row) string { return r.Record }},
	{"warc_file", func(r *quads.Row) string { return r.WARCFile }},
	{"warc_offset", func(r *quads.Row) string { return count(r.WARCOffset) }},
}

// count writes a number, 0 as nothing.
func count(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// Columns are the names of all columns.
func Columns() []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return names
}

// DefaultColumns returns all columns except alternative forms of texts.
func DefaultColumns() []string {
	return slices.DeleteFunc(Columns(), func(name string) bool {
		return name == "content_html" || name == "content_own" || name == "quoted"
	})
}

// CheckColumns says which name is of no column.
func CheckColumns(names []string) error {
	all := Columns()
	for _, name := range names {
		if !slices.Contains(all, name) {
			return fmt.Errorf("unknown column %q; expected %s", name, strings.Join(all, ", "))
		}
	}
	return nil
}

// Cells returns the columns of a row, with several values joined.
func Cells(row *quads.Row, names []string) []string {
	cells := make([]string, len(names))
	for i, name := range names {
		for _, c := range &columns {
			if c.name == name {
				cells[i] = c.of(row)
			}
		}
	}
	return cells
}

// Lines writes CSV as RFC 4180 has it: CR LF ends a line. Line breaks inside a cell stay as they are.
type Lines struct {
	w    io.Writer
	safe bool
	line bytes.Buffer
	csv  *csv.Writer
}

// NewLines writes CSV. With safe, cells that a spreadsheet would run as formulas begin with an apostrophe.
func NewLines(w io.Writer, safe bool) *Lines {
	l := &Lines{w: w, safe: safe}
	l.csv = csv.NewWriter(&l.line)
	return l
}

// Write writes a line.
func (l *Lines) Write(cells []string) error {
	if l.safe {
		cells = slices.Clone(cells)
		for i, text := range cells {
			cells[i] = noFormula(text)
		}
	}
	l.line.Reset()
	err := l.csv.Write(cells)
	l.csv.Flush()
	if err = cmp.Or(err, l.csv.Error()); err != nil {
		return err
	}
	l.line.Truncate(l.line.Len() - 1)
	l.line.WriteString("\r\n")
	_, err = l.w.Write(l.line.Bytes())
	return err
}

// table writes rows as CSV.
type table struct {
	lines   *Lines
	columns []string
}

func newTable(w io.Writer, o Options) (*table, error) {
	t := &table{lines: NewLines(w, !o.Exact)}
	names := o.Columns
	if len(names) == 0 {
		names = DefaultColumns()
	}
	if err := CheckColumns(names); err != nil {
		return nil, err
	}
	t.columns = names
	if o.BOM {
		if _, err := io.WriteString(w, "\ufeff"); err != nil {
			return nil, err
		}
	}
	return t, t.lines.Write(names)
}

func (t *table) Write(row *quads.Row) error { return t.lines.Write(Cells(row, t.columns)) }

func (t *table) Close() error { return nil }

// noFormula puts an apostrophe before what a spreadsheet would compute when it opens the file: a text of a page must not become a formula
// of its reader.
func noFormula(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

// array writes a JSON array, or its elements, each on a line.
type array struct {
	w     io.Writer
	text  bytes.Buffer
	lines bool
	more  bool
}

func (a *array) Write(row *quads.Row) error {
	a.text.Reset()
	if !a.lines {
		before := '['
		if a.more {
			before = ','
		}
		a.text.WriteRune(before)
	}
	a.more = true
	e := json.NewEncoder(&a.text)
	e.SetEscapeHTML(false)
	if err := e.Encode(row); err != nil {
		return err
	}
	_, err := a.w.Write(a.text.Bytes())
	return err
}

func (a *array) Close() error {
	end := "]\n"
	if a.lines {
		return nil
	}
	if !a.more {
		end = "[]\n"
	}
	_, err := io.WriteString(a.w, end)
	return err
}
