package quads

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

const (
	termsInBlock = 256      // of which the last block may have fewer
	longTerm     = 512      // bytes from which a term is kept by itself
	cachedTerms  = 64 << 20 // bytes of terms that are kept

	// MostTerms is how many terms an index can hold.
	MostTerms = 1<<31 - 1
)

// ErrTooMany says that an index is full.
var ErrTooMany = errors.New("more than 2,147,483,647 terms for one index: index fewer crawls together")

// hashOf is what a term is found by. Two terms of one hash are not expected before there are 2^48 of them.
func hashOf(term []byte) tuple {
	h := sha256.Sum256(term)
	return tuple{binary.BigEndian.Uint32(h[:]), binary.BigEndian.Uint32(h[4:]), binary.BigEndian.Uint32(h[8:])}
}

// terms gives numbers to terms, from 1, and terms to numbers. Terms are kept in blocks, in the order of their numbers, long
// ones by themselves, so that queries about names do not read texts.
type terms struct {
	*blocks
	decoder *zstd.Decoder
	read    cache[int64, termBlock] // blocks by their number, long terms by their own, below zero
	count   uint32
}

// termBlock is a block that was read: the terms, and where each ends.
type termBlock struct {
	text []byte
	ends []int
}

func openTerms(b *blocks, count uint32) (*terms, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		return nil, err
	}
	return &terms{blocks: b, decoder: decoder, read: newCache[int64, termBlock](cachedTerms), count: count}, nil
}

// lookup gives the number of a hash, or 0.
func (t *terms) lookup(ctx context.Context, hash tuple) (uint32, error) {
	d := &t.directories[hashes]
	if len(d.first) == 0 {
		return 0, nil
	}
	hash[3] = MostTerms // behind the one that is looked for
	tuples, err := t.block(ctx, hashes, d.find(hash))
	if err != nil {
		return 0, err
	}
	if i := search(tuples, hash) - 1; i >= 0 && [3]uint32(tuples[i][:3]) == [3]uint32(hash[:3]) {
		return tuples[i][3], nil
	}
	return 0, nil
}

