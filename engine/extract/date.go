package extract

import (
	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/kb"
)

// datesOf returns a reader for the dates of a page, which has seen what its readers see.
func datesOf(p Page) *dates.Reader {
	return dates.NewReader(Language(p.Doc), p.Captured, func(yield func(string) bool) {
		for n := range p.Doc.Descendants() {
			if n.Type == html.TextNode && n.Parent != nil && !silent[n.Parent.DataAtom] && !yield(n.Data) {
				return
			}
		}
	})
}

// Steps of reading a date, measured against those of an expression: of any text, and of
// each of its bytes.
const (
	stepsOfText = 100
	stepsOfByte = 10
)

// readDate reads a date, or gives "" where the work is spent.
func readDate(r *dates.Reader, text, usual string, work *kb.Work) string {
	if len(text) <= dates.Longest && !r.Known(text, usual) && !work.Spend(stepsOfText+stepsOfByte*len(text)) {
		return ""
	}
	return r.Read(text, usual)
}
