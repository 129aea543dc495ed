package main

import (
	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// cutToPages gives the knowledge base that somebody would have who had seen only
// some pages of a type: of its levels the variants that these pages are of, of
// their patterns those that fire there, of their actions the expressions that
// are used there. How the type is told, and all other types, stay whole.
func cutToPages(whole *detect.Detector, typ kb.TypeID, pages []*truePage) (*kb.Base, error) {
	c := cutter{used: map[kb.Position]map[string]bool{}, fired: map[kb.Position]bool{}, levels: map[*kb.Level]bool{}}
	for _, p := range pages {
		got, err := engine.Inspect(whole, p.answer, engine.Hints{Full: true})
		if err != nil {
			return nil, err
		}
		if v := got.Harvest.Level; v != nil {
			c.see(extract.Page{Doc: got.Doc, URL: got.URL, Type: got.Finding.Type, Levels: got.Finding.Levels}, v)
		}
	}
	var levels []*kb.Level
	for _, v := range whole.Base().Type(typ).Levels {
		if v = c.level(v); v != nil {
			levels = append(levels, v)
		}
	}
	return whole.Base().WithLevels(typ, levels), nil
}

// cutter knows what the pages that were seen use.
type cutter struct {
	used   map[kb.Position]map[string]bool // expressions, by action
	fired  map[kb.Position]bool            // patterns
	levels map[*kb.Level]bool
}

func (c *cutter) see(p extract.Page, v *kb.Level) {
	c.levels[v] = true
	for _, pattern := range v.Detect {
		if x, err := kb.NewExpr(pattern.Expr.String()); err == nil && len(x.Select(p.Doc, nil)) > 0 {
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

// level cuts one variant; nil where nothing of it was seen, or nothing that tells
// it.
func (c *cutter) level(v *kb.Level) *kb.Level {
	if !c.levels[v] {
		return nil
	}
	out := *v
	out.Detect, out.Follow = nil, nil
	enough := 0
	for _, p := range v.Detect {
		if !c.fired[p.Pos] {
			continue
		}
		out.Detect = append(out.Detect, p)
		if enough++; !p.Weak {
			enough++
		}
	}
	if enough < 2 {
		return nil
	}
	for _, f := range v.Follow {
		if tries := c.tries(f.Pos, f.Tries); len(tries) > 0 {
			cut := *f
			cut.Tries = tries
			out.Follow = append(out.Follow, &cut)
		}
	}
	out.Objects = c.objects(v.Objects)
	return &out
}

func (c *cutter) objects(list []*kb.Object) []*kb.Object {
	var out []*kb.Object
	for _, o := range list {
		cut := *o
		cut.At = c.tries(o.Pos, o.At)
		if len(o.At) > 0 && len(cut.At) == 0 {
			continue
		}
		cut.Fields, cut.Totals = nil, nil
		for _, f := range o.Fields {
			if tries := c.tries(f.Pos, f.Tries); len(tries) > 0 {
				field := *f
				field.Tries = tries
				cut.Fields = append(cut.Fields, &field)
			}
		}
		for _, t := range o.Totals {
			if tries := c.tries(t.Pos, t.Tries); len(tries) > 0 {
				total := *t
				total.Tries = tries
				cut.Totals = append(cut.Totals, &total)
			}
		}
		cut.Objects = c.objects(o.Objects)
		out = append(out, &cut)
	}
	return out
}

func (c *cutter) tries(action kb.Position, tries []*kb.Try) []*kb.Try {
	var out []*kb.Try
	for _, t := range tries {
		if c.used[action][t.Expr.Source] {
			out = append(out, t)
		}
	}
	return out
}
