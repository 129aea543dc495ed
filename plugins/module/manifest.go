package module

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ManifestSection is the name of the custom section that holds the manifest.
const ManifestSection = "awarc.plugin"

// Kind is what a plugin does for a crawl.
type Kind string

// The kinds of ABI 1.
const (
	Scorer    Kind = "scorer"
	Extractor Kind = "extractor"
)

// export is the function that a plugin of the kind exports.
func (k Kind) export() string {
	if k == Scorer {
		return "awarc_score"
	}
	return "awarc_extract"
}

// Manifest is what a plugin says about itself.
type Manifest struct {
	Plugin      int    `json:"awarc_plugin"`          // version of this format: 1
	ABI         string `json:"abi"`                   // "1.0"; the minor number may be higher than the host's
	Name        string `json:"name"`                  // of letters, digits, '-' and '_' between single dots; at most 128 bytes
	Version     string `json:"version"`               // semantic version; the plugin's identity is its hash
	Kind        []Kind `json:"kind"`                  // at least one
	Description string `json:"description,omitempty"` // no control characters
	License     string `json:"license,omitempty"`     // no control characters
	// fields that the host fills: title text parts links link_context html lang
	Needs         []string        `json:"needs,omitempty"`
	May           []string        `json:"may,omitempty"`         // capabilities: blacklist_url blacklist_host
	MemoryMB      int             `json:"memory_mb,omitempty"`   // MiB that the memory may grow to; 0: the operator's limit
	DeadlineMS    int             `json:"deadline_ms,omitempty"` // ms for one call; 0: the operator's limit
	Stateless     bool            `json:"stateless,omitempty"`   // an answer does not depend on earlier calls
	Deterministic bool            `json:"deterministic,omitempty"`
	ConfigSchema  json.RawMessage `json:"config_schema,omitempty"`
	Types         []string        `json:"types,omitempty"` // of the objects that an extractor gives
	MIME          []string        `json:"mime,omitempty"`
	Langs         []string        `json:"langs,omitempty"`
	WASIFSStubs   bool            `json:"wasi_fs_stubs,omitempty"` // link files and sockets of WASI to functions that return ENOSYS

	// Unknown are the keys that this version does not know, sorted. They are
	// reported as a warning.
	Unknown []string `json:"-"`
}

// Has reports whether the manifest has the capability or the field.
func (m *Manifest) Has(word string) bool {
	return slices.Contains(m.May, word) || slices.Contains(m.Needs, word)
}

var (
	needs = []string{"title", "text", "parts", "links", "link_context", "html", "lang"}
	may   = []string{"blacklist_url", "blacklist_host"}
)

// ParseManifest parses and checks a manifest: UTF-8 JSON, one object, each key at
// most once and spelled exactly. Errors are of type *Error with offsets within
// text.
func ParseManifest(text []byte) (Manifest, error) {
	m, err := parseManifest(text)
	if err != nil {
		return Manifest{}, err
	}
	return m, nil
}

