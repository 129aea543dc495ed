package testsites

// scoped hands a piece of a page to a template section that also needs the page, for its links and
// dates.
type scoped struct {
	G         *phpbbPage
	Row       *lastPost
	Rows      any
	Announced bool
}

// With and WithRows scope the last post of a list and the lines of a list.
func (g *phpbbPage) With(l *lastPost) scoped         { return scoped{G: g, Row: l} }
func (g *phpbbPage) WithRows(rows []forumRow) scoped { return scoped{G: g, Rows: rows} }

// Announcements returns the topics above the list proper; nil if there are none.
func (g *phpbbPage) Announcements() *scoped { return g.topicBlock(true) }

// PlainTopics returns the other topics.
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

// Here returns the address of the current page of a topic.
func (g *phpbbPage) Here() string { return g.L("%s", g.P.topicURL(g.Topic, g.Pager.Page)) }

// Canonical returns the same address with host and without session, as in the head of the page.
func (g *phpbbPage) Canonical() string {
	return escape(g.root + "/" + g.P.topicURL(g.Topic, g.Pager.Page))
}

// Root returns scheme, host and prefix; Path returns the requested path below them.
func (g *phpbbPage) Root() string { return g.root }
func (g *phpbbPage) Path() string { return g.path }

// TrapLinks returns the links to the traps.
func (g *phpbbPage) TrapLinks() string { return trapLinks(g.L("index.php")) }

// One scopes a single forum.
func (g *phpbbPage) One(row forumRow) scoped { return scoped{G: g, Rows: []forumRow{row}} }

// MarkURL returns the link that marks the entries of a list as read. It changes a state of the
// client; the page is the same.
func (g *phpbbPage) MarkURL() string {
	hash := newRandom(g.P.b.seed, "mark", 0).hex(8)
	if g.Forum != nil {
		return g.L("viewforum.php?hash=%s&f=%d&mark=topics", hash, g.Forum.id)
	}
	return g.L("index.php?hash=%s&mark=forums", hash)
}
