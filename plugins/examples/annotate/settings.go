package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/awarc/awarc/plugins/sdk/names"
)

// entity is a person, place or thing.
type entity struct {
	Name    string   `json:"name"`
	IRI     string   `json:"iri"`
	Class   string   `json:"class"`
	Aliases []string `json:"aliases"`
}

// settings are what the plugin is configured with.
type settings struct {
	entities []entity
	names    *names.Names
	keywords int // of a text, at most
	language bool
}

const mostNames = 100_000

// read reads a configuration, and the entities of the crawl definition.
func read(config, topic string) (*settings, error) {
	s := &settings{names: names.New(), keywords: 5, language: true}
	if topic != "" {
		if err := json.Unmarshal([]byte(topic), &s.entities); err != nil {
			return nil, fmt.Errorf("the entities of the crawl definition: %w", err)
		}
	}
	config = strings.TrimSpace(strings.TrimPrefix(config, "\ufeff"))
	var err error
	switch {
	case config == "":
	case config[0] == '{':
		err = s.json(config)
	case config[0] == '<' || config[0] == '#' || strings.HasPrefix(config, "_:"):
		err = s.skos(config)
	default:
		err = s.csv(config)
	}
	if err != nil {
		return nil, err
	}
	count := 0
	for i := range s.entities {
		e := &s.entities[i]
		if e.IRI == "" {
			e.IRI = "urn:awarc:entity:" + url.PathEscape(e.Name)
		}
		if e.Class == "" {
			e.Class = "schema:Thing"
		}
		if !absolute(e.IRI) || !absolute(e.Class) {
			return nil, fmt.Errorf("entity %q: %q and %q shall be an IRI and a class: columns are name, IRI, class, other names", e.Name,
				e.IRI, e.Class)
		}
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			if count++; count > mostNames {
				return nil, fmt.Errorf("more than %d names", mostNames)
			}
			s.names.Add(name, i)
		}
	}
	s.names.Link()
	return s, nil
}

func (s *settings) json(config string) error {
	c := struct {
		Entities []entity `json:"entities"`
		Keywords *int     `json:"keywords"`
		Language *bool    `json:"language"`
	}{Keywords: &s.keywords, Language: &s.language}
	d := json.NewDecoder(strings.NewReader(config))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	for i, e := range c.Entities {
		if strings.TrimSpace(e.Name) == "" {
			return fmt.Errorf("configuration: entity %d has no name", i+1)
		}
	}
	s.entities = append(s.entities, c.Entities...)
	return nil
}

// csv reads lines of name, IRI, class, other names. A line of "name" begins with is the head.
func (s *settings) csv(config string) error {
	r := csv.NewReader(strings.NewReader(config))
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	for first := true; ; first = false {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("gazetteer: %w", err)
		}
		if cells[0] = strings.TrimSpace(cells[0]); cells[0] == "" || first && strings.EqualFold(cells[0], "name") {
			continue
		}
		e := entity{Name: cells[0]}
		for i, c := range cells[1:] {
			switch c = strings.TrimSpace(c); {
			case c == "":
			case i == 0:
				e.IRI = c
			case i == 1:
				e.Class = c
			default:
				e.Aliases = append(e.Aliases, c)
			}
		}
		s.entities = append(s.entities, e)
	}
}

// skos reads the labels of concepts in N-Triples. The preferred label comes first; where there are several languages, any of them.
func (s *settings) skos(config string) error {
	const skos = "<http://www.w3.org/2004/02/skos/core#"
	places := map[string]int{}
	for i, line := range strings.Split(config, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		subject, rest, _ := strings.Cut(line, " ")
		property, object, ok := strings.Cut(strings.TrimSpace(rest), " ")
		if !ok {
			return fmt.Errorf("gazetteer: line %d is not N-Triples", i+1)
		}
		label, is := strings.CutPrefix(property, skos)
		if !is || subject[0] != '<' || label != "prefLabel>" && label != "altLabel>" && label != "hiddenLabel>" {
			continue
		}
		text, err := literal(strings.TrimSpace(object))
		if err != nil {
			return fmt.Errorf("gazetteer: line %d: %w", i+1, err)
		}
		n, known := places[subject]
		if !known {
			n = len(s.entities)
			places[subject] = n
			s.entities = append(s.entities, entity{IRI: strings.Trim(subject, "<>"), Class: "http://www.w3.org/2004/02/skos/core#Concept"})
		}
		if e := &s.entities[n]; label == "prefLabel>" && e.Name == "" {
			e.Name = text
		} else {
			e.Aliases = append(e.Aliases, text)
		}
	}
	for i := range s.entities {
		if e := &s.entities[i]; e.Name == "" && len(e.Aliases) > 0 {
			e.Name, e.Aliases = e.Aliases[0], e.Aliases[1:]
		}
	}
	return nil
}

// literal reads a literal of N-Triples, whose escapes are those of JSON and \U.
func literal(s string) (string, error) {
	end := strings.LastIndexByte(s, '"')
	if s == "" || s[0] != '"' || end == 0 {
		return "", errors.New("expected a literal")
	}
	s = s[:end+1]
	for {
		at := strings.Index(s, `\U`)
		if at < 0 || at+10 > len(s) {
			break
		}
		var r rune
		if _, err := fmt.Sscanf(s[at+2:at+10], "%x", &r); err != nil {
			return "", err
		}
		s = s[:at] + string(r) + s[at+10:]
	}
	var text string
	err := json.Unmarshal([]byte(strings.ReplaceAll(s, "\t", `\t`)), &text)
	return text, err
}

// absolute reports whether a text can be an IRI, or a prefixed name.
func absolute(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	return ok && scheme != "" && rest != "" && !strings.ContainsAny(scheme, "/?#") && !strings.ContainsAny(s, " <>\"{}|^`\\\t\r\n")
}
