package testsites

import "strings"

// vbScoped hands a piece of a page to a template section that also needs the page, for its links and dates.
type vbScoped struct {
	G    *vbPage
	Row  *lastPost
	Rows any
	Post *postView
	Who  person
}

// With, WithRows and WithPost scope the last post of a list, the lines of one, and a post.
func (g *vbPage) With(l *lastPost) vbScoped         { return vbScoped{G: g, Row: l} }
func (g *vbPage) WithRows(rows []forumRow) vbScoped { return vbScoped{G: g, Rows: rows} }
func (g *vbPage) WithTopics(sticky bool) *vbScoped {
	var rows []topicRow
	for _, r := range g.Rows {
		if (r.Sticky() || r.Announced()) == sticky {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return &vbScoped{G: g, Rows: rows}
}
func (g *vbPage) WithWho(p person) vbScoped    { return vbScoped{G: g, Who: p} }
func (g *vbPage) WithPost(p postView) vbScoped { return vbScoped{G: g, Post: &p} }

// Begin are the first pages of a thread: the list links up to four.
func (g *vbPage) Begin(pages int) []int { return upTo(1, min(pages, 4)) }

// ArchivePages are the addresses of the pages of a list or thread in the plain archive.
func (g *vbPage) ArchivePages() []string {
	name := ""
	switch {
	case g.Topic != nil:
		name = "t-" + itoa(g.Topic.id)
	case g.Forum != nil:
		name = "f-" + itoa(g.Forum.id)
	}
	var out []string
	for n := range g.Pager.Pages {
		u := escape(g.root) + "/archive/index.php/" + name
		if n > 0 {
			u += "-p-" + itoa(n+1)
		}
		out = append(out, u+".html")
	}
	return out
}

// Plain is the body of a post as the plain archive has it.
func (p postView) Plain() string {
	return strings.ReplaceAll(escape(textOf(p.Body)), "\n", "<br />\n")
}
