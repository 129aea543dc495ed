package adapt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

// otherClasses gives a page another class for each one.
func otherClasses(body string) string {
	turned := func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return 'a' + (r-'a'+13)%26
		}
		return r
	}
	return regexp.MustCompile(`class=["']([^"']*)["']`).ReplaceAllStringFunc(body, func(attr string) string {
		return `class="` + strings.Map(turned, strings.ToLower(attr[len("class='"):len(attr)-1])) + `"`
	})
}

// TestFurniture: of wikis all of whose classes are others the texts are as they were, without what the template writes of
// their pages, and who changed them and when is known, once four pages agree.
func TestFurniture(t *testing.T) {
	b := loadBuiltin(t)
	for _, c := range []struct {
		typ          kb.TypeID
		template     string
		folder, page string
		edits        []string
	}{
		{"mediawiki", "mediawiki-vector-article.html", "wiki", "Carvel_planking", []string{
			"</head>", `<script>RLCONF={"wgIsArticle":true}</script></head>`,
			">…<", ">http://wiki.example/w?title=Carvel_planking&oldid=7<",
			`<div class="navbox">`, `<div role="navigation">`}},
		{"dokuwiki", "dokuwiki-dokuwiki-article.html", "rig", "gaff", nil},
	} {
		body := strings.NewReplacer(c.edits...).Replace(template(t, c.template))
		l := New(LearnerOptions{})
		for n := 1; n <= 4; n++ {
			name := fmt.Sprintf("%s_%d", c.page, n)
			at := "http://wiki.example/" + c.folder + "/" + name
			whole := strings.ReplaceAll(body, c.page, name)
			p, h := b.page(t, c.typ, at, otherClasses(whole))
			_, want := b.page(t, c.typ, at, whole)
			r := l.Page(b.base, p, h)
			got := r.Harvest
			if r.Provisional != nil {
				got = *r.Provisional
			}
			if !slices.Equal(fieldsOf(got), fieldsOf(want)) {
				t.Errorf("%s, page %d:\n%q\nwant\n%q\nas it was\n%q", c.typ, n, fieldsOf(got), fieldsOf(want), fieldsOf(h))
			}
		}
	}
}
