package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/awarc/awarc/engine/httpmsg"
)

// Stored makes an exchange of an answer that was archived: block is what
// Exchange.Response held. It has no request, connection and digests.
// It returns an error if the block does not start with a complete header.
func Stored(url string, block []byte, start time.Time) (*Exchange, error) {
	return stored(url, &spool{mem: block, size: int64(len(block))}, start)
}

// Stored is the function Stored for an answer of any length. What Options.MaxMemory does not allow to be kept in memory is in a file until
// Close.
func (c *Client) Stored(url string, block io.Reader, start time.Time) (*Exchange, error) {
	s := &spool{dir: c.opts.SpoolDir, memMax: c.opts.MaxMemory}
	_, err := io.Copy(s, block)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the archived answer of %s: %w", url, err), s.Close())
	}
	ex, err := stored(url, s, start)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return ex, nil
}

func stored(url string, s *spool, start time.Time) (*Exchange, error) {
	ex := &Exchange{URL: url, Start: start, spool: s}
	ex.setBlock(0, s.size)
	from := io.NewSectionReader(s, 0, s.size)
	br := bufio.NewReader(from)
	h, err := httpmsg.ReadArchivedHead(br)
	if err != nil {
		return nil, fmt.Errorf("the archived answer of %s: %w", url, err)
	}
	ex.Status, ex.Header, ex.framing = h.Status, h.Header, h.ArchivedFraming()
	read, _ := from.Seek(0, io.SeekCurrent) // which does not fail
	ex.HeaderSize = read - int64(br.Buffered())
	return ex, nil
}
