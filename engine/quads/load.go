package quads

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/durable"
	"github.com/awarc/awarc/engine/infile"
)

// Options say how an index is built.
type Options struct {
	Rebuild bool // discards an existing index
	Own     bool // only awarc uses this file name: a file that is not an index is a damaged index

	// Noted receives unreadable lines, with file, line and column; Progress the byte and file, and how many quads
	// were read. Both may be nil.
	Noted    func(text string)
	Progress func(file string, offset, quads int64)
}

// Result says what an index holds and what was done for it.
type Result struct {
	File    string  `json:"index"`
	Files   int     `json:"files"`   // of N-Quads
	Read    int64   `json:"read"`    // quads that were read now
	Quads   int64   `json:"quads"`   // in the index
	Terms   int64   `json:"terms"`   // in the index
	Skipped int64   `json:"skipped"` // lines and ends of files that cannot be read
	Bytes   int64   `json:"bytes"`   // size of the index
	Rebuilt string  `json:"rebuilt,omitempty"`
	Took    float64 `json:"duration_s"`
}

// Build brings an index up to date with files of N-Quads, which [Files] lists: it makes the index where there is none, reads what the files
// have more than before, and begins anew where the index is damaged or holds what the files no longer say. Before it is whole, a new index
// has another name; what is added to an old one is added in one transaction.
func Build(ctx context.Context, file string, files []string, o Options) (*Result, error) {
	began := time.Now()
	why := ""
	if _, err := os.Stat(file); o.Rebuild || errors.Is(err, fs.ErrNotExist) {
		why = "new"
	}
	var r *Result
	var err error
	if why == "" {
		r, err = load(ctx, file, files, o, "journal_mode(wal)", "synchronous(normal)")
		if anew(err, o) {
			why, err = err.Error(), nil
		}
	}
	if why != "" {
		r, err = replace(ctx, file, files, o)
		if err == nil && why != "new" {
			r.Rebuilt = why
		}
	}
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(file); err == nil {
		r.Bytes = info.Size()
	}
	r.File, r.Files, r.Took = file, len(files), time.Since(began).Seconds()
	return r, nil
}

// anew reports whether an index that gave an error has to be made anew.
func anew(err error, o Options) bool {
	return errors.Is(err, errDamaged) || errors.Is(err, errStale) || errors.Is(err, errVersion) || errors.Is(err, errForeign) && o.Own
}

// errStale says that an index holds what its files no longer say.
var errStale = errors.New("indexed files have changed or are missing")

// abandoned is after what time a file that was not finished is taken for one whose process died.
const abandoned = 24 * time.Hour

// replace builds an index under another name and gives it its own.
func replace(ctx context.Context, file string, files []string, o Options) (*Result, error) {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	mark := durable.Temporary + filepath.Base(file) + "-"
	old, _ := filepath.Glob(filepath.Join(dir, mark+"*")) // the pattern is well formed
	for _, name := range old {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(name)
		}
	}
	temporary, err := os.CreateTemp(dir, mark+"*")
	if err != nil {
		return nil, fmt.Errorf("the index cannot be written: %w; name another file with --index", err)
	}
	name := temporary.Name()
	r, err := load(ctx, name, files, o, "journal_mode(off)", "synchronous(off)", "locking_mode(exclusive)")
	if err == nil {
		err = errors.Join(readWhileWritten(ctx, name), temporary.Chmod(0o644), temporary.Sync())
	}
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = errors.Join(removeBeside(file), os.Rename(name, file), durable.SyncDir(dir))
	}
	if err != nil {
		return nil, errors.Join(err, removeAll(name))
	}
	return r, nil
}

// readWhileWritten makes a file one that can be read while it is added to.
func readWhileWritten(ctx context.Context, file string) error {
	db, err := connect(file, "journal_mode(wal)")
	if err != nil {
		return err
	}
	return errors.Join(explain(file, db.PingContext(ctx)), explain(file, db.Close()))
}

