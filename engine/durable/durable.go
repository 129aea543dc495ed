// Package durable writes files that a crash or a power cut leaves whole: the old one or the new one, never a part.
//
// A file lasts once it is synced, its name once its folder is. So what must last is written to a temporary file beside it
// and synced (Temp), renamed (WriteFile does both), and then the folder is synced (SyncDir).
package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Temporary begins the names of files that a crash may leave half-made. Whoever opens the folder next removes them.
const Temporary = ".tmp-"

// Temp makes a file with a name of its own in a folder, has it written and syncs it. Where that fails none is left.
func Temp(dir string, mode fs.FileMode, write func(io.Writer) error) (name string, err error) {
	f, err := os.CreateTemp(dir, Temporary+"*")
	if err != nil {
		return "", err
	}
	err = write(f)
	if err == nil {
		err = errors.Join(f.Chmod(mode), f.Sync()) // the files of os.CreateTemp are private
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// WriteFile has a file written whole, in the place of the one of that name, if there is one. After a power cut there is the
// one or the other; the new one for good once the folder is synced.
func WriteFile(name string, mode fs.FileMode, write func(io.Writer) error) error {
	temp, err := Temp(filepath.Dir(name), mode, write)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, name); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

// SyncDir makes the names in a folder durable. Windows logs them as they are made, and has no call for it.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
