//go:build !linux

package frontier

import bolt "go.etcd.io/bbolt"

// mapped is of use on Linux only.
type mapped struct{}

func (*mapped) trim(*bolt.Tx) {}

func allocate(size int) []byte { return make([]byte, size) }

func freeMemory([]byte) {}
