package plugins

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is how a call of a plugin ended.
type Kind string

// Kinds of ends. The plugin is to blame for those from KindTrap on, after which the instance is not
// used again. They and KindPlugin count for its circuit breaker.
const (
	KindOK       Kind = "ok"
	KindNone     Kind = "no_opinion"   // the plugin has nothing to say about the page
	KindPlugin   Kind = "plugin_error" // the plugin says that it failed, or cannot read the input
	KindDisabled Kind = "disabled"     // not called: the circuit breaker is open
	KindInput    Kind = "input"        // not called: the page is larger than a request may be
	KindCanceled Kind = "canceled"     // the caller's context ended

	KindTrap     Kind = "trap"         // WebAssembly trapped: unreachable, a bad access, a stack overflow
	KindDeadline Kind = "deadline"     // the wall clock ran out
	KindFuel     Kind = "fuel"         // the budget of instructions ran out
	KindMemory   Kind = "memory"       // it gave up with its memory at the limit
	KindOutput   Kind = "output_limit" // it wrote more than a response may have
	KindExit     Kind = "exit"         // it called proc_exit
	KindABI      Kind = "abi"          // it broke the ABI: a range outside its memory, an unknown status
	KindBad      Kind = "bad_output"   // the response is malformed or no answer to the request
)

// failure reports whether the plugin is to blame.
func (k Kind) failure() bool {
	switch k {
	case KindTrap, KindDeadline, KindFuel, KindMemory, KindOutput, KindExit, KindABI, KindBad:
		return true
	}
	return false
}

// IsError reports whether the plugin failed, which counts for its circuit breaker: a plugin that
// says of every page that it failed, as one that panics does, is of no more use than one that
// breaks its sandbox.
func (k Kind) IsError() bool { return k == KindPlugin || k.failure() }

// Identity is the plugin that said something: what goes into the crawl log and
// the graph beside it.
type Identity struct {
	Name, Version string
	Hash          string // SHA-256 of the file, hexadecimal
}

func (i Identity) String() string {
	if len(i.Hash) < 12 {
		return i.Name + "@" + i.Version
	}
	return i.Name + "@" + i.Version + " " + i.Hash[:12]
}

// Error is the end of a call that gave no answer.
type Error struct {
	Plugin  Identity
	Op      string // instantiate, configure, score or extract
	URL     string // of the page, where there is one
	Kind    Kind
	Message string // what the plugin or the sandbox says: printable, at most a few KiB
	Err     error  // cause, for errors.Is; may be nil
}

func (e *Error) Error() string {
	s := fmt.Sprintf("plugin %s: %s", e.Plugin, e.Op)
	if e.URL != "" {
		s += " " + e.URL
	}
	return s + ": " + string(e.Kind) + ": " + e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// stop ends a call from inside a function of the host: it is what such functions
// panic with, and what becomes an Error.
type stop struct {
	kind    Kind
	message string
	cause   error
}

func (s *stop) Error() string { return s.message }

func (s *stop) Unwrap() error { return s.cause }

// printable makes what a plugin says fit for a terminal and a log: valid UTF-8 of at
// most limit bytes before escaping, with everything that is not print, control
// sequences and bidirectional marks among it, as Go escapes.
func printable(s string, limit int) string {
	if len(s) > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		s = s[:limit]
	}
	plain := func(r rune) bool { return unicode.IsPrint(r) && r != utf8.RuneError }
	if !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if plain(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// printableLines keeps the lines of a stack trace.
func printableLines(s string, limit int) string {
	lines := strings.Split(s[:min(len(s), limit)], "\n")
	for i, line := range lines {
		lines[i] = printable(strings.ReplaceAll(line, "\t", "  "), limit)
	}
	return strings.Join(lines, "\n")
}
