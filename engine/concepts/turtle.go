package concepts

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// turtle reads Turtle, of which N-Triples are a part.
type turtle struct {
	text     string
	at       int
	base     *url.URL
	prefixes map[string]string
	triples  []triple
	blank    int
}

func readTurtle(text string) ([]triple, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("not UTF-8; expected RDF/XML, Turtle or N-Triples")
	}
	r := &turtle{text: text, base: &url.URL{}, prefixes: map[string]string{}}
	for {
		r.space()
		if r.at >= len(r.text) {
			return r.triples, nil
		}
		if err := r.statement(); err != nil {
			return nil, fmt.Errorf("line %d: %w", 1+strings.Count(r.text[:r.at], "\n"), err)
		}
	}
}

// space skips white space and comments.
func (r *turtle) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\r', '\n':
			r.at++
		case '#':
			end := strings.IndexByte(r.text[r.at:], '\n')
			if end < 0 {
				end = len(r.text) - r.at
			}
			r.at += end
		default:
			return
		}
	}
}

// take skips a sign, if it comes next.
func (r *turtle) take(sign string) bool {
	r.space()
	if !strings.HasPrefix(r.text[r.at:], sign) {
		return false
	}
	r.at += len(sign)
	return true
}

// word returns the characters up to white space or a sign.
func (r *turtle) word() string {
	r.space()
	rest := r.text[r.at:]
	end := strings.IndexAny(rest, " \t\r\n;,()[]\"'<>#")
	if end < 0 {
		end = len(rest)
	}
	for end > 0 && rest[end-1] == '.' {
		end--
	}
	r.at += end
	return rest[:end]
}

func (r *turtle) statement() error {
	start := r.at
	switch strings.ToLower(r.word()) {
	case "@prefix", "prefix":
		name, _ := strings.CutSuffix(r.word(), ":")
		iri, err := r.term(0)
		r.prefixes[name] = iri.object
		r.take(".")
		return err
	case "@base", "base":
		iri, err := r.term(0)
		if u, bad := url.Parse(iri.object); bad == nil {
			r.base = u
		}
		r.take(".")
		return err
	}
	r.at = start
	subject, err := r.term(0)
	if err != nil {
		return err
	}
	if subject.literal {
		return fmt.Errorf("a literal as subject; expected an IRI")
	}
	r.space()
	if strings.HasPrefix(r.text[r.at:], ".") && strings.HasPrefix(subject.object, "_:") {
		r.at++
		return nil // a blank node with properties alone
	}
	if err := r.properties(subject.object, 0); err != nil {
		return err
	}
	if !r.take(".") {
		return fmt.Errorf("expected a full stop")
	}
	return nil
}

// properties reads the predicates and objects of a subject.
func (r *turtle) properties(subject string, depth int) error {
	for {
		predicate, err := r.term(depth)
		if err != nil {
			return err
		}
		for {
			object, err := r.term(depth)
			if err != nil {
				return err
			}
			if len(r.triples) >= mostTriples {
				return errTooLarge
			}
			object.subject, object.predicate = subject, predicate.object
			r.triples = append(r.triples, object)
			if !r.take(",") {
				break
			}
		}
		if !r.take(";") {
			return nil
		}
		for r.take(";") {
		}
		r.space()
		if r.at >= len(r.text) || r.text[r.at] == '.' || r.text[r.at] == ']' {
			return nil
		}
	}
}

// term reads an IRI, a literal or a blank node, as the object of a triple.
func (r *turtle) term(depth int) (t triple, err error) {
	if depth > maxDepth {
		return t, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	r.space()
	if r.at >= len(r.text) {
		return t, fmt.Errorf("unexpected end of the file")
	}
	switch c := r.text[r.at]; c {
	case '<':
		end := strings.IndexByte(r.text[r.at:], '>')
		if end < 0 {
			return t, fmt.Errorf("an IRI without an end")
		}
		t.object = r.text[r.at+1 : r.at+end]
		r.at += end + 1
		if u, err := r.base.Parse(t.object); err == nil && r.base.Scheme != "" {
			t.object = u.String()
		}
		return t, nil
	case '"', '\'':
		return r.literal(c)
	case '[':
		r.at++
		r.blank++
		t.object = fmt.Sprintf("_:blank%d", r.blank)
		if r.take("]") {
			return t, nil
		}
		if err := r.properties(t.object, depth+1); err != nil {
			return t, err
		}
		if !r.take("]") {
			return t, fmt.Errorf("expected ]")
		}
		return t, nil
	case '(':
		r.at++
		for !r.take(")") {
			if _, err := r.term(depth + 1); err != nil {
				return t, err
			}
		}
		r.blank++
		t.object = fmt.Sprintf("_:list%d", r.blank)
		return t, nil
	}
	return r.name()
}

// name reads a prefixed name, a blank node, a number or a truth value.
func (r *turtle) name() (t triple, err error) {
	word := r.word()
	prefix, local, prefixed := strings.Cut(word, ":")
	switch namespace, known := r.prefixes[prefix]; {
	case word == "":
		return t, fmt.Errorf("unexpected %q", r.text[r.at:min(len(r.text), r.at+1)])
	case word == "a":
		t.object = rdf + "type"
	case prefix == "_" && prefixed:
		t.object = word
	case prefixed && known:
		t.object = namespace + strings.ReplaceAll(local, `\`, "")
	case prefixed:
		return t, fmt.Errorf("unknown prefix %q", prefix)
	default:
		t.object, t.literal = word, true
	}
	return t, nil
}

// literal reads a text with its language or type.
func (r *turtle) literal(quote byte) (t triple, err error) {
	end := string(quote)
	if long := strings.Repeat(end, 3); strings.HasPrefix(r.text[r.at:], long) {
		end = long
	}
	r.at += len(end)
	start := r.at
	for !strings.HasPrefix(r.text[r.at:], end) {
		if r.at >= len(r.text)-1 {
			return t, fmt.Errorf("a text without an end")
		}
		if r.at++; r.text[r.at-1] == '\\' {
			r.at++
		}
	}
	t.object, t.literal = unescape(r.text[start:r.at]), true
	r.at += len(end)
	switch rest := r.text[r.at:]; {
	case strings.HasPrefix(rest, "@"):
		r.at++
		t.foreign = !isEnglish(r.word())
	case strings.HasPrefix(rest, "^^"):
		r.at += 2
		_, err = r.term(0)
	}
	return t, err
}

// unescape replaces the escapes of a text. An invalid one stays as it is.
func unescape(s string) string {
	var b strings.Builder
	for s != "" {
		at := strings.IndexByte(s, '\\')
		if at < 0 {
			break
		}
		b.WriteString(s[:at])
		r, _, rest, err := strconv.UnquoteChar(s[at:], 0)
		if err != nil { // \" and \', or invalid
			rest = s[min(len(s), at+1):]
			if rest == "" || rest[0] != '"' && rest[0] != '\'' {
				b.WriteByte('\\')
			}
			s = rest
			if rest != "" {
				_, size := utf8.DecodeRuneInString(rest)
				b.WriteString(rest[:size])
				s = rest[size:]
			}
			continue
		}
		b.WriteRune(r)
		s = rest
	}
	return b.String() + s
}
