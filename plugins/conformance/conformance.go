// Package conformance tests a plugin as a whole: the file, the answers on easy, hard and
// malformed pages, and what it costs. It is what `awarc plugin test` runs.
//
// There are 23 checks, of which one passes, fails, warns or is skipped. A plugin conforms
// when no check fails. Read the warnings too: a scorer that traps on garbage
// only loses its own answer.
//
// Pages are generated here, the same in every run, so that two runs on one machine differ
// in times only. Besides the time of a call, which depends on the machine, its fuel is
// reported, which does not.
package conformance

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/engine/quads"
	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
)

// Options say how a plugin is tested. The zero value is useful.
type Options struct {
	Config  string   // the plugin's own configuration; vectors may bring another
	Vectors []string // files of golden vectors
	Strict  bool     // what is a warning is a failure, but for skipped checks
	Calls   int      // of each kind, of the search for leaks; 0 is 20,000, at least 400

	// CacheDir keeps compiled code between runs, as that of plugins.Options.
	CacheDir string
}

// Status is how a check ended.
type Status string

// Ends of a check.
const (
	Pass Status = "pass"
	Warn Status = "warn"
	Fail Status = "fail"
	Skip Status = "skip" // not applicable, or an earlier failure stands in the way
)

// Check is one of the 23.
type Check struct {
	Number  int     `json:"number"`
	Name    string  `json:"name"`
	Status  Status  `json:"status"`
	Detail  string  `json:"detail,omitempty"`
	Seconds float64 `json:"time_s"`
}

// Cost is what calls of one kind on pages of one size cost.
type Cost struct {
	Kind   module.Kind `json:"kind"`
	Page   string      `json:"page"`
	Calls  int         `json:"calls"`
	P50    float64     `json:"p50_us"`
	P99    float64     `json:"p99_us"`
	Units  int64       `json:"units"` // of fuel, the most of all calls
	Memory uint64      `json:"memory_bytes"`
}

// Report is what a test found.
type Report struct {
	File    string  `json:"file"`
	Name    string  `json:"name"`
	Version string  `json:"version"`
	Hash    string  `json:"hash"`
	Bytes   int     `json:"bytes"`
	OK      bool    `json:"ok"`
	Checks  []Check `json:"checks"`
	Costs   []Cost  `json:"costs"`
}

// checks are the 23, in the order in which they run. One that returns an error fails; a
// warning warns.
var checks = []struct {
	name string
	run  func(*tester) error
}{
	{"file within the limits of the verifier", func(t *tester) error {
		return t.verified(module.Malformed, module.OverLimit, module.Unsupported, module.Invalid)
	}},
	{"manifest", (*tester).manifest},
	{"exports", func(t *tester) error { return t.verified(module.BadExport) }},
	{"imports", func(t *tester) error { return t.verified(module.BadImport) }},
	{"metering changes no answer", (*tester).metering},
	{"initialized and configured within the limits", (*tester).configured},
	{"empty pages", (*tester).emptyPages},
	{"1, 100 and 5,000 links", (*tester).manyLinks},
	{"10 KB, 200 KB and 2 MB of text", (*tester).sizes},
	{"texts of all kinds", (*tester).texts},
	{"encodings of one request", (*tester).encodings},
	{"1,000 garbled requests", (*tester).garbled},
	{"answers follow the ABI", (*tester).answers},
	{"equal pages, equal answers", (*tester).determinism},
	{"memory does not grow", (*tester).leaks},
	{"fuel", (*tester).fuel},
	{"change of the topic", (*tester).topics},
	{"four instances at once", (*tester).concurrency},
	{"recycling and reloading lose no page", (*tester).reloading},
	{"golden vectors", (*tester).vectors},
	{"quota of the log", (*tester).quota},
	{"a call stopped by fuel has no side effects", (*tester).cutOff},
	{"statements are strict N-Quads", (*tester).statements},
}

// warning is an error that does not fail a check, and skipped says why one does not apply.
type (
	warning string
	skipped string
)

