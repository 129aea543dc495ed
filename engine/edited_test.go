package engine

import (
	"context"
	"testing"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// TestSettledWaitsForVisitsThatHadBegun, and for no others: they are read by the rules that are in force.
func TestSettledWaitsForVisitsThatHadBegun(t *testing.T) {
	base, err := kb.Load(kb.Source{Name: "boards.xml", Data: []byte(boards)})
	if err != nil {
		t.Fatal(err)
	}
	e := new(Engine)
	e.detector.Store(detect.New(base))
	first, second := e.adapting.visits.begin(), e.adapting.visits.begin()
	settled := make(chan string)
	go func() { settled <- e.Settled(t.Context()) }()
	for begun := true; begun; { // until it has taken those two
		e.adapting.visits.mu.Lock()
		begun = e.adapting.visits.now != nil
		e.adapting.visits.mu.Unlock()
	}
	later := e.adapting.visits.begin()
	first()
	select {
	case <-settled:
		t.Error("a visit that had begun was not waited for")
	default:
	}
	second()
	if hash := <-settled; hash != base.Hash {
		t.Errorf("the rules are %s, want %s", hash, base.Hash)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e.Settled(ctx) // does not wait for the third
	later()
}
