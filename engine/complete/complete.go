package complete

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Source is a crawl to be looked at.
type Source struct {
	Files []string // of its graph
	Base  *kb.Base
	// Each visits the entries of the frontier; nil if it cannot be read, as while a session has it open: then the report
	// lacks the reasons for missing pages.
	Each    func(fn func(frontier.Entry) error) error
	Stopped string // why the crawl stopped, where something is left
	// Unscoped is how many links were out of scope: they are not in the frontier, so that what they led to seems not to be linked.
	Unscoped int64
	// Noted receives unreadable lines, with file, line and column.
	Noted func(text string)
	Most  int // named things and lists, 0 for 1,000; the least complete come first
}

// Result says how complete a crawl is.
type Result struct {
	Things  Summary        `json:"things"`
	Lists   []List         `json:"lists"`
	Named   []Thing        `json:"named"`    // the least complete first
	LeftOut int            `json:"left_out"` // things that are not named
	Missing map[string]int `json:"missing"`  // pages of things and lists, by reason
	// Unknown is set if the reasons for missing pages are unknown.
	Unknown bool `json:"reasons_unknown,omitempty"`

	unscoped int64
}

// Summary counts things: threads, posts of blogs, pages.
type Summary struct {
	Known      int   `json:"known"`
	Complete   int   `json:"complete"`
	Incomplete int   `json:"incomplete"`
	Unstated   int   `json:"unstated"` // no page says how much of them there is, and no page of them is known to be missing
	Items      Count `json:"items"`    // posts, comments and answers of things whose page states their number
	Unsaved    int   `json:"unsaved"`  // things of which no page is saved
}

// Count is how many there are of what a page says that there are.
type Count struct {
	Saved  int        `json:"saved"`
	Stated *int       `json:"stated"`          // nil where no page says it
	AsOf   *time.Time `json:"as_of,omitempty"` // when the page that says it was captured
}

// Lacks is how many are missing.
func (c Count) Lacks() int {
	if c.Stated == nil {
		return 0
	}
	return max(0, *c.Stated-c.Saved)
}

// Thing is a thread, a post of a blog, or a page.
type Thing struct {
	ID      string   `json:"id"`
	Class   string   `json:"class"`
	Type    string   `json:"type,omitempty"`
	Title   string   `json:"title,omitempty"`
	In      string   `json:"in,omitempty"` // the list that it is in
	Pages   Count    `json:"pages"`
	Items   Count    `json:"items"`
	Of      string   `json:"of"` // what the items are: posts or replies
	Missing int      `json:"missing"`
	Reasons []Reason `json:"reasons,omitempty"`

	number  int64
	unknown int // pages that are missing as the frontier has them
}

// Reason is why some pages of a thing are missing.
type Reason struct {
	Kind  string   `json:"kind"`
	Why   string   `json:"why,omitempty"`
	Pages int      `json:"pages"`
	URLs  []string `json:"urls,omitempty"` // the first
}

const (
	usualMost = 1000
	urlsNamed = 5
)

// Of looks at a crawl.
func Of(ctx context.Context, from Source) (r *Result, err error) {
	if from.Most == 0 {
		from.Most = usualMost
	}
	s, err := newStore(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.readGraph(ctx, from.Files, from.Base, from.Noted); err != nil {
		return nil, err
	}
	if err := s.exec(ctx, pageIndex); err != nil {
		return nil, err
	}
	r = &Result{Missing: map[string]int{}, Named: []Thing{}, Lists: []List{}, Unknown: from.Each == nil, unscoped: from.Unscoped}
	if from.Each != nil {
		if err := s.readFrontier(ctx, from); err != nil {
			return nil, err
		}
	}
	if err := s.exec(ctx, indices); err != nil {
		return nil, err
	}
	if err := s.things(ctx, r, from.Most); err != nil {
		return nil, err
	}
	if err := s.lists(ctx, r, from.Base, from.Most); err != nil {
		return nil, err
	}
	return r, nil
}

// things goes through all things and names those that lack most.
func (s *store) things(ctx context.Context, r *Result, most int) error {
	var last int64
	for {
		batch, err := s.someThings(ctx, last)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			break
		}
		last = batch[len(batch)-1].number
		for _, t := range batch {
			r.Things.add(&t)
			r.Named = append(r.Named, t)
		}
		if len(r.Named) > 2*most {
			r.cut(most)
		}
	}
	r.cut(most)
	r.LeftOut = r.Things.Known - len(r.Named)
	for i := range r.Named {
		if err := s.reasons(ctx, &r.Named[i], r); err != nil {
			return err
		}
	}
	return s.missing(ctx, r)
}

