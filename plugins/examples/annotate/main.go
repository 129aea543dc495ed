// Command annotate is an extractor that says of each text which entities of a gazetteer it names, its keywords and its language.
package main

import (
	"strings"

	"github.com/abadojack/whatlanggo"

	"github.com/awarc/awarc/plugins/sdk"
	"github.com/awarc/awarc/plugins/sdk/extract"
	"github.com/awarc/awarc/plugins/sdk/names"
)

// Properties of texts.
const (
	mentions = "http://schema.org/mentions"
	keywords = "http://schema.org/keywords"
	language = "http://purl.org/dc/terms/language"
)

var options *settings

func init() {
	extract.OnConfigure(func(c *sdk.Config) (err error) {
		s, err := read(c.Raw, c.Topic.Params["entities"])
		if err == nil {
			options = s
		}
		return err
	})
	extract.OnPage(func(p *extract.Page, out *extract.Result) error {
		texts := textsOf(p)
		if len(texts) == 0 {
			return extract.NoOpinion
		}
		annotate(p.Lang, texts, out)
		return nil
	})
}

func main() {}

// text is what is said of one object of the page, or of the page.
type text struct {
	about string
	words []names.Word
	text  string

	language string
}

// textsOf puts the parts of an object together. What belongs to none is the page's; menus are nobody's.
func textsOf(p *extract.Page) (texts []text) {
	const navigation = 3
	page, _, _ := strings.Cut(p.URL, "#")
	places := map[string]int{}
	var parts [][]string
	left := mostText
	for _, part := range p.Parts {
		if left -= len(part.Text); part.Kind == navigation || left < 0 {
			continue
		}
		about := part.About
		if about == "" {
			about = page
		}
		i, ok := places[about]
		if !ok {
			i = len(texts)
			places[about] = i
			texts, parts = append(texts, text{about: about}), append(parts, nil)
		}
		parts[i] = append(parts[i], part.Text)
	}
	for i := range texts {
		texts[i].text = strings.Join(parts[i], "\n")
		texts[i].words = names.Split(texts[i].text)
		if i < mostTold {
			texts[i].language = languageOf(texts[i].text)
		}
	}
	return texts
}

// mostText is how many bytes of a page are read.
const mostText = 512 << 10

// Bounds of what is said of a page; the host takes 10,000 objects and 100,000 triples.
const (
	mostEntities = 5_000
	mostTriples  = 50_000
)

// annotate says what the texts of a page name, and what they are about.
func annotate(lang string, texts []text, out *extract.Result) {
	named := map[int]bool{}
	triples := 0
	say := func(subject, predicate, object string, kind extract.Triple) {
		if triples++; triples <= mostTriples {
			kind.Subject, kind.Predicate, kind.Object = subject, predicate, object
			out.Triple(kind)
		}
	}
	phrases := newPhrases(lang, texts)
	for _, t := range texts {
		for _, n := range options.names.Find(t.text, t.words) {
			if !named[n] && len(named) == mostEntities {
				continue
			}
			e := &options.entities[n]
			if !named[n] {
				named[n] = true
				out.Object(e.Class, e.IRI).Text("schema:name", e.Name, "")
			}
			say(t.about, mentions, e.IRI, extract.Triple{ObjectKind: extract.IRI})
		}
		for _, k := range phrases.in(t, options.keywords) {
			say(t.about, keywords, k, extract.Triple{ObjectKind: extract.Literal})
		}
		if options.language && t.language != "" {
			say(t.about, language, t.language, extract.Triple{ObjectKind: extract.Literal})
		}
	}
}

// Lengths of texts whose language is told, in bytes: shorter ones say too little, of longer ones the beginning is enough.
const (
	shortest = 80
	enough   = 600
	mostTold = 100 // texts of a page
)

// languageOf tells a text's language, where it is sure.
func languageOf(t string) string {
	if len(t) < shortest {
		return ""
	}
	info := whatlanggo.Detect(strings.ToValidUTF8(t[:min(len(t), enough)], ""))
	if !info.IsReliable() {
		return ""
	}
	return info.Lang.Iso6391()
}
