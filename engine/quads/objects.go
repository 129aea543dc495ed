package quads

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/score"
)

// textSchema is of objects and their texts. The columns of texts are weighed apart; facets are what objects are filtered by, a word of its
// own each.
const textSchema = `
CREATE TABLE object(id INTEGER PRIMARY KEY, created INTEGER) STRICT;
CREATE INDEX object_created ON object(created);
CREATE VIRTUAL TABLE text USING fts5(title, body, facets, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
`

// facet is what an object can be filtered by.
type facet byte

const (
	facetClass    facet = 'c' // IRI
	facetHost     facet = 'h' // a host, and each domain that it is in
	facetType     facet = 't' // of application
	facetLevel    facet = 'l'
	facetCreator  facet = 'w' // name, in lower case
	facetEntity   facet = 'e' // that is named: its IRI, and its name in lower case
	facetLanguage facet = 'g' // language, without region
)

// word is a facet as full text finds it.
func (f facet) word(value string) string {
	sum := sha256.Sum256([]byte(value))
	return string(f) + hex.EncodeToString(sum[:8])
}

// property gives the term of a property that a field has.
func property(field string) []byte {
	iri, err := graph.Property(field)
	if err != nil {
		panic(err) // the names below
	}
	return IRI(iri)
}

// The properties that make the text and the facets of objects, by what they are for.
var described = []struct {
	use  int
	term []byte
}{
	{useClass, property("rdf:type")},
	{useTitle, property("title")}, {useTitle, property("account_name")}, {useTitle, property("name")},
	{useTitle, property("schema:name")},
	{useBody, property("content")}, {useBody, property("description")}, {useBody, property("schema:articleBody")},
	{useCreator, property("dc:creator")}, {useContributor, property("contributor")},
	{useCreated, property("created")}, {useCreated, property("schema:datePublished")},
	{useModified, property("modified")}, {useModified, property("schema:dateModified")},
	{useHTML, property("content_html")},
	{useOwn, property("content_own")}, {useQuoted, property("quoted")},
	{useAccount, property("creator")},
	{useContainer, property("has_container")},
	{useReplyOf, property("reply_of")},
	{useMentions, property("schema:mentions")},
	{useKeywords, property("schema:keywords")},
	{useLanguage, property("language")},
	{useSource, property("dcterms:source")}, {useExtractor, property("awarc:extractor")}, {useCaptured, property("prov:generatedAtTime")},
	{useDerived, property("prov:wasDerivedFrom")}, {useCrawl, property("prov:wasGeneratedBy")},
	{useFile, property("awarc:warcFile")}, {useOffset, property("awarc:warcOffset")},
}

// Uses of properties. Those from useSource on are of captures.
const (
	useClass = iota
	useTitle
	useBody
	useCreator
	useContributor
	useCreated
	useModified
	useHTML
	useOwn
	useQuoted
	useAccount
	useContainer
	useReplyOf
	useMentions
	useKeywords
	useLanguage
	useSource
	useExtractor
	useCaptured
	useDerived // of a plugin's graph: the capture
	useCrawl
	useFile
	useOffset
	uses
)

// An Object is a thing that pages describe: a post, a thread, an account.
type Object struct {
	ID       string   `json:"id"`
	Class    []string `json:"class"` // prefixed
	Title    string   `json:"title,omitempty"`
	Creator  []string `json:"creator,omitempty"`
	Created  string   `json:"created,omitempty"`  // as the page says
	Page     string   `json:"page,omitempty"`     // on which it was seen last
	Captured string   `json:"captured,omitempty"` // when
	Record   string   `json:"record,omitempty"`   // the id of the WARC record
	Type     string   `json:"type,omitempty"`     // of application
	Level    string   `json:"level,omitempty"`

	body     []Value  // texts
	entities []string // IRIs and names of what it mentions
	id       uint32

	mentioned bool // by others
}

// describer reads objects from quads.
type describer struct {
	terms *terms
	uses  map[uint32]int // by the number of the property
	meta  uint32
	room  []Quad

	mentions uint32 // schema:mentions

	captures cache[uint32, *capture]
	entities cache[uint32, [2]string]
}

