package testsites

import "time"

// person is somebody who wrote, as pages name them; URL is empty for a guest.
type person struct {
	ID   int
	Name string
	URL  string // of the profile, escaped, with the session id
}

// lastPost is what lists show of the newest post of a forum or topic.
type lastPost struct {
	Post  int
	Topic int
	Page  int // of the topic, on which the post stands
	Title string
	Who   person
	Time  time.Time
}

// topicRow is a line in a list of topics.
type topicRow struct {
	ID, Forum      int
	ForumName      string
	Title, Excerpt string
	By             person
	Created        time.Time
	Last           lastPost
	Replies, Views int
	Kind           topicKind
	Moved          bool
	Locked, Poll   bool
	Pages          int
	Odd            bool
}

// Sticky and Announced are what templates ask.
func (t topicRow) Sticky() bool    { return t.Kind == sticky && !t.Moved }
func (t topicRow) Announced() bool { return t.Kind >= announcement && !t.Moved }
func (t topicRow) Global() bool    { return t.Kind == globalAnnouncement && !t.Moved }

// forumRow is a line in a list of forums, or a category with its lines.
type forumRow struct {
	ID            int
	Name, Desc    string
	Category      bool
	Link          bool
	Topics, Posts int
	Subs          []*forum
	Last          *lastPost
	Rows          []forumRow // of a category
}

// postView is a post on a page.
type postView struct {
	ID, Number  int // Number counts from 1 within the topic
	Title       string
	Who         person
	Time        time.Time
	Body        string // markup
	Sig         string
	Edits       int
	Edited      time.Time
	Files       []fileView
	Posts       int // of the author
	Joined      time.Time
	Rank        string
	First, Last bool // on the page
	Odd         bool
}

// Opening reports whether the post opened the topic.
func (p postView) Opening() bool { return p.Number == 1 }

type fileView struct {
	ID    int
	Name  string
	Image bool
	Views int
}

// boardPages builds the views of a board for one request; profile makes links to members.
type boardPages struct {
	b       *board
	per     int // posts a page
	profile func(id int, name string) string
	body    func(p post) string
}

func (v boardPages) person(u int, name string) person {
	if u < 0 {
		return person{Name: name}
	}
	return person{ID: u + firstUser, Name: name, URL: v.profile(u+firstUser, name)}
}

func (v boardPages) last(id int) lastPost {
	t := v.b.topic(int(v.b.postTopic[id-1]))
	title := v.b.title(t)
	if v.b.place(id) > 0 {
		title = "Re: " + title
	}
	return lastPost{Post: id, Topic: t.id, Page: v.b.place(id)/v.per + 1, Title: title,
		Who: v.person(v.b.author(id)), Time: v.b.timeOf(id)}
}

func (v boardPages) topicRow(id int, in *forum, odd bool) topicRow {
	b, t := v.b, v.b.topic(id)
	first := b.firstOf(t)
	return topicRow{ID: id, Forum: t.forum, ForumName: b.forum(t.forum).name, Title: b.title(t), Excerpt: b.opening(first),
		By: v.person(b.author(first)), Created: b.timeOf(first), Last: v.last(b.lastOf(t)),
		Replies: int(t.count) - 1, Views: b.views(t), Kind: t.kind, Locked: t.locked, Poll: t.poll,
		Moved: in != nil && t.forum != in.id && t.kind != globalAnnouncement, Pages: pagesOf(int(t.count), v.per), Odd: odd}
}

// topicRows lists a page of a forum: announcements on each page, stubs of moved topics at the end of the last.
func (v boardPages) topicRows(f *forum, page, per int) (rows []topicRow, total int) {
	paged := v.b.pagedTopics(f)
	ids := append([]int32{}, f.topics[:len(f.topics)-len(paged)]...)
	if t := v.b.topic(2); t != nil && t.forum != f.id && f.kind == postable {
		ids = append([]int32{2}, ids...) // the global announcement stands in every forum
	}
	ids = append(ids, window(paged, page, per)...)
	if page == pagesOf(len(paged), per) {
		ids = append(ids, v.b.stubs[f.id]...)
	}
	for i, id := range ids {
		rows = append(rows, v.topicRow(int(id), f, i%2 == 0))
	}
	return rows, len(paged)
}

