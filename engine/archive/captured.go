package archive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Fault is a fault of a finished file of the crawl that its size or the size of its graph file shows: finished files are not
// read.
type Fault struct {
	File   string // below the crawl directory
	Reason string // what is wrong, and what to do
}

// Faults compares the finished files with the parts of the index, which know their sizes.
func (w *Writer) Faults() ([]Fault, error) {
	parts, err := filepath.Glob(filepath.Join(w.work, "*.cdxj"))
	if err != nil {
		return nil, err
	}
	var faults []Fault
	for _, part := range parts {
		base := strings.TrimSuffix(filepath.Base(part), ".cdxj")
		want, err := partSize(part)
		if err != nil {
			continue // the index makes it again
		}
		file := filepath.Join(archiveFolder, base+warcSuffix)
		missing, partly := fmt.Sprintf("restore the file, or remove %s and awarc resume fetches its captures again", part), "fetched again"
		meta := strings.HasSuffix(file, MetaSuffix)
		if meta {
			missing, partly = "restore it, or run awarc resume, which writes it again", "written again by awarc resume"
		}
		info, err := os.Stat(filepath.Join(w.archive, base+warcSuffix))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			faults = append(faults, Fault{file, "the file is missing: " + missing})
			continue
		case err != nil:
			return nil, fmt.Errorf("archive: %w", err)
		case info.Size() != want:
			why := fmt.Sprintf("the file has %d bytes, and had %d: damaged records are %s", info.Size(), want, partly)
			faults = append(faults, Fault{file, why})
		}
		if meta {
			continue // it has no graph file
		}
		if _, err := os.Stat(filepath.Join(w.graph, base+graphSuffix)); errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, Fault{filepath.Join(graphFolder, base+graphSuffix), "the file is missing: restore it"})
		}
	}
	return faults, nil
}

// partSize returns the size that a part of the index says its WARC file has.
func partSize(part string) (int64, error) {
	f, err := os.Open(part)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	first, err := bufio.NewReader(f).ReadString('\n')
	if err != nil {
		return 0, err
	}
	_, size, _ := strings.Cut(first, "size ") // in all forms
	return strconv.ParseInt(strings.TrimSpace(size), 10, 64)
}

// Captured is the set of captures of a crawl. It takes 16 bytes for each, and 8 more where the archive was damaged.
type Captured struct {
	seed   maphash.Seed
	hashes []uint64 // sorted

	// Where the archive was damaged: what revisits may refer to, sorted, and the revisits.
	originals []uint64
	revisits  []revisitLine
}

// revisitLine is a revisit of which it is not known yet whether its original is there.
type revisitLine struct {
	hashes   [2]uint64
	original uint64
}

// Captured reads which captures the finished files hold, from the parts of the index; a missing file counts as present elsewhere. A caller
// uses it to find out whether an acknowledged page is still there. In a damaged archive a revisit counts if its
// original is there; in one that was not, it always is.
func (w *Writer) Captured(damaged bool) (*Captured, error) {
	w.indexMu.Lock()
	defer w.indexMu.Unlock()
	c := &Captured{seed: maphash.MakeSeed()}
	warcs, err := filepath.Glob(filepath.Join(w.archive, "*"+warcSuffix))
	if err != nil {
		return nil, err
	}
	parts, err := filepath.Glob(filepath.Join(w.work, "*.cdxj"))
	if err != nil {
		return nil, err
	}
	for _, path := range warcs {
		name, temporary, err := w.part(filepath.Base(path))
		if temporary {
			defer func() { _ = os.Remove(name) }()
		}
		if name == "" {
			return nil, fmt.Errorf("archive: indexing %s: %w", path, full(err))
		}
		own := w.partName(filepath.Base(path))
		parts = append(slices.DeleteFunc(parts, func(p string) bool { return p == own }), name)
	}
	for _, name := range parts {
		if err := c.read(w, name, damaged); err != nil {
			return nil, fmt.Errorf("archive: %w", err)
		}
	}
	slices.Sort(c.originals)
	for _, r := range c.revisits {
		if _, found := slices.BinarySearch(c.originals, r.original); found {
			c.hashes = append(c.hashes, r.hashes[:]...)
		}
	}
	c.originals, c.revisits = nil, nil
	slices.Sort(c.hashes)
	return c, nil
}

