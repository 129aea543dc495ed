package testsites

// boardTruth lists the objects of a board.
type boardTruth struct {
	b        *board
	per      int
	created  string // layout
	reply    bool   // answers have titles of their own: "Re: ..."
	describe bool   // the page of a forum shows its description
	forumURL func(*forum) string
	topicURL func(*topic, int) string
	body     func(post) string
}

func (o boardTruth) objects(yield func(Object) bool) {
	for _, f := range o.b.forums {
		ob := Object{Class: "sioc:Forum", ID: itoa(f.id), URL: o.forumURL(f), Title: f.name}
		if o.describe {
			ob.Content = f.desc
		}
		if f.parent != nil {
			ob.Parent = itoa(f.parent.id)
		}
		if f.kind != linkForum && !yield(ob) {
			return
		}
	}
	for i := range o.b.topics {
		t := &o.b.topics[i]
		first := o.b.firstOf(t)
		_, name := o.b.author(first)
		ob := Object{Class: "sioc:Thread", ID: itoa(t.id), URL: o.topicURL(t, 1), Parent: itoa(t.forum), Title: o.b.title(t),
			Creator: name, Created: o.b.timeOf(first).Format(o.created)}
		for n := 2; n <= pagesOf(int(t.count), o.per); n++ {
			ob.More = append(ob.More, o.topicURL(t, n))
		}
		if !yield(ob) {
			return
		}
	}
	for id := 1; id <= len(o.b.postTopic); id++ {
		p := o.b.post(id)
		ob := Object{Class: "sioc:Post", ID: itoa(id), URL: o.topicURL(p.topic, p.place/o.per+1), Parent: itoa(p.topic.id),
			Title: p.title, Creator: p.name, Created: p.time.Format(o.created), Content: textOf(o.body(p))}
		if p.place > 0 && !o.reply {
			ob.Title = ""
		}
		if !yield(ob) {
			return
		}
	}
}
