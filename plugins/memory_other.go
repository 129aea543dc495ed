//go:build !unix

package plugins

import "github.com/tetratelabs/wazero/experimental"

// allocator leaves memories to the engine, which keeps them in the Go heap.
func allocator(uint64) experimental.MemoryAllocator { return nil }
