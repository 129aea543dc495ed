package extract

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/kb"
)

// mostChanges bounds the rows of a page that are read: ten times the longest list of a board.
const mostChanges = 5000

// longestChange bounds the texts that are read as the time of a change: a cell with the title and the
// author of the last post.
const longestChange = 1000

// changes reads the rows by which a page shows that others changed.
func (r *run) changes(c *kb.ChangeRows) {
	for _, row := range c.At.Select(r.page.Doc, r.work) {
		if row.Node == nil || row.Attr != "" || len(r.h.Changes) >= mostChanges {
			continue
		}
		links := c.Link.Select(row.Node, r.work)
		if len(links) == 0 {
			continue
		}
		href, _ := hrefOf(links[0])
		change := Change{URL: r.resolve.link(href), Newest: c.Newest}
		var said []string
		if text := r.changed(c.Times, row, &change); text != "" {
			said = append(said, text)
		}
		for _, t := range c.Counts {
			if text := r.first(t, row); text != "" {
				said = append(said, text)
			}
		}
		change.Said = strings.Join(said, " | ")
		if change.URL != "" && len(said) > 0 && r.keep(len(change.URL)+len(change.Said)) {
			r.h.Changes = append(r.h.Changes, change)
		}
	}
}

// changed reads the time of a change from a row, and returns the text that has it. Without a date, it
// returns the first text that an expression selects, since that differs after a change, too.
func (r *run) changed(tries []*kb.Try, row kb.Value, change *Change) (text string) {
	for _, t := range tries {
		for _, v := range t.Expr.Select(row.Node, r.work) {
			for _, s := range r.texts(t, v) {
				if at, exact := r.when(s); !at.IsZero() {
					change.Time, change.Exact = at, exact
					return s
				}
				if text == "" {
					text = s
				}
			}
		}
	}
	return text
}

// texts returns the text of a value, then the text of each node inside it. A cell of a list often has
// the date between the title and the author of the last post.
func (r *run) texts(t *kb.Try, v kb.Value) (out []string) {
	add := func(s string) {
		if s = strings.Join(strings.Fields(cut(t, s)), " "); s != "" && len(s) <= longestChange && len(out) < mostRowTexts {
			out = append(out, s)
		}
	}
	add(v.Text())
	if v.Node != nil && v.Attr == "" {
		for n := range v.Node.Descendants() {
			if n.Type == html.TextNode {
				add(n.Data)
			}
		}
	}
	return out
}

// first is the first text that an expression selects in a row, "" for none.
func (r *run) first(t *kb.Try, row kb.Value) string {
	for _, v := range t.Expr.Select(row.Node, r.work) {
		if text := strings.Join(strings.Fields(cut(t, v.Text())), " "); text != "" {
			return text
		}
	}
	return ""
}

// when reads the time of a change; exact is false for a day without a time, and for a time if its zone
// is unknown.
func (r *run) when(text string) (at time.Time, exact bool) {
	if at := stamp(text); !at.IsZero() {
		return at, true
	}
	date := r.dates.Read(text, dates.Usual{})
	if date == "" {
		date = r.dates.Find(text, dates.Usual{})
	}
	if t, err := time.Parse(time.RFC3339Nano, date); err == nil {
		return t, true
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, date); err == nil {
			return t, false
		}
	}
	return time.Time{}, false
}

// latestStamp is the first second since 1970 that is taken for a number of something else: 2100.
const latestStamp = 4_102_444_800

// stamp reads the forms in which software gives its scripts a time: seconds since 1970 and, in
// MediaWiki, 14 digits. It returns zero for other texts.
func stamp(text string) time.Time {
	switch n, err := strconv.ParseUint(text, 10, 63); {
	case err != nil:
	case len(text) == len("1397511540") && n < latestStamp:
		return time.Unix(int64(n), 0).UTC()
	case len(text) == len("20060102150405"):
		at, _ := time.Parse("20060102150405", text) // zero for other numbers
		return at
	}
	return time.Time{}
}
