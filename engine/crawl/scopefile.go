package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/engine/score"
)

// scopeItem is a rule as scope files have it: one effect with its conditions.
type scopeItem struct {
	Exclude engine.Conditions `yaml:"exclude"`
	Only    engine.Conditions `yaml:"only"`
	Also    engine.Conditions `yaml:"also"`
}

// rule gives the one rule that an item holds.
func (i scopeItem) rule(name string) (r engine.ScopeRule, err error) {
	n := 0
	for effect, when := range map[engine.Effect]engine.Conditions{engine.Exclude: i.Exclude, engine.Only: i.Only, engine.Also: i.Also} {
		if when != nil {
			r, n = engine.ScopeRule{Effect: effect, When: when, Name: name}, n+1
		}
	}
	if n != 1 {
		return r, errors.New("expected one of exclude, only and also, with conditions")
	}
	return r, nil
}

// maxScope bounds a scope file, in bytes.
const maxScope = 256 << 10

// readScope reads a scope file; it is nothing where no file is given.
func readScope(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	return infile.Read(file, maxScope)
}

// parseScope reads the rules of a scope file. Errors name the file and, where it is one rule's, the line.
func parseScope(file string, data []byte) ([]engine.ScopeRule, error) {
	if err := score.RefuseHostile(data); err != nil {
		return nil, atLine(file, 0, err)
	}
	parsed, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, atLine(file, 0, err)
	}
	var rules []engine.ScopeRule
	for i, doc := range parsed.Docs {
		if doc.Body == nil {
			continue
		}
		list, ok := doc.Body.(*ast.SequenceNode)
		if !ok || i > 0 {
			return nil, atLine(file, doc.Body.GetToken().Position.Line,
				errors.New("expected one list of rules, such as - exclude: {path: /print/}"))
		}
		for _, node := range list.Values {
			r, err := parseRule(file, node)
			if err != nil {
				return nil, err
			}
			rules = append(rules, r)
		}
	}
	if _, err := engine.NewScope(engine.ScopeRules{Type: engine.ScopeAny, MaxHops: -1, Rules: rules}, nil); err != nil {
		return nil, err
	}
	return rules, nil
}

func parseRule(file string, node ast.Node) (engine.ScopeRule, error) {
	line := node.GetToken().Position.Line
	if m, ok := node.(*ast.MappingNode); ok && len(m.Values) > 0 {
		line = m.Values[0].Key.GetToken().Position.Line
	}
	var item scopeItem
	if err := yaml.NodeToValue(node, &item, yaml.Strict(), yaml.DisallowUnknownField()); err != nil {
		return engine.ScopeRule{}, atLine(file, line, err)
	}
	const longest = 100 // characters of a rule in messages
	text := []rune(strings.Join(strings.Fields(node.String()), " "))
	if len(text) > longest {
		text = append(text[:longest], '…')
	}
	r, err := item.rule(fmt.Sprintf("%s:%d: %s", filepath.Base(file), line, string(text)))
	if err != nil {
		return r, atLine(file, line, err)
	}
	return r, nil
}

var yamlPlace = regexp.MustCompile(`^\[(\d+):\d+\] `)

// atLine puts file and line before an error: those that it names itself, else the given line.
func atLine(file string, line int, err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n") // without the lines of the file
	if m := yamlPlace.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s:%s: %s", filepath.Base(file), m[1], text[len(m[0]):])
	}
	if line == 0 {
		line = 1
	}
	return fmt.Errorf("%s:%d: %s", filepath.Base(file), line, text)
}

// scope makes the scope of a crawl; data is what the scope file holds.
func (o Options) scope(seeds []*url.URL, data []byte) (*engine.Scope, error) {
	rules, err := parseScope(o.Scope, data)
	if err != nil {
		return nil, complain("%s: %v", option("Scope"), err)
	}
	s, err := engine.NewScope(engine.ScopeRules{
		Type: engine.ScopeType(o.ScopeType), Include: o.Include, Exclude: o.Exclude, MaxHops: o.MaxHops, Rules: rules,
		Changes: o.Scope != "" || len(o.Include)+len(o.Exclude) > 0 || o.Reached, // by a later session
	}, seeds)
	if err != nil {
		return nil, complain("%v", err)
	}
	return s, nil
}

// filesEvery is how often files of rules are looked at.
const filesEvery = time.Second

// maxWatched bounds a file that is watched, in bytes, as maxPlugin does: the longest are plugins.
const maxWatched = maxPlugin

// watchFile gives each new content of a file to apply until ctx ends; last is the one that is known.
func watchFile(ctx context.Context, file string, last []byte, apply func([]byte)) {
	if file == "" {
		return
	}
	every(ctx, filesEvery, func() {
		data, err := infile.Read(file, maxWatched)
		if err != nil || bytes.Equal(data, last) {
			return // an editor is at it
		}
		last = data
		apply(data)
	})
}

// watchScope takes edits of the scope file over until ctx ends.
func (c *Crawl) watchScope(ctx context.Context) {
	file := c.settings.Flags.Scope
	watchFile(ctx, file, c.scopeData, func([]byte) {
		data, err := readScope(file)
		var rules []engine.ScopeRule
		if err == nil {
			rules, err = parseScope(file, data)
		}
		if err == nil {
			err = c.scope.Use(rules)
		}
		if err != nil {
			c.note("%s: %v; the old rules stay in use", option("Scope"), err)
			return
		}
		c.note("%d scope rules read from %s", len(rules), file)
		c.publishEdits()
	})
}
