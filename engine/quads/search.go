package quads

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/awarc/awarc/engine/graph"
)

// A Search is what objects are looked for by. All that is given must hold; of the values of one list, one.
type Search struct {
	// Words are words that an object must hold, in its title or its text; "a phrase", -without or NOT without, beginning*,
	// this OR that, this NEAR that (at most ten words between them), title:word.
	Words string

	Since, Until time.Time // when it was written, Until excluded
	Host         []string  // of its page, or a domain that the host is in
	Type, Level  []string  // of its page
	Class        []string  // such as sioc:Post
	NotClass     []string  // none of them may hold
	NotEntity    bool      // what others mention is left out
	Creator      []string  // names
	Entity       []string  // that it mentions: IRIs or names
	Language     []string  // of its text, such as en; the region of en-GB is ignored

	ByDate        bool // the newest first; otherwise the best match
	Limit, Offset int  // 20 objects from the first
}

// Found is what a search gives.
type Found struct {
	Total int   `json:"total"`
	Hits  []Hit `json:"hits"`
	// Notes name the filters that match nothing in the index, and its classes if one is a class.
	Notes []string `json:"notes,omitempty"`
}

// A Hit is an object that was found.
type Hit struct {
	Object
	Language string  `json:"language,omitempty"`
	Snippet  Snippet `json:"snippet"`
	Score    float64 `json:"score"` // BM25, the title weighed four times; more is better
}

// A Snippet is a piece of a text around what was looked for.
type Snippet struct {
	Text  string   `json:"text"`
	Marks [][2]int `json:"marks"` // from and to, in bytes: what was looked for
}

// A SearchError says what is wrong with a search.
type SearchError struct{ What string }

func (e *SearchError) Error() string { return e.What }

// Search looks for objects.
func (r *Reader) Search(ctx context.Context, s Search) (*Found, error) {
	words, err := parseWords(s.Words)
	if err != nil {
		return nil, err
	}
	where, args := s.where(words)
	if where == "" {
		return nil, &SearchError{"no words and no filter; expected at least one"}
	}
	found := &Found{Hits: []Hit{}}
	if err := r.tx.QueryRowContext(ctx, "SELECT count(*) FROM "+where, args...).Scan(&found.Total); err != nil {
		return nil, explain(r.terms.file, err)
	}
	if s.Limit <= 0 {
		s.Limit = 20
	}
	if found.Total == 0 {
		found.Notes, err = r.unmatched(ctx, &s)
		return found, err
	}
	score, by := s.order(words)
	query := fmt.Sprintf("SELECT object.id, %s AS score FROM %s ORDER BY %s LIMIT %d OFFSET %d", score, where, by, s.Limit, s.Offset)
	ids, scores, err := r.ranked(ctx, query, args)
	if err != nil {
		return nil, explain(r.terms.file, err)
	}
	return found, r.hits(ctx, words, ids, scores, found)
}

// hits describes the objects that were found, up to the limit.
func (r *Reader) hits(ctx context.Context, words []word, ids []uint32, scores []float64, found *Found) error {
	d, err := newDescriber(ctx, r.terms)
	if err != nil {
		return err
	}
	for i, id := range ids {
		h, err := d.hit(ctx, id, words)
		if err != nil {
			return err
		}
		h.Score = max(0, -scores[i])
		found.Hits = append(found.Hits, *h)
	}
	return nil
}

// filter is a list of a search, and how its values are written as words of a facet.
type filter struct {
	name   string
	facet  facet
	values []string
	write  func(string) string
}

func (s *Search) filters() []filter {
	same := func(v string) string { return v }
	return []filter{
		{"class", facetClass, s.Class, graph.Prefixed}, {"host", facetHost, s.Host, strings.ToLower}, {"type", facetType, s.Type, same},
		{"level", facetLevel, s.Level, same}, {"creator", facetCreator, s.Creator, strings.ToLower},
		{"entity", facetEntity, s.Entity, entityWord}, {"language", facetLanguage, s.Language, baseLanguage},
	}
}

