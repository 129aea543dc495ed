package kb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/awarc/awarc/engine/durable"
)

// How often, and after which wait, a change to a file is tried again that
// somebody else is saving. Editors are done in much less.
const (
	editTries = 40
	editWait  = 50 * time.Millisecond
)

// editFile changes a file so that at any moment it is whole, before a crash and
// after: change gets what it holds (nothing where it is absent) and returns what it
// shall hold. Others may save the file at the same time, by renaming or in place:
// change is then asked again, with what they saved. Of several processes that use
// editFile one waits for the other.
//
// An error of change that is [Errors] may come from a file that is being
// written; it is asked again for a while.
func editFile(name string, change func(data []byte) ([]byte, error)) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real // the link stays one
	}
	unlock, err := lockDir(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer unlock()
	for try := 1; ; try++ {
		done, err := editOnce(name, change)
		var broken Errors
		if done || err != nil && !errors.As(err, &broken) || try == editTries {
			if err == nil && !done {
				err = errors.New("other processes keep changing it; try again")
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		}
		time.Sleep(editWait)
	}
}

// editOnce reads, changes and replaces a file once. It is not done where
// somebody else saved the file meanwhile.
func editOnce(name string, change func([]byte) ([]byte, error)) (done bool, err error) {
	mode := fs.FileMode(0o644)
	old, err := readBounded(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return false, err
	default:
		info, err := os.Stat(name)
		if err != nil {
			return false, nil // gone: look again
		}
		mode = info.Mode().Perm()
	}
	now, err := change(old)
	if err != nil || old != nil && bytes.Equal(old, now) {
		return err == nil, err
	}
	temp, err := durable.Temp(filepath.Dir(name), mode, func(w io.Writer) error {
		_, err := w.Write(now)
		return err
	})
	if err != nil {
		return false, err
	}
	defer os.Remove(temp)
	if old == nil {
		err := os.Link(temp, name)
		if errors.Is(err, fs.ErrExist) {
			return false, nil
		}
		return err == nil, errors.Join(err, durable.SyncDir(filepath.Dir(name)))
	}
	if again, err := readBounded(name); err != nil || !bytes.Equal(again, old) {
		return false, nil // saved meanwhile
	}
	return swap(temp, name, now, old)
}

// errNoExchange means that two files cannot be swapped at one stroke: what
// somebody saves in the moment before the replacement is lost then.
var errNoExchange = errors.New("files cannot be swapped here")

// swap puts a file in the place of another that held old, unless somebody saved
// that after it was read, or is about to: then what they saved has come out of the
// exchange, and goes back at once.
func swap(temp, name string, now, old []byte) (done bool, err error) {
	in, want := now, old
	for restoring := false; ; restoring = true {
		out, idle, err := exchange(temp, name, want, restoring)
		switch {
		case errors.Is(err, errNoExchange):
			return true, errors.Join(os.Rename(temp, name), durable.SyncDir(filepath.Dir(name)))
		case errors.Is(err, fs.ErrNotExist):
			return false, nil // they are replacing it
		case err != nil:
			return false, err
		case bytes.Equal(out, want) && (idle || restoring):
			return !restoring, durable.SyncDir(filepath.Dir(name))
		}
		in, want = out, in
	}
}
