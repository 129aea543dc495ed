package engine

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
)

// countScope begins the names of the counters of what rules kept out: links, URLs that
// waited, and answers. The rule's name follows.
const countScope = "scope/"

// named reports whether a URL belongs to the crawl wherever it is.
func named(lease frontier.Lease) bool { return lease.Seed || lease.Level == LevelRequisite }

// outOfScope reports whether a link is not followed for the scope's sake, and counts it.
func (e *Engine) outOfScope(r *reading, v verdict) bool {
	if v.out {
		r.tally.outOfScope++
		r.countRule(v)
	}
	return v.out
}

// countRule counts what a rule kept out.
func (r *reading) countRule(v verdict) {
	if v.name == "" {
		return
	}
	if r.rules == nil {
		r.rules = map[string]int64{}
	}
	r.rules[scopeCounter(v)]++
}

// scopeCounter names the counter of the rule that decided.
func scopeCounter(v verdict) string {
	const most = 500 // bytes of a name; the frontier bounds those of counters
	return countScope + v.name[:min(len(v.name), most)]
}

// leftScope excludes a URL that rules keep out which changed since it was scheduled.
func (e *Engine) leftScope(lease frontier.Lease) *frontier.Outcome {
	if !e.options.Scope.rules.Load().changes {
		return nil
	}
	v := e.options.Scope.judge(parseURL(lease.URL.URL), lease.Hops, named(lease))
	if !v.out {
		return nil
	}
	out := frontier.Outcome{State: frontier.Excluded, NoRequest: true, Reason: v.why, Counters: map[string]int64{}}
	if v.name != "" {
		out.Counters[scopeCounter(v)] = 1
	}
	return &out
}

// bounded lets the exchange of a lease end where the rules know enough: after the header where a media type or a
// length is not wanted, else where the body becomes too large.
func (e *Engine) bounded(ctx context.Context, lease frontier.Lease) context.Context {
	set := e.options.Scope.rules.Load()
	if !set.ofAnswer {
		return ctx
	}
	return fetch.WithBound(ctx, func(status int, h http.Header) int64 {
		if !succeeded(status) {
			return math.MaxInt64
		}
		f := before(parseURL(lease.URL.URL), lease.Hops, named(lease))
		f.mime, f.size = fetch.DeclaredType(h), declaredSize(h)
		if set.judge(&f, true).out {
			return 0
		}
		for _, n := range set.sizes {
			if f.size = n + 1; set.judge(&f, true).out {
				return n
			}
		}
		return math.MaxInt64
	})
}

// succeeded reports whether an answer is what was asked for; errors and redirects are not judged.
func succeeded(status int) bool {
	return status >= http.StatusOK && status < http.StatusMultipleChoices
}

// declaredSize is the length of the body that a header declares, -1 where there is none.
func declaredSize(h http.Header) int64 {
	n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	if err != nil || n < 0 || h.Get("Transfer-Encoding") != "" {
		return -1
	}
	return n
}

// judgeAnswer asks the rules about an answer, of which only a part may be there.
func (e *Engine) judgeAnswer(lease frontier.Lease, ex *fetch.Exchange, mime string) verdict {
	set := e.options.Scope.rules.Load()
	if !set.ofAnswer || !succeeded(ex.Status) {
		return verdict{}
	}
	f := before(parseURL(lease.URL.URL), lease.Hops, named(lease))
	f.mime, f.size = mime, ex.Size-ex.HeaderSize
	if ex.Truncated == fetch.TruncatedLength {
		f.size = max(f.size+1, declaredSize(ex.Header))
	}
	return set.judge(&f, true)
}

// judgePage asks the rules about a page whose language is known now.
func (e *Engine) judgePage(r *reading, lease frontier.Lease, ex *fetch.Exchange, base *url.URL) verdict {
	set := e.options.Scope.rules.Load()
	if !set.ofPage {
		return verdict{}
	}
	f := before(base, lease.Hops, named(lease))
	f.mime, f.size, f.lang = r.mime, ex.Size-ex.HeaderSize, pageLanguage(r, ex.Header)
	return set.judge(&f, true)
}

// pageLanguage is the language of a page, by what it states and by its text.
func pageLanguage(r *reading, h http.Header) string {
	stated := extract.Language(r.page.Doc)
	if said := h.Get("Content-Language"); stated == "" && !strings.Contains(said, ",") {
		stated = strings.TrimSpace(said)
	}
	cut := cutPage(r)
	return score.Language(stated, cut.text())
}

// leaveOut settles an answer that the rules do not want. What came of it is in the archive.
func leaveOut(r *reading, ex *fetch.Exchange) frontier.Outcome {
	return frontier.Outcome{State: frontier.Excluded, Reason: fmt.Sprintf("status %d; %s", ex.Status, r.excluded), IP: bareIP(ex.IP), Meta: r.meta, Counters: map[string]int64{}}
}
