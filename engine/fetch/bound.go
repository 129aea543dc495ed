package fetch

import (
	"context"
	"net/http"

	"github.com/awarc/awarc/engine/httpmsg"
)

type boundKey struct{}

// WithBound lets an exchange be ended by what its header says: most gives the bytes of the body,
// as they are sent, that are read of an answer with this status and header. An answer whose body is longer has
// Truncated set to TruncatedLength. Options.MaxBody bounds it as well.
func WithBound(ctx context.Context, most func(status int, header http.Header) int64) context.Context {
	return context.WithValue(ctx, boundKey{}, most)
}

// bound is what WithBound says of an answer, at most max.
func bound(ctx context.Context, h *httpmsg.Head, max int64) int64 {
	if most, ok := ctx.Value(boundKey{}).(func(int, http.Header) int64); ok {
		return min(max, most(h.Status, h.Header))
	}
	return max
}
