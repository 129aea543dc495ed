package engine

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/awarc/awarc/engine/fetch"
)

// longDownload is from how many bytes on, stated or received, an exchange under way is shown. It is
// arbitrary: few pages are as long.
const longDownload = 1 << 20

// Download is a long exchange under way.
type Download struct {
	URL      string
	Received int64
	Total    int64 // 0: the server does not say
}

// String returns how far the download is: "12.3 of 700.0 MB".
func (d Download) String() string {
	received := fmt.Sprintf("%.1f", float64(d.Received)/1e6)
	if d.Total > 0 {
		return fmt.Sprintf("%s of %.1f MB", received, float64(d.Total)/1e6)
	}
	return received + " MB"
}

// downloads are the exchanges under way; workers bound them.
type downloads struct {
	mu  sync.Mutex
	all map[*fetch.Progress]string // their URLs
}

// begin adds an exchange and returns a function that removes it.
func (d *downloads) begin(url string, p *fetch.Progress) (end func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all == nil {
		d.all = map[*fetch.Progress]string{}
	}
	d.all[p] = url
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.all, p)
	}
}

// Downloads returns the long downloads in progress, the longest rest first.
func (e *Engine) Downloads() (long []Download) {
	d := e.fetcher.downloads
	d.mu.Lock()
	for p, url := range d.all {
		one := Download{url, p.Received.Load(), p.Total.Load()}
		if max(one.Received, one.Total) >= longDownload {
			long = append(long, one)
		}
	}
	d.mu.Unlock()
	slices.SortFunc(long, func(a, b Download) int {
		return cmp.Or(cmp.Compare(b.Total-b.Received, a.Total-a.Received), cmp.Compare(a.URL, b.URL))
	})
	return long
}
