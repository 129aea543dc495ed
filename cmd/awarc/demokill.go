package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/awarc/awarc/engine"
)

// What the demo kills: a crawl of a board that takes its time, after some requests.
const (
	killedAfter = 12
	killedSlow  = 30 * time.Millisecond // each answer
)

// killed crawls a board in a process of its own, kills that process in the middle of its work, and goes on with the crawl.
func (c *demoCmd) killed(ctx context.Context, s streams) error {
	site, err := newSite("phpbb", "prosilver", c.Seed, c.Posts)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(killedSlow)
		site.ServeHTTP(w, r)
	})}
	go server.Serve(l) // ends with Close
	defer server.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir := filepath.Join(c.Out, "phpbb-prosilver-killed")
	seed := "http://" + l.Addr().String() + "/"
	begun := exec.CommandContext(ctx, self, "crawl", "--delay", "0", "--out", dir, seed)
	if err := begun.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- begun.Wait() }()
	for site.Requests().Total < killedAfter {
		select {
		case err := <-ended:
			return fmt.Errorf("the crawl ended before it was killed: %w", err)
		case <-time.After(killedSlow):
		}
	}
	if err := begun.Process.Kill(); err != nil {
		return err
	}
	<-ended // by the signal
	at := site.Requests().Total
	if out, err := exec.CommandContext(ctx, self, "resume", dir).CombinedOutput(); err != nil {
		var status *exec.ExitError
		if !errors.As(err, &status) || status.ExitCode() != exitWithFaults {
			return fmt.Errorf("resuming the killed crawl: %w: %s", err, out)
		}
	}
	r, err := engine.ReadReport(filepath.Join(dir, "report.json"))
	if err != nil {
		return err
	}
	again := 0
	for _, n := range site.Requests().Twice() {
		again += n - 1
	}
	want := site.Truth(seed).Count()["sioc:Post"]
	fmt.Fprintf(s.out, "\nThe board again, killed (kill -9) after %d requests and resumed (awarc resume):\n"+
		"  %d of %d sioc:Post; repeated requests: %d\n", at, r.Objects["sioc:Post"], want, again)
	if int(r.Objects["sioc:Post"]) < want {
		return fmt.Errorf("posts are missing from the archive of the killed crawl, %s", dir)
	}
	return nil
}
