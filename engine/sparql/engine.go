package sparql

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/quads"
	"github.com/awarc/awarc/plugins"
)

//go:embed evaluator.wasm
var evaluator []byte

// Format is how results are written.
type Format string

// Formats. Solutions, which SELECT and ASK give, are written in the W3C's result formats JSON, XML, CSV or TSV; triples, which
// CONSTRUCT and DESCRIBE give, as N-Triples, Turtle, TriG or JSON-LD. Both is JSON for the one and N-Triples for the other.
const (
	Both     Format = ""
	JSON     Format = "json"
	XML      Format = "xml"
	CSV      Format = "csv"
	TSV      Format = "tsv"
	NTriples Format = "nt"
	Turtle   Format = "turtle"
	TriG     Format = "trig"
	JSONLD   Format = "jsonld"
)

// arguments are those of the evaluator: the formats of solutions and of triples.
func (f Format) arguments() (solutions, triples string) {
	switch f {
	case Both:
		return string(JSON), string(NTriples)
	case NTriples, Turtle, TriG, JSONLD:
		return "", string(f)
	}
	return string(f), ""
}

// Options bound a query. What is zero is its default.
type Options struct {
	Time   time.Duration // 1 min
	Output int64         // of results, in bytes: 1 GiB

	Prefixes map[string]string // namespaces that a query need not declare

	// Separate makes the default graph what sources say without naming a graph. Otherwise it is the union of all graphs.
	Separate bool
}

// Errors that say which bound a query met.
var (
	ErrTime   = errors.New("the query exceeded its time limit (--time-limit)")
	ErrMemory = errors.New("the query exceeded its memory limit (--memory-limit)")
	ErrOutput = errors.New("the results exceeded their size limit (--output-limit)")
)

// A SyntaxError says where a query is wrong.
type SyntaxError struct {
	Line, Column int // from 1; 0 where the parser does not say
	Message      string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return "query: " + e.Message
	}
	return fmt.Sprintf("query:%d:%d: %s", e.Line, e.Column, e.Message)
}

// An UnsupportedError names an unsupported feature of a query.
type UnsupportedError struct{ What string }

func (e *UnsupportedError) Error() string { return e.What }

// An Engine evaluates queries. It is safe for concurrent use.
type Engine struct {
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule
	memory   uint64 // that a query can take, in bytes
}

const page = 1 << 16 // bytes that memory grows by

// MostMemory is the most memory of a query, in bytes.
const MostMemory = 4 << 30

