package mend

import (
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Wanted has the true values of one field in the objects of a page.
type Wanted struct {
	objects []seenObject
	date    bool
	held    int // number of objects with a value
}

// WantedOf returns the true values of a field in the objects of a class; known is false if there is
// no object of the class.
func WantedOf(objects []extract.Object, class, field string) (w Wanted, known bool) {
	for _, o := range seen(objects) {
		if o.class != class {
			continue
		}
		if v := o.value(field); v != "" {
			w.held++
			at := slices.IndexFunc(o.fields, func(f seenField) bool { return f.name == field })
			w.date = o.fields[at].date
			o.fields = o.fields[at : at+1]
		} else {
			o.fields = nil
		}
		w.objects = append(w.objects, o)
	}
	return w, len(w.objects) > 0
}

// Agreement counts how the values of records agree with truth.
type Agreement struct {
	Records  int // records that are in truth
	Wanted   int // of these, with a known value in truth
	Agree    int
	Near     int // a long text that is nearly equal, or the time in another zone
	Conflict int // another value than in truth, or a value that truth lacks
}

// Compare compares one value per record, empty for none, with truth. It pairs records with objects
// by their ids if truth has any of the ids, otherwise in order if their numbers are equal. It
// ignores records that are not objects in truth: the error is in the records, and not in their
// values.
func (w *Wanted) Compare(ids, values []string) Agreement {
	partners := w.partners(ids, len(values))
	var a Agreement
	for i, v := range values {
		if partners == nil || partners[i] < 0 {
			continue
		}
		a.Records++
		of := &w.objects[partners[i]]
		has := len(of.fields) > 0
		if has {
			a.Wanted++
		}
		switch v = corpus.Squeeze(v); {
		case v == "":
		case has && w.record(v).holds(of.fields[0]):
			a.Agree++
		case has && (w.date && elsewhere(v, of.fields[0].value) || !w.date && nearly(v, of.fields[0].value)):
			a.Near++
		default:
			a.Conflict++
		}
	}
	return a
}

// AreObjects reports whether nearly all records are paired with objects of truth.
func (w *Wanted) AreObjects(ids []string, records int) bool {
	const most = 0.9
	n := 0
	for _, at := range w.partners(ids, records) {
		if at >= 0 {
			n++
		}
	}
	return n > 0 && float64(n) >= most*float64(records)
}

// record returns a record with a value.
func (w *Wanted) record(value string) *seenObject {
	o := &seenObject{id: "a record"}
	for i := range w.objects {
		if f := w.objects[i].fields; len(f) > 0 {
			o.class, o.fields = w.objects[i].class, []seenField{{f[0].name, value, w.date}}
			break
		}
	}
	return o
}

// partners returns the object of each record, -1 for none, or nil if the pairs are unknown.
func (w *Wanted) partners(ids []string, records int) []int {
	out := make([]int, records)
	any := false
	for i := range out {
		out[i] = -1
		if i < len(ids) && ids[i] != "" {
			out[i] = slices.IndexFunc(w.objects, func(o seenObject) bool { return anchor(o.id) == anchor(ids[i]) })
			any = any || out[i] >= 0
		}
	}
	switch {
	case any:
		return out
	case records != len(w.objects):
		return nil
	}
	for i := range out {
		out[i] = i
	}
	return out
}

// Two texts are nearly equal if both have leastLong bytes, and the shorter has the share leastNear
// of the n-grams of run bytes of the longer. The values are arbitrary.
const (
	leastLong = 200
	leastNear = 0.9
	run       = 4
)

// nearly reports whether two texts are nearly equal.
func nearly(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < leastLong || float64(len(a)) < leastNear*float64(len(b)) {
		return false
	}
	runs, shared := map[string]int{}, 0
	for i := run; i <= len(a); i++ {
		runs[a[i-run:i]]++
	}
	for i := run; i <= len(b); i++ {
		if r := b[i-run : i]; runs[r] > 0 {
			runs[r]--
			shared++
		}
	}
	return float64(shared) >= leastNear*float64(len(b)-run+1)
}

// elsewhere reports whether two times may be the same moment in two time zones.
func elsewhere(a, b string) bool {
	const clock = "2006-01-02t15:04"
	at, err := time.Parse(clock, coarse(a))
	bt, berr := time.Parse(clock, coarse(b))
	d := at.Sub(bt).Abs()
	return err == nil && berr == nil && d%(30*time.Minute) == 0 && d <= 14*time.Hour
}

// anchor returns the part of an id that identifies an object in its page: other addresses may have
// the same page.
func anchor(id string) string {
	if _, fragment, found := strings.Cut(id, "#"); found && fragment != "" {
		return fragment
	}
	return id
}

// RecordsOf reports whether elements are the objects of a class: nearly all ids of both agree, or
// both have the same number, more than one. Other templates write other ids.
func RecordsOf(objects []extract.Object, class string, ids []string) bool {
	const most = 0.9
	want, n := map[string]bool{}, 0
	for _, o := range objects {
		if o.Class == class {
			want[anchor(o.ID)] = true
			n++
		}
	}
	if n > 1 && len(ids) == n {
		return true
	}
	got := map[string]bool{}
	right := 0
	for _, id := range ids {
		if id = anchor(id); id == "" || got[id] {
			continue
		}
		if got[id] = true; want[id] {
			right++
		}
	}
	return right > 0 && float64(right) >= most*float64(len(ids)) && float64(right) >= most*float64(len(want))
}

// WantedLinks are the true links of a page to a level.
type WantedLinks struct {
	all, some map[string]bool // some: the links that the action selects
}

// WantedLinksOf returns the links to a level, and among them the followed links with or without
// paging.
func WantedLinksOf(links []extract.Link, to kb.LevelID, paging bool) WantedLinks {
	w := WantedLinks{map[string]bool{}, map[string]bool{}}
	for _, l := range links {
		if l.To != to {
			continue
		}
		w.all[l.URL] = true
		if l.Paging == paging && !l.Optional {
			w.some[l.URL] = true
		}
	}
	return w
}

// Compare counts the addresses that lead to the level, and the addresses that the action selects.
func (w *WantedLinks) Compare(addresses []string) (lead, about int) {
	for _, u := range addresses {
		u, _, _ = strings.Cut(u, "#")
		if w.all[u] {
			lead++
		}
		if w.some[u] {
			about++
		}
	}
	return lead, about
}
