package engine_test

import (
	"strings"
	"testing"
)

// TestTextsHaveTheirLanguage: titles and texts are in the language that the page states, unless they are plainly in another.
func TestTextsHaveTheirLanguage(t *testing.T) {
	const english = "The harbour was quiet when we came back in the evening, and nobody had looked after the boats while the wind rose " +
		"over the water. We made them fast with two more ropes and went home. "
	const french = "Le port était calme quand nous sommes revenus le soir, et personne n'avait surveillé les bateaux pendant que le " +
		"vent se levait sur l'eau. Nous les avons attachés avec deux cordes de plus et nous sommes rentrés. "
	post := func(lang, text string) string {
		return "<html lang='" + lang + "'><head><title>x</title><meta name=generator content='WordPress 6.4'>" +
			"<body class='single single-post postid-1'>" +
			"<article id=post-1 class='post type-post hentry'><h1 class=entry-title>A title</h1><div class=entry-content><p>" + text +
			"</p></div></article>"
	}
	for _, c := range []struct{ page, want, not string }{
		{post("en-GB", english), `"A title"@en-GB `, "@fr"},
		{post("en-GB", french), `"A title"@fr `, "@en"},
		{post("", "Short."), `"A title" `, "@"},
		{post("de", "Short."), `"Short."@de `, "@en"},
		{post("en-gb", "谢谢"), `"谢谢"@zh `, "@en"},
		{post("en-gb", "Short."), `"Short."@en-GB `, "@en-gb"},
	} {
		w := newWorld(t)
		w.crawl(serve(t, site{"/": c.page}) + "/")
		quads := string(w.archiver.captures[1].Quads)
		if !strings.Contains(quads, c.want) || strings.Contains(strings.ReplaceAll(quads, "@sha256", ""), c.not) {
			t.Errorf("the graph lacks %s, or has %s:\n%s", c.want, c.not, quads)
		}
	}
}