// read adds the captures of a part of the index.
func (c *Captured) read(w *Writer, name string, damaged bool) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 4*maxHead)
	for in.Scan() {
		key, data, found := bytes.Cut(in.Bytes(), []byte(` {"url":"`))
		if !found {
			continue // the first line
		}
		url, status, err := urlAndStatus(data)
		if err != nil {
			return fmt.Errorf("%s: %w; remove the file, awarc writes it again", name, err)
		}
		if n, err := strconv.Atoi(string(status)); err != nil || n < 100 || n > 999 { // or NaN, as warcio has it
			status = nil // a status line that not everybody reads alike
		}
		hashes := [2]uint64{c.hash(url, status), c.hash(url, []byte("any"))}
		switch {
		case !damaged:
		case isRevisit(in.Bytes()):
			if original, there := c.originalOf(w, in.Bytes()); there {
				c.revisits = append(c.revisits, revisitLine{hashes, original})
				continue
			}
		default:
			when := key[bytes.LastIndexByte(key, ' ')+1:]
			c.originals = append(c.originals, c.original(url, string(when), lineDigest(in.Bytes())))
		}
		if !bytes.Contains(data, []byte(`,"method":"`)) { // else no capture of the URL alone
			c.hashes = append(c.hashes, hashes[:]...)
		}
	}
	return in.Err()
}

// originalOf reads what the revisit of a line refers to. It is not there to be read where its file is elsewhere, or its original in another
// archive.
func (c *Captured) originalOf(w *Writer, line []byte) (original uint64, there bool) {
	offset, _ := strconv.ParseInt(jsonMember(line, "offset"), 10, 64) // the index wrote it
	s, err := w.openRecord(jsonMember(line, "filename"), offset)
	if err != nil {
		return 0, !errors.Is(err, fs.ErrNotExist)
	}
	defer s.close()
	if at, ok := s.originalPlace(); !ok || w.others.has(at.file) {
		return 0, false
	}
	url := byteString(strings.Trim(s.header["warc-refers-to-target-uri"], "<>"))
	return c.original([]byte(url), indexDate(s.header["warc-refers-to-date"]), lineDigest(line)), true
}

// original stands for what a revisit says of its original: its URL, its date as the index has it, and the digest.
func (c *Captured) original(url []byte, date, digest string) uint64 {
	return c.hash(url, []byte(date+" "+digest))
}

// urlAndStatus reads a line of the index from where the URL begins. A crawl has millions, nearly all without escapes.
func urlAndStatus(data []byte) (url, status []byte, err error) {
	url, rest, _ := bytes.Cut(data, []byte(`"`))
	if bytes.IndexByte(url, '\\') < 0 {
		if _, rest, found := bytes.Cut(rest, []byte(`,"status":"`)); found {
			status, _, _ = bytes.Cut(rest, []byte(`"`))
		}
		return url, status, nil
	}
	var line struct{ URL, Status string }
	err = json.Unmarshal(append([]byte(`{"url":"`), data...), &line)
	return []byte(line.URL), []byte(line.Status), err
}

// Has reports whether there is a capture of the URL with that HTTP status.
func (c *Captured) Has(url string, status int) bool {
	return c.has(url, strconv.Itoa(status)) || c.has(url, "")
}

// HasAny reports whether there is a capture of the URL, with any status.
func (c *Captured) HasAny(url string) bool { return c.has(url, "any") }

func (c *Captured) has(url, status string) bool {
	_, found := slices.BinarySearch(c.hashes, c.hash([]byte(byteString(url)), []byte(status))) // as the index has it
	return found
}

func (c *Captured) hash(url, status []byte) uint64 {
	return maphash.Bytes(c.seed, url) ^ bits.RotateLeft64(maphash.Bytes(c.seed, status), 1)
}
