package quads

import (
	"context"
	"slices"
)

// Thread gives the texts of a thread, or an article and its comments, in the order in which they were written: at most so many behind the
// first offset ones. It also returns their total.
func (r *Reader) Thread(ctx context.Context, id string, offset, most int, row func(*Row) error) (texts int, err error) {
	w, err := r.newWalk(ctx)
	if err != nil {
		return 0, err
	}
	defer w.created.Close()
	w.row = row
	thread, err := r.Number(ctx, IRI(id))
	if err != nil || thread == 0 {
		return 0, err
	}
	order, err := w.texts(ctx, thread)
	if err != nil {
		return 0, err
	}
	from := min(max(0, offset), len(order))
	members := slices.Clone(order[from:min(len(order), from+most)])
	_, err = w.rows(ctx, thread, order, members)
	return len(order), err
}
