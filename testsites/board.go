package testsites

import (
	"slices"
	"sort"
	"time"
)

// board is the world of a forum, phpBB's or vBulletin's. Who wrote what where and when is laid out once, as a few
// numbers a post; titles and texts are computed when asked for.
type board struct {
	seed   uint64
	langs  []language
	forums []*forum // forum id - 1
	topics []topic  // topic id - 1
	users  []user   // user id - firstUser

	postTopic []int32 // topic id of a post, by post id - 1
	postUser  []int32 // index into users, -1 for a guest
	postTime  []int32 // seconds since boardEpoch
	byTopic   []int32 // post ids, topic by topic
	byUser    []int32 // post ids, user by user

	stubs map[int][]int32 // forum id: topics that were moved away and left a stub

	whole   *board // all posts, if this is the board of a moment; else nil
	seconds int32  // that moment, since boardEpoch
}

// firstUser is the id of the first member: lower ones belong to the system, as on a fresh phpBB.
const firstUser = 48

// boardEpoch is when every board opened.
var boardEpoch = time.Date(2007, 3, 4, 9, 0, 0, 0, time.UTC)

type forumKind int

const (
	category forumKind = iota
	postable
	linkForum // leads to another site
)

type forum struct {
	id       int
	parent   *forum
	children []*forum
	kind     forumKind
	name     string
	desc     string
	topics   []int32 // ids in the order of the list: announcements, sticky ones, then by last post
	posts    int
	lastPost int // id, 0 when empty
}

type topicKind uint8

const (
	normal topicKind = iota
	sticky
	announcement
	globalAnnouncement
)

type topic struct {
	id, forum   int
	from, count int32 // its posts in byTopic
	kind        topicKind
	lang        uint8
	locked      bool
	poll        bool
}

type user struct {
	from, count int32 // its posts in byUser
}

// newBoard lays out about n posts.
func newBoard(seed int64, n int) *board {
	b := &board{seed: uint64(seed), langs: languages(), stubs: map[int][]int32{}}
	b.layForums(n)
	b.users = make([]user, 6+n/30)
	b.writePosts(n)
	b.group()
	b.order()
	return b
}

// layForums makes three categories: one with nested sub-forums and a forum that stays empty, one with a forum that
// holds only sub-forums and a link, and one that grows with the size of the board.
func (b *board) layForums(n int) {
	r := newRandom(b.seed, "forums", 0)
	add := func(parent *forum, kind forumKind, name string) *forum {
		f := &forum{id: len(b.forums) + 1, parent: parent, kind: kind, name: name, desc: b.langs[0].sentence(r)}
		b.forums = append(b.forums, f)
		if parent != nil {
			parent.children = append(parent.children, f)
		}
		return f
	}
	shop := add(nil, category, "The workshop")
	tools := add(shop, postable, "Tools & machines")
	metal := add(tools, postable, "Metal")
	add(metal, postable, "Casting")
	add(tools, postable, "Wood")
	add(shop, postable, "Введение и новости")
	add(shop, postable, "Quiet corner") // the empty one
	land := add(nil, category, "Out of doors")
	add(land, postable, "Gärten und Wetter")
	water := add(land, category, "On the water") // only sub-forums
	add(water, postable, "Boats")
	add(water, postable, "Locks, weirs <and> mills")
	add(land, linkForum, "The almanac (elsewhere)")
	if n >= 2000 {
		more := add(nil, category, "More rooms")
		for i := range min(n/2000, 60) {
			add(more, postable, "Room "+itoa(i+1)+": "+r.pick(b.langs[0].things))
		}
	}
}

// writePosts lets users write: a post opens a topic or answers in one that is being talked about.
func (b *board) writePosts(n int) {
	r := newRandom(b.seed, "posts", 0)
	var open []int // forum ids that take topics
	for _, f := range b.forums {
		if f.kind == postable && f.name != "Quiet corner" {
			open = append(open, f.id)
		}
	}
	gap := max(6*365*24*3600/n, 20)
	var talked []int // ids of topics that are talked about; hot ones stand in it several times
	now := int32(0)
	for i := range n {
		id := 0
		switch {
		case i < 4 || r.n(12) == 0:
			id = b.openTopic(r, open)
			if !r.percent(20) { // the rest stay without an answer
				for range 1 + r.n(3)*r.n(3) {
					talked = append(talked, id)
				}
			}
			if len(talked) > 40 {
				talked = talked[len(talked)-40:]
			}
		case len(talked) == 0 || r.percent(2):
			id = 1 + r.n(len(b.topics))
		default:
			id = talked[r.n(len(talked))]
		}
		if b.topics[id-1].locked && b.topics[id-1].count > 2 {
			id = 1 + r.n(min(4, len(b.topics)))
		}
		now += int32(1 + r.n(2*gap))
		author := int32(min(r.n(len(b.users)), r.n(len(b.users))))
		if r.percent(4) {
			author = -1
		}
		b.topics[id-1].count++
		b.postTopic = append(b.postTopic, int32(id))
		b.postUser = append(b.postUser, author)
		b.postTime = append(b.postTime, now)
	}
}

