package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// memoryOf returns the resident memory in bytes of a process and all processes below it, pages that
// they share counted once for each.
func memoryOf(pid int) (total int64) {
	children := map[int][]int{}
	resident := map[int]int64{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		// The name in parentheses may contain anything; behind it stand state, parent and 19 fields before the pages.
		fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
		if len(fields) < 22 {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[1]))
		pages, _ := strconv.ParseInt(string(fields[21]), 10, 64)
		children[parent] = append(children[parent], id)
		resident[id] = pages * int64(os.Getpagesize())
	}
	for todo := []int{pid}; len(todo) > 0; todo = todo[1:] {
		total += resident[todo[0]]
		todo = append(todo, children[todo[0]]...)
	}
	return total
}
