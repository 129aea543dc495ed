package moduletest

import (
	"bytes"
	"slices"
)

const wasi = "wasi_snapshot_preview1"

// AtRun are modules that a host has to stop, or whose calls it has to refuse,
// while they run.
func AtRun() []Hostile { return atRun(nil) }

// Lurking are the modules of AtRun and AtOutput that are called with pages, as they get past
// a host that tries them: they have no opinion of a page whose request has less than
// so many bytes, and show themselves on the others.
func Lurking(bytes int) []Hostile {
	small := Code(Call(InputLen), I32Const(bytes), 0x49, If(Void, I32Const(1), Return))
	return slices.DeleteFunc(append(atRun(small), atOutput(small)...), func(h Hostile) bool { return h.When == OnInit })
}

// atRun are the modules of AtRun whose awarc_score begins with the code.
func atRun(before []byte) []Hostile {
	var all []Hostile
	add := func(name string, when Phase, want []Outcome, m Module, code ...any) {
		all = append(all, Hostile{Name: name, File: Plugin(m, Code(before, Code(code...))).Bytes(), When: when, Want: want})
	}
	page := func(name string, want []Outcome, code ...any) { add(name, OnScore, want, Module{}, code...) }
	is := func(o ...Outcome) []Outcome { return o }
	// What a host calls a bad range that a plugin gave it.
	refused := is(Trap, Violation)

	// Loops.
	page("loop", stopped, Forever(), ok)
	page("loop that computes", stopped, Forever(LocalGet(0), I32Const(1), 0x6a, LocalSet(0)), ok)
	page("loop of SIMD", stopped, Forever(LocalGet(0), 0xfd, 17, LocalGet(0), 0xfd, 17, 0xfd, U(181), 0xfd, 83, LocalSet(0)), ok)
	page("loop of calls to the host", stopped, Forever(Call(InputLen), Drop), ok)
	page("loop by br_table", stopped, Loop(Void, LocalGet(0), BrTable(0, 0, 0)), ok)
	page("loop by br_if", stopped, Loop(Void, I32Const(1), BrIf(0)), ok)
	page("loop out of nested blocks", stopped, Loop(Void, Block(Void, I32Const(1), If(Void, Br(2)))), ok)
	page("loop of divisions", stopped, I64Const(1<<62), LocalSet(3),
		Forever(LocalGet(3), I64Const(3), 0x7f, I64Const(1<<62), 0x84, LocalSet(3)), ok)
	page("log flood", stopped, Forever(I32Const(3), I32Const(0), I32Const(1000), Call(Log)), ok)
	page("flood of output_reset", stopped, Forever(I32Const(0), I32Const(1<<16), Call(OutputWrite), Drop, Call(OutputReset)), ok)
	page("flood of error_set", stopped, Forever(I32Const(0), I32Const(1<<16), Call(ErrorSet)), ok)
	page("flood of input_read", stopped, Forever(I32Const(0), I32Const(0), I32Const(1<<16), Call(InputRead), Drop), ok)

	// Calls.
	all = append(all, Hostile{Name: "call tree of 2^40", When: OnScore, Want: stopped, File: callTree(before).Bytes()})
	endless := append(slices.Clone(stopped), Trap)
	self := Score(Module{})
	page("recursion", endless, Call(self))
	add("mutual recursion", OnScore, endless, Module{Funcs: []Func{{Sig: ">i", Code: Call(self)}}}, Call(First(Module{})))
	add("indirect recursion", OnScore, endless, Module{More: []Sig{">i"}, Table: 1, Elem: []int{self}}, I32Const(0), CallIndirect(0))
	add("recursion with big frames", OnScore, endless, Module{Funcs: []Func{bigFrame()}}, I64Const(1), Call(First(Module{})), Drop, ok)
	add("indirect call of a wrong type", OnScore, is(Trap), Module{More: []Sig{">"}, Table: 1, Elem: []int{self}}, I32Const(0),
		CallIndirect(0), ok)
	add("indirect call past the table", OnScore, is(Trap), Module{More: []Sig{">"}, Table: 1}, I32Const(7), CallIndirect(0), ok)
	add("indirect call of nothing", OnScore, is(Trap), Module{More: []Sig{">"}, Table: 1}, I32Const(0), CallIndirect(0), ok)
	add("indirect calls of the host", OnScore, stopped, Module{More: []Sig{">i"}, Table: 1, Elem: []int{InputLen}},
		Forever(I32Const(0), CallIndirect(0), Drop), ok)

	// Memory.
	grown := Code(I32Const(1000), MemoryGrow, Drop) // 65.6 MB, where the limit lets it
	page("memory.grow and touch", stopped, Forever(I32Const(1), MemoryGrow, Drop, 0x3f, 0, I32Const(16), 0x74, I32Const(4), 0x6b,
		I32Const(1), Store(0)), ok)
	page("memory.grow by 2^32-1", is(OK), I32Const(-1), MemoryGrow, I32Const(-1), 0x47)
	add("memory of 65,536 pages at most", OnScore, is(OK), Module{Memory: []int{1, 65_536}}, I32Const(65_535), MemoryGrow, I32Const(-1),
		0x47)
	size := Code(0x3f, 0, I32Const(16), 0x74)
	page("loop of memory.copy of all memory", stopped, grown, Forever(I32Const(0), I32Const(0), size, MemoryCopy), ok)
	page("2,000 memory.fill of all memory in a row", stopped, grown, bytes.Repeat(Code(I32Const(0), I32Const(7), size, MemoryFill), 2000),
		ok)
	page("loop of memory.copy of all memory but a byte, downwards", stopped, grown,
		Forever(I32Const(1), I32Const(0), size, I32Const(1), 0x6b, MemoryCopy), ok)
	page("reading and then writing each page of all memory", stopped, grown, Forever(
		Loop(Void, LocalGet(0), Load(0), Drop, LocalGet(0), I32Const(4096), 0x6a, LocalTee(0), size, 0x49, BrIf(0)), I32Const(0),
		LocalSet(0),
		Loop(Void, LocalGet(0), I32Const(1), Store(0), LocalGet(0), I32Const(4096), 0x6a, LocalTee(0), size, 0x49, BrIf(0)), I32Const(0),
		LocalSet(0)), ok)
	add("loop of memory.init", OnScore, stopped, Module{Passive: [][]byte{make([]byte, 1<<16)}},
		Forever(I32Const(0), I32Const(0), I32Const(1<<16), MemoryInit), ok)
	add("loop of table.copy", OnScore, stopped, Module{Table: 60_000}, Forever(I32Const(0), I32Const(0), I32Const(60_000), 0xfc, 14, 0, 0),
		ok)
	add("loop of table.fill", OnScore, stopped, Module{Table: 60_000}, Forever(I32Const(0), 0xd0, FuncRef, I32Const(60_000), 0xfc, 17, 0),
		ok)
	page("load past the memory", is(Trap), I32Const(1<<16-3), Load(0))
	page("load at 2^33", is(Trap), I32Const(-1), Load(1<<32-1))
	page("memory.fill past the memory", is(Trap), I32Const(1), I32Const(0), I32Const(-1), MemoryFill, ok)

	// Traps of arithmetic.
	page("unreachable", is(Trap), Unreachable)
	page("division by zero", is(Trap), I32Const(1), I32Const(0), 0x6d)
	page("division overflow", is(Trap), I32Const(-1<<31), I32Const(-1), 0x6d)
	page("truncation of NaN", is(Trap), 0x43, []byte{0, 0, 0xc0, 0x7f}, 0xa8)
	page("truncation overflow", is(Trap), 0x43, []byte{0, 0, 0x80, 0x7f}, 0xa8)

	// WASI.
	exit := func(code int) (Module, []byte) {
		m := Module{Imports: []Import{{wasi, "proc_exit", "i>"}}}
		return m, Code(I32Const(code), Call(len(ABI)), ok)
	}
	for _, n := range []int{0, 1} {
		m, code := exit(n)
		add([]string{"proc_exit 0", "proc_exit 1"}[n], OnScore, is(Exit), m, code)
		m.Funcs = []Func{{Sig: ">", Export: "_initialize", Code: Code(I32Const(n), Call(len(ABI)))}}
		add([]string{"proc_exit 0 in _initialize", "proc_exit 1 in _initialize"}[n], OnInit, is(Exit), m, ok)
	}
	// 6e9 ns on the monotonic clock
	six := slices.Concat(make([]byte, 16), []byte{1, 0, 0, 0, 0, 0, 0, 0}, []byte{0, 0xbc, 0xa0, 0x65, 1, 0, 0, 0}, make([]byte, 16))
	add("sleep of 6 s", OnScore, is(OK, Trap), Module{Imports: []Import{{wasi, "poll_oneoff", "iiii>i"}}, Data: []Data{{1024, six}}},
		I32Const(1024), I32Const(2048), I32Const(1), I32Const(4096), Call(len(ABI)), Drop, ok)
	add("sleeping for ever", OnScore, stopped, Module{Imports: []Import{{wasi, "poll_oneoff", "iiii>i"}}, Data: []Data{{1024, six}}},
		Forever(I32Const(1024), I32Const(2048), I32Const(1), I32Const(4096), Call(len(ABI)), Drop), ok)
	add("poll_oneoff of 2^32-1 subscriptions", OnScore, is(OK, Trap), Module{Imports: []Import{{wasi, "poll_oneoff", "iiii>i"}}},
		I32Const(0), I32Const(0), I32Const(-1), I32Const(64), Call(len(ABI)), Drop, ok)
	add("waiting for the clock", OnScore, stopped, Module{Imports: []Import{{wasi, "clock_time_get", "iIi>i"}}},
		I32Const(1), I64Const(1), I32Const(64), Call(len(ABI)), Drop, I32Const(64), 0x29, 3, 0, I64Const(3_600_000_000_000), 0x7c,
		LocalSet(3),
		Loop(Void, I32Const(1), I64Const(1), I32Const(64), Call(len(ABI)), Drop, I32Const(64), 0x29, 3, 0, LocalGet(3), 0x54, BrIf(0)), ok)
	add("random flood", OnScore, stopped, Module{Imports: []Import{{wasi, "random_get", "ii>i"}}},
		Forever(I32Const(0), I32Const(1<<16), Call(len(ABI)), Drop), ok)
	add("random_get of all memory", OnScore, stopped, Module{Imports: []Import{{wasi, "random_get", "ii>i"}}}, grown,
		Forever(I32Const(0), size, Call(len(ABI)), Drop), ok)
	add("random_get of 4 GiB", OnScore, is(OK, Trap), Module{Imports: []Import{{wasi, "random_get", "ii>i"}}}, I32Const(0), I32Const(-1),
		Call(len(ABI)), Drop, ok)
	iovec := Module{Imports: []Import{{wasi, "fd_write", "iiii>i"}}, Data: []Data{{64, []byte{0, 0, 0, 0, 0, 1, 0, 0}}}}
	add("fd_write flood", OnScore, stopped, iovec, Forever(I32Const(1), I32Const(64), I32Const(1), I32Const(128), Call(len(ABI)), Drop), ok)
	add("fd_write of 2^31 vectors", OnScore, is(OK, Trap), iovec, I32Const(1), I32Const(64), I32Const(-1<<31), I32Const(128),
		Call(len(ABI)), Drop, ok)
	iovec.Data = []Data{{64, []byte{0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}}
	add("fd_write of a vector that lies", OnScore, is(OK, Trap), iovec, I32Const(1), I32Const(64), I32Const(1), I32Const(128),
		Call(len(ABI)), Drop, ok)
	add("fd_write with vectors past the memory", OnScore, is(OK, Trap), iovec, I32Const(1), I32Const(-4), I32Const(1), I32Const(128),
		Call(len(ABI)), Drop, ok)
	add("fd_read of standard input", OnScore, is(OK), Module{Imports: []Import{{wasi, "fd_read", "iiii>i"}}}, I32Const(0), I32Const(64),
		I32Const(1), I32Const(128), Call(len(ABI)), Drop, ok)
	add("abort of AssemblyScript", OnScore, is(Trap), Module{Imports: []Import{{"env", "abort", "iiii>"}}}, I32Const(-1), I32Const(-1),
		I32Const(1), I32Const(1), Call(len(ABI)), ok)

	// Calls of the ABI with lies.
	write := func(ptr, n int) []byte { return Code(I32Const(ptr), I32Const(n), Call(OutputWrite), Drop) }
	lie := append(slices.Clone(refused), OutputLimit)
	page("output past the memory", lie, write(1<<16-1, 2), ok)
	page("output that wraps", lie, write(-1, 2), ok)
	page("output of 4 GiB", lie, write(0, -1), ok)
	page("output of nothing past the memory", append(slices.Clone(lie), OK), write(1<<16+1, 0), ok)
	page("endless output", is(OutputLimit), Forever(write(0, 1<<16)), ok)
	page("endless output, a byte at a time", append(slices.Clone(stopped), OutputLimit), Forever(write(0, 1)), ok)
	read := func(off, ptr, n int) []byte {
		return Code(I32Const(off), I32Const(ptr), I32Const(n), Call(InputRead))
	}
	page("input past its end", is(OK), read(1<<30, 0, 100))
	page("input at an offset that wraps", is(OK), read(-1, 0, -1))
	page("input past the memory", refused, read(0, 1<<16-1, -1), Drop, ok)
	page("input to an address that wraps", refused, read(0, -1, -1), Drop, ok)
	page("error_set of 4 GiB", refused, I32Const(0), I32Const(-1), Call(ErrorSet), ok)
	page("log past the memory", refused, I32Const(1), I32Const(1<<16-1), I32Const(100), Call(Log), ok)
	page("log of an unknown level", append(slices.Clone(refused), OK), I32Const(-1), I32Const(0), I32Const(1), Call(Log), ok)
	page("output and then a trap", is(Trap), write(0, 5), Unreachable)
	page("status 7", is(Violation), I32Const(7))
	page("negative status", is(Violation), I32Const(-1))
	// Poisons its memory and traps: a second call of the same instance would end well.
	page("trap that the next call remembers", is(Trap), I32Const(64), Load(0), If(Void, I32Const(0), Return), I32Const(64), I32Const(1),
		Store(0), Unreachable)

	// The beginning.
	first := First(Module{})
	starting := func(name string, want []Outcome, code ...any) {
		add(name+" in the start function", OnInit, want, Module{Funcs: []Func{{Sig: ">", Code: Code(code...)}}, Start: first}, ok)
		add(name+" in _initialize", OnInit, want, Module{Funcs: []Func{{Sig: ">", Code: Code(code...), Export: "_initialize"}}}, ok)
	}
	starting("loop", stopped, Forever())
	starting("trap", is(Trap), Unreachable)
	// What is written before the first call belongs to no answer, and there is nothing to read.
	starting("output", is(OK), write(0, 100))
	starting("input", is(OK), Call(InputLen), If(Void, Unreachable), read(0, 0, 100), If(Void, Unreachable))
	add("data past the memory", OnInit, is(Trap), Module{Data: []Data{{1<<16 - 1, []byte("ab")}}}, ok)
	add("elements past the table", OnInit, is(Trap, OK), // wazero leaves such a segment out
		Module{Table: 1, Elem: []int{self, self}}, ok)
	add("loop in awarc_configure", OnInit, stopped,
		Module{Funcs: []Func{{Sig: ">i", Export: "awarc_configure", Code: Code(Forever(), ok)}}}, ok)
	add("output in awarc_configure", OnInit, is(OK),
		Module{Funcs: []Func{{Sig: ">i", Export: "awarc_configure", Code: Code(write(0, 100), ok)}}}, ok)
	add("input past its end in awarc_configure", OnInit, is(OK),
		Module{Funcs: []Func{{Sig: ">i", Export: "awarc_configure",
			Code: Code(Call(InputLen), I32Const(0), I32Const(100), Call(InputRead), If(Void, Unreachable), read(-1, 0, -1))}}}, ok)
	add("status 7 of awarc_configure", OnInit, is(Violation),
		Module{Funcs: []Func{{Sig: ">i", Export: "awarc_configure", Code: I32Const(7)}}}, ok)
	return all
}

// callTree is forty functions each of which calls the next one twice.
func callTree(before []byte) Module {
	var m Module
	const depth = 40
	for i := range depth {
		next := First(Module{}) + i + 1
		f := Func{Sig: ">"}
		if i < depth-1 {
			f.Code = Code(Call(next), Call(next))
		}
		m.Funcs = append(m.Funcs, f)
	}
	return Plugin(m, Code(before, Call(First(Module{})), ok))
}

// bigFrame calls itself with a thousand values that it needs afterwards.
func bigFrame() Func {
	f := Func{Sig: "I>I"}
	const values = 1000
	var after []byte
	for i := range values {
		f.Locals += "I"
		f.Code = append(f.Code, Code(LocalGet(i), I64Const(int64(2*i+3)), 0x7e, LocalSet(i+1))...)
		after = append(after, Code(LocalGet(i+1), 0x7c)...)
	}
	f.Code = append(f.Code, Code(LocalGet(values), Call(First(Module{})), after)...)
	return f
}
