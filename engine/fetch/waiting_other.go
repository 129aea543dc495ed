//go:build !linux && !darwin && !freebsd

package fetch

import "net"

// waiting reports false: there the watch of idle connections is all there is.
func waiting(net.Conn) bool { return false }
