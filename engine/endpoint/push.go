package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/icholy/digest"

	"github.com/awarc/awarc/engine/quads"
)

// Protocol is how a server is spoken to.
type Protocol string

// Protocols.
const (
	GraphStore Protocol = "gsp"    // the Graph Store HTTP Protocol: a request for each part
	Update     Protocol = "update" // SPARQL Update: a request for many
)

// Options say where statements are sent and how.
type Options struct {
	Endpoint    string // the address of the service of the protocol
	Protocol    Protocol
	GraphParam  string // the name of the parameter of the Graph Store Protocol; "graph"
	Credentials string // "basic USER:PASSWORD", "digest USER:PASSWORD", "bearer TOKEN", or ""
	Log         string // the file of what the server has; one for each endpoint
	Tries       int    // of each request; 6

	Wait     time.Duration // before the second try, doubled before each further one; 1 s
	Noted    func(text string)
	Progress func(Result)
}

// Result counts what was sent.
type Result struct {
	Endpoint  string  `json:"endpoint"`
	Sent      int     `json:"sent"`      // parts: graphs, and pieces of large ones
	Unchanged int     `json:"unchanged"` // parts that the server has already
	Refused   int     `json:"refused"`   // parts that the server takes for wrong
	Triples   int64   `json:"triples"`   // that were sent
	Requests  int     `json:"requests"`
	Took      float64 `json:"duration_s"`
}

// pusher sends parts.
type pusher struct {
	Options
	client  *http.Client
	log     *log
	waiting []*part // for one request
	triples int
	bytes   int
	sending string // the last graph of which the first part was sent
	result  Result
}

// Push sends the graphs of an index that the server does not have.
func Push(ctx context.Context, index *quads.Reader, o Options) (*Result, error) {
	began := time.Now()
	p, err := newPusher(o)
	if err != nil {
		return nil, err
	}
	if p.log, err = openLog(o.Log); err != nil {
		return nil, err
	}
	r := reader{index: index, each: func(part *part) error { return p.add(ctx, part) }}
	if err = r.run(ctx); err == nil {
		err = p.flush(ctx)
	}
	p.result.Took = time.Since(began).Seconds()
	return &p.result, errors.Join(err, p.log.close())
}

func newPusher(o Options) (*pusher, error) {
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("invalid endpoint %q; expected an address such as http://127.0.0.1:3030/ds/data", o.Endpoint)
	}
	o.GraphParam, o.Tries, o.Wait = cmp.Or(o.GraphParam, "graph"), cmp.Or(o.Tries, 6), cmp.Or(o.Wait, time.Second)
	p := &pusher{Options: o, result: Result{Endpoint: o.Endpoint}}
	transport, err := authorized(o.Credentials)
	if err != nil {
		return nil, err
	}
	p.client = &http.Client{Transport: transport, Timeout: 10 * time.Minute, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		return fmt.Errorf("it redirects to %s: use that as the endpoint if you trust it", r.URL)
	}}
	return p, nil
}

// authorized gives requests what a server wants to see.
func authorized(credentials string) (http.RoundTripper, error) {
	scheme, secret, _ := strings.Cut(strings.TrimSpace(credentials), " ")
	user, password, found := strings.Cut(strings.TrimSpace(secret), ":")
	switch scheme = strings.ToLower(scheme); {
	case scheme == "":
		return http.DefaultTransport, nil
	case scheme == "digest" && found:
		return &digest.Transport{Username: user, Password: password}, nil
	case scheme == "basic" && found:
		return header(func(r *http.Request) { r.SetBasicAuth(user, password) }), nil
	case scheme == "bearer" && secret != "":
		return header(func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(secret)) }), nil
	}
	return nil, errors.New("credentials: expected one line: basic USER:PASSWORD, digest USER:PASSWORD or bearer TOKEN")
}

// header sets a header of requests.
type header func(*http.Request)

// RoundTrip sends a copy of a request.
func (h header) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	h(r)
	return http.DefaultTransport.RoundTrip(r)
}

