//go:build !linux && !darwin && !freebsd

package frontier

// freeSpace is not known on this system: a full disk shows when a commit fails.
func freeSpace(string) (free int64, known bool) { return 0, false }
