// Package maintext measures the main text of pages against labelled text, and learns the forests of
// engine/read/text from it.
package maintext

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/publicsuffix"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
)

// Labelled is a page with its text as people labelled it.
type Labelled struct {
	Name, URL, Kind, Text string
	file                  string
}

// Site is the registered domain of the page's address, or the name of a page without one.
func (l *Labelled) Site() string {
	u, err := url.Parse(l.URL)
	if err != nil || u.Hostname() == "" {
		return l.Name
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname()); err == nil {
		return site
	}
	return u.Hostname()
}

// HTML reads the page.
func (l *Labelled) HTML() ([]byte, error) { return corpus.ReadFile(l.file) }

// Read reads the pages of folders: one with a truth.jsonl, saved pages with a folder groundtruth of
// files ID.json for pages named wcxb-ID.html, or a part of a clone of WCXB, with
// ground-truth/ID.json for html/ID.html.gz. A page that several folders hold counts once.
func Read(dirs ...string) ([]Labelled, error) {
	var all []Labelled
	seen := map[string]bool{}
	for _, dir := range dirs {
		read := readSaved
		if _, err := os.Stat(filepath.Join(dir, "truth.jsonl")); err == nil {
			read = readTruth
		} else if _, err := os.Stat(filepath.Join(dir, "ground-truth")); err == nil {
			read = readBenchmark
		}
		pages, err := read(dir)
		if err != nil {
			return nil, err
		}
		for _, p := range pages {
			if key := p.URL + "\n" + p.Text; !seen[key] {
				seen[key] = true
				all = append(all, p)
			}
		}
	}
	return all, nil
}

func readTruth(dir string) (pages []Labelled, err error) {
	name := filepath.Join(dir, "truth.jsonl")
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	const longest = 16 << 20 // bytes of a line
	lines.Buffer(nil, longest)
	for n := 1; lines.Scan(); n++ {
		var row struct{ File, URL, Kind, Text string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		pages = append(pages, Labelled{Name: row.File, URL: row.URL, Kind: row.Kind, Text: row.Text, file: filepath.Join(dir, row.File)})
	}
	return pages, lines.Err()
}

func readSaved(dir string) (pages []Labelled, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "wcxb-*.html"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		id := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "wcxb-"), ".html")
		l, err := readLabels(filepath.Join(dir, "groundtruth", id+".json"), file)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		pages = append(pages, l)
	}
	return pages, nil
}

func readBenchmark(dir string) (pages []Labelled, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "html", "*.html.gz"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		id := strings.TrimSuffix(filepath.Base(file), ".html.gz")
		l, err := readLabels(filepath.Join(dir, "ground-truth", id+".json"), file)
		if err != nil {
			return nil, err
		}
		pages = append(pages, l)
	}
	return pages, nil
}

// readLabels reads the labels of a page of WCXB.
func readLabels(name, page string) (l Labelled, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return l, err
	}
	var truth struct {
		URL      string `json:"url"`
		Internal struct {
			Type struct {
				Primary string `json:"primary"`
			} `json:"page_type"`
		} `json:"_internal"`
		Truth struct {
			Text string `json:"main_content"`
		} `json:"ground_truth"`
	}
	if err := json.Unmarshal(data, &truth); err != nil {
		return l, fmt.Errorf("%s: %w", name, err)
	}
	return Labelled{Name: filepath.Base(page), URL: truth.URL, Kind: truth.Internal.Type.Primary, Text: truth.Truth.Text, file: page}, nil
}

// words returns the words of a text in lower case: runs of letters, digits and underscores.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
}

// F1 compares two texts as multisets of words.
func F1(got, want string) float64 {
	g, w := words(got), words(want)
	if len(w) == 0 {
		if len(g) == 0 {
			return 1
		}
		return 0
	}
	count := map[string]int{}
	for _, x := range w {
		count[x]++
	}
	common := 0
	for _, x := range g {
		if count[x] > 0 {
			count[x]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(g)+len(w))
}

// run is the number of words in sequence that are looked up together.
const run = 3

// label gives each block the share of its words that the labelled text holds in the same order. Short blocks are
// looked up with the words before or after them, or as a line.
func label(blocks []string, text string) (shares []float64, lengths []int) {
	lines, grams := map[string]int{}, map[string]int{}
	for l := range strings.Lines(text) {
		lines[strings.Join(words(l), " ")]++
	}
	all := words(text)
	for n := 2; n <= run; n++ {
		for i := n; i <= len(all); i++ {
			grams[strings.Join(all[i-n:i], " ")]++
		}
	}
	split := make([][]string, len(blocks))
	for i, b := range blocks {
		split[i] = words(b)
	}
	used := map[string]int{}
	for i, w := range split {
		lengths = append(lengths, len(w))
		key := strings.Join(w, " ")
		share := covered(w, grams)
		if len(w) <= run {
			share = 0
			var before, after []string
			if i > 0 {
				before = split[i-1]
			}
			if i+1 < len(split) {
				after = split[i+1]
			}
			if lines[key] > 0 || len(w) > 0 && inContext(before, w, after, grams) {
				share = 1
			}
		}
		if share > 0 {
			most := max(lines[key], 1)
			if len(w) <= run && len(w) > 1 {
				most = max(most, grams[key])
			}
			if used[key]++; used[key] > most && len(w) > 1 {
				share = 0
			}
		}
		shares = append(shares, share)
	}
	return shares, lengths
}

// covered is the share of words in runs that a text holds.
func covered(w []string, grams map[string]int) float64 {
	in := make([]bool, len(w))
	for i := run; i <= len(w); i++ {
		if grams[strings.Join(w[i-run:i], " ")] > 0 {
			for j := i - run; j < i; j++ {
				in[j] = true
			}
		}
	}
	n := 0
	for _, x := range in {
		if x {
			n++
		}
	}
	return float64(n) / float64(max(len(w), 1))
}

func inContext(before, w, after []string, grams map[string]int) bool {
	left := slices.Concat(before[max(0, len(before)-run):], w)
	right := slices.Concat(w, after[:min(len(after), run)])
	return len(left) >= run && len(before) > 0 && grams[strings.Join(left[len(left)-run:], " ")] > 0 ||
		len(right) >= run && len(after) > 0 && grams[strings.Join(right[:run], " ")] > 0
}
