package assess

import (
	"context"

	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/plugins"
)

// Ask asks the plugins of a set about one page by itself, as a crawl would: scorers about the page and its links, extractors about
// the page.
func Ask(ctx context.Context, set *plugins.Set, p *Page, links []Link) ([]plugins.Score, *Assessment) {
	a := &Assessment{Worth: score.None, Calls: map[string]*Calls{}}
	page := set.Begin()
	defer page.End()
	cut := Cut(p.Page, p.Objects)
	told := cut.links(p, links)
	scores := page.Score(ctx, cut.scoreRequest(p, told, score.None))
	a.extract(ctx, page, p, &cut, told)
	return scores, a
}
