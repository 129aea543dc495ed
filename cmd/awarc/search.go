package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"

	"github.com/awarc/awarc/engine/quads"
)

// day is a time written as a date, or as RFC 3339 has it.
type day time.Time

// UnmarshalText reads a day.
func (d *day) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, string(text)); err == nil {
			*d = day(t)
			return nil
		}
	}
	return fmt.Errorf("invalid date %q; expected 2026-11-24, 2026-11, 2026 or 2026-11-24T10:00:00Z", text)
}

// filterFlags say which objects are meant.
type filterFlags struct {
	Since    day      `placeholder:"DATE" help:"Written on this day or later (2026-11-24, 2026-11, 2026)."`
	Until    day      `placeholder:"DATE" help:"Written before this day."`
	Host     []string `sep:"none" placeholder:"HOST" help:"On this host or below this domain; repeatable, as are the next flags."`
	Type     []string `sep:"none" placeholder:"TYPE-ID" help:"On pages of this type, such as phpbb."`
	Level    []string `sep:"none" placeholder:"LEVEL-ID" help:"On pages of this level, such as topic."`
	Class    []string `sep:"none" placeholder:"CLASS" help:"Objects of this class, such as sioc:Post or sioc:UserAccount."`
	Creator  []string `sep:"none" placeholder:"NAME" help:"Written by this person."`
	Entity   []string `sep:"none" placeholder:"NAME" help:"Mentioning this entity, by name or IRI; needs a crawl with an extractor."`
	Language []string `sep:"none" placeholder:"LANG" help:"In this language (declared or detected), such as en."`
}

// search is for the objects that the flags let through.
func (f *filterFlags) search() quads.Search {
	return quads.Search{
		Since: time.Time(f.Since), Until: time.Time(f.Until), Host: f.Host, Type: f.Type, Level: f.Level, Class: f.Class,
		Creator: f.Creator, Entity: f.Entity, Language: f.Language,
	}
}

type searchCmd struct {
	indexFlags
	filterFlags `group:"Filters:"`
	Crawl       []string `required:"" sep:"none" placeholder:"DIR" help:"Read this folder of a crawl or of N-Quads; repeatable."`
	Sort        string   `enum:"match,date" default:"match" help:"Order by best match or by newest date."`
	Limit       int      `default:"20" help:"Show at most N results."`
	Offset      int      `help:"Skip the first N results."`
	Format      string   `enum:"text,json" default:"text" help:"Output format."`
	Words       []string `arg:"" optional:"" help:"Words of the texts: '\"a phrase\" -without begin* this OR that title:this'."`
}

// Run searches.
func (c *searchCmd) Run(ctx context.Context, s streams) error {
	index, result, err := c.open(ctx, s, c.Crawl)
	if err != nil {
		return err
	}
	defer index.Close()
	search := c.search()
	search.Words, search.ByDate, search.Limit, search.Offset = joinWords(c.Words), c.Sort == "date", c.Limit, c.Offset
	found, err := index.Search(ctx, search)
	var wrong *quads.SearchError
	if errors.As(err, &wrong) {
		return usageError("%v", err)
	}
	if err != nil {
		return err
	}
	if c.Format == "json" {
		err = writeJSON(s.out, found)
	} else {
		err = printFound(s.out, found)
	}
	if err == nil && result.Skipped > 0 {
		err = &statusError{exitWithFaults, nil}
	}
	return err
}

// joinWords joins what the shell took apart: an argument with a space in it is a phrase.
func joinWords(args []string) string {
	var words []string
	for _, w := range args {
		if len(args) > 1 && strings.Contains(w, " ") && !strings.Contains(w, `"`) {
			w = `"` + w + `"`
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// printFound writes what was found for reading.
func printFound(out io.Writer, found *quads.Found) error {
	begin, end := "*", "*"
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		begin, end = "\x1b[1m", "\x1b[0m"
	}
	w := bufio.NewWriter(out)
	for _, h := range found.Hits {
		about := append([]string{}, h.Class[0])
		if h.Title != "" {
			about = append(about, printable(h.Title))
		}
		if len(h.Creator) > 0 {
			about = append(about, "by "+printable(strings.Join(h.Creator, ", ")))
		}
		if h.Created != "" {
			about = append(about, printable(h.Created))
		}
		fmt.Fprintf(w, "%s\n  %s\n", printable(h.ID), strings.Join(about, "  "))
		if h.Page != "" && !strings.HasPrefix(h.ID, h.Page) {
			fmt.Fprintf(w, "  on %s\n", printable(h.Page))
		}
		if h.Snippet.Text != "" {
			fmt.Fprintf(w, "  %s\n", marked(h.Snippet, begin, end))
		}
	}
	for _, note := range found.Notes {
		fmt.Fprintln(w, printable(note))
	}
	fmt.Fprintf(w, "%d of %d results\n", len(found.Hits), found.Total)
	return w.Flush()
}

// marked writes a snippet with what was looked for between two texts.
func marked(s quads.Snippet, begin, end string) string {
	var b strings.Builder
	last := 0
	for _, m := range s.Marks {
		b.WriteString(printable(s.Text[last:m[0]]) + begin + printable(s.Text[m[0]:m[1]]) + end)
		last = m[1]
	}
	return b.String() + printable(s.Text[last:])
}

// printable is a text of a page without what a terminal would obey.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, text)
}