func parseManifest(text []byte) (m Manifest, bad *Error) {
	refuse := func(off int64, do, format string, args ...any) (Manifest, *Error) {
		return Manifest{}, &Error{Rule: BadManifest, Offset: int(off), Function: -1, What: "the manifest: " + fmt.Sprintf(format, args...),
			Do: do}
	}
	if most := DefaultLimits().ManifestBytes; len(text) > most {
		return refuse(0, "shorten it", "%d bytes; %d are allowed", len(text), most)
	}
	if !utf8.Valid(text) {
		return refuse(0, "save it as UTF-8", "it is not UTF-8")
	}
	known := map[string]any{
		"awarc_plugin": &m.Plugin, "abi": &m.ABI, "name": &m.Name, "version": &m.Version, "kind": &m.Kind,
		"description": &m.Description, "license": &m.License, "needs": &m.Needs, "may": &m.May,
		"memory_mb": &m.MemoryMB, "deadline_ms": &m.DeadlineMS, "stateless": &m.Stateless, "deterministic": &m.Deterministic,
		"config_schema": &m.ConfigSchema, "types": &m.Types, "mime": &m.MIME, "langs": &m.Langs, "wasi_fs_stubs": &m.WASIFSStubs,
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return refuse(d.InputOffset(), "write one JSON object", "it does not begin with {")
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return refuse(d.InputOffset(), "correct the JSON", "%v", err)
		}
		key := t.(string) // within an object, what More promises is a key
		if seen[key] {
			return refuse(d.InputOffset(), "keep one", "the key %q twice", key)
		}
		seen[key] = true
		to, ok := known[key]
		if !ok {
			to = new(json.RawMessage)
			m.Unknown = append(m.Unknown, key)
		}
		if err := d.Decode(to); err != nil {
			return refuse(d.InputOffset(), "correct it", "the value of %q: %v", key, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return refuse(d.InputOffset(), "correct the JSON", "%v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return refuse(d.InputOffset(), "write one JSON object", "more after its end")
	}
	slices.Sort(m.Unknown)
	if what, do := m.check(); what != "" {
		return refuse(0, do, "%s", what)
	}
	return m, nil
}

// check holds the values to the ABI. It returns what is wrong and what to do, or "".
func (m *Manifest) check() (what, do string) {
	major, minor, _ := strings.Cut(m.ABI, ".")
	switch {
	case m.Plugin != 1:
		return fmt.Sprintf("awarc_plugin is %d", m.Plugin), `write "awarc_plugin": 1`
	case major != "1" || !isNumber(minor):
		return fmt.Sprintf("abi is %q", m.ABI), `write "abi": "1.0"`
	case !isName(m.Name):
		return fmt.Sprintf("name is %q", m.Name), "name it like org.example.birds: letters, digits, " +
			"'-' and '_' between single dots, at most 128 bytes"
	case !isSemver(m.Version):
		return fmt.Sprintf("version is %q", m.Version), "write a semantic version like 1.2.0"
	case len(m.Kind) == 0:
		return "kind is empty", "write scorer, extractor or both"
	case m.MemoryMB < 0 || m.MemoryMB > 1<<12:
		return fmt.Sprintf("memory_mb is %d", m.MemoryMB), "write MiB, at most 4096"
	case m.DeadlineMS < 0 || m.DeadlineMS > 1<<20:
		return fmt.Sprintf("deadline_ms is %d", m.DeadlineMS), "write milliseconds, at most 1048576"
	}
	for i, k := range m.Kind {
		if k != Scorer && k != Extractor || slices.Contains(m.Kind[:i], k) {
			return fmt.Sprintf("kind has %q, unknown or twice", k), "write scorer, extractor or both"
		}
	}
	for _, n := range m.Needs {
		if !slices.Contains(needs, n) {
			return fmt.Sprintf("needs has %q", n), "the host fills " + strings.Join(needs, ", ")
		}
	}
	for _, c := range m.May {
		if !slices.Contains(may, c) {
			return fmt.Sprintf("may has %q", c), "capabilities are " + strings.Join(may, ", ")
		}
	}
	for _, s := range append([]string{m.Description, m.License}, slices.Concat(m.Types, m.MIME, m.Langs)...) {
		if len(s) > 4096 || strings.ContainsFunc(s, unicode.IsControl) {
			return fmt.Sprintf("a text of %d bytes that is too long or has control characters", len(s)),
				"write plain text of at most 4096 bytes"
		}
	}
	return "", ""
}

// isNumber reports whether s is a decimal number without leading zeros.
func isNumber(s string) bool {
	return s != "" && len(s) <= 9 && strings.Trim(s, "0123456789") == "" && (s == "0" || s[0] != '0')
}

func isWord(s string, more string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(more, r)
	})
}

func isName(s string) bool {
	if len(s) > 128 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if !isWord(label, "-_") || strings.ContainsAny(label[:1], "-_") {
			return false
		}
	}
	return true
}

// isSemver follows Semantic Versioning 2.0.0.
func isSemver(s string) bool {
	if len(s) > 64 {
		return false
	}
	s, build, hasBuild := strings.Cut(s, "+")
	s, pre, hasPre := strings.Cut(s, "-")
	core := strings.Split(s, ".")
	if len(core) != 3 || slices.ContainsFunc(core, func(n string) bool { return !isNumber(n) }) {
		return false
	}
	for id := range strings.SplitSeq(pre, ".") {
		numeric := strings.Trim(id, "0123456789") == ""
		if hasPre && (!isWord(id, "-") || numeric && !isNumber(id)) {
			return false
		}
	}
	for id := range strings.SplitSeq(build, ".") {
		if hasBuild && !isWord(id, "-") {
			return false
		}
	}
	return true
}

// Pack returns the WebAssembly binary with the manifest embedded as its section
// awarc.plugin. A manifest that was there is replaced; all other bytes are kept.
// The module is not verified beyond the order of its sections.
func Pack(wasm, manifest []byte) ([]byte, error) {
	if _, err := ParseManifest(manifest); err != nil {
		return nil, err
	}
	packed, err := Strip(wasm)
	if err != nil {
		return nil, err
	}
	packed = append(packed, sectionCustom)
	packed = appendU32(packed, uint32(1+len(ManifestSection)+len(manifest)))
	packed = append(packed, byte(len(ManifestSection)))
	packed = append(packed, ManifestSection...)
	return append(packed, manifest...), nil
}

// Strip returns a copy of the binary without its manifests.
func Strip(wasm []byte) ([]byte, error) {
	if err := checkHeader(wasm); err != nil {
		return nil, err
	}
	r := reader{b: wasm, pos: len(header), end: len(wasm)}
	out := append(make([]byte, 0, len(wasm)), header...)
	for r.more() {
		start := r.pos
		id := r.byte()
		s := reader{b: wasm, pos: r.pos, end: r.pos}
		if content := r.bytes(r.u32(), "a section"); content != nil {
			s.end = r.pos
			s.pos = r.pos - len(content)
		}
		manifest := id == sectionCustom && s.name() == ManifestSection
		if r.err != nil {
			return nil, r.err
		}
		if !manifest {
			out = append(out, wasm[start:r.pos]...)
		}
	}
	return out, nil
}
