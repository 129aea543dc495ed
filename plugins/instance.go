package plugins

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/awarc/awarc/plugins/module"
)

// slice is the fuel that a guest is given at once: 0.2 to 0.7 ms of work, after
// which it comes back to Go, where deadlines are looked at and the collector can stop it.
const slice = 2_000_000

// Entry points of ABI 1.
const (
	entryInitialize = "_initialize"
	entryConfigure  = "awarc_configure"
	entryScore      = "awarc_score"
	entryExtract    = "awarc_extract"
)

// Statuses of ABI 1.
const (
	statusOK          = 0
	statusNone        = 1
	statusError       = 2
	statusUnsupported = 3
)

// instance is one sandbox: a module with its memory. One goroutine uses it at a
// time.
type instance struct {
	g    *generation
	ctx  context.Context // leads the functions of the host to the instance
	mod  api.Module
	fuel api.MutableGlobal

	epoch uint64    // of the configuration
	calls int       // of score and extract
	idle  time.Time // since when it is in the pool
	clock int64     // the guest's monotonic clock, ns

	call call
}

// call is the state of a call that is going on. Its buffers are used again.
type call struct {
	request
	output  []byte
	message []byte    // of error_set
	words   []byte    // how standard error begins
	lines   [2][]byte // of standard output and error that have no end yet
	held    []string  // complete lines of standard error, which the end of the call logs
	told    bool      // the error of the call has the words, which are not logged too
	logged  int
	dropped int // log lines over the quota

	deadline time.Time
	given    int64 // fuel given to the guest, of which it may have some left
	host     int64 // fuel that functions of the host used
	checked  int64 // host at the last look at the deadline
	random   *rand.ChaCha8
}

// request is what a call gets.
type request struct {
	ctx    context.Context
	op     string
	url    string
	wall   int64  // Unix time in seconds that the guest sees
	input  []byte // not used after the call
	budget Budget
	quiet  bool // nothing is logged
}

type instanceKey struct{}

