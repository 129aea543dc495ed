package archive

import (
	"bufio"
	"crypto/md5"  //nolint:gosec // read in foreign files, never written
	"crypto/sha1" //nolint:gosec // likewise
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/awarc/awarc/engine/chunked"
)

// digestText is the one form in which awarc writes digests: the algorithm, a colon, base16 in lower case.
func digestText(h hash.Hash) string {
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

func sha256Digest(b []byte) string {
	h := sha256.New()
	_, _ = h.Write(b) // a hash never fails
	return digestText(h)
}

// normalDigest gives a digest in the form of digestText, as far as it is one of SHA-256: earlier versions of awarc wrote base32, which
// others write, too.
func normalDigest(digest string) string {
	algorithm, text, _ := strings.Cut(digest, ":")
	if strings.ReplaceAll(strings.ToLower(algorithm), "-", "") != "sha256" {
		return digest
	}
	text = strings.TrimRight(text, "=")
	coding := base32.StdEncoding.WithPadding(base32.NoPadding)
	if len(text) == coding.EncodedLen(sha256.Size) {
		if sum, err := coding.DecodeString(text); err == nil {
			return "sha256:" + hex.EncodeToString(sum)
		}
	}
	if len(text) == hex.EncodedLen(sha256.Size) {
		return "sha256:" + strings.ToLower(text)
	}
	return digest
}

// labelled is a digest to be compared with what a header says.
type labelled struct {
	hash.Hash
	algorithm, want string // before and after the colon
}

// parseDigest returns nil for an empty text and for an algorithm that is not known: those cannot be checked.
func parseDigest(text string) *labelled {
	algorithm, want, _ := strings.Cut(strings.TrimSpace(text), ":")
	switch strings.ReplaceAll(strings.ToLower(algorithm), "-", "") {
	case "sha256":
		return &labelled{sha256.New(), algorithm, want}
	case "sha1":
		return &labelled{sha1.New(), algorithm, want} //nolint:gosec // what many archives use
	case "sha512":
		return &labelled{sha512.New(), algorithm, want}
	case "md5":
		return &labelled{md5.New(), algorithm, want} //nolint:gosec // what some archives use
	}
	return nil
}

// matches compares in all the encodings in use: base32 with and without padding, base16, base64.
func (l *labelled) matches() bool {
	sum := l.Sum(nil)
	text := base32.StdEncoding.EncodeToString(sum)
	return strings.EqualFold(l.want, text) || strings.EqualFold(l.want, strings.TrimRight(text, "=")) ||
		strings.EqualFold(l.want, hex.EncodeToString(sum)) || l.want == base64.StdEncoding.EncodeToString(sum)
}

// mismatch says what the digest of a part of a record is, and what it should be.
func (l *labelled) mismatch(part string) error {
	return fmt.Errorf("the %s has the digest %s:%x, not %s as its header says: it was changed since it was archived, or the header "+
		"is wrong; put the file back from a copy", part, l.algorithm, l.Sum(nil), l.want)
}

// entity reads the body that follows an HTTP head: all of it goes to raw, and without its transfer coding to plain.
// Malformed chunks end plain, not the reading. It reports whether there was more than well-formed chunks.
func entity(body io.Reader, isChunked bool, raw, plain io.Writer) (malformed bool, err error) {
	if !isChunked {
		_, err := io.Copy(io.MultiWriter(raw, plain), body)
		return false, err
	}
	tee := &failing{r: io.TeeReader(body, raw)}
	br := bufio.NewReader(tee)
	chunks := chunked.NewReader(br)
	_, err = io.Copy(plain, chunks) // its errors are of the chunks, or kept in tee
	rest, _ := br.Peek(1)
	malformed = errors.Is(err, chunked.ErrFraming) || err == nil && len(rest) > 0 || err != nil && chunks.Consumed() == 0
	_, _ = io.Copy(io.Discard, br)
	return malformed, tee.err
}

// failing remembers the error of its reader.
type failing struct {
	r   io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}

// digestsOf computes the block and payload digest of an HTTP message.
func digestsOf(r io.ReaderAt, size int64) (block, payload string, err error) {
	b, p := sha256.New(), sha256.New()
	tee := io.TeeReader(io.NewSectionReader(r, 0, size), b)
	in := newLines(tee)
	head, err := readHTTPHead(in)
	if err != nil {
		return "", "", err
	}
	if _, err := entity(in, head.chunked, io.Discard, p); err != nil {
		return "", "", err
	}
	if !head.complete {
		p = b // it is not known to be HTTP: all of it is payload
	}
	return digestText(b), digestText(p), nil
}
