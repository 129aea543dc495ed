package score

import (
	"net/url"
	"sync"
)

// Page is a fetched page as modules see it. It is not changed.
type Page struct {
	URL   *url.URL
	Title string
	// Parts are the texts of the page from the application-aware helper: the contents
	// of the objects if the application is known, without menus and advertisements;
	// otherwise the text of the whole page.
	Parts []string
	// Lang is the language that the page declares; "" for none.
	Lang  Lang
	Links []Link

	once     sync.Once
	detected Lang
}

// Link is one link of a page that is in scope.
type Link struct {
	URL    *url.URL
	Anchor string // its text
	// Context is the paragraph around it with its own text; "" for none.
	Context string
	// Known is the score that the knowledge base gives the link, by its action and the
	// level it leads to, from 0 to 1; [None] if it has none.
	Known float64
	// Pattern is the score of earlier pages behind links of the same pattern, from 0 to 1; [None]
	// if there are none.
	Pattern float64
}

// language returns the language of a page: the detected one, or else the declared one. It is
// detected once for all modules.
func (p *Page) language() Lang {
	p.once.Do(func() { p.detected = p.detect() })
	return p.detected
}

func (p *Page) detect() Lang {
	text := p.Title
	for _, part := range p.Parts {
		if text += "\n" + part; len(text) > detectMax {
			break
		}
	}
	if l := Detect(text); l != "" {
		return l
	}
	return p.Lang
}
