package quads

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Row is an object as the last captures of it have it, with its place among others.
type Row struct {
	Object
	Forum     string `json:"forum,omitempty"` // its title
	ForumURL  string `json:"forum_url,omitempty"`
	Thread    string `json:"thread,omitempty"`     // its title; of a comment, that of the article
	ThreadURL string `json:"thread_url,omitempty"` // "" for an object in no thread
	// Position counts the texts of the thread that were saved, from 1, in the order in which they were written; 0 is in no thread.
	Position   int      `json:"position,omitempty"`
	CreatorURL []string `json:"creator_url,omitempty"` // profile pages
	// Contributor are names of people who changed the text, such as the last editor of a wiki page.
	Contributor []string `json:"contributor,omitempty"`
	Modified    string   `json:"modified,omitempty"`
	Content     string   `json:"content,omitempty"`
	HTML        string   `json:"content_html,omitempty"`
	Own         string   `json:"content_own,omitempty"` // without what it quotes; "" where it quotes nothing
	Quoted      string   `json:"quoted,omitempty"`      // what it quotes
	Language    string   `json:"language,omitempty"`
	ReplyTo     []string `json:"reply_to,omitempty"` // what it answers, as the page says
	Mentions    []string `json:"mentions,omitempty"` // names of entities
	Keywords    []string `json:"keywords,omitempty"`
	WARCFile    string   `json:"warc_file,omitempty"`
	WARCOffset  int64    `json:"warc_offset,omitempty"` // in bytes

	// Ancestors are what it answers, what that answers, and so on, the first text of the thread first.
	Ancestors []string `json:"-"`
}

// Containers are the classes of things that hold or make what people write, and of the main text of pages, whose author is unknown.
func Containers() []string {
	return []string{"awarc:PageText", "sioc:Forum", "sioc:Thread", "sioc:Container", "sioc:Site",
		"sioc:UserAccount", "sioct:MessageBoard", "sioct:Weblog"}
}

// Rows calls row for each object that a search is for, all where it is for nothing: thread by thread, and in each in the order in which
// they were written; with ByDate, by date, the newest first. An error of row ends it. It needs eight bytes of memory an object, and more
// for the objects of one thread.
func (r *Reader) Rows(ctx context.Context, s Search, row func(*Row) error) error {
	words, err := parseWords(s.Words)
	if err != nil {
		return err
	}
	where, args := s.where(words)
	query := "SELECT object.id, 0.0 FROM " + cmp.Or(where, "object")
	if s.ByDate {
		query += " ORDER BY created DESC, id"
	}
	ids, _, err := r.ranked(ctx, query, args)
	if err != nil {
		return explain(r.terms.file, err)
	}
	w, err := r.newWalk(ctx)
	if err != nil {
		return err
	}
	defer w.created.Close()
	w.search, w.row = &s, row
	if !s.ByDate {
		return w.byThread(ctx, ids)
	}
	for _, id := range ids {
		thread, err := w.threadOf(ctx, id)
		if err != nil {
			return err
		}
		if over, err := w.rows(ctx, thread, nil, []uint32{id}); over || err != nil {
			return err
		}
	}
	return nil
}

// rowWalk goes over the objects of a search.
type rowWalk struct {
	r          *Reader
	d          *describer
	search     *Search
	row        func(*Row) error
	abouts     cache[uint32, *Row]
	threads    map[uint32]bool // whether a container is a thread
	properties Quad            // has_container, reply_of, rdf:type; sioc:Thread
	parent     uint32          // has_parent
	created    *sql.Stmt
	skipped    int
	given      int
}

// newWalk makes ready to read rows.
func (r *Reader) newWalk(ctx context.Context) (w *rowWalk, err error) {
	w = &rowWalk{r: r, search: &Search{}, threads: map[uint32]bool{}, abouts: newCache[uint32, *Row](1 << 10)}
	if w.d, err = newDescriber(ctx, r.terms); err != nil {
		return nil, err
	}
	w.properties, err = r.Find(ctx, property("has_container"), property("reply_of"), property("rdf:type"), property("sioc:Thread"))
	if err != nil {
		return nil, err
	}
	parent, err := r.Find(ctx, property("has_parent"))
	if err != nil {
		return nil, err
	}
	w.parent = parent[0]
	if w.created, err = r.tx.PrepareContext(ctx, "SELECT created FROM object WHERE id = ?"); err != nil {
		return nil, explain(r.terms.file, err)
	}
	return w, nil
}

