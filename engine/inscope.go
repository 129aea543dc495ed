package engine

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
)

// countScope begins the names of the counters of what rules kept out: links, URLs that
// waited, and answers. The rule's name follows.
const countScope = "scope/"

// named reports whether a URL belongs to the crawl wherever it is.
func named(lease leased) bool {
	return lease.Seed || IsRequisite(lease.Level) || lease.Level == LevelSitemap || IsService(lease.Level)
}

// scopeCounters are the counters of what the rule that decided keeps out.
func scopeCounters(v verdict) map[string]int64 {
	const most = 500 // bytes of a name; the frontier bounds those of counters
	if v.name == "" {
		return map[string]int64{}
	}
	return map[string]int64{countScope + v.name[:min(len(v.name), most)]: 1}
}

// leftScope excludes a URL that rules keep out which changed since it was scheduled.
func (e *Engine) leftScope(lease leased) *frontier.Outcome {
	if !e.options.Scope.rules.Load().changes {
		return nil
	}
	v := e.options.Scope.decide(lease.at, lease.Hops, named(lease))
	if !v.out {
		return nil
	}
	return &frontier.Outcome{State: frontier.Excluded, NoRequest: true, Reason: v.why, Counters: scopeCounters(v)}
}

// bounded lets the exchange of a lease end where the rules know enough: after the header where a media type or a
// length is not wanted, else where the body becomes too large.
func (e *Engine) bounded(ctx context.Context, lease leased) context.Context {
	set := e.options.Scope.rules.Load()
	if !set.ofAnswer {
		return ctx
	}
	return fetch.WithBound(ctx, func(status int, h http.Header) int64 {
		if !succeeded(status) {
			return math.MaxInt64
		}
		f := before(lease.at, lease.Hops, named(lease))
		f.mime, f.size = fetch.DeclaredType(h), declaredSize(h)
		if set.decide(&f, true).out {
			return 0
		}
		for _, n := range set.sizes {
			if f.size = n + 1; set.decide(&f, true).out {
				return n
			}
		}
		return math.MaxInt64
	})
}

// succeeded reports whether an answer is what was asked for; the rules say nothing of errors and redirects.
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

// decideAnswer asks the rules about an answer, of which only a part may be there.
func (e *Engine) decideAnswer(lease leased, ex *fetch.Exchange, mime string) verdict {
	set := e.options.Scope.rules.Load()
	if !set.ofAnswer || !succeeded(ex.Status) {
		return verdict{}
	}
	f := before(lease.at, lease.Hops, named(lease))
	f.mime, f.size = mime, ex.Size-ex.HeaderSize
	if ex.Truncated == fetch.TruncatedLength {
		f.size = max(f.size+1, declaredSize(ex.Header))
	}
	return set.decide(&f, true)
}

// decidePage asks the rules about a page whose language is known now.
func (e *Engine) decidePage(lease leased, ex *fetch.Exchange, p *Page) verdict {
	set := e.options.Scope.rules.Load()
	if !set.ofPage {
		return verdict{}
	}
	f := before(lease.at, lease.Hops, named(lease))
	f.mime, f.size, f.lang = ex.MediaType(), ex.Size-ex.HeaderSize, pageLanguage(p, ex.Header)
	return set.decide(&f, true)
}

// pageLanguage is the language of a page, by what it states and by its text.
func pageLanguage(p *Page, h http.Header) string {
	stated := extract.Language(p.Doc)
	if said := h.Get("Content-Language"); stated == "" && !strings.Contains(said, ",") {
		stated = strings.TrimSpace(said)
	}
	cut := assess.Cut(p.extracted(), p.Harvest.Objects)
	return score.Language(stated, cut.Text())
}

// leaveOut settles an answer that the rules do not want. What came of it is in the archive.
func leaveOut(r *pageResult, ex *fetch.Exchange) frontier.Outcome {
	reason := fmt.Sprintf("status %d; %s", ex.Status, r.excluded)
	return frontier.Outcome{State: frontier.Excluded, Reason: reason, IP: bareIP(ex.IP), Meta: r.settings, Counters: map[string]int64{}}
}
