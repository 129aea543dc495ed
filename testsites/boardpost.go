package testsites

import (
	"strings"
	"time"
)

// post is a post of a board, computed from its id.
type post struct {
	id      int
	topic   *topic
	place   int // within the topic, from 0
	user    int // index into users, -1 for a guest
	name    string
	time    time.Time
	title   string // the topic's for the first, "Re: ..." as far as the CMS shows it for others
	blocks  []block
	edits   int       // times edited
	edited  time.Time // last edit
	attach  int       // number of attachments
	signed  bool
	hasRank bool
}

// title of a topic.
func (b *board) title(t *topic) string {
	return b.langs[t.lang].title(newRandom(b.seed, "title", t.id))
}

// author returns the user index and name of the author of a post.
func (b *board) author(id int) (int, string) {
	u := int(b.postUser[id-1])
	if u < 0 {
		return -1, guestName(newRandom(b.seed, "guest", id))
	}
	return u, userName(u)
}

// opening is the first paragraph of a post: what others quote of it.
func (b *board) opening(id int) string {
	return b.ownText(id)[0].text
}

func (b *board) ownText(id int) []block {
	l := &b.langs[b.topics[b.postTopic[id-1]-1].lang]
	r := newRandom(b.seed, "text", id)
	if r.percent(10) { // not everybody writes in the language of the topic
		l = &b.langs[r.n(len(b.langs))]
	}
	return l.message(r)
}

func (b *board) post(id int) post {
	r := newRandom(b.seed, "post", id)
	t := &b.topics[b.postTopic[id-1]-1]
	p := post{id: id, topic: t, place: b.place(id), time: b.timeOf(id)}
	p.user, p.name = b.author(id)
	p.title = b.title(t)
	if p.place > 0 {
		p.title = "Re: " + p.title
	}
	p.blocks = b.ownText(id)
	all, place := b, p.place
	if b.whole != nil { // what a post quotes does not depend on the time
		all, place = b.whole, b.whole.place(id)
	}
	switch {
	case place > 0 && r.percent(4):
		p.blocks = []block{{kind: picture, ref: id}} // a picture and no word
	case place > 0 && r.percent(25):
		q := int(all.postsOf(&all.topics[t.id-1])[r.n(place)])
		_, who := b.author(q)
		p.blocks = append([]block{{kind: quotation, text: b.opening(q), who: who, ref: q}}, p.blocks...)
	}
	if r.percent(7) {
		p.edits, p.edited = 1+r.n(3), p.time.Add(time.Duration(60+r.n(9000))*time.Second)
	}
	if r.percent(5) {
		p.attach = 1 + r.n(2)
	}
	if b.whole != nil {
		b.edit(&p)
	}
	p.signed = p.user >= 0 && p.user%3 == 1
	p.hasRank = p.user == 0
	return p
}

// signature of a user: the same under each post.
func (b *board) signature(u int) string {
	return b.langs[0].sentence(newRandom(b.seed, "signature", u))
}

// joined is when a user opened the account: before the first post.
func (b *board) joined(u int) time.Time {
	if b.users[u].count == 0 {
		return boardEpoch
	}
	first := b.timeOf(int(b.byUser[b.users[u].from]))
	return first.Add(-time.Duration(1+newRandom(b.seed, "joined", u).n(3000)) * time.Hour).Truncate(time.Minute)
}

// views is how often a topic was read.
func (b *board) views(t *topic) int { return int(t.count)*9 + newRandom(b.seed, "views", t.id).n(900) }

// pollOptions returns the question and answers with their votes.
func (b *board) pollOptions(t *topic) (question string, options []pollOption, total int) {
	r := newRandom(b.seed, "poll", t.id)
	l := &b.langs[t.lang]
	for i := range 2 + r.n(4) {
		o := pollOption{ID: i + 1, Text: r.pick(l.things) + " " + itoa(i+1), Votes: r.n(40)}
		total += o.Votes
		options = append(options, o)
	}
	for i := range options {
		options[i].Percent = options[i].Votes * 100 / max(total, 1)
	}
	return strings.TrimSuffix(l.title(r), "?") + "?", options, total
}

type pollOption struct {
	ID      int
	Text    string
	Votes   int
	Percent int
}

// userPosts lists the posts of a user, newest first.
func (b *board) userPosts(u int) []int32 {
	ids := b.byUser[b.users[u].from : b.users[u].from+b.users[u].count]
	out := make([]int32, len(ids))
	for i, id := range ids {
		out[len(ids)-1-i] = id
	}
	return out
}

// attachmentID numbers the attachments: two to a post at most.
func attachmentID(post, i int) int { return post*2 + i }

// window cuts the part of a list that page (from 1) shows.
func window[T any](list []T, page, per int) []T {
	from := min(max(page-1, 0)*per, len(list))
	return list[from:min(from+per, len(list))]
}

// pagesOf is the number of pages of n entries, at least 1.
func pagesOf(n, per int) int { return max((n+per-1)/per, 1) }
