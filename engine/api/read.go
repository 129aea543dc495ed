package api

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
)

// Answer is what a service answered.
type Answer struct {
	URL    *url.URL
	Status int
	Header http.Header
	Body   []byte // decoded
	Time   time.Time
}

// Read is an answer as its operation reads it.
type Read struct {
	Harvest extract.Harvest
	Items   int      // of a list
	Next    *url.URL // of the next page; nil for none
	Calls   []Request
	Since   []string // values by which a later round goes on
	Doc     *html.Node
}

// Request is one that follows from an answer.
type Request struct {
	Operation *kb.Operation
	URL       *url.URL
	Once      bool // however many rounds name it
}

// maxCalls bounds the requests that follow from one answer.
const maxCalls = 10_000

// ReadAnswer reads a response of an operation of a service at base. known are the values that identify the last round, see
// [kb.Since].
func ReadAnswer(s *kb.Service, o *kb.Operation, base *url.URL, a Answer, known []string) (*Read, error) {
	tree, err := Tree(a.Body, s.Values)
	if err != nil {
		return nil, err
	}
	doc := yfilter.Document(tree, yfilter.Meta{Status: a.Status, Header: a.Header, URL: a.URL})
	r := &Read{Doc: doc}
	r.Harvest = extract.Run(extract.Page{Doc: doc, URL: a.URL, Captured: a.Time, Type: s.Type, Levels: []*kb.Level{o.Level}})
	if o.Items != nil {
		r.Items = len(o.Items.Select(doc, nil))
	}
	reached := false
	if o.Since != nil {
		r.Since = texts(o.Since.Value, doc, maxSince)
		reached = o.Since.Param == "" && overlap(r.Since, known)
	}
	if o.Paging != nil && !reached && (o.Items == nil || r.Items > 0) {
		r.Next = next(o.Paging, doc, a, r.Items)
	}
	r.Calls = calls(s, o, base, doc)
	return r, nil
}

// maxSince is how many values tell a round.
const maxSince = 100

func overlap(a, b []string) bool {
	has := map[string]bool{}
	for _, s := range a {
		has[s] = true
	}
	for _, s := range b {
		if has[s] {
			return true
		}
	}
	return false
}

// texts are the values of an expression at a node, those that are not empty.
func texts(x *kb.Expr, n *html.Node, most int) (out []string) {
	for _, v := range x.Select(n, nil) {
		if s := strings.TrimSpace(v.Text()); s != "" && len(out) < most {
			out = append(out, s)
		}
	}
	return out
}

func text(x *kb.Expr, n *html.Node) string {
	if x == nil {
		return ""
	}
	if all := texts(x, n, 1); len(all) > 0 {
		return all[0]
	}
	return ""
}

// next is the address of the page after an answer, nil for none.
func next(p *kb.NextPage, doc *html.Node, a Answer, items int) *url.URL {
	if p.More != nil {
		switch text(p.More, doc) {
		case "", "false", "0":
			return nil
		}
	}
	out := *a.URL
	switch {
	case p.Link:
		return resolved(a.URL, linkNext(a.Header))
	case p.Next != nil:
		return resolved(a.URL, text(p.Next, doc))
	case len(p.Cursors) > 0:
		for i, c := range p.Cursors {
			v := text(c.Value, doc)
			if i == 0 && v == "" {
				return nil
			}
			out.RawQuery = setParam(out.RawQuery, c.Param, v)
		}
		if out.RawQuery == a.URL.RawQuery {
			return nil // it leads in a circle
		}
	default:
		at := number(a.URL, p.Param, p.First)
		pages, err := strconv.Atoi(text(p.Pages, doc))
		if p.Pages != nil && (err != nil || (at-p.First)/p.Step+1 >= pages) || p.Size > 0 && items < p.Size {
			return nil
		}
		out.RawQuery = setParam(out.RawQuery, p.Param, strconv.Itoa(at+p.Step))
	}
	return &out
}

func resolved(base *url.URL, href string) *url.URL {
	if href == "" {
		return nil
	}
	u, err := base.Parse(href)
	if err != nil || u.Host == "" {
		return nil
	}
	u.Fragment, u.User = "", nil
	return u
}

// linkNext is the address of rel=next in the fields Link (RFC 8288).
func linkNext(h http.Header) string {
	for _, field := range h.Values("Link") {
		for _, link := range strings.Split(field, "<")[1:] {
			target, params, _ := strings.Cut(link, ">")
			for p := range strings.SplitSeq(params, ";") {
				name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
				if strings.EqualFold(name, "rel") && strings.Contains(" "+strings.Trim(value, `", `)+" ", " next ") {
					return target
				}
			}
		}
	}
	return ""
}

// calls are the further requests that an answer names.
func calls(s *kb.Service, o *kb.Operation, base *url.URL, doc *html.Node) (out []Request) {
	seen := map[string]bool{}
	for _, c := range o.Calls {
		to := s.Operation(c.Operation)
		for _, v := range c.At.Select(doc, nil) {
			if v.Node == nil || v.Node.Type != html.ElementNode || len(out) >= maxCalls {
				continue
			}
			args := Args{}
			for _, a := range c.Args {
				args[a.Name] = text(a.Value, v.Node)
			}
			u := Address(base, to, args)
			if u == nil || seen[u.String()] {
				continue
			}
			seen[u.String()] = true
			out = append(out, Request{to, u, c.Once})
		}
	}
	return out
}

// longestLimit is how long a service may ask to be left alone.
const longestLimit = 24 * time.Hour

// Wait is how long the service asks to be left alone, by what the answer says of its limits; 0 for not at all.
func (r *Read) Wait(s *kb.Service, now time.Time) time.Duration { return wait(s, r.Doc, now) }

// Wait is as [Read.Wait], for an answer that is not read.
func Wait(s *kb.Service, a Answer, now time.Time) time.Duration {
	tree, err := Tree(a.Body, kb.Values{})
	if err != nil {
		tree = nil // the header may tell
	}
	return wait(s, yfilter.Document(tree, yfilter.Meta{Status: a.Status, Header: a.Header, URL: a.URL}), now)
}

func wait(s *kb.Service, doc *html.Node, now time.Time) (longest time.Duration) {
	for _, l := range s.Limits {
		if l.Left != nil {
			left, err := strconv.ParseFloat(text(l.Left, doc), 64)
			if err != nil || left >= 1 {
				continue
			}
		}
		if d := until(text(l.Reset, doc), l.As, now); d > longest {
			longest = d
		}
	}
	return min(longest, longestLimit)
}

// until is how long it is to a time that a limit states.
func until(s, as string, now time.Time) time.Duration {
	if as == "date" {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return 0
		}
		return t.Sub(now)
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n <= 0 || n > 1<<40 {
		return 0
	}
	if as == "epoch" {
		return time.Unix(int64(n), 0).Sub(now)
	}
	return time.Duration(min(n, longestLimit.Seconds()) * float64(time.Second))
}
