package mend

import (
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Wanted is what records hold of one field in truth.
type Wanted struct {
	objects []seenObject
	date    bool
	held    int // by so many objects
}

// WantedOf gives what the objects of a class hold of a field; known is false where there is no object of the class.
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

// Agreement is how the values of records agree with truth.
type Agreement struct {
	Records  int // that are in truth
	Wanted   int // of them: so many have a value in truth, as far as that is known
	Agree    int
	Near     int // a long text that is nearly the same, or the moment by the clock of another zone
	Conflict int // another value than in truth, or one where truth has none
}

// Compare compares one value a record, empty for none, with truth. Records are objects by their ids where any of these is
// known; else in order, all of them where there are as many, or so that most agrees. Of what is no object in truth nothing is
// said: that it was taken for one is no fault of its values.
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

// AreObjects reports whether nearly all records are objects that truth has, as far as it can be told.
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

// record is a record with a value.
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

// partners finds the object of each record, -1 for none; nil where that is not known.
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

// Texts are nearly the same where both have so many bytes, and so much of the runs of some bytes in the longer is in the other.
const (
	leastLong = 200
	leastNear = 0.9
	run       = 4
)

// nearly reports whether two texts are nearly the same.
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

// elsewhere reports whether two times may be the same moment by the clocks of two zones.
func elsewhere(a, b string) bool {
	const clock = "2006-01-02t15:04"
	at, err := time.Parse(clock, coarse(a))
	bt, berr := time.Parse(clock, coarse(b))
	d := at.Sub(bt).Abs()
	return err == nil && berr == nil && d%(30*time.Minute) == 0 && d <= 14*time.Hour
}

// anchor is what an id says of an object in its page: other forms of an address may lead to the same.
func anchor(id string) string {
	if _, fragment, found := strings.Cut(id, "#"); found && fragment != "" {
		return fragment
	}
	return id
}

// RecordsOf reports whether elements are the objects of a class, as far as can be told: nearly all their ids, and of nearly all
// objects, are the same; or they are several and as many, since other templates write other ids.
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

// WantedLinks are the links of a page that lead to a level in truth.
type WantedLinks struct {
	all, some map[string]bool // some: those that the action is about
}

// WantedLinksOf gives the links to a level that are followed, and those of them that are paging, or not.
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

// Compare tells how many addresses lead there in truth, and how many are of what the action is about.
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
