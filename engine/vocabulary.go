package engine

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/kb"
)

// vocabularyProblems are classes that no vocabulary has, and fields that are almost a name of one.
func vocabularyProblems(base *kb.Base) []kb.Problem {
	w := wording{known: graph.Fields(), meant: map[string]string{}}
	types := slices.Clone(base.Types)
	for _, s := range base.Services {
		types = append(types, s.Type)
	}
	for _, t := range types {
		for _, v := range t.Levels {
			if v.Type != t.ID {
				continue // inherited
			}
			where := "type[" + string(t.ID) + "]/level[" + v.Name() + "]"
			w.totals(where, v.Totals)
			w.objects(where, v.Objects)
		}
	}
	return w.found
}

type wording struct {
	known []string          // names of fields
	meant map[string]string // the known name that another is close to, or ""
	found []kb.Problem
}

func (w *wording) objects(where string, list []*kb.Object) {
	for _, o := range list {
		at := where + "/object[" + o.Class + "]"
		w.class(o.Pos, at, o.Class)
		for _, f := range o.Fields {
			w.field(f, at+"/field["+f.Name+"]")
		}
		w.totals(at, o.Totals)
		w.objects(at, o.Objects)
	}
}

func (w *wording) totals(where string, list []*kb.Total) {
	for _, t := range list {
		if t.Of != kb.OfPages {
			w.class(t.Pos, where+"/total["+t.Of+"]", t.Of)
		}
	}
}

func (w *wording) class(pos kb.Position, where, name string) {
	if _, err := graph.Class(name); err != nil {
		w.found = append(w.found, kb.Problem{Pos: pos, Severity: kb.SeverityError, Rule: "class-unknown", Where: where,
			Msg: strings.TrimPrefix(err.Error(), "graph: "), Hint: "name a class of that list; its objects would be lost"})
	}
}

var derivedName = regexp.MustCompile(`_(url|html)$`)

// field reports a name that differs from a known one in two letters at most, as a slip does; other names are the author's own.
func (w *wording) field(f *kb.Field, where string) {
	name := derivedName.ReplaceAllString(f.Name, "")
	meant, seen := w.meant[name]
	if !seen {
		meant = w.closest(name)
		w.meant[name] = meant
	}
	if meant != "" {
		w.found = append(w.found, kb.Problem{Pos: f.Pos, Severity: kb.SeverityWarning, Rule: "field-unknown", Where: where,
			Msg:  f.Name + " is in no vocabulary: its values become awarc:" + f.Name,
			Hint: "write " + meant + " if that is meant"})
	}
}

// closest gives the known name that a name slightly differs from; "" for none, or if it is known itself.
func (w *wording) closest(name string) string {
	if slices.Contains(w.known, name) {
		return ""
	}
	d := diffmatchpatch.New()
	for _, known := range w.known {
		if most := min(2, (len(known)+1)/3); d.DiffLevenshtein(d.DiffMain(name, known, false)) <= most {
			return known
		}
	}
	return ""
}
