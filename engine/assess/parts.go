package assess

import (
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/plugins/abi"
)

// Parts is a page cut for modules and plugins.
type Parts struct {
	title, lang string
	list        []abi.Part
	own         []abi.Part // the same without what posts quote
	truncated   bool
}

// Cut cuts a page: where the application is known the contents of its objects, so
// that menus and advertisements have no say, else all that is on it.
func Cut(page extract.Page, objects []extract.Object) Parts {
	p := Parts{title: extract.Title(page.Doc), lang: extract.Language(page.Doc)}
	content := false
	for _, o := range objects {
		if t := o.Value("title"); t != "" {
			p.add(abi.Part{Kind: abi.Heading, Text: t, About: o.ID}, t)
		}
		if c := o.Value("content"); c != "" {
			own := c
			if _, quotes := o.Values("quoted"); quotes {
				own = o.Value("content_own")
			}
			p.add(abi.Part{Kind: abi.Body, Text: c, About: o.ID}, own)
			content = true
		}
	}
	if content {
		return p
	}
	all, cut := extract.Parts(page.Doc)
	p.list, p.own, p.truncated = make([]abi.Part, 0, len(all)), nil, cut
	for _, a := range all {
		p.list = append(p.list, abi.Part{Kind: abi.PartKind(a.Kind), Text: a.Text}) // the kinds are numbered alike
	}
	return p
}

// add adds a part, and what of it is no quotation.
func (p *Parts) add(part abi.Part, own string) {
	p.list = append(p.list, part)
	if part.Text = own; own != "" {
		p.own = append(p.own, part)
	}
}

// texts are the parts that modules compare with a topic: all but menus, if there
// is anything else.
func (p *Parts) texts() []string {
	var texts, menus []string
	for _, part := range p.list {
		if part.Kind == abi.Navigation {
			menus = append(menus, part.Text)
		} else {
			texts = append(texts, part.Text)
		}
	}
	if len(texts) == 0 {
		return menus
	}
	return texts
}

// Text is all of it that is compared with a topic.
func (p *Parts) Text() string { return p.title + "\n" + strings.Join(p.texts(), "\n") }

// page is the page as modules see it.
func (p *Parts) page(of *Page, links []Link) *score.Page {
	lang, _, _ := strings.Cut(strings.ToLower(p.lang), "-")
	out := &score.Page{URL: of.URL, Title: p.title, Parts: p.texts(), Lang: score.Lang(lang), Links: make([]score.Link, len(links))}
	for i, c := range links {
		anchor := c.Found.Text
		if c.Found.Paging {
			anchor = p.title // "2" says nothing; a further page is about the same as this one
		}
		out.Links[i] = score.Link{URL: c.At, Anchor: anchor, Context: c.Found.Around.Context, Known: c.Known, Pattern: c.Pattern}
	}
	return out
}

func (p *Parts) links(of *Page, links []Link) []abi.Link {
	out := make([]abi.Link, len(links))
	for i, c := range links {
		l := abi.Link{URL: c.At.String(), Anchor: c.Found.Text, Context: c.Found.Around.Context}
		for _, f := range [...]struct {
			set  bool
			flag abi.LinkFlags
		}{
			{c.Found.Around.NoFollow, abi.NoFollow}, {c.At.Host == of.URL.Host, abi.SameHost},
			{c.Found.Around.Image, abi.Image}, {c.Found.Around.Navigation, abi.InNavigation},
		} {
			if f.set {
				l.Flags |= f.flag
			}
		}
		out[i] = l
	}
	return out
}

// scoreRequest is the page as scorers see it.
func (p *Parts) scoreRequest(of *Page, links []abi.Link, parent float64) *abi.ScoreRequest {
	req := &abi.ScoreRequest{
		URL: of.URL.String(), Title: p.title, Parts: p.list, Links: links, Lang: p.lang, Depth: uint32(max(0, of.Scheduled.Hops)),
		HTTPStatus: uint32(of.Status), ContentType: of.MIME, Truncated: p.truncated,
	}
	if score.Given(parent) {
		req.ParentScore = float32(parent)
	}
	return req
}

// extractRequest is the page as extractors see it: without what posts quote.
func (p *Parts) extractRequest(of *Page, links []abi.Link) *abi.ExtractRequest {
	req := &abi.ExtractRequest{
		URL: of.URL.String(), Title: p.title, Parts: p.own, Links: links, Lang: p.lang, ContentType: of.MIME,
		CaptureUnix: uint64(max(0, of.Captured.Unix())), HTML: of.HTML(),
	}
	if req.Parts == nil {
		req.Parts = p.list
	}
	return req
}
