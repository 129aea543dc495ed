package testsites

import (
	"iter"
	"strings"
)

// body is the markup of a message as vBulletin's BB code parser makes it.
func (g *vbPage) body(p post) string {
	var b strings.Builder
	for i, x := range p.blocks {
		if i > 0 && x.kind != list && p.blocks[i-1].kind != quotation {
			b.WriteString("<br />\n<br />\n")
		}
		text := escape(x.text)
		switch {
		case x.kind == quotation:
			g.quote(&b, x)
		case x.kind == code && g.V.four:
			b.WriteString(`<div class="bbcode_container"><div class="bbcode_description">Code:</div><pre class="bbcode_code" ` +
				`style="height:48px;">` + text + `</pre></div>`)
		case x.kind == code:
			b.WriteString(`<div style="margin:20px; margin-top:5px"><div class="smallfont" style="margin-bottom:2px">Code:</div><pre ` +
				`class="alt2" dir="ltr" style="margin: 0px; padding: 6px; border: 1px inset; overflow: auto">` + text + `</pre></div>`)
		case x.kind == picture:
			b.WriteString(`<img src="https://pictures.example.org/` + itoa(x.ref) + `.jpg" border="0" alt="" />`)
		case x.kind == bold:
			b.WriteString("<b>" + text + "</b>")
		case x.kind == list:
			b.WriteString("<ul><li>" + strings.Join(escapeAll(x.items), "</li><li>") + "</li></ul>")
		case x.kind == linked:
			b.WriteString(`<a href="` + text + `" target="_blank">` + text + `</a>`)
		default:
			b.WriteString(text)
		}
	}
	return b.String()
}

func (g *vbPage) quote(b *strings.Builder, x block) {
	by := `Originally Posted by <strong>` + escape(x.who) + `</strong> <a href="` + g.PostURL(x.ref) + `" rel="nofollow">`
	if g.V.four {
		b.WriteString(`<div class="bbcode_container"><div class="bbcode_quote"><div class="quote_container"><div ` +
			`class="bbcode_quote_container"></div>` +
			`<div class="bbcode_postedby"><img src="images/misc/quote_icon.png" alt="Quote" /> ` + by +
			`<img class="inlineimg" src="images/buttons/viewpost-right.png" alt="View Post" /></a></div><div class="message">` +
			escape(x.text) + "</div></div></div></div>\n")
		return
	}
	b.WriteString(`<div style="margin:20px; margin-top:5px; "><div class="smallfont" style="margin-bottom:2px">Quote:</div>` +
		`<table cellpadding="6" cellspacing="0" border="0" width="100%"><tr><td class="alt2" style="border:1px inset"><div>` + by +
		`<img class="inlineimg" src="images/buttons/viewpost.gif" border="0" alt="View Post" /></a></div><div style="font-style:italic">` +
		escape(x.text) + "</div></td></tr></table></div>\n")
}

func (v *vbulletin) pages(root string) iter.Seq[Page] {
	return func(yield func(Page) bool) {
		if !yield(Page{root + "/", "index"}) {
			return
		}
		for _, f := range v.b.forums {
			if f.kind == linkForum {
				continue
			}
			for n := range pagesOf(len(v.b.pagedTopics(f)), v.perForum) {
				if !yield(Page{root + "/" + v.forumURL(f, n+1), "forum"}) {
					return
				}
			}
		}
		for i := range v.b.topics {
			t := &v.b.topics[i]
			for n := range pagesOf(int(t.count), v.perTopic) {
				if !yield(Page{root + "/" + v.topicURL(t, n+1), "topic"}) {
					return
				}
			}
		}
	}
}

func (v *vbulletin) objects(root string) iter.Seq[Object] {
	g := &vbPage{V: v, request: &request{}}
	o := boardTruth{b: v.b, per: v.perTopic, created: "2006-01-02T15:04", describe: v.four,
		forumURL: func(f *forum) string { return root + "/" + v.forumURL(f, 1) },
		topicURL: func(t *topic, page int) string { return root + "/" + v.topicURL(t, page) },
		body:     g.body}
	return o.objects
}
