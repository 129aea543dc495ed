package mend

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// CutToPages returns the sources of an author who knew only some pages of a type. It keeps the
// variants of levels that these pages have, the patterns that match on them, and the expressions
// that are used on them. The detection of the type and all other types stay complete.
func CutToPages(sources []kb.Source, whole *detect.Detector, typ kb.TypeID, pages []*truth.Page) ([]kb.Source, error) {
	c := cutter{
		used: map[kb.Position]map[string]bool{}, fired: map[kb.Position]bool{}, seen: map[*kb.Level]bool{}, drop: map[kb.Position]bool{},
	}
	for _, p := range pages {
		got, err := engine.Inspect(whole, p.Answer, engine.Hints{Full: true})
		if err != nil {
			return nil, err
		}
		if v := got.Harvest.Level; v != nil {
			c.see(extract.Page{Doc: got.Doc, URL: got.URL, Type: got.Finding.Type, Levels: got.Finding.Levels}, v)
		}
	}
	t := whole.Base().Type(typ)
	left := slices.DeleteFunc(slices.Clone(t.Levels), func(v *kb.Level) bool { return !c.known(v) })
	for _, v := range t.Levels {
		if !slices.Contains(left, v) {
			c.drop[v.Pos] = true
			continue
		}
		c.level(v, left)
	}
	for _, a := range t.URLs.Addresses {
		if !slices.ContainsFunc(left, func(l *kb.Level) bool { return l.ID == a.Level }) {
			c.drop[a.Pos] = true
		}
	}
	for _, x := range t.Examples {
		c.drop[x.Pos] = true
	}
	var out []kb.Source
	for _, s := range sources {
		data, err := cutElements(s, c.drop)
		if err != nil {
			return nil, err
		}
		out = append(out, kb.Source{Name: s.Name, Data: data, Pages: s.Pages})
	}
	return out, nil
}

// cutter records the rules that the given pages use, and collects the other elements.
type cutter struct {
	used  map[kb.Position]map[string]bool // expressions, by action
	fired map[kb.Position]bool            // patterns
	seen  map[*kb.Level]bool
	drop  map[kb.Position]bool
}

func (c *cutter) see(p extract.Page, v *kb.Level) {
	c.seen[v] = true
	for _, pattern := range v.Detect {
		if x, err := kb.ExprOf(pattern.Expr.Tree()); err == nil && len(x.Select(p.Doc, nil)) > 0 {
			c.fired[pattern.Pos] = true
		}
	}
	for _, a := range extract.Explain(p, v) {
		if c.used[a.Pos] == nil {
			c.used[a.Pos] = map[string]bool{}
		}
		for _, t := range a.Trials {
			if t.Used {
				c.used[a.Pos][t.Expr.Source] = true
			}
		}
	}
}

// known reports whether a given page has the variant and matches its remaining patterns.
func (c *cutter) known(v *kb.Level) bool {
	weak := 0
	for _, p := range v.Detect {
		if c.fired[p.Pos] && !p.Weak {
			return c.seen[v]
		}
		if c.fired[p.Pos] {
			weak++
		}
	}
	return weak > 1 && c.seen[v]
}

func (c *cutter) level(v *kb.Level, left []*kb.Level) {
	for _, p := range v.Detect {
		if !c.fired[p.Pos] {
			c.drop[p.Pos] = true
		}
	}
	for _, f := range v.Follow {
		if !slices.ContainsFunc(left, func(l *kb.Level) bool { return l.ID == f.To }) {
			c.drop[f.Pos] = true
			continue
		}
		c.tries(f.Pos, f.Tries)
	}
	c.objects(v.Objects)
}

func (c *cutter) objects(list []*kb.Object) {
	for _, o := range list {
		if len(o.At) > 0 {
			c.tries(o.Pos, o.At)
		}
		for _, f := range o.Fields {
			c.tries(f.Pos, f.Tries)
		}
		for _, t := range o.Totals {
			c.tries(t.Pos, t.Tries)
		}
		c.objects(o.Objects)
	}
}

// tries collects the unused expressions of an action, or the action if all are unused.
func (c *cutter) tries(action kb.Position, tries []*kb.Try) {
	any := false
	for _, t := range tries {
		used := c.used[action][t.Expr.Source]
		any = any || used
		if !used && t.Expr.Pos != action {
			c.drop[t.Expr.Pos] = true
		}
	}
	if !any {
		c.drop[action] = true
	}
}

// cutElements returns a source without the elements at some positions.
func cutElements(s kb.Source, drop map[kb.Position]bool) ([]byte, error) {
	d := xml.NewDecoder(bytes.NewReader(s.Data))
	var out bytes.Buffer
	kept := int64(0) // offset up to which the source is written
	for depth, from := 0, 0; ; {
		offset := d.InputOffset()
		line, column := d.InputPos()
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			out.Write(s.Data[kept:])
			return out.Bytes(), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		switch tok.(type) {
		case xml.StartElement:
			depth++
			if from == 0 && drop[kb.Position{File: s.Name, Line: line, Column: column}] {
				out.Write(s.Data[kept:offset])
				from = depth
			}
		case xml.EndElement:
			if depth == from {
				kept, from = d.InputOffset(), 0
			}
			depth--
		}
	}
}