// byThread puts the objects of a thread together.
func (w *rowWalk) byThread(ctx context.Context, ids []uint32) error {
	type member struct{ thread, id uint32 }
	all := make([]member, 0, len(ids))
	for _, id := range ids {
		thread, err := w.threadOf(ctx, id)
		if err != nil {
			return err
		}
		all = append(all, member{thread, id})
	}
	slices.SortFunc(all, func(a, b member) int { return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.id, b.id)) })
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].thread == all[0].thread {
			n++
		}
		members := make([]uint32, n)
		for i := range members {
			members[i] = all[i].id
		}
		order, err := w.texts(ctx, all[0].thread)
		if err != nil {
			return err
		}
		if over, err := w.rows(ctx, all[0].thread, order, members); over || err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// all gives a part of the triples that match, each once.
func (w *rowWalk) all(ctx context.Context, pattern Quad, part int) (all []uint32, err error) {
	if slices.Max(pattern[:]) == 0 || pattern[predicate] == 0 {
		return nil, nil // a property that nothing has
	}
	s := w.r.Scan(pattern, Union)
	for {
		n, err := s.Next(ctx, w.d.room)
		if err != nil {
			return nil, err
		}
		for _, q := range w.d.room[:n] {
			all = append(all, q[part])
		}
		if n < len(w.d.room) {
			return all, nil
		}
	}
}

// one gives the last value of a property of a subject, or 0. Numbers grow with time.
func (w *rowWalk) one(ctx context.Context, subject, property uint32) (uint32, error) {
	all, err := w.all(ctx, Quad{subject, property}, object)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	return slices.Max(all), nil
}

// deepest is how many answers to answers are followed.
const deepest = 100

// threadOf gives the thread that an object is in; of an answer elsewhere, what the first of the answers above it answers. An object in no
// thread is one of its own.
func (w *rowWalk) threadOf(ctx context.Context, id uint32) (uint32, error) {
	for range deepest {
		container, err := w.one(ctx, id, w.properties[0])
		if err != nil {
			return 0, err
		}
		if container != 0 {
			if is, err := w.isThread(ctx, container); is || err != nil {
				return container, err
			}
		}
		above, err := w.one(ctx, id, w.properties[1])
		if err != nil || above == 0 {
			return id, err
		}
		id = above
	}
	return id, nil
}

// isThread reports whether a container is a thread, by its class or since nothing else is said of it.
func (w *rowWalk) isThread(ctx context.Context, id uint32) (is bool, err error) {
	is, known := w.threads[id]
	if !known {
		classes, err := w.all(ctx, Quad{id, w.properties[2]}, object)
		if err != nil {
			return false, err
		}
		is = len(classes) == 0 || slices.Contains(classes, w.properties[3])
		w.threads[id] = is
	}
	return is, nil
}

// texts gives the texts of a thread in the order in which they were written: by their dates; one without a date is behind what was seen
// before it. Below an article it is the article and its comments.
func (w *rowWalk) texts(ctx context.Context, thread uint32) ([]uint32, error) {
	in, err := w.all(ctx, Quad{0, w.properties[0], thread}, subject)
	if err != nil {
		return nil, err
	}
	is, err := w.isThread(ctx, thread)
	if err != nil {
		return nil, err
	}
	if !is {
		in = []uint32{thread}
		seen := map[uint32]bool{thread: true}
		for i := 0; i < len(in); i++ {
			answers, err := w.all(ctx, Quad{0, w.properties[1], in[i]}, subject)
			if err != nil {
				return nil, err
			}
			for _, id := range answers {
				if !seen[id] {
					seen[id], in = true, append(in, id)
				}
			}
		}
		if len(in) == 1 {
			return nil, nil
		}
		in = in[1:]
	}
	if in, err = w.dated(ctx, in); err != nil || is {
		return in, err
	}
	return append([]uint32{thread}, in...), nil
}

