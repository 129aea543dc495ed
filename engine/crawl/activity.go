package crawl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/durable"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/kb"
)

// activityFile is where the graph tells of the crawl and its sessions: a gzip member for what is known when a session begins, and one when
// it ends.
const activityFile = "graph/crawl.nq.gz"

// activity is what the graph says of this session.
type activity struct {
	session string       // id
	quads   atomic.Int64 // in the file
}

// tellBegin states that the session has begun, and when it is the first, which crawl it is of.
func (c *Crawl) tellBegin() {
	c.activity.session = archive.NewID()
	s := graph.Session{ID: c.activity.session, Crawl: c.settings.CrawlID, Started: c.began, Software: c.settings.Flags.software()}
	if !c.settings.Flags.Blind {
		s.Knowledge = kb.Version + " " + c.rules.get().Hash
	}
	quads := graph.EncodeSession(s)
	told, err := countQuads(filepath.Join(c.dir, activityFile))
	if errors.Is(err, fs.ErrNotExist) {
		of := graph.Crawl{ID: c.settings.CrawlID, Started: c.settings.Started}
		var seeds []*url.URL
		seeds, err = parseSeeds(c.settings.Seeds)
		for _, u := range seeds {
			of.Seeds = append(of.Seeds, u.String())
		}
		quads = append(graph.EncodeCrawl(of), quads...)
	}
	c.activity.quads.Store(told)
	c.tell(quads, err)
}

// tellEnd states that the session has ended, and with it the crawl, when nothing is left to fetch.
func (c *Crawl) tellEnd(reason engine.Reason) {
	now := time.Now()
	quads := graph.EncodeSession(graph.Session{ID: c.activity.session, Ended: now})
	if reason == engine.Drained {
		quads = append(quads, graph.EncodeCrawl(graph.Crawl{ID: c.settings.CrawlID, Ended: now})...)
	}
	c.tell(quads, nil)
}

// tell appends quads to the file, which is small, so that after a crash all of them are there or none.
func (c *Crawl) tell(quads []byte, err error) {
	name := filepath.Join(c.dir, activityFile)
	if err == nil {
		err = appendMember(name, filepath.Join(c.dir, filepath.Dir(SettingsFile)), quads)
	}
	if err != nil {
		c.note("the description of this session is missing from the graph: %v", err)
		return
	}
	c.activity.quads.Add(int64(bytes.Count(quads, []byte("\n"))))
}

// appendMember appends a gzip member to a file. It is written beside it, in a folder that is swept.
func appendMember(name, work string, data []byte) error {
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp, err := durable.Temp(work, 0o644, func(w io.Writer) error {
		if _, err := w.Write(old); err != nil {
			return err
		}
		z := gzip.NewWriter(w)
		_, err := z.Write(data)
		return errors.Join(err, z.Close())
	})
	if err != nil {
		return err
	}
	if err := os.Rename(temp, name); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return durable.SyncDir(filepath.Dir(name))
}

// countQuads counts the lines of a compressed file.
func countQuads(name string) (n int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // it is read
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return 0, err
	}
	lines := bufio.NewReader(z)
	for {
		_, err := lines.ReadSlice('\n')
		switch {
		case err == nil:
			n++
		case errors.Is(err, io.EOF):
			return n, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return n, err
		}
	}
}
