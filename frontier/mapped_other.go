//go:build !linux

package frontier

import bolt "go.etcd.io/bbolt"

const mappedEach = 1 << 10

// trimMapped is of use on Linux only.
func trimMapped(*bolt.DB) {}

func allocate(size int) []byte { return make([]byte, size) }

func freeMemory([]byte) {}
