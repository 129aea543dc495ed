package crawl

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/awarc/awarc/engine"
)

// metaAvoided is the key of the sketch of avoided requests in the frontier, before the node of a crawl of several: of two that
// end at once, the later would overwrite the other's.
const metaAvoided = "requests saved"

// avoidedLog is the file of avoided requests that the sketch in the frontier does not have yet.
func avoidedLog(dir string) string { return filepath.Join(dir, "state", "avoided.log") }

// openAvoided takes over what earlier sessions and other nodes avoided, also what a killed session did not keep in the
// frontier, and logs what this session avoids.
func (c *Crawl) openAvoided() (err error) {
	if err := c.mergeAvoided(); err != nil {
		c.note("the requests that earlier sessions avoided are not counted: %v", err)
	}
	if c.avoided == nil {
		if c.avoided, err = os.OpenFile(avoidedLog(c.dir), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600); err != nil {
			return err
		}
	}
	if _, err = c.avoided.Seek(0, io.SeekStart); err != nil {
		return err
	}
	whole, err := c.engine.Avoided().Read(c.avoided)
	if err != nil {
		return err
	}
	c.engine.Avoided().Log(c.avoided)
	return c.avoided.Truncate(whole)
}

// mergeAvoided takes over what the frontier has of earlier sessions and of other nodes.
func (c *Crawl) mergeAvoided() error {
	return c.frontier.EachMeta(metaAvoided, func(_ string, sketch []byte) error { return c.engine.Avoided().Merge(sketch) })
}

// keepAvoided writes the sketch to the frontier, which makes its log superfluous.
func (c *Crawl) keepAvoided() error {
	return c.engine.Avoided().Keep(func(sketch []byte) error {
		return c.frontier.PutMeta(metaAvoided+c.settings.Node, sketch)
	})
}

// closeAvoided closes the log, and removes it if the frontier has all.
func (c *Crawl) closeAvoided() error {
	if c.avoided == nil {
		return nil
	}
	info, err := c.avoided.Stat()
	if err = errors.Join(err, c.avoided.Close()); err != nil || info.Size() > 0 {
		return err
	}
	return os.Remove(avoidedLog(c.dir))
}

// avoidedOf returns how many requests a crawl that is not open avoided.
func avoidedOf(dir string, q engine.Frontier) (n int, err error) {
	var a engine.Avoided
	if err = q.EachMeta(metaAvoided, func(_ string, sketch []byte) error { return a.Merge(sketch) }); err != nil {
		return 0, err
	}
	file, err := os.Open(avoidedLog(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return a.Count(), nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	_, err = a.Read(file)
	return a.Count(), err
}

// openTexts takes over the texts of pages of earlier sessions, to compare those of this one with.
func (c *Crawl) openTexts() (err error) {
	if c.texts == nil {
		name := filepath.Join(c.dir, "state", "texts")
		if c.texts, err = os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600); err != nil {
			return err
		}
	}
	if _, err = c.texts.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return c.engine.SeenTexts().Keep(c.texts)
}
