package testsites

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// living shows a board as it is at the time of a clock: with the posts up to then, without those that were deleted,
// and with the edits.
type living struct {
	whole *board
	clock func() time.Time

	mu   sync.Mutex
	last *board
}

// event is an edit or a deletion that the seed decides for a post; at is in seconds since boardEpoch, 0 for none.
type event struct{ edited, deleted int32 }

// Shares of the posts with an event, in percent, and the days within which it comes: arbitrary. Boards that show edits
// have them on a few percent of their posts.
const (
	editedShare, editedWithin   = 5, 60
	deletedShare, deletedWithin = 2, 90
)

// eventOf decides the events of a post. Posts of topics that are pinned stay.
func (b *board) eventOf(id int) (e event) {
	r := newRandom(b.seed, "life", id)
	after := func(days int) int32 { return b.postTime[id-1] + int32(60+r.n(days*24*3600)) }
	if r.percent(editedShare) {
		e.edited = after(editedWithin)
	}
	if r.percent(deletedShare) && b.topics[b.postTopic[id-1]-1].kind == normal {
		e.deleted = after(deletedWithin)
	}
	return e
}

// now returns the board at the time of the clock.
func (l *living) now() *board {
	seconds := int32(l.clock().Sub(boardEpoch) / time.Second)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil || l.last.seconds != seconds {
		l.last = l.whole.at(seconds)
	}
	return l.last
}

// at returns the board as it is so many seconds after boardEpoch.
func (b *board) at(seconds int32) *board {
	n, _ := slices.BinarySearch(b.postTime, seconds+1)
	x := &board{seed: b.seed, langs: b.langs, whole: b, seconds: seconds, stubs: map[int][]int32{}, topics: slices.Clone(b.topics),
		users: make([]user, len(b.users)), postTopic: b.postTopic[:n], postUser: b.postUser[:n], postTime: b.postTime[:n]}
	for _, f := range b.forums {
		x.forums = append(x.forums, &forum{id: f.id, kind: f.kind, name: f.name, desc: f.desc})
	}
	for i, f := range b.forums {
		if f.parent != nil {
			x.forums[i].parent = x.forums[f.parent.id-1]
			x.forums[i].parent.children = append(x.forums[i].parent.children, x.forums[i])
		}
	}
	for i := range x.topics {
		x.topics[i].count = 0
	}
	for id := 1; id <= n; id++ {
		if !x.deleted(id) {
			x.topics[x.postTopic[id-1]-1].count++
		}
	}
	x.group()
	x.order()
	for f, topics := range b.stubs {
		x.stubs[f] = slices.DeleteFunc(slices.Clone(topics), func(id int32) bool { return x.topic(int(id)) == nil })
	}
	return x
}

// deleted reports whether a post is not on the board any more.
func (b *board) deleted(id int) bool {
	at := int32(0)
	if b.whole != nil {
		at = b.eventOf(id).deleted
	}
	return at > 0 && at <= b.seconds
}

// edit shows the edit of a post, if it has one at the time of the board.
func (b *board) edit(p *post) {
	p.edits, p.edited = 0, time.Time{}
	at := b.eventOf(p.id).edited
	if at == 0 || at > b.seconds {
		return
	}
	p.edits, p.edited = 1, boardEpoch.Add(time.Duration(at)*time.Second)
	l := &b.langs[p.topic.lang]
	p.blocks = append(slices.Clone(p.blocks), block{text: l.sentence(newRandom(b.seed, "edit", p.id))})
}

// Change is a change of a page of a site with [Options.Clock].
type Change struct {
	URL  string
	Time time.Time
	Kind string // "posted", "edited" or "deleted": what happened to a post
	// Empty is set if the page has no posts any more.
	Empty bool
}

// Changes lists the changes of the pages of topics before a time, in their order. The first change of a page is its
// appearance. It is empty for sites other than boards of phpBB.
func (s *Site) Changes(base string, before time.Time) (changes []Change) {
	p, isPHPBB := s.app.(*phpbb)
	if !isPHPBB {
		return nil
	}
	type step struct {
		at   int32
		post int
		kind string
	}
	var steps []step
	for id := 1; id <= len(p.b.postTime); id++ {
		steps = append(steps, step{p.b.postTime[id-1], id, "posted"})
		e := p.b.eventOf(id)
		if e.edited > 0 {
			steps = append(steps, step{e.edited, id, "edited"})
		}
		if e.deleted > 0 {
			steps = append(steps, step{e.deleted, id, "deleted"})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.post, b.post)) })
	posts := map[int32][]int{} // ids by topic
	for _, x := range steps {
		at := boardEpoch.Add(time.Duration(x.at) * time.Second)
		if !at.Before(before) {
			break
		}
		topic := p.b.postTopic[x.post-1]
		list := posts[topic]
		place, has := slices.BinarySearch(list, x.post)
		first, last := place/p.perTopic, place/p.perTopic
		switch {
		case x.kind == "posted":
			posts[topic] = append(list, x.post)
		case !has: // edited after it was deleted
			continue
		case x.kind == "deleted":
			last = (len(list) - 1) / p.perTopic // later posts move up
			posts[topic] = slices.Delete(list, place, place+1)
		}
		for page := first; page <= last; page++ {
			changes = append(changes, Change{URL: fmt.Sprint(base, s.o.Prefix, "/", p.topicURL(&p.b.topics[topic-1], page+1)), Time: at,
				Kind: x.kind, Empty: page*p.perTopic >= len(posts[topic])})
		}
	}
	return changes
}
