package endpoint

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/quads"
)

// partTriples is how many triples a part has at most.
const partTriples = 5000

// partBytes is after how many bytes a part ends.
const partBytes = 4 << 20

// part is what is sent at once: triples of a graph.
type part struct {
	graph string // its IRI, or the label of a blank node; "" is the default graph
	piece int    // which of the graph's, from 0
	whole bool   // it is all of the graph, and takes the place of what the server has
	text  []byte // N-Triples
	count int
}

// key is what a part is known by: a digest of its name, and one of what it holds.
type key [24]byte

func (p *part) key() (k key) {
	name := sha256.Sum256(fmt.Appendf(nil, "%d %s", p.piece, p.graph))
	text := sha256.Sum256(p.text)
	copy(k[:12], name[:])
	copy(k[12:], text[:])
	return k
}

// reader gives the parts of an index.
type reader struct {
	index *quads.Reader
	part  part
	each  func(*part) error
	room  []quads.Quad
}

// run reads all graphs.
func (r *reader) run(ctx context.Context) error {
	r.room = make([]quads.Quad, 512)
	names := r.index.Scan(quads.Quad{}, quads.Names)
	one := make([]quads.Quad, 1)
	for number := uint32(0); ; number = one[0][3] { // at first the graph without a name
		if err := r.graph(ctx, number); err != nil {
			return err
		}
		if n, err := names.Next(ctx, one); err != nil || n == 0 {
			return err
		}
	}
}

// graph reads the parts of a graph.
func (r *reader) graph(ctx context.Context, number uint32) error {
	r.part = part{whole: true}
	if number != 0 {
		name, err := r.value(ctx, number)
		if err != nil {
			return err
		}
		if r.part.graph = name.Text; name.Kind == 'B' {
			r.part.graph = "_:" + name.Text
		}
		r.part.whole = name.Text != graph.Meta // which has the captures of other crawls, too
	}
	scan := r.index.Scan(quads.Quad{0, 0, 0, number}, quads.One)
	last := uint32(0)
	for {
		n, err := scan.Next(ctx, r.room)
		if err != nil {
			return err
		}
		for _, q := range r.room[:n] {
			full := r.part.count >= partTriples || len(r.part.text) >= partBytes
			if full && q[0] != last { // a part ends between two subjects, so that growing changes the last one only
				r.part.whole = false
				if err := r.end(); err != nil {
					return err
				}
			}
			last = q[0]
			if err := r.add(ctx, q); err != nil {
				return err
			}
		}
		if n < len(r.room) {
			return r.end()
		}
	}
}

// end gives a part, and begins another one of the same graph.
func (r *reader) end() error {
	if r.part.count == 0 {
		return nil
	}
	p := r.part
	r.part = part{graph: p.graph, piece: p.piece + 1}
	return r.each(&p)
}

func (r *reader) add(ctx context.Context, q quads.Quad) error {
	var b bytes.Buffer
	for _, number := range q[:3] {
		v, err := r.value(ctx, number)
		if err != nil {
			return err
		}
		b.WriteString(v.String())
		b.WriteByte(' ')
	}
	b.WriteString(".\n")
	r.part.text = append(r.part.text, b.Bytes()...)
	r.part.count++
	return nil
}

func (r *reader) value(ctx context.Context, number uint32) (quads.Value, error) {
	term, err := r.index.Term(ctx, number)
	if err != nil {
		return quads.Value{}, err
	}
	return quads.ParseTerm(term)
}