// dated puts texts in the order of their dates.
func (w *rowWalk) dated(ctx context.Context, ids []uint32) ([]uint32, error) {
	slices.Sort(ids)
	dates := make(map[uint32]int64, len(ids))
	last := int64(math.MinInt64)
	for _, id := range ids {
		var created sql.NullInt64
		if err := w.created.QueryRowContext(ctx, id).Scan(&created); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, explain(w.r.terms.file, err)
		}
		if created.Valid {
			last = created.Int64
		}
		dates[id] = last
	}
	slices.SortStableFunc(ids, func(a, b uint32) int { return cmp.Compare(dates[a], dates[b]) })
	return ids, nil
}

// rows gives the rows of objects in one thread, whose texts are in order, and reports whether these were enough.
func (w *rowWalk) rows(ctx context.Context, thread uint32, order, members []uint32) (over bool, err error) {
	position := make(map[uint32]int, len(order))
	for i, id := range order {
		position[id] = i + 1
	}
	slices.SortStableFunc(members, func(a, b uint32) int { return cmp.Compare(position[a], position[b]) })
	about, err := w.about(ctx, thread)
	if err != nil {
		return false, err
	}
	for _, id := range members {
		row, err := w.d.row(ctx, id)
		if err != nil {
			return false, err
		}
		if row == nil {
			return false, fmt.Errorf("%s: no object %d: %w", w.r.terms.file, id, errDamaged)
		}
		if row.Forum, row.ForumURL = about.Forum, about.ForumURL; len(order) > 1 || id != thread {
			row.Thread, row.ThreadURL = about.Title, about.ID
		}
		if row.Position = position[id]; row.Position > 0 {
			if row.Ancestors, err = w.ancestors(ctx, id, order[0]); err != nil {
				return false, err
			}
		}
		if w.skipped++; w.skipped <= w.search.Offset {
			continue
		}
		if err := w.row(row); err != nil {
			return false, err
		}
		if w.given++; w.given == w.search.Limit {
			return true, nil
		}
	}
	return false, nil
}

// ancestors gives what a text answers, and so on up to the first text of its thread, which comes first.
func (w *rowWalk) ancestors(ctx context.Context, id, first uint32) ([]string, error) {
	var above []uint32
	for at := id; len(above) < deepest; {
		next, err := w.one(ctx, at, w.properties[1])
		if err != nil {
			return nil, err
		}
		if next == 0 || next == id || slices.Contains(above, next) {
			break
		}
		above = append(above, next)
		at = next
	}
	if id != first && !slices.Contains(above, first) {
		above = append(above, first)
	}
	slices.Reverse(above)
	return w.d.texts(ctx, above)
}

// about describes a thread, or an article, and the forum that it is in.
func (w *rowWalk) about(ctx context.Context, thread uint32) (*Row, error) {
	if about, ok := w.abouts.get(thread); ok {
		return about, nil
	}
	about := &Row{}
	in := []uint32{thread, 0}
	var err error
	for _, to := range []uint32{w.parent, w.properties[0]} { // graphs of earlier versions have the second
		if in[1] == 0 && err == nil {
			in[1], err = w.one(ctx, thread, to)
		}
	}
	if err != nil {
		return nil, err
	}
	for i, to := range [][2]*string{{&about.ID, &about.Title}, {&about.ForumURL, &about.Forum}} {
		if in[i] == 0 {
			break
		}
		id, err := w.d.value(ctx, in[i])
		if err != nil {
			return nil, err
		}
		row, err := w.d.row(ctx, in[i])
		if err != nil {
			return nil, err
		}
		if *to[0] = id.Text; row != nil {
			*to[1] = row.Title
		}
	}
	w.abouts.put(thread, about, 1)
	return about, nil
}
