//go:build linux || darwin || freebsd

package fetch

import (
	"crypto/tls"
	"net"
	"syscall"
)

// waiting reports whether something is there to be read from an idle connection, be it its end: a read that ends by its deadline does
// not look.
func waiting(c net.Conn) bool {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	plain, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := plain.SyscallConn()
	if err != nil {
		return true // it is closed
	}
	var peekErr error
	err = raw.Control(func(fd uintptr) {
		_, _, peekErr = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	return err != nil || peekErr != syscall.EAGAIN && peekErr != syscall.EINTR
}
