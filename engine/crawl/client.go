package crawl

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// clientFile holds what servers can see of a crawl besides its requests, below its folder: see [fetch.Options.State]. Together with the
// settings and the frontier it makes a crawl that was stopped or killed the same to servers as one that was not: cookies, logins,
// digest counters and the protocol go on, and so do robots.txt, the pace and the time of the last request to each host.
const clientFile = "state/client.jsonl"

// metaEntered names what is known of the login, in the frontier.
const metaEntered = "logged in"

func (c *Crawl) keepEntered(e entered) {
	data, err := json.Marshal(e)
	if err == nil {
		err = c.frontier.PutMeta(metaEntered, data)
	}
	if err != nil {
		c.note("the login could not be stored; awarc resume logs in again: %v", err)
	}
}

// syncClient makes durable what servers can see.
func (c *Crawl) syncClient() {
	if err := c.fetcher.SyncState(); err != nil {
		c.note("%s: cookies and logins of this session may be missing in the next one: %v", clientFile, err)
	}
}

// forgetClient lets a session begin as somebody else.
func (c *Crawl) forgetClient() error {
	if err := os.Remove(filepath.Join(c.dir, clientFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
