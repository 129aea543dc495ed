package records

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/read/page"
	"github.com/awarc/awarc/engine/read/records"
)

// PrintCost prints how long the model and the records of pages take, in multiples of html.Parse,
// over all pages in one run.
func PrintCost(w io.Writer, pages []*Page) error {
	var parse, model, read time.Duration
	for _, p := range pages {
		start := time.Now()
		if _, err := html.Parse(bytes.NewReader(p.html)); err != nil {
			return err
		}
		parse += time.Since(start)
		doc := p.Doc()
		start = time.Now()
		m := page.New(doc, "", time.Time{})
		model += time.Since(start)
		start = time.Now()
		records.Read(m, records.Weights(), nil)
		read += time.Since(start)
	}
	_, err := fmt.Fprintf(w, "\ncost of %d pages, in multiples of html.Parse: model %.2f, records %.2f\n", len(pages),
		float64(model)/float64(parse), float64(read)/float64(parse))
	return err
}