func (b *board) openTopic(r *random, open []int) int {
	t := topic{id: len(b.topics) + 1, forum: open[r.n(len(open))], lang: uint8(pickLanguage(r, b.langs)),
		locked: r.percent(4), poll: r.percent(6)}
	switch p := r.n(100); {
	case t.id == 2:
		t.kind = globalAnnouncement
	case t.id == 3:
		t.kind, t.locked = sticky, false
	case p < 2:
		t.kind = announcement
	case p < 6:
		t.kind = sticky
	}
	b.topics = append(b.topics, t)
	if t.id%9 == 4 {
		if from := open[r.n(len(open))]; from != t.forum {
			b.stubs[from] = append(b.stubs[from], int32(t.id))
		}
	}
	return t.id
}

// group sorts posts by topic and by user (counting sort, so that each keeps its order in time).
func (b *board) group() {
	at := int32(0)
	for i := range b.topics {
		b.topics[i].from, at = at, at+b.topics[i].count
		b.topics[i].count = 0
	}
	b.byTopic = make([]int32, at)
	for i, t := range b.postTopic {
		if b.deleted(i + 1) {
			continue
		}
		tp := &b.topics[t-1]
		b.byTopic[tp.from+tp.count] = int32(i + 1)
		tp.count++
	}
	for i, u := range b.postUser {
		if u >= 0 && !b.deleted(i+1) {
			b.users[u].count++
		}
	}
	at = 0
	for i := range b.users {
		b.users[i].from, at = at, at+b.users[i].count
		b.users[i].count = 0
	}
	b.byUser = make([]int32, at)
	for i, u := range b.postUser {
		if u >= 0 && !b.deleted(i+1) {
			us := &b.users[u]
			b.byUser[us.from+us.count] = int32(i + 1)
			us.count++
		}
	}
}

// order fills the lists of the forums.
func (b *board) order() {
	for i := range b.topics {
		t := &b.topics[i]
		if t.count == 0 {
			continue
		}
		f := b.forums[t.forum-1]
		f.topics = append(f.topics, int32(t.id))
		f.posts += int(t.count)
		f.lastPost = max(f.lastPost, b.lastOf(t))
	}
	for _, f := range b.forums {
		sort.Slice(f.topics, func(i, j int) bool {
			x, y := b.topic(int(f.topics[i])), b.topic(int(f.topics[j]))
			if x.kind != y.kind {
				return x.kind > y.kind
			}
			return b.lastOf(x) > b.lastOf(y)
		})
	}
}

func (b *board) topic(id int) *topic {
	if id < 1 || id > len(b.topics) || b.topics[id-1].count == 0 {
		return nil
	}
	return &b.topics[id-1]
}

func (b *board) forum(id int) *forum {
	if id < 1 || id > len(b.forums) {
		return nil
	}
	return b.forums[id-1]
}

// postsOf returns the ids of the posts of a topic, oldest first.
func (b *board) postsOf(t *topic) []int32 { return b.byTopic[t.from : t.from+t.count] }

func (b *board) firstOf(t *topic) int { return int(b.byTopic[t.from]) }
func (b *board) lastOf(t *topic) int  { return int(b.byTopic[t.from+t.count-1]) }

// place returns the position of a post within its topic, from 0.
func (b *board) place(post int) int {
	i, _ := slices.BinarySearch(b.postsOf(b.topic(int(b.postTopic[post-1]))), int32(post))
	return i
}

func (b *board) timeOf(post int) time.Time {
	return boardEpoch.Add(time.Duration(b.postTime[post-1]) * time.Second)
}

// now is the clock of the board: of the moment, or a day after the last post, so that pages do not change between two
// runs.
func (b *board) now() time.Time {
	if b.whole != nil {
		return boardEpoch.Add(time.Duration(b.seconds) * time.Second)
	}
	return b.timeOf(len(b.postTime)).Add(24 * time.Hour)
}

// path lists a forum and those above it, outermost first.
func (f *forum) path() []*forum {
	if f == nil {
		return nil
	}
	return append(f.parent.path(), f)
}

// normalTopics counts the topics of a list that is paged: announcements stand on every page besides.
func (b *board) pagedTopics(f *forum) []int32 {
	i := 0
	for i < len(f.topics) && b.topic(int(f.topics[i])).kind >= announcement {
		i++
	}
	return f.topics[i:]
}
