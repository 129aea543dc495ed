package quads

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"sort"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// version is of the schema and of the encodings in it. A file of another version is built again.
const version = 6

const application = 0x61776171 // "awaq", in the head of the file

const schema = `
CREATE TABLE block(id INTEGER PRIMARY KEY, ordering INTEGER NOT NULL, first BLOB NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX block_order ON block(ordering, first);
CREATE TABLE terms(id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE long(id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE source(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, done INTEGER NOT NULL, tail BLOB NOT NULL, quads INTEGER NOT NULL);
CREATE TABLE total(terms INTEGER NOT NULL, quads INTEGER NOT NULL);
INSERT INTO total VALUES (0, 0);
` + textSchema

// ordering is one way in which tuples are sorted. Those of quads are named by what they begin with.
type ordering int

const (
	spo    ordering = iota // subject, predicate, object, graph
	pos                    // predicate, object, subject, graph
	osp                    // object, subject, predicate, graph
	gspo                   // graph, subject, predicate, object
	hashes                 // twelve bytes of a term's hash, its number
	orderings
)

// columns says which part of a quad is in which column.
var columns = [hashes][4]int{
	spo: {subject, predicate, object, graphName}, pos: {predicate, object, subject, graphName},
	osp: {object, subject, predicate, graphName}, gspo: {graphName, subject, predicate, object},
}

// arrange gives a quad as a tuple of an ordering.
func (o ordering) arrange(q *Quad) tuple {
	c := &columns[o]
	return tuple{q[c[0]], q[c[1]], q[c[2]], q[c[3]]}
}

// quad is the reverse of arrange.
func (o ordering) quad(t tuple) (q Quad) {
	for column, part := range columns[o] {
		q[part] = t[column]
	}
	return q
}

// A Quad is the numbers of its subject, predicate, object and graph; the graph is 0 where the source names none.
type Quad [4]uint32

// querier is a connection, or a transaction on it.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// connect opens the file, which is made where it is not there.
func connect(file string, pragmas ...string) (*sql.DB, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if path = filepath.ToSlash(path); runtime.GOOS == "windows" {
		path = "/" + path
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": append(pragmas, "busy_timeout(30000)")}.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // a snapshot is of a connection
	return db, nil
}

// check says whether a file is an index of this version.
func check(ctx context.Context, db querier, file string) error {
	var app, is int
	err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app)
	if err == nil {
		err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&is)
	}
	switch {
	case err != nil:
		return explain(file, err)
	case app != application:
		return fmt.Errorf("%s: %w", file, errForeign)
	case is != version:
		return fmt.Errorf("%s: %w", file, errVersion)
	}
	return nil
}

// errVersion says that a file is an index that this version of awarc cannot read.
var errVersion = errors.New("an index of another version of awarc")

// errForeign says that a file is something else.
var errForeign = errors.New("not an index of awarc: name another file, or replace it with awarc index --rebuild")

