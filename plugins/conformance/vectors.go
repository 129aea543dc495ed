package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
)

// Vectors are pages with the answers that a plugin has to give: a file that is shipped
// beside it. Requests are written as protobuf's JSON writes the messages of the schema.
type Vectors struct {
	Topic  jsonTopic `json:"topic"`
	Config string    `json:"config"`
	Pages  []Vector  `json:"pages"`
}

// Vector is one page, to score or to extract from, and what is wanted.
type Vector struct {
	Name    string       `json:"name"`
	Score   *jsonScore   `json:"score"`
	Extract *jsonExtract `json:"extract"`
	Want    Want         `json:"want"`
}

// Want is an answer. What it does not name may be anything.
type Want struct {
	Kind    plugins.Kind `json:"kind"` // "ok" when empty
	Doc     *Range       `json:"doc"`
	Links   []Range      `json:"links"`
	Objects []WantObject `json:"objects"` // each has to be there
	Count   *int         `json:"count"`   // of objects
}

// WantObject is an object: its fields as texts, each of which has to be there.
type WantObject struct {
	Type   string              `json:"type"`
	ID     string              `json:"id"`
	Fields map[string][]string `json:"fields"`
}

// Range is a number, or two numbers between which a score has to be.
type Range struct{ Low, High float32 }

// UnmarshalJSON reads 0.5 or [0.4, 0.6].
func (r *Range) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &r.Low); err == nil {
		r.High = r.Low
		return nil
	}
	var two []float32
	if err := json.Unmarshal(b, &two); err != nil || len(two) != 2 {
		return fmt.Errorf("%s is neither a number nor two", b)
	}
	r.Low, r.High = two[0], two[1]
	return nil
}

func (r Range) has(v float32) bool { return r.Low <= v && v <= r.High }

func (r Range) String() string {
	if r.Low == r.High {
		return fmt.Sprint(r.Low)
	}
	return fmt.Sprintf("%v to %v", r.Low, r.High)
}

// The messages of the schema, with the names that protobuf's JSON gives the fields.
type (
	jsonTopic struct {
		Name     string            `json:"name"`
		Terms    []jsonTerm        `json:"terms"`
		SeedURLs []string          `json:"seedUrls"`
		Params   map[string]string `json:"params"`
		Lang     string            `json:"lang"`
	}
	jsonTerm struct {
		Text   string        `json:"text"`
		Weight float32       `json:"weight"`
		Flags  abi.TermFlags `json:"flags"`
	}
	jsonPart struct {
		Kind  abi.PartKind `json:"kind"`
		Text  string       `json:"text"`
		About string       `json:"about"`
	}
	jsonLink struct {
		URL     string        `json:"url"`
		Anchor  string        `json:"anchor"`
		Context string        `json:"context"`
		Flags   abi.LinkFlags `json:"flags"`
	}
	jsonScore struct {
		URL         string     `json:"url"`
		Title       string     `json:"title"`
		Parts       []jsonPart `json:"parts"`
		Links       []jsonLink `json:"links"`
		Lang        string     `json:"lang"`
		Depth       uint32     `json:"depth"`
		HTTPStatus  uint32     `json:"httpStatus"`
		ContentType string     `json:"contentType"`
		ParentScore float32    `json:"parentScore"`
		Truncated   bool       `json:"truncated"`
	}
	jsonExtract struct {
		URL         string     `json:"url"`
		Title       string     `json:"title"`
		Parts       []jsonPart `json:"parts"`
		Links       []jsonLink `json:"links"`
		Lang        string     `json:"lang"`
		ContentType string     `json:"contentType"`
		HTML        []byte     `json:"html"` // base64
		CaptureUnix uint64     `json:"captureUnix,string"`
	}
)

func (t jsonTopic) abi() abi.Topic {
	topic := abi.Topic{Name: t.Name, SeedURLs: t.SeedURLs, Params: t.Params, Lang: t.Lang}
	for _, x := range t.Terms {
		topic.Terms = append(topic.Terms, abi.Term(x))
	}
	return topic
}

func pageParts(parts []jsonPart, links []jsonLink) (p []abi.Part, l []abi.Link) {
	for _, x := range parts {
		p = append(p, abi.Part(x))
	}
	for _, x := range links {
		l = append(l, abi.Link(x))
	}
	return p, l
}

func (s *jsonScore) abi() *abi.ScoreRequest {
	r := &abi.ScoreRequest{URL: s.URL, Title: s.Title, Lang: s.Lang, Depth: s.Depth, HTTPStatus: s.HTTPStatus, ContentType: s.ContentType,
		ParentScore: s.ParentScore, Truncated: s.Truncated}
	r.Parts, r.Links = pageParts(s.Parts, s.Links)
	return r
}

