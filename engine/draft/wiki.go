package draft

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// isWiki reports whether most articles have a link to edit them, and some lead to others.
func (s *site) isWiki(t *threads) bool {
	if t.article == nil || t.posts != nil {
		return false
	}
	some := spread(t.pages, sample)
	editable := 0
	for _, p := range some {
		if slices.ContainsFunc(p.links, p.edits) {
			editable++
		}
	}
	return float64(editable) >= mostOf*float64(len(some)) && s.leads(&list{target: t.form, pages: t.pages}) > 0
}

// edits reports whether a link leads to an address with the word "edit" and the name of the page.
func (p *Page) edits(l link) bool {
	names := []string{path.Base(p.URL.Path)}
	if query := p.URL.Query(); len(query) > 0 {
		names = nil
		for _, values := range query {
			names = append(names, values[0])
		}
	}
	to := l.to.Path
	for key, values := range l.to.Query() {
		to += "?" + key + "=" + values[0]
	}
	words := strings.FieldsFunc(to, func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.Contains(words, "edit") && slices.ContainsFunc(names, func(name string) bool {
		return len(name) > 1 && strings.Contains(to, name) && !strings.Contains(name, "edit")
	})
}
