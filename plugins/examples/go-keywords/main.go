// Command go-keywords is a scorer: how densely the terms of the topic stand in a
// page and around each of its links.
package main

import "github.com/awarc/awarc/plugins/sdk/score"

var m *score.Matcher

func init() {
	score.OnConfigure(func(c *score.Config) error { m = c.Topic.Matcher(); return nil })
	score.OnPage(func(p *score.Page, out *score.Result) error {
		out.Doc = m.Density(p.Title, 3, p.Text(), 1)
		for i, l := range p.Links {
			out.Link(i, m.Density(l.Anchor, 2, l.Context, 1))
		}
		return nil
	})
}

func main() {}
