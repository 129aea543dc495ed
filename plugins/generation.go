package plugins

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
)

// generation is one version of a plugin's file in use, with its code and its
// instances. A call holds the generation that it began with; what is replaced closes
// when the last call is over.
type generation struct {
	identity Identity
	mod      *module.Module
	needs    abi.Needs
	may      abi.ScoreFlag

	limits        Limits // with what the manifest asks for
	deterministic bool
	engine        Engine
	seed          uint64
	events        *Events
	tainted       *atomic.Bool // of the set

	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule

	made  atomic.Int64  // instances
	slots chan struct{} // one for each instance at work
	mu    struct {
		sync.Mutex
		idle    []*instance // the one used last is the last
		refs    int
		retired bool
	}
}

// load makes a generation of a file that was read and its first instance, which is
// configured and waits in the pool.
func (s *Set) load(ctx context.Context, file []byte, c *configuration) (*generation, error) {
	g, err := s.build(ctx, file)
	if err != nil {
		return nil, err
	}
	first, err := g.newInstance(ctx, c)
	if err != nil {
		return nil, errors.Join(err, g.close())
	}
	g.put(first)
	return g, nil
}

// build verifies, meters and compiles a file.
func (s *Set) build(ctx context.Context, file []byte) (*generation, error) {
	m, err := module.Verify(file, s.opts.Limits.Module)
	if err != nil {
		return nil, err
	}
	g := &generation{
		identity:      Identity{m.Manifest.Name, m.Manifest.Version, hex.EncodeToString(m.Hash[:])},
		mod:           m,
		limits:        s.opts.Limits,
		deterministic: s.opts.Deterministic,
		seed:          s.opts.Seed,
		engine:        s.opts.Engine,
		events:        &s.opts.Events,
		tainted:       &s.tainted,
		slots:         make(chan struct{}, s.opts.Instances),
	}
	if err := g.readManifest(); err != nil {
		return nil, err
	}
	code := file
	if g.engine != Unmetered {
		if code, err = m.Meter(); err != nil {
			return nil, err
		}
	}
	if err := g.compile(ctx, s.cacheRoot, code); err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

// readManifest turns what the manifest asks for into limits and masks.
func (g *generation) readManifest() error {
	man := &g.mod.Manifest
	needs, word, ok := abi.ParseNeeds(man.Needs)
	if !ok {
		return fmt.Errorf("plugin %s needs %q, which this version of awarc does not provide", g.identity, word)
	}
	g.needs = needs
	if man.Has("blacklist_url") {
		g.may |= abi.BlacklistURL
	}
	if man.Has("blacklist_host") {
		g.may |= abi.BlacklistHost
	}
	wanted := time.Duration(man.DeadlineMS) * time.Millisecond
	for _, b := range []struct {
		kind   module.Kind
		budget *Budget
	}{{module.Scorer, &g.limits.Score}, {module.Extractor, &g.limits.Extract}} {
		if wanted == 0 || !g.mod.HasKind(b.kind) {
			continue
		}
		if wanted > b.budget.Time {
			return fmt.Errorf("plugin %s requests %v a page; the limit of a %s is %v: raise it or use another plugin", g.identity, wanted,
				b.kind, b.budget.Time)
		}
		b.budget.Time = wanted
	}
	return nil
}

// compile brings the code into this process: from the cache, where another process has
// put it. A cache that is damaged is made again once; where there was none, the file itself
// is why it cannot be compiled, and that is not tried again.
func (g *generation) compile(ctx context.Context, root string, code []byte) error {
	dir := cacheDir(root, g.mod)
	_, absent := os.Lstat(dir)
	err := g.compileFrom(ctx, dir, code)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if rm := os.RemoveAll(dir); rm != nil {
		return errors.Join(err, rm)
	}
	if absent != nil {
		return err
	}
	if err := g.close(); err != nil {
		return err
	}
	return g.compileFrom(ctx, dir, code)
}

func (g *generation) compileFrom(ctx context.Context, dir string, code []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("folder of compiled plugins: %w", err)
	}
	if g.engine != Interpreted {
		if err := precompile(ctx, dir, code, g.limits); err != nil {
			return err
		}
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return err
	}
	g.cache = cache
	g.runtime = wazero.NewRuntimeWithConfig(ctx, engineConfig(g.engine, cache).WithMemoryLimitPages(uint32(g.mod.MemoryMax)))
	if err := g.linkImports(ctx); err != nil {
		return err
	}
	g.compiled, err = g.runtime.CompileModule(ctx, code)
	return err
}

