// Command go-mentions is an extractor: the paragraphs of a page that mention the
// topic, with their places.
package main

import "github.com/awarc/awarc/plugins/sdk/extract"

var m *extract.Matcher

func init() {
	extract.OnConfigure(func(c *extract.Config) error { m = c.Topic.Matcher(); return nil })
	extract.OnPage(func(p *extract.Page, out *extract.Result) error {
		var page *extract.Object
		for i, part := range p.Parts {
			about := float32(m.Score(part.Text))
			if about == 0 {
				continue
			}
			if page == nil {
				page = out.Object("schema:WebPage", p.URL)
				page.Confidence = 0
				if p.Title != "" {
					page.Text("name", p.Title, p.Lang)
				}
			}
			page.Confidence = max(page.Confidence, about)
			page.Text("text", part.Text, p.Lang).At(extract.Span{Part: uint32(i), End: uint32(len(part.Text))})
		}
		if page == nil {
			return extract.NoOpinion
		}
		return nil
	})
}

func main() {}
