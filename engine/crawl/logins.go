package crawl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/awarc/awarc/engine/durable"
	"github.com/awarc/awarc/engine/fetch"
)

// loginsFile holds the passwords of a crawl and the configurations of its plugins, which may be secret,
// below its folder: they are in no other file of the crawl, and readable for the owner alone.
const loginsFile = "state/logins.json"

// secrets are what a crawl was begun with and nobody else may read.
type secrets struct {
	Seeds        []string          // the seeds with a password
	Proxy        string            `json:",omitempty"` // with its password, if it has one
	PluginConfig map[string]string `json:",omitempty"`

	frontier string // of its servers, which is kept in no file
}

// withheld names the options whose passwords are withheld from settings and servers.
func (s *secrets) withheld() (names []string) {
	if len(s.Seeds) > 0 {
		names = append(names, "Seeds")
	}
	if s.Proxy != "" {
		names = append(names, "Proxy")
	}
	if len(s.PluginConfig) > 0 {
		names = append(names, "PluginConfig")
	}
	return names
}

// take moves the secrets of options to s, and returns the names of those that it moved.
func (s *secrets) take(o *Options) (moved []string) {
	if proxy, had := fetch.WithoutPassword(o.Proxy); had {
		o.Proxy, s.Proxy = proxy, o.Proxy
		moved = append(moved, "Proxy")
	}
	if len(o.PluginConfig) > 0 {
		o.PluginConfig, s.PluginConfig = nil, o.PluginConfig
		moved = append(moved, "PluginConfig")
	}
	o.Withheld = s.withheld()
	return moved
}

// into gives the passwords to the options of a client.
func (s *secrets) into(o *fetch.Options) {
	if o.Logins = s.Seeds; s.Proxy != "" {
		o.Proxy = s.Proxy
	}
}

// hide makes the folder of a crawl's state, and what is secret in it, the owner's alone. Crawls of
// earlier versions have the passwords of proxies and the configurations of plugins in their settings.
func (c *Crawl) hide() error {
	state := filepath.Join(c.dir, filepath.Dir(loginsFile))
	info, err := os.Stat(state)
	if err != nil {
		return err
	}
	open := info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" // which has no such modes
	if open {
		if err := os.Chmod(state, 0o700); err != nil {
			return fmt.Errorf("restricting access to %s: %w", state, err)
		}
	}
	moved := c.passwords.take(&c.settings.Flags)
	if len(moved) == 0 {
		return nil
	}
	err = writeLogins(filepath.Join(c.dir, loginsFile), c.passwords)
	if err == nil {
		err = writeSettings(filepath.Join(c.dir, SettingsFile), c.settings)
	}
	if err == nil && open {
		c.note("%s had secrets (%s) that others could read; they are now in %s, for you only. Change them if others use the machine%s",
			SettingsFile, strings.Join(moved, ", "), loginsFile, map[bool]string{true: " or the Redis servers"}[c.settings.Node != ""])
	}
	return err
}

func writeLogins(file string, of secrets) error {
	return durable.WriteFile(file, 0o600, func(w io.Writer) error { return json.NewEncoder(w).Encode(of) })
}

// readLogins returns what writeLogins wrote into a crawl's folder, if it did. Older crawls have a list of seeds.
func readLogins(dir string) (of secrets, err error) {
	data, err := os.ReadFile(filepath.Join(dir, loginsFile))
	if errors.Is(err, os.ErrNotExist) {
		return of, nil
	}
	if err == nil && json.Unmarshal(data, &of.Seeds) != nil {
		err = json.Unmarshal(data, &of)
	}
	if err != nil {
		return secrets{}, fmt.Errorf("the passwords of the crawl cannot be read from %s: %w", loginsFile, err)
	}
	return of, nil
}
