package crawl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/awarc/awarc/engine/durable"
)

// SettingsFile is where a crawl's settings are, below its folder.
const SettingsFile = "state/settings.json"

// Settings are the seeds and options of a crawl, which resuming uses again.
type Settings struct {
	Flags   Options // as the crawl goes on with them: defaults filled in, paths absolute, and 0 says 0
	Seeds   []string
	CrawlID string
	Started time.Time
	Node    string `json:",omitempty"` // of a crawl of several: this one
}

// ReadSettings reads the settings of the crawl in a folder.
func ReadSettings(dir string) (s Settings, err error) {
	data, err := os.ReadFile(filepath.Join(dir, SettingsFile))
	if err != nil {
		return s, complain("%s holds no crawl: %v", dir, err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("%s: %w", filepath.Join(dir, SettingsFile), err)
	}
	return s, nil
}

// ReadNodes reads the settings of a crawl in its folder, or in the folders of its nodes, which must belong
// to one crawl. It returns the first node's.
func ReadNodes(dirs []string) (s Settings, err error) {
	seen := map[string]string{}
	for i, dir := range dirs {
		of, err := ReadSettings(dir)
		if err != nil {
			return s, err
		}
		if i == 0 {
			s = of
		}
		if s.CrawlID != of.CrawlID || s.Node == "" && i > 0 {
			return s, complain("%s and %s belong to different crawls", dirs[0], dir)
		}
		if other := seen[of.Node]; i > 0 && other != "" {
			return s, complain("%s and %s are the same node", other, dir)
		}
		seen[of.Node] = dir
	}
	return s, nil
}

// claimDir makes dir the crawl's own: its settings appear in it whole, and of two
// processes that want it at the same time one is refused.
func claimDir(dir string, p planned) error {
	if err := CheckDir(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	state, err := os.MkdirTemp(dir, durable.Temporary+"*") // which keeps others out
	if err != nil {
		return err
	}
	err = writeSettings(filepath.Join(state, filepath.Base(SettingsFile)), p.settings)
	if err == nil && len(p.logins.withheld()) > 0 {
		err = writeLogins(filepath.Join(state, filepath.Base(loginsFile)), p.logins)
	}
	if err == nil && p.topic != nil {
		err = writeSettings(filepath.Join(state, filepath.Base(topicFile)), p.topic)
	}
	if err == nil && p.examples != nil {
		err = durable.WriteFile(filepath.Join(state, filepath.Base(contextFile)), 0o644, func(w io.Writer) error {
			_, err := w.Write(p.examples)
			return err
		})
	}
	if err == nil {
		err = durable.SyncDir(state)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(state))
	}
	if err := os.Rename(state, filepath.Join(dir, filepath.Dir(SettingsFile))); err != nil {
		return errors.Join(complain("%s %s: %v", folder, dir, err), os.RemoveAll(state))
	}
	return errors.Join(durable.SyncDir(dir), durable.SyncDir(filepath.Dir(dir)))
}

func writeSettings(file string, set any) error {
	return durable.WriteFile(file, 0o644, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(set)
	})
}

// folder is what complaints call the folder of a crawl.
const folder option = "Dir"

// ScheduledFile is in a folder in which a crawl is to begin later: CheckDir takes no offence at it.
const ScheduledFile = "scheduled.json"

// CheckDir complains about a folder that is neither absent nor empty, and so cannot become that of a crawl.
func CheckDir(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		return complain("%s %s is not a folder", folder, dir)
	case err != nil:
		return err
	}
	for _, e := range entries {
		if e.Name() != ScheduledFile && !strings.HasPrefix(e.Name(), durable.Temporary) {
			return complain("%s %s is not empty; use a new folder, or continue its crawl: awarc resume %s", folder, dir, dir)
		}
	}
	return nil
}

// sweep removes what a killed session left half-made. What is named for something else, as an index is, another command may be making now:
// it is removed once nobody has written to it for a day.
func (c *Crawl) sweep() {
	const abandoned = 24 * time.Hour
	for _, dir := range []string{c.dir, filepath.Join(c.dir, filepath.Dir(SettingsFile))} {
		left, _ := filepath.Glob(filepath.Join(dir, durable.Temporary+"*")) // the pattern is well-formed
		for _, name := range left {
			ours := strings.Trim(filepath.Base(name)[len(durable.Temporary):], "0123456789") == ""
			if info, err := os.Stat(name); ours || err == nil && time.Since(info.ModTime()) > abandoned {
				_ = os.RemoveAll(name) // it is in nobody's way
			}
		}
	}
}
