package extract

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func parsed(t testing.TB, text string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestWhereLinksStand(t *testing.T) {
	page := `<!DOCTYPE html><html lang=en><body>
<ul class="main-menu"><li><a href=/home>Home</a> of the site</ul>
<p>The storm
   reached <a href=/coast rel="ugc nofollow">the <b>coast</b></a> at noon.<br>A line of its own has <a href=/own>a link</a> too.</p>
<p><a href=/alone> alone </a></p>
<table><tr><td>By <a href=/anna>Anna</a> in<td>another cell</table>
<a href=/card><div>A card</div></a> beside it
<a href=/picture><img src=x.png></a>
<p>` + strings.Repeat("before ", 600) + `<a href=/far>far</a>` + strings.Repeat(" after", 600) + `</p>`
	base := &url.URL{Scheme: "http", Host: "example.org", Path: "/"}
	got := map[string]Link{}
	for _, l := range Run(Page{Doc: parsed(t, page), URL: base, Around: true}).Links {
		got[strings.TrimPrefix(l.URL, "http://example.org")] = l
	}
	for path, want := range map[string]Around{
		"/home":    {Context: "Home of the site", Navigation: true},
		"/coast":   {Context: "The storm reached the coast at noon.", NoFollow: true},
		"/own":     {Context: "A line of its own has a link too."},
		"/alone":   {},
		"/anna":    {Context: "By Anna in"},
		"/picture": {Context: "beside it", Image: true},
		"/card":    {},
	} {
		if got[path].Around != want {
			t.Errorf("%s stands in %+v, want %+v", path, got[path].Around, want)
		}
	}
	far := got["/far"].Around.Context
	if len(far) > maxContext+3 || !strings.Contains(far, "before far after") {
		t.Errorf("the context of a link in a long paragraph has %d bytes: %.40q", len(far), far)
	}
	if l := Run(Page{Doc: parsed(t, page), URL: base}).Links[0]; l.Around != (Around{}) {
		t.Errorf("what was not asked for: %+v", l.Around)
	}
}

func TestSurroundingsOfHostilePagesAreBounded(t *testing.T) {
	base := &url.URL{Scheme: "http", Host: "example.org", Path: "/"}
	long := "<p>" + strings.Repeat("<a href=?", 1) + "x>y</a>" + strings.Repeat("words and more ", 1000)
	var b strings.Builder
	for i := range 10_000 {
		b.WriteString("<a href=?" + string(rune('a'+i%26)) + strings.Repeat("z", i%700) + ">l</a> ")
	}
	for name, page := range map[string]string{
		"one block of links": b.String() + long,
		"deep":               strings.Repeat("<b>", 300) + "<a href=/x>x</a> text",
		"anchor in anchor":   strings.Repeat("<a href=/y>y<div>", 400),
	} {
		size := 0
		for _, l := range Run(Page{Doc: parsed(t, page), URL: base, Around: true}).Links {
			size += len(l.Around.Context)
		}
		if size > maxContexts {
			t.Errorf("%s: contexts of %d bytes", name, size)
		}
	}
}

func TestPartsOfAPage(t *testing.T) {
	doc := parsed(t,
		`<!DOCTYPE html><html lang="en-GB"><head><title> A  title </title><meta name=Description content="what it is about">
		<script>no</script>
		</head>
<body><div id=nav><p>Home</p></div><h1>The <i>storm</i></h1><p>Rain,
wind<img alt="a map" src=x> and flood.</p><ul><li>one<li>two</ul><table><tr><td>cell</table><pre>x = 1</pre><script>no</script>`)
	parts, cut := Parts(doc)
	want := []Part{
		{MetaPart, "what it is about"}, {MenuPart, "Home"}, {HeadingPart, "The storm"}, {BodyPart, "Rain, wind"}, {PicturePart, "a map"},
		{BodyPart, "and flood."},
		{ListPart, "one"}, {ListPart, "two"}, {TablePart, "cell"}, {CodePart, "x = 1"},
	}
	if !slices.Equal(parts, want) || cut {
		t.Errorf("parts %+v, cut %v", parts, cut)
	}
	if title, lang := Title(doc), Language(doc); title != "A title" || lang != "en-GB" {
		t.Errorf("title %q, language %q", title, lang)
	}
	if _, cut := Parts(parsed(t, strings.Repeat("<p>word</p>", maxParts+1))); !cut {
		t.Error("a page with too many parts is not cut")
	}
}
