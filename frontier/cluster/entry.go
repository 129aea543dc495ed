package cluster

import (
	"fmt"
	"time"

	"github.com/awarc/awarc/frontier"
)

// The fields of an entry in a reply; partition.lua names them.
const (
	fieldState = iota
	fieldFlags
	fieldTries
	fieldPriority
	fieldScores
	fieldSum
	fieldBest
	fieldHops
	fieldSeq
	fieldNotBefore
	fieldSettled
	fieldToken
	fieldHost
	fieldReason
	fieldURL
	fieldLink
	fieldNode
	fieldFamily
	entryFields
)

const (
	flagSeed = 1 << iota
	flagForced
	flagImmediate
	flagDecisive
)

func flagsOf(u *frontier.URL) (flags int) {
	for i, set := range []bool{u.Seed, u.Forced, u.Immediate, u.Decisive} {
		if set {
			flags |= 1 << i
		}
	}
	return flags
}

// encoded is a URL as servers carry it, without looking into it.
func encoded(u frontier.URL) []byte {
	data, _ := (&frontier.Entry{URL: u, Added: time.Now()}).MarshalBinary() // has no error
	return data
}

// kept is an entry with what only the cluster knows of it.
type kept struct {
	frontier.Entry
	node string // that fetched it
}

// decodeEntry reads an entry from a reply: the URL as it was first added, with what the link of the highest priority
// knows better.
func decodeEntry(reply any) (e kept, err error) {
	l := list(reply)
	if len(l) < entryFields {
		return e, fmt.Errorf("cluster: an entry has %d fields, want %d", len(l), entryFields)
	}
	if err := e.UnmarshalBinary([]byte(text(l, fieldURL))); err != nil {
		return e, fmt.Errorf("cluster: damaged entry: %w", err)
	}
	if link := text(l, fieldLink); link != "" {
		var better frontier.Entry
		if err := better.UnmarshalBinary([]byte(link)); err != nil {
			return e, fmt.Errorf("cluster: damaged entry of %s: %w", clipped(e.Key), err)
		}
		e.LedBy(better.URL)
	}
	flags := number(l, fieldFlags)
	e.Seed, e.Forced, e.Immediate, e.Decisive = flags&flagSeed != 0, flags&flagForced != 0, flags&flagImmediate != 0, false
	e.State, e.Tries = frontier.State(number(l, fieldState)), int(number(l, fieldTries))
	e.Priority, e.Scores, e.Hops = int(number(l, fieldPriority)), int(number(l, fieldScores)), int(number(l, fieldHops))
	e.NotBefore, e.Settled = timeOf(number(l, fieldNotBefore)), timeOf(number(l, fieldSettled))
	e.Reason, e.Family, e.node = text(l, fieldReason), text(l, fieldFamily), text(l, fieldNode)
	return e, nil
}

func timeOf(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros)
}
