package plugins

import (
	"context"
	"fmt"
	"unicode/utf16"

	"github.com/tetratelabs/wazero/api"
)

// hostFunc is an import of a guest. Parameters are on the stack, and the result
// replaces the first of them.
type hostFunc func(in *instance, mem api.Memory, stack []uint64)

// goFunction makes an import callable for the engine.
func (f hostFunc) goFunction() api.GoModuleFunction {
	return api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
		f(ctx.Value(instanceKey{}).(*instance), mod.Memory(), stack)
	})
}

// awarcImports is the module awarc of ABI 1.
var awarcImports = map[string]hostFunc{
	"refuel":    func(in *instance, _ api.Memory, stack []uint64) { stack[0] = uint64(in.refuel()) },
	"input_len": func(in *instance, _ api.Memory, stack []uint64) { stack[0] = uint64(len(in.call.input)) },
	"input_read": func(in *instance, mem api.Memory, stack []uint64) {
		off, ptr, n := uint32(stack[0]), uint32(stack[1]), uint64(uint32(stack[2]))
		input := in.call.input
		if uint64(off) >= uint64(len(input)) {
			stack[0] = 0
			return
		}
		input = input[off:]
		input = input[:min(n, uint64(len(input)))]
		in.spend(uint64(len(input)))
		copy(view(mem, "input_read", ptr, uint32(len(input))), input)
		stack[0] = uint64(len(input))
	},
	"output_write": func(in *instance, mem api.Memory, stack []uint64) {
		ptr, n := uint32(stack[0]), uint32(stack[1])
		if most := in.g.limits.OutputBytes; uint64(len(in.call.output))+uint64(n) > uint64(most) {
			panic(&stop{kind: KindOutput, message: fmt.Sprintf("wrote more than %d bytes", most)})
		}
		in.spend(uint64(n))
		in.call.output = append(in.call.output, view(mem, "output_write", ptr, n)...)
		stack[0] = 0
	},
	"output_reset": func(in *instance, _ api.Memory, _ []uint64) { in.call.output = in.call.output[:0] },
	"error_set": func(in *instance, mem api.Memory, stack []uint64) {
		b := view(mem, "error_set", uint32(stack[0]), uint32(stack[1]))
		b = b[:min(len(b), in.g.limits.ErrorBytes)]
		in.spend(uint64(len(b)))
		in.call.message = append(in.call.message[:0], b...)
	},
	"log": func(in *instance, mem api.Memory, stack []uint64) {
		b := view(mem, "log", uint32(stack[1]), uint32(stack[2]))
		in.log(Level(int32(stack[0])), b)
	},
	"log_enabled": func(in *instance, _ api.Memory, stack []uint64) {
		stack[0] = 0
		if in.logs() {
			stack[0] = 1
		}
	},
}

// view is a range of the guest's memory, valid until the function of the host
// returns.
func view(mem api.Memory, name string, ptr, n uint32) []byte {
	b, ok := mem.Read(ptr, n)
	if !ok {
		panic(&stop{kind: KindABI, message: fmt.Sprintf("%s of %d bytes at %d, outside its memory of %d", name, n, ptr, mem.Size())})
	}
	return b
}

// logs reports whether a line would be kept.
func (in *instance) logs() bool {
	c := &in.call
	return in.g.events.Log != nil && !c.quiet && c.logged+len(c.held) < in.g.limits.LogLines
}

// log passes a line on. What is over the quota is counted.
func (in *instance) log(level Level, line []byte) {
	if in.call.quiet {
		return
	}
	if !in.logs() {
		in.call.dropped++
		return
	}
	in.call.logged++
	most := in.g.limits.LogBytes
	in.spend(uint64(min(len(line), most)))
	in.g.events.Log(in.g.identity, min(max(level, LevelDebug), LevelError), printable(string(line[:min(len(line), most)]), most))
}

// abort is env.abort, which AssemblyScript calls where an assertion fails. Message and
// file are UTF-16, with their length in bytes before them.
func abort(in *instance, mem api.Memory, stack []uint64) {
	text := func(ptr uint32) string {
		const most = 1 << 10
		n, ok := mem.ReadUint32Le(ptr - 4)
		if ptr < 4 || !ok {
			return ""
		}
		b, ok := mem.Read(ptr, min(n, most)&^1)
		if !ok {
			return ""
		}
		units := make([]uint16, len(b)/2)
		for i := range units {
			units[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
		}
		return printable(string(utf16.Decode(units)), most)
	}
	panic(&stop{kind: KindTrap, message: fmt.Sprintf("abort: %s at %s:%d:%d", text(uint32(stack[0])), text(uint32(stack[1])),
		uint32(stack[2]), uint32(stack[3]))})
}
