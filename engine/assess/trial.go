package assess

import (
	"context"

	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
)

// Trial is what plugins say of one page, as they said it: nothing follows from it.
type Trial struct {
	Links  []abi.Link // of the page, as the plugin received them
	Scores []plugins.Score
	Found  []plugins.Extraction

	// What they were asked.
	ScoreRequest   *abi.ScoreRequest
	ExtractRequest *abi.ExtractRequest
}

// Try asks scorers and extractors about a page and its links; it is the page's with [extract.Page.Around].
func Try(ctx context.Context, set *plugins.Set, p *Page, links []Link) *Trial {
	page := set.Begin()
	defer page.End()
	cut := Cut(p.Page, p.Objects)
	t := &Trial{Links: cut.links(p, links)}
	t.ScoreRequest, t.ExtractRequest = cut.scoreRequest(p, t.Links, 0), cut.extractRequest(p, t.Links)
	t.Scores, t.Found = page.Score(ctx, t.ScoreRequest), page.Extract(ctx, t.ExtractRequest)
	return t
}
