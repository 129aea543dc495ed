package extract

import (
	"slices"

	"github.com/awarc/awarc/kb"
)

// Names of what boards are made of.
const (
	boards      kb.CategoryID = "forum"
	forumLevel  kb.LevelID    = "forum"
	forumClass                = "sioc:Forum"
	threadClass               = "sioc:Thread"
)

// forums notes the forums that the page's links to forums lead to, with their names. The
// links of a thread to forums are the way down to it: it is in the last, and each is in the
// one before.
func (r *run) forums(v *kb.Level) {
	if r.page.Type.Category != boards {
		return
	}
	at := map[string]int{}
	for _, l := range r.h.Links {
		key := r.objectKey(l.URL)
		if l.To != forumLevel || l.Paging || key == "" || key == r.key && v.ID != forumLevel {
			continue
		}
		i, known := at[key]
		if !known {
			i, at[key] = len(r.h.Forums), len(r.h.Forums)
			r.h.Forums = append(r.h.Forums, Object{Class: forumClass, ID: key})
		}
		if f := &r.h.Forums[i]; len(f.Fields) == 0 && l.Text != "" && r.keep(len(l.Text)) {
			f.Fields = []Field{{Name: "title", As: kb.Text, Values: []string{l.Text}}}
		}
	}
	thread := slices.IndexFunc(r.h.Objects, func(o Object) bool { return o.Class == threadClass && o.Parent == "" })
	if thread < 0 || len(r.h.Forums) == 0 {
		return
	}
	for i := range r.h.Forums[1:] {
		r.h.Forums[i+1].Parent, r.h.Forums[i+1].Rel = r.h.Forums[i].ID, "has_parent"
	}
	o := &r.h.Objects[thread]
	o.Fields = append(o.Fields, Field{Name: "has_parent", As: kb.URL, Values: []string{r.h.Forums[len(r.h.Forums)-1].ID}})
}
