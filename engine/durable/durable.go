// Package durable replaces files atomically: after a crash or a power cut a file has its old or its
// new content, never a part.
//
// The content of a file is durable once the file is synced, its name once the folder is synced.
// Temp writes and syncs a temporary file in the same folder, WriteFile also renames it, and SyncDir
// syncs the folder.
package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Temporary is the prefix of the names of temporary files, which a crash may leave incomplete. The
// next user of the folder removes them.
const Temporary = ".tmp-"

// Temp creates a file with a unique name in a folder, calls write for its content and syncs it. It
// removes the file on failure.
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

// WriteFile calls write for the content of a file and replaces the file of that name, if any. A
// power cut leaves the old file or the new one; the new one is durable after SyncDir.
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

// SyncDir makes the names in a folder durable. It does nothing on Windows, which logs changes of
// names itself and has no call for it.
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
