//go:build unix

package infile

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Whatever a name is of, reading it comes back.
func TestOnlyRegularFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, socket, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		dir: "a folder", pipe: "a named pipe", link: "a named pipe", socket: "a socket", "/dev/zero": "a device",
		filepath.Join(dir, "none"): "no such file",
	} {
		for _, read := range []func(string, int64) ([]byte, error){Read, ReadStream} {
			if _, err := read(name, 10); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
	if got, err := Read(file, 4); string(got) != "text" || err != nil {
		t.Errorf("a file: %q, %v", got, err)
	}
	if _, err := Read(file, 3); err == nil || !strings.Contains(err.Error(), "larger than 3 bytes") {
		t.Errorf("a long file: %v", err)
	}
}

// A shell gives a command's output the name of a descriptor.
func TestDescriptor(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	name := "/dev/fd/" + strconv.Itoa(int(r.Fd()))
	if _, err := Read(name, 10); err == nil {
		t.Error("Read takes a descriptor")
	}
	if got, err := ReadStream(name, 10); string(got) != "text" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