// add sends a part, or lets it wait for others.
func (p *pusher) add(ctx context.Context, part *part) error {
	if strings.HasPrefix(part.graph, "_:") {
		p.refuse(part, "a graph named by a blank node cannot be sent")
		return nil
	}
	// A first piece that is sent may follow a graph that was one part, which took the place of all pieces.
	if p.log.has(part.key()) && (part.piece == 0 || p.sending != part.graph) {
		p.result.Unchanged++
		return nil
	}
	if part.piece == 0 {
		p.sending = part.graph
	}
	p.waiting = append(p.waiting, part)
	p.triples, p.bytes = p.triples+part.count, p.bytes+len(part.text)
	if p.Protocol == Update && p.triples < partTriples && p.bytes < partBytes {
		return nil
	}
	return p.flush(ctx)
}

// flush sends the parts that wait. When the server refuses several together, each is sent by itself, to find the one that is wrong.
func (p *pusher) flush(ctx context.Context) error {
	parts := p.waiting
	p.waiting, p.triples, p.bytes = nil, 0, 0
	if len(parts) == 0 {
		return nil
	}
	err := p.send(ctx, parts)
	var refused *refusal
	switch {
	case !errors.As(err, &refused):
		return err
	case len(parts) == 1:
		p.refuse(parts[0], refused.Error())
		return nil
	}
	for _, part := range parts {
		p.waiting = append(p.waiting, part)
		if err := p.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *pusher) refuse(part *part, why string) {
	if p.result.Refused++; p.Noted != nil {
		p.Noted(fmt.Sprintf("graph <%s>: %s", part.graph, why))
	}
}

// send sends parts in one request, and notes that the server has them.
func (p *pusher) send(ctx context.Context, parts []*part) error {
	method, address, media, body := p.request(parts)
	wait := p.Wait
	for try := 1; ; try++ {
		p.result.Requests++
		after, err := p.once(ctx, method, address, media, body)
		var passing *passing
		switch {
		case err == nil:
			for _, part := range parts {
				p.result.Sent, p.result.Triples = p.result.Sent+1, p.result.Triples+int64(part.count)
			}
			if p.Progress != nil {
				p.Progress(p.result)
			}
			return p.log.add(parts)
		case !errors.As(err, &passing) || try == p.Tries || ctx.Err() != nil:
			return err
		}
		select {
		case <-time.After(max(wait, after)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		wait = min(2*wait, time.Minute)
	}
}

// request makes the request of parts.
func (p *pusher) request(parts []*part) (method, address, media string, body []byte) {
	if p.Protocol != Update {
		query := p.GraphParam + "=" + url.QueryEscape(parts[0].graph)
		if parts[0].graph == "" {
			query = "default"
		}
		separator := "?"
		if strings.Contains(p.Endpoint, "?") {
			separator = "&"
		}
		method = http.MethodPost
		if parts[0].whole && parts[0].graph != "" {
			method = http.MethodPut
		}
		return method, p.Endpoint + separator + query, "application/n-triples", parts[0].text
	}
	var b bytes.Buffer
	for _, part := range parts {
		switch {
		case part.graph == "":
			fmt.Fprintf(&b, "INSERT DATA {\n%s};\n", part.text)
			continue
		case part.whole:
			fmt.Fprintf(&b, "DROP SILENT GRAPH <%s>;\n", part.graph)
		}
		fmt.Fprintf(&b, "INSERT DATA { GRAPH <%s> {\n%s} };\n", part.graph, part.text)
	}
	return http.MethodPost, p.Endpoint, "application/sparql-update", b.Bytes()
}

// passing is an error that may not be there the next time.
type passing struct{ error }

func (p *passing) Unwrap() error { return p.error }

// refusal is the answer of a server that takes what it was sent for wrong.
type refusal struct{ error }

// once sends a request once. after is how long the server wants to be left alone.
func (p *pusher) once(ctx context.Context, method, address, media string, body []byte) (after time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", media)
	answer, err := p.client.Do(r)
	if err != nil {
		return 0, &passing{err}
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
	if answer.StatusCode/100 == 2 {
		return 0, nil
	}
	err = fmt.Errorf("%s %s: %s: %s", method, p.Endpoint, answer.Status, oneLine(string(said)))
	switch {
	case answer.StatusCode == http.StatusBadRequest:
		return 0, &refusal{err}
	case answer.StatusCode == http.StatusTooManyRequests, answer.StatusCode >= 500:
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return time.Duration(min(seconds, 60)) * time.Second, &passing{err}
	}
	return 0, err
}

func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}
