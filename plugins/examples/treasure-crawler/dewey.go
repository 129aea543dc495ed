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

// plot adds the dots of a text: the longest phrase of the table that begins at a word, or
// else the word.
func (t *table) plot(d *dots, text string, anchor bool) {
	impact := 1.0
	if anchor {
		impact = 1.4
	}
	list := words(text)
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
// them where several have the same.
func (d *dots) focus() []string {
	regions := []string{""}
	for depth := 1; ; depth++ {
		var order []string
		weights := map[string]float64{}
		for _, r := range regions {
			for number, w := range d.weights(r, depth) {
				weights[number] = w
			}
		}
		most := 0.0
		for _, w := range weights {
			most = max(most, w)
		}
		if most == 0 {
			if depth == 1 {
				return nil
			}
			return regions
		}
		// Sorted by the digits, so that equal texts give equal lists.
		for _, r := range regions {
			for digit := '0'; digit <= '9'; digit++ {
				if n := r + string(digit); weights[n] == most {
					order = append(order, n)
				}
			}
		}
		regions = order
	}
}

// weights are those of the ten regions within the one whose numbers begin with the
// prefix: W = n × Σ length(d) × anchor_impact(d) over its n dots.
func (d *dots) weights(prefix string, depth int) map[string]float64 {
	count, sum := map[string]float64{}, map[string]float64{}
	for _, x := range d.list {
		if len(x.number) >= depth && strings.HasPrefix(x.number, prefix) {
			region := x.number[:depth]
			count[region]++
			sum[region] += float64(len(x.number)) * x.impact
		}
	}
	for region := range sum {
		sum[region] *= count[region]
	}
	return sum
}

// words are the stemmed words of a text.
func words(text string) []string {
	var list []string
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r < 0x80 && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') || r >= 0x2000 && r <= 0x206f
	}) {
		list = append(list, stem(strings.ToLower(w)))
	}
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
