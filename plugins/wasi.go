package plugins

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/api"
)

// Error numbers of WASI preview 1.
const (
	errnoSuccess = 0
	errnoBadf    = 8
	errnoFault   = 21
	errnoInval   = 28
	errnoNosys   = 52
)

// Bounds of what a guest may name in one call; the runtimes of Go and C name less.
const (
	maxVectors       = 1024
	maxSubscriptions = 64
)

// maxSleep bounds by how much one call of poll_oneoff moves the guest's clock.
const maxSleep = int64(time.Hour)

// errno is a function of WASI by its result.
func errno(f func(in *instance, mem api.Memory, stack []uint64) uint64) hostFunc {
	return func(in *instance, mem api.Memory, stack []uint64) { stack[0] = f(in, mem, stack) }
}

func fixed(n uint64) hostFunc {
	return errno(func(*instance, api.Memory, []uint64) uint64 { return n })
}

// wasiImports is what plugins get of WASI preview 1: no arguments, environment, files or
// sockets; standard output and error are the log, and time and randomness are those
// of the call.
var wasiImports = map[string]hostFunc{
	"args_get":            fixed(errnoSuccess),
	"args_sizes_get":      errno(noStrings),
	"environ_get":         fixed(errnoSuccess),
	"environ_sizes_get":   errno(noStrings),
	"clock_time_get":      errno(clockTimeGet),
	"fd_close":            errno(standard),
	"fd_fdstat_get":       errno(fdstatGet),
	"fd_fdstat_set_flags": errno(standard),
	"fd_prestat_get":      fixed(errnoBadf),
	"fd_prestat_dir_name": fixed(errnoBadf),
	"fd_read":             fixed(errnoBadf),
	"fd_seek":             fixed(errnoBadf),
	"fd_write":            errno(fdWrite),
	"poll_oneoff":         errno(pollOneoff),
	"random_get":          errno(randomGet),
	"sched_yield":         fixed(errnoSuccess),
	"proc_exit": func(in *instance, _ api.Memory, stack []uint64) {
		panic(&stop{kind: KindExit, message: in.lastWords(fmt.Sprintf("exited with status %d", int32(stack[0])))})
	},
}

// noStrings says that a list of strings is empty: no entries of no bytes.
func noStrings(_ *instance, mem api.Memory, stack []uint64) uint64 {
	return fault(mem.WriteUint32Le(uint32(stack[0]), 0) && mem.WriteUint32Le(uint32(stack[1]), 0))
}

func fault(ok bool) uint64 {
	if ok {
		return errnoSuccess
	}
	return errnoFault
}

// standard succeeds for standard input, output and error, which is all there is.
func standard(_ *instance, _ api.Memory, stack []uint64) uint64 {
	if uint32(stack[0]) > 2 {
		return errnoBadf
	}
	return errnoSuccess
}

func clockTimeGet(in *instance, mem api.Memory, stack []uint64) uint64 {
	const realtime = 0
	now := in.clock
	if uint32(stack[0]) == realtime {
		now = in.call.wall * int64(time.Second)
	}
	return fault(mem.WriteUint64Le(uint32(stack[2]), uint64(now)))
}

func fdstatGet(in *instance, mem api.Memory, stack []uint64) uint64 {
	if e := standard(in, mem, stack); e != errnoSuccess {
		return e
	}
	b, ok := mem.Read(uint32(stack[1]), 24)
	if ok {
		clear(b)
		b[0] = 2 // a character device: lines are written as they come
	}
	return fault(ok)
}

// fdWrite takes lines for the log.
func fdWrite(in *instance, mem api.Memory, stack []uint64) uint64 {
	fd, vectors, count, written := uint32(stack[0]), uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	if fd != 1 && fd != 2 {
		return errnoBadf
	}
	if count > maxVectors {
		return errnoInval
	}
	list, ok := mem.Read(vectors, 8*count)
	if !ok {
		return errnoFault
	}
	var total uint32
	for ; len(list) > 0; list = list[8:] {
		b, ok := mem.Read(binary.LittleEndian.Uint32(list), binary.LittleEndian.Uint32(list[4:]))
		if !ok || uint64(total)+uint64(len(b)) > math.MaxUint32 {
			return errnoFault
		}
		total += uint32(len(b))
		in.spend(uint64(len(b)))
		in.write(int(fd-1), b)
	}
	return fault(mem.WriteUint32Le(written, total))
}

