package testsites

import (
	"strings"
	"time"
)

// comment is a comment of a blog post.
type comment struct {
	id       int
	parent   int // id of the comment it answers, 0
	depth    int // from 1
	name     string
	url      string // of the author's own site, ""
	time     time.Time
	text     []string // paragraphs, plain
	pingback bool
	byAuthor bool // the author of the post
}

// maxDepth is how deep comments nest: the setting that WordPress comes with.
const maxDepth = 5

// commentsOf lists the comments of a post, oldest first.
func (b *blog) commentsOf(i int) []comment {
	list := make([]comment, 0, b.comments(i))
	at := b.time(i)
	for k := range b.comments(i) {
		id := int(b.first[i]) + k + 1
		r := newRandom(b.seed, "comment", id)
		at = at.Add(time.Duration(1+r.n(40_000)) * time.Second)
		c := comment{id: id, depth: 1, time: at}
		if k > 0 && r.percent(45) {
			if p := list[k-1-r.n(min(k, 12))]; !p.pingback && p.depth < maxDepth {
				c.parent, c.depth = p.id, p.depth+1
			}
		}
		l := b.langOf(i)
		switch p := r.n(100); {
		case p < 6 && c.parent == 0:
			c.pingback = true
			c.name, c.url = texturize(l.title(r))+" | Elsewhere", "https://elsewhere.example.net/?p="+itoa(id)
			c.text = []string{"[…] " + texturize(l.sentence(r)) + " […]"}
		case p < 14:
			c.name, c.byAuthor = b.author(i).name, true
		case p < 40:
			c.name = r.pick(userNames())
			c.url = "https://people.example.org/" + itoa(r.n(500))
		case p < 45:
			c.name = "Anonymous"
		default:
			c.name = r.pick(userNames())
		}
		if !c.pingback {
			for range 1 + r.n(2) {
				c.text = append(c.text, texturize(l.paragraph(r, 1+r.n(3))))
			}
		}
		list = append(list, c)
	}
	return list
}

// threads arranges comments into top-level ones with their answers below.
type commentNode struct {
	comment
	children []*commentNode
}

func threads(list []comment) []*commentNode {
	byID := map[int]*commentNode{}
	var top []*commentNode
	for _, c := range list {
		n := &commentNode{comment: c}
		byID[c.id] = n
		if p := byID[c.parent]; p != nil {
			p.children = append(p.children, n)
		} else {
			top = append(top, n)
		}
	}
	return top
}

// body returns the parts of a post, one for each of its pages; most have one. Modern is the markup of the block editor.
func (b *blog) body(i int, modern bool, pictureURL func(n int) string) []string {
	r := newRandom(b.seed, "body", i)
	l := b.langOf(i)
	pages := 1
	if i%11 == 3 {
		pages = 2 + r.n(2)
	}
	if i%13 == 5 { // a picture and no word
		return []string{figure(pictureURL(i), pictureURL(-1-i), "", modern)}
	}
	out := make([]string, pages)
	for p := range out {
		var s strings.Builder
		for n := range 1 + r.n(4) {
			if n > 0 && r.percent(30) {
				s.WriteString(b.element(r, l, modern))
			}
			text := escape(texturize(l.paragraph(r, 2+r.n(5))))
			s.WriteString("\n<p>" + text + "</p>\n\n")
		}
		out[p] = s.String()
	}
	if hasPicture(i) {
		out[0] += figure(pictureURL(i), pictureURL(-1-i), escape(texturize(l.sentence(r))), modern)
	}
	return out
}

func hasPicture(i int) bool { return i%4 == 1 || i%13 == 5 }

// element is something between paragraphs.
func (b *blog) element(r *random, l *language, modern bool) string {
	text := escape(texturize(l.sentence(r)))
	class := func(s string) string {
		if modern {
			return ` class="wp-block-` + s + `"`
		}
		return ""
	}
	switch r.n(5) {
	case 0:
		return "\n<h2>" + escape(texturize(l.title(r))) + "</h2>\n\n"
	case 1:
		return "\n<ul><li>" + text + "</li><li>" + escape(texturize(l.sentence(r))) + "</li></ul>\n\n"
	case 2:
		return "\n<blockquote" + class("quote") + "><p>" + text + "</p><cite>" + escape(r.pick(userNames())) + "</cite></blockquote>\n\n"
	case 3:
		return "\n<pre" + class("code") + "><code>if [ \"$level\" -gt 3 ] &amp;&amp; echo &lt;full&gt;</code></pre>\n\n"
	default:
		return "\n<p>" + text + " <a href=\"https://example.org/?a=1&#038;b=" + itoa(r.n(99)) + "\">" + escape(r.pick(l.things)) +
			"</a></p>\n\n"
	}
}

// figure is a picture that links to its own page.
func figure(src, page, caption string, modern bool) string {
	if modern {
		if caption != "" {
			caption = `<figcaption class="wp-element-caption">` + caption + `</figcaption>`
		}
		return "\n<figure class=\"wp-block-image size-large\"><a href=\"" + page +
			`"><img decoding="async" loading="lazy" width="640" height="400" src="` + src + `" alt="" class="wp-image"/></a>` + caption +
			"</figure>\n\n"
	}
	img := `<a href="` + page + `"><img title="" src="` + src + `" alt="" width="300" height="188" class="size-medium" /></a>`
	if caption == "" {
		return "\n<p>" + img + "</p>\n"
	}
	return "\n<div class=\"wp-caption alignnone\" style=\"width: 310px\">" + img + `<p class="wp-caption-text">` + caption + "</p></div>\n"
}

// staticBody is the text of a page.
func (b *blog) staticBody(s *static) string {
	r := newRandom(b.seed, "static", s.id)
	var out strings.Builder
	for range 2 + r.n(3) {
		out.WriteString("\n<p>" + escape(texturize(b.langs[0].paragraph(r, 3+r.n(3)))) + "</p>\n\n")
	}
	return out.String()
}

// excerpt is the beginning of a post's text: 55 words, or the same number of letters times six where words have no gaps.
func excerpt(body string) (text string, cut bool) {
	words := strings.Fields(textOf(body))
	if len(words) > 55 {
		return strings.Join(words[:55], " "), true
	}
	return strings.Join(words, " "), false
}
