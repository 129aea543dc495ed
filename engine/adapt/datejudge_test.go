package adapt

import (
	"strings"
	"testing"
)

// TestDatesOfFormsAndComments has a post whose own date is not there: neither the time at which a form was made nor
// the date of a comment is its date, and who wrote that, or may cancel writing one, is not its author.
func TestDatesOfFormsAndComments(t *testing.T) {
	b := loadBuiltin(t)
	text := strings.Repeat("<p>Splice the eye before the rope is cut, and whip the end.</p>", 12)
	body := `<html><head><meta name="generator" content="WordPress 4.3"><title>Splicing - Quay</title></head><body class="single ` +
		`single-post"><div id="main"><h1 class="headline">Splicing</h1><div class="text">` + text + `</div>
<div class="k1"><p>Well said.</p><small class="commentmetadata">` +
		`<a class="url" href="/author/ina/">Ina</a> <a href="#comment-19">2014.07.21 17:01</a></small></div>
<form action="/wp-comments-post.php"><a rel="nofollow" id="cancel-comment-reply-link" href="/#respond">Cancel</a>` +
		`<input type="hidden" name="cptch_time" value="1447183610"></form></div></body></html>`
	p, h := b.page(t, "wordpress", "http://quay.example/2014/07/splicing/", body)
	for _, f := range fieldsOf(b.mend(p, h).Harvest) {
		if strings.HasPrefix(f, "sioct:BlogPost 1 created") || strings.HasPrefix(f, "sioct:BlogPost 1 creator") {
			t.Error(f)
		}
	}
}
