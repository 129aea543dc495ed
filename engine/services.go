package engine

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/api"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// LevelService begins the level of a request to a service; its operation follows: "api wordpress-api/posts".
const LevelService = "api "

// IsService reports whether a level is that of a request to a service.
func IsService(level string) bool { return strings.HasPrefix(level, LevelService) }

// Services are the APIs that a crawl asks.
type Services struct {
	// Queries are the queries of a campaign.
	Queries []api.Query
	Secrets *api.Secrets
	// Interval is the time between two rounds of queries, 0 for one round; none begins after Until, where that is not zero.
	Interval time.Duration
	Until    time.Time
	// Follow fetches what answers link to, as far as it is in scope.
	Follow bool
	// Complete asks the services of sites whose type has one for what the pages of the site may have missed.
	Complete bool
}

// ticket is what is known of a request to a service. It is in the key of its URL, so that one address may be asked for in each round.
type ticket struct {
	service   *kb.Service
	operation *kb.Operation
	base      *url.URL
	query     int   // of the campaign; -1 for none
	round     int   // -1: of all rounds
	page      int   // of the list, from 0 on
	restarts  int   // since a cursor expired
	due       int64 // Unix time in seconds before which it is not asked for
	url       string
}

// key is a text that [Engine.ticketOf] reads.
func (t ticket) key() string {
	return fmt.Sprint("api ", t.service.ID(), " ", t.operation.ID, " ", t.query, " ", t.round, " ", t.page, " ", t.restarts, " ",
		t.due, " ", t.base, " ", t.url)
}

// scheduled is the URL to be asked for.
func (t ticket) scheduled(priority int) frontier.URL {
	return frontier.URL{URL: t.url, Key: t.key(), Level: LevelService + string(t.service.ID()) + "/" + t.operation.ID, Priority: priority}
}

// ticketOf reads the ticket of a lease; nil for what is no request to a service that is known.
func (e *Engine) ticketOf(lease leased) *ticket {
	const words = 10
	w := strings.SplitN(lease.Key, " ", words)
	if !IsService(lease.Level) || len(w) != words {
		return nil
	}
	t := &ticket{service: e.detector.Load().Base().Service(kb.ServiceID(w[1])), url: lease.URL.URL}
	if t.service == nil {
		return nil
	}
	t.operation = t.service.Operation(w[2])
	var err error
	read := func(word string) (n int) {
		if err == nil {
			n, err = strconv.Atoi(word)
		}
		return n
	}
	t.query, t.round, t.page, t.restarts, t.due = read(w[3]), read(w[4]), read(w[5]), read(w[6]), int64(read(w[7]))
	if err == nil {
		t.base, err = url.Parse(w[8])
	}
	if err != nil || t.operation == nil || t.query >= len(e.options.Services.Queries) {
		return nil
	}
	return t
}

// Ask adds the queries of the campaign to the frontier, where they are not yet.
func (e *Engine) Ask(ctx context.Context) error {
	var urls []frontier.URL
	for i := range e.options.Services.Queries {
		u := e.begin(i, 0, 0, "").scheduled(prioritySeed)
		u.Seed = true
		urls = append(urls, u)
	}
	if _, err := e.frontier.Add(ctx, urls); err != nil {
		return fmt.Errorf("adding %d queries: %w", len(urls), err)
	}
	return nil
}

// begin is the first request of a query in a round.
func (e *Engine) begin(query, round int, due int64, since string) ticket {
	q := &e.options.Services.Queries[query]
	return ticket{service: q.Service, operation: q.Operation, base: q.Base, query: query, round: round, due: due,
		url: q.URL(since).String()}
}

// early puts the first request of a round off until that begins.
func (e *Engine) early(lease leased) *frontier.Outcome {
	t := e.ticketOf(lease)
	if t == nil || t.due == 0 {
		return nil
	}
	wait := time.Unix(t.due, 0).Sub(e.options.Now())
	if wait <= 0 {
		return nil
	}
	reason := fmt.Sprintf("round %d has not started", t.round)
	return &frontier.Outcome{State: frontier.Defer, RetryAfter: wait, NoRequest: true, Reason: reason}
}

// withSecret lets a request to a service be sent with what the campaign is known by. A secret goes to the service alone.
func (e *Engine) withSecret(ctx context.Context, lease leased) (context.Context, error) {
	t, o := e.ticketOf(lease), &e.options.Services
	if t == nil || o.Secrets == nil {
		return ctx, nil
	}
	for i := range o.Queries {
		q := &o.Queries[i]
		if q.Service.ID() != t.service.ID() || q.Base.String() != t.base.String() || !below(q.Base, lease.at) {
			continue
		}
		secret, err := o.Secrets.Of(ctx, q.Source, q.Service, q.Base, lease.Tries > 0)
		if secret == nil || err != nil {
			return ctx, err
		}
		return fetch.WithSecret(ctx, *secret), nil
	}
	return ctx, nil
}

