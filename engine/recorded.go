package engine

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/awarc/awarc/engine/api"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// RunRecorded reads a recorded answer of a service as a crawl would and compares. The error is that of an answer that cannot be read.
func RunRecorded(s *kb.Service, x *kb.Recorded) (ExampleResult, error) {
	r := ExampleResult{Type: s.Type, Example: &x.Example}
	answer, err := recorded(x)
	if err != nil {
		return r, fmt.Errorf("the answer of the example: %w", err)
	}
	o := s.Operation(x.Operation)
	base, err := api.BaseOf(s, (&url.URL{Scheme: answer.URL.Scheme, Host: answer.URL.Host}).String())
	if err != nil {
		return r, err
	}
	read, err := api.ReadAnswer(s, o, base, answer, nil)
	if err != nil {
		return r, err
	}
	found := detect.Finding{Type: s.Type, Levels: []*kb.Level{o.Level}}
	r.Page = Page{Doc: read.Doc, URL: answer.URL, Finding: found, Harvest: read.Harvest}
	r.content()
	switch {
	case x.Next == "none" && read.Next != nil:
		r.failf("it leads to the next page %s; expected none", read.Next)
	case x.Next != "" && x.Next != "none" && (read.Next == nil || read.Next.String() != x.Next):
		r.failf("it leads to the next page %v; expected %s", read.Next, x.Next)
	}
	if x.Calls >= 0 && len(read.Calls) != x.Calls {
		r.failf("%d further requests; expected %d", len(read.Calls), x.Calls)
	}
	return r, nil
}

// recorded gives the answer of an example: a body of JSON, or all of an answer.
func recorded(x *kb.Recorded) (a api.Answer, err error) {
	if a.URL, err = url.Parse(x.URL); err != nil || a.URL.Host == "" {
		return a, fmt.Errorf("url=%q; expected an absolute URL", x.URL)
	}
	data, err := x.Read()
	if err != nil {
		return a, err
	}
	a.Status, a.Header, a.Body = http.StatusOK, http.Header{}, data
	if !bytes.HasPrefix(data, []byte("HTTP/")) {
		return a, nil
	}
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(data)), nil)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	a.Status, a.Header = response.StatusCode, response.Header
	a.Body, err = io.ReadAll(response.Body)
	return a, err
}
