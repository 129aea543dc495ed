package main

import (
	_ "embed"
	"strings"
)

//go:embed dewey.txt
var deweyTable string

// table gives the Dewey numbers of stemmed words and phrases.
type table struct {
	numbers map[string][]string
	longest map[string]int // words of the longest phrase that begins with the word
}

func newTable(text string) *table {
	t := &table{map[string][]string{}, map[string]int{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		number, list, _ := strings.Cut(line, " ")
		for phrase := range strings.SplitSeq(list, ",") {
			list := words(phrase)
			key := strings.Join(list, " ")
			t.numbers[key] = append(t.numbers[key], number)
			t.longest[list[0]] = max(t.longest[list[0]], len(list))
		}
	}
	return t
}

// dot is a word or phrase of a text as a point of the conceptual graph (section 4.1, Fig. 4).
type dot struct {
	number string
	impact float64 // of the anchor: 1.4 within it, 1.0 around it
}

type dots struct{ list []dot }

// plot adds the dots of the words of a text: the longest phrase of the table that begins at
// a word, or else the word.
func (t *table) plot(d *dots, list []string, anchor bool) {
	impact := 1.0
	if anchor {
		impact = 1.4
	}
	for i := 0; i < len(list); {
		n := 1
		for size := min(t.longest[list[i]], len(list)-i); size > 0; size-- {
			if numbers := t.numbers[strings.Join(list[i:i+size], " ")]; numbers != nil {
				for _, number := range numbers {
					d.list = append(d.list, dot{number, impact})
				}
				n = size
				break
			}
		}
		i += n
	}
}

// focus finds the galaxy: digit by digit the region with the greatest weight W, and all of
// them where several have the same. Regions are in the order of their numbers.
func (d *dots) focus() []string {
	var regions []string
	for depth := 0; ; depth++ {
		within := regions
		if depth == 0 {
			within = []string{""}
		}
		var next []string
		most := 0.0
		for _, r := range within {
			for digit, w := range d.weights(r) {
				if w > most {
					next, most = next[:0], w
				}
				if w > 0 && w == most {
					next = append(next, r+string(rune('0'+digit)))
				}
			}
		}
		if most == 0 {
			return regions
		}
		regions = next
	}
}

// weights are those of the ten regions within the one whose numbers begin with the
// prefix: W = n × Σ length(d) × anchor_impact(d) over its n dots.
func (d *dots) weights(prefix string) (w [10]float64) {
	var n [10]float64
	for i := range d.list {
		x := &d.list[i]
		if len(x.number) > len(prefix) && x.number[:len(prefix)] == prefix {
			digit := x.number[len(prefix)] - '0'
			n[digit]++
			w[digit] += float64(len(x.number)) * x.impact
		}
	}
	for digit := range w {
		w[digit] *= n[digit]
	}
	return w
}

// words are the stemmed words of a text: runs of letters and digits of ASCII and of all
// beyond it but general punctuation (U+2000 to U+207F).
func words(text string) []string {
	list := make([]string, 0, len(text)/6+1)
	start := -1
	flush := func(end int) {
		if start >= 0 {
			list = append(list, stem(strings.ToLower(text[start:end])))
			start = -1
		}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == 0xe2 && i+2 < len(text) && (text[i+1] == 0x80 || text[i+1] == 0x81):
			flush(i)
			i += 2
		case c >= 0x80 || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9':
			if start < 0 {
				start = i
			}
		default:
			flush(i)
		}
	}
	flush(len(text))
	return list
}

// stem takes off the endings of steps 1a and 1b of Porter's algorithm: what makes one word
// of singular and plural, and of the forms of a verb.
func stem(w string) string {
	switch {
	case len(w) < 4:
		return w
	case strings.HasSuffix(w, "sses"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	for _, ending := range []string{"ing", "ed"} {
		base, cut := strings.CutSuffix(w, ending)
		if !cut || len(base) < 3 || !strings.ContainsAny(base, "aeiouy") {
			continue
		}
		if n := len(base); base[n-1] == base[n-2] && !strings.ContainsRune("lsz", rune(base[n-1])) {
			base = base[:n-1]
		}
		return base
	}
	return w
}
