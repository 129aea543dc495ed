package testsites

import (
	"iter"
	"strings"
)

// selectCode is the control above a code box. It is not part of the message.
const selectCode = `<a href="#" onclick="selectCode(this); return false;">Select all</a>`

// body is the markup of a message as phpBB's text formatter makes it.
func (g *phpbbPage) body(p post) string {
	br := "<br>\n<br>\n"
	if g.P.old {
		br = "<br />\n<br />\n"
	}
	var b strings.Builder
	for i, x := range p.blocks {
		if i > 0 && x.kind != list && p.blocks[i-1].kind != quotation {
			b.WriteString(br)
		}
		if g.P.old {
			g.blockOld(&b, x)
		} else {
			g.block(&b, x)
		}
	}
	return b.String()
}

// block writes markup of 3.3.
func (g *phpbbPage) block(b *strings.Builder, x block) {
	text := escape(x.text)
	switch x.kind {
	case quotation:
		at, who := g.L("viewtopic.php?p=%d#p%d", x.ref, x.ref), escape(x.who)
		if u, name := g.P.b.author(x.ref); u >= 0 {
			who = `<a href="` + g.L("memberlist.php?mode=viewprofile&u=%d", u+firstUser) + `">` + escape(name) + `</a>`
		}
		b.WriteString(`<blockquote cite="` + at + `"><div><cite>` + who + ` wrote: <a href="` + at + `" data-post-id="` + itoa(x.ref) +
			`" onclick="if(document.getElementById(hash.substr(1)))href=hash">↑</a><span class="responsive-hide">` +
			g.Date(g.P.b.timeOf(x.ref)) + `</span></cite>` + text + "</div></blockquote>\n")
	case code:
		b.WriteString(`<div class="codebox"><p>Code: ` + selectCode + `</p><pre><code>` + text + `</code></pre></div>`)
	case picture:
		b.WriteString(`<img src="https://pictures.example.org/` + itoa(x.ref) + `.jpg" class="postimage" alt="Image">`)
	case bold:
		b.WriteString(`<strong class="text-strong">` + text + `</strong>`)
	case list:
		b.WriteString("\n<ul><li>" + strings.Join(escapeAll(x.items), "</li><li>") + "</li></ul>")
	case linked:
		b.WriteString(`<a href="` + text + `" class="postlink">` + text + `</a>`)
	default:
		b.WriteString(text)
	}
}

// blockOld writes markup of 3.0 with subSilver2.
func (g *phpbbPage) blockOld(b *strings.Builder, x block) {
	text := escape(x.text)
	switch x.kind {
	case quotation:
		b.WriteString(`<div class="quotetitle">` + escape(x.who) + ` wrote:</div><div class="quotecontent">` + text + "</div><br />")
	case code:
		b.WriteString(`<div class="codetitle"><b>Code:</b></div><div class="codecontent">` + strings.ReplaceAll(text, "\n", "<br />") +
			`</div>`)
	case picture:
		b.WriteString(`<img src="https://pictures.example.org/` + itoa(x.ref) + `.jpg" alt="Image" />`)
	case bold:
		b.WriteString(`<span style="font-weight: bold">` + text + `</span>`)
	case list:
		b.WriteString("\n<ul><li>" + strings.Join(escapeAll(x.items), "</li><li>") + "</li></ul>")
	case linked:
		b.WriteString(`<!-- m --><a class="postlink" href="` + text + `">` + text + `</a><!-- m -->`)
	default:
		b.WriteString(text)
	}
}

func escapeAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = escape(s)
	}
	return out
}

func (p *phpbb) pages(root string) iter.Seq[Page] {
	return func(yield func(Page) bool) {
		if !yield(Page{root + "/", "index"}) {
			return
		}
		for _, f := range p.b.forums {
			if f.kind == linkForum {
				continue
			}
			for n := range pagesOf(len(p.b.pagedTopics(f)), p.perForum) {
				if !yield(Page{root + "/" + p.forumURL(f, n+1), "forum"}) {
					return
				}
			}
		}
		for i := range p.b.topics {
			t := &p.b.topics[i]
			for n := range pagesOf(int(t.count), p.perTopic) {
				if !yield(Page{root + "/" + p.topicURL(t, n+1), "topic"}) {
					return
				}
			}
		}
	}
}

func (p *phpbb) objects(root string) iter.Seq[Object] {
	g := &phpbbPage{P: p, request: &request{}}
	second := "2006-01-02T15:04:05"
	if p.old {
		second = "2006-01-02T15:04" // the text shows no seconds
	}
	o := boardTruth{b: p.b, per: p.perTopic, created: second, reply: true, describe: !p.old,
		forumURL: func(f *forum) string { return root + "/" + p.forumURL(f, 1) },
		topicURL: func(t *topic, page int) string { return root + "/" + p.topicURL(t, page) },
		body:     func(p post) string { return strings.ReplaceAll(g.body(p), selectCode, "") }}
	return o.objects
}
