package adapt

import (
	"fmt"
	"testing"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

func TestAButtonIsNoName(t *testing.T) {
	b := loadBuiltin(t)
	for _, c := range []struct {
		texts [4]string
		href  string
		want  bool
	}{
		{[4]string{"Ada", "Bo", "Ada", "Bo"}, "memberlist.php?mode=viewprofile&u=%d", true},
		{[4]string{"Webmail", "E-mail", "E-mail", "E-mail"}, "memberlist.php?mode=email&u=%d", false},
		{[4]string{"Ada", "Bo", "Bo", "Ada"}, "viewtopic.php#p%d", true}, // the post that the name leads to says nothing
	} {
		page := `<html><body>`
		for i, text := range c.texts {
			page += fmt.Sprintf(`<div><a href="`+c.href+`">%s</a></div>`, i%2, text)
		}
		p, _ := b.page(t, "phpbb", "https://quayside.example/viewtopic.php?t=7", page)
		s := newSession(b.base, p, Options{Lexicon: b.lexicon})
		name := &candidate{}
		name.reading.Expr, _ = xpath.Parse("a")
		spot := kb.Spot{Field: &kb.Field{Name: "creator"}, Objects: []*kb.Object{{Class: "sioc:Post"}}}
		q := &ask{s: s, spot: spot, field: spot.Field, sc: &scope{records: s.x.tags["div"]}, tk: newTaken(4)}
		if got := q.decide([]*candidate{name}).why == ""; got != c.want {
			t.Errorf("%q may be names: %v, want %v", c.texts, got, c.want)
		}
	}
}
