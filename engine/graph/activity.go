package graph

import (
	"net/url"
	"strings"
	"time"

	"github.com/cayleygraph/quad"
)

// Crawl is the PROV activity that generated captures, over all its sessions.
type Crawl struct {
	ID             string // urn:uuid:, as in captures
	Started, Ended time.Time
	Seeds          []string
}

// Session is the PROV activity of one run of a program over a crawl. A killed session lacks an end
// time.
type Session struct {
	ID             string // urn:uuid:
	Crawl          string // id
	Started, Ended time.Time
	Software       string // NAME/VERSION
	Knowledge      string // version and hash of the knowledge base, or ""
}

// EncodeCrawl encodes the non-zero fields of a crawl as N-Quads in the graph Meta.
func EncodeCrawl(c Crawl) []byte {
	e, id := newEncoder(&Capture{}), quad.IRI(c.ID)
	e.activity(id, c.Started, c.Ended)
	for _, seed := range c.Seeds {
		e.add(id, NS+"seed", quad.IRI(seed))
	}
	quads, _ := e.end() // a buffer does not fail
	return quads
}

// EncodeSession encodes the non-zero fields of a session as N-Quads in the graph Meta.
func EncodeSession(s Session) []byte {
	e, id := newEncoder(&Capture{}), quad.IRI(s.ID)
	e.activity(id, s.Started, s.Ended)
	e.add(id, dcterms+"isPartOf", quad.IRI(s.Crawl))
	e.add(id, NS+"knowledgeBase", quad.String(s.Knowledge))
	if s.Software != "" {
		agent := quad.IRI("urn:awarc:software:" + url.PathEscape(s.Software))
		name, version, _ := strings.Cut(s.Software, "/")
		e.add(id, prov+"wasAssociatedWith", agent)
		e.add(agent, rdf+"type", quad.IRI(prov+"SoftwareAgent"))
		e.add(agent, schema+"name", quad.String(name))
		e.add(agent, schema+"softwareVersion", quad.String(version))
	}
	quads, _ := e.end() // a buffer does not fail
	return quads
}

func (e *encoder) activity(id quad.IRI, started, ended time.Time) {
	if !started.IsZero() {
		e.add(id, rdf+"type", quad.IRI(prov+"Activity"))
	}
	e.moment(id, "startedAtTime", started)
	e.moment(id, "endedAtTime", ended)
}

// moment adds a time as a property of PROV, unless it is zero.
func (e *encoder) moment(id quad.IRI, property string, t time.Time) {
	if !t.IsZero() {
		e.add(id, prov+property, date(t.UTC().Format("2006-01-02T15:04:05.000000Z")))
	}
}
