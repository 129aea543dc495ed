package complete

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/quads"
	"github.com/awarc/awarc/kb"
)

// What is counted.
const (
	countItems   = iota // sioc:num_items
	countReplies        // sioc:num_replies
	countThreads        // sioc:num_threads
	countPages          // awarc:num_pages
)

// Kinds of what has an address.
const (
	kindThing = "thing"
	kindList  = "list"
)

// use is what a property is read for.
type use int

const (
	useNone use = iota
	useSource
	useTime
	useExtractor
	useClass
	useTitle
	useLabel
	useInside
	useReplyOf
	useSubject
	useCreated
	useContains
	useCounts // and what is counted
)

// uses of properties, by their terms.
func properties() map[string]use {
	m := map[string]use{}
	for name, u := range map[string]use{
		"dcterms:source": useSource, "prov:generatedAtTime": useTime, "awarc:extractor": useExtractor, "rdf:type": useClass,
		"title": useTitle, "has_container": useInside, "has_parent": useInside, "reply_of": useReplyOf, "category": useSubject,
		"skos:prefLabel": useTitle, "created": useCreated, "container_of": useContains, "parent_of": useContains,
	} {
		iri, err := graph.Property(name)
		if err != nil {
			panic(err) // the names above
		}
		m[string(quads.IRI(iri))] = u
	}
	m[string(quads.IRI(graph.LabelProperty))] = useLabel
	for what, of := range map[int]string{countItems: "sioc:Post", countReplies: "sioct:Comment", countThreads: "sioc:Thread",
		countPages: graph.Pages} {
		m[string(quads.IRI(graph.CountProperty(of)))] = useCounts + use(what)
	}
	return m
}

// subject is what a page says of one thing.
type subject struct {
	class, title, label, inside, replyOf, created string
	subjects, contains                            []string
	counts                                        map[int]int
}

// captured is what is said in one capture.
type captured struct {
	url, level string
	typ        string
	at         int64
	subjects   map[string]*subject
	order      []string
}

// reader reads the graph.
type reader struct {
	*store
	base  *kb.Base
	uses  map[string]use
	meta  string
	room  map[string]*captured // of the gzip member that is read
	order []string
}

// readGraph reads files of quads.
func (s *store) readGraph(ctx context.Context, files []string, base *kb.Base, noted func(string)) error {
	r := &reader{store: s, base: base, uses: properties(), meta: string(quads.IRI(graph.Meta)), room: map[string]*captured{}}
	return quads.Walk(files, quads.Visitor{Quad: r.quad, Noted: noted, Done: func() error {
		for _, id := range r.order {
			if err := r.add(ctx, id, r.room[id]); err != nil {
				return err
			}
		}
		clear(r.room)
		r.order = r.order[:0]
		return ctx.Err()
	}})
}

// quad takes a statement.
func (r *reader) quad(terms *[4][]byte) error {
	u := r.uses[string(terms[1])]
	if u == useNone {
		return nil
	}
	value, err := quads.ParseTerm(terms[2])
	if err != nil {
		return err
	}
	about := string(terms[0][1:])
	if string(terms[3]) == r.meta {
		c := r.capture(about)
		switch u {
		case useSource:
			c.url = value.Text
		case useTime:
			if t, err := time.Parse(time.RFC3339Nano, value.Text); err == nil {
				c.at = t.UnixMilli()
			}
		case useExtractor:
			where, _, _ := strings.Cut(value.Text, "@")
			c.typ, c.level, _ = strings.Cut(where, "/")
		}
		return nil
	}
	if len(terms[3]) > 0 {
		r.capture(string(terms[3][1:])).subject(about).take(u, value)
	}
	return nil
}

func (r *reader) capture(id string) *captured {
	c := r.room[id]
	if c == nil {
		c = &captured{subjects: map[string]*subject{}}
		r.room[id] = c
		r.order = append(r.order, id)
	}
	return c
}

func (c *captured) subject(iri string) *subject {
	s := c.subjects[iri]
	if s == nil {
		s = &subject{}
		c.subjects[iri] = s
		c.order = append(c.order, iri)
	}
	return s
}

func (s *subject) take(u use, v quads.Value) {
	switch u {
	case useClass:
		class := graph.Prefixed(v.Text)
		if s.class == "" || strings.HasPrefix(s.class, "schema:") {
			s.class = class
		}
	case useTitle:
		s.title = v.Text
	case useLabel:
		s.label = v.Text
	case useInside:
		s.inside = v.Text
	case useReplyOf:
		s.replyOf = v.Text
	case useSubject:
		s.subjects = append(s.subjects, v.Text)
	case useContains:
		s.contains = append(s.contains, v.Text)
	case useCreated:
		s.created = v.Text
	default:
		var n int
		for _, d := range []byte(v.Text) {
			if d < '0' || d > '9' || n > 1<<40 {
				return
			}
			n = 10*n + int(d-'0')
		}
		if s.counts == nil {
			s.counts = map[int]int{}
		}
		s.counts[int(u-useCounts)] = n
	}
}

// isThing reports whether objects of a class are things; what is of no such class and in something is an item.
func isThing(class string) bool {
	switch class {
	case "sioc:Thread", "sioct:Question", "sioct:BlogPost", "sioct:WikiArticle", "schema:WebPage":
		return true
	}
	return false
}