// Open compiles the evaluator, or reads the compiled code from a folder that only this user can write; "" stores nothing. A query can take
// memory bytes, at most MostMemory.
func Open(ctx context.Context, cacheDir string, memory int64) (*Engine, error) {
	e := &Engine{memory: uint64(min(max(memory, 32*page), MostMemory))}
	config := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2).WithMemoryLimitPages(uint32(e.memory / page))
	if cacheDir != "" {
		var err error
		if e.cache, err = wazero.NewCompilationCacheWithDir(cacheDir); err != nil {
			return nil, fmt.Errorf("the compiled evaluator of SPARQL: %w", err)
		}
		config = config.WithCompilationCache(e.cache)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := e.prepare(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Engine) prepare(ctx context.Context) (err error) {
	if _, err = wasi_snapshot_preview1.Instantiate(ctx, e.runtime); err != nil {
		return err
	}
	if err = hostFunctions(ctx, e.runtime); err != nil {
		return err
	}
	e.compiled, err = e.runtime.CompileModule(ctx, evaluator)
	return err
}

// Close gives back what the engine took.
func (e *Engine) Close() error {
	err := e.runtime.Close(context.Background())
	if e.cache != nil {
		err = errors.Join(err, e.cache.Close(context.Background()))
	}
	return err
}

// Query evaluates a query and writes its results as they come. What was written before an error is not the whole. An address in angle
// brackets that is not an IRI, as pages have it, is replaced by the IRI that graphs have for it.
func (e *Engine) Query(ctx context.Context, index *quads.Reader, query string, format Format, out io.Writer, o Options) error {
	o = o.withDefaults()
	limited, cancel := context.WithTimeoutCause(ctx, o.Time, ErrTime)
	defer cancel()
	q := &run{index: index, separate: o.Separate, cursors: map[uint32]*quads.Scan{}}
	results, words := &bounded{w: out, left: o.Output, q: q}, &strings.Builder{}
	solutions, triples := format.arguments()
	args := []string{"evaluator", solutions, triples}
	for _, prefix := range slices.Sorted(maps.Keys(o.Prefixes)) {
		args = append(args, prefix, o.Prefixes[prefix])
	}
	config := wazero.NewModuleConfig().WithName("").WithArgs(args...).
		WithStdin(strings.NewReader(withIRIs(query))).WithStdout(results).WithStderr(words).
		WithSysWalltime().WithSysNanotime()
	inside := experimental.WithMemoryAllocator(context.WithValue(limited, runKey{}, q), plugins.Memory(e.memory))
	mod, err := e.runtime.InstantiateModule(inside, e.compiled, config)
	if mod != nil {
		_ = mod.Close(context.Background()) // gives back memory; there is nothing to lose
	}
	return q.ended(ctx, limited, err, query, words.String(), o)
}

// token is an IRI of a query, or what may hold one that is none: a string, a comment.
var token = regexp.MustCompile(`(?s)<[^<>"{}|^\x60\\\x00-\x20]*>|#[^\n]*|` +
	`"""(\\.|[^\\])*?"""|'''(\\.|[^\\])*?'''|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])*'`)

func withIRIs(query string) string {
	return token.ReplaceAllStringFunc(query, func(t string) string {
		if iri := graph.IRI(strings.Trim(t, "<>")); t[0] == '<' && iri != "" {
			return "<" + iri + ">"
		}
		return t
	})
}

func (o Options) withDefaults() Options {
	const most = 1 << 30
	if o.Time <= 0 {
		o.Time = time.Minute
	}
	if o.Output <= 0 {
		o.Output = most
	}
	return o
}

// ended says how a query ended.
func (q *run) ended(ctx, limited context.Context, err error, query, words string, o Options) error {
	var exit *sys.ExitError
	switch {
	case err == nil:
		return nil
	case errors.Is(q.err, ErrMemory), errors.Is(q.err, ErrOutput):
		return q.err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil: // whoever noticed it
		return fmt.Errorf("%w: %v", ErrTime, o.Time)
	case q.err != nil:
		return q.err
	case !errors.As(err, &exit) && strings.Contains(err.Error(), "out of bounds"): // its stack, as Rust is safe
		return &SyntaxError{Message: "it is nested too deeply"}
	case !errors.As(err, &exit):
		return fmt.Errorf("the evaluator of SPARQL failed: %w", err)
	case exit.ExitCode() == 0:
		return nil
	case exit.ExitCode() == exitSyntax && update.MatchString(query):
		return &UnsupportedError{"updates are not supported: the index is read-only"}
	case exit.ExitCode() == exitSyntax:
		return syntaxError(words, query, o.Prefixes)
	case exit.ExitCode() == exitUnsupported:
		return &UnsupportedError{words}
	}
	return fmt.Errorf("the query failed: %s", words)
}

// Statuses of the evaluator.
const (
	exitSyntax      = 2
	exitUnsupported = 3
)

// update is how an update begins, behind its declarations and comments.
var update = regexp.MustCompile(`(?i)^(\s|#.*|PREFIX\s+\S*\s*<[^>]*>|BASE\s*<[^>]*>)*` +
	`(INSERT|DELETE|LOAD|CLEAR|DROP|CREATE|ADD|MOVE|COPY|WITH)\b`)

// syntaxError reads the message of the parser: "error at LINE:COLUMN: expected one of A, B".
func syntaxError(words, query string, known map[string]string) error {
	words = strings.ReplaceAll(characters.ReplaceAllString(words, "a name"), ", [_]", "")
	for strings.Contains(words, "a name, a name") {
		words = strings.ReplaceAll(words, "a name, a name", "a name")
	}
	e := &SyntaxError{Message: words}
	if _, err := fmt.Sscanf(words, "error at %d:%d:", &e.Line, &e.Column); err == nil {
		_, e.Message, _ = strings.Cut(words, ": ")
	}
	if strings.Contains(e.Message, "Prefix not found") {
		e.Message = fmt.Sprintf("undeclared prefix %s; add a line such as PREFIX %[1]s <http://...>", undeclared(query, known))
	}
	return e
}

// prefixed is a prefix of a name, and the word before it if that declares the prefix.
var prefixed = regexp.MustCompile(`(?i)(\bPREFIX\s+)?((?:[\pL][\pL\pN_.-]*)?:)`)

// undeclared returns the first prefix of a query that is neither declared nor known, with its colon.
func undeclared(query string, known map[string]string) string {
	declared := map[string]bool{}
	for prefix := range known {
		declared[prefix+":"] = true
	}
	for _, m := range prefixed.FindAllStringSubmatch(token.ReplaceAllString(query, " "), -1) {
		if m[1] != "" {
			declared[m[2]] = true
		} else if !declared[m[2]] {
			return m[2]
		}
	}
	return "in the query"
}

// characters are those of names, which the parser lists.
var characters = regexp.MustCompile(`(?s)\[ ?'[^]]*\]`)

// bounded writes results until they are too long.
type bounded struct {
	w    io.Writer
	left int64
	q    *run
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		b.q.stop(ErrOutput)
	}
	n, err := b.w.Write(p)
	if err != nil {
		b.q.stop(err)
	}
	return n, err
}