// linkImports gives the runtime the functions that the module imports and no others.
func (g *generation) linkImports(ctx context.Context) error {
	hosts := map[string]wazero.HostModuleBuilder{}
	add := func(mod, name string, f hostFunc, params, results []api.ValueType) {
		if hosts[mod] == nil {
			hosts[mod] = g.runtime.NewHostModuleBuilder(mod)
		}
		hosts[mod].NewFunctionBuilder().WithGoModuleFunction(f.goFunction(), params, results).Export(name)
	}
	add("awarc", "refuel", awarcImports["refuel"], nil, []api.ValueType{api.ValueTypeI64})
	for _, im := range g.mod.Imports {
		var f hostFunc
		switch im.Module {
		case "awarc":
			f = awarcImports[im.Name]
		case "env":
			f = abort
		default:
			if f = wasiImports[im.Name]; im.Stub {
				f = fixed(errnoNosys)
			}
		}
		if f == nil {
			return fmt.Errorf("plugin %s imports %s.%s, which this version of awarc does not provide", g.identity, im.Module, im.Name)
		}
		add(im.Module, im.Name, f, im.Params, im.Results)
	}
	for _, b := range hosts {
		if _, err := b.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

// borrow takes an instance that is configured by c, waiting for one to be free. The
// caller gives it back by put or discard, and frees the slot by release.
func (g *generation) borrow(ctx context.Context, c *configuration) (*instance, error) {
	select {
	case g.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, &Error{Plugin: g.identity, Op: "wait", Kind: KindCanceled, Message: ctx.Err().Error(), Err: ctx.Err()}
	}
	g.mu.Lock()
	var in *instance
	if n := len(g.mu.idle); n > 0 {
		in = g.mu.idle[n-1]
		g.mu.idle = g.mu.idle[:n-1]
	}
	g.mu.Unlock()
	var err error
	switch {
	case in == nil:
		in, err = g.newInstance(ctx, c)
	case in.epoch != c.epoch:
		if err = in.configure(ctx, c); err != nil {
			in.close()
		}
	}
	if err != nil {
		g.release()
		return nil, err
	}
	return in, nil
}

func (g *generation) release() { <-g.slots }

// put gives an instance back to the pool, and closes one that has waited there too
// long.
func (g *generation) put(in *instance) {
	in.idle = time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if old := g.mu.idle; len(old) > 0 && in.idle.Sub(old[0].idle) > g.limits.Idle {
		old[0].close()
		g.mu.idle = append(old[:0], old[1:]...)
	}
	g.mu.idle = append(g.mu.idle, in)
}

// close gives back everything; no call is going on.
func (g *generation) close() error {
	var errs []error
	g.mu.Lock()
	for _, in := range g.mu.idle {
		in.close()
	}
	g.mu.idle = nil
	g.mu.Unlock()
	ctx := context.Background()
	if g.runtime != nil {
		errs = append(errs, g.runtime.Close(ctx))
		g.runtime = nil
	}
	if g.cache != nil {
		errs = append(errs, g.cache.Close(ctx))
		g.cache = nil
	}
	return errors.Join(errs...)
}

// hold and drop count the calls that use the generation; retire closes it after the last.
func (g *generation) hold() {
	g.mu.Lock()
	g.mu.refs++
	g.mu.Unlock()
}

func (g *generation) drop() error {
	g.mu.Lock()
	g.mu.refs--
	last := g.mu.retired && g.mu.refs == 0
	g.mu.Unlock()
	if last {
		return g.close()
	}
	return nil
}

func (g *generation) retire() error {
	g.hold()
	g.mu.Lock()
	g.mu.retired = true
	g.mu.Unlock()
	return g.drop()
}

// entry is one thing that a plugin does, as the pool sees it.
type entry struct {
	name   string // the export
	op     string
	budget Budget
	url    string
	wall   int64
	input  []byte
	quiet  bool                      // the call is a trial, and logs nothing
	accept func(output string) error // decodes and checks the response
}

// answer is how a call ended.
type answer struct {
	kind   Kind
	err    *Error // nil for ok and no opinion
	fuel   int64
	memory uint64 // of the guest
	lost   int    // log lines dropped
}

// call runs one entry point on an instance of the pool.
func (g *generation) call(ctx context.Context, c *configuration, e entry) answer {
	in, err := g.borrow(ctx, c)
	if err != nil {
		return answer{kind: kindOf(err), err: asError(err)}
	}
	defer g.release()
	in.calls++
	output, fuel, err := in.invoke(e.name, request{ctx: ctx, op: e.op, url: e.url, wall: e.wall, input: e.input, budget: e.budget,
		quiet: e.quiet})
	a := answer{kind: KindOK, fuel: fuel, memory: in.memory(), lost: in.call.dropped}
	if err == nil {
		// The one copy: the buffer belongs to the next call, the strings of the
		// response to the caller.
		if bad := e.accept(string(output)); bad != nil {
			err = in.failed(&stop{kind: KindBad, message: printable(bad.Error(), g.limits.ErrorBytes)})
		}
	}
	if err != nil {
		a.kind = kindOf(err)
		if a.kind != KindNone {
			a.err = asError(err)
		}
	}
	if a.kind.failure() || a.kind == KindCanceled || g.deterministic || in.worn() {
		in.close()
	} else {
		g.put(in)
	}
	return a
}

func kindOf(err error) Kind {
	if e := asError(err); e != nil {
		return e.Kind
	}
	return KindOK
}

func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// smoke calls what the plugin does on an empty page and on a small one: what cannot
// do that is not put in use.
func (g *generation) smoke(ctx context.Context, c *configuration) error {
	parts := []abi.Part{{Kind: abi.Heading, Text: "Smoke test"}, {Text: "A page of a few words, “quotes” and 日本語."}}
	links := []abi.Link{{URL: "http://smoke.invalid/next", Anchor: "next", Context: "the next page", Flags: abi.SameHost}}
	var failed []string
	check := func(e entry) {
		e.quiet = true
		a := g.call(ctx, c, e)
		if a.kind.failure() || a.kind == KindCanceled {
			failed = append(failed, a.err.Error())
		}
	}
	if g.mod.HasKind(module.Scorer) {
		for _, req := range []*abi.ScoreRequest{{},
			{URL: "http://smoke.invalid/", Title: "Smoke", Parts: parts, Links: links, HTTPStatus: 200, ContentType: "text/html"}} {
			var resp abi.ScoreResponse
			check(g.scoreEntry(req, req.Append(nil, g.needs), &resp))
		}
	}
	if g.mod.HasKind(module.Extractor) {
		for _, req := range []*abi.ExtractRequest{{},
			{URL: "http://smoke.invalid/", Title: "Smoke", Parts: parts, Links: links, ContentType: "text/html", HTML: "<p>A page"}} {
			var resp abi.ExtractResponse
			check(g.extractEntry(req, req.Append(nil, g.needs), &resp))
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("the plugin fails on a page of a few words: %s", strings.Join(failed, "; "))
	}
	return nil
}

func (g *generation) scoreEntry(req *abi.ScoreRequest, input []byte, resp *abi.ScoreResponse) entry {
	return entry{name: entryScore, op: "score", budget: g.limits.Score, url: req.URL, input: input, accept: func(output string) error {
		links := len(req.Links)
		if g.needs&abi.NeedLinks == 0 {
			links = 0
		}
		if err := resp.Decode(output, links); err != nil {
			return err
		}
		resp.Reason = printable(resp.Reason, g.limits.ErrorBytes)
		return resp.Validate(req, g.needs, g.may)
	}}
}

func (g *generation) extractEntry(req *abi.ExtractRequest, input []byte, resp *abi.ExtractResponse) entry {
	return entry{name: entryExtract, op: "extract", budget: g.limits.Extract, url: req.URL, wall: int64(req.CaptureUnix), input: input,
		accept: func(output string) error {
			if err := resp.Decode(output); err != nil {
				return err
			}
			return resp.Validate(req, g.needs)
		}}
}
