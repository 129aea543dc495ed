package main

import (
	"encoding/json"
	"strings"

	"github.com/awarc/awarc/plugins/sdk"
)

// jsonLD reads a script of JSON-LD. Contexts are not loaded: what does not name schema.org
// as its vocabulary is left out.
func (r *reader) jsonLD(script string) {
	var v any
	d := json.NewDecoder(strings.NewReader(mended(script)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		sdk.Log(sdk.Info, "JSON-LD: ", err.Error())
		return
	}
	r.value(v, false, 0)
}

// mended takes off comments around a script, and escapes line breaks within strings, which
// many templates leave in.
func mended(script string) string {
	script = strings.TrimSpace(script)
	for _, wrap := range []string{"<!--", "//<![CDATA[", "/*<![CDATA[*/", "<![CDATA["} {
		script = strings.TrimPrefix(script, wrap)
	}
	for _, wrap := range []string{"-->", "//]]>", "/*]]>*/", "]]>"} {
		script = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(script), wrap))
	}
	var b strings.Builder
	inside, escaped := false, false
	for i := range len(script) {
		c := script[i]
		switch {
		case inside && c < ' ':
			if c == '\n' {
				b.WriteString(`\n`)
			} else {
				b.WriteByte(' ')
			}
			escaped = false
			continue
		case escaped:
			escaped = false
		case inside && c == '\\':
			escaped = true
		case c == '"':
			inside = !inside
		}
		b.WriteByte(c)
	}
	return b.String()
}

// value reads a node, or all of a list or a graph, and returns what a property has as its
// value: a thing, a scalar or nil. Known tells that the vocabulary is that of schema.org.
func (r *reader) value(v any, known bool, depth int) any {
	if depth > maxDepth {
		return nil
	}
	switch v := v.(type) {
	case string, bool:
		return v
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case []any:
		for _, x := range v {
			r.value(x, known, depth+1)
		}
	case map[string]any:
		return r.node(v, known, depth)
	}
	return nil
}

func (r *reader) node(m map[string]any, known bool, depth int) any {
	if context, own := m["@context"]; own {
		known = schemaContext(context)
	}
	if literal, ok := m["@value"]; ok {
		return r.value(literal, known, depth+1)
	}
	if list, ok := m["@list"]; ok {
		return list
	}
	id, _ := m["@id"].(string)
	types := typesOf(m["@type"], known)
	if graph, ok := m["@graph"]; ok {
		r.value(graph, known, depth+1)
	}
	if len(types) == 0 {
		if full := r.absolute(id); id != "" && full != "" {
			return iri(full)
		}
		return nil
	}
	t := r.add(types, id)
	if t == nil {
		return nil
	}
	for _, name := range keys(m) {
		if name[0] != '@' {
			r.property(t, name, m[name], known, depth)
		}
	}
	return t
}

// property adds each value of a property.
func (r *reader) property(t *thing, name string, v any, known bool, depth int) {
	if depth > maxDepth {
		return
	}
	if list, ok := v.([]any); ok {
		for _, x := range list {
			r.property(t, name, x, known, depth+1)
		}
		return
	}
	lang := ""
	if m, ok := v.(map[string]any); ok {
		tag, _ := m["@language"].(string)
		lang = language(tag)
	}
	value := r.value(v, known, depth+1)
	if list, ok := value.([]any); ok {
		r.property(t, name, list, known, depth+1)
		return
	}
	r.set(t, name, value, lang)
}

// schemaContext reports whether a context is that of schema.org, alone or among others.
func schemaContext(context any) bool {
	switch c := context.(type) {
	case string:
		return strings.Contains(c, "schema.org")
	case []any:
		for _, x := range c {
			if schemaContext(x) {
				return true
			}
		}
	case map[string]any:
		for _, x := range c {
			if s, ok := x.(string); ok && strings.Contains(s, "schema.org") {
				return true
			}
		}
	}
	return false
}

// typesOf are the local names of the types that are of schema.org.
func typesOf(v any, known bool) (types []string) {
	switch v := v.(type) {
	case string:
		full := strings.Contains(v, "schema.org/") || strings.HasPrefix(v, "schema:")
		if name := localName(v); name != "" && (known || full) {
			types = append(types, name)
		}
	case []any:
		for _, x := range v {
			if s, ok := x.(string); ok {
				types = append(types, typesOf(s, known)...)
			}
		}
	}
	return types
}
