package engine

import (
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/watch"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Watcher is the schedule of a watch: it selects the URLs to fetch again, and learns from the result
// of each fetch. Its methods are called by several goroutines at once.
type Watcher interface {
	// Captured returns where the last capture of a URL with a body is. known is false for a URL that
	// the watch meets for the first time.
	Captured(key string) (at watch.Validators, known bool)
	// Began is when the session in progress began, by the clock of the system.
	Began() time.Time
	// Signals reports whether the watch follows signals of changes.
	Signals() bool
	// Visited records the result of a visit. The settings are stored with the outcome.
	Visited(watch.Visit) map[string][]byte
}

// earlierOwn returns the capture of a URL in this crawl's own archive, for a conditional request.
func (e *Engine) earlierOwn(lease leased) (*archive.Earlier, http.Header) {
	at, known := e.options.Watch.Captured(lease.Key)
	own, can := e.archiver.(interface {
		Own(file string, offset int64, url string) (*archive.Earlier, error)
	})
	if !known || at.File == "" || !can {
		return nil, nil
	}
	earlier, err := own.Own(at.File, at.Offset, lease.URL.URL)
	if err != nil {
		e.unread(lease.URL.URL, err)
	}
	if earlier == nil {
		return nil, nil
	}
	head, err := fetch.Stored(lease.URL.URL, earlier.Head, earlier.Time)
	if err != nil {
		return nil, nil // no answer of HTTP
	}
	earlier.ETag, earlier.LastModified = head.Header.Get("ETag"), head.Header.Get("Last-Modified")
	return earlier, head.Header
}

// repeated reports whether a watched URL answered with the bytes that its last capture has.
func (e *Engine) repeated(v *visited) bool {
	if e.options.Watch == nil || v.ex == nil || v.ex.Status != http.StatusOK || v.ex.Truncated != "" {
		return false
	}
	at, known := e.options.Watch.Captured(v.lease.Key)
	return known && at.Digest != "" && at.Digest == v.ex.PayloadDigest
}

// countedOnce are the counters that count a page and not its captures.
var countedOnce = []string{countPages, countTypes, countLevels, countHostPages, countKB, countMissing, countRequisites, countSeedsGood,
	countOffered, countSkipped, countOutOfScope}

// watched adds the settings of the watch to the outcome of a visit.
func (e *Engine) watched(v visited, out *frontier.Outcome) {
	w := e.options.Watch
	if w == nil || v.robots || out.State == frontier.Retry || out.State == frontier.Defer || out.State == frontier.PutOff {
		return
	}
	_, known := w.Captured(v.lease.Key)
	if !known && IsRequisite(v.lease.Level) || v.lease.Level == LevelProbe {
		return
	}
	if known {
		maps.DeleteFunc(out.Counters, func(name string, _ int64) bool {
			return slices.ContainsFunc(countedOnce, func(c string) bool {
				return name == c || strings.HasSuffix(c, "/") && strings.HasPrefix(name, c)
			})
		})
	}
	out.Meta = with(out.Meta, w.Visited(e.visitOf(v, out)))
}

func (e *Engine) visitOf(v visited, out *frontier.Outcome) watch.Visit {
	x := watch.Visit{URL: v.lease.URL.URL, Key: v.lease.Key}
	if v.ex != nil {
		x.Now = days(v.ex.Start) // a change while the page is read is after this capture
	} else {
		x.Now = days(e.options.Clock(time.Now()))
	}
	x.State = e.stateOf(v, out)
	if v.ex == nil || x.State != watch.Present {
		return x
	}
	if at, err := http.ParseTime(v.ex.Header.Get("Last-Modified")); err == nil {
		x.Modified = days(at)
	}
	x.Unchanged = v.unchanged
	p := &v.page.page
	rules := e.follower.rules(v.lease.at, p.Finding.Type)
	x.Object, x.Part = rules.ObjectKey(v.lease.at), rules.Part(v.lease.at)
	if x.Unchanged || v.ex.Status != http.StatusOK {
		return x
	}
	x.At = watch.Validators{Digest: v.ex.PayloadDigest, File: v.stored.File, Offset: v.stored.Offset}
	if v.stored.RefersTo != "" {
		x.At.File = "" // the record has no body of its own; the next request is unconditional
	}
	x.Size = v.ex.Size
	x.Place = watchPlace(v.lease.Host, v.page.labels())
	if saysDeleted(p) {
		x.State = watch.Gone
		return x
	}
	x.Described = p.Harvest.Level != nil && len(p.Harvest.Objects) > 0
	x.Pieces, x.List = pieces(p), p.Harvest.Level != nil && p.Harvest.Level.Kind == kb.Intermediate
	x.Source = len(p.Harvest.Changes) > 0 || p.Harvest.Level != nil && len(p.Harvest.Level.Changes) > 0
	followed := map[string]bool{} // of the addresses in a feed
	for _, l := range p.Harvest.Links {
		followed[l.URL] = true
	}
	at := map[string]int{} // of the latest change of an object, since a feed of comments has several
	for _, c := range p.Harvest.Changes {
		s := watch.Signal{Object: e.objectOf(c, p.Finding.Type), Time: days(c.Time), Exact: c.Exact, Said: c.Said,
			Newest: c.Newest, Unfollowed: p.Finding.Type == nil && !followed[c.URL]}
		if i, has := at[s.Object]; !has {
			at[s.Object] = len(x.Signals)
			x.Signals = append(x.Signals, s)
		} else if s.Time > x.Signals[i].Time {
			x.Signals[i] = s
		}
	}
	for _, t := range p.Harvest.Totals {
		if t.Object != x.Object && t.Object != "" && t.Of != kb.OfPages {
			x.Source = true
			x.Signals = append(x.Signals, watch.Signal{Object: t.Object, Count: t.Count, Counted: true, Said: t.Of})
		}
	}
	for _, l := range p.Harvest.Links {
		if u := parseURL(l.URL); l.Paging && rules.Part(u) > x.Part {
			x.Next = append(x.Next, rules.Key(u))
		}
	}
	return x
}

// objectOf is the key of the object that a signal is about.
func (e *Engine) objectOf(c extract.Change, t *kb.Type) string {
	u := parseURL(c.URL)
	return e.follower.rules(u, t).ObjectKey(u)
}

// watchPlace names the group of a page: its site, type and level.
func watchPlace(host string, l labels) string {
	if l.typ == "" {
		return host
	}
	return host + " " + l.typ + "/" + l.level
}

// loginAddress matches the addresses to which software redirects for a login.
var loginAddress = regexp.MustCompile(`(?i)\b(?:log[-_]?in|sign[-_]?in|sso|auth|Special:UserLogin|ucp\.php\?mode=login)\b`)

// deletedNotice matches the notices that boards, blogs and wikis answer with status 200 in place of a
// deleted page: phpBB, vBulletin, XenForo, MyBB, SMF, Invision and others. They are in English; others
// count as a change.
var deletedNotice = regexp.MustCompile(`(?i)\b(?:topic|thread|post|page|article|discussion|message|item)s?\b[^.!?]{0,60}\b` +
	`(?:does not exist|doesn.t exist|no longer exists|could not be found|(?:was|were|has been|have been) (?:deleted|removed)|` +
	`appears to be either missing)\b|\binvalid (?:thread|post|topic) specified\b|\bno (?:thread|topic|post) specified\b`)

// mostNotice bounds the text of a page that is a notice and not content about deleted pages.
const mostNotice = 1000

// saysDeleted reports whether a page is a notice that the content is deleted, with status 200.
func saysDeleted(p *Page) bool {
	text, level := p.Text.Text+p.watched, p.Harvest.Level
	if len(p.Harvest.Objects) > 0 || len(text) > mostNotice || level != nil && level.Kind == kb.Intermediate {
		return false
	}
	return deletedNotice.MatchString(text)
}

// stateOf distinguishes a page that the site deleted, one behind a login, and an outage.
func (e *Engine) stateOf(v visited, out *frontier.Outcome) watch.State {
	switch {
	case v.ex == nil || out.State == frontier.Failed && !strings.HasPrefix(out.Reason, kindLoggedOut):
		return watch.Failing
	case v.ex.Status == http.StatusNotFound || v.ex.Status == http.StatusGone:
		return watch.Gone
	case v.ex.Status == http.StatusUnauthorized, v.ex.Status == http.StatusForbidden, v.ex.LoggedOut != "",
		v.ex.Redirect() != "" && loginAddress.MatchString(v.ex.Redirect()):
		return watch.Walled
	case v.ex.Status >= http.StatusBadRequest:
		return watch.Failing
	}
	return watch.Present
}

// mostPieces bounds the pieces of a page: the ones with the smallest hashes, which are a fair sample.
const mostPieces = 64

// pieces are hashes of the content of a page: the fields of its objects, else its main text, else its
// links. Boilerplate, counters and advertisements are in none of them.
func pieces(p *Page) []uint32 {
	set := map[uint32]bool{}
	add := func(text string) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				h := fnv.New32a()
				_, _ = h.Write([]byte(line)) // it does not fail
				set[h.Sum32()] = true
			}
		}
	}
	for _, o := range p.Harvest.Objects {
		add(o.Class + " " + o.ID)
		for _, name := range []string{"title", "content", "creator", "modified"} {
			add(o.ID + " " + name) // so that a field that moves is a change
			add(o.Value(name))
		}
	}
	add(p.Text.Text)
	add(p.watched)
	for _, l := range p.Harvest.Links {
		if l.Paging || len(p.Harvest.Objects) == 0 && p.Text.Text+p.watched == "" {
			add(l.URL)
		}
	}
	for _, c := range p.Harvest.Changes {
		add(c.URL + " " + c.Said)
	}
	out := slices.Sorted(maps.Keys(set))
	return out[:min(len(out), mostPieces)]
}

