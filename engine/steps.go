package engine

import (
	"sync/atomic"
	"time"
)

// step is a part of a visit of which is told how long it takes.
type step int

const (
	stepFetch step = iota
	stepParse
	stepDetect
	stepExtract
	stepAdapt
	stepGraph
	stepArchive
	stepFrontier
	steps
)

var stepNames = [steps]string{"fetch", "parse", "detect", "extract", "adapt", "graph", "archive", "frontier"}

// took is how long each step took.
type took [steps]time.Duration

// since adds the time since a moment to a step, and returns the moment of now.
func (t *took) since(s step, start time.Time) time.Time {
	now := time.Now()
	t[s] += now.Sub(start)
	return now
}

// spent adds up what steps took, of all workers.
type spent [steps]atomic.Int64

func (s *spent) add(t took) {
	for i, d := range t {
		s[i].Add(int64(d))
	}
}

// Steps is how long the steps of visits took in this session, all workers together: waits for servers, disks and processors included.
func (e *Engine) Steps() map[string]time.Duration {
	all := make(map[string]time.Duration, steps)
	for i, name := range stepNames {
		all[name] = time.Duration(e.spent[i].Load())
	}
	return all
}
