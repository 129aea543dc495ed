package testsites

// scoped hands a piece of a page to a template section that also needs the page, for its links and dates.
type scoped struct {
	G         *phpbbPage
	Row       *lastPost
	Rows      any
	Announced bool
}

// With and WithRows scope the last post of a list and the lines of one.
func (g *phpbbPage) With(l *lastPost) scoped         { return scoped{G: g, Row: l} }
func (g *phpbbPage) WithRows(rows []forumRow) scoped { return scoped{G: g, Rows: rows} }

// Announcements are the topics above the list proper; nil when there are none.
func (g *phpbbPage) Announcements() *scoped { return g.topicBlock(true) }

// PlainTopics are the others.
func (g *phpbbPage) PlainTopics() *scoped { return g.topicBlock(false) }

func (g *phpbbPage) topicBlock(announced bool) *scoped {
	var rows []topicRow
	for _, r := range g.Rows {
		if r.Announced() == announced {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return &scoped{G: g, Rows: rows, Announced: announced}
}

// Here is the address of the page of a topic at hand.
func (g *phpbbPage) Here() string { return g.L("%s", g.P.topicURL(g.Topic, g.Pager.Page)) }

// Canonical is the same without session and with host, as the head of the page states it.
func (g *phpbbPage) Canonical() string {
	return escape(g.root + "/" + g.P.topicURL(g.Topic, g.Pager.Page))
}

// Root is scheme, host and prefix; Path what was asked for below.
func (g *phpbbPage) Root() string { return g.root }
func (g *phpbbPage) Path() string { return g.path }

// TrapLinks are the ways into the parts without end.
func (g *phpbbPage) TrapLinks() string { return trapLinks(g.L("index.php")) }

// One scopes a single forum.
func (g *phpbbPage) One(row forumRow) scoped { return scoped{G: g, Rows: []forumRow{row}} }

// MarkURL marks what a list holds as read: a state of the client, the same page.
func (g *phpbbPage) MarkURL() string {
	hash := newRandom(g.P.b.seed, "mark", 0).hex(8)
	if g.Forum != nil {
		return g.L("viewforum.php?hash=%s&f=%d&mark=topics", hash, g.Forum.id)
	}
	return g.L("index.php?hash=%s&mark=forums", hash)
}
