package frontier

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Answers of Next that end a worker's loop.
var (
	// ErrDrained says that no URL is pending, none is leased, none may be drawn and no change is
	// waiting to be committed: only an Add from outside, or Reopen, can bring more work.
	ErrDrained = errors.New("frontier: drained: nothing pending, nothing leased")

	// ErrClosed says that the frontier was closed. What was accepted before is durable.
	ErrClosed = errors.New("frontier: closed")
)

// ErrLost is the answer of Done, and why a fetch is broken off, where a frontier of several nodes has given the URL to another one:
// what was fetched does not count.
var ErrLost = errors.New("frontier: the lease was lost")

// Kind classifies an Error by its remedy.
type Kind int

// The kinds of Error.
const (
	Locked  Kind = iota + 1 // another process has the file open
	Foreign                 // the file was not made by this package, or is damaged beyond recognition
	Corrupt                 // the file contradicts itself or is cut short
	Layout                  // the file was made by another version of this package
	Denied                  // the file may not be read and written
	Missing                 // there is no file, or nothing in it, where one must be
	Full                    // no space, quota or file size left: nothing was changed
)

// String names the kind in the words of the error message.
func (k Kind) String() string {
	switch k {
	case Locked:
		return "another process is using it; stop that process, or use another folder"
	case Foreign:
		return "not a frontier, or damaged; restore a copy, or start a new crawl in another folder"
	case Corrupt:
		return "damaged; restore a copy, or start a new crawl"
	case Layout:
		return "written by another version of awarc; continue with that version, or start a new crawl"
	case Denied:
		return "this user may not read and write it; change its permissions, or use another folder"
	case Missing:
		return "missing or empty, although the crawl has started: it lists the fetched URLs; restore a copy, or start a new crawl " +
			"in another folder"
	case Full:
		return "no disk space left; nothing was changed: free some space and resume"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// An Error says what is wrong with the frontier's file. The cause, where there is
// one, is reachable by errors.Is and errors.As.
type Error struct {
	Path string // the file
	Kind Kind   // what can be done
	Err  error  // what exactly was found
}

// Error states the file, the kind and the cause.
func (e *Error) Error() string {
	return fmt.Sprintf("frontier: %s: %v (%v)", e.Path, e.Kind, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// storageError gives an error of bbolt or the file system its kind.
func storageError(path string, err error) error {
	var known *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known), errors.Is(err, ErrClosed):
		return err
	case errors.Is(err, berrors.ErrTimeout):
		return &Error{path, Locked, err}
	case errors.Is(err, berrors.ErrVersionMismatch):
		return &Error{path, Layout, err}
	case errors.Is(err, berrors.ErrInvalid):
		return &Error{path, Foreign, err}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &Error{path, Denied, err}
	case errors.Is(err, berrors.ErrChecksum), errors.Is(err, errRecord):
		return &Error{path, Corrupt, err}
	case noSpace(err):
		return &Error{path, Full, err}
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return ErrClosed
	}
	return fmt.Errorf("frontier: %s: %w", path, err)
}

// noSpace recognises the system's words, too, since bbolt keeps only those of an
// error that it met while growing the file.
func noSpace(err error) bool {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, cause) || strings.HasSuffix(err.Error(), cause.Error()) {
			return true
		}
	}
	return false
}

// guarded runs one transaction. A damaged page makes bbolt panic or touch memory
// outside the file; both become an error of kind Corrupt here, since a bad file
// is data, not a bug.
func guarded(path string, transact func(func(*bolt.Tx) error) error, fn func(*bolt.Tx) error) (err error) {
	defer catch(path, &err)()
	return storageError(path, transact(fn))
}
