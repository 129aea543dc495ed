package module

import (
	"fmt"
	"strings"
)

// Rule names what a refused module broke.
type Rule string

// The rules, in the order in which a file meets them.
const (
	Malformed    Rule = "malformed"   // the bytes are not a WebAssembly binary
	OverLimit    Rule = "limit"       // a number is over a field of Limits
	Unsupported  Rule = "unsupported" // WebAssembly, but not what ABI 1 allows
	Invalid      Rule = "invalid"     // the module does not validate
	BadImport    Rule = "import"      // an import that no host of ABI 1 gives
	BadExport    Rule = "export"      // an export that ABI 1 requires is missing or wrong
	BadManifest  Rule = "manifest"    // the section awarc.plugin is missing or wrong
	badArguments Rule = "arguments"   // Limits over their maximum: the operator's mistake, not the module's
)

// Error says why a module was refused.
type Error struct {
	Rule     Rule
	Offset   int // bytes from the start of the file; -1 where no place in the file is at fault
	Section  string
	Function int    // index of the function whose body is at fault, or -1
	What     string // what was found
	Do       string // what the author of the plugin, or the operator, can do
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("plugin refused")
	if e.Offset >= 0 {
		fmt.Fprintf(&b, " at byte %d", e.Offset)
	}
	if e.Section != "" {
		fmt.Fprintf(&b, " (%s section", e.Section)
		if e.Function >= 0 {
			fmt.Fprintf(&b, ", function %d", e.Function)
		}
		b.WriteString(")")
	}
	fmt.Fprintf(&b, ": %s; %s", e.What, e.Do)
	return b.String()
}

// What to do about an error is the same for all errors of these kinds.
const (
	doRebuild   = "the file is damaged or cut: build it again"
	doToolchain = "an error of the compiler: build it with another version"
	doFeatures  = "build for WebAssembly 2.0 without later features"
	doABI       = "see the exports of ABI 1"
)