func (e *jsonExtract) abi() *abi.ExtractRequest {
	r := &abi.ExtractRequest{URL: e.URL, Title: e.Title, Lang: e.Lang, ContentType: e.ContentType, HTML: string(e.HTML),
		CaptureUnix: e.CaptureUnix}
	r.Parts, r.Links = pageParts(e.Parts, e.Links)
	return r
}

func readVectors(file string) (*Vectors, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	v := new(Vectors)
	if err := d.Decode(v); err != nil {
		return nil, fmt.Errorf("%s: byte %d: %w", file, d.InputOffset(), err)
	}
	return v, nil
}

// vectors holds the plugin to the files of golden vectors.
func (t *tester) vectors() error {
	if len(t.o.Vectors) == 0 {
		return skipped("no golden vectors beside the plugin (testdata/*.json)")
	}
	for _, file := range t.o.Vectors {
		v, err := readVectors(file)
		if err != nil {
			return err
		}
		o := t.options()
		o.Topic = v.Topic.abi()
		if v.Config != "" {
			o.Config = map[string]string{t.mod.Manifest.Name: v.Config}
		}
		err = t.with(o, func(s *plugins.Set) error {
			for i, p := range v.Pages {
				if err := t.vector(s, p); err != nil {
					return fmt.Errorf("%s: page %d, %q: %w", file, i, p.Name, err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tester) vector(s *plugins.Set, v Vector) error {
	want := v.Want.Kind
	if want == "" {
		want = plugins.KindOK
	}
	ended := func(k plugins.Kind, err *plugins.Error) error {
		if k == want {
			return nil
		}
		return fmt.Errorf("it ends with %s, not %s: %v", k, want, err)
	}
	switch {
	case v.Score != nil && t.mod.HasKind(module.Scorer):
		r := s.Score(t.ctx, v.Score.abi())[0]
		if r.Response == nil || want != plugins.KindOK {
			return ended(r.Kind, r.Err)
		}
		return v.Want.scores(r.Response)
	case v.Extract != nil && t.mod.HasKind(module.Extractor):
		r := s.Extract(t.ctx, v.Extract.abi())[0]
		if r.Response == nil || want != plugins.KindOK {
			return ended(r.Kind, r.Err)
		}
		return v.Want.found(r.Response)
	}
	return fmt.Errorf("it asks for neither a score nor an extraction that this plugin makes")
}

func (w *Want) scores(r *abi.ScoreResponse) error {
	if w.Doc != nil && !w.Doc.has(r.Doc) {
		return fmt.Errorf("doc is %v, want %v", r.Doc, w.Doc)
	}
	if w.Links == nil {
		return nil
	}
	if len(r.Links) != len(w.Links) {
		return fmt.Errorf("%d link scores, want %d", len(r.Links), len(w.Links))
	}
	for i, want := range w.Links {
		if !want.has(r.Links[i]) {
			return fmt.Errorf("link %d is %v, want %v", i, r.Links[i], want)
		}
	}
	return nil
}

func (w *Want) found(r *abi.ExtractResponse) error {
	if w.Count != nil && len(r.Objects) != *w.Count {
		return fmt.Errorf("%d objects, want %d", len(r.Objects), *w.Count)
	}
	for _, want := range w.Objects {
		if !slices.ContainsFunc(r.Objects, want.is) {
			return fmt.Errorf("no object is %+v, of %+v", want, r.Objects)
		}
	}
	return nil
}

// is reports whether the object has all that is wanted.
func (w WantObject) is(o abi.Object) bool {
	if o.Type != w.Type || w.ID != "" && o.ID != w.ID {
		return false
	}
	for name, values := range w.Fields {
		for _, v := range values {
			if !slices.ContainsFunc(o.Fields, func(f abi.Field) bool { return f.Name == name && text(f.Value) == v }) {
				return false
			}
		}
	}
	return true
}

func text(v abi.Value) string {
	switch v.Kind {
	case abi.IntKind:
		return strconv.FormatInt(v.Int, 10)
	case abi.FloatKind:
		if v.Float == math.Trunc(v.Float) && math.Abs(v.Float) < 1e15 {
			return strconv.FormatFloat(v.Float, 'f', 1, 64)
		}
		return strconv.FormatFloat(v.Float, 'g', -1, 64)
	case abi.BoolKind:
		return strconv.FormatBool(v.Bool)
	}
	return v.Str
}
