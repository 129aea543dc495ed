// Package infile reads the files that users name in options, and that those files name.
//
// It opens regular files only. Opening a named pipe waits for a writer, and a device
// may be endless.
package infile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Open opens a regular file.
func Open(name string) (*os.File, error) { return open(name, false) }

// OpenStream opens a regular file, or an open descriptor of this process: /dev/stdin, and the
// /dev/fd/N that shells make of <(COMMAND). Such a stream has the length that its writer gives it.
func OpenStream(name string) (*os.File, error) { return open(name, true) }

// Read reads a regular file of at most limit bytes.
func Read(name string, limit int64) ([]byte, error) { return read(name, limit, Open) }

// ReadStream is Read for what OpenStream opens.
func ReadStream(name string, limit int64) ([]byte, error) { return read(name, limit, OpenStream) }

func read(name string, limit int64, open func(string) (*os.File, error)) ([]byte, error) {
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, limit)
	}
	return data, err
}

func open(name string, streams bool) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if mode := info.Mode(); !mode.IsRegular() && !(streams && !mode.IsDir() && isDescriptor(name)) {
		return nil, fmt.Errorf("%s is %s; expected a regular file", name, kind(mode))
	}
	return os.Open(name)
}

// isDescriptor reports whether a name is of a descriptor that the process has open already.
func isDescriptor(name string) bool {
	name = filepath.ToSlash(filepath.Clean(name))
	return name == "/dev/stdin" || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}

// kind names what is not a regular file.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// Text converts a text to UTF-8 without a byte order mark. Only a mark is evidence of UTF-16, as
// Windows writes it; without one the bytes stay as they are.
func Text(data []byte) []byte {
	text, _, err := transform.Bytes(unicode.BOMOverride(encoding.Nop.NewDecoder()), data)
	if err != nil {
		return data
	}
	return text
}

// Lines splits a text at the line breaks of any system.
func Lines(text []byte) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(text)), "\n")
}
