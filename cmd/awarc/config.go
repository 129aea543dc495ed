package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/engine/score"
)

// BeforeResolve takes flags that the command line does not give from the file of
// --config, and what that does not give from the file of --topic.
func (c *crawlCmd) BeforeResolve(k *kong.Context) error {
	config := map[string]any{}
	if file := givenFlag(k, "config"); file != "" {
		var err error
		if config, err = readConfig(file, k.Flags()); err != nil {
			return usageError("--config: %v", err)
		}
	}
	topic := givenFlag(k, "topic")
	if fromConfig, ok := config["topic"].(string); ok && topic == "" {
		topic = fromConfig
	}
	if topic != "" {
		d, err := readDefinition(topic)
		if err != nil {
			return err
		}
		k.AddResolver(resolve(topicFlags(d)))
	}
	k.AddResolver(resolve(config)) // later resolvers win
	return nil
}

// givenFlag is the value of a flag of the command line, or "".
func givenFlag(k *kong.Context, name string) string {
	for _, f := range k.Flags() {
		if f.Name == name {
			text, _ := k.FlagValue(f).(string)
			return text
		}
	}
	return ""
}

func resolve(values map[string]any) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) { return values[flag.Name], nil })
}

// readDefinition reads a crawl definition.
func readDefinition(file string) (*score.Definition, error) {
	if crawl.IsOntology(file) {
		return new(score.Definition), nil // it has neither seeds nor flags
	}
	f, err := infile.Open(file)
	if err != nil {
		return nil, usageError("--topic: %v", err)
	}
	defer f.Close()
	d, err := score.ReadDefinition(file, f)
	if err != nil {
		return nil, usageError("--topic: %v", err)
	}
	return d, nil
}

// topicFlags are the flags that a crawl definition gives.
func topicFlags(d *score.Definition) map[string]any {
	values := map[string]any{}
	text := func(name, value string) {
		if value != "" {
			values[name] = value
		}
	}
	list := func(name string, items []string) {
		if len(items) > 0 {
			values[name] = anyList(items)
		}
	}
	text("scope-type", d.Scope.Type)
	list("include", d.Scope.Include)
	list("exclude", d.Scope.Exclude)
	if d.Scope.MaxHops != nil {
		values["max-hops"] = fmt.Sprint(*d.Scope.MaxHops)
	}
	text("update", d.Priority.Update)
	for name, n := range map[string]int{
		"batch": d.Priority.Batch, "per-turn": d.Priority.PerTurn,
		"domain-budget": d.Budget.Domain, "domain-budget-per-link": d.Budget.PerLink, "domain-budget-links": d.Budget.Links,
	} {
		if n > 0 {
			values[name] = fmt.Sprint(n)
		}
	}
	for name, on := range map[string]bool{"best-first": d.Priority.BestFirst, "learn": d.Priority.Learn} {
		if on {
			values[name] = true
		}
	}
	return values
}

func anyList(items []string) []any {
	out := make([]any, len(items))
	for i, s := range items {
		out[i] = s
	}
	return out
}

// fileFlags name files and folders: in a file of flags they are relative to it.
var fileFlags = []string{"kb", "plugin", "topic", "previous", "domains", "scope", "cookies", "seed-file", "out"}

// notInConfig are flags that make no sense in a file.
var notInConfig = []string{"help", "config", "dry-run", "api-token"}

// maxConfig bounds a file of flags, in bytes.
const maxConfig = 256 << 10

// readConfig reads flags from a YAML file: their names without dashes before them,
// and lists and maps for those that may be repeated.
func readConfig(file string, flags []*kong.Flag) (map[string]any, error) {
	data, err := infile.ReadStream(file, maxConfig)
	if err != nil {
		return nil, err
	}
	if err := score.RefuseHostile(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var read map[string]any
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&read); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	values := map[string]any{}
	var errs []error
	for name, value := range read {
		flag := strings.ReplaceAll(name, "_", "-")
		if slices.Contains(notInConfig, flag) || !slices.ContainsFunc(flags, func(f *kong.Flag) bool { return f.Name == flag }) {
			errs = append(errs, fmt.Errorf("%s: %q is not a flag of awarc crawl; see awarc crawl --help", file, name))
			continue
		}
		v, err := flagValue(flag, value, filepath.Dir(file))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", file, name, err))
			continue
		}
		values[flag] = v
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return values, errors.Join(errs...)
}

// flagValue turns a value of YAML into one that a flag can be given.
func flagValue(flag string, value any, dir string) (any, error) {
	one := func(v any) (string, error) {
		switch v.(type) {
		case nil, []any, map[string]any:
			return "", errors.New("expected a value")
		}
		text := fmt.Sprint(v)
		if slices.Contains(fileFlags, flag) && text != "" && text != "-" && !filepath.IsAbs(text) {
			text = filepath.Join(dir, text)
		}
		return text, nil
	}
	switch v := value.(type) {
	case bool:
		return v, nil
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			text, err := one(item)
			if err != nil {
				return nil, err
			}
			out[i] = text
		}
		return out, nil
	case map[string]any:
		if flag != "plugin-config" {
			return v, nil
		}
		out := map[string]any{}
		for name, c := range v {
			if text, ok := c.(string); ok {
				out[name] = text
				continue
			}
			data, err := json.Marshal(c)
			if err != nil {
				return nil, err
			}
			out[name] = string(data)
		}
		return out, nil
	}
	text, err := one(value)
	if slices.Contains([]string{"kb", "plugin", "include", "exclude", "seed-file"}, flag) && err == nil {
		return []any{text}, nil
	}
	return text, err
}