// add takes in what a capture says.
func (r *reader) add(ctx context.Context, id string, c *captured) error {
	if c.url == "" { // said of a capture once more, when its page was read again
		const known = "SELECT url, at, type, level FROM capture WHERE id = ?"
		if _, err := r.row(ctx, known, []any{id}, &c.url, &c.at, &c.typ, &c.level); err != nil {
			return err
		}
	} else if err := r.exec(ctx, "INSERT OR IGNORE INTO capture VALUES (?, ?, ?, ?, ?)", id, c.url, c.at, c.typ, c.level); err != nil {
		return err
	}
	t := r.base.Type(kb.TypeID(c.typ))
	if t == nil {
		t = &kb.Type{}
	}
	at, err := url.Parse(c.url)
	if err != nil {
		return nil
	}
	if kindOf(t, kb.LevelID(c.level)) == kindList {
		c.subject(t.URLs.ObjectKey(at))
	}
	for _, iri := range c.order {
		if err := r.subject(ctx, t, at, c, iri); err != nil {
			return err
		}
	}
	return nil
}

// kindOf says whether pages of a level are of things or lists; "" where nobody knows. A front page may be either, and is a list.
func kindOf(t *kb.Type, id kb.LevelID) string {
	level := t.Level(id)
	switch {
	case len(level) == 0:
		return ""
	case slices.ContainsFunc(level, func(l *kb.Level) bool { return l.Kind == kb.Intermediate }):
		return kindList
	}
	return kindThing
}

// subject takes in what a capture says of one thing.
func (r *reader) subject(ctx context.Context, t *kb.Type, at *url.URL, c *captured, iri string) error {
	s := c.subjects[iri]
	own := t.URLs.ObjectKey(at) == iri || isThing(s.class)
	if !own && len(s.counts) == 0 && s.class != "sioc:Forum" {
		return r.item(ctx, t, c, iri)
	}
	kind := kindThing
	if !isThing(s.class) {
		kind = kindList
		if u, err := url.Parse(iri); err == nil && !own {
			if a := t.URLs.Level(u); a != nil && kindOf(t, a.Level) == kindThing {
				kind = kindThing
			}
		}
	}
	number, err := r.thing(ctx, iri, kind)
	if err != nil {
		return err
	}
	if err := r.exec(ctx, `UPDATE thing SET class = coalesce(nullif(?, ''), class), title = coalesce(nullif(?, ''), title),
		label = coalesce(nullif(?, ''), label), type = coalesce(nullif(?, ''), type), inside = coalesce(nullif(?, ''), inside),
		created = coalesce(nullif(?, ''), created), kind = iif(?, 'thing', kind) WHERE id = ?`, s.class, s.title, s.label, t.ID, s.inside,
		s.created, isThing(s.class), number); err != nil {
		return err
	}
	for _, label := range s.subjects {
		if concept := c.subjects[label]; concept != nil {
			label = concept.title
		}
		if err := r.exec(ctx, "INSERT OR IGNORE INTO subject VALUES (?, ?)", label, number); err != nil {
			return err
		}
	}
	for _, thing := range s.contains {
		if err := r.exec(ctx, "INSERT OR IGNORE INTO member VALUES (?, ?)", iri, thing); err != nil {
			return err
		}
	}
	for what, n := range s.counts {
		if err := r.exec(ctx, `INSERT INTO stated VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET n = ?3, at = ?4, own = ?5
			WHERE ?5 > own OR ?5 = own AND ?4 >= at`, number, what, n, c.at, own && s.label == ""); err != nil {
			return err
		}
	}
	if own {
		return r.exec(ctx, "INSERT OR IGNORE INTO page VALUES (?, ?)", number, t.URLs.Key(at))
	}
	return nil
}

// thing gives the number of what has an address.
func (s *store) thing(ctx context.Context, iri, kind string) (number int64, err error) {
	if err := s.exec(ctx, "INSERT INTO thing(iri, kind) VALUES (?, ?) ON CONFLICT DO NOTHING", iri, kind); err != nil {
		return 0, err
	}
	_, err = s.row(ctx, "SELECT id FROM thing WHERE iri = ?", []any{iri}, &number)
	return number, err
}

// item takes in that an object is in a thing: the one that it replies to, directly or not, or that contains it.
func (r *reader) item(ctx context.Context, t *kb.Type, c *captured, iri string) error {
	s := c.subjects[iri]
	in := s.inside
	for up, left := s, len(c.subjects); in == "" && up != nil && left > 0; left-- {
		if parent := c.subjects[up.replyOf]; parent != nil && !isThing(parent.class) && parent.class != "" {
			up, in = parent, parent.inside
			continue
		}
		in, up = up.replyOf, nil
	}
	if in == "" || s.class == "" {
		return nil
	}
	what := countItems
	switch root := c.subjects[in]; {
	case s.class == "sioct:Comment" && root != nil && root.class == "sioct:Question":
		return nil // of which nobody says how many there are
	case s.class == "sioct:Comment" || s.class == "sioct:Answer":
		what = countReplies
	}
	number, err := r.thing(ctx, in, kindThing)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(iri))
	return r.exec(ctx, "INSERT OR IGNORE INTO item VALUES (?, ?, ?)", number, what, int64(binary.BigEndian.Uint64(sum[:])))
}
