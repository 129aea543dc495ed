//go:build !wasip1

package sdk

import "sync"

// Call is a call of an export in a native process, with what the sandbox's imports
// would have kept.
type Call struct {
	Status  Status
	Output  []byte
	Message string
	Logs    []string
}

// native is the host of a native process: plugintest runs handlers through it.
var native struct {
	sync.Mutex // held during a call; an instance works on one page at a time
	input      []byte
	call       *Call
}

// Native runs the handler of an export with the request as its input. A plugin
// does not need it; package plugintest does.
func Native(handler func() Status, request []byte) Call {
	native.Lock()
	defer native.Unlock()
	var c Call
	native.input, native.call = request, &c
	c.Status = handler()
	return c
}

// NativeConfigure configures the plugin of a native process.
func NativeConfigure(request []byte) Call { return Native(configure, request) }

func inputLen() int { return len(native.input) }

func readInput([]byte) string { return string(native.input) }

func outputWrite(b []byte) { native.call.Output = append(native.call.Output, b...) }

func outputReset() { native.call.Output = nil }

func errorSet(s string) { native.call.Message = s }

func logLine(_ Level, line []byte) {
	if native.call != nil {
		native.call.Logs = append(native.call.Logs, string(line))
	}
}

// LogEnabled reports whether the host keeps lines of this level.
func LogEnabled(Level) bool { return true }
