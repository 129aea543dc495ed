package archive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Found is a place in the index of an archive.
type Found struct {
	URL    string
	Time   time.Time
	Status int
	MIME   string
	File   string // the last element of its name
	Offset int64
}

// mostFound bounds the captures of one key that are read.
const mostFound = 10_000

// Find returns the captures of a URL in index.cdxj of the archive in a folder, oldest first: all captures with its key,
// which other URLs may
// have, too. An archive that was not finished has no index, and none are found.
func Find(dir, url string) (all []Found, err error) {
	f, err := os.Open(filepath.Join(dir, "archive", "index.cdxj"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	key := []byte(surt(url) + " ")
	low, high := int64(0), info.Size() // the first line of the key begins at or behind the first line that begins behind low
	for high-low > lineBlock {
		middle := low + (high-low)/2
		line, err := lineBehind(f, middle)
		if err != nil {
			return nil, err
		}
		if line != nil && bytes.Compare(line, key) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return foundFrom(f, low, info.Size(), key)
}

// lineBlock is how much is read at once.
const lineBlock = 64 << 10

// lineBehind is the first whole line that begins behind a place, or its beginning; nil for none.
func lineBehind(f io.ReaderAt, at int64) ([]byte, error) {
	buf := make([]byte, lineBlock)
	n, err := f.ReadAt(buf, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	_, line, whole := bytes.Cut(buf[:n], []byte("\n"))
	if !whole || len(line) == 0 {
		return nil, nil
	}
	return line, nil
}

func foundFrom(f io.ReaderAt, from, size int64, key []byte) (all []Found, err error) {
	lines := bufio.NewScanner(io.NewSectionReader(f, from, size-from))
	lines.Buffer(nil, 4*maxHead)
	if from > 0 && !lines.Scan() { // the rest of a line
		return nil, lines.Err()
	}
	for lines.Scan() && len(all) < mostFound {
		line := lines.Bytes()
		switch order := bytes.Compare(line[:min(len(line), len(key))], key); {
		case order < 0:
			continue
		case order > 0:
			return all, nil
		}
		date, object, _ := bytes.Cut(line[len(key):], []byte(" "))
		var l knownLine
		at, terr := time.Parse("20060102150405", string(date))
		if terr != nil || json.Unmarshal(object, &l) != nil {
			continue // a torn line
		}
		c := Found{URL: l.URL, Time: at, MIME: l.MIME, File: l.Filename}
		c.Status, _ = strconv.Atoi(string(l.Status))
		if c.Offset, err = strconv.ParseInt(string(l.Offset), 10, 64); err == nil {
			all = append(all, c)
		}
	}
	return all, lines.Err()
}
