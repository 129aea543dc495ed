package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/awarc/awarc/engine/httpmsg"
)

const (
	// maxHeader bounds the header of an answer, interim answers included, in bytes.
	maxHeader = 256 << 10
	// maxInterim bounds the number of 1xx answers before the final one.
	maxInterim = 16
)

var (
	errHeaderTooLong = fmt.Errorf("header of more than %d bytes", maxHeader)
	errBodyTooLong   = errors.New("body longer than MaxBody")
	errInterim       = fmt.Errorf("more than %d interim answers", maxInterim)
)

// tap is the reading side of a connection. During an exchange it records what it reads and
// sets the deadline of each read; between exchanges (spool nil) it only reads.
type tap struct {
	conn     net.Conn
	spool    *spool
	n        int64         // bytes recorded in this exchange
	inBody   bool          // the header is complete
	headerBy time.Time     // deadline of the header
	end      time.Time     // deadline of the exchange
	silence  time.Duration // longest wait for the next byte of the body
	floor    floor
	received *atomic.Int64 // of this exchange, as it comes
}

func (t *tap) Read(p []byte) (int, error) {
	if t.spool == nil {
		return t.conn.Read(p)
	}
	deadline := t.headerBy
	if t.inBody {
		deadline = time.Now().Add(t.silence)
	} else {
		if t.n >= maxHeader {
			return 0, errHeaderTooLong
		}
		p = p[:min(int64(len(p)), maxHeader-t.n)]
	}
	if deadline.After(t.end) {
		deadline = t.end
	}
	start := time.Now()
	if left, bounded := t.floor.left(); bounded && start.Add(left).Before(deadline) {
		deadline = start.Add(left)
	}
	if err := t.conn.SetReadDeadline(deadline); err != nil {
		return 0, err
	}
	n, err := t.conn.Read(p)
	t.floor.got(n, time.Since(start))
	if errors.Is(err, os.ErrDeadlineExceeded) && t.floor.slow() {
		err = errTooSlow
	}
	t.n += int64(n)
	t.received.Add(int64(n))
	if _, werr := t.spool.Write(p[:n]); werr != nil {
		return 0, werr // with n the reader would hand on the bytes and might never come back for the error
	}
	return n, err
}

// keepsAlive reports whether the server offers another exchange on the connection.
func keepsAlive(h *httpmsg.Head) bool {
	if httpguts.HeaderValuesContainsToken(h.Header["Connection"], "close") || h.Status < 200 {
		return false
	}
	return h.HTTP11 || httpguts.HeaderValuesContainsToken(h.Header["Connection"], "keep-alive")
}

// limited hands on at most n bytes of br and then fails, unless br ends there.
type limited struct {
	br   *bufio.Reader
	n    int64 // bytes left
	read int64 // bytes handed on
}

func (l *limited) Read(p []byte) (int, error) {
	if l.n == 0 {
		if _, err := l.br.Peek(1); err != nil {
			return 0, err
		}
		return 0, errBodyTooLong
	}
	n, err := l.br.Read(p[:min(int64(len(p)), l.n)])
	l.n -= int64(n)
	l.read += int64(n)
	return n, err
}