func (w warning) Error() string { return string(w) }
func (s skipped) Error() string { return string(s) }

// tester is the state of one test.
type tester struct {
	ctx   context.Context
	o     Options
	file  string
	bytes []byte
	mod   *module.Module
	bad   error // why the file was refused

	config  string
	kinds   []module.Kind
	needs   abi.Needs
	may     abi.ScoreFlag
	set     *plugins.Set // one instance
	costs   []Cost
	checked int // that were checked
	wrong   []string
	loose   []string // statements that are not written as they were said
	lines   int
}

// maxFile bounds what is read of a file, in bytes; a plugin has less.
const maxFile = 64 << 20

// Run tests the plugin in the file. The error says that it could not be read; what is
// wrong with the plugin is in the report.
func Run(ctx context.Context, file string, o Options) (*Report, error) {
	if o.Calls == 0 {
		o.Calls = 20_000
	}
	if o.Calls < 400 {
		return nil, fmt.Errorf("%d calls are too few to find a leak; at least 400", o.Calls)
	}
	b, err := infile.Read(file, maxFile)
	if err != nil {
		return nil, err
	}
	if o.CacheDir == "" {
		if o.CacheDir, err = os.MkdirTemp("", "awarc-plugin-test-"); err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(o.CacheDir) }()
	}
	t := &tester{ctx: ctx, o: o, file: file, bytes: b, config: o.Config}
	t.mod, t.bad = module.Verify(b, module.DefaultLimits())
	r := &Report{File: file, Bytes: len(b), OK: true}
	if t.bad == nil {
		if err := t.open(); err != nil {
			return nil, err
		}
		r.Name, r.Version, r.Hash = t.mod.Manifest.Name, t.mod.Manifest.Version, hex.EncodeToString(t.mod.Hash[:])
	}
	usable := true
	for i, c := range checks {
		check := Check{Number: i + 1, Name: c.name, Status: Skip, Detail: "the plugin cannot be loaded"}
		if usable || i < 4 {
			start := time.Now()
			check.Status, check.Detail = outcome(c.run(t), o.Strict)
			check.Seconds = time.Since(start).Seconds()
			if err := ctx.Err(); err != nil {
				return nil, errors.Join(err, t.close())
			}
		}
		if check.Status == Fail {
			r.OK = false
			usable = usable && i >= 6 // what comes next needs a plugin that answers
		}
		r.Checks = append(r.Checks, check)
	}
	r.Costs = t.costs
	return r, t.close()
}

func outcome(err error, strict bool) (Status, string) {
	var w warning
	var s skipped
	switch {
	case err == nil:
		return Pass, ""
	case errors.As(err, &s):
		return Skip, string(s)
	case errors.As(err, &w) && !strict:
		return Warn, string(w)
	}
	return Fail, err.Error()
}

// open prepares what the checks share.
func (t *tester) open() error {
	for _, k := range []module.Kind{module.Scorer, module.Extractor} {
		if t.mod.HasKind(k) {
			t.kinds = append(t.kinds, k)
		}
	}
	t.needs, _, _ = abi.ParseNeeds(t.mod.Manifest.Needs) // the verifier knows the words
	if t.mod.Manifest.Has("blacklist_url") {
		t.may |= abi.BlacklistURL
	}
	if t.mod.Manifest.Has("blacklist_host") {
		t.may |= abi.BlacklistHost
	}
	if t.config == "" {
		for _, file := range t.o.Vectors {
			v, err := readVectors(file)
			if err != nil {
				return err
			}
			t.config = v.Config
		}
	}
	return nil
}

func (t *tester) close() error {
	if t.set == nil {
		return nil
	}
	return t.set.Close()
}

