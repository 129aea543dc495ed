package complete

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
)

// List is a list that leads to things: a forum, a board, the archive of a month.
type List struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	Type  string `json:"type,omitempty"`
	Pages Count  `json:"pages"`
	// Things counts what is in it, Of says what that is: threads, or the posts of a blog. Items counts their posts or comments.
	Things Count  `json:"things"`
	Of     string `json:"of"`
	Items  Count  `json:"items"`
	// Below is set where what is saved in the lists below it is counted, too, as its page does.
	Below bool `json:"below,omitempty"`
	// Unmatched is set if archived things cannot be matched to the list.
	Unmatched bool     `json:"unmatched,omitempty"`
	Reasons   []Reason `json:"reasons,omitempty"` // for which its own pages are missing

	number  int64
	unknown int
}

// Complete reports whether everything that its pages state is archived, and no requested page of it is missing.
func (l *List) Complete() bool {
	return l.Things.Lacks() == 0 && l.Items.Lacks() == 0 && (l.Pages.Saved == 0 || l.Pages.Lacks() == 0) && l.unknown == 0
}

// lists goes through the lists of which something is stated or in which something is.
func (s *store) lists(ctx context.Context, r *Result, base *kb.Base, most int) error {
	all, err := s.allLists(ctx, most)
	if err != nil {
		return err
	}
	for i := range all {
		l := &all[i]
		fill, t := s.fill, base.Type(kb.TypeID(l.Type))
		if l.Of = "threads"; t != nil && t.Category != "forum" {
			l.Of = "posts"
		}
		if l.Of == "posts" && l.Items.Stated != nil && l.Things.Stated == nil {
			l.Things, l.Items, fill = l.Items, Count{}, s.fillArchive
		}
		if err := fill(ctx, l); err != nil {
			return err
		}
		pages := Thing{ID: l.ID, Pages: l.Pages, unknown: l.unknown}
		if err := s.reasons(ctx, &pages, r); err != nil {
			return err
		}
		if l.Reasons = pages.Reasons; l.Things.Saved > 0 || l.Things.Stated != nil || l.Items.Stated != nil {
			r.Lists = append(r.Lists, *l)
		}
	}
	slices.SortStableFunc(r.Lists, func(a, b List) int { return cmp.Compare(strings.ToLower(a.Type), strings.ToLower(b.Type)) })
	return nil
}

const listsQuery = `SELECT id, iri, iif(title = '', label, title), type, (SELECT count(*) FROM page WHERE thing = t.id),
	(SELECT count(*) FROM missing WHERE iri = t.iri), p.n, p.at, h.n, h.at, i.n, i.at
FROM thing t LEFT JOIN stated p ON p.thing = t.id AND p.what = 3 LEFT JOIN stated h ON h.thing = t.id AND h.what = 2
	LEFT JOIN stated i ON i.thing = t.id AND i.what = 0
WHERE kind = 'list' ORDER BY id LIMIT ?`

func (s *store) allLists(ctx context.Context, most int) ([]List, error) {
	rows, err := s.tx.QueryContext(ctx, listsQuery, most)
	if err != nil {
		return nil, s.explain(err)
	}
	defer rows.Close()
	var out []List
	for rows.Next() {
		var l List
		var pages, pagesAt, things, thingsAt, items, itemsAt *int64
		if err := rows.Scan(&l.number, &l.ID, &l.Title, &l.Type, &l.Pages.Saved, &l.unknown, &pages, &pagesAt, &things, &thingsAt, &items,
			&itemsAt); err != nil {
			return nil, s.explain(err)
		}
		l.Pages.state(pages, pagesAt)
		l.Things.state(things, thingsAt)
		l.Items.state(items, itemsAt)
		out = append(out, l)
	}
	return out, s.explain(rows.Err())
}

// fill counts what is saved of what is in a list, and in the lists below it where its page counts that, too.
func (s *store) fill(ctx context.Context, l *List) error {
	const in = `SELECT count(*), coalesce(sum((SELECT count(*) FROM item WHERE thing = t.id AND what < 2)), 0) FROM thing t
		WHERE kind = 'thing' AND EXISTS (SELECT 1 FROM page WHERE thing = t.id) AND `
	// The pages of a thing may name another list only, such as the front page. If that one states how many things it has, and links to
	// this thing, the thing belongs there, as announcements do.
	const own = `(inside = ?1 OR iri IN (SELECT thing FROM member WHERE list = ?1)
		AND NOT EXISTS (SELECT 1 FROM member m WHERE m.list = inside AND m.thing = iri))`
	if _, err := s.row(ctx, in+own, []any{l.ID}, &l.Things.Saved, &l.Items.Saved); err != nil {
		return err
	}
	if l.Things.Lacks() == 0 && l.Items.Lacks() == 0 {
		return nil
	}
	var things, items int
	if _, err := s.row(ctx, `WITH RECURSIVE below(iri) AS (VALUES(?) UNION SELECT t.iri FROM thing t JOIN below b ON t.inside = b.iri
		WHERE t.kind = 'list') `+in+"inside IN (SELECT iri FROM below)", []any{l.ID}, &things, &items); err != nil {
		return err
	}
	if things > l.Things.Saved {
		l.Things.Saved, l.Items.Saved, l.Below = things, items, true
	}
	return nil
}

// period is the address of the archive of a year or a month of any blog.
var period = regexp.MustCompile(`(?:/|[?&]m=)((?:19|20)[0-9]{2})(?:/?(0[1-9]|1[0-2]))?/?$`)

// fillArchive counts the posts of a blog that are in one of its lists, which count them and not what is in them: in the archive of a year
// or month those that were written then, in that of a category those that name it.
func (s *store) fillArchive(ctx context.Context, l *List) error {
	const of = "SELECT count(*) FROM thing t WHERE class = 'sioct:BlogPost' AND EXISTS (SELECT 1 FROM page WHERE thing = t.id) AND "
	// Who counts a category counts those in it, whose addresses begin as its own.
	query, arg := `id IN (SELECT thing FROM subject WHERE label IN (SELECT iif(title = '', label, title) FROM thing
		WHERE kind = 'list' AND substr(iri, 1, length(?1)) = ?1))`, l.ID
	dated := period.FindStringSubmatch(l.ID)
	if dated != nil {
		query, arg = "substr(created, 1, length(?1)) = ?1", strings.TrimSuffix(dated[1]+"-"+dated[2], "-")
	}
	if _, err := s.row(ctx, of+query, []any{arg}, &l.Things.Saved); err != nil {
		return err
	}
	if l.Things.Saved > 0 || l.Things.Lacks() == 0 {
		return nil
	}
	if query = "id IN (SELECT thing FROM subject)"; dated != nil {
		query = "created <> ''"
	}
	matched := 0
	_, err := s.row(ctx, of+query, nil, &matched)
	l.Unmatched = matched == 0
	return err
}

// Text says it in a line.
func (l *List) Text() string {
	out := l.Things.Text(l.Of)
	if l.Items.Stated != nil || l.Items.Saved > 0 {
		out += ", " + l.Items.Text(map[string]string{"threads": "posts", "posts": "comments"}[l.Of])
	}
	if l.Below {
		out += ", including its sublists"
	}
	if l.Unmatched {
		out += ", and the archived ones cannot be matched to it"
	}
	if l.Pages.Saved > 0 || l.Pages.Stated != nil {
		out += ", " + l.Pages.Text("pages")
	}
	return out + AsOf(l.Things, l.Items, l.Pages)
}