// below reports whether an address is that of a service, or below it.
func below(base, u *url.URL) bool {
	folder := base.Path[:strings.LastIndexByte(base.Path, '/')+1]
	return u.Scheme == base.Scheme && u.Host == base.Host && strings.HasPrefix(u.Path, folder) && !strings.Contains(u.Path, "/..")
}

// metaSince names the setting with the values that tell where a round of a query began.
func metaSince(query, round int) string { return fmt.Sprint("api since ", query, " ", round) }

// since are the values of the round before a request's; none for the first.
func (e *Engine) since(t *ticket) []string {
	if text := string(e.frontier.Meta(metaSince(t.query, t.round-1))); text != "" {
		return strings.Split(text, "\n")
	}
	return nil
}

// serviceResult is what an answer of a service says beside its objects.
type serviceResult struct {
	ticket *ticket
	wait   time.Duration // for which the service wants to be left alone
	since  []string      // by which the next round goes on
	broken string        // why the answer cannot be read
	again  bool          // the service does not grant the request now, but may a second one
}

// readService reads an answer of a service.
func (e *Engine) readService(ctx context.Context, lease leased, ex *fetch.Exchange, t *ticket) (pageResult, error) {
	r := pageResult{mime: ex.MediaType(), kb: e.detector.Load().Base().Hash, counters: map[string]int64{},
		service: &serviceResult{ticket: t}}
	release, err := makeRoom(ctx, ex)
	if err != nil {
		return r, errBrokenOff
	}
	defer release()
	if e.poisonous(lease.Key) {
		r.fault = fault{poisonFault, poisonKind}
		return r, nil
	}
	defer e.beginReading(lease.Key)()
	body, err := ex.Body(fetch.MaxPage)
	if err != nil {
		r.service.broken = err.Error()
		return r, nil
	}
	answer := api.Answer{URL: lease.at, Status: ex.Status, Header: ex.Header, Body: body, Time: ex.Start}
	if !succeeded(ex.Status) {
		r.service.wait = api.Wait(t.service, answer, e.options.Now())
		stale := ex.Status == http.StatusUnauthorized && lease.Tries == 0 && ex.Authorization == "Bearer" // the next token may be valid
		r.service.again = stale || ex.Status == http.StatusForbidden && r.service.wait > 0
		e.refusedBy(&r, ex, t)
		return r, nil
	}
	read, err := api.ReadAnswer(t.service, t.operation, t.base, answer, e.since(t))
	if err != nil {
		r.service.broken = err.Error()
		return r, nil
	}
	r.counters[countServices+string(t.service.ID())+"/"+t.operation.ID] = 1
	r.service.wait, r.service.since = read.Wait(t.service, e.options.Now()), read.Since
	read.Harvest.Part = -1 // an answer is no page of what it lists: its order is that of the question
	r.page = Page{URL: lease.at, Finding: detect.Finding{Type: t.service.Type}, Harvest: read.Harvest}
	if read.Items > 0 && len(t.operation.Level.Objects) > 0 && len(read.Harvest.Objects) == 0 {
		r.fault = fault{fmt.Sprintf("none of %d items is an object of %s: has the API changed?", read.Items, t.service.ID()),
			"unlike_description"}
	}
	if e.options.Services.Complete && len(t.operation.Level.Follow) > 0 {
		read.Calls = nil // the pages that it leads to say it
	}
	r.links = t.further(read)
	if e.options.Services.Follow || e.options.Services.Complete {
		f := e.follower.from(lease, nil)
		f.counters = r.counters
		pages := r.page
		pages.Harvest.Level = nil // what the links lead to is no answer of the service
		r.links = append(r.links, scheduled(f.follow(&pages, read.Harvest.Links))...)
	}
	return r, nil
}

// further are the requests that follow from an answer: the next page before what its items ask for.
func (t *ticket) further(read *api.Read) (links []frontier.URL) {
	of := *t
	of.due = 0
	if read.Next != nil {
		next := of
		next.page, next.url = t.page+1, read.Next.String()
		links = append(links, next.scheduled(priorityList))
	}
	for _, c := range read.Calls {
		call := of
		call.operation, call.url, call.page, call.restarts = c.Operation, c.URL.String(), 0, 0
		if call.query = -1; c.Once {
			call.round = -1
		}
		links = append(links, call.scheduled(priorityContent))
	}
	return links
}

