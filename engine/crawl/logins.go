package crawl

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// loginsFile is where the passwords of a crawl's seeds are, below its folder: in no other file of the crawl, and
// readable for the owner alone.
const loginsFile = "state/logins.json"

func writeLogins(file string, logins []string) error {
	data, err := json.Marshal(logins)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// readLogins returns what writeLogins wrote into a crawl's folder, if it did.
func readLogins(dir string) (logins []string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, loginsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &logins)
	}
	if err != nil {
		return nil, fmt.Errorf("the passwords of the seeds cannot be read from %s: %w", loginsFile, err)
	}
	return logins, nil
}
