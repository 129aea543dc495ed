package complete

import (
	"context"
	"net/url"
	"strings"

	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Reasons for which pages are missing.
const (
	Failed      = "failed"       // failed, or answered with an error
	Robots      = "robots"       // robots.txt forbids it
	Blacklisted = "blacklisted"  // by a plugin, or over the API
	OutOfScope  = "out of scope" // a rule of scope keeps it out
	Queued      = "queued"       // waits
	Limit       = "limit"        // waits, as the crawl came to a limit
	Trap        = "trap"         // deferred as a suspected trap
	NotLinked   = "not linked"   // no page that was read leads to it
	Unread      = "unread"       // answered, and nothing that belongs there was found on it
	NotShown    = "not shown"    // all pages are there, and show fewer than they say
)

// readFrontier reads what became of the pages that are of a level.
func (s *store) readFrontier(ctx context.Context, from Source) error {
	return from.Each(func(e frontier.Entry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := from.Base.Type(kb.TypeID(e.Type))
		if t == nil || e.Level == "" {
			return nil
		}
		kind := kindOf(t, kb.LevelID(e.Level))
		u, err := url.Parse(e.URL.URL)
		if kind == "" || err != nil {
			return nil
		}
		class := ""
		if objects := t.Level(kb.LevelID(e.Level))[0].Objects; len(objects) > 0 {
			class = objects[0].Class
		}
		if kind == kindThing && !isThing(class) {
			return nil // a profile
		}
		iri := t.URLs.ObjectKey(u)
		if err := s.placeIn(ctx, t, e, kind, iri); err != nil {
			return err
		}
		reason, why := reasonOf(e, from.Stopped)
		if reason == Unread {
			if found, err := s.row(ctx, "SELECT 1 FROM page WHERE url = ? LIMIT 1", []any{t.URLs.Key(u)}, new(int)); found || err != nil {
				return err
			}
		}
		if reason == "" {
			return nil
		}
		if err := s.exec(ctx, "INSERT INTO thing(iri, kind, class, type, label, inside) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			iri, kind, class, e.Type, e.Anchor, listOf(t, e, kind, iri)); err != nil {
			return err
		}
		return s.exec(ctx, "INSERT INTO missing VALUES (?, ?, ?, ?)", iri, e.URL.URL, reason, why)
	})
}

// placeIn says in which list something is that was linked there, where no page says it.
func (s *store) placeIn(ctx context.Context, t *kb.Type, e frontier.Entry, kind, iri string) error {
	list := listOf(t, e, kind, iri)
	if list == "" {
		return nil
	}
	return s.exec(ctx, "UPDATE thing SET inside = ? WHERE iri = ? AND inside = ''", list, iri)
}

// listOf is the address of the page that led to an entry. Of lists only those of a list, such as forums, are in another.
func listOf(t *kb.Type, e frontier.Entry, kind, iri string) string {
	if kind == kindList && e.Level != "forum" {
		return ""
	}
	via, err := url.Parse(e.Via)
	if err != nil || e.Via == "" {
		return ""
	}
	if list := t.URLs.ObjectKey(via); list != iri {
		return list
	}
	return ""
}

// reasonOf says why the page of an entry is missing; "" if it is not.
func reasonOf(e frontier.Entry, stopped string) (reason, why string) {
	switch e.State {
	case frontier.Pending:
		if strings.HasSuffix(stopped, "limit") {
			return Limit, stopped
		}
		return Queued, e.Reason
	case frontier.PutOff:
		return Trap, e.Reason
	case frontier.Failed:
		return Failed, e.Reason
	case frontier.Excluded:
		switch {
		case strings.HasPrefix(e.Reason, "robots.txt"):
			return Robots, e.Reason
		case strings.Contains(e.Reason, "blacklisted"):
			return Blacklisted, e.Reason
		}
		return OutOfScope, e.Reason
	case frontier.Fetched:
		status, _, _ := strings.Cut(strings.TrimPrefix(e.Reason, "status "), ";")
		switch {
		case strings.HasPrefix(status, "4") || strings.HasPrefix(status, "5"):
			return Failed, "status " + status
		case strings.HasPrefix(status, "2"):
			return Unread, e.Reason
		}
	}
	return "", ""
}
