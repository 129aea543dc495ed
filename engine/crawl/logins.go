package crawl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"github.com/awarc/awarc/engine/durable"
)

// loginsFile holds the passwords of a crawl, below its folder: they are in no other file of the crawl, and readable for the owner
// alone.
const loginsFile = "state/logins.json"

// secrets are the passwords that a crawl was begun with.
type secrets struct {
	Seeds []string // with their passwords, those that have one
	Proxy string   `json:",omitempty"` // with its password, if it has one

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
	return names
}

// withoutPassword gives a URL without user and password, and whether it had them.
func withoutPassword(raw string) (string, bool) {
	u, err := url.Parse(raw)
	if err != nil || u.User == nil {
		return raw, false
	}
	u.User = nil
	return u.String(), true
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