// maxRestarts is how often a list is begun anew whose cursors expire.
const maxRestarts = 3

// refusedBy says what becomes of a request that a service does not grant.
func (e *Engine) refusedBy(r *pageResult, ex *fetch.Exchange, t *ticket) {
	p := t.operation.Paging
	gone := ex.Status == http.StatusBadRequest || ex.Status == http.StatusNotFound || ex.Status == http.StatusGone
	switch {
	case retryable[ex.Status] || r.service.again:
		return
	case gone && t.page > 0 && p != nil && p.Param != "":
		return // the list has become shorter meanwhile
	case gone && t.page > 0 && t.restarts < maxRestarts && (p != nil && len(p.Cursors) > 0 || t.query >= 0):
		again := *t
		again.page, again.due, again.restarts = 0, 0, t.restarts+1
		again.url = api.FirstPage(p, again.url)
		if len(p.Cursors) == 0 {
			again.url = e.begin(t.query, t.round, 0, first(e.since(t))).url
		}
		r.links = append(r.links, again.scheduled(priorityList))
		r.fault = fault{fmt.Sprintf("status %d: the cursor has expired; the list restarts", ex.Status), ""}
		return
	}
	r.fault = fault{fmt.Sprintf("status %d of %s", ex.Status, t.service.ID()), fmt.Sprintf("http_%d", ex.Status)}
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// serviceOutcome adds to an outcome what a service asks for, and the next round.
func (e *Engine) serviceOutcome(out *frontier.Outcome, v visited) {
	s := v.page.service
	if s == nil {
		if t := e.ticketOf(v.lease); t != nil && out.State == frontier.Failed {
			e.nextRound(out, t, nil)
		}
		return
	}
	switch {
	case s.broken != "":
		*out = e.tryAgain(v.lease, "unreadable", s.broken)
	case s.again:
		*out = e.tryAgain(v.lease, fmt.Sprintf("http_%d", v.ex.Status), http.StatusText(v.ex.Status))
	}
	out.IP = bareIP(v.ex.IP)
	if s.wait > 0 {
		out.HostNotBefore = e.options.Now().Add(s.wait)
		if out.State == frontier.Retry {
			out.RetryAfter = max(out.RetryAfter, s.wait)
		}
	}
	if out.State == frontier.Fetched || out.State == frontier.Failed {
		e.nextRound(out, s.ticket, s.since)
	}
}

// nextRound adds the next round of a query, once the first request of one is settled.
func (e *Engine) nextRound(out *frontier.Outcome, t *ticket, since []string) {
	o := &e.options.Services
	if t.query < 0 || t.page > 0 || t.restarts > 0 || o.Interval <= 0 {
		return
	}
	due := e.options.Now().Add(o.Interval)
	if !o.Until.IsZero() && due.After(o.Until) {
		return
	}
	if len(since) == 0 {
		since = e.since(t)
	}
	out.Links = append(out.Links, e.begin(t.query, t.round+1, due.Unix(), first(since)).scheduled(prioritySeed))
	out.Meta = with(out.Meta, map[string][]byte{metaSince(t.query, t.round): []byte(strings.Join(since, "\n")),
		metaSince(t.query, t.round-2): nil})
}

// sources are requests to the APIs of the site of a page, for all that its pages may have missed: they come last.
func (e *Engine) sources(lease leased, p *Page) (links []frontier.URL) {
	if !e.options.Services.Complete || p.Finding.Type == nil {
		return nil
	}
	for _, s := range e.detector.Load().Base().Services {
		base := e.sourceOf(s, lease, p)
		if base == nil {
			continue
		}
		if _, known := e.asked.LoadOrStore(string(s.ID())+" "+base.String(), true); known {
			continue
		}
		for _, o := range s.Operations {
			if u := api.Address(base, o, nil); o.Complete && u != nil {
				t := ticket{service: s, operation: o, base: base, query: -1, round: -1, url: u.String()}
				links = append(links, t.scheduled(priorityGuess))
			}
		}
	}
	return links
}

// sourceOf is where the site of a page has an API, nil if it has none, or none in scope.
func (e *Engine) sourceOf(s *kb.Service, lease leased, p *Page) *url.URL {
	is := false
	for t := p.Finding.Type; t != nil; t = t.Parent {
		is = is || slices.Contains(s.Of, t.ID)
	}
	if !is {
		return nil
	}
	root := "/"
	if s.Root != nil {
		if root = s.Root.First(p.Doc); root == "" {
			return nil
		}
	}
	site := extract.Resolve(lease.at, root)
	base, err := api.BaseOf(s, site)
	if site == "" || err != nil || !e.options.Scope.Contains(base, lease.Hops) {
		return nil
	}
	return base
}
