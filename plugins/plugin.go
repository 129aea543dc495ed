package plugins

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/infile"
)

// plugin is one file that is watched: the generation in use, and how its calls went.
type plugin struct {
	file string
	set  *Set

	loading sync.Mutex // held while a new version is prepared

	mu struct {
		sync.Mutex
		gen     *generation
		refused [sha256.Size]byte // digest of the version that was refused last
		told    string            // the error that was told last
		breaker breaker
		usage   Usage
	}
}

// Usage is how the calls of one plugin went: an entry of "plugins" in report.json.
type Usage struct {
	Calls   int64          `json:"calls"`
	Errors  int64          `json:"errors"` // calls without an answer, besides no opinion and canceled
	Seconds float64        `json:"time_s"`
	Fuel    int64          `json:"fuel"`
	Kinds   map[Kind]int64 `json:"kinds"`
	Version string         `json:"version"`
	Hash    string         `json:"hash"`              // of the file in use
	Loads   int64          `json:"loads"`             // versions of the file that were put in use
	Dropped int64          `json:"dropped,omitempty"` // log lines over the quota

	Instances int64 `json:"instances"` // sandboxes made: many for few calls means that they wear out
}

// call runs the entry point that prepare makes for a generation that the caller holds,
// unless the circuit breaker is open.
func (p *plugin) call(ctx context.Context, c *configuration, g *generation, prepare func(*generation) (entry, *Error)) (Identity, answer,
	time.Duration) {
	if !p.allowed() {
		p.count(g, answer{kind: KindDisabled}, 0)
		return g.identity, answer{kind: KindDisabled,
			err: &Error{Plugin: g.identity, Op: "call", Kind: KindDisabled, Message: "it failed too often"}}, 0
	}
	e, bad := prepare(g)
	if bad != nil {
		a := answer{kind: bad.Kind, err: bad}
		p.count(g, a, 0)
		return g.identity, a, 0
	}
	start := time.Now()
	a := g.call(ctx, c, e)
	took := time.Since(start)
	p.count(g, a, took)
	return g.identity, a, took
}

// hold returns the generation in use, to be dropped.
func (p *plugin) hold() *generation {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.gen.hold()
	return p.mu.gen
}

// allowed reports whether the plugin may be called.
func (p *plugin) allowed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.set.opts.Deterministic || p.mu.breaker.allow(p.set.now())
}

// count keeps the books of one call, and tells the breaker.
func (p *plugin) count(g *generation, a answer, took time.Duration) {
	events := &p.set.opts.Events
	opened, pause := false, time.Duration(0)
	p.mu.Lock()
	u := &p.mu.usage
	u.Kinds[a.kind]++
	if a.kind != KindDisabled && a.kind != KindInput {
		u.Calls++
	}
	if a.kind != KindOK && a.kind != KindNone && a.kind != KindCanceled && a.kind != KindDisabled {
		u.Errors++
	}
	u.Seconds += took.Seconds()
	u.Fuel += a.fuel
	u.Dropped += int64(a.lost)
	if g == p.mu.gen { // an older version says nothing about this one
		switch a.kind {
		case KindDisabled:
		case KindCanceled, KindInput:
			p.mu.breaker.cancel()
		default:
			// A plugin that refuses its configuration fails on every page.
			failed := a.kind.IsError() || a.err != nil && a.err.Op == "configure"
			opened = p.mu.breaker.record(failed, p.set.now()) && !p.set.opts.Deterministic
			pause = p.mu.breaker.pause()
		}
	}
	p.mu.Unlock()
	if a.kind.IsError() && events.Failed != nil {
		events.Failed(a.err)
	}
	if opened && events.Breaker != nil {
		events.Breaker(g.identity, pause)
	}
}

// report is a copy of the books.
func (p *plugin) report() (string, Usage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.mu.usage
	u.Kinds = make(map[Kind]int64, len(p.mu.usage.Kinds))
	for k, n := range p.mu.usage.Kinds {
		u.Kinds[k] = n
	}
	u.Instances += p.mu.gen.made.Load()
	u.Version, u.Hash = p.mu.gen.identity.Version, p.mu.gen.identity.Hash
	return p.mu.gen.identity.Name, u
}

// reload puts the file in use when it has changed. When the new version is
// refused, nothing changes, and the same bytes are not tried again.
func (p *plugin) reload(ctx context.Context) error {
	p.loading.Lock()
	defer p.loading.Unlock()
	file, err := readFile(p.file, p.set.opts.Limits.Module.FileBytes)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(file)
	p.mu.Lock()
	used, refused := p.mu.gen != nil && p.mu.gen.mod.Hash == sum, p.mu.refused == sum
	if used { // a file that is cut off once more is news again
		p.mu.refused, p.mu.told = [sha256.Size]byte{}, ""
	}
	p.mu.Unlock()
	if used || refused {
		return nil
	}
	c := p.set.config.Load()
	g, err := p.prepare(ctx, file, c)
	if err != nil {
		if ctx.Err() == nil {
			p.mu.Lock()
			p.mu.refused = sum
			p.mu.Unlock()
		}
		return fmt.Errorf("%s: %w", p.file, err)
	}
	return p.use(g)
}

// tell reports whether the error of a reload is news.
func (p *plugin) tell(err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	news := p.mu.told != err.Error()
	p.mu.told = err.Error()
	return news
}

// prepare loads a version of the file and tries it.
func (p *plugin) prepare(ctx context.Context, file []byte, c *configuration) (*generation, error) {
	g, err := p.set.load(ctx, file, c)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	if old := p.mu.gen; old != nil && old.identity.Name != g.identity.Name {
		err = fmt.Errorf("the file had the plugin %s and now has %s; use one file for each plugin", old.identity.Name, g.identity.Name)
	}
	p.mu.Unlock()
	if err == nil {
		err = g.smoke(ctx, c)
	}
	if err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

// use makes g the generation of all calls that begin from now on.
func (p *plugin) use(g *generation) error {
	p.mu.Lock()
	old := p.mu.gen
	if old != nil {
		p.mu.usage.Instances += old.made.Load()
	}
	p.mu.gen = g
	p.mu.refused, p.mu.told = [sha256.Size]byte{}, ""
	p.mu.breaker = breaker{}
	p.mu.usage.Loads++
	p.mu.Unlock()
	events := &p.set.opts.Events
	if events.Warning != nil {
		for _, key := range g.mod.Manifest.Unknown {
			events.Warning(g.identity, printable(key, 256))
		}
	}
	if events.Loaded != nil {
		events.Loaded(g.identity)
	}
	if old == nil {
		return nil
	}
	return old.retire()
}

// readFile reads a file once: what is verified is what is used. It reads one byte more
// than may be, so that Verify reports the limit.
func readFile(name string, limit int) ([]byte, error) {
	f, err := infile.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return io.ReadAll(io.LimitReader(f, int64(limit)+1))
}
