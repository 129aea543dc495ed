package engine

import (
	"bytes"
	"cmp"
	"context"
	"net/http"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/fetch"
)

// unreadNamed is how many records of earlier crawls that cannot be read are named; there may be as many as the earlier crawl has.
const unreadNamed = 20

// ask makes the exchange of a lease. Where an earlier crawl has an answer whose body can be read, it asks whether that is still the
// answer; if so, earlier is that answer, and content it as an exchange, from which the page is read.
func (e *Engine) ask(ctx context.Context, lease leased) (v visited, err error) {
	v.lease = lease
	known, header := e.knownOf(lease)
	asking, err := e.withSecret(e.bounded(ctx, lease), lease)
	if err != nil {
		v.err = &fetch.Error{Op: "secret", URL: lease.URL.URL, Kind: fetch.KindBlocked, Err: err}
		return v, nil
	}
	if known != nil {
		asking = fetch.WithCondition(asking, fetch.Condition{ETag: known.ETag, LastModified: known.LastModified, Header: header,
			Request: known.Request})
	}
	v.ex, v.err = e.fetcher.Do(asking, lease.URL.URL, e.header(lease))
	v.content = v.ex
	if err := fatal(ctx, v.err); err != nil || known == nil || v.ex == nil || !v.ex.NotModified() {
		v.unchanged = err == nil && e.repeated(&v)
		return v, err
	}
	if e.options.Watch != nil {
		v.earlier, v.content, v.unchanged = known, nil, true
		return v, nil
	}
	if v.content, err = e.open(known); err != nil {
		// It was whole a moment ago. What the server said is of no use without it.
		e.unread(lease.URL.URL, err)
		closeExchange(v.ex)
		v.ex, v.err = e.fetcher.Do(e.bounded(ctx, lease), lease.URL.URL, e.header(lease))
		v.content = v.ex
		return v, fatal(ctx, v.err)
	}
	v.earlier = known
	known.ETag = cmp.Or(v.ex.Header.Get("ETag"), known.ETag)
	known.LastModified = cmp.Or(v.ex.Header.Get("Last-Modified"), known.LastModified)
	return v, nil
}

// knownOf is what an earlier crawl archived of a URL, with the validators that hold now and the fields of the answer; nil where there is
// nothing to ask about.
func (e *Engine) knownOf(lease leased) (*archive.Earlier, http.Header) {
	if e.options.Watch != nil {
		if known, header := e.earlierOwn(lease); known != nil {
			return known, header
		}
	}
	if !e.options.Conditional {
		return nil, nil
	}
	known, err := e.archiver.Earlier(lease.URL.URL)
	if err != nil {
		e.unread(lease.URL.URL, err)
	}
	if known == nil {
		return nil, nil
	}
	head, err := fetch.Stored(lease.URL.URL, known.Head, known.Time)
	if err != nil {
		return nil, nil // no answer of HTTP
	}
	known.ETag = cmp.Or(known.ETag, head.Header.Get("ETag"))
	known.LastModified = cmp.Or(known.LastModified, head.Header.Get("Last-Modified"))
	return known, head.Header
}

// open makes an exchange of an earlier answer.
func (e *Engine) open(known *archive.Earlier) (*fetch.Exchange, error) {
	block, err := known.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = block.Close() }() // it is read
	return e.fetcher.Stored(known.URL, block, known.Time)
}

// unread tells that a record of an earlier crawl cannot be read, so that its URL is archived whole.
func (e *Engine) unread(url string, err error) {
	switch n := e.unreadEarlier.Add(1); {
	case n <= unreadNamed:
		e.warn("a record of the earlier crawl is unreadable; the URL is fetched in full", "url", url, "error", err.Error())
	case n == unreadNamed+1:
		e.warn("more unreadable records of earlier crawls are not listed")
	}
}

// payloadDigest is that of the body, wherever that is.
func (v *visited) payloadDigest() string {
	if v.earlier != nil {
		return v.earlier.PayloadDigest()
	}
	return v.ex.PayloadDigest
}

// close gives back what the exchange and the answer of the earlier crawl occupy.
func (v *visited) close() {
	closeExchange(v.ex)
	if v.content != nil && v.content != v.ex {
		closeExchange(v.content)
	}
}

// notModified are the lines of an answer that says that nothing was modified, which are in the metadata record.
func (v *visited) notModified() []archive.Field {
	if v.earlier == nil {
		return nil
	}
	head := make([]byte, v.ex.HeaderSize)
	n, _ := v.ex.Response.ReadAt(head, 0) // what cannot be read is left out
	var fields []archive.Field
	for line := range bytes.Lines(head[:n]) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			fields = append(fields, archive.Field{Name: "awarc-not-modified", Value: string(line)})
		}
	}
	return fields
}