// search gives the place of the first tuple that is not less.
func search(tuples []tuple, t tuple) int {
	from, to := 0, len(tuples)
	for from < to {
		if middle := (from + to) / 2; less(&tuples[middle], &t) {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// term gives the term of a number, which nobody changes.
func (t *terms) term(ctx context.Context, number uint32) ([]byte, error) {
	if number == 0 || number > t.count {
		return nil, fmt.Errorf("%s: no term %d: %w", t.file, number, errDamaged)
	}
	block, err := t.termBlock(ctx, int64(number)/termsInBlock, "SELECT data FROM terms WHERE id = ?")
	if err != nil {
		return nil, err
	}
	i, from := int(number)%termsInBlock, 0
	if i > 0 && i <= len(block.ends) {
		from = block.ends[i-1]
	}
	if i >= len(block.ends) {
		return nil, fmt.Errorf("%s: no term %d: %w", t.file, number, errDamaged)
	}
	if from < block.ends[i] {
		return block.text[from:block.ends[i]:block.ends[i]], nil
	}
	if block, err = t.termBlock(ctx, -int64(number), "SELECT data FROM long WHERE id = -?"); err != nil {
		return nil, err
	}
	return block.text, nil
}

// termBlock reads a block of terms, or a long term.
func (t *terms) termBlock(ctx context.Context, id int64, query string) (termBlock, error) {
	if block, ok := t.read.get(id); ok {
		return block, nil
	}
	var data []byte
	if err := t.db.QueryRowContext(ctx, query, id).Scan(&data); err != nil {
		return termBlock{}, explain(t.file, err)
	}
	block, err := t.decode(data, id >= 0)
	if err != nil {
		return block, fmt.Errorf("%s: terms %d: %w: %w", t.file, id, errDamaged, err)
	}
	t.read.put(id, block, len(block.text)+8*len(block.ends))
	return block, nil
}

func (t *terms) decode(data []byte, several bool) (block termBlock, err error) {
	if block.text, err = t.decoder.DecodeAll(data, nil); err != nil || !several {
		return block, err
	}
	lengths, n := binary.Uvarint(block.text)
	if n <= 0 || lengths > termsInBlock {
		return block, errors.New("no number of terms")
	}
	rest, end := block.text[n:], 0
	for range lengths {
		length, n := binary.Uvarint(rest)
		if n <= 0 || length > uint64(len(rest)) {
			return block, errors.New("no length of a term")
		}
		rest, end = rest[n:], end+int(length)
		block.ends = append(block.ends, end)
	}
	if end != len(rest) {
		return block, errors.New("lengths of other terms")
	}
	block.text = rest
	return block, nil
}

// termWriter gives numbers to terms that have none.
type termWriter struct {
	*terms
	encoder *zstd.Encoder
	fresh   map[[3]uint32]uint32 // numbers that were asked for since the last flush
	added   []tuple              // hashes of new terms
	last    [][]byte             // terms of the block that is not full
}

func newTermWriter(ctx context.Context, t *terms) (*termWriter, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, err
	}
	w := &termWriter{terms: t, encoder: encoder, fresh: map[[3]uint32]uint32{}}
	w.last = append(w.last, nil) // number 0
	if t.count == 0 {
		return w, nil
	}
	w.last = w.last[:0]
	block, err := t.termBlock(ctx, int64(t.count)/termsInBlock, "SELECT data FROM terms WHERE id = ?")
	if err != nil {
		return nil, err
	}
	from := 0
	for _, end := range block.ends {
		w.last = append(w.last, block.text[from:end:end])
		from = end
	}
	return w, nil
}

// number gives the number of a term, a new one where it has none.
func (w *termWriter) number(ctx context.Context, term []byte) (uint32, error) {
	hash := hashOf(term)
	key := [3]uint32(hash[:3])
	if number, ok := w.fresh[key]; ok {
		return number, nil
	}
	number, err := w.lookup(ctx, hash)
	if err == nil && number == 0 {
		number, err = w.add(ctx, term)
		hash[3] = number
		w.added = append(w.added, hash)
	}
	w.fresh[key] = number
	return number, err
}

func (w *termWriter) add(ctx context.Context, term []byte) (uint32, error) {
	if w.count == MostTerms {
		return 0, ErrTooMany
	}
	if len(w.last) == termsInBlock {
		if err := w.writeLast(ctx); err != nil {
			return 0, err
		}
		w.last = w.last[:0]
	}
	w.count++
	if len(term) <= longTerm {
		w.last = append(w.last, append([]byte(nil), term...))
		return w.count, nil
	}
	w.last = append(w.last, nil)
	_, err := w.db.ExecContext(ctx, "INSERT INTO long VALUES (?, ?)", w.count, w.encoder.EncodeAll(term, nil))
	return w.count, explain(w.file, err)
}

// writeLast writes the block that is being filled.
func (w *termWriter) writeLast(ctx context.Context) error {
	text := binary.AppendUvarint(nil, uint64(len(w.last)))
	for _, term := range w.last {
		text = binary.AppendUvarint(text, uint64(len(term)))
	}
	for _, term := range w.last {
		text = append(text, term...)
	}
	id := int64(w.count) / termsInBlock
	w.read.drop(id)
	_, err := w.db.ExecContext(ctx, "INSERT OR REPLACE INTO terms VALUES (?, ?)", id, w.encoder.EncodeAll(text, nil))
	return explain(w.file, err)
}

// flush writes all that is in memory.
func (w *termWriter) flush(ctx context.Context) error {
	if err := w.writeLast(ctx); err != nil {
		return err
	}
	sortTuples(w.added)
	if _, err := w.merge(ctx, hashes, w.added); err != nil {
		return err
	}
	w.added = w.added[:0]
	clear(w.fresh)
	return nil
}