func days(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / (24 * time.Hour).Seconds() / 1000
}

// ListsChanges reports whether pages of a level, or answers of a media type, list changes of other
// pages.
func ListsChanges(t *kb.Type, level kb.LevelID, mime string) bool {
	if feedTypes.MatchString(mime) || mime == "application/feed+json" {
		return true
	}
	return t != nil && slices.ContainsFunc(t.Level(level), func(v *kb.Level) bool {
		return len(v.Changes) > 0 || slices.ContainsFunc(v.Totals, func(t *kb.Total) bool { return t.Link != nil })
	})
}

// LastModified returns the Last-Modified of an archived answer; zero without one.
func LastModified(e *archive.Earlier) time.Time {
	head, err := fetch.Stored(e.URL, e.Head, e.Time)
	if err != nil {
		return time.Time{}
	}
	at, _ := http.ParseTime(head.Header.Get("Last-Modified")) // zero without one
	return at
}

// WatchReport is a watch as reports show it.
type WatchReport struct {
	Budget    float64         `json:"budget_a_day"`
	Every     string          `json:"every"`
	SweepDays float64         `json:"sweep_days,omitempty"`
	Signals   bool            `json:"signals"`
	Started   time.Time       `json:"started"`
	Sessions  int             `json:"sessions"`
	Last      time.Time       `json:"last_session"`
	Next      time.Time       `json:"next_session"`
	Fetches   int64           `json:"fetches"`
	Changed   int64           `json:"changes_found"`
	Found     int64           `json:"new_pages"`
	Recent    []watch.Session `json:"recent,omitempty"` // the newest first
	watch.Summary
}

