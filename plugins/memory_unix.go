//go:build unix

package plugins

import (
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// linearMemory is an instance's memory outside the Go heap: the address space for
// its maximum is reserved once, pages exist when they are touched, and all is given
// back at once. In the Go heap an instance would weigh its maximum for the
// collector's pace, and growing would copy.
type linearMemory struct{ mapped []byte }

func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.mapped)) {
		return nil
	}
	return m.mapped[:size:size]
}

func (m *linearMemory) Free() {
	if m.mapped != nil {
		_ = syscall.Munmap(m.mapped) // the arguments are those of Mmap
		m.mapped = nil
	}
}

// allocator makes memories of at most limit bytes.
func allocator(limit uint64) experimental.MemoryAllocator {
	return experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
		size := max(min(most, limit), 1)
		mapped, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			panic(&stop{kind: KindMemory, message: "no address space for the instance's memory", cause: err})
		}
		return &linearMemory{mapped}
	})
}