// write adds to a stream; a line that is complete goes to the log. Of a longer
// line than the log takes, and of more lines, the rest is dropped.
func (in *instance) write(stream int, b []byte) {
	c := &in.call
	if stream == 1 {
		c.words = append(c.words, b[:min(len(b), in.g.limits.LogBytes-len(c.words))]...)
	}
	line := &c.lines[stream]
	for len(b) > 0 {
		if !in.logs() {
			c.dropped++
			return
		}
		rest, after, ended := bytes.Cut(b, []byte{'\n'})
		*line = append(*line, rest[:min(len(rest), in.g.limits.LogBytes-len(*line))]...)
		if !ended {
			return
		}
		in.endLine(stream)
		b = after
	}
}

// endLine logs the line of a stream. A line of standard error waits for the end of the call.
func (in *instance) endLine(stream int) {
	c := &in.call
	line := c.lines[stream]
	c.lines[stream] = line[:0]
	if stream == 1 {
		c.held = append(c.held, string(line))
	} else {
		in.log(LevelInfo, line)
	}
}

// flushLines logs what was written without an end of line, and standard error but for its first
// lines if they are in the error of the call.
func (in *instance) flushLines() {
	c := &in.call
	for stream, line := range c.lines {
		if len(line) > 0 {
			in.endLine(stream)
		}
	}
	held, known := c.held, 0
	c.held = c.held[:0]
	for _, line := range held {
		if known += len(line); !c.told || known > len(c.words) {
			in.log(LevelError, []byte(line))
		}
		known++ // its end
	}
}

// lastWords returns the first line of the reason for which a guest gave up, with the beginning of
// its output on standard error if there is any, and otherwise the reason.
func (in *instance) lastWords(reason string) string {
	c := &in.call
	if len(c.words) == 0 {
		return reason
	}
	c.told = true
	reason, _, _ = strings.Cut(reason, "\n")
	return reason + ": " + printableLines(string(bytes.TrimSpace(c.words)), in.g.limits.LogBytes)
}

// pollOneoff returns at once. Sleeping moves the guest's clock, so that a program that
// waits for a time finds it.
func pollOneoff(in *instance, mem api.Memory, stack []uint64) uint64 {
	const subscription, event, clockKind = 48, 32, 0
	count := uint32(stack[2])
	if count == 0 || count > maxSubscriptions {
		return errnoInval
	}
	from, ok := mem.Read(uint32(stack[0]), subscription*count)
	to, ok2 := mem.Read(uint32(stack[1]), event*count)
	if !ok || !ok2 {
		return errnoFault
	}
	subs := append([]byte(nil), from...) // the ranges may overlap
	files := false
	sleep := maxSleep
	for s := subs; len(s) > 0; s = s[subscription:] {
		if s[8] != clockKind {
			files = true
			continue
		}
		wait := binary.LittleEndian.Uint64(s[24:])
		if absolute := s[40]&1 != 0; absolute {
			wait -= min(wait, uint64(in.clock))
		}
		sleep = min(sleep, int64(min(wait, uint64(maxSleep))))
	}
	if !files {
		in.clock += sleep
	}
	n := uint32(0)
	for s := subs; len(s) > 0; s = s[subscription:] {
		if files && s[8] == clockKind {
			continue // a file that is not there is ready before any clock
		}
		e := to[event*n:][:event]
		clear(e)
		copy(e, s[:8])
		e[10] = s[8]
		if s[8] != clockKind {
			e[8] = errnoBadf
		}
		n++
	}
	return fault(mem.WriteUint32Le(uint32(stack[3]), n))
}

func randomGet(in *instance, mem api.Memory, stack []uint64) uint64 {
	const chunk = 64 << 10
	b, ok := mem.Read(uint32(stack[0]), uint32(stack[1]))
	if !ok {
		return errnoFault
	}
	source := in.call.source(in.g.seed, in.g.mod.Hash)
	for len(b) > 0 {
		n := min(len(b), chunk)
		in.spend(uint64(n) << 3)  // making a byte takes longer than copying it
		_, _ = source.Read(b[:n]) // never fails
		b = b[n:]
	}
	return errnoSuccess
}
