package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
)

type kbShowCmd struct {
	kbFlags
	Format string `enum:"text,json" default:"text" help:"Output format."`
	Type   string `arg:"" name:"TYPE-ID" help:"Id of the type."`
}

// Run shows one type.
func (c *kbShowCmd) Run(s streams) error {
	base, err := c.load()
	if err != nil {
		return err
	}
	t := base.Type(kb.TypeID(c.Type))
	if t == nil {
		return usageError("%q is not in the knowledge base; see awarc kb list", c.Type)
	}
	shown := newShowJSON(t)
	if c.Format == "json" {
		return writeJSON(s.out, shown)
	}
	shown.print(s.out)
	return nil
}

// showJSON is a type with everything in it.
type showJSON struct {
	Type     kb.TypeID     `json:"type"`
	Name     string        `json:"name"`
	Category kb.CategoryID `json:"category"`
	Rank     int           `json:"rank"`
	Parent   *kb.TypeID    `json:"parent"`
	Site     string        `json:"site,omitempty"`
	At       string        `json:"at"` // file:line:column, here and below
	Patterns []shownJSON   `json:"patterns"`
	URLs     []shownJSON   `json:"urls"`
	Levels   []levelJSON   `json:"levels"`
	Examples []shownJSON   `json:"examples"`
}

// shownJSON is one line of the knowledge base. From names the type or category
// that it is inherited from; it is empty for the type's own.
type shownJSON struct {
	What string `json:"what"`
	Text string `json:"text"`
	From string `json:"from,omitempty"`
	At   string `json:"at"`
}

type levelJSON struct {
	Level    kb.LevelID   `json:"level"`
	Variant  string       `json:"variant,omitempty"`
	Kind     kb.Kind      `json:"kind"`
	From     string       `json:"from,omitempty"`
	At       string       `json:"at"`
	Patterns []shownJSON  `json:"patterns"`
	Follow   []doneJSON   `json:"follow"`
	Objects  []objectDecl `json:"objects"`
	Totals   []doneJSON   `json:"totals,omitempty"`
}

// doneJSON is an action or a field with its tries.
type doneJSON struct {
	Name  string   `json:"name"`
	Notes []string `json:"notes,omitempty"`
	Tries []string `json:"tries"`
	At    string   `json:"at"`
}

type objectDecl struct {
	Class   string       `json:"class"`
	Notes   []string     `json:"notes,omitempty"`
	Nodes   []string     `json:"nodes"`
	IDs     []string     `json:"ids"`
	Fields  []doneJSON   `json:"fields"`
	Totals  []doneJSON   `json:"totals,omitempty"`
	Objects []objectDecl `json:"objects,omitempty"`
	At      string       `json:"at"`
}

func newShowJSON(t *kb.Type) showJSON {
	j := showJSON{Type: t.ID, Name: t.Name, Category: t.Category, Rank: t.Rank, Site: t.Site, At: t.Pos.String(), Levels: []levelJSON{}}
	if t.Parent != nil {
		j.Parent = &t.Parent.ID
	}
	j.Patterns = append(shownPatterns(t.Detect, func(kb.Pattern) string { return "" }),
		shownPatterns(t.Inherited, func(p kb.Pattern) string { return patternFrom(t, p) })...)
	j.URLs = shownRules(t)
	for _, v := range t.Levels {
		l := levelJSON{Level: v.ID, Variant: v.Variant, Kind: v.Kind, At: v.Pos.String(), Follow: []doneJSON{},
			Objects: objectDecls(v.Objects), Totals: totalDecls(v.Totals)}
		if v.Type != t.ID {
			l.From = string(v.Type)
		}
		l.Patterns = shownPatterns(v.Detect, func(kb.Pattern) string { return "" })
		for _, f := range v.Follow {
			l.Follow = append(l.Follow, doneJSON{string(f.To), notes(f.Paging, "paging", f.Optional, "optional"), sources(f.Tries),
				f.Pos.String()})
		}
		j.Levels = append(j.Levels, l)
	}
	j.Examples = []shownJSON{}
	for _, x := range t.Examples {
		j.Examples = append(j.Examples, shownJSON{What: string(x.Level), Text: x.Page, At: x.Pos.String()})
	}
	return j
}

func shownPatterns(list []kb.Pattern, from func(kb.Pattern) string) []shownJSON {
	out := []shownJSON{}
	for _, p := range list {
		what := "strong"
		if p.Weak {
			what = "weak"
		}
		out = append(out, shownJSON{what, p.Expr.String(), from(p), p.Pos.String()})
	}
	return out
}

// patternFrom names the parent that an inherited pattern is of, or the category.
func patternFrom(t *kb.Type, p kb.Pattern) string {
	for up := t.Parent; up != nil; up = up.Parent {
		if slices.ContainsFunc(up.Detect, func(q kb.Pattern) bool { return q.Pos == p.Pos }) {
			return string(up.ID)
		}
	}
	return "category " + string(t.Category)
}

func shownRules(t *kb.Type) []shownJSON {
	out := []shownJSON{}
	// Parents' rules come first in each list: the outermost type that has one
	// is where it is from.
	parents := map[kb.Position]string{}
	for up := t.Parent; up != nil; up = up.Parent {
		for _, s := range ruleLines(&up.URLs) {
			parents[s.pos] = string(up.ID)
		}
	}
	for _, s := range ruleLines(&t.URLs) {
		s.shown.From = parents[s.pos]
		out = append(out, s.shown)
	}
	return out
}

type ruleLine struct {
	shown shownJSON
	pos   kb.Position
}

