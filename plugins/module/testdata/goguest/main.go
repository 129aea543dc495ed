// Guest is a plugin in Go that counts the words of its input: enough of the
// runtime to try the rewriter on.
package main

import (
	"encoding/json"
	"runtime"
	"sort"
	"strings"
	"unsafe"
)

//go:wasmimport awarc input_len
func inputLen() uint32

//go:wasmimport awarc input_read
func inputRead(off uint32, to unsafe.Pointer, n uint32) uint32

//go:wasmimport awarc output_write
func outputWrite(from unsafe.Pointer, n uint32) uint32

//go:wasmexport awarc_abi_1
func abi() {}

//go:wasmexport awarc_score
func score() int32 {
	runtime.Gosched()
	text := make([]byte, inputLen())
	if len(text) == 0 {
		return 1
	}
	inputRead(0, unsafe.Pointer(&text[0]), uint32(len(text)))
	count := map[string]int{}
	for _, w := range strings.Fields(string(text)) {
		count[strings.ToLower(w)]++
	}
	words := make([]string, 0, len(count))
	for w := range count {
		words = append(words, w)
	}
	sort.Strings(words)
	if words[0] == "panic" {
		panic(words)
	}
	out, err := json.Marshal(map[string]any{"words": words, "count": count})
	if err != nil {
		return 2
	}
	outputWrite(unsafe.Pointer(&out[0]), uint32(len(out)))
	return 0
}

func main() {}
