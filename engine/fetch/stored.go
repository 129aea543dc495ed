package fetch

import (
	"bufio"
	"bytes"
	"fmt"
	"time"
)

// Stored makes an exchange of an answer that was archived: block is what
// Exchange.Response held. It says nothing of the request, the connection and digests.
// The error tells that the block does not begin with a complete header.
func Stored(url string, block []byte, start time.Time) (*Exchange, error) {
	r := bytes.NewReader(block)
	br := bufio.NewReader(r)
	h, err := readHead(br)
	if err != nil {
		return nil, fmt.Errorf("the archived answer of %s: %w", url, err)
	}
	ex := &Exchange{URL: url, Response: bytes.NewReader(block), Size: int64(len(block)), Start: start, Status: h.status, Header: h.header,
		spool: new(spool)}
	ex.HeaderSize = int64(len(block) - r.Len() - br.Buffered())
	ex.framing, ex.length = h.framing()
	return ex, nil
}
