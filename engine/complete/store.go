package complete

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver
)

// schema is of what was read. Times are Unix milliseconds. Addresses of things and lists are without paging.
const schema = `
CREATE TABLE capture(id TEXT PRIMARY KEY, url TEXT, at INTEGER, type TEXT, level TEXT) WITHOUT ROWID;
CREATE TABLE thing(id INTEGER PRIMARY KEY, iri TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, class TEXT NOT NULL DEFAULT '',
	title TEXT NOT NULL DEFAULT '', label TEXT NOT NULL DEFAULT '', type TEXT NOT NULL DEFAULT '', inside TEXT NOT NULL DEFAULT '',
	created TEXT NOT NULL DEFAULT '');
CREATE TABLE item(thing INTEGER, what INTEGER, hash INTEGER, PRIMARY KEY(thing, what, hash)) WITHOUT ROWID;
CREATE TABLE stated(thing INTEGER, what INTEGER, n INTEGER, at INTEGER, own INTEGER, PRIMARY KEY(thing, what)) WITHOUT ROWID;
CREATE TABLE page(thing INTEGER, url TEXT, PRIMARY KEY(thing, url)) WITHOUT ROWID;
CREATE TABLE subject(label TEXT, thing INTEGER, PRIMARY KEY(label, thing)) WITHOUT ROWID;
CREATE TABLE member(list TEXT, thing TEXT, PRIMARY KEY(list, thing)) WITHOUT ROWID;
CREATE TABLE missing(iri TEXT, url TEXT, reason TEXT, why TEXT);
`

// pageIndex is made once the graph is read, indices once all is.
const (
	pageIndex = `CREATE INDEX page_url ON page(url)`
	indices   = `
CREATE INDEX thing_inside ON thing(inside);
CREATE INDEX missing_iri ON missing(iri);
`
)

// store is the database.
type store struct {
	db       *sql.DB
	tx       *sql.Tx
	dir      string
	prepared map[string]*sql.Stmt
}

func newStore(ctx context.Context) (*store, error) {
	dir, err := os.MkdirTemp("", "awarc-complete-")
	if err != nil {
		return nil, err
	}
	s := &store{dir: dir, prepared: map[string]*sql.Stmt{}}
	pragmas := []string{"journal_mode(off)", "synchronous(off)", "locking_mode(exclusive)", "cache_size(-65536)"}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(dir, "complete.db")),
		RawQuery: url.Values{"_pragma": pragmas}.Encode()}
	if s.db, err = sql.Open("sqlite", name.String()); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.db.SetMaxOpenConns(1)
	if s.tx, err = s.db.BeginTx(ctx, nil); err == nil {
		err = s.exec(ctx, schema)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *store) close() error {
	if s.tx != nil {
		_ = s.tx.Rollback() // the file goes, too
	}
	return errors.Join(s.db.Close(), os.RemoveAll(s.dir))
}

// exec runs a statement without results.
func (s *store) exec(ctx context.Context, query string, args ...any) error {
	if len(args) == 0 {
		_, err := s.tx.ExecContext(ctx, query)
		return s.explain(err)
	}
	p, err := s.prepare(ctx, query)
	if err == nil {
		_, err = p.ExecContext(ctx, args...)
	}
	return s.explain(err)
}

// row reads the one row of a result; found is false where there is none.
func (s *store) row(ctx context.Context, query string, args []any, to ...any) (found bool, err error) {
	p, err := s.prepare(ctx, query)
	if err == nil {
		err = p.QueryRowContext(ctx, args...).Scan(to...)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, s.explain(err)
}

func (s *store) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if p := s.prepared[query]; p != nil {
		return p, nil
	}
	p, err := s.tx.PrepareContext(ctx, query)
	if err == nil {
		s.prepared[query] = p
	}
	return p, err
}

func (s *store) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s, where what is saved is compared with what pages say: %w (TMPDIR names another folder)", s.dir, err)
}
