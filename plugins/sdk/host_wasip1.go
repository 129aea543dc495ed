package sdk

import "unsafe"

//go:wasmimport awarc input_len
func hostInputLen() uint32

//go:wasmimport awarc input_read
func hostInputRead(off uint32, to unsafe.Pointer, n uint32) uint32

//go:wasmimport awarc output_write
func hostOutputWrite(from unsafe.Pointer, n uint32) int32

//go:wasmimport awarc output_reset
func hostOutputReset()

//go:wasmimport awarc error_set
func hostErrorSet(from unsafe.Pointer, n uint32)

//go:wasmimport awarc log
func hostLog(level int32, from unsafe.Pointer, n uint32)

//go:wasmimport awarc log_enabled
func hostLogEnabled(level int32) int32

//go:wasmexport awarc_abi_1
func marker() {}

//go:wasmexport awarc_configure
func exportConfigure() int32 { return configure() }

func inputLen() int { return int(hostInputLen()) }

// readInput reads the whole input into b, or into a new buffer where b is nil.
func readInput(b []byte) string {
	n := hostInputLen()
	if n == 0 {
		return ""
	}
	if b == nil {
		b = make([]byte, n)
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	n = hostInputRead(0, p, n)
	return unsafe.String((*byte)(p), n)
}

func outputWrite(b []byte) {
	if len(b) > 0 {
		hostOutputWrite(unsafe.Pointer(unsafe.SliceData(b)), uint32(len(b)))
	}
}

func outputReset() { hostOutputReset() }

func errorSet(s string) { hostErrorSet(unsafe.Pointer(unsafe.StringData(s)), uint32(len(s))) }

func logLine(level Level, line []byte) {
	hostLog(int32(level), unsafe.Pointer(unsafe.SliceData(line)), uint32(len(line)))
}

// LogEnabled reports whether the host keeps lines of this level.
func LogEnabled(level Level) bool { return hostLogEnabled(int32(level)) != 0 }
