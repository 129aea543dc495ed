package archive

import (
	"bufio"
	"bytes"
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
	if algorithmOf(algorithm) != "sha256" {
		return digest
	}
	if sum := decodeDigest(text, sha256.Size); sum != nil {
		return "sha256:" + hex.EncodeToString(sum)
	}
	return digest
}

// labelled is a digest to be compared with what a header says.
type labelled struct {
	hash.Hash
	algorithm, want string // before and after the colon
	sum             []byte // that want stands for
}

// digestHashes are the algorithms of digests, by their names in lower case without hyphens.
var digestHashes = map[string]func() hash.Hash{
	"sha256": sha256.New, "sha1": sha1.New, "sha512": sha512.New, "sha384": sha512.New384, "md5": md5.New,
}

// algorithmOf is the name of an algorithm as digestHashes has it.
func algorithmOf(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "")
}

// parseDigest returns nil for a text that is not a digest of a known algorithm: it cannot be
// checked.
func parseDigest(text string) *labelled {
	algorithm, want, _ := strings.Cut(unquoted(text), ":")
	newHash := digestHashes[algorithmOf(algorithm)]
	if newHash == nil {
		return nil
	}
	h := newHash()
	sum := decodeDigest(want, h.Size())
	if sum == nil {
		return nil
	}
	return &labelled{h, algorithm, want, sum}
}

// unquoted is a digest without what some writers put around it.
func unquoted(text string) string { return strings.Trim(text, " \t\"<>") }

// digestBase64 are the spellings of base64 in use.
var digestBase64 = []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding}

// decodeDigest reads a digest of so many bytes in base16, base32 or base64, in any case and with
// or without padding, which the length of the text tells apart; nil where it is none of these.
func decodeDigest(text string, size int) []byte {
	text = strings.TrimRight(strings.TrimSpace(text), "=")
	coding := base32.StdEncoding.WithPadding(base32.NoPadding)
	var sum []byte
	err := error(base64.CorruptInputError(0))
	switch len(text) {
	case hex.EncodedLen(size):
		sum, err = hex.DecodeString(text)
	case coding.EncodedLen(size):
		sum, err = coding.DecodeString(strings.ToUpper(text))
	case base64.RawStdEncoding.EncodedLen(size):
		for _, c := range digestBase64 {
			if sum, err = c.DecodeString(text); err == nil {
				break
			}
		}
	}
	if err != nil || len(sum) != size { // decoders skip line breaks
		return nil
	}
	return sum
}

// matches reports whether the hash is that of the text.
func (l *labelled) matches() bool { return bytes.Equal(l.sum, l.Sum(nil)) }

// mismatch says what the digest of a part of a record is, and what it should be.
func (l *labelled) mismatch(part string) error {
	return fmt.Errorf("the %s has the digest %s:%x, but its header states %s: it was changed after archiving, or the header "+
		"is wrong; restore the file from a copy", part, l.algorithm, l.Sum(nil), l.want)
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