// newDescriber learns the numbers of the properties; those that are in no quad yet have none.
func newDescriber(ctx context.Context, t *terms) (*describer, error) {
	d := &describer{terms: t, uses: map[uint32]int{}, room: make([]Quad, 64), captures: newCache[uint32, *capture](1 << 12),
		entities: newCache[uint32, [2]string](1 << 12)}
	for _, p := range described {
		n, err := t.lookup(ctx, hashOf(p.term))
		if err != nil {
			return nil, err
		}
		if n != 0 {
			d.uses[n] = p.use
		}
		if p.use == useMentions {
			d.mentions = n
		}
	}
	var err error
	if d.meta, err = t.lookup(ctx, hashOf(IRI(graph.Meta))); d.meta == 0 {
		d.meta = MostTerms + 1 // no graph
	}
	return d, err
}

// mostStatements is how many statements of one subject are read. One with more is no object but a hub, such as a class.
const mostStatements = 10_000

// values gives what is said of a subject by the uses of the properties, each once, and the graphs that say of what class it is.
func (d *describer) values(ctx context.Context, subject uint32) (values [uses][]uint32, captures []uint32, err error) {
	err = d.statements(ctx, subject, func(use int, q Quad) {
		if !slices.Contains(values[use], q[object]) {
			values[use] = append(values[use], q[object])
		}
		if use == useClass && q[graphName] != d.meta {
			captures = append(captures, q[graphName])
		}
	})
	return values, captures, err
}

// statements gives the statements of a subject whose properties have a use.
func (d *describer) statements(ctx context.Context, subject uint32, said func(use int, q Quad)) error {
	s := scan(d.terms.blocks, Quad{subject}, everywhere)
	for read := 0; read < mostStatements; read += len(d.room) {
		n, err := s.Next(ctx, d.room)
		if err != nil {
			return err
		}
		for _, q := range d.room[:n] {
			if use, ok := d.uses[q[predicate]]; ok {
				said(use, q)
			}
		}
		if n < len(d.room) {
			break
		}
	}
	return nil
}

// value reads a term.
func (d *describer) value(ctx context.Context, number uint32) (Value, error) {
	term, err := d.terms.term(ctx, number)
	if err != nil {
		return Value{}, err
	}
	return ParseTerm(term)
}

// texts reads terms.
func (d *describer) texts(ctx context.Context, numbers []uint32) (texts []string, err error) {
	for _, n := range numbers {
		v, err := d.value(ctx, n)
		if err != nil {
			return nil, err
		}
		texts = append(texts, v.Text)
	}
	return texts, nil
}

// describe reads an object; nil is none: a thing without a class, or one of which no page says a title, a text, who made it or when. A post
// that is a picture has no text.
func (d *describer) describe(ctx context.Context, subject uint32) (*Object, error) {
	values, captures, err := d.values(ctx, subject)
	said := len(values[useTitle]) + len(values[useBody]) + len(values[useHTML]) + len(values[useCreator]) + len(values[useCreated])
	if err != nil || len(captures) == 0 || said == 0 {
		return nil, err
	}
	o := &Object{id: subject}
	id, err := d.texts(ctx, []uint32{subject})
	if err != nil {
		return nil, err
	}
	o.ID = id[0]
	classes, err := d.texts(ctx, values[useClass])
	if err != nil {
		return nil, err
	}
	for _, c := range classes {
		o.Class = append(o.Class, graph.Prefixed(c))
	}
	slices.SortStableFunc(o.Class, func(a, b string) int { // superclasses last
		return cmp.Compare(strings.Count(graph.Superclass(b), ":"), strings.Count(graph.Superclass(a), ":"))
	})
	for _, n := range values[useBody] {
		v, err := d.value(ctx, n)
		if err != nil {
			return nil, err
		}
		o.body = append(o.body, v)
	}
	if o.Creator, err = d.texts(ctx, values[useCreator]); err != nil {
		return nil, err
	}
	if d.mentions != 0 {
		by, err := scan(d.terms.blocks, Quad{0, d.mentions, subject}, Union).Next(ctx, d.room[:1])
		if err != nil {
			return nil, err
		}
		o.mentioned = by > 0
	}
	for _, n := range values[useMentions] {
		iri, name, err := d.entity(ctx, n)
		if err != nil {
			return nil, err
		}
		o.entities = append(o.entities, iri, strings.ToLower(name))
	}
	titles, err := d.texts(ctx, values[useTitle])
	if err != nil {
		return nil, err
	}
	o.Title = strings.Join(titles, " / ")
	created, err := d.texts(ctx, values[useCreated])
	if err != nil {
		return nil, err
	}
	for _, c := range created {
		if o.Created = c; !date(c).IsZero() {
			break
		}
	}
	return o, d.provenance(ctx, o, captures)
}

