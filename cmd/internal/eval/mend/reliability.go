package mend

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Stated is a value, or a link, that adaptation gave, with the confidence that is printed beside the entries which gave it.
type Stated struct {
	What  string // content, date, name, title, text or links
	Site  string
	Sure  float64
	Right bool
}

// confidence is that of the entries by which a field of objects of a class was found: of the least sure of that and of the objects'.
func confidence(learned []*kb.Entry, class, field string) (sure float64, known bool) {
	for _, e := range learned {
		path, of, _ := strings.Cut(e.Part, " ")
		last, _, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], "[")
		if last == class && (of == "" || of == field) && (!known || e.Confidence < sure) {
			sure, known = e.Confidence, true
		}
	}
	return sure, known
}

// kindOf says what a field is, as questions are told apart.
func kindOf(field string) string {
	switch field {
	case "content", "content_own", "quoted":
		return "content"
	case "created", "modified":
		return "date"
	case "creator", "name":
		return "name"
	case "title":
		return "title"
	}
	return "text"
}

// statedLinks are the links of a page that adaptation found, with how sure it was.
func statedLinks(p *truth.Page, plain, adapted extract.Harvest) (out []Stated) {
	has := func(links []extract.Link, l extract.Link) bool {
		return slices.ContainsFunc(links, func(k extract.Link) bool { return k.URL == l.URL && k.To == l.To })
	}
	for _, l := range adapted.Links {
		if l.To == "" || l.Optional || has(plain.Links, l) {
			continue
		}
		for _, e := range adapted.Learned {
			if e.Part == kb.FollowPart(l.To, l.Paging) {
				out = append(out, Stated{"links", string(p.Type) + " " + p.Site, e.Confidence, has(p.Links, l)})
				break
			}
		}
	}
	return out
}

// PrintReliability prints by tenths of the printed confidence which share of what was stated is right, sites counting alike.
func PrintReliability(w io.Writer, stated []Stated) {
	if len(stated) == 0 {
		return
	}
	fmt.Fprintf(w, "\nright of what is stated, in percent, by tenths of the confidence that is printed beside it, sites counting alike\n"+
		"%-9s", "")
	for tenth := range 10 {
		fmt.Fprintf(w, " %5s", fmt.Sprintf("0.%d", tenth))
	}
	fmt.Fprintf(w, " %5s %8s %6s | %-22s\n", "all", "stated", "wrong", "at most 1 % wrong from")
	for _, what := range []string{"content", "date", "name", "title", "text", "links", ""} {
		some := slices.DeleteFunc(slices.Clone(stated), func(s Stated) bool {
			return what == "" && s.What == "links" || what != "" && s.What != what
		})
		if len(some) > 0 {
			printTenths(w, cmp.Or(what, "fields"), some)
		}
	}
}

func printTenths(w io.Writer, what string, stated []Stated) {
	of := map[string]int{}
	wrong := 0
	for _, s := range stated {
		of[s.Site]++
		if !s.Right {
			wrong++
		}
	}
	var all, right [11]float64 // the last is of all
	for _, s := range stated {
		for _, tenth := range []int{min(int(10*s.Sure), 9), 10} {
			all[tenth] += 1 / float64(of[s.Site])
			if s.Right {
				right[tenth] += 1 / float64(of[s.Site])
			}
		}
	}
	fmt.Fprintf(w, "%-9s", what)
	for i := range all {
		switch {
		case all[i] == 0:
			fmt.Fprintf(w, " %5s", "-")
		default:
			fmt.Fprintf(w, " %5.1f", 100*right[i]/all[i])
		}
	}
	from, kept := surest(stated, of)
	fmt.Fprintf(w, "  %7d %6d | %.2f, %d\n", len(stated), wrong, from, kept)
}

// surest is the least confidence from which on at most a hundredth is wrong, sites counting alike, and how much is stated from there
// on; above 1 where there is none.
func surest(stated []Stated, of map[string]int) (from float64, kept int) {
	const most = 0.01
	sorted := slices.SortedStableFunc(slices.Values(stated), func(a, b Stated) int { return cmp.Compare(b.Sure, a.Sure) })
	from = 2
	all, wrong := 0.0, 0.0
	for i, s := range sorted {
		weight := 1 / float64(of[s.Site])
		if all += weight; !s.Right {
			wrong += weight
		}
		if last := i+1 == len(sorted) || sorted[i+1].Sure < s.Sure; last && wrong <= most*all {
			from, kept = s.Sure, i+1
		}
	}
	return from, kept
}