// unmatched names the values of filters that no object of the index has, so that a slip is not taken for an answer.
func (r *Reader) unmatched(ctx context.Context, s *Search) (notes []string, err error) {
	for _, f := range s.filters() {
		for _, v := range f.values {
			var one int
			err := r.tx.QueryRowContext(ctx, "SELECT 1 FROM text WHERE text MATCH ? LIMIT 1",
				"facets : "+f.facet.word(f.write(v))).Scan(&one)
			if err == nil {
				continue
			}
			if !errors.Is(err, sql.ErrNoRows) {
				return nil, explain(r.terms.file, err)
			}
			note := fmt.Sprintf("the index has no object of the %s %s", f.name, v)
			if f.facet == facetClass {
				classes, err := r.classes(ctx)
				if err != nil {
					return nil, err
				}
				note += "; it has " + strings.Join(classes, ", ")
			}
			notes = append(notes, note)
		}
	}
	return notes, nil
}

// classes are those of all objects, prefixed and sorted.
func (r *Reader) classes(ctx context.Context) (classes []string, err error) {
	of, err := r.Find(ctx, property("rdf:type"))
	if err != nil || of[0] == 0 {
		return nil, err
	}
	seen, room := map[uint32]bool{}, make([]Quad, 256)
	for scan, n := r.Scan(Quad{0, of[0]}, Union), len(room); n == len(room); {
		if n, err = scan.Next(ctx, room); err != nil {
			return nil, err
		}
		for _, q := range room[:n] {
			if seen[q[object]] {
				continue
			}
			seen[q[object]] = true
			term, err := r.Term(ctx, q[object])
			if err != nil {
				return nil, err
			}
			v, err := ParseTerm(term)
			if err != nil {
				return nil, err
			}
			if class := graph.Prefixed(v.Text); !strings.HasPrefix(class, "prov:") {
				classes = append(classes, class)
			}
		}
	}
	slices.Sort(classes)
	return classes, nil
}

// where is what the objects are taken from, with its arguments; "" is all objects.
func (s *Search) where(words []word) (string, []any) {
	var match, conditions []string
	if m := matchOf(words); m != "" {
		match = append(match, "{title body} : "+m)
	}
	for _, f := range s.filters() {
		var either []string
		for _, v := range f.values {
			either = append(either, f.facet.word(f.write(v)))
		}
		if len(either) > 0 {
			match = append(match, "facets : ("+strings.Join(either, " OR ")+")")
		}
	}
	var args []any
	from := "object"
	if len(match) > 0 {
		from = "text JOIN object ON object.id = text.rowid"
		conditions, args = append(conditions, "text MATCH ?"), append(args, strings.Join(match, " AND "))
	}
	if !s.Since.IsZero() {
		conditions, args = append(conditions, "created >= ?"), append(args, s.Since.Unix())
	}
	if !s.Until.IsZero() {
		conditions, args = append(conditions, "created < ?"), append(args, s.Until.Unix())
	}
	var none []string
	for _, c := range s.NotClass {
		none = append(none, facetClass.word(graph.Prefixed(c)))
	}
	if s.NotEntity {
		none = append(none, facetEntity.word(""))
	}
	if len(none) > 0 {
		conditions = append(conditions, "object.id NOT IN (SELECT rowid FROM text WHERE text MATCH ?)")
		args = append(args, "facets : ("+strings.Join(none, " OR ")+")")
	}
	if len(conditions) == 0 {
		return "", nil
	}
	return from + " WHERE " + strings.Join(conditions, " AND "), args
}

// entityWord is an IRI as it is, a name in lower case.
func entityWord(entity string) string {
	if strings.Contains(entity, "://") || strings.HasPrefix(entity, "urn:") {
		return entity
	}
	return strings.ToLower(entity)
}

// order is how objects are weighed, and what comes first.
func (s *Search) order(words []word) (score, by string) {
	switch {
	case len(words) == 0:
		return "0.0", "created DESC, id"
	case s.ByDate:
		return "bm25(text, 4.0, 1.0, 0.0)", "created DESC, id"
	}
	return "bm25(text, 4.0, 1.0, 0.0)", "score, id"
}

// ranked gives objects in their order.
func (r *Reader) ranked(ctx context.Context, query string, args []any) (ids []uint32, scores []float64, err error) {
	rows, err := r.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id uint32
		var score float64
		if err := rows.Scan(&id, &score); err != nil {
			return nil, nil, err
		}
		ids, scores = append(ids, id), append(scores, score)
	}
	return ids, scores, rows.Err()
}