// options are those of a set with one instance, whose calls fuel ends and no clock: what
// a test says must not depend on what else the machine does.
func (t *tester) options() plugins.Options {
	return plugins.Options{
		Topic: topic(), Config: map[string]string{t.mod.Manifest.Name: t.config}, CrawlID: "conformance", Seed: 1,
		CacheDir: t.o.CacheDir, Instances: 1, Poll: -1,
		Limits: plugins.Limits{
			Setup:   plugins.Budget{Time: 10 * time.Second},
			Score:   plugins.Budget{Time: 5 * time.Second},
			Extract: plugins.Budget{Time: 30 * time.Second},
			Calls:   1 << 30,

			CompileTime: 5 * time.Minute,
		},
	}
}

// with opens another set for the length of f.
func (t *tester) with(o plugins.Options, f func(*plugins.Set) error) error {
	s, err := plugins.Open(t.ctx, []string{t.file}, o)
	if err != nil {
		return err
	}
	return errors.Join(f(s), s.Close())
}

// ask gives a page to the plugin and checks the answer.
func (t *tester) ask(s *plugins.Set, k module.Kind, p page) (plugins.Result[string], error) {
	r := s.Probe(t.ctx, k, p.url, p.encode(k, t.needs))
	switch r.Kind {
	case plugins.KindOK:
		t.checked++
		if err := t.check(k, p, *r.Response); err != nil {
			t.wrong = append(t.wrong, p.name+": "+err.Error())
			return r, fmt.Errorf("%s, %s: %w", k, p.name, err)
		}
		return r, nil
	case plugins.KindNone:
		return r, nil
	}
	return r, fmt.Errorf("%s: %w", p.name, r.Err)
}

// check decodes and validates an answer as a crawl does.
func (t *tester) check(k module.Kind, p page, response string) error {
	if k == module.Scorer {
		req, links := p.score(), len(p.links)
		if t.needs&abi.NeedLinks == 0 {
			links = 0
		}
		var resp abi.ScoreResponse
		if err := resp.Decode(response, links); err != nil {
			return err
		}
		return resp.Validate(req, t.needs, t.may)
	}
	var resp abi.ExtractResponse
	if err := resp.Decode(response); err != nil {
		return err
	}
	if err := resp.Validate(p.extract(), t.needs); err != nil {
		return err
	}
	t.write(p, &resp)
	return nil
}

// write turns an answer into N-Quads, as a crawl does, and notes what comes out otherwise.
func (t *tester) write(p page, resp *abi.ExtractResponse) {
	found := assess.Addition(plugins.Identity{Name: t.mod.Manifest.Name}, resp)
	found.Page = len(p.html)
	c := graph.Capture{ID: "urn:uuid:00000000-0000-4000-8000-000000000000", URL: cmp.Or(p.url, "http://example.org/")}
	written, err := graph.EncodeFound(c, found)
	if err == nil {
		err = quads.Verify(written.Quads)
	}
	if err != nil {
		t.loose = append(t.loose, p.name+": "+err.Error())
	}
	for _, remark := range written.Remarks {
		t.loose = append(t.loose, p.name+": "+remark)
	}
}

// each asks every kind about every page.
func (t *tester) each(s *plugins.Set, pages ...page) error {
	for _, k := range t.kinds {
		for _, p := range pages {
			if _, err := t.ask(s, k, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// verified reports whether the file was refused for one of the rules.
func (t *tester) verified(rules ...module.Rule) error {
	var e *module.Error
	switch {
	case t.bad == nil:
		return nil
	case errors.As(t.bad, &e) && !slices.Contains(rules, e.Rule):
		return skipped("the file was refused for another reason")
	}
	return t.bad
}

func (t *tester) manifest() error {
	if err := t.verified(module.BadManifest); err != nil {
		return err
	}
	m := &t.mod.Manifest
	if len(m.Unknown) > 0 {
		return warning("unknown keys: " + strings.Join(m.Unknown, ", "))
	}
	if minor, _ := strings.CutPrefix(m.ABI, "1."); minor != fmt.Sprint(abi.MinorVersion) {
		return warning("abi is " + m.ABI + "; this version of awarc supports 1." + fmt.Sprint(abi.MinorVersion))
	}
	return nil
}
