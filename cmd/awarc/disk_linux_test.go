package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/awarc/awarc/engine/archive"
)

// smallDisk mounts a file system of a few bytes.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	return smallDiskAt(t, t.TempDir(), size)
}

func smallDiskAt(t *testing.T, dir, size string) string {
	t.Helper()
	if err := syscall.Mount("awarc", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("skipped: a small disk needs the right to mount one: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil { // a cockpit may still look into it
			t.Errorf("unmounting %s: %v", dir, err)
		}
	})
	return dir
}

func enlarge(t *testing.T, dir, size string) {
	t.Helper()
	if err := syscall.Mount("awarc", dir, "tmpfs", syscall.MS_REMOUNT, "size="+size); err != nil {
		t.Fatal(err)
	}
}

// TestFullDisk fills disks of several sizes, so that it is the archive, the
// frontier, the log or the report that finds no room, then makes room. The short form takes every other size.
func TestFullDisk(t *testing.T) {
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscanf(r.URL.Path, "/%d", &n)
		if r.URL.Path == "/robots.txt" || n >= 60 {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<html><a href="/%d">next</a>`, n+1)
		for word := range slices.Chunk(noise(n, 20_000), 4) { // pages that say nothing new would be a trap
			fmt.Fprintf(w, " %x", word)
		}
	})
	for i, c := range []struct {
		size  string
		flags []string
	}{
		{"8m", []string{"--min-space", "7M"}}, {"32k", nil}, {"100k", nil}, {"200k", nil}, {"300k", nil}, {"410k", nil}, {"600k", nil},
		{"777k", nil}, {"1m", nil}, {"1200k", nil},
		{"1500k", []string{"--warc-size", "100K"}},
	} {
		if i%2 == 1 && !isLong() {
			continue
		}
		t.Run(strings.Join(append(c.flags, c.size), " "), func(t *testing.T) {
			disk := smallDisk(t, c.size)
			base := serve(t, pages)
			dir := filepath.Join(disk, "crawl")
			args := append([]string{"crawl", "--delay", "0", "--min-space", "0", "--out", dir}, append(c.flags, base+"/0")...)
			o := awarc(t, "", args...)
			o.want(t, exitLimit, "awarc:")
			if !strings.Contains(o.err, "space") && !strings.Contains(o.err, "disk") {
				t.Errorf("the message does not speak of the disk:\n%s", o.err)
			}
			before := savedURLs(t, dir)

			enlarge(t, disk, "64m")
			awarc(t, "", "resume", dir).want(t, exitDone)
			checkArchive(t, dir)
			if r := readReport(t, dir); r.Pages != 60 || !r.Finished {
				t.Errorf("%d pages, finished %v", r.Pages, r.Finished)
			}
			after := savedURLs(t, dir)
			for _, u := range before {
				if !slices.Contains(after, u) {
					t.Errorf("%s was saved before the disk was full and is lost", u)
				}
			}
			t.Logf("%d records before, %d after", len(before), len(after))
		})
	}
}

// noise is text that does not compress.
func noise(seed, n int) []byte {
	b := make([]byte, n)
	x := uint64(seed)*2654435761 + 1
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x)
	}
	return b
}

// savedURLs reads the captures that are in finished and in open files.
func savedURLs(t *testing.T, dir string) []string {
	t.Helper()
	var urls []string
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz*"))
	if _, err := archive.Verify(files...); err != nil {
		t.Error(err)
	}
	for _, file := range files {
		for _, line := range readLines(t, file) {
			if u, ok := strings.CutPrefix(line, "WARC-Target-URI: "); ok {
				urls = append(urls, u)
			}
		}
	}
	return urls
}
