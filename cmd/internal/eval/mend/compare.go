package mend

import (
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Count is the result of adaptation for some pages, counted in fields of objects.
type Count struct {
	Fields    int `json:"fields"`    // fields on the pages
	Missed    int `json:"missed"`    // fields that the knowledge base misses without adaptation
	Recovered int `json:"recovered"` // missed fields that adaptation finds
	Wrong     int `json:"wrong"`     // values of adaptation that differ from the page
	Lost      int `json:"lost"`      // fields that are right without adaptation only
}

// Add adds to the count.
func (c *Count) Add(d Count) {
	c.Fields += d.Fields
	c.Missed += d.Missed
	c.Recovered += d.Recovered
	c.Wrong += d.Wrong
	c.Lost += d.Lost
}

// Flaw is a field that adaptation missed, extracted wrong or lost. Right fields are included for
// the statistics of confidence.
type Flaw struct {
	kind      string // missed, wrong, lost, right
	of        Field
	got, want string
}

// Field names a field of the objects of a class.
type Field struct{ class, field string }

// FieldsOf returns the fields that levels extract.
func FieldsOf(levels []*kb.Level) map[Field]bool {
	known := map[Field]bool{}
	var add func([]*kb.Object)
	add = func(list []*kb.Object) {
		for _, o := range list {
			for _, f := range o.Fields {
				known[Field{o.Class, f.Name}] = true
			}
			add(o.Objects)
		}
	}
	for _, l := range levels {
		add(l.Objects)
	}
	return known
}

// seenObject is the form of an object for comparison. Its values lack white space and case, since
// other tags break lines differently, and markup, which repeats the text.
type seenObject struct {
	class, id string
	fields    []seenField
}

type seenField struct {
	name, value string
	date        bool
}

func seen(objects []extract.Object) []seenObject {
	out := make([]seenObject, 0, len(objects))
	for _, o := range objects {
		s := seenObject{class: o.Class, id: o.ID}
		for _, f := range o.Fields {
			if v := corpus.Squeeze(strings.Join(f.Values, "\n")); v != "" && !strings.HasSuffix(f.Name, "_html") {
				s.fields = append(s.fields, seenField{f.Name, v, f.As == kb.Date})
			}
		}
		out = append(out, s)
	}
	return out
}

func (o *seenObject) value(name string) string {
	if o != nil {
		for _, f := range o.fields {
			if f.name == name {
				return f.value
			}
		}
	}
	return ""
}

// holds reports whether an object has the field's value. Times with a zone agree if they are the
// same moment. Other times agree if the coarser one is a prefix of the other, up to the minute.
func (o *seenObject) holds(f seenField) bool {
	got := o.value(f.name)
	if got == f.value {
		return true
	}
	if !f.date || got == "" {
		return false
	}
	if a, err := time.Parse(time.RFC3339, strings.ToUpper(got)); err == nil {
		if b, err := time.Parse(time.RFC3339, strings.ToUpper(f.value)); err == nil {
			return a.Sub(b).Abs() < time.Minute
		}
	}
	want := coarse(f.value)
	got = coarse(got)
	return strings.HasPrefix(want, got) || strings.HasPrefix(got, want)
}

// coarse cuts the zone and the seconds of a time, which only some forms of a page have.
func coarse(date string) string {
	const minutes = len("2006-01-02t15:04")
	return date[:min(len(date), minutes)]
}

// agreement returns the weight of the values that two objects share, 0 for none.
func (o *seenObject) agreement(other *seenObject) int {
	if o.class != other.class {
		return 0
	}
	n := 0
	if o.id == other.id {
		n = 4
	}
	for _, f := range o.fields {
		switch {
		case !other.holds(f):
		case f.name == "content":
			n += 6
		default:
			n += 2
		}
	}
	return n
}

// align pairs the objects of two harvests in the order of the page, with the largest total
// agreement. It returns the partner in b, or nil, of each object of a, and whether each object of b
// is paired. Objects that share only their class are not paired.
func align(a, b []seenObject) (partners []*seenObject, paired []bool) {
	agree, score := make([][]int, len(a)), make([][]int, len(a)+1) // score: of a[i:] and b[j:]
	score[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		agree[i], score[i] = make([]int, len(b)), make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			agree[i][j] = a[i].agreement(&b[j])
			score[i][j] = max(score[i+1][j], score[i][j+1])
			if s := agree[i][j]; s > 0 {
				score[i][j] = max(score[i][j], s+score[i+1][j+1])
			}
		}
	}
	partners, paired = make([]*seenObject, len(a)), make([]bool, len(b))
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch s := agree[i][j]; {
		case s > 0 && score[i][j] == s+score[i+1][j+1]:
			partners[i], paired[j] = &b[j], true
			i, j = i+1, j+1
		case score[i][j] == score[i+1][j]:
			i++
		default:
			j++
		}
	}
	return partners, paired
}

// CompareHarvests counts the changes of adaptation on one page. Only the fields in known count:
// adaptation cannot repair fields that the knowledge base does not extract.
func CompareHarvests(truth, plain, adapted []extract.Object, known map[Field]bool) (Count, []Flaw) {
	var c Count
	var flaws []Flaw
	note := func(kind string, o *seenObject, f, got, want string) {
		flaws = append(flaws, Flaw{kind, Field{o.class, f}, got, want})
	}
	right, before, after := seen(truth), seen(plain), seen(adapted)
	was, _ := align(right, before)
	is, paired := align(right, after)
	for i := range right {
		o := &right[i]
		for _, f := range o.fields {
			if !known[Field{o.class, f.name}] {
				continue
			}
			c.Fields++
			had, has, got := was[i].holds(f), is[i].holds(f), is[i].value(f.name)
			if !had {
				c.Missed++
			}
			switch {
			case had && !has:
				c.Lost++
				note("lost", o, f.name, got, f.value)
			case !had && has:
				c.Recovered++
				note("right", o, f.name, got, f.value)
			case !has && got == "":
				note("missed", o, f.name, "", f.value)
			}
			if !has && got != "" && got != was[i].value(f.name) {
				c.Wrong++
				note("wrong", o, f.name, got, f.value)
			}
		}
		if is[i] == nil {
			continue
		}
		for _, f := range is[i].fields { // values that the page lacks
			if o.value(f.name) == "" && f.value != was[i].value(f.name) {
				c.Wrong++
				note("wrong", o, f.name, f.value, "")
			}
		}
	}
	for i := range after {
		if paired[i] {
			continue
		}
		for _, f := range after[i].fields { // objects that the page lacks
			alike := func(b seenObject) bool { return b.class == after[i].class && b.value(f.name) == f.value }
			if !slices.ContainsFunc(before, alike) {
				c.Wrong++
				note("wrong", &after[i], f.name, f.value, "")
			}
		}
	}
	return c, flaws
}

// SameObjects reports whether two harvests have equal objects, in their form for comparison.
func SameObjects(a, b []extract.Object) bool {
	return slices.EqualFunc(seen(a), seen(b), func(a, b seenObject) bool { return a.id == b.id && slices.Equal(a.fields, b.fields) })
}