// Lines returns the report as text; none for nil.
func (r *WatchReport) Lines() []string {
	if r == nil {
		return nil
	}
	lines := []string{
		fmt.Sprintf("%s since %s, every %s; the next one at %s", Counted(r.Sessions, "session|sessions"), r.Started.Format(time.DateOnly),
			r.Every, r.Next.Format("2006-01-02 15:04 UTC")),
		fmt.Sprintf("%s of a budget of %g a day; %s and %s found", Counted(r.Fetches, "fetch|fetches"), r.Budget,
			Counted(r.Changed, "change|changes"), Counted(r.Found, "new page|pages")),
		fmt.Sprintf("%.1f %% of %s up to date; %s", 100*r.Fresh, Counted(r.Pages, "page|pages is|are"),
			Counted(r.Sources, "page|pages lists|list changes")),
	}
	if all := r.Right + r.Wrong; all > 0 {
		lines = append(lines, fmt.Sprintf("%.0f %% of the last %.0f signals were right; %.0f changes had no signal", 100*r.Right/all, all,
			r.Missed))
	}
	if n := r.Gone + r.Walled + r.Failing; n > 0 {
		lines = append(lines, fmt.Sprintf("%d deleted by the site, %d behind a login, %d failing; their captures stay", r.Gone, r.Walled,
			r.Failing))
	}
	return append(lines, BehindText(r.Behind))
}

// BehindText describes how far a watch is behind, and the remedy.
func BehindText(b watch.Behind) string {
	var parts []string
	if b.Signalled > 0 {
		parts = append(parts, fmt.Sprintf("%s not fetched yet, the oldest announced %.1f days ago",
			Counted(b.Signalled, "changed page|pages is|are"), b.Oldest))
	}
	if b.Unswept > 0 {
		parts = append(parts, fmt.Sprintf("%s over the bound of --sweep, by %.1f days at most",
			Counted(b.Unswept, "page|pages is|are"), b.Late))
	}
	if b.Polls > 0 {
		parts = append(parts, fmt.Sprintf("%s not polled", Counted(b.Polls, "source|sources of changes was|were")))
	}
	if len(parts) == 0 {
		return "the watch is not behind"
	}
	return "the watch is behind: " + strings.Join(parts, "; ") + "; raise --budget"
}

// IsList reports whether a level lists pages of other levels, so that its rows may show changes.
func IsList(t *kb.Type, level kb.LevelID) bool {
	return slices.ContainsFunc(t.Level(level), func(v *kb.Level) bool {
		return v.Kind == kb.Intermediate && slices.ContainsFunc(v.Follow, func(f *kb.Follow) bool { return !f.Paging })
	})
}