func ruleLines(r *kb.URLRules) []ruleLine {
	var out []ruleLine
	add := func(what, text, with, path string, pos kb.Position) {
		if with != "" {
			text += " where there is " + with
		}
		if path != "" {
			text += " on " + path
		}
		out = append(out, ruleLine{shownJSON{What: what, Text: text, At: pos.String()}, pos})
	}
	for _, d := range r.Drops {
		add("drop", d.Param, d.With, d.Path, d.Pos)
	}
	for _, d := range r.Defaults {
		add("default", d.Param+"="+d.Value, "", d.Path, d.Pos)
	}
	for _, p := range r.Pagings {
		add("paging", p.Param+p.Form, "", "", p.Pos)
	}
	for _, p := range r.Prefers {
		add("prefer", p.Form+" to "+p.Of, "", "", p.Pos)
	}
	for _, a := range r.Addresses {
		add("address", a.Of+" is "+string(a.Level), "", "", a.Pos)
	}
	return out
}

func objectDecls(list []*kb.Object) []objectDecl {
	out := []objectDecl{}
	for _, o := range list {
		d := objectDecl{Class: o.Class, Notes: notes(o.Rel == "reply_of", "reply_of", o.Nests, "nests"), Nodes: sources(o.At),
			IDs: []string{}, Fields: []doneJSON{}, At: o.Pos.String()}
		for _, t := range o.ID {
			d.IDs = append(d.IDs, t.Source)
		}
		for _, f := range o.Fields {
			n := append([]string{string(f.As)}, notes(f.Required, "required", f.Many, "many", f.Order != "", f.Order,
				f.Zone != nil, f.Zone.String(), f.Until != "", "until "+f.Until)...)
			for _, w := range f.Without {
				n = append(n, "without "+w.Expr.Source)
			}
			if f.Unless != nil {
				n = append(n, "unless "+f.Unless.Source)
			}
			d.Fields = append(d.Fields, doneJSON{f.Name, n, sources(f.Tries), f.Pos.String()})
		}
		d.Totals, d.Objects = totalDecls(o.Totals), objectDecls(o.Objects)
		out = append(out, d)
	}
	return out
}

func totalDecls(list []*kb.Total) (out []doneJSON) {
	for _, t := range list {
		n := notes(t.More > 0, fmt.Sprintf("and %d more", t.More))
		if t.At != nil {
			n = append(n, "at "+t.At.Source, "of "+t.Link.Source)
		}
		out = append(out, doneJSON{t.Of, n, sources(t.Tries), t.Pos.String()})
	}
	return out
}

// notes gives the words whose conditions hold: condition, word, condition, word.
func notes(pairs ...any) []string {
	var out []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == true {
			out = append(out, pairs[i+1].(string))
		}
	}
	return out
}

func sources(tries []*kb.Try) []string {
	out := []string{}
	for _, t := range tries {
		s := t.Expr.Source
		if t.Match != nil {
			s += "   match " + t.Match.String()
		}
		out = append(out, s)
	}
	return out
}

func (j showJSON) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, %s (rank %d)", j.Type, j.Name, j.Category, j.Rank)
	if j.Parent != nil {
		fmt.Fprintf(w, ", a subtype of %s", *j.Parent)
	}
	if j.Site != "" {
		fmt.Fprintf(w, ", the site %s", j.Site)
	}
	fmt.Fprintf(w, "   %s\n", j.At)
	printShown(w, "patterns", j.Patterns, "  ")
	printShown(w, "URL rules", j.URLs, "  ")
	for _, l := range j.Levels {
		name := string(l.Level)
		if l.Variant != "" {
			name += "(" + l.Variant + ")"
		}
		fmt.Fprintf(w, "  level %s, %s%s   %s\n", name, l.Kind, inherited(l.From), l.At)
		printShown(w, "patterns", l.Patterns, "    ")
		for _, f := range l.Follow {
			f.print(w, "follow ", "    ")
		}
		for _, o := range l.Objects {
			o.print(w, "    ")
		}
		for _, t := range l.Totals {
			t.print(w, "total ", "    ")
		}
	}
	printShown(w, "examples", j.Examples, "  ")
}

func inherited(from string) string {
	if from == "" {
		return ""
	}
	return ", inherited from " + from
}

func printShown(w io.Writer, title string, list []shownJSON, indent string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "%s%s\n", indent, title)
	for _, s := range list {
		fmt.Fprintf(w, "%s  %-8s %s%s   %s\n", indent, s.What, s.Text, inherited(s.From), s.At)
	}
}

func (d doneJSON) print(w io.Writer, kind, indent string) {
	note := ""
	if len(d.Notes) > 0 {
		note = " (" + strings.Join(d.Notes, ", ") + ")"
	}
	fmt.Fprintf(w, "%s%s%s%s   %s\n", indent, kind, d.Name, note, d.At)
	for _, t := range d.Tries {
		fmt.Fprintf(w, "%s    %s\n", indent, t)
	}
}

func (o objectDecl) print(w io.Writer, indent string) {
	doneJSON{o.Class, o.Notes, o.Nodes, o.At}.print(w, "object ", indent)
	for _, id := range o.IDs {
		fmt.Fprintf(w, "%s  id %s\n", indent, id)
	}
	for _, f := range o.Fields {
		f.print(w, "field ", indent+"  ")
	}
	for _, t := range o.Totals {
		t.print(w, "total ", indent+"  ")
	}
	for _, inner := range o.Objects {
		inner.print(w, indent+"  ")
	}
}
