package archive

import (
	"bufio"
	"bytes"
	"crypto/sha1" //nolint:gosec // what many archives use
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/awarc/awarc/engine/durable"
	"github.com/klauspost/compress/gzip"
)

// known are the payloads of other archives: the lines of their indexes, sorted by digest, in a temporary file. A line is the digest in
// the form of digestKey, the date, how the record can be had, and the object of the line, so that the earliest capture comes first.
type known struct {
	lines *sortedFile // nil: none
	sha1  bool        // some digests are SHA-1
}

// How the record of a line can be had.
const (
	atHand    = 'F' // its file should be in one of the folders of other archives
	elsewhere = 'I' // only its line is known
)

// knownLine is what is used of the object of a line. Some programs write numbers without quotes.
type knownLine struct {
	URL      string  `json:"url"`
	MIME     string  `json:"mime"`
	Status   anyText `json:"status"`
	Digest   string  `json:"digest"`
	Filename string  `json:"filename"`
	Offset   anyText `json:"offset"`
}

// anyText is a string or a number.
type anyText string

// UnmarshalJSON takes what is in quotes, or all.
func (t *anyText) UnmarshalJSON(b []byte) error {
	*t = anyText(bytes.Trim(b, `"`))
	return nil
}

// knownIndex is an index of another archive.
type knownIndex struct {
	name string
	mark byte
}

// open sorts the indexes into a file in dir, in bounded memory.
func (k *known) open(dir string, indexes []knownIndex) error {
	if len(indexes) == 0 {
		return nil
	}
	sorted := &sorter{dir: dir}
	defer sorted.close()
	for _, x := range indexes {
		if err := k.each(x, func(line string) error {
			if sorted.add(line); sorted.bytes > 64*sortBytes {
				return errors.New("no disk space for sorting")
			}
			return nil
		}); err != nil {
			return fmt.Errorf("archive: the index %s: %w", x.name, full(err))
		}
	}
	runs, err := sorted.flush()
	if err != nil {
		return fmt.Errorf("archive: sorting indexes of other archives: %w", full(err))
	}
	name := filepath.Join(dir, durable.Temporary+"known")
	if err := mergeTo(name, dir, "", runs); err != nil {
		return fmt.Errorf("archive: sorting indexes of other archives: %w", full(err))
	}
	k.lines, err = openSorted(name)
	return err
}

// CheckIndex says what is wrong with an index for Options.Dedupe, which is read up to its first line of use.
func CheckIndex(name string) error {
	x, _, err := dedupeIndex(name)
	if err != nil {
		return err
	}
	enough := errors.New("enough")
	switch err := new(known).each(x, func(string) error { return enough }); {
	case err == nil:
		return fmt.Errorf("archive: the index %s has no line of CDXJ or CDX with a URL, a status and a digest: expected one of "+
			"cdxj-indexer, pywb, GNU wget or awarc", x.name)
	case errors.Is(err, enough):
		return nil
	default:
		return fmt.Errorf("archive: the index %s: %w", x.name, err)
	}
}

// each calls do for the lines of an index that can be referred to, in the form in which they are sorted, until it gives an error.
func (k *known) each(x knownIndex, do func(line string) error) error {
	f, err := openToRead(x.name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	in, err := unpacked(io.NewSectionReader(f, 0, f.size))
	if err != nil {
		return err
	}
	var letters []byte // of a CDX file
	for first := true; ; first = false {
		line, err := in.line(maxLine)
		if err != nil && err != io.EOF {
			return err
		}
		if first {
			letters = cdxLetters(line)
		} else if letters != nil {
			line = cdxLine(letters, line)
		}
		if sorted, ok := k.line(line, x.mark); ok {
			if err := do(sorted); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// unpacked reads a file, compressed or not.
func unpacked(f io.Reader) (lines, error) {
	in := bufio.NewReaderSize(f, 64<<10)
	if start, _ := in.Peek(2); string(start) != "\x1f\x8b" {
		return lines{in}, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return lines{}, err
	}
	return lines{bufio.NewReaderSize(z, 64<<10)}, nil
}

// line sorts a line of an index by its digest; false for what is not of an answer with a payload.
func (k *known) line(line []byte, mark byte) (string, bool) {
	key, object, found := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(" {"))
	space := bytes.LastIndexByte(key, ' ')
	if !found || space < 0 {
		return "", false
	}
	object = line[len(key)+1 : len(key)+2+len(object)]
	var l knownLine
	if err := json.Unmarshal(object, &l); err != nil || l.MIME == "warc/revisit" || len(l.Status) != 3 || l.URL == "" {
		return "", false
	}
	digest, when := digestKey(l.Digest), key[space+1:]
	if digest == "" || len(when) != len("20060102150405") {
		return "", false
	}
	k.sha1 = k.sha1 || strings.HasPrefix(digest, "sha1:")
	return fmt.Sprintf("%s %s %c %s\n", digest, when, mark, object), true
}

// find calls each for what has a payload, the earliest first, until it returns false.
func (k *known) find(digest string, each func(date string, mark byte, l *knownLine) bool) error {
	if k.lines == nil {
		return nil
	}
	prefix := digest + " "
	return k.lines.from(prefix, func(line []byte) bool {
		when, rest, _ := strings.Cut(string(line[len(prefix):]), " ")
		var l knownLine
		if len(rest) < 2 || json.Unmarshal([]byte(rest[2:]), &l) != nil {
			return true // it was read when it was sorted
		}
		return each(when, rest[0], &l)
	})
}

func (k *known) close() {
	if k.lines != nil {
		_, _ = k.lines.Close(), os.Remove(k.lines.Name())
		k.lines = nil
	}
}

// digestKey is a digest in one form for each algorithm, whatever a record or an index writes: in base16, of SHA-1 in base32. It is empty
// for a text that is not one. Without an algorithm it is SHA-1, which pywb leaves out, or SHA-256. One of an unknown algorithm is taken as
// it is.
func digestKey(digest string) string {
	algorithm, text, found := strings.Cut(unquoted(digest), ":")
	if !found {
		for _, of := range []string{"sha1", "sha256"} {
			if key := digestKey(of + ":" + algorithm); key != "" {
				return key
			}
		}
		return ""
	}
	algorithm = algorithmOf(algorithm)
	newHash := digestHashes[algorithm]
	switch {
	case text == "":
		return ""
	case newHash == nil:
		return algorithm + ":" + text
	}
	sum := decodeDigest(text, newHash().Size())
	switch {
	case sum == nil:
		return ""
	case algorithm == "sha1":
		return "sha1:" + base32.StdEncoding.EncodeToString(sum)
	}
	return algorithm + ":" + hex.EncodeToString(sum)
}

// sameDigest reports whether two digests say the same, in whatever form.
func sameDigest(a, b string) bool {
	key := digestKey(a)
	return a == b || key != "" && key == digestKey(b)
}

// sha1Key is the digest by SHA-1 of the payload of an answer, as digestKey gives it.
func sha1Key(r io.ReaderAt, size int64) (string, error) {
	in := newLines(io.NewSectionReader(r, 0, size))
	head, err := readHTTPHead(in)
	if err != nil {
		return "", err
	}
	h := sha1.New() //nolint:gosec // see above
	if _, err := entity(in, head.chunked, io.Discard, h); err != nil {
		return "", err
	}
	return "sha1:" + base32.StdEncoding.EncodeToString(h.Sum(nil)), nil
}
