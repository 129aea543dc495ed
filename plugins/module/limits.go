package module

import (
	"fmt"
	"reflect"
)

// Limits bound what a module may declare. All are inclusive. They keep the time
// and memory of verification and compilation in proportion to the file; a field
// that is zero allows none.
type Limits struct {
	FileBytes     int // the whole file
	FunctionBytes int // the body of one function, locals included
	Functions     int // imported and defined
	Imports       int
	Exports       int
	Types         int // function types, and the parameters and results of all together
	Params        int // of one function type
	Results       int // of one function type
	Globals       int
	DataSegments  int
	Elements      int // element segments
	Nesting       int // blocks within blocks in one function
	Locals        int // of one function, without its parameters
	Operands      int // values on the operand stack of one function
	BranchTargets int // of one br_table, without its default
	Blocks        int // of one function: blocks, ifs, elses, conditional branches; a loop counts as four, a bulk operation as two
	Compilation   int // of the module, estimated, in units of about 25 µs of one core: see compilation
	TableEntries  int // of a table, and of all element segments together
	MemoryPages   int // of 64 KiB; also what the memory can grow to
	ManifestBytes int
}

// DefaultLimits are the limits that an operator has not changed.
func DefaultLimits() Limits {
	return Limits{
		FileBytes:     16 << 20,
		FunctionBytes: 128 << 10,
		Functions:     50_000,
		Imports:       1_000,
		Exports:       1_000,
		Types:         32_768,
		Params:        256,
		Results:       64,
		Globals:       4_096,
		DataSegments:  100_000,
		Elements:      10_000,
		Nesting:       2_048,
		Locals:        4_096,
		Operands:      4_096,
		BranchTargets: 8_192,
		Blocks:        4_096,
		Compilation:   1_200_000,
		TableEntries:  65_536,
		MemoryPages:   1_024,
		ManifestBytes: 64 << 10,
	}
}

// MaxLimits are the highest that an operator may ask for.
func MaxLimits() Limits {
	l := DefaultLimits()
	l.FileBytes = 64 << 20
	l.FunctionBytes = 256 << 10
	l.BranchTargets = 65_536
	l.Blocks = 8_192
	l.Compilation *= 4
	l.MemoryPages = 4_096
	return l
}

// compilation estimates what the engine takes to compile a function. It takes 0.7 µs
// a byte for straight code, but its passes are quadratic in the blocks of a
// function: 128 KiB of small loops took 45 seconds.
func compilation(bytes, blocks int) int { return bytes/32 + blocks + blocks*blocks/1024 }

// check refuses limits that an operator may not have.
func (l Limits) check() error {
	have, most := reflect.ValueOf(l), reflect.ValueOf(MaxLimits())
	for i := range have.NumField() {
		if v, m := have.Field(i).Int(), most.Field(i).Int(); v < 0 || v > m {
			name := have.Type().Field(i).Name
			return &Error{Rule: badArguments, Offset: -1, Function: -1,
				What: fmt.Sprintf("the limit %s is %d", name, v), Do: fmt.Sprintf("set it between 0 and %d", m)}
		}
	}
	return nil
}
