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
	stepsOfFind = 10 // times those of reading: parts of the text are read
)

// usual is what a field says of dates that do not say it themselves.
func usual(f *kb.Field) dates.Usual { return dates.Usual{Order: f.Order, Zone: f.Zone} }

// readDate reads a date, or gives "" where the work is spent.
func readDate(r *dates.Reader, text string, usual dates.Usual, work *kb.Work) string {
	if len(text) <= dates.Longest && !r.Known(text, usual) && !work.Spend(stepsOfText+stepsOfByte*len(text)) {
		return ""
	}
	return r.Read(text, usual)
}

// dateInside finds the date of a field among other words, in the first value that its written expressions select and that has one.
func (r *run) dateInside(f *kb.Field, n *html.Node) ([]Field, []kb.Value) {
	for _, t := range f.Tries {
		if t.Learned != nil {
			continue
		}
		for _, v := range t.Expr.Select(n, r.work) {
			text := cut(t, fold(r.shown(v)))
			if r.inner(v, n) || len(text) > dates.Longest || !r.work.Spend(stepsOfFind*(stepsOfText+stepsOfByte*len(text))) {
				continue
			}
			if at := r.dates.Find(text, usual(f)); at != "" && r.keep(len(at)) {
				return []Field{{Name: f.Name, As: f.As, Values: []string{at}}}, []kb.Value{v}
			}
		}
	}
	return nil, nil
}
