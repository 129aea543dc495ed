//go:build linux || darwin || freebsd

package frontier

import "syscall"

// freeSpace returns how many bytes of a folder's disk this process may still use.
func freeSpace(dir string) (free int64, known bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
