package archive

import (
	"fmt"
	"time"

	"github.com/nlnwa/gowarc/v2"
)

// Amendment is what was learned of a capture after it was archived: further quads, and why.
type Amendment struct {
	// Of is the id of the capture, URL its address.
	Of, URL string
	// Time is when the capture was read again; kept to the microsecond.
	Time time.Time
	// Metadata is the content of the metadata record that refers to the capture's response record.
	Metadata []Field
	// Quads are N-Quads as Capture has them.
	Quads []byte
}

// Amend appends an amendment: a metadata record that refers to the response record, and a member of the graph file, as Write does
// with a capture, both or none.
func (w *Writer) Amend(a Amendment) error {
	c := Capture{ID: NewID(), URL: a.URL, Time: a.Time, Metadata: a.Metadata}
	if err := w.refused(); err != nil {
		return err
	}
	m, err := w.graphMember(c.ID, a.Quads)
	if err != nil {
		return err
	}
	block := warcFields(a.Metadata)
	_, err = w.put(&c, m, func(info string) (*group, error) {
		g := &group{dir: w.work}
		header := []Field{
			{gowarc.WarcRecordID, "<" + c.ID + ">"},
			{gowarc.WarcDate, w.timeOf(&c).UTC().Format(dateFormat)},
			{gowarc.WarcTargetURI, a.URL},
			{gowarc.WarcRefersTo, "<" + a.Of + ">"},
			{gowarc.WarcWarcinfoID, "<" + info + ">"},
			{gowarc.ContentType, gowarc.ApplicationWarcFields},
		}
		if err := w.blockMember(g, gowarc.Metadata, header, block); err != nil {
			g.close()
			return nil, fmt.Errorf("archive: amending the capture of %s: %w", a.URL, full(err))
		}
		return g, nil
	}, func(Location) {})
	return err
}