// hit describes an object that was found.
func (d *describer) hit(ctx context.Context, id uint32, words []word) (*Hit, error) {
	o, err := d.describe(ctx, id)
	if err != nil {
		return nil, err
	}
	if o == nil {
		return nil, fmt.Errorf("%s: no object %d: %w", d.terms.file, id, errDamaged)
	}
	h := &Hit{Object: *o}
	for i := range o.body {
		v := &o.body[i]
		if s := snippet(v.Text, words); i == 0 || len(s.Marks) > len(h.Snippet.Marks) {
			h.Snippet = s
		}
	}
	h.Language = o.language()
	return h, nil
}

// word is a part of what was typed.
type word struct {
	text   string
	prefix bool // it is the beginning of a word
	not    bool
	or     bool // it or the one before
	near   bool // near the one before
	title  bool // in the title
}

// fields are the words before a colon that other programs read as a field, with the filters that do this here.
var fields = map[string]string{"author": "creator", "creator": "creator", "class": "class", "type": "type", "lang": "language",
	"language": "language", "host": "host", "site": "host", "date": "since", "since": "since", "until": "until", "entity": "entity"}

// fieldOf returns a field of a word such as title:clock; "" for none.
func fieldOf(text string) string {
	name, rest, ok := strings.Cut(text, ":")
	if next, _ := utf8.DecodeRuneInString(rest); !ok || !isWord(next) && next != '"' {
		return ""
	}
	return strings.ToLower(name)
}

// parseWords reads what was typed.
func parseWords(typed string) ([]word, error) {
	var words []word
	var either, near, not bool                     // the next word
	typed = strings.ReplaceAll(typed, "\x00", " ") // full text takes a query to end there
	for rest := strings.TrimSpace(typed); rest != ""; rest = strings.TrimSpace(rest) {
		w := word{or: either}
		w.near, w.not = near, not
		if rest[0] == '-' {
			w.not, rest = true, rest[1:]
		}
		switch field := fieldOf(rest); {
		case field == "title":
			w.title, rest = true, rest[len("title:"):]
		case fields[field] != "":
			return nil, &SearchError{fmt.Sprintf("%s: is not an operator; use the filter %s, or quotation marks to find the words",
				field, fields[field])}
		}
		if rest != "" && rest[0] == '"' {
			var closed bool
			if w.text, rest, closed = strings.Cut(rest[1:], `"`); !closed {
				return nil, &SearchError{"missing closing quotation mark"}
			}
		} else {
			end := strings.IndexFunc(rest, unicode.IsSpace)
			if end < 0 {
				end = len(rest)
			}
			w.text, rest = rest[:end], rest[end:]
			operator := !w.not && !w.title
			switch {
			case w.text == "NOT" && !w.title:
				not = true
				continue
			case w.text == "OR" && operator:
				either = len(words) > 0
				continue
			case w.text == "NEAR" && operator:
				near = len(words) > 0
				continue
			case w.text == "AND" && operator:
				continue // all words must be there anyway
			}
			w.text, w.prefix = strings.CutSuffix(w.text, "*")
		}
		either, near, not = false, false, false
		if strings.IndexFunc(w.text, isWord) >= 0 {
			words = append(words, w)
		}
	}
	if len(words) > 0 && !slices.ContainsFunc(words, func(w word) bool { return !w.not }) {
		return nil, &SearchError{"only excluded words; add a word to search for"}
	}
	return words, nil
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r)
}

// matchOf writes words as FTS5 has them.
func matchOf(words []word) string {
	var all, none []string
	var together []string // the phrase that ended all, and those near it
	var before string     // the last of all without them
	for _, w := range words {
		text := `"` + strings.ReplaceAll(strings.TrimSpace(searchable(w.text)), `"`, `""`) + `"`
		if w.prefix {
			text += " *"
		}
		last := len(all) - 1
		switch {
		case w.not && w.title:
			none = append(none, "title : "+text)
		case w.not:
			none = append(none, text)
		case w.near && !w.title && len(together) > 0:
			together = append(together, text)
			all[last] = before + "NEAR(" + strings.Join(together, " ") + ", 10)"
		default:
			if together = []string{text}; w.title {
				together, text = nil, "title : "+text
			}
			if before = ""; w.or && last >= 0 {
				before = all[last] + " OR "
				all = all[:last]
			}
			all = append(all, before+text)
		}
	}
	if len(all) == 0 {
		return ""
	}
	match := "(" + strings.Join(all, ") AND (") + ")"
	if len(none) > 0 {
		match = "(" + match + ") NOT (" + strings.Join(none, " OR ") + ")"
	}
	return "(" + match + ")"
}
