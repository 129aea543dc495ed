package testsites

import "net/url"

// wpScoped hands a post of a list to a template section that also needs the page.
type wpScoped struct {
	G   *wpPage
	Row wpPost
}

// With scopes a post.
func (g *wpPage) With(p any) wpScoped {
	if one, ok := p.(*wpPost); ok {
		return wpScoped{g, *one}
	}
	return wpScoped{g, p.(wpPost)}
}

// RestKind is the collection of the REST interface that the page's object is in.
func (g *wpPage) RestKind() string {
	switch {
	case g.Static:
		return "pages"
	case g.Attachment != "":
		return "media"
	}
	return "posts"
}

// Embed is the address of the description of the page for other sites.
func (g *wpPage) Embed(more string) string {
	return g.U("/wp-json/oembed/1.0/embed?url=%s%s", url.QueryEscape(g.Canonical), more)
}
