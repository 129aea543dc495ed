package engine

import (
	"context"
	"runtime/debug"

	"golang.org/x/sync/semaphore"

	"github.com/awarc/awarc/engine/fetch"
)

const (
	// bigPage is the length of a text, decoded, in bytes, from which on texts are read one at a time.
	bigPage = 1 << 20
	// smallPage is the length up to which a text waits for nobody.
	smallPage = 16 << 10
	// allPages is how much text, in bytes, is read at once: a tree takes up to forty times the memory of
	// its text. A big page counts as bigPage, so that others go on beside it.
	allPages = 2 * bigPage
	// bigMemory is the memory in bytes above which garbage is collected as hard as it takes
	// while a big page is read: with its text and its tree it would else take twice their size.
	bigMemory = 192 << 20
)

// Crawls of one process share room and big, as they do the memory.
var (
	room = semaphore.NewWeighted(allPages)
	big  = make(chan struct{}, 1) // holds a token while a big page is read
)

// makeRoom waits until there is room to decode and read a text, and returns what gives the room back. Who waits
// for a big page to be done holds no room. The error is that of ctx.
func makeRoom(ctx context.Context, ex *fetch.Exchange) (release func(), err error) {
	return makeRoomFor(ctx, ex.Length(bigPage))
}

// makeRoomFor is makeRoom for a text of a length in bytes, counted up to bigPage.
func makeRoomFor(ctx context.Context, weight int64) (release func(), err error) {
	if weight <= smallPage {
		return func() {}, nil
	}
	if weight == bigPage {
		select {
		case big <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err := room.Acquire(ctx, weight); err != nil {
		if weight == bigPage {
			<-big
		}
		return nil, err
	}
	if weight < bigPage {
		return func() { room.Release(weight) }, nil
	}
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, bigMemory))
	return func() {
		debug.SetMemoryLimit(before)
		room.Release(weight)
		<-big
	}, nil
}
