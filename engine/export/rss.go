package export

import (
	"cmp"
	"encoding/xml"
	"html"
	"io"
	"strings"

	"github.com/awarc/awarc/engine/quads"
)

// feed writes RSS 2.0.
type feed struct {
	w io.Writer
	e *xml.Encoder
}

// item is a text in a feed.
type item struct {
	XMLName     xml.Name `xml:"item"`
	Title       string   `xml:"title,omitempty"`
	Link        string   `xml:"link,omitempty"`
	GUID        guid     `xml:"guid"`
	Date        string   `xml:"pubDate,omitempty"`
	Creator     []string `xml:"dc:creator,omitempty"`
	Category    []string `xml:"category,omitempty"`
	Description string   `xml:"description"`
	Content     string   `xml:"content:encoded,omitempty"`
}

type guid struct {
	IsLink bool   `xml:"isPermaLink,attr"`
	ID     string `xml:",chardata"`
}

func newFeed(w io.Writer, o Options) (*feed, error) {
	f := &feed{w, xml.NewEncoder(w)}
	f.e.Indent("", " ")
	_, err := io.WriteString(w, xml.Header+`<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" `+
		`xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>`+"\n"+
		"<title>"+escape(cmp.Or(o.Title, "awarc"))+"</title>\n<link>"+escape(o.Link)+"</link>\n"+
		"<description>"+escape("Posts from "+cmp.Or(o.Title, "archived sites"))+"</description>\n")
	return f, err
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // into memory
	return b.String()
}

func (f *feed) Write(row *quads.Row) error {
	link := addressOf(row)
	it := item{
		Title: cmp.Or(row.Title, row.Thread), Link: link, GUID: guid{link == row.ID, row.ID}, Creator: row.Creator,
		Description: strings.ReplaceAll(html.EscapeString(row.Content), "\n", "<br>\n"), Content: row.HTML,
	}
	if t, zone := dateOf(row.Created); !t.IsZero() {
		it.Date = t.Format("Mon, 02 Jan 2006 15:04:05 ") + zone
	}
	for _, c := range []string{row.Forum, row.Thread} {
		if c != "" {
			it.Category = append(it.Category, c)
		}
	}
	return f.e.Encode(it)
}

func (f *feed) Close() error {
	_, err := io.WriteString(f.w, "\n</channel></rss>\n")
	return err
}
