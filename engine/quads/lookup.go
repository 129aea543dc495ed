package quads

import (
	"context"
	"slices"
	"strconv"
)

// A Lookup finds objects and captures by their names. One goroutine uses it at a time.
type Lookup struct {
	w      *rowWalk
	source uint32 // dcterms:source
	status uint32 // awarc:httpStatus
}

// Lookup makes ready to look things up.
func (r *Reader) Lookup(ctx context.Context) (*Lookup, error) {
	w, err := r.newWalk(ctx)
	if err != nil {
		return nil, err
	}
	properties, err := r.Find(ctx, property("dcterms:source"), property("awarc:httpStatus"))
	if err != nil {
		return nil, err
	}
	return &Lookup{w, properties[0], properties[1]}, nil
}

// Close ends it.
func (l *Lookup) Close() error { return l.w.created.Close() }

// Row describes an object, without its position in its thread; nil is none of that name.
func (l *Lookup) Row(ctx context.Context, id string) (row *Row, err error) {
	number, err := l.w.r.Number(ctx, IRI(id))
	if err != nil || number == 0 {
		return nil, err
	}
	classes, err := l.w.all(ctx, Quad{number, l.w.properties[2]}, object)
	if err != nil || len(classes) == 0 {
		return nil, err
	}
	thread, err := l.w.threadOf(ctx, number)
	if err != nil {
		return nil, err
	}
	l.w.row = func(r *Row) error { row = r; return nil }
	_, err = l.w.rows(ctx, thread, nil, []uint32{number})
	return row, err
}

// Pages gives the addresses of the pages that say something of an object, the first 100.
func (l *Lookup) Pages(ctx context.Context, id string) (pages []string, err error) {
	number, err := l.w.r.Number(ctx, IRI(id))
	if err != nil || number == 0 {
		return nil, err
	}
	quads := make([]Quad, 100)
	n, err := l.w.r.Scan(Quad{number, l.w.properties[2]}, Named).Next(ctx, quads)
	if err != nil {
		return nil, err
	}
	for _, q := range quads[:n] {
		c, err := l.w.d.capture(ctx, q[graphName])
		if err != nil {
			return nil, err
		}
		if c.page != "" && !slices.Contains(pages, c.page) {
			pages = append(pages, c.page)
		}
	}
	return pages, nil
}

// Status gives the HTTP status of the last capture of an address; 0 is none.
func (l *Lookup) Status(ctx context.Context, address string) (int, error) {
	number, err := l.w.r.Number(ctx, IRI(address))
	if err != nil || number == 0 {
		return 0, err
	}
	captures, err := l.w.all(ctx, Quad{0, l.source, number}, subject)
	if err != nil || len(captures) == 0 {
		return 0, err
	}
	status, err := l.w.one(ctx, slices.Max(captures), l.status)
	if err != nil || status == 0 {
		return 0, err
	}
	v, err := l.w.d.value(ctx, status)
	if err != nil {
		return 0, err
	}
	n, _ := strconv.Atoi(v.Text) // 0 where it is none
	return n, nil
}
