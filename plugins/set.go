package plugins

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
)

// Set is the plugins of one crawl. Its methods may be called from several
// goroutines at once.
type Set struct {
	opts      Options
	plugins   []*plugin
	cacheRoot string
	temporary bool // the cache is removed by Close
	now       func() time.Time
	tainted   atomic.Bool

	config   atomic.Pointer[configuration]
	changing sync.Mutex // of config

	stop func()         // ends polling
	done sync.WaitGroup // polling
}

// configuration is what instances are configured with. An instance with an older
// epoch is configured again before its next page.
type configuration struct {
	epoch   uint64
	request abi.ConfigureRequest
	own     map[string]string
}

// encode is the request for one plugin, with its own part.
func (c *configuration) encode(name string) []byte {
	r := c.request
	r.Config = c.own[name]
	return r.Append(nil)
}

// Result is what one plugin makes of a page: R is its response.
type Result[R any] struct {
	Plugin   Identity
	Kind     Kind
	Response *R     // nil unless Kind is KindOK
	Err      *Error // nil for KindOK and KindNone
	Time     time.Duration
	Fuel     int64
	Memory   uint64 // bytes that the guest's memory had at the end
	Lost     int    // log lines over the quota of a call
}

type (
	Score      = Result[abi.ScoreResponse]   // of a scorer
	Extraction = Result[abi.ExtractResponse] // of an extractor
)

// Open loads the plugins in files and keeps looking for new versions of them until
// Close. It refuses all when one is refused: the error says which and why.
func Open(ctx context.Context, files []string, o Options) (*Set, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	root, err := openCacheRoot(o.CacheDir)
	if err != nil {
		return nil, err
	}
	s := &Set{opts: o, cacheRoot: root, temporary: o.CacheDir == "", now: time.Now, stop: func() {}}
	s.config.Store(&configuration{epoch: 1, own: o.Config, request: abi.ConfigureRequest{
		ABIMinor: abi.MinorVersion, Topic: o.Topic, Deterministic: o.Deterministic, CrawlID: o.CrawlID, Seed: o.Seed}})
	if err := s.openAll(ctx, files); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if o.Poll > 0 && !o.Deterministic {
		s.poll()
	}
	return s, nil
}

func (s *Set) openAll(ctx context.Context, files []string) error {
	byName := map[string]string{}
	for _, file := range files {
		p := &plugin{file: file, set: s}
		p.mu.usage.Kinds = map[Kind]int64{}
		if err := p.reload(ctx); err != nil {
			return err
		}
		s.plugins = append(s.plugins, p)
		name := p.mu.gen.identity.Name
		if other, twice := byName[name]; twice {
			return fmt.Errorf("%s and %s are both the plugin %s; use one of them", other, file, name)
		}
		byName[name] = file
	}
	return nil
}

// poll looks at the files from time to time.
func (s *Set) poll() {
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	s.done.Go(func() {
		tick := time.NewTicker(s.opts.Poll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = s.Reload(ctx) // told by Events.Refused
			}
		}
	})
}

// Reload puts the files that have changed in use. A file that is refused, or that
// cannot be read, changes nothing: the old version stays in use. Errors go
// to Events.Refused too, once for each version.
func (s *Set) Reload(ctx context.Context) error {
	var errs []error
	for _, p := range s.plugins {
		if err := p.reload(ctx); err != nil && ctx.Err() == nil {
			errs = append(errs, err)
			if refused := s.opts.Events.Refused; refused != nil && p.tell(err) {
				refused(p.file, err)
			}
		}
	}
	return errors.Join(errs...)
}

// SetTopic changes what the crawl looks for: each instance is configured again
// before its next page.
func (s *Set) SetTopic(t abi.Topic) {
	s.changing.Lock()
	defer s.changing.Unlock()
	c := *s.config.Load()
	c.epoch++
	c.request.Topic = t
	s.config.Store(&c)
}

// Page is the work of a set on one page: all calls are by the versions that were in use, and
// for the topic that was set, when it began. It must be ended.
type Page struct {
	set    *Set
	config *configuration
	held   []*generation // in the order of the plugins
}

// Begin begins the work on a page.
func (s *Set) Begin() *Page {
	p := &Page{set: s, config: s.config.Load()}
	for _, plugin := range s.plugins {
		p.held = append(p.held, plugin.hold())
	}
	return p
}

// End ends the work on a page; versions that were replaced meanwhile close after their
// last one.
func (p *Page) End() {
	for _, g := range p.held {
		_ = g.drop() // memory of a version that is no longer used
	}
	p.held = nil
}

// Score asks every scorer about the page, in the order of the files, one after the
// other; the page's texts must be UTF-8. A scorer that fails costs its result and nothing else.
func (p *Page) Score(ctx context.Context, req *abi.ScoreRequest) []Score {
	var encoded [abi.NeedAll + 1][]byte // scorers that need the same share a request
	return ask(ctx, p, module.Scorer, "score", req.URL, func(g *generation) []byte {
		if encoded[g.needs] == nil {
			encoded[g.needs] = p.set.fitScore(req, g.needs)
		}
		return encoded[g.needs]
	}, func(g *generation, input []byte, resp *abi.ScoreResponse) entry {
		return g.scoreEntry(req, input, resp)
	})
}

// Extract asks every extractor about the page, as Score does.
func (p *Page) Extract(ctx context.Context, req *abi.ExtractRequest) []Extraction {
	return ask(ctx, p, module.Extractor, "extract", req.URL, func(g *generation) []byte {
		return p.set.fitExtract(req, g.needs)
	}, func(g *generation, input []byte, resp *abi.ExtractResponse) entry {
		return g.extractEntry(req, input, resp)
	})
}

