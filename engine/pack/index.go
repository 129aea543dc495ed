package pack

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/awarc/awarc/engine/durable"
)

const (
	// blockLines is how many lines of the index are compressed together, as cdxj-indexer does it.
	blockLines = 1024
	// longestLine bounds a line of the index, in bytes.
	longestLine = 4 << 20

	blocksName = "index.cdx.gz"
)

// block is a line of the index of the index.
type block struct {
	Offset   int64  `json:"offset"`
	Length   int64  `json:"length"`
	Digest   string `json:"digest"`
	Filename string `json:"filename"`
}

// index packs the sorted index of the archive in blocks, each a gzip member, and the index of these.
func (p *packer) index(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it is read
	of, err := os.CreateTemp(filepath.Dir(p.File), durable.Temporary+"*")
	if err != nil {
		return err
	}
	defer func() { _, _ = of.Close(), os.Remove(of.Name()) }()
	if _, err := fmt.Fprintf(of, "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": %q}\n", blocksName); err != nil {
		return err
	}
	if err := p.add("indexes/"+blocksName, func(w io.Writer) error { return blocks(w, of, f) }); err != nil {
		return err
	}
	if _, err := of.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return p.add("indexes/index.idx", func(w io.Writer) error {
		_, err := io.Copy(w, of)
		return err
	})
}

// blocks writes the lines of an index in blocks, and where they are.
//
// Viewers of wabac.js look for http://example.com/a/ under a key with the slash at its end, which ours and those of py-wacz do not have,
// and read the last block that does not begin after it. So no block begins between com,example)/a and com,example)/a/, such as with
// com,example)/a-b, unless the block before it is four times as long as others.
func blocks(w, places io.Writer, lines io.Reader) error {
	in := bufio.NewScanner(lines)
	in.Buffer(nil, longestLine)
	var offset int64
	var with string // the last URL that begins a group of keys that stay together
	for more := in.Scan(); more; {
		var b bytes.Buffer
		key, _, _ := strings.Cut(in.Text(), " {")
		z := gzip.NewWriter(&b)
		for n := 0; more; more = in.Scan() {
			url, _, _ := strings.Cut(in.Text(), " ")
			together := url == with || strings.HasPrefix(url, with) && url[len(with)] < '/'
			if n >= blockLines && !together || n >= 4*blockLines {
				break
			}
			if !together {
				with = url
			}
			_, _ = z.Write(append(in.Bytes(), '\n')) // a buffer does not fail
			n++
		}
		_ = z.Close()
		sum := sha256.Sum256(b.Bytes())
		at, _ := json.Marshal(block{offset, int64(b.Len()), "sha256:" + hex.EncodeToString(sum[:]), blocksName}) // strings and numbers
		if _, err := fmt.Fprintf(places, "%s %s\n", key, at); err != nil {
			return err
		}
		offset += int64(b.Len())
		if _, err := w.Write(b.Bytes()); err != nil {
			return err
		}
	}
	return in.Err()
}
