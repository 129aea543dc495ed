package graph

import (
	"net/url"
	"strings"
	"time"

	"github.com/cayleygraph/quad"
)

// Crawl is the activity that captures come from, over all its sessions.
type Crawl struct {
	ID             string // urn:uuid:, as that of captures
	Started, Ended time.Time
	Seeds          []string
}

// Session is the activity of one run of a program over a crawl. A killed one has no end time.
type Session struct {
	ID             string // urn:uuid:
	Crawl          string // id
	Started, Ended time.Time
	Software       string // NAME/VERSION
	Knowledge      string // version and hash of the knowledge base; "" for none
}

// EncodeCrawl returns N-Quads, all in the graph Meta, for the fields of a crawl that are not zero.
func EncodeCrawl(c Crawl) []byte {
	e, id := newEncoder(&Capture{}), quad.IRI(c.ID)
	e.activity(id, c.Started, c.Ended)
	for _, seed := range c.Seeds {
		e.add(id, NS+"seed", quad.IRI(seed))
	}
	quads, _ := e.end() // a buffer does not fail
	return quads
}

// EncodeSession returns N-Quads, all in the graph Meta, for the fields of a session that are not zero.
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

// moment says with a property of PROV when something was, if it is known.
func (e *encoder) moment(id quad.IRI, property string, t time.Time) {
	if !t.IsZero() {
		e.add(id, prov+property, date(t.UTC().Format("2006-01-02T15:04:05.000000Z")))
	}
}
