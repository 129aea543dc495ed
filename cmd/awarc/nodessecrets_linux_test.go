package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// A node that lacks the passwords of the crawl, or cannot log in, does not start, and says what to do.
func TestNodesLogInAsTheFirstOrDoNotStart(t *testing.T) {
	server := clustertest.Start(t, 1, 0)
	base := serve(t, newMembers())
	node := func(command, name, dir string, more ...string) outcome {
		args := []string{command, "--frontier", server.URL(), "--out", filepath.Join(t.TempDir(), dir)}
		if command == "join" {
			return awarc(t, "", append(args, name)...)
		}
		return awarc(t, "", append(append(args, "--crawl", name, "--delay", "0"), more...)...)
	}
	seed := strings.Replace(base, "http://", "http://me:s3cret@", 1) + "/login"
	node("crawl", "seeds", "one", "--limit", "1", seed)
	refused := node("join", "seeds", "two")
	refused.want(t, exitUsage, "has secrets (Seeds)", "awarc crawl --crawl")
	t.Setenv("FORUM_PASSWORD", "s3&cret")
	form := write(t, "login.yaml", "url: "+base+"/login\nfields: {user: ada, pass: $FORUM_PASSWORD}\nshows: /logout\n")
	node("crawl", "form", "three", "--limit", "2", "--login", form, base+"/").want(t, exitLimit)
	t.Setenv("FORUM_PASSWORD", "wrong")
	node("join", "form", "four").want(t, exitFailed, "wrong user or password")
}
