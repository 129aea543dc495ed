package conformance

import (
	"fmt"
	"strings"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
)

// page is what a plugin is asked about, as a scorer or as an extractor.
type page struct {
	name, url, title string
	parts            []abi.Part
	links            []abi.Link
	html             string
}

func (p page) score() *abi.ScoreRequest {
	return &abi.ScoreRequest{URL: p.url, Title: p.title, Parts: p.parts, Links: p.links, Lang: "en", Depth: 1, HTTPStatus: 200,
		ContentType: "text/html", ParentScore: 0.5}
}

func (p page) extract() *abi.ExtractRequest {
	return &abi.ExtractRequest{URL: p.url, Title: p.title, Parts: p.parts, Links: p.links, Lang: "en", ContentType: "text/html",
		HTML: p.html, CaptureUnix: 1_800_000_000}
}

func (p page) encode(k module.Kind, n abi.Needs) []byte {
	if k == module.Scorer {
		return p.score().Append(nil, n)
	}
	return p.extract().Append(nil, n)
}

const sentence = "The tropical storm brought rain to the coast, and nobody in the old harbour slept before the flood had passed. "

// topic is one that the pages are about.
func topic() abi.Topic {
	return abi.Topic{Name: "storms", Lang: "en", SeedURLs: []string{"http://example.org/"}, Params: map[string]string{"region": "coast"},
		Terms: []abi.Term{
			{Text: "storm", Weight: 1}, {Text: "tropical storm", Weight: 2, Flags: abi.TermPhrase}, {Text: "flood"},
			{Text: "rain", Weight: 0.5},
			{Text: "sale", Weight: 1, Flags: abi.TermNegative}, {Text: "h[ae]rbour", Weight: 1, Flags: abi.TermRegexp},
			{Text: "地震", Weight: 1}, {Text: "Sturmflut Köln", Weight: 1}}}
}

// textPage has so many bytes of text and so many links. Its HTML says the same.
func textPage(name string, bytes, links int) page {
	p := page{name: name, url: "http://example.org/weather", title: "Storm warning for the coast"}
	for n := 0; n < bytes; n += 1000 {
		p.parts = append(p.parts, abi.Part{Kind: abi.PartKind(n / 1000 % 2), Text: strings.Repeat(sentence, 10)[:min(1000, bytes-n)]})
	}
	for i := range links {
		p.links = append(p.links, abi.Link{URL: fmt.Sprintf("http://example.org/weather/page-%d", i), Anchor: "More about the flood",
			Context: sentence, Flags: abi.LinkFlags(i % 16)})
	}
	p.html = p.render()
	return p
}

// render is the page as HTML, with an object of schema.org in it both ways.
func (p page) render() string {
	var b strings.Builder
	b.WriteString("<!doctype html><html lang=en><title>" + p.title +
		`</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"Event","name":"Storm fair",` +
		`"startDate":"2026-11-21T10:00:00Z"}</script>` +
		`<div itemscope itemtype="https://schema.org/Person"><span itemprop="name">Ann Shore</span></div>`)
	for _, part := range p.parts {
		b.WriteString("<p>" + part.Text + "</p>\n")
	}
	for _, l := range p.links {
		b.WriteString(`<li><a href="` + l.URL + `">` + l.Anchor + "</a> " + l.Context + "</li>\n")
	}
	return b.String()
}

// variants are small pages that differ.
func variants(n int) []page {
	words := []string{"storm", "flood", "sale", "tropical storm", "harbour", "地震", "rain", "umbrella", "Sturmflut Köln", "coast"}
	pages := make([]page, n)
	for i := range pages {
		p := textPage(fmt.Sprintf("variant %d", i), 100*(i%7), i%5)
		p.url = fmt.Sprintf("http://example.org/%d", i)
		p.title = words[i%len(words)] + " and " + words[(3*i+1)%len(words)]
		p.parts = append(p.parts, abi.Part{Text: strings.Repeat(words[(7*i+2)%len(words)]+" ", i%11)})
		p.html = p.render()
		pages[i] = p
	}
	return pages
}

// oddTexts are hard to take apart.
var oddTexts = []struct{ name, text string }{
	{"text beyond ASCII", "Ünïcödé ШТОРМ 東京で地震が Καλημέρα ☔"},
	{"text from right to left", "عاصفة استوائية \u202eתל אביב\u202c"},
	{"emoji", "👩‍👩‍👧‍👦 🌪️ storm 🏴󠁧󠁢󠁥󠁮󠁧󠁿"},
	{"replacement characters", "\uFFFD storm \uFFFD\uFFFD"},
	{"NUL bytes", "storm\x00flood\x00\x00"},
	{"control characters", "storm\x1b[2J\r\n\t\x7f\u0085\u2028 flood"},
	{"one word of 1 MB", strings.Repeat("storm", 200_000)},
	{"separators only", strings.Repeat(" ,.;", 10_000)},
	{"characters of four bytes", strings.Repeat("𝄞𠀀", 10_000)},
	{"markup", strings.Repeat("<div itemscope><script type=application/ld+json>{\"@type\":[[[", 2_000)},
}
