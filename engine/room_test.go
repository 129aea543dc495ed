package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/fetch"
)

// TestRoom: big pages are read one at a time, others go on beside them, by their length, and who is
// told to stop does not wait.
func TestRoom(t *testing.T) {
	take := func(length int64) func() {
		t.Helper()
		release, err := makeRoomFor(t.Context(), length)
		if err != nil {
			t.Fatal(err)
		}
		return release
	}
	waits := func(length int64) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error)
		go func() {
			_, err := makeRoomFor(ctx, length)
			result <- err
		}()
		select {
		case <-result:
			t.Fatalf("there is room for %d bytes", length)
		case <-time.After(20 * time.Millisecond):
		}
		cancel()
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Fatalf("%d bytes: %v", length, err)
		}
	}
	first := take(bigPage)
	waits(bigPage)
	other := take(bigPage - 1)
	take(smallPage)
	waits(smallPage + 1)
	other()
	take(smallPage + 1)()
	first()
	take(bigPage)()
	for range 2 { // what was given back or given up is there again
		defer take(bigPage - 1)()
	}
}

// TestProbeWaitsForRoom: the answer to a probe is read like any page, when there is room for it.
func TestProbeWaitsForRoom(t *testing.T) {
	ex, err := fetch.Stored("http://a/", fmt.Appendf(nil, "HTTP/1.1 200 OK\r\n\r\n<p>%*d", smallPage, 1), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := room.Acquire(t.Context(), allPages); err != nil {
		t.Fatal(err)
	}
	defer room.Release(allPages)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := new(Engine).readProbe(ctx, leased{}, ex); !errors.Is(err, errBrokenOff) {
		t.Errorf("a probe was read without room: %v", err)
	}
}

// TestRereadingWaitsForRoom: a record is not taken from the archive before there is room for it.
func TestRereadingWaitsForRoom(t *testing.T) {
	release, err := makeRoomFor(t.Context(), bigPage)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := new(Engine).reread(ctx, new(pendingPage), false); !errors.Is(err, errBrokenOff) {
		t.Errorf("a page was read again without room: %v", err)
	}
}