// Has reports whether a plugin of the page's versions is of the kind.
func (p *Page) Has(kind module.Kind) bool {
	return slices.ContainsFunc(p.held, func(g *generation) bool { return g.mod.HasKind(kind) })
}

// Score is [Page.Score] of a page that nothing else is asked about.
func (s *Set) Score(ctx context.Context, req *abi.ScoreRequest) []Score {
	p := s.Begin()
	defer p.End()
	return p.Score(ctx, req)
}

// Extract is [Page.Extract] of a page that nothing else is asked about.
func (s *Set) Extract(ctx context.Context, req *abi.ExtractRequest) []Extraction {
	p := s.Begin()
	defer p.End()
	return p.Extract(ctx, req)
}

// ask calls every plugin of the kind with the request that encode makes for it.
func ask[R any](ctx context.Context, p *Page, k module.Kind, op, url string, encode func(*generation) []byte,
	call func(*generation, []byte, *R) entry) []Result[R] {
	var results []Result[R]
	for i, held := range p.held {
		if !held.mod.HasKind(k) {
			continue
		}
		resp := new(R)
		id, a, took := p.set.plugins[i].call(ctx, p.config, held, func(g *generation) (entry, *Error) {
			input := encode(g)
			if len(input) > p.set.opts.Limits.InputBytes {
				return entry{}, g.tooLarge(op, url)
			}
			return call(g, input, resp), nil
		})
		if a.kind != KindOK {
			resp = nil
		}
		results = append(results, Result[R]{id, a.kind, resp, a.err, took, a.fuel, a.memory, a.lost})
	}
	return results
}

// Probe gives the first plugin of the kind the request as it is, and returns its response
// as it is: tests of plugins ask what crawls do not. Calls are not counted, and the
// circuit breaker is left out. Without such a plugin the kind of the result is KindInput.
func (s *Set) Probe(ctx context.Context, k module.Kind, url string, request []byte) Result[string] {
	i := slices.IndexFunc(s.plugins, func(p *plugin) bool { return p.is(k) })
	if i < 0 {
		return Result[string]{Kind: KindInput}
	}
	g := s.plugins[i].hold()
	defer func() { _ = g.drop() }() // memory of a version that is no longer used
	e := entry{name: entryScore, op: "score", budget: g.limits.Score, url: url, input: request}
	if k == module.Extractor {
		e.name, e.op, e.budget = entryExtract, "extract", g.limits.Extract
	}
	var response *string
	e.accept = func(output string) error {
		response = &output
		return nil
	}
	start := time.Now()
	a := g.call(ctx, s.config.Load(), e)
	return Result[string]{g.identity, a.kind, response, a.err, time.Since(start), a.fuel, a.memory, a.lost}
}

// is reports whether the version in use is of the kind.
func (p *plugin) is(k module.Kind) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mu.gen.mod.HasKind(k)
}

func (g *generation) tooLarge(op, url string) *Error {
	return &Error{Plugin: g.identity, Op: op, URL: url, Kind: KindInput,
		Message: fmt.Sprintf("the page without its text is larger than %d bytes, or has more than %d links", g.limits.InputBytes,
			abi.MaxElements)}
}

// fitScore encodes a request; of one that is too large it sends the first parts only, and
// says so.
func (s *Set) fitScore(req *abi.ScoreRequest, n abi.Needs) []byte {
	return s.fit(len(req.Links), req.Parts, func(parts []abi.Part, cut bool) []byte {
		r := *req
		r.Parts = parts
		r.Truncated = r.Truncated || cut
		return r.Append(nil, n)
	})
}

func (s *Set) fitExtract(req *abi.ExtractRequest, n abi.Needs) []byte {
	return s.fit(len(req.Links), req.Parts, func(parts []abi.Part, _ bool) []byte {
		r := *req
		r.Parts = parts
		return r.Append(nil, n)
	})
}

// fit returns the encoded request with as many of the parts, from the first, as fit;
// what is returned is too large when it does not fit without any.
func (s *Set) fit(links int, parts []abi.Part, encode func([]abi.Part, bool) []byte) []byte {
	limit := s.opts.Limits.InputBytes
	if links > abi.MaxElements {
		return make([]byte, limit+1)
	}
	cut := len(parts) > abi.MaxElements
	parts = parts[:min(len(parts), abi.MaxElements)]
	b := encode(parts, cut)
	for len(b) > limit && len(parts) > 0 {
		excess := len(b) - limit
		for excess > 0 && len(parts) > 0 {
			excess -= len(parts[len(parts)-1].Text)
			parts = parts[:len(parts)-1]
		}
		b = encode(parts, true)
	}
	return b
}

// Report returns the statistics of calls, by name of the plugin.
func (s *Set) Report() map[string]Usage {
	r := make(map[string]Usage, len(s.plugins))
	for _, p := range s.plugins {
		name, u := p.report()
		r[name] = u
	}
	return r
}

// Plugins are the versions in use, in the order of the files.
func (s *Set) Plugins() []Identity {
	ids := make([]Identity, len(s.plugins))
	for i, p := range s.plugins {
		p.mu.Lock()
		ids[i] = p.mu.gen.identity
		p.mu.Unlock()
	}
	return ids
}

// Tainted reports whether a call in deterministic mode was ended by the wall clock,
// so that the same crawl may end otherwise.
func (s *Set) Tainted() bool { return s.tainted.Load() }

// Close gives back everything. No call may be going on.
func (s *Set) Close() error {
	s.stop()
	s.done.Wait()
	var errs []error
	for _, p := range s.plugins {
		errs = append(errs, p.mu.gen.retire())
	}
	if s.temporary {
		errs = append(errs, os.RemoveAll(s.cacheRoot))
	}
	return errors.Join(errs...)
}