func (v boardPages) forumRow(f *forum) forumRow {
	row := forumRow{ID: f.id, Name: f.name, Desc: f.desc, Category: f.kind == category, Link: f.kind == linkForum,
		Topics: len(f.topics), Posts: f.posts, Subs: f.children}
	newest := f.lastPost
	if v.b.whole != nil { // as phpBB does, which makes a change below a forum visible above it
		newest = v.below(f, &row)
	}
	if newest > 0 {
		l := v.last(newest)
		row.Last = &l
	}
	return row
}

// below adds the topics and posts of the forums below one to its row, and returns the newest post.
func (v boardPages) below(f *forum, row *forumRow) (newest int) {
	newest = f.lastPost
	for _, c := range f.children {
		row.Topics, row.Posts = row.Topics+len(c.topics), row.Posts+c.posts
		newest = max(newest, v.below(c, row))
	}
	return newest
}

// forumRows lists what is below a forum; nil lists the whole board, categories with what they hold.
func (v boardPages) forumRows(parent *forum) []forumRow {
	var rows []forumRow
	if parent != nil {
		for _, f := range parent.children {
			rows = append(rows, v.forumRow(f))
		}
		return rows
	}
	for _, f := range v.b.forums {
		if f.parent == nil {
			row := v.forumRow(f)
			row.Rows = v.forumRows(f)
			rows = append(rows, row)
		}
	}
	return rows
}

func (v boardPages) postView(id int) postView {
	p := v.b.post(id)
	pv := postView{ID: p.id, Number: p.place + 1, Title: p.title, Who: v.person(p.user, p.name), Time: p.time,
		Body: v.body(p), Edits: p.edits, Edited: p.edited}
	for i := range p.attach {
		n := attachmentID(id, i)
		pv.Files = append(pv.Files, fileView{ID: n, Name: "scan-" + itoa(n) + []string{".jpg", ".zip"}[i], Image: i == 0, Views: n % 50})
	}
	if p.user >= 0 {
		pv.Posts, pv.Joined = int(v.b.users[p.user].count), v.b.joined(p.user)
	}
	if p.signed {
		pv.Sig = escape(v.b.signature(p.user))
	}
	if p.hasRank {
		pv.Rank = "Site Admin"
	}
	return pv
}

// postViews lists a page of a topic.
func (v boardPages) postViews(t *topic, page int) []postView {
	var views []postView
	ids := window(v.b.postsOf(t), page, v.per)
	for i, id := range ids {
		p := v.postView(int(id))
		p.First, p.Last, p.Odd = i == 0, i == len(ids)-1, i%2 == 0
		views = append(views, p)
	}
	return views
}

// neighbour is the topic of the same forum with the next older (step 1) or newer (-1) last post; nil at the ends.
func (b *board) neighbour(t *topic, step int) *topic {
	list := b.forum(t.forum).topics
	for i, id := range list {
		if int(id) == t.id {
			if i+step >= 0 && i+step < len(list) {
				return b.topic(int(list[i+step]))
			}
		}
	}
	return nil
}

// jump lists all forums, sub-forums behind their parents.
func (b *board) jump() []jumpEntry {
	var out []jumpEntry
	var add func(f *forum, depth int)
	add = func(f *forum, depth int) {
		out = append(out, jumpEntry{f.id, f.name, depth, f.kind == category})
		for _, c := range f.children {
			add(c, depth+1)
		}
	}
	for _, f := range b.forums {
		if f.parent == nil {
			add(f, 0)
		}
	}
	return out
}

type jumpEntry struct {
	ID       int
	Name     string
	Depth    int
	Category bool
}