// removeBeside removes what SQLite keeps beside a file, which does not go with another.
func removeBeside(file string) error {
	var errs []error
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Remove(file + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func removeAll(file string) error {
	return errors.Join(removeBeside(file), os.Remove(file))
}

// load reads files into an index in one transaction.
func load(ctx context.Context, file string, files []string, o Options, pragmas ...string) (r *Result, err error) {
	db, err := connect(file, append(pragmas, "cache_size(-65536)")...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, explain(file, db.Close())) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, explain(file, err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return nil, explain(file, err)
	}
	l := &loader{Options: o, index: file, db: conn}
	err = l.open(ctx)
	if err == nil {
		err = l.run(ctx, files)
	}
	if err == nil {
		_, err = conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		_, undo := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		_ = undo // SQLite has rolled back already after some errors
		return nil, explain(file, err)
	}
	return &l.result, nil
}

// Bounds of what a loader keeps in memory before it is written.
const (
	batchQuads = 1 << 20
	batchTerms = 1 << 20
)

// loader reads files into an index.
type loader struct {
	Options
	index  string
	db     *sql.Conn
	terms  *termWriter
	total  int64 // quads of the index
	quads  []Quad
	member int // where the quads of the current gzip member begin
	last   [4][]byte
	lastOf Quad
	noted  int
	result Result
}

// open prepares a new index or opens the one that is there.
func (l *loader) open(ctx context.Context) error {
	var tables int
	if err := l.db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return explain(l.index, err)
	}
	if tables == 0 {
		prepare := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d; %s", application, version, schema)
		if _, err := l.db.ExecContext(ctx, prepare); err != nil {
			return err
		}
	}
	if err := check(ctx, l.db, l.index); err != nil {
		return err
	}
	b, err := openBlocks(ctx, l.db, l.index)
	if err != nil {
		return err
	}
	var count uint32
	if err := l.db.QueryRowContext(ctx, "SELECT terms, quads FROM total").Scan(&count, &l.total); err != nil {
		return err
	}
	t, err := openTerms(b, count)
	if err != nil {
		return err
	}
	l.terms, err = newTermWriter(ctx, t)
	return err
}

// run reads what the files have more than before.
func (l *loader) run(ctx context.Context, files []string) error {
	sources, err := l.sources(ctx, files)
	if err != nil {
		return err
	}
	for i := range sources {
		if err := l.read(ctx, &sources[i]); err != nil {
			return err
		}
	}
	if err := l.flush(ctx); err != nil {
		return err
	}
	l.result.Quads, l.result.Terms = l.total, int64(l.terms.count)
	_, err = l.db.ExecContext(ctx, "UPDATE total SET terms = ?, quads = ?", l.terms.count, l.total)
	return err
}

// sources are the files as the index knows them. A file that it knows and that is not among them makes it stale.
func (l *loader) sources(ctx context.Context, files []string) ([]source, error) {
	known := map[string]source{}
	rows, err := l.db.QueryContext(ctx, "SELECT id, name, done, tail FROM source")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s source
		if err := rows.Scan(&s.id, &s.name, &s.done, &s.tail); err != nil {
			return nil, err
		}
		known[s.name] = s
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	var sources []source
	for _, file := range files {
		name, err := sourceName(l.index, file)
		if err != nil {
			return nil, err
		}
		s, ok := known[name]
		delete(known, name)
		s.name, s.file = name, file
		if ok && !s.same() {
			return nil, fmt.Errorf("%s: %w", file, errStale)
		}
		sources = append(sources, s)
	}
	for name := range known {
		return nil, fmt.Errorf("%s: %w", name, errStale)
	}
	slices.SortFunc(sources, func(a, b source) int { return cmp.Compare(a.name, b.name) })
	return sources, nil
}

// sourceName names a file relative to the index, so that both can be moved together. A file keeps its name when a crawl has finished it.
func sourceName(index, file string) (string, error) {
	file, err := filepath.Abs(strings.TrimSuffix(file, openSuffix))
	if err != nil {
		return "", err
	}
	if index, err = filepath.Abs(index); err != nil {
		return "", err
	}
	if name, err := filepath.Rel(filepath.Dir(index), file); err == nil {
		file = name
	}
	return filepath.ToSlash(file), nil
}

// read reads a source from where it was read up to.
func (l *loader) read(ctx context.Context, s *source) error {
	f, err := infile.Open(s.file)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() == s.done {
		return err
	}
	if s.id == 0 {
		if err := l.db.QueryRowContext(ctx, "INSERT INTO source(name, done, tail, quads) VALUES (?, 0, x'', 0) RETURNING id",
			s.name).Scan(&s.id); err != nil {
			return err
		}
	}
	number, before := 0, l.result.Read
	parsed := line{scope: fmt.Sprintf("s%d.", s.id)}
	l.member = len(l.quads)
	w := walk{
		line: func(text []byte) error {
			number++
			return l.line(ctx, &parsed, text, s, number)
		},
		done: func(offset int64) error {
			s.done, l.member = offset, len(l.quads)
			if l.Progress != nil {
				l.Progress(s.file, offset, l.result.Read)
			}
			return nil
		},
	}
	var bad *unreadable
	switch err := w.run(f, s.done); {
	case !errors.As(err, &bad):
		if err != nil {
			return err
		}
	case strings.HasSuffix(s.file, openSuffix): // a member that is being written
		l.quads = l.quads[:min(l.member, len(l.quads))]
	default:
		l.skip(fmt.Sprintf("%s: %v", s.file, bad))
	}
	if s.tail, err = s.readTail(s.done); err != nil {
		return err
	}
	_, err = l.db.ExecContext(ctx, "UPDATE source SET done = ?, tail = ?, quads = quads + ? WHERE id = ?", s.done, s.tail,
		l.result.Read-before, s.id)
	return err
}

// notes is how many things that cannot be read are told.
const notes = 100

// skip counts what cannot be read, and says so.
func (l *loader) skip(what string) {
	l.result.Skipped++
	if l.noted++; l.Noted == nil || l.noted > notes+1 {
		return
	}
	if l.noted > notes {
		what = "more unreadable lines are counted but not shown"
	}
	l.Noted(what)
}

// line takes a line of a file.
func (l *loader) line(ctx context.Context, parsed *line, text []byte, s *source, number int) error {
	ok, err := parsed.parse(text)
	if err != nil {
		var at *syntaxError
		errors.As(err, &at)
		l.skip(fmt.Sprintf("%s:%d:%d: %v", s.file, number, at.column, err))
		return nil
	}
	if !ok {
		return nil
	}
	var q Quad
	for part, term := range parsed.terms {
		switch {
		case len(term) == 0: // no graph
		case string(term) == string(l.last[part]):
			q[part] = l.lastOf[part]
		default:
			if q[part], err = l.terms.number(ctx, term); err != nil {
				return err
			}
			l.last[part], l.lastOf[part] = append(l.last[part][:0], term...), q[part]
		}
	}
	l.quads = append(l.quads, q)
	l.result.Read++
	if len(l.quads) < batchQuads && len(l.terms.fresh) < batchTerms {
		return nil
	}
	return l.flush(ctx)
}

// flush writes what is in memory.
func (l *loader) flush(ctx context.Context) error {
	if err := l.terms.flush(ctx); err != nil {
		return err
	}
	var sorted [hashes][]tuple
	var sorting sync.WaitGroup
	for o := range hashes {
		sorting.Go(func() { sorted[o] = l.sorted(o) })
	}
	sorting.Wait()
	for o := range hashes {
		added, err := l.terms.merge(ctx, o, sorted[o])
		if err != nil {
			return err
		}
		if o == spo {
			l.total += int64(added)
		}
	}
	if err := l.describeAll(ctx); err != nil {
		return err
	}
	l.quads, l.member = l.quads[:0], 0
	return ctx.Err()
}

// sorted gives the quads in memory as an ordering has them.
func (l *loader) sorted(o ordering) []tuple {
	tuples := make([]tuple, len(l.quads))
	for i := range l.quads {
		tuples[i] = o.arrange(&l.quads[i])
	}
	sortTuples(tuples)
	return slices.Compact(tuples)
}

func sortTuples(tuples []tuple) {
	slices.SortFunc(tuples, func(a, b tuple) int { return compare(a, b) })
}
