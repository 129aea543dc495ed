package kb

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockDir keeps other processes that use it out of editing files of a folder.
func lockDir(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(d.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return func() { d.Close() }, nil
}

// How often, and after which wait, one who writes in place is asked whether it
// is done.
const (
	writerTries = 200
	writerWait  = 10 * time.Millisecond
)

// lateWrite is how long after an exchange a write may come to the file that was
// taken out, from one who was just opening it.
const lateWrite = 30 * time.Millisecond

// exchange swaps two files at one stroke and returns what the second held,
// which is in the first now; want is what that is to be. It is idle when nobody
// has it open for writing; with wait, that is waited for.
func exchange(temp, name string, want []byte, wait bool) (out []byte, idle bool, err error) {
	err = unix.Renameat2(unix.AT_FDCWD, temp, unix.AT_FDCWD, name, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return nil, false, errNoExchange // the file system cannot
	}
	if err != nil {
		return nil, false, err
	}
	out, idle, err = settled(temp, wait)
	if err != nil || !idle || !bytes.Equal(out, want) {
		return out, idle, err
	}
	time.Sleep(lateWrite)
	return settled(temp, wait)
}

// settled reads a file, and reports whether nobody has it open for writing.
func settled(name string, wait bool) (data []byte, idle bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	for try := 0; ; try++ {
		// A read lease is given when nobody else writes to the file, and keeps others
		// from it until f is closed. Where leases are not to be had, nothing is known.
		_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
		if idle = !errors.Is(err, unix.EAGAIN); idle || !wait || try == writerTries {
			break
		}
		time.Sleep(writerWait)
	}
	data, err = io.ReadAll(f)
	return data, idle, err
}