// cut leaves the things that lack most.
func (r *Result) cut(most int) {
	slices.SortStableFunc(r.Named, func(a, b Thing) int {
		return cmp.Or(cmp.Compare(b.Missing, a.Missing), cmp.Compare(b.lacksPages(), a.lacksPages()), cmp.Compare(a.number, b.number))
	})
	r.Named = r.Named[:min(len(r.Named), most)]
}

func (t *Thing) lacksPages() int { return max(t.Pages.Lacks(), t.unknown) }

// thingsQuery gives things with what is saved and stated of them.
const thingsQuery = `SELECT id, iri, class, type, iif(title = '', label, title), inside,
	(SELECT count(*) FROM page WHERE thing = t.id), (SELECT count(*) FROM item WHERE thing = t.id AND what = 0),
	(SELECT count(*) FROM item WHERE thing = t.id AND what = 1), (SELECT count(*) FROM missing WHERE iri = t.iri),
	p.n, p.at, i.n, i.at, c.n, c.at
FROM thing t LEFT JOIN stated p ON p.thing = t.id AND p.what = 3 LEFT JOIN stated i ON i.thing = t.id AND i.what = 0
	LEFT JOIN stated c ON c.thing = t.id AND c.what = 1
WHERE kind = 'thing' AND id > ? ORDER BY id LIMIT 1000`

// someThings gives things after one.
func (s *store) someThings(ctx context.Context, after int64) ([]Thing, error) {
	p, err := s.prepare(ctx, thingsQuery)
	if err != nil {
		return nil, s.explain(err)
	}
	rows, err := p.QueryContext(ctx, after)
	if err != nil {
		return nil, s.explain(err)
	}
	defer rows.Close()
	var out []Thing
	for rows.Next() {
		var t Thing
		var items, replies int
		var pages, pagesAt, posts, postsAt, comments, commentsAt *int64
		if err := rows.Scan(&t.number, &t.ID, &t.Class, &t.Type, &t.Title, &t.In, &t.Pages.Saved, &items, &replies, &t.unknown,
			&pages, &pagesAt, &posts, &postsAt, &comments, &commentsAt); err != nil {
			return nil, s.explain(err)
		}
		t.Pages.state(pages, pagesAt)
		if t.Of, t.Items.Saved = "posts", items; comments != nil || posts == nil && replies > items {
			t.Of, t.Items.Saved = "replies", replies
			t.Items.state(comments, commentsAt)
		} else {
			t.Items.state(posts, postsAt)
		}
		t.Missing = t.Items.Lacks()
		out = append(out, t)
	}
	return out, s.explain(rows.Err())
}

// state takes over what a page says.
func (c *Count) state(n, at *int64) {
	if n == nil {
		return
	}
	stated := int(*n)
	c.Stated = &stated
	if at != nil && *at != 0 {
		t := time.UnixMilli(*at).UTC()
		c.AsOf = &t
	}
}

// Complete reports whether all that pages say that there is of a thing is saved, and no page of it is known to be missing. stated is
// false where no page says anything.
func (t *Thing) Complete() (complete, stated bool) {
	stated = t.Items.Stated != nil || t.Pages.Stated != nil
	return t.Missing == 0 && t.lacksPages() == 0 && t.Pages.Saved > 0, stated
}

func (s *Summary) add(t *Thing) {
	s.Known++
	complete, stated := t.Complete()
	switch {
	case !complete:
		s.Incomplete++
	case stated:
		s.Complete++
	default:
		s.Unstated++
	}
	if t.Pages.Saved == 0 {
		s.Unsaved++
	}
	if t.Items.Stated != nil {
		n := *t.Items.Stated
		if s.Items.Stated != nil {
			n += *s.Items.Stated
		}
		s.Items.Stated = &n
		s.Items.Saved += min(t.Items.Saved, *t.Items.Stated)
	}
}