// entity gives the IRI and the name of what is mentioned.
func (d *describer) entity(ctx context.Context, number uint32) (iri, name string, err error) {
	if e, ok := d.entities.get(number); ok {
		return e[0], e[1], nil
	}
	v, err := d.value(ctx, number)
	if err != nil {
		return "", "", err
	}
	values, _, err := d.values(ctx, number)
	if err != nil {
		return "", "", err
	}
	names, err := d.texts(ctx, values[useTitle])
	if err != nil {
		return "", "", err
	}
	if len(names) > 0 {
		name = names[len(names)-1]
	}
	d.entities.put(number, [2]string{v.Text, name}, 1)
	return v.Text, name, nil
}

// lastCaptures is how many captures of an object are looked at for the last one.
const lastCaptures = 16

// provenance says on which page an object was seen last.
func (d *describer) provenance(ctx context.Context, o *Object, captures []uint32) error {
	slices.Sort(captures)
	captures = slices.Compact(captures)
	if len(captures) > lastCaptures {
		captures = captures[len(captures)-lastCaptures:] // an account is on all pages that it wrote on; numbers grow with time
	}
	for _, c := range captures {
		if c == 0 {
			continue
		}
		in, err := d.capture(ctx, c)
		if err != nil {
			return err
		}
		if in.captured != "" && in.captured >= o.Captured {
			o.Page, o.Captured, o.Record, o.Type, o.Level = in.page, in.captured, in.record, in.kind, in.level
		}
	}
	return nil
}

// date reads a date of XML Schema; the zero time is none.
func date(text string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}

// facets are the words that the object is filtered by.
func (o *Object) facets() string {
	var words []string
	add := func(f facet, value string) {
		if value != "" {
			words = append(words, f.word(value))
		}
	}
	for _, c := range o.Class {
		add(facetClass, c)
		add(facetClass, graph.Superclass(c)) // which earlier crawls do not state
	}
	for _, c := range o.Creator {
		add(facetCreator, strings.ToLower(c))
	}
	for _, e := range o.entities {
		add(facetEntity, e)
	}
	if o.mentioned {
		words = append(words, facetEntity.word(""))
	}
	for host := o.host(); host != ""; {
		add(facetHost, host)
		_, host, _ = strings.Cut(host, ".")
	}
	add(facetType, o.Type)
	add(facetLevel, o.Level)
	add(facetLanguage, o.language())
	return strings.Join(words, " ")
}

// language is the base of the language of an object's text, by its tag and by the text.
func (o *Object) language() string {
	if len(o.body) == 0 {
		return ""
	}
	tag := ""
	for _, v := range o.body {
		if v.Kind == kindTagged && tag == "" {
			tag = v.Of
		}
	}
	text := beginning(o.body[0].Text, languageBytes)
	if tag == "" || !score.Fits(tag, text) { // as in crawls of earlier versions
		if tag != "" {
			text = beginning(text, mistaggedBytes)
		}
		tag = score.Language(tag, text)
	}
	return baseLanguage(tag)
}

// baseLanguage is a tag without its script and region: "en" of "en-GB".
func baseLanguage(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	return base
}

// Bytes of a text that are read to find its language. Texts with a wrong tag are read so short that
// trigrams, which take longest, are not needed. Both values are arbitrary.
const (
	languageBytes  = 600
	mistaggedBytes = 190
)

// beginning returns the first n bytes of a text, without a cut letter.
func beginning(text string, n int) string { return strings.ToValidUTF8(text[:min(len(text), n)], "") }

// host is that of the page, or of the object's own name.
func (o *Object) host() string {
	for _, address := range []string{o.Page, o.ID} {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			return strings.ToLower(u.Hostname())
		}
	}
	return ""
}

// scripts are those that are written without spaces between words, and Hangul, which puts particles behind words.
var scripts = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
	unicode.Myanmar, unicode.Hangul}

// isAlone reports whether a letter is a word of its own in full text.
func isAlone(r rune) bool { return r >= 0x0e00 && unicode.In(r, scripts...) }

