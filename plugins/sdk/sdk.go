package sdk

import (
	"errors"
	"runtime"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk/match"
)

// NoOpinion is returned by a handler that has nothing to say about a page: the
// host goes on as if the plugin did not exist.
//
//lint:ignore ST1012 an answer, and no failure: plugins return it as they would a score
var NoOpinion = errors.New("no opinion")

// Matcher finds the terms of a topic in text.
type Matcher = match.Matcher

// Topic is what the crawl looks for.
type Topic struct{ abi.Topic }

// Matcher returns a matcher of the topic's terms: negative terms count against
// it, regular expressions are left out, a weight of zero is 1.
func (t *Topic) Matcher() *Matcher {
	terms := make([]match.Term, 0, len(t.Terms))
	for _, x := range t.Terms {
		weight := float64(x.Weight)
		if weight == 0 {
			weight = 1
		}
		switch {
		case x.Flags&abi.TermRegexp != 0:
			continue
		case x.Flags&abi.TermNegative != 0 && weight > 0:
			weight = -weight
		}
		terms = append(terms, match.Term{Text: x.Text, Weight: weight})
	}
	return match.New(terms)
}

// Config is what the host passes to an instance before the first page, and again
// when the topic changes.
type Config struct {
	Topic         Topic
	Raw           string // the plugin's own configuration as the user wrote it
	Deterministic bool   // the host replays: equal pages must give equal answers
	CrawlID       string
	Seed          uint64
}

var onConfigure func(*Config) error

// OnConfigure registers what happens with the configuration. An error makes the
// host refuse the plugin, or keep the topic from changing.
func OnConfigure(f func(*Config) error) { onConfigure = f }

// Status is what an export returns to the host.
type Status = int32

// Statuses of ABI 1.
const (
	StatusOK          Status = 0
	StatusNoOpinion   Status = 1
	StatusError       Status = 2
	StatusUnsupported Status = 3
)

// configure is the export awarc_configure. Its input is not the shared buffer:
// the configuration may be kept.
func configure() Status {
	return serve(func() error {
		var req abi.ConfigureRequest
		if err := req.Decode(readInput(nil)); err != nil {
			return &Unsupported{err}
		}
		if onConfigure == nil {
			return nil
		}
		return onConfigure(&Config{Topic{req.Topic}, req.Config, req.Deterministic, req.CrawlID, req.Seed})
	})
}

// Unsupported is an error of a request that the plugin cannot read.
type Unsupported struct{ Err error }

func (e *Unsupported) Error() string { return e.Err.Error() }

// Respond is what the exports of packages score and extract are made of: it decodes the
// request, has it handled, and sends the response that encode appends.
func Respond(decode func(string) error, handle func() error, encode func([]byte) []byte) Status {
	return serve(func() error {
		if n := inputLen(); n > cap(input) {
			input = make([]byte, n+n/4)
		}
		if err := decode(readInput(input)); err != nil {
			return &Unsupported{err}
		}
		if err := handle(); err != nil {
			return err
		}
		output = encode(output[:0])
		outputWrite(output)
		return nil
	})
}

// serve runs the handler of an export and returns its status. A panic of f is an error
// like one that it returns, and drops what was written.
func serve(f func() error) (status Status) {
	// In a reactor nothing else lets the runtime's own goroutines run.
	runtime.Gosched()
	defer func() {
		if r := recover(); r != nil {
			outputReset()
			errorSet("panic: " + panicText(r))
			status = StatusError
		}
	}()
	err := f()
	switch {
	case err == nil:
		return StatusOK
	case err == NoOpinion:
		return StatusNoOpinion
	}
	errorSet(err.Error())
	if _, ok := err.(*Unsupported); ok {
		return StatusUnsupported
	}
	return StatusError
}

func panicText(r any) string {
	switch r := r.(type) {
	case error:
		return r.Error()
	case string:
		return r
	}
	return "a value that is neither error nor string"
}

var input, output []byte // used again by every call

// Level is the level of a log line.
type Level int32

// Levels of log lines.
const (
	Debug Level = iota
	Info
	Warn
	Error
)

// Log writes one line of the parts joined. The host takes a few lines per call and
// drops the rest.
func Log(level Level, parts ...string) {
	if !LogEnabled(level) {
		return
	}
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	line := make([]byte, 0, n)
	for _, p := range parts {
		line = append(line, p...)
	}
	logLine(level, line)
}
