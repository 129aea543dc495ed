package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// workProgress shows how far a work is that is not a crawl: a bar that renews itself on a terminal, and a line in ten seconds elsewhere.
type workProgress struct {
	progress *progress

	mu       sync.Mutex
	what     string    // the part of the work
	began    time.Time // of that part
	last     time.Time
	every    time.Duration
	warnings int
}

func newWorkProgress(s streams) *workProgress {
	p := &workProgress{progress: newProgress(s.err), every: 10 * time.Second, last: time.Now()}
	if p.progress.terminal > 0 {
		p.every, p.last = time.Second/2, time.Time{}
	}
	return p
}

// recordsNamed is how many records that cannot be read are named.
const recordsNamed = 100

func (p *workProgress) note(text string) {
	switch p.warnings++; {
	case p.warnings <= recordsNamed:
		p.progress.note(text)
	case p.warnings == recordsNamed+1:
		p.progress.note("more unreadable records are counted but not shown")
	}
}

// say shows what is being done, if it is time to.
func (p *workProgress) say(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.renew(func() string { return what })
}

func (p *workProgress) renew(line func() string) {
	if time.Since(p.last) < p.every {
		return
	}
	p.last = time.Now()
	p.progress.mu.Lock()
	defer p.progress.mu.Unlock()
	p.progress.renew(line())
}

// at shows how much of a part of the work is done, and how long the rest takes at that rate.
func (p *workProgress) at(what string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if what != p.what {
		p.what, p.began = what, time.Now()
	}
	p.renew(func() string {
		share := float64(done) / float64(max(total, 1))
		line := fmt.Sprintf("%s %3.0f %% %s", drawn(share), 100*share, what)
		if took := time.Since(p.began); share > 0 && share < 1 && took > time.Second {
			line += fmt.Sprintf(", %s left", time.Duration(float64(took)*(1/share-1)).Round(time.Second))
		}
		return line
	})
}

// through shows how far the reading of files is, one after the other.
func (p *workProgress) through(what string, files []string) func(file string, offset int64) {
	before, total := map[string]int64{}, int64(0)
	for _, file := range slices.Sorted(slices.Values(files)) {
		before[file] = total
		total += sizeOf([]string{file})
	}
	return func(file string, offset int64) {
		if at, known := before[file]; known {
			p.at(what, at+offset, total)
		}
	}
}

// parts is through for a work that reads the files several times.
func (p *workProgress) parts(files []string) func(what, file string, offset int64) {
	parts := map[string]func(string, int64){}
	return func(what, file string, offset int64) {
		if parts[what] == nil {
			parts[what] = p.through(what, files)
		}
		parts[what](file, offset)
	}
}

func (p *workProgress) clear() {
	p.progress.mu.Lock()
	defer p.progress.mu.Unlock()
	p.progress.clear()
}

// sizeOf is the size of files in bytes, as far as they can be read.
func sizeOf(files []string) (size int64) {
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	return size
}

// drawn draws a bar of which a share is full.
func drawn(share float64) string {
	const width = 12
	full := int(width * min(max(share, 0), 1))
	return "[" + strings.Repeat("#", full) + strings.Repeat("-", width-full) + "]"
}
