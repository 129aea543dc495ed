package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/awarc/awarc/engine"
)

// claimDir makes dir the crawl's own: its settings appear in it whole, and of two
// processes that want it at the same time one is refused.
func claimDir(dir string, set settings, t *topic) error {
	if err := emptyDir(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	state, err := os.MkdirTemp(dir, temporary+"*")
	if err != nil {
		return err
	}
	err = os.Chmod(state, 0o755) // MkdirTemp keeps others out
	if err == nil {
		err = writeSettings(filepath.Join(state, filepath.Base(settingsFile)), set)
	}
	if err == nil && len(set.logins) > 0 {
		err = writeLogins(filepath.Join(state, filepath.Base(loginsFile)), set.logins)
	}
	if err == nil && t != nil {
		err = writeSettings(filepath.Join(state, filepath.Base(topicFile)), t)
	}
	if err == nil {
		err = syncDir(state)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(state))
	}
	if err := os.Rename(state, filepath.Join(dir, filepath.Dir(settingsFile))); err != nil {
		return errors.Join(usageError("--out %s: %v", dir, err), os.RemoveAll(state))
	}
	return errors.Join(syncDir(dir), syncDir(filepath.Dir(dir)))
}

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func writeSettings(file string, set any) error {
	data, err := json.MarshalIndent(set, "", "  ")
	if err != nil {
		return err
	}
	return engine.WriteFile(file, data)
}

// temporary begins the names of files that a crash may leave half-made.
const temporary = ".tmp-"

// emptyDir accepts a folder that is absent or empty.
func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		return usageError("--out %s is no folder", dir)
	case err != nil:
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), temporary) {
			return usageError("--out %s is not empty; choose a new folder, or go on with the crawl in it: awarc resume %s", dir, dir)
		}
	}
	return nil
}

// sweep removes what a killed session left half-made.
func (x *session) sweep() {
	for _, dir := range []string{x.dir, filepath.Join(x.dir, filepath.Dir(settingsFile))} {
		left, _ := filepath.Glob(filepath.Join(dir, temporary+"*")) // the pattern is well-formed
		for _, name := range left {
			_ = os.RemoveAll(name) // it is in nobody's way
		}
	}
}