// reasons finds out why pages of a thing are missing.
func (s *store) reasons(ctx context.Context, t *Thing, r *Result) error {
	p, err := s.prepare(ctx, `SELECT reason, why, count(*) FROM missing WHERE iri = ? GROUP BY reason, why
		ORDER BY count(*) DESC, reason LIMIT 20`)
	if err != nil {
		return s.explain(err)
	}
	rows, err := p.QueryContext(ctx, t.ID)
	if err != nil {
		return s.explain(err)
	}
	for rows.Next() {
		var w Reason
		if err := rows.Scan(&w.Kind, &w.Why, &w.Pages); err != nil {
			return errors.Join(s.explain(err), rows.Close())
		}
		t.Reasons = append(t.Reasons, w)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return s.explain(err)
	}
	for i := range t.Reasons {
		if err := s.urls(ctx, t.ID, &t.Reasons[i]); err != nil {
			return err
		}
	}
	switch more := t.Pages.Lacks() - t.unknown; {
	case r.Unknown:
	case more > 0:
		why := "no archived page links to them"
		if r.unscoped > 0 {
			why = fmt.Sprintf("no link to them was followed; %s out of scope; awarc explain DIR URL gives the reason for one",
				engine.Counted(r.unscoped, "link|links was|were"))
		}
		t.Reasons = append(t.Reasons, Reason{Kind: NotLinked, Why: why, Pages: more})
	case t.Missing > 0 && t.lacksPages() == 0 && t.Pages.Saved > 0:
		t.Reasons = append(t.Reasons, Reason{Kind: NotShown})
	}
	return nil
}

// urls names the first pages that are missing for a reason.
func (s *store) urls(ctx context.Context, iri string, w *Reason) error {
	p, err := s.prepare(ctx, "SELECT url FROM missing WHERE iri = ? AND reason = ? AND why = ? ORDER BY rowid LIMIT ?")
	if err != nil {
		return s.explain(err)
	}
	rows, err := p.QueryContext(ctx, iri, w.Kind, w.Why, urlsNamed)
	if err != nil {
		return s.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var u string
		if err := rows.Scan(&u); err != nil {
			return s.explain(err)
		}
		w.URLs = append(w.URLs, u)
	}
	return s.explain(rows.Err())
}

// missing counts the missing pages by reason.
func (s *store) missing(ctx context.Context, r *Result) error {
	rows, err := s.tx.QueryContext(ctx, "SELECT reason, count(*) FROM missing GROUP BY reason")
	if err != nil {
		return s.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var reason string
		var n int
		if err := rows.Scan(&reason, &n); err != nil {
			return s.explain(err)
		}
		r.Missing[reason] = n
	}
	return s.explain(rows.Err())
}

// Text returns the count with a name: "posts 113 of 120", or "posts 113 (total not stated)".
func (c Count) Text(of string) string {
	if c.Stated == nil {
		return fmt.Sprintf("%s %d (total not stated)", of, c.Saved)
	}
	return of + " " + c.String()
}

// String returns how many are saved, of how many where a page says it. A list that shows threads of
// others, or that grew after the page was captured, has more than its page says.
func (c Count) String() string {
	switch {
	case c.Stated == nil:
		return fmt.Sprint(c.Saved)
	case c.Saved > *c.Stated:
		return fmt.Sprintf("%d (pages state %d)", c.Saved, *c.Stated)
	}
	return fmt.Sprintf("%d of %d", c.Saved, *c.Stated)
}

// AsOf says when the pages were captured that say what is stated: " as of 2024-03-01 10:00 UTC", or from when to when.
func AsOf(counts ...Count) string {
	var first, last time.Time
	for _, c := range counts {
		if c.AsOf == nil {
			continue
		}
		if first.IsZero() || c.AsOf.Before(first) {
			first = *c.AsOf
		}
		if c.AsOf.After(last) {
			last = *c.AsOf
		}
	}
	const form = "2006-01-02 15:04"
	from, to := first.Format(form), last.Format(form)
	switch {
	case first.IsZero():
		return ""
	case from == to:
		return " as of " + to + " UTC"
	}
	return " as of " + from + " to " + to + " UTC"
}

// String says it in a line.
func (r Reason) String() string {
	if r.Kind == NotShown {
		return "not shown: all pages are archived, and show fewer than they state"
	}
	text := fmt.Sprintf("%d %s", r.Pages, r.Kind)
	if r.Why != "" {
		text += ": " + r.Why
	}
	return text
}

// Text says it in a line.
func (t *Thing) Text() string {
	out := t.Pages.Text("pages") + ", " + t.Items.Text(t.Of)
	if t.Missing > 0 {
		out += fmt.Sprintf(", %d missing", t.Missing)
	}
	return out + AsOf(t.Pages, t.Items)
}
