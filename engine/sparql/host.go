package sparql

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/awarc/awarc/engine/quads"
)

// run is a query that is being evaluated.
type run struct {
	index    *quads.Reader
	separate bool
	cursors  map[uint32]*quads.Scan
	last     uint32 // cursor
	buffer   []quads.Quad
	err      error // that ended it
}

type runKey struct{}

// errStopped unwinds the evaluator.
var errStopped = errors.New("stopped")

// stop ends the query.
func (q *run) stop(err error) {
	if q.err == nil {
		q.err = err
	}
	panic(errStopped)
}

// hostFunctions are what evaluator/src/index.rs imports.
func hostFunctions(ctx context.Context, r wazero.Runtime) error {
	const i32, i64 = api.ValueTypeI32, api.ValueTypeI64
	b := r.NewHostModuleBuilder("index")
	for _, f := range []struct {
		name   string
		params int
		result []api.ValueType
		do     func(q *run, ctx context.Context, mem api.Memory, stack []uint64)
	}{
		{"scan", 7, []api.ValueType{i64}, (*run).scan},
		{"next", 3, []api.ValueType{i32}, (*run).next},
		{"close", 1, nil, (*run).close},
		{"number", 2, []api.ValueType{i32}, (*run).number},
		{"term", 3, []api.ValueType{i32}, (*run).term},
		{"out_of_memory", 0, nil, (*run).outOfMemory},
		{"go_on", 0, nil, (*run).goOn},
	} {
		params := make([]api.ValueType, f.params)
		for i := range params {
			params[i] = i32
		}
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, m api.Module, stack []uint64) {
			f.do(ctx.Value(runKey{}).(*run), ctx, m.Memory(), stack)
		}), params, f.result).Export(f.name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// scan begins a walk and gives its first quads.
func (q *run) scan(ctx context.Context, mem api.Memory, stack []uint64) {
	what := quads.Graphs(uint32(stack[4]))
	if what == quads.Union && q.separate {
		what = quads.One // the graph 0
	}
	s := q.index.Scan(quads.Quad{uint32(stack[0]), uint32(stack[1]), uint32(stack[2]), uint32(stack[3])}, what)
	n, room := q.give(ctx, mem, s, stack[5:])
	stack[0] = uint64(n)
	if n == room {
		q.last++
		q.cursors[q.last] = s
		stack[0] |= uint64(q.last) << 32
	}
}

// next gives further quads of a walk.
func (q *run) next(ctx context.Context, mem api.Memory, stack []uint64) {
	cursor := uint32(stack[0])
	n, room := q.give(ctx, mem, q.cursors[cursor], stack[1:])
	if n < room {
		delete(q.cursors, cursor)
	}
	stack[0] = uint64(n)
}

func (q *run) close(_ context.Context, _ api.Memory, stack []uint64) {
	delete(q.cursors, uint32(stack[0]))
}

// give writes quads to where the evaluator has room for some.
func (q *run) give(ctx context.Context, mem api.Memory, s *quads.Scan, to []uint64) (n, room int) {
	at := uint32(to[0])
	room = int(uint32(to[1]))
	if room > len(q.buffer) {
		q.buffer = make([]quads.Quad, room)
	}
	n, err := s.Next(ctx, q.buffer[:room])
	if err != nil {
		q.stop(err)
	}
	b, ok := mem.Read(at, uint32(16*n))
	if !ok {
		q.stop(errMemory)
	}
	for i := range n {
		for part, term := range q.buffer[i] {
			binary.LittleEndian.PutUint32(b[16*i+4*part:], term)
		}
	}
	return n, room
}

// errMemory is never seen while the evaluator is what it was built from.
var errMemory = errors.New("internal error: the evaluator of SPARQL used invalid memory")

// number gives the number of a term.
func (q *run) number(ctx context.Context, mem api.Memory, stack []uint64) {
	term, ok := mem.Read(uint32(stack[0]), uint32(stack[1]))
	if !ok {
		q.stop(errMemory)
	}
	n, err := q.index.Number(ctx, term)
	if err != nil {
		q.stop(err)
	}
	stack[0] = uint64(n)
}

// term writes a term where there is room for it.
func (q *run) term(ctx context.Context, mem api.Memory, stack []uint64) {
	term, err := q.index.Term(ctx, uint32(stack[0]))
	if err != nil {
		q.stop(err)
	}
	if len(term) <= int(uint32(stack[2])) && !mem.Write(uint32(stack[1]), term) {
		q.stop(errMemory)
	}
	stack[0] = uint64(len(term))
}

func (q *run) outOfMemory(context.Context, api.Memory, []uint64) { q.stop(ErrMemory) }

func (q *run) goOn(ctx context.Context, _ api.Memory, _ []uint64) {
	if ctx.Err() != nil {
		q.stop(context.Cause(ctx))
	}
}
