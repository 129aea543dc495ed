package quads

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"
)

// Dates calls date with the time when each object was written that a search is for, all where it is for nothing; the zero time is not
// known. Languages, limits and orders are not looked at.
func (r *Reader) Dates(ctx context.Context, s Search, date func(time.Time)) error {
	words, err := parseWords(s.Words)
	if err != nil {
		return err
	}
	where, args := s.where(words)
	rows, err := r.tx.QueryContext(ctx, "SELECT created FROM "+cmp.Or(where, "object"), args...)
	if err != nil {
		return explain(r.terms.file, err)
	}
	defer rows.Close()
	for rows.Next() {
		var created sql.NullInt64
		if err := rows.Scan(&created); err != nil {
			return explain(r.terms.file, err)
		}
		var t time.Time
		if created.Valid {
			t = time.Unix(created.Int64, 0).UTC()
		}
		date(t)
	}
	return explain(r.terms.file, rows.Err())
}

// Counted is a value of a property, and of how many subjects.
type Counted struct {
	Value string // an IRI or a text
	Name  string // of an IRI, where it has one
	Count int
}

// Mentioned gives the entities that most objects mention.
func (r *Reader) Mentioned(ctx context.Context, most int) ([]Counted, error) {
	return r.top(ctx, "schema:mentions", most)
}

// Keywords gives the keywords of most objects.
func (r *Reader) Keywords(ctx context.Context, most int) ([]Counted, error) {
	return r.top(ctx, "schema:keywords", most)
}

// top gives the values that a property has most often. They come one after the other, so that only the first ones are kept.
func (r *Reader) top(ctx context.Context, name string, most int) ([]Counted, error) {
	number, err := r.Number(ctx, property(name))
	if err != nil || number == 0 {
		return nil, err
	}
	type value struct {
		number uint32
		count  int
	}
	var best []value
	var now value
	keep := func() {
		if now.count > 0 && (len(best) < most || now.count > best[len(best)-1].count) {
			at, _ := slices.BinarySearchFunc(best, now.count, func(v value, n int) int {
				if v.count >= n {
					return -1
				}
				return 1
			})
			best = slices.Insert(best, at, now)
			best = best[:min(len(best), most)]
		}
	}
	s, room := scan(r.terms.blocks, Quad{predicate: number}, Union), make([]Quad, 256)
	for n := len(room); n == len(room); {
		if n, err = s.Next(ctx, room); err != nil {
			return nil, err
		}
		for _, q := range room[:n] {
			if q[object] != now.number {
				keep()
				now = value{number: q[object]}
			}
			now.count++
		}
	}
	keep()
	d, err := newDescriber(ctx, r.terms)
	if err != nil {
		return nil, err
	}
	var all []Counted
	for _, v := range best {
		c := Counted{Count: v.count}
		if c.Value, c.Name, err = d.entity(ctx, v.number); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}
