package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// lockDir takes the lock of a folder, which the system gives back when the process ends, however it does.
// Folders cannot be locked on Windows; a file in them stands for them.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	const exclusiveNow = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	if err := windows.LockFileEx(windows.Handle(f.Fd()), exclusiveNow, 0, 1, 0, new(windows.Overlapped)); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("archive: %s is in use by another process: wait for it or stop it (%w)", dir, err)
	}
	return f, nil
}

// FreeSpace returns the bytes that this user may still write to the disk of a folder.
func FreeSpace(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return int64(free), nil
}

// full puts ErrDiskFull into the chain of an error that means that.
func full(err error) error {
	if err != nil && !errors.Is(err, ErrDiskFull) &&
		(errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)) {
		return fmt.Errorf("%w: %w", ErrDiskFull, err)
	}
	return err
}
