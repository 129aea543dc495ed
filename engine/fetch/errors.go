package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// Kind says what went wrong in the terms that decide what to do next.
type Kind string

// The kinds of failure. Those marked "again" may pass; a later try is sensible.
const (
	// KindBlocked: the client will not send this request: another scheme than
	// http and https, no host, a malformed URL or header.
	KindBlocked Kind = "blocked"
	// KindPrivate: the host is at an address that Options.Guard refuses. Nothing was sent.
	KindPrivate Kind = "private_address"
	// KindDNS: the host name has no address (again: name servers fail too).
	KindDNS Kind = "dns"
	// KindRefused: the host answers, but nothing listens at the port (again).
	KindRefused Kind = "refused"
	// KindUnreachable: no route to the host or its network (again).
	KindUnreachable Kind = "unreachable"
	// KindTimeout: connecting took longer than Options.DialTimeout, or the header of the
	// answer was not complete within Options.HeaderTimeout (again).
	KindTimeout Kind = "timeout"
	// KindSlow: the header of the answer came slower than Options.SpeedLimit (again).
	KindSlow Kind = "too_slow"
	// KindTLS: the handshake failed, or the certificate is bad and Options.VerifyTLS is set.
	KindTLS Kind = "tls"
	// KindReset: the connection ended before a complete header (again).
	KindReset Kind = "reset"
	// KindProtocol: the answer is not HTTP, or its header is larger than 256 KiB. The bytes are kept.
	KindProtocol Kind = "protocol"
	// KindProxy: the proxy refused or could not be spoken to (again).
	KindProxy Kind = "proxy"
	// KindSpool: the bytes could not be written to or read from Options.SpoolDir, or the memory of a Guard not be written; the cause
	// (for example ENOSPC) is reachable with errors.Is.
	KindSpool Kind = "spool"
	// KindCanceled: the context ended; nothing is known about the server.
	KindCanceled Kind = "canceled"
	// KindOther: none of the above (again).
	KindOther Kind = "other"
)

// Error is the error of [Client.Do] and of the methods of [Exchange]. Op is the step that
// failed (parse, lookup, dial, handshake, proxy, write, header, spool, decode), URL is the
// requested one, Err the cause.
type Error struct {
	Op   string
	URL  string
	Kind Kind
	Err  error
}

// Error names the step, the URL, the kind and the cause.
func (e *Error) Error() string {
	return fmt.Sprintf("fetch %s: %s: %s: %v", e.URL, e.Op, e.Kind, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// opError is an error that knows in which step it arose; Do turns it into an *Error.
type opError struct {
	op   string
	kind Kind // "" = to be found from the cause
	err  error
}

func (e *opError) Error() string { return e.op + ": " + e.err.Error() }
func (e *opError) Unwrap() error { return e.err }

// newError makes the typed error of url from err. A context that ended outranks every
// other cause, because closing the connection under a read makes all of them possible.
func newError(ctx context.Context, url string, err error) *Error {
	e := &Error{Op: "exchange", URL: url, Err: err}
	var oe *opError
	if errors.As(err, &oe) {
		e.Op, e.Kind, e.Err = oe.op, oe.kind, oe.err
	}
	if cause := ctx.Err(); cause != nil {
		e.Kind, e.Err = KindCanceled, cause
	}
	if e.Kind == "" {
		e.Kind = kindOf(e.Err)
	}
	return e
}

// kindOf classifies a cause that no step has classified yet.
func kindOf(err error) Kind {
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var cert *tls.CertificateVerificationError
	var invalid x509.CertificateInvalidError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return KindDNS
	case errors.As(err, &record), errors.As(err, &alert), errors.As(err, &cert), errors.As(err, &invalid):
		return KindTLS
	case errors.Is(err, syscall.ECONNREFUSED):
		return KindRefused
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EADDRNOTAVAIL):
		return KindUnreachable
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return KindTimeout
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return KindReset
	}
	return KindOther
}
