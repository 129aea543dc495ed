package cockpit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/permalinks"
)

// mostCited is the largest archive, in bytes of WARC, that a click on a cited address reads: some ten
// seconds. Larger ones replay cited addresses once they are packed with --permalinks.
const mostCited = 256 << 20

// cited remembers where addresses lead in the crawl that was asked last. Requests wait while it reads.
type cited struct {
	mu    sync.Mutex
	of    string // the files that were read
	found *permalinks.Map
}

// target returns the page of a crawl that shows what an address cites; ok is false where none does, and
// where the archive is too large to look.
func (x *cited) target(ctx context.Context, c *Cockpit, name string, folders crawl.Folders, address string) (t permalinks.Target, ok bool) {
	var files []string
	var bytes int64
	for _, dir := range folders.Dirs {
		of, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz*")) // also of one that is being written
		for _, file := range of {
			if info, err := os.Stat(file); err == nil {
				files, bytes = append(files, file), bytes+info.Size()
			}
		}
	}
	if len(files) == 0 || bytes > mostCited {
		return t, false
	}
	d, err := c.detector(c.Crawls.Folder(name))
	if err != nil {
		return t, false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if of := fmt.Sprint(bytes, files); of != x.of {
		found, err := permalinks.Read(ctx, files, engine.StoredOptions{Detector: d, Bad: func(*archive.BadRecord) {}})
		if err != nil {
			return t, false
		}
		x.of, x.found = of, found
	}
	return x.found.Target(address)
}
