package extract

import (
	"net/url"
	"strings"
	"testing"
)

func TestStyleLinks(t *testing.T) {
	sheet, _ := url.Parse("http://h.example/css/a.css")
	for _, c := range []struct{ name, css, want string }{
		{"imports",
			`@charset "utf-8"; @import "b.css"; @IMPORT url(c.css) screen; @import'd.css' supports(font: "x") print;@import url("e.css")`,
			"/css/b.css /css/c.css /css/d.css /css/e.css"},
		{"addresses", `a{background:URL( 'd.png' )} b{background:url("e f(1).png")} u{background:url(/d2.png), url(../g.png)}`,
			"/css/d.png /css/e%20f(1).png /d2.png /g.png"},
		{"no addresses", `i{background:url(data:x)} s{background:url()} t{fill:url(#g)}
			/* url(/no) */ p{content:"url(/no)"} q{a:url(a b)}`, ""},
		{"escapes", `p{src:url(a\(b.png)} q{src:url("\68 .png")} r{src:url('\
c\'d.png')}`, "/css/a(b.png /css/h.png /css/c'd.png"},
		{"sets of images", `a{background:image-set("a.png" 1x, 'b.png' type("image/png") 2x, url(c.png) 3x)}
			b{background:-webkit-image-set(url(d.png) 1x)} c{background:Image-Set(linear-gradient(red, blue) 1x, "e.png")}`,
			"/css/a.png /css/b.png /css/c.png /css/d.png /css/e.png"},
		{"fonts", `@font-face{font-family:"F"; src: local("G"), url(f.woff2) format("woff2"), src("g.ttf")}`, "/css/f.woff2 /css/g.ttf"},
		{"with modifiers", `@import url("a.css" crossorigin(anonymous)); b{c:url("b.png" integrity("x"))}`, "/css/a.css /css/b.png"},
		{"variables", `:root{--logo: url(a.png)}`, "/css/a.png"},
		{"names of things", `@namespace svg url(http://www.w3.org/2000/svg);
			@-moz-document url(http://x/) {a{b:url(a.png)}}`, "/css/a.png"},
		{"unfinished", `a{b:url("a.png`, "/css/a.png"},
		{"unfinished, without quotes", `a{b:url(a.png `, "/css/a.png"},
		{"over the end of a line", "a{b:url(\"a.png\n)} c{d:url(b.png)}", "/css/b.png"},
		{"in comments of HTML, or CDATA", `<!-- a{b:url(a.png)} --> <![CDATA[ a{b:url(b.png)} ]]>`, "/css/a.png /css/b.png"},
	} {
		if got := urls(StyleLinks(c.css, sheet)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestStylesAreBounded: a style sheet takes as much time as it is long, whatever is in it.
func TestStylesAreBounded(t *testing.T) {
	for _, part := range []string{"url(", "url(\"", "\\", "image-set(", "@import ", "u+", "/*", "url(a", "--", "\"\\\n"} {
		StyleLinks(strings.Repeat(part, 1<<20/len(part)), fuzzBase)
	}
}
