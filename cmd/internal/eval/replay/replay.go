// Package replay serves mirrors of real sites, with the program that stands beside them.
package replay

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build builds the server in a folder of mirrors into dir and returns its file.
func Build(ctx context.Context, sites, dir string) (server string, err error) {
	source := filepath.Join(sites, "replay")
	if _, err := os.Stat(source); err != nil {
		return "", err
	}
	server = filepath.Join(dir, "replay")
	build := exec.CommandContext(ctx, "go", "build", "-o", server, ".")
	build.Dir = source
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the server of mirrors: %w\n%s", err, out)
	}
	return server, nil
}

// Serve serves a mirror at an address until stop is called; drop names a parameter of URLs that is ignored.
func Serve(ctx context.Context, server, file, addr, drop string) (root string, stop func(), err error) {
	c := exec.CommandContext(ctx, server, "-warc", file, "-listen", addr, "-drop", drop)
	out, err := c.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := c.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		c.Process.Kill() // it may have ended
		c.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	root, _, _ = strings.Cut(line, " ")
	if err != nil || !strings.HasPrefix(root, "http://") {
		stop()
		return "", nil, fmt.Errorf("the replay server says %q: %v", line, err)
	}
	return root, stop, nil
}
