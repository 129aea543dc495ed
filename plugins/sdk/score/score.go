// Package score makes a scorer of a Go program: how much a page, and each page
// that it links to, matches the crawl's topic. See package sdk for the rest.
//
//	var m *score.Matcher
//
//	func init() {
//		score.OnConfigure(func(c *score.Config) error { m = c.Topic.Matcher(); return nil })
//		score.OnPage(func(p *score.Page, out *score.Result) error {
//			out.Doc = m.Density(p.Title, 3, p.Text(), 1)
//			for i, l := range p.Links {
//				out.Link(i, m.Density(l.Anchor, 2, l.Context, 1))
//			}
//			return nil
//		})
//	}
//
// What the manifest's "needs" does not name is not there: a scorer of the code
// above needs title, text, links and link_context.
package score

import (
	"strconv"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk"
)

// Page is the page to score. Its strings are valid until the handler returns.
type Page = abi.ScoreRequest

// Link is one of the page's out-links.
type Link = abi.Link

// Flags of a link of a page.
const (
	NoFollow     = abi.NoFollow
	SameHost     = abi.SameHost
	Image        = abi.Image
	InNavigation = abi.InNavigation
)

// Config, Topic and Matcher are the types of package sdk.
type (
	Config  = sdk.Config
	Topic   = sdk.Topic
	Matcher = sdk.Matcher
)

// NoOpinion is returned by a handler that has nothing to say about a page.
var NoOpinion = sdk.NoOpinion

// OnConfigure registers what happens with topic and configuration.
func OnConfigure(f func(*Config) error) { sdk.OnConfigure(f) }

var onPage func(*Page, *Result) error

// OnPage registers the scorer. Scores are 0 to 1; what is outside is moved to the
// nearer end with a warning in the log.
func OnPage(f func(p *Page, out *Result) error) { onPage = f }

// Result takes the scores of a page.
type Result struct {
	Doc    float32 // the page itself
	Reason string  // one line for people

	response abi.ScoreResponse
	links    int
}

// Link scores link i of the page. When no link is scored the host passes the
// page's score on to all; when some are, the plugin has no opinion on the others.
func (r *Result) Link(i int, score float32) {
	r.open()
	r.response.Links[i] = r.clamp(score)
	r.response.LinkFlags[i] &^= abi.NoOpinion
}

// BlacklistURL keeps the URL of link i out of the crawl for good; the manifest's
// "may" must list blacklist_url.
func (r *Result) BlacklistURL(i int) { r.open(); r.response.LinkFlags[i] |= abi.BlacklistURL }

// BlacklistHost keeps the host of link i out of the crawl for good; the
// manifest's "may" must list blacklist_host.
func (r *Result) BlacklistHost(i int) { r.open(); r.response.LinkFlags[i] |= abi.BlacklistHost }

// BlacklistPage keeps this page out of the crawl for good; needs blacklist_url.
func (r *Result) BlacklistPage() { r.response.DocFlags |= abi.BlacklistURL }

// NoDoc says that the page itself was not scored, only its links.
func (r *Result) NoDoc() { r.response.DocFlags |= abi.NoOpinion }

// open makes room for the links, none of them scored.
func (r *Result) open() {
	if len(r.response.Links) == r.links {
		return
	}
	for range r.links {
		r.response.Links = append(r.response.Links, 0)
		r.response.LinkFlags = append(r.response.LinkFlags, abi.NoOpinion)
	}
}

func (r *Result) clamp(v float32) float32 {
	if v >= 0 && v <= 1 {
		return v
	}
	if sdk.LogEnabled(sdk.Warn) {
		sdk.Log(sdk.Warn, "score ", strconv.FormatFloat(float64(v), 'g', -1, 32), " is not in 0 to 1")
	}
	if v > 1 {
		return 1
	}
	return 0
}

var ( // used again by every call
	page   Page
	result Result
)

// serve is the export awarc_score.
func serve() sdk.Status {
	r := &result.response
	return sdk.Respond(page.Decode, func() error {
		result = Result{links: len(page.Links), response: abi.ScoreResponse{Links: r.Links[:0], LinkFlags: r.LinkFlags[:0]}}
		if onPage == nil {
			return NoOpinion
		}
		return onPage(&page, &result)
	}, func(b []byte) []byte {
		r.Doc, r.Reason = result.clamp(result.Doc), result.Reason
		return r.Append(b)
	})
}
