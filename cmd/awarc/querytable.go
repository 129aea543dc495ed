package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/awarc/awarc/engine/graph"
)

// printResults prints what a query gave for a person: solutions as a table, triples as they are.
func printResults(w io.Writer, r io.Reader) error {
	out := bufio.NewWriter(w)
	in := bufio.NewReader(r)
	first, err := in.Peek(1)
	switch {
	case err == io.EOF:
		return nil // no triples
	case err != nil:
		return err
	case first[0] != '{':
		_, err = io.Copy(out, in)
	default:
		err = printSolutions(out, json.NewDecoder(in))
	}
	if err == nil {
		err = out.Flush()
	}
	return err
}

// binding is a term of the W3C's JSON.
type binding struct {
	Type, Value string
}

// printSolutions reads the W3C's JSON as it comes.
func printSolutions(out io.Writer, in *json.Decoder) error {
	t := table{out: out}
	for {
		token, err := in.Token()
		if err == io.EOF {
			return t.flush()
		}
		if err != nil {
			return err
		}
		switch token {
		case "boolean":
			var answer bool
			err = in.Decode(&answer)
			fmt.Fprintln(out, answer)
		case "vars":
			if err = in.Decode(&t.names); err == nil {
				t.add(t.names)
			}
		case "bindings":
			err = t.rows(in)
		}
		if err != nil {
			return err
		}
	}
}

// rows reads solutions.
func (t *table) rows(in *json.Decoder) error {
	if _, err := in.Token(); err != nil { // the bracket
		return err
	}
	for in.More() {
		var row map[string]binding
		if err := in.Decode(&row); err != nil {
			return err
		}
		cells := make([]string, len(t.names))
		for i, name := range t.names {
			cells[i] = cell(row[name])
		}
		t.add(cells)
	}
	_, err := in.Token()
	return err
}

// cellWidth is after how many columns a cell is cut: what was asked for whole is in the other formats.
const cellWidth = 60

// cell shows a term on one line.
func cell(b binding) string {
	switch b.Type {
	case "uri":
		return cut(graph.Prefixed(b.Value))
	case "bnode":
		return cut("_:" + b.Value)
	}
	return cut(strings.Join(strings.Fields(printable(b.Value)), " "))
}

// cut cuts a text to the width of a cell.
func cut(text string) string {
	used := 0
	for at, r := range text {
		if used += columnsOf(r); used > cellWidth {
			return text[:at] + "…"
		}
	}
	return text
}

// columnsOf is how many columns of a terminal a character takes.
func columnsOf(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	if unicode.Is(unicode.Mn, r) {
		return 0
	}
	return 1
}

func columnsIn(text string) (n int) {
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}

// measuredRows is how many rows the widths of columns are taken from; further ones are printed as they come.
const measuredRows = 1000

// table prints rows in columns.
type table struct {
	out    io.Writer
	names  []string
	waits  [][]string
	widths []int
}

func (t *table) add(cells []string) {
	if t.widths != nil {
		t.print(cells)
		return
	}
	if t.waits = append(t.waits, slices.Clone(cells)); len(t.waits) > measuredRows {
		t.measure()
	}
}

// measure prints the rows that waited.
func (t *table) measure() {
	t.widths = make([]int, len(t.names))
	for _, row := range t.waits {
		for i, c := range row {
			t.widths[i] = max(t.widths[i], columnsIn(c))
		}
	}
	for _, row := range t.waits {
		t.print(row)
	}
	t.waits = nil
}

func (t *table) print(cells []string) {
	var line strings.Builder
	for i, c := range cells {
		if i > 0 {
			line.WriteString("  ")
		}
		line.WriteString(c)
		line.WriteString(strings.Repeat(" ", max(0, t.widths[i]-columnsIn(c))))
	}
	fmt.Fprintln(t.out, strings.TrimRight(line.String(), " "))
}

func (t *table) flush() error {
	if t.widths == nil && len(t.waits) > 0 {
		t.measure()
	}
	return nil
}