// explain says what SQLite means.
func explain(file string, err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%s: %w", file, errForeign)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%s: %w (%w)", file, errDamaged, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%s: the disk is full; the old index is unchanged: %w", file, err)
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("%s: another process is writing to it: %w", file, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%s cannot be written; name another file with --index: %w", file, err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// directory is where the blocks of an ordering are.
type directory struct {
	first []tuple
	id    []int64
}

// find gives the block that holds a tuple, if one does: the last one that begins with it or before it, or the first.
func (d *directory) find(t tuple) int {
	return max(0, sort.Search(len(d.first), func(i int) bool { return less(&t, &d.first[i]) })-1)
}

// blocks reads and keeps blocks, on one connection.
type blocks struct {
	db          querier
	file        string
	directories [orderings]directory
	read        cache[int64, []tuple]
}

// cachedTuples is how many tuples are kept decoded, 16 bytes each.
const cachedTuples = 8 << 20

func openBlocks(ctx context.Context, db querier, file string) (*blocks, error) {
	b := &blocks{db: db, file: file, read: newCache[int64, []tuple](cachedTuples)}
	rows, err := db.QueryContext(ctx, "SELECT ordering, first, id FROM block ORDER BY ordering, first")
	if err != nil {
		return nil, explain(file, err)
	}
	defer rows.Close()
	for rows.Next() {
		var o ordering
		var first sql.RawBytes
		var id int64
		if err := rows.Scan(&o, &first, &id); err != nil {
			return nil, explain(file, err)
		}
		key, ok := keyTuple(first)
		if o < 0 || o >= orderings || !ok {
			return nil, fmt.Errorf("%s: %w", file, errDamaged)
		}
		d := &b.directories[o]
		d.first, d.id = append(d.first, key), append(d.id, id)
	}
	return b, explain(file, rows.Err())
}

// block gives the tuples of a block, which nobody changes.
func (b *blocks) block(ctx context.Context, o ordering, i int) ([]tuple, error) {
	id := b.directories[o].id[i]
	if tuples, ok := b.read.get(id); ok {
		return tuples, nil
	}
	var data []byte
	if err := b.db.QueryRowContext(ctx, "SELECT data FROM block WHERE id = ?", id).Scan(&data); err != nil {
		return nil, explain(b.file, err)
	}
	tuples, err := decodeBlock(data)
	if err == nil && (len(tuples) == 0 || tuples[0] != b.directories[o].first[i]) {
		err = errDamaged
	}
	if err != nil {
		return nil, fmt.Errorf("%s: block %d: %w", b.file, id, err)
	}
	b.read.put(id, tuples, len(tuples))
	return tuples, nil
}

// keyBytes is a tuple as SQLite sorts it.
func keyBytes(t tuple) []byte {
	b := make([]byte, 0, 16)
	for _, n := range t {
		b = append(b, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return b
}

func keyTuple(b []byte) (t tuple, ok bool) {
	if len(b) != 16 {
		return t, false
	}
	for i := range t {
		t[i] = uint32(b[4*i])<<24 | uint32(b[4*i+1])<<16 | uint32(b[4*i+2])<<8 | uint32(b[4*i+3])
	}
	return t, true
}

// merge adds sorted tuples, and tells how many were not there.
func (b *blocks) merge(ctx context.Context, o ordering, add []tuple) (added int, err error) {
	d := &b.directories[o]
	var changed directory // the new directory
	from := 0             // blocks of the old one that are in it
	for len(add) > 0 {
		i, end := 0, len(add)
		var old []tuple
		if len(d.first) > 0 {
			i = d.find(add[0])
			if i+1 < len(d.first) {
				end = sort.Search(len(add), func(k int) bool { return !less(&add[k], &d.first[i+1]) })
			}
			if old, err = b.block(ctx, o, i); err != nil {
				return added, err
			}
			changed.first, changed.id = append(changed.first, d.first[from:i]...), append(changed.id, d.id[from:i]...)
			from = i
		}
		merged, more := mergeTuples(old, add[:end])
		if add, added = add[end:], added+more; more == 0 {
			continue
		}
		if err = b.rewrite(ctx, o, &changed, old, merged); err != nil {
			return added, err
		}
		from = min(i+1, len(d.first))
	}
	changed.first, changed.id = append(changed.first, d.first[from:]...), append(changed.id, d.id[from:]...)
	*d = changed
	return added, nil
}

// rewrite writes the tuples of a block that grew, as one block or more. What was only added behind the others leaves full blocks.
func (b *blocks) rewrite(ctx context.Context, o ordering, changed *directory, old, merged []tuple) error {
	d := &b.directories[o]
	size := len(merged)
	if size >= 2*blockTuples {
		size = (len(merged) + len(merged)/blockTuples - 1) / (len(merged) / blockTuples)
	}
	reuse := len(old) > 0
	for part := range slices.Chunk(merged, size) {
		data, key := encodeBlock(part), keyBytes(part[0])
		var id int64
		if reuse {
			id = d.id[d.find(old[0])]
			reuse = false
			b.read.drop(id)
			if _, err := b.db.ExecContext(ctx, "UPDATE block SET first = ?, data = ? WHERE id = ?", key, data, id); err != nil {
				return explain(b.file, err)
			}
		} else {
			result, err := b.db.ExecContext(ctx, "INSERT INTO block(ordering, first, data) VALUES (?, ?, ?)", o, key, data)
			if err != nil {
				return explain(b.file, err)
			}
			if id, err = result.LastInsertId(); err != nil {
				return explain(b.file, err)
			}
		}
		b.read.put(id, part, len(part))
		changed.first, changed.id = append(changed.first, part[0]), append(changed.id, id)
	}
	return nil
}
