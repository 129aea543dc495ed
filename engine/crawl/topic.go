package crawl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/engine/score"
)

// topic is a definition with the texts of its references. A crawl keeps it, so that
// resume needs none of the files it was made of.
type topic struct {
	File       string   `json:"file"`
	Definition string   `json:"definition"` // YAML
	Texts      []string `json:"texts"`
	Ontology   []byte   `json:"ontology,omitempty"` // the file that the definition names

	parsed *score.Definition
}

// topicFile is where a crawl keeps its topic, below its folder.
const topicFile = "state/topic.json"

// Bounds of what describes a topic.
const (
	maxReferences    = 400 // texts
	maxReferenceText = 64 << 10
)

// readTopic reads a crawl definition and what it refers to.
func (o Options) readTopic() (*topic, error) {
	if o.Topic == "" {
		return nil, nil
	}
	data, err := infile.Read(o.Topic, maxReference)
	if err != nil {
		return nil, complain("%s: %v", option("Topic"), err)
	}
	if IsOntology(o.Topic) {
		data = fmt.Appendf(nil, "ontology: {file: %q}\n", filepath.Base(o.Topic)) // the file alone is a topic
	}
	d, err := score.ReadDefinition(o.Topic, bytes.NewReader(data))
	if err != nil {
		return nil, complain("%s: %v", option("Topic"), err)
	}
	t := &topic{File: o.Topic, Definition: string(data), parsed: d}
	if err := t.readOntology(filepath.Dir(o.Topic)); err != nil {
		return nil, complain("%s: %v", option("Topic"), err)
	}
	for _, name := range d.References {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(o.Topic), name)
		}
		texts, err := o.referenceTexts(path)
		if err != nil {
			return nil, complain("%s %s: reference %s: %v", option("Topic"), o.Topic, name, err)
		}
		t.Texts = append(t.Texts, texts...)
	}
	t.Texts = t.Texts[:min(len(t.Texts), maxReferences)]
	return t, nil
}

// ReadTopic reads a crawl definition, or an ontology, with all files that it refers to.
func ReadTopic(file string) (*score.Definition, *score.Topic, error) {
	t, err := (Options{Scoring: Scoring{Topic: file}}).filled().readTopic()
	if err != nil {
		return nil, nil, err
	}
	return t.parsed, t.parsed.Topic(t.Texts...), nil
}

// IsOntology reports whether a topic is an ontology and not a definition, by the extension of its
// file.
func IsOntology(file string) bool { return ontologies[strings.ToLower(filepath.Ext(file))] }

var ontologies = map[string]bool{".ttl": true, ".nt": true, ".rdf": true, ".owl": true, ".skos": true, ".xml": true}

// readOntology reads the ontology that the definition names, if any.
func (t *topic) readOntology(dir string) (err error) {
	file := t.parsed.Ontology.File
	if file == "" {
		return nil
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	if t.Ontology, err = infile.Read(file, maxReference); err != nil {
		return err
	}
	return t.parsed.ReadOntology(t.Ontology)
}

// referenceTexts reads a page, a text, or what an earlier crawl extracted.
func (o Options) referenceTexts(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return crawlTexts(path)
	}
	data, err := infile.Read(path, maxReference)
	if err != nil {
		return nil, err
	}
	text := string(data)
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".html" || ext == ".htm" || ext == ".xhtml" {
		base, err := o.loadKB()
		if err != nil {
			return nil, err
		}
		if text, err = engine.PageText(detect.New(base), engine.Answer{HTML: fetch.DecodeHTML(data, "").HTML}); err != nil {
			return nil, err
		}
	}
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("it has no text")
	}
	return []string{clipText(text)}, nil
}

// maxReference bounds a file that describes a topic, in bytes.
const maxReference = 64 << 20

func clipText(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxReferenceText)], "")
}

// crawlTexts reads the titles and contents that a crawl extracted, one text a page.
func crawlTexts(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "graph", "*.nq.gz"))
	if err != nil {
		return nil, err
	}
	var pages []string // ids of captures, in order
	texts := map[string]*strings.Builder{}
	take := func(q statement) {
		field := earlierFields[q.predicate].name
		if q.graph == graph.Meta || field != "title" && field != "content" {
			return
		}
		b := texts[q.graph]
		if b == nil {
			if len(pages) >= maxReferences {
				return
			}
			b = new(strings.Builder)
			pages, texts[q.graph] = append(pages, q.graph), b
		}
		if b.Len() < maxReferenceText {
			b.WriteString(clipText(q.object) + "\n")
		}
	}
	for _, file := range files {
		if err := eachStatement(file, take); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if len(pages) == 0 {
		return nil, errors.New("no graph/*.nq.gz with content; " +
			"expected a page, a text, or the folder of a crawl with extracted content")
	}
	var all []string
	for _, id := range pages {
		all = append(all, texts[id].String())
	}
	return all, nil
}

// eachStatement reads a graph file to its end.
func eachStatement(file string, fn func(statement)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	var z gzip.Reader
	for {
		if _, err := in.Peek(1); errors.Is(err, io.EOF) {
			return nil
		}
		if err := readMember(&z, in, fn); err != nil {
			return err
		}
	}
}

// keptTopic reads the topic that a crawl keeps; nil where it has none.
func keptTopic(dir string, o Options) (*topic, error) {
	if o.Topic == "" {
		return nil, nil
	}
	name := filepath.Join(dir, topicFile)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the topic of the crawl: %w", err)
	}
	t := new(topic)
	if err := json.Unmarshal(data, t); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if t.parsed, err = score.ReadDefinition(t.File, strings.NewReader(t.Definition)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if t.Ontology != nil {
		if err := t.parsed.ReadOntology(t.Ontology); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return t, nil
}

// seeds are those that the topic names.
func (t *topic) seeds() []string {
	if t == nil {
		return nil
	}
	return t.parsed.Seeds
}