// newInstance makes an instance that is configured and ready.
func (g *generation) newInstance(ctx context.Context, c *configuration) (*instance, error) {
	g.made.Add(1)
	in := &instance{g: g, clock: int64(time.Millisecond)}
	in.ctx = context.WithValue(context.Background(), instanceKey{}, in)
	setup := request{ctx: ctx, op: "instantiate", budget: g.limits.Setup}
	_, _, err := in.run(setup, func(ctx context.Context) (uint32, error) {
		ctx = experimental.WithMemoryAllocator(ctx, allocator(uint64(g.mod.MemoryMax)<<16))
		mod, err := g.runtime.InstantiateModule(ctx, g.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
		if err != nil {
			return 0, err
		}
		in.mod = mod
		in.fuel, _ = mod.ExportedGlobal(module.FuelGlobal).(api.MutableGlobal)
		if g.mod.Initialize {
			_, err = mod.ExportedFunction(entryInitialize).Call(ctx)
		}
		return 0, err
	})
	if err == nil {
		err = in.configure(ctx, c)
	}
	if err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

// configure tells the instance what the crawl looks for.
func (in *instance) configure(ctx context.Context, c *configuration) error {
	in.epoch = c.epoch
	if !in.g.mod.Configure {
		return nil
	}
	_, _, err := in.invoke(entryConfigure, request{ctx: ctx, op: "configure", input: c.encode(in.g.identity.Name),
		budget: in.g.limits.Setup})
	var e *Error
	if errors.As(err, &e) && e.Kind == KindNone {
		return nil
	}
	return err
}

// invoke calls an entry point and returns the response and the fuel used. The
// response is valid until the next call.
func (in *instance) invoke(entry string, r request) ([]byte, int64, error) {
	f := in.mod.ExportedFunction(entry)
	status, fuel, err := in.run(r, func(ctx context.Context) (uint32, error) {
		var stack [1]uint64
		err := f.CallWithStack(ctx, stack[:])
		return uint32(stack[0]), err
	})
	if err != nil {
		return nil, fuel, err
	}
	message := printable(string(in.call.message), in.g.limits.ErrorBytes)
	switch status {
	case statusOK:
		return in.call.output, fuel, nil
	case statusNone:
		return nil, fuel, in.failed(&stop{kind: KindNone, message: "no opinion"})
	case statusError:
		return nil, fuel, in.failed(&stop{kind: KindPlugin, message: message})
	case statusUnsupported:
		return nil, fuel, in.failed(&stop{kind: KindPlugin, message: "it does not support this input: " + message})
	}
	return nil, fuel, in.failed(&stop{kind: KindABI,
		message: fmt.Sprintf("%s returned the status %d, which ABI 1 does not have", entry, int32(status))})
}

// run does what f does within the budget: every way out of the guest ends here.
func (in *instance) run(r request, f func(context.Context) (uint32, error)) (status uint32, fuel int64, err error) {
	c := &in.call
	*c = call{request: r, output: c.output[:0], message: c.message[:0], words: c.words[:0], held: c.held[:0],
		lines: [2][]byte{c.lines[0][:0], c.lines[1][:0]}}
	wall := r.budget.Time
	if in.g.deterministic {
		wall *= taintFactor
	}
	c.deadline = time.Now().Add(wall)
	in.clock += int64(time.Millisecond)
	if in.fuel != nil {
		c.given = min(slice, r.budget.Fuel)
		in.fuel.Set(uint64(c.given))
	}
	defer func() {
		if p := recover(); p != nil {
			// Not from the guest, whose traps and whose imports' panics are errors: from
			// the engine itself. The crawl goes on without the instance.
			s, ok := p.(*stop)
			if !ok {
				s = &stop{kind: KindTrap, message: fmt.Sprint("the engine failed: ", p)}
			}
			err = in.failed(s)
		}
		in.flushLines()
		fuel = c.given + c.host
		if in.fuel != nil {
			fuel -= int64(in.fuel.Get())
		}
		c.input = nil
	}()
	status, err = f(in.ctx)
	if err != nil {
		err = in.failed(err)
	}
	return status, 0, err
}

// failed says how a call ended.
func (in *instance) failed(cause error) *Error {
	e := &Error{Plugin: in.g.identity, Op: in.call.op, URL: in.call.url, Kind: KindTrap}
	var s *stop
	if errors.As(cause, &s) {
		e.Kind, e.Message, e.Err = s.kind, s.message, s.cause
	} else {
		e.Message = in.lastWords(printableLines(cause.Error(), in.g.limits.ErrorBytes))
	}
	// A guest that was refused memory ends by a trap or by its runtime's exit.
	if (e.Kind == KindTrap || e.Kind == KindExit) && in.grownTo(15, 16) {
		e.Kind = KindMemory
	}
	return e
}

// memory is the size of the guest's memory in bytes.
func (in *instance) memory() uint64 {
	if in.mod == nil {
		return 0
	}
	return uint64(in.mod.Memory().Size())
}

// grownTo reports whether the memory has grown to more than the fraction of what
// it may have. One that cannot grow has not.
func (in *instance) grownTo(numerator, denominator uint64) bool {
	size := in.memory()
	return size > uint64(in.g.mod.MemoryMin)<<16 && size*denominator > uint64(in.g.mod.MemoryMax)<<16*numerator
}

// refuel is the import that the rewriting of the module added: the guest has used
// what it was given.
func (in *instance) refuel() int64 {
	in.check()
	c := &in.call
	next := min(slice, c.budget.Fuel-c.host-c.given)
	if next <= 0 {
		panic(&stop{kind: KindFuel, message: fmt.Sprintf("used its %d units", c.budget.Fuel)})
	}
	c.given += next
	return next
}

// check ends the call when its time is over.
func (in *instance) check() {
	c := &in.call
	if err := c.ctx.Err(); err != nil {
		panic(&stop{kind: KindCanceled, message: err.Error(), cause: err})
	}
	if time.Now().After(c.deadline) {
		message := fmt.Sprintf("still running after %v", c.budget.Time)
		if in.g.deterministic {
			in.g.tainted.Store(true)
			message = fmt.Sprintf("still running after %d times %v: the run is not reproducible any more", taintFactor, c.budget.Time)
		}
		panic(&stop{kind: KindDeadline, message: message, cause: context.DeadlineExceeded})
	}
}

// spend charges the guest for what a function of the host does with n bytes: the
// guest pays for its own instructions only.
func (in *instance) spend(n uint64) {
	c := &in.call
	c.host += int64(n / 8)
	if c.host-c.checked >= slice {
		c.checked = c.host
		if c.host+c.given > c.budget.Fuel {
			panic(&stop{kind: KindFuel, message: fmt.Sprintf("used its %d units", c.budget.Fuel)})
		}
		in.check()
	}
}

// source is the stream of random bytes of the current call: of seed, plugin and page, so
// that a replay sees the same.
func (c *call) source(seed uint64, plugin [32]byte) *rand.ChaCha8 {
	if c.random == nil {
		h := sha256.New()
		_ = binary.Write(h, binary.LittleEndian, seed) // a hash does not fail
		h.Write(plugin[:])
		h.Write([]byte(c.url))
		c.random = rand.NewChaCha8([32]byte(h.Sum(nil)))
	}
	return c.random
}

// worn reports whether the instance should be replaced.
func (in *instance) worn() bool {
	return in.calls >= in.g.limits.Calls || in.grownTo(3, 4)
}

func (in *instance) close() {
	if in.mod != nil {
		_ = in.mod.Close(context.Background()) // gives back memory; there is nothing to lose
		in.mod = nil
	}
}
