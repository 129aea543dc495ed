package adapt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOneChangeOfTheTemplate: what one name became explains all that is missing, objects inside others and their parts too.
func TestOneChangeOfTheTemplate(t *testing.T) {
	b := loadBuiltin(t)
	const at = "https://boats.stackexchange.com/questions/7/which-glue"
	comment := regexp.MustCompile(`<li id="comment-.*?</li>`)
	body := comment.ReplaceAllStringFunc(template(t, "stackexchange-2022-topic.html"), func(one string) string {
		all := ""
		for i, text := range replies { // one alone may be anything
			is := strings.NewReplacer("Which wood?", text, "Thanks.", text, `"comment-3`, fmt.Sprintf(`"comment-%d3`, i+1))
			all += is.Replace(one)
		}
		return all
	})
	_, want := b.page(t, "stackexchange", at, body)
	for _, to := range []string{`id="site-comment-`, `id="comment_`, `data-anchor="x" name="comment-`} {
		p, h := b.page(t, "stackexchange", at, strings.ReplaceAll(body, `id="comment-`, to))
		if len(h.Objects) >= len(want.Objects) {
			t.Errorf("%s: nothing is lost", to)
		}
		if got := fieldsOf(b.mend(p, h).Harvest); !slices.Equal(got, fieldsOf(want)) {
			t.Errorf("%s:\n%s\nwant\n%s", to, strings.Join(got, "\n"), strings.Join(fieldsOf(want), "\n"))
		}
	}
}

// TestALevelWithNothingToLookFor: the front of a site that lacks only the name of its kind is that, though a date and an author on it
// could be found for a post.
func TestALevelWithNothingToLookFor(t *testing.T) {
	b := loadBuiltin(t)
	body := regexp.MustCompile(`<body[^>]*>`).ReplaceAllString(template(t, "wordpress-static-home.html"), "<body>")
	by := `<p class="posted"><span class="when">May 4, 2019</span> by <a rel="author" class="author" href="/author/ada/">Ada</a></p>`
	content := `<div class="entry-content">`
	body = strings.Replace(body, content, by+content+strings.Repeat(sentenceOf+" ", 6), 1)
	p, h := b.page(t, "wordpress", "https://quayside.example/", body)
	if h.Level != nil {
		t.Fatalf("its level is told: %v", h.Level.ID)
	}
	if a := b.mend(p, h); a.Harvest.Level == nil || a.Harvest.Level.ID != "home" {
		t.Errorf("%+v", a.Left)
	}
}
