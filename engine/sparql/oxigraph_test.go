package sparql

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/quads"
)

var question = regexp.MustCompile(`(?ms)^# (.*?)$\n(.*?)(?:\n\n|\z)`)

// answer is what oxigraph.py prints of a question.
type answer struct {
	Time    float64
	Results string
}

// TestOxigraph asks twenty questions of the crawls that AWARC_GRAPHS names, and oxigraph, as PyPI has it, the same: results are equal. It
// prints the times of both. AWARC_PYTHON is a Python with pyoxigraph. AWARC_COPIES multiplies the crawls; then questions are left out that
// join all pairs of things within a copy.
func TestOxigraph(t *testing.T) {
	names, python := os.Getenv("AWARC_GRAPHS"), os.Getenv("AWARC_PYTHON")
	if names == "" || python == "" {
		t.Skip("AWARC_GRAPHS names no crawls, or AWARC_PYTHON no Python with pyoxigraph")
	}
	const rounds = 3
	text, err := os.ReadFile("testdata/questions.rq")
	if err != nil {
		t.Fatal(err)
	}
	files, err := quads.Files(filepath.SplitList(names)...)
	if err != nil {
		t.Fatal(err)
	}
	copies, err := strconv.Atoi(cmp.Or(os.Getenv("AWARC_COPIES"), "1"))
	if err != nil {
		t.Fatal(err)
	}
	if copies > 1 {
		files = multiplied(t, files, copies)
	}
	began := time.Now()
	name := filepath.Join(t.TempDir(), "index.db")
	built, err := quads.Build(t.Context(), name, files, quads.Options{})
	if err != nil {
		t.Fatal(err)
	}
	loaded := time.Since(began).Seconds()
	r, err := quads.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var titles, questions []string
	for _, m := range question.FindAllStringSubmatch(string(text), -1) {
		if copies == 1 || !slices.Contains(ofPairs, m[1]) {
			titles, questions = append(titles, m[1]), append(questions, m[2])
		}
	}
	if copies == 1 && len(questions) != 20 {
		t.Errorf("%d questions", len(questions))
	}
	var head struct {
		Version string
		Load    float64
		Quads   int64
	}
	answers := askOxigraph(t, python, questions, rounds, files, &head)
	if head.Quads != built.Quads {
		t.Errorf("%d quads, oxigraph has %d", built.Quads, head.Quads)
	}
	fmt.Printf("%d quads, pyoxigraph %s, %s; load %.2f s, oxigraph %.2f s; %d bytes\n\n", built.Quads, head.Version, runtime.Version(),
		loaded, head.Load, built.Bytes)
	fmt.Print("| question | rows | awarc, ms | oxigraph, ms | ratio |\n|---|---|---|---|---|\n")
	for i, q := range questions {
		var out bytes.Buffer
		best := time.Hour
		for range rounds {
			out.Reset()
			began := time.Now()
			if err := engine(t).Query(t.Context(), r, q, Both, &out, Options{Prefixes: graph.Prefixes()}); err != nil {
				t.Fatalf("%s: %v", titles[i], err)
			}
			best = min(best, time.Since(began))
		}
		got, want := rows(t, out.String()), rows(t, answers[i].Results)
		if slices.SortFunc(got, slices.Compare); len(got) == 0 {
			t.Errorf("%s: no answer", titles[i])
		}
		if slices.SortFunc(want, slices.Compare); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: got %d rows, oxigraph %d:\n%v\n%v", titles[i], len(got), len(want), got, want)
		}
		theirs := answers[i].Time * 1000
		fmt.Printf("| %s | %d | %.1f | %.1f | %.1f |\n", titles[i], len(got), best.Seconds()*1000, theirs, best.Seconds()*1000/theirs)
	}
}

// ofPairs are the questions that join all pairs of things within a crawl.
var ofPairs = []string{"Which two people wrote in the most threads together?", "Who answered themselves only?",
	"Which words do titles share?", "Who wrote in the first and in the last month?"}

// own is what each copy of a graph has for itself: hosts, ids of captures, and, before them, the ends of texts.
var own = regexp.MustCompile(`127\.0\.0\.1:\d+|(" <)?urn:uuid:[0-9a-f]{8}`)

// multiplied makes copies of graphs, with hosts, ids and texts of their own.
func multiplied(t *testing.T, files []string, copies int) (all []string) {
	t.Helper()
	dir := t.TempDir()
	for i, file := range files {
		text := decompressed(t, file)
		places := own.FindAllIndex(text, -1)
		for n := range copies {
			f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d-%d.nq.gz", n, i)))
			if err != nil {
				t.Fatal(err)
			}
			z, _ := gzip.NewWriterLevel(f, gzip.BestSpeed)
			out := bufio.NewWriterSize(z, 1<<20)
			from := 0
			for _, at := range places {
				out.Write(text[from:at[0]])
				writeOwn(out, string(text[at[0]:at[1]]), n)
				from = at[1]
			}
			out.Write(text[from:])
			if err := errors.Join(out.Flush(), z.Close(), f.Close()); err != nil {
				t.Fatal(err)
			}
			all = append(all, f.Name())
		}
	}
	return all
}

// writeOwn writes what copy n has in the place of a match of own.
func writeOwn(out *bufio.Writer, match string, n int) {
	id := strings.TrimPrefix(match, `" <`)
	if id != match {
		fmt.Fprintf(out, ` c%d" <`, n)
	}
	digits, isID := strings.CutPrefix(id, "urn:uuid:")
	if !isID {
		fmt.Fprintf(out, "c%d.%s", n, strings.ReplaceAll(match, ":", ".example:"))
		return
	}
	number, _ := strconv.ParseUint(digits, 16, 32) // it matched
	fmt.Fprintf(out, "urn:uuid:%08x", uint32(number)^uint32(n)*0x9e3779b1)
}

func decompressed(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func askOxigraph(t *testing.T, python string, questions []string, rounds int, files []string, head any) (answers []answer) {
	dir := t.TempDir()
	write := func(name string, v any) string {
		text, err := json.Marshal(v)
		if err == nil {
			name = filepath.Join(dir, name)
			err = os.WriteFile(name, text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	args := []string{"testdata/oxigraph.py", write("questions", questions), write("prefixes", graph.Prefixes()), fmt.Sprint(rounds)}
	c := exec.Command(python, append(args, files...)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<30)
	for n := 0; lines.Scan(); n++ {
		var a answer
		to := any(&a)
		if n == 0 {
			to = head
		}
		if err := json.Unmarshal(lines.Bytes(), to); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			answers = append(answers, a)
		}
	}
	if len(answers) != len(questions) {
		t.Fatalf("%d answers", len(answers))
	}
	return answers
}

// rows are the solutions or the triples of a result.
func rows(t *testing.T, text string) [][]string {
	if !strings.HasPrefix(text, "{") {
		return fromTriples(text)
	}
	got, err := fromJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return got
}
