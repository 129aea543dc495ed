package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/gabriel-vasile/mimetype"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// DecodeHTML converts a saved page to UTF-8 by the rules of [Exchange.HTML].
// contentType is the value of the header where it is known, else "".
func DecodeHTML(body []byte, contentType string) Text { return decodeText(body, contentType) }

const (
	// maxCodings bounds the layers of coding of one body. Real bodies have two at most.
	maxCodings = 3
	// probeLength is how much of a body in a coding without magic number is decoded to find out
	// whether it is in that coding, in bytes. Text is refused by decoders within a few bytes.
	probeLength = 4 << 10
	// maxLayer bounds what is decoded of one layer, in bytes: a few seconds. The layers of a bomb would
	// multiply, and may come to nothing that the bound of the body sees.
	maxLayer = 1 << 30
	// maxZstdWindow bounds the memory for decoding zstd, as RFC 9659 does for HTTP.
	maxZstdWindow = 8 << 20
)

// decoded returns a reader of the body, its codings undone, the last one first. A name that is not a
// coding, such as "utf-8", stands for none, as in browsers.
func (e *Exchange) decoded() (io.Reader, error) {
	var codings []string
	for _, name := range []string{"Content-Encoding", "Transfer-Encoding"} {
		for coding := range strings.SplitSeq(strings.Join(e.Header[name], ","), ",") {
			coding, _, _ = strings.Cut(coding, ";") // some send a weight, as in requests
			coding = strings.TrimPrefix(strings.ToLower(strings.Trim(coding, " \t\"'")), "x-")
			switch coding {
			case "gzip", "deflate", "br", "zstd", "compress":
				codings = append(codings, coding)
			}
		}
	}
	if len(codings) > maxCodings {
		return nil, fmt.Errorf("%d layers of Content-Encoding", len(codings))
	}
	r := e.Entity()
	for i := len(codings) - 1; i >= 0; i-- {
		var err error
		if r, err = undo(r, codings[i]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// unpacked is decoded with all layers of gzip removed, of which a body may have maxCodings more.
func (e *Exchange) unpacked() (io.Reader, error) {
	r, err := e.decoded()
	for range maxCodings {
		if err != nil {
			break
		}
		r, err = undo(r, "")
	}
	return r, err
}

// opener begins decoding.
type opener func(io.Reader) (io.Reader, error)

// undo removes one layer of coding. The data decides which one is there, and whether there is one:
// data that cannot be decoded and is something else, such as text, is taken as it is, whatever coding
// the server declares. Without a declared coding only data with a magic number is decoded.
func undo(r io.Reader, coding string) (io.Reader, error) {
	br := bufio.NewReaderSize(r, probeLength)
	start, err := br.Peek(probeLength)
	open := byMagic(start)
	if coding != "" && open == nil && len(start) > 0 {
		if bytes.HasPrefix(start, []byte{0x1f, 0x9d}) {
			return nil, errors.New(`unsupported Content-Encoding "compress"`)
		}
		open = byTrial(start, err != nil, coding)
	}
	if open == nil {
		return br, nil
	}
	d, err := open(br)
	if err != nil {
		return nil, err
	}
	return io.LimitReader(&member{r: d}, maxLayer), nil
}

// byMagic returns the decoder of data that begins with the magic number of gzip or zstd, nil for
// other data.
func byMagic(start []byte) opener {
	switch {
	case bytes.HasPrefix(start, gzipMagic):
		return openGzip
	case isZstd(start):
		return openZstd
	}
	return nil
}

var gzipMagic = []byte{0x1f, 0x8b}

// byTrial returns the decoder of data without a magic number, nil where it is in no such coding. The
// declared one comes first. One that decodes without fault goes before one that does not.
func byTrial(start []byte, whole bool, declared string) opener {
	trials := []trial{{"deflate", openDeflate}, {"br", openBrotli}}
	if declared == "br" {
		slices.Reverse(trials)
	}
	if found := mimetype.Detect(start); !found.Is("application/octet-stream") && !found.Is("application/zlib") {
		trials = slices.DeleteFunc(trials, func(t trial) bool { return t.coding != declared })
	}
	for _, t := range trials {
		if decodes(t.open, start, whole) {
			return t.open
		}
	}
	if i := slices.IndexFunc(trials, func(t trial) bool { return t.coding == declared }); i >= 0 && inCoding(trials[i].open, start, whole) {
		return trials[i].open
	}
	return nil
}

// trial is a coding without a magic number.
type trial struct {
	coding string
	open   opener
}

// decodes reports whether data can be decoded to its end, or as far as it goes.
func decodes(open opener, start []byte, whole bool) bool {
	r, err := open(bytes.NewReader(start))
	if err == nil {
		_, err = io.Copy(io.Discard, &member{r: r})
	}
	return err == nil || errors.Is(err, io.ErrUnexpectedEOF) && !whole
}

// inCoding reports whether data is in a coding without magic number, judged by its start: it can be
// decoded as far as it goes, or is broken and not recognisable as anything else. whole says that start
// is all of the data.
func inCoding(open opener, start []byte, whole bool) bool {
	decoded := int64(0)
	r, err := open(bytes.NewReader(start))
	if err == nil {
		decoded, err = io.Copy(io.Discard, &member{r: r})
	}
	found := mimetype.Detect(start)
	switch {
	case err == nil || errors.Is(err, io.ErrUnexpectedEOF) && !whole:
		return true
	case isText(found) || byMagic(start) != nil:
		return false
	}
	return decoded > 0 || found.Is("application/octet-stream") || found.Is("application/zlib")
}

func openBrotli(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil } // windows of 16 MiB at most

func openZstd(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
}

// openDeflate reads zlib, which RFC 9110 means by deflate, and the bare format that some servers send.
func openDeflate(r io.Reader) (io.Reader, error) {
	br := bufio.NewReader(r)
	start, _ := br.Peek(2)
	if len(start) == 2 && start[0]&0x0f == 8 && (int(start[0])<<8|int(start[1]))%31 == 0 {
		return zlib.NewReader(br)
	}
	return flate.NewReader(br), nil
}

// isZstd reports whether start begins a frame of zstd, or one that decoders skip.
func isZstd(start []byte) bool {
	return len(start) >= 4 && (string(start[:4]) == "\x28\xb5\x2f\xfd" || start[0]&0xf0 == 0x50 && string(start[1:4]) == "\x2a\x4d\x18")
}

// member ends where bytes follow the compressed data that are not in the coding, such as a comment
// that a cache has added.
type member struct {
	r    io.Reader
	some bool // something was decoded
}

func (m *member) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.some = m.some || n > 0
	if err != nil && m.some && (errors.Is(err, gzip.ErrHeader) || errors.Is(err, zstd.ErrMagicMismatch) || err.Error() == errTail) {
		err = io.EOF
	}
	return n, err
}

// errTail is the text of the error of brotli, which exports none, for bytes behind the data.
const errTail = "brotli: excessive input"