// plainLetters writes letters that have no decomposition into a letter with a diacritic as ICU's Latin-ASCII does. FTS5
// removes diacritics of Latin letters; ё is the only Cyrillic letter that Russian texts write in two ways.
var plainLetters = map[rune]string{'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'Æ': "ae", 'œ': "oe", 'Œ': "oe", 'ø': "o", 'Ø': "o", 'ł': "l",
	'Ł': "l", 'đ': "d", 'Đ': "d", 'ð': "d", 'Ð': "d", 'þ': "th", 'Þ': "th", 'ħ': "h", 'Ħ': "h", 'ŧ': "t", 'Ŧ': "t", 'ŋ': "n", 'Ŋ': "n",
	'ı': "i", 'İ': "i", 'ĸ': "q", 'ё': "е", 'Ё': "е"}

// plainLetter returns what is searched for a letter; "" for the letter itself.
func plainLetter(r rune) string {
	if r > 'ŧ' && r != 'ё' && r != 'Ё' && r != 'ẞ' {
		return ""
	}
	return plainLetters[r]
}

// searchable writes a text so that full text finds all words in it: letters are plain, and each letter of a script without
// spaces is a word of its own, which a search for several of them looks for in a row.
func searchable(text string) string {
	special := func(r rune) bool { return r >= 0x80 && (isAlone(r) || plainLetter(r) != "") }
	at := strings.IndexFunc(text, special)
	if at < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	b.WriteString(text[:at])
	for _, r := range text[at:] {
		switch {
		case r < 0x80:
			b.WriteByte(byte(r))
		case isAlone(r):
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		case plainLetter(r) != "":
			b.WriteString(plainLetter(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// index writes an object, in the place of what was there of it. (INSERT OR REPLACE would make FTS5 write what it has in memory each time.)
func (o *Object) index(ctx context.Context, w *textWriter) error {
	var bodies strings.Builder
	for _, v := range o.body {
		bodies.WriteString(v.Text)
		bodies.WriteByte('\n')
	}
	var created any
	if t := date(o.Created); !t.IsZero() {
		created = t.Unix()
	}
	result, err := w.object.ExecContext(ctx, o.id, created)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		if err == nil {
			_, err = w.change.ExecContext(ctx, created, o.id)
		}
		if err == nil {
			_, err = w.remove.ExecContext(ctx, o.id)
		}
		if err != nil {
			return err
		}
	}
	_, err = w.text.ExecContext(ctx, o.id, searchable(o.Title), searchable(bodies.String()), o.facets())
	return err
}

// textWriter is the statements by which objects are written.
type textWriter struct{ object, change, remove, text *sql.Stmt }

func newTextWriter(ctx context.Context, db *sql.Conn) (w *textWriter, err error) {
	w = &textWriter{}
	for _, s := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&w.object, "INSERT INTO object VALUES (?, ?) ON CONFLICT DO NOTHING"},
		{&w.change, "UPDATE object SET created = ? WHERE id = ?"},
		{&w.remove, "DELETE FROM text WHERE rowid = ?"},
		{&w.text, "INSERT INTO text(rowid, title, body, facets) VALUES (?, ?, ?, ?)"},
	} {
		if *s.to, err = db.PrepareContext(ctx, s.text); err != nil {
			return w, errors.Join(err, w.close())
		}
	}
	return w, nil
}

func (w *textWriter) close() error {
	var errs []error
	for _, s := range []*sql.Stmt{w.object, w.change, w.remove, w.text} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// describeAll indexes the objects of which something was said.
func (l *loader) describeAll(ctx context.Context) error {
	d, err := newDescriber(ctx, l.terms.terms)
	if err != nil {
		return err
	}
	w, err := newTextWriter(ctx, l.db)
	if err != nil {
		return err
	}
	for _, subject := range l.subjects() {
		o, err := d.describe(ctx, subject)
		if err == nil && o != nil {
			err = o.index(ctx, w)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("the text of an object: %w", err), w.close())
		}
	}
	return w.close()
}

// subjects are those of the quads in memory.
func (l *loader) subjects() []uint32 {
	var all []uint32
	for i := range l.quads {
		if s := l.quads[i][subject]; len(all) == 0 || all[len(all)-1] != s {
			all = append(all, s)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
