package quads

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
)

// Graphs says which graphs a scan is of.
type Graphs int

// What a scan can be of.
const (
	Named Graphs = iota // quads of any named graph
	Union               // triples of all graphs, each once, without a graph
	One                 // quads of one graph; graph 0 has the quads without one
	Names               // the graphs that are named, each once, in quads without all else

	everywhere // quads of any graph, and of none
)

// A Reader reads an index as it was when the reader was opened. One goroutine uses it at a time.
type Reader struct {
	terms *terms
	quads int64
	db    *sql.DB
	tx    *sql.Tx
}

// Open opens an index, which must be there.
func Open(ctx context.Context, file string) (*Reader, error) {
	if _, err := os.Stat(file); err != nil { // SQLite would make it
		return nil, err
	}
	db, err := connect(file, "query_only(1)")
	if err != nil {
		return nil, err
	}
	r := &Reader{db: db}
	if r.tx, err = db.BeginTx(ctx, nil); err != nil {
		return nil, errors.Join(explain(file, err), db.Close())
	}
	if err := r.begin(ctx, file); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Reader) begin(ctx context.Context, file string) (err error) {
	if err := check(ctx, r.tx, file); err != nil {
		return err
	}
	b, err := openBlocks(ctx, r.tx, file)
	if err != nil {
		return err
	}
	var count uint32
	if err := r.tx.QueryRowContext(ctx, "SELECT terms, quads FROM total").Scan(&count, &r.quads); err != nil {
		return explain(file, err)
	}
	r.terms, err = openTerms(b, count)
	return err
}

// Close ends reading.
func (r *Reader) Close() error {
	return errors.Join(r.tx.Rollback(), r.db.Close())
}

// Quads is how many quads the index holds, Terms how many terms.
func (r *Reader) Quads() int64 { return r.quads }

// Terms is how many terms the index holds.
func (r *Reader) Terms() int64 { return int64(r.terms.count) }

// Number gives the number of a term, or 0 where the index does not hold it.
func (r *Reader) Number(ctx context.Context, term []byte) (uint32, error) {
	return r.terms.lookup(ctx, hashOf(term))
}

// Term returns the term of a number. It must not be changed.
func (r *Reader) Term(ctx context.Context, number uint32) ([]byte, error) {
	return r.terms.term(ctx, number)
}

// A Scan is a walk over the quads that match a pattern.
type Scan struct {
	b     *blocks
	order ordering
	low   tuple // what the next tuple is not less than
	high  tuple // nor this
	mask  Quad  // parts that are to be as in want
	want  Quad
	what  Graphs

	tuples []tuple // of the block that the walk is in
	next   int     // place of the next of them
	at     int     // the block
	last   Quad    // what was given last
	over   bool
}

// Scan begins a walk over the quads with the terms of q, where they are not 0; of the graphs, see [Graphs].
func (r *Reader) Scan(q Quad, what Graphs) *Scan { return scan(r.terms.blocks, q, what) }

func scan(b *blocks, q Quad, what Graphs) *Scan {
	s := &Scan{b: b, what: what, want: q}
	s.choose()
	d := &s.b.directories[s.order]
	if len(d.first) == 0 {
		s.over = true
		return s
	}
	s.at = d.find(s.low) - 1 // before the block
	return s
}

// choose takes the ordering in which the quads that match are in the fewest blocks, which the directories tell.
func (s *Scan) choose() {
	bound := [4]bool{s.want[0] != 0, s.want[1] != 0, s.want[2] != 0, s.what == One}
	best := -1
	for o := range hashes {
		if s.what == Names && o != gspo || s.what == Union && o == gspo {
			continue
		}
		var low, high tuple
		prefix := 0
		for prefix < 4 && bound[columns[o][prefix]] {
			low[prefix] = s.want[columns[o][prefix]]
			prefix++
		}
		high = low
		for i := prefix; i < 4; i++ {
			high[i] = 1<<32 - 1
		}
		d := &s.b.directories[o]
		span := 4*(d.find(high)-d.find(low)) + 4 - prefix // among equals the one with the longest prefix
		if best < 0 || span < best {
			best, s.order, s.low, s.high = span, o, low, high
		}
	}
	for part, is := range bound {
		if is {
			s.mask[part] = 1<<32 - 1
		}
	}
}

// Next fills quads and returns their number: fewer than len(quads) are the last.
func (s *Scan) Next(ctx context.Context, quads []Quad) (n int, err error) {
	for n < len(quads) && !s.over {
		if s.next == len(s.tuples) {
			if err := s.load(ctx); err != nil {
				return n, err
			}
			continue
		}
		t := s.tuples[s.next]
		s.next++
		if less(&s.high, &t) {
			s.over = true
			break
		}
		q := s.order.quad(t)
		if !s.matches(&q) {
			continue
		}
		quads[n] = q
		n++
	}
	return n, nil
}

// matches reports whether a quad is to be given, and makes of it what is given.
func (s *Scan) matches(q *Quad) bool {
	for i := range q {
		if (q[i]^s.want[i])&s.mask[i] != 0 {
			return false
		}
	}
	switch s.what {
	case Named:
		return q[graphName] != 0
	case Union:
		q[graphName] = 0
	case Names:
		*q = Quad{graphName: q[graphName]}
	case One, everywhere:
		return true
	}
	if *q == s.last {
		return false
	}
	s.last = *q
	return true
}

// load goes to the next block.
func (s *Scan) load(ctx context.Context) error {
	d := &s.b.directories[s.order]
	if s.what == Names && s.last[graphName] != 0 {
		s.at = max(s.at, d.find(tuple{s.last[graphName], 1<<32 - 1})-1) // over the rest of a graph
	}
	if s.at++; s.at == len(d.first) || less(&s.high, &d.first[s.at]) {
		s.over, s.tuples, s.next = true, nil, 0
		return nil
	}
	tuples, err := s.b.block(ctx, s.order, s.at)
	if err != nil {
		return err
	}
	s.tuples, s.next = tuples, search(tuples, s.low)
	return nil
}

// Find gives the numbers of terms, 0 where the index does not hold one; an empty term has the number 0.
func (r *Reader) Find(ctx context.Context, terms ...[]byte) (Quad, error) {
	var q Quad
	if len(terms) > len(q) {
		return q, fmt.Errorf("quads: %d terms; a quad has four", len(terms))
	}
	for i, t := range terms {
		if len(t) == 0 {
			continue
		}
		n, err := r.Number(ctx, t)
		if err != nil {
			return q, err
		}
		q[i] = n
	}
	return q, nil
}
