package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
)

// Vectors are pages with the answers that a plugin has to give: a file that is shipped
// beside it. Requests are written as protobuf's JSON writes the messages of the schema.
type Vectors struct {
	Topic  jsonTopic `json:"topic"`
	Config string    `json:"config,omitempty"`
	Pages  []Vector  `json:"pages"`
}

// Vector is one page, to score or to extract from, and what is wanted.
type Vector struct {
	Name    string       `json:"name"`
	Score   *jsonScore   `json:"score,omitempty"`
	Extract *jsonExtract `json:"extract,omitempty"`
	Want    Want         `json:"want"`
}

// Want is an answer. What it does not name may be anything.
type Want struct {
	Kind    plugins.Kind `json:"kind,omitempty"` // "ok" when empty
	Doc     *Range       `json:"doc,omitempty"`
	Links   []Range      `json:"links,omitempty"`
	Objects []WantObject `json:"objects,omitempty"` // each has to be there
	Count   *int         `json:"count,omitempty"`   // of objects
	Triples []WantTriple `json:"triples,omitempty"` // each has to be there
}

// WantObject is an object: its fields as texts, each of which has to be there.
type WantObject struct {
	Type   string              `json:"type"`
	ID     string              `json:"id,omitempty"`
	Fields map[string][]string `json:"fields,omitempty"`
}

// WantTriple is a statement, its object as a text.
type WantTriple struct {
	Subject   string `json:"subject"`
	Predicate string `json:"predicate"`
	Object    string `json:"object"`
}

// Add adds what a plugin was asked about a page and what it answered, without what its manifest does not
// need.
func (v *Vectors) Add(m *module.Manifest, page string, t *assess.Trial) {
	needs, _, _ := abi.ParseNeeds(m.Needs) // the verifier knows the words
	for _, r := range t.Scores {
		var asked abi.ScoreRequest
		if asked.Decode(string(t.ScoreRequest.Append(nil, needs))) != nil {
			continue // it is ours
		}
		v.Pages = append(v.Pages, Vector{Name: page, Score: scoreJSON(&asked), Want: wantScores(r)})
	}
	for _, r := range t.Found {
		var asked abi.ExtractRequest
		if asked.Decode(string(t.ExtractRequest.Append(nil, needs))) != nil {
			continue
		}
		v.Pages = append(v.Pages, Vector{Name: page, Extract: extractJSON(&asked), Want: wantFound(r)})
	}
}

func wantScores(r plugins.Score) (w Want) {
	if r.Response == nil {
		return Want{Kind: r.Kind}
	}
	exactly := func(v float32) Range { return Range{v, v} }
	doc := exactly(r.Response.Doc)
	w.Doc = &doc
	for _, v := range r.Response.Links {
		w.Links = append(w.Links, exactly(v))
	}
	return w
}

func wantFound(r plugins.Extraction) (w Want) {
	if r.Response == nil {
		return Want{Kind: r.Kind}
	}
	count := len(r.Response.Objects)
	w.Count = &count
	for _, o := range r.Response.Objects {
		want := WantObject{Type: o.Type, ID: o.ID, Fields: map[string][]string{}}
		for _, f := range o.Fields {
			want.Fields[f.Name] = append(want.Fields[f.Name], text(f.Value))
		}
		w.Objects = append(w.Objects, want)
	}
	for _, t := range r.Response.Triples {
		w.Triples = append(w.Triples, WantTriple{t.Subject, t.Predicate, t.Object})
	}
	return w
}

// Range is a number, or two numbers between which a score has to be.
type Range struct{ Low, High float32 }

// MarshalJSON writes what UnmarshalJSON reads.
func (r Range) MarshalJSON() ([]byte, error) {
	if r.Low == r.High {
		return json.Marshal(r.Low)
	}
	return json.Marshal([2]float32{r.Low, r.High})
}

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
		Name     string            `json:"name,omitempty"`
		Terms    []jsonTerm        `json:"terms,omitempty"`
		SeedURLs []string          `json:"seedUrls,omitempty"`
		Params   map[string]string `json:"params,omitempty"`
		Lang     string            `json:"lang,omitempty"`
	}
	jsonTerm struct {
		Text   string        `json:"text,omitempty"`
		Weight float32       `json:"weight,omitempty"`
		Flags  abi.TermFlags `json:"flags,omitempty"`
	}
	jsonPart struct {
		Kind  abi.PartKind `json:"kind,omitempty"`
		Text  string       `json:"text,omitempty"`
		About string       `json:"about,omitempty"`
	}
	jsonLink struct {
		URL     string        `json:"url,omitempty"`
		Anchor  string        `json:"anchor,omitempty"`
		Context string        `json:"context,omitempty"`
		Flags   abi.LinkFlags `json:"flags,omitempty"`
	}
	jsonScore struct {
		URL         string     `json:"url,omitempty"`
		Title       string     `json:"title,omitempty"`
		Parts       []jsonPart `json:"parts,omitempty"`
		Links       []jsonLink `json:"links,omitempty"`
		Lang        string     `json:"lang,omitempty"`
		Depth       uint32     `json:"depth,omitempty"`
		HTTPStatus  uint32     `json:"httpStatus,omitempty"`
		ContentType string     `json:"contentType,omitempty"`
		ParentScore float32    `json:"parentScore,omitempty"`
		Truncated   bool       `json:"truncated,omitempty"`
	}
	jsonExtract struct {
		URL         string     `json:"url,omitempty"`
		Title       string     `json:"title,omitempty"`
		Parts       []jsonPart `json:"parts,omitempty"`
		Links       []jsonLink `json:"links,omitempty"`
		Lang        string     `json:"lang,omitempty"`
		ContentType string     `json:"contentType,omitempty"`
		HTML        []byte     `json:"html,omitempty"` // base64
		CaptureUnix uint64     `json:"captureUnix,omitempty,string"`
	}
)

// NewVectors returns vectors without pages, for a topic and the configuration of the plugin.
func NewVectors(t abi.Topic, config string) *Vectors {
	v := &Vectors{Topic: jsonTopic{Name: t.Name, SeedURLs: t.SeedURLs, Params: t.Params, Lang: t.Lang}, Config: config}
	for _, x := range t.Terms {
		v.Topic.Terms = append(v.Topic.Terms, jsonTerm(x))
	}
	return v
}

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

func partsJSON(parts []abi.Part, links []abi.Link) (p []jsonPart, l []jsonLink) {
	for _, x := range parts {
		p = append(p, jsonPart(x))
	}
	for _, x := range links {
		l = append(l, jsonLink(x))
	}
	return p, l
}

func scoreJSON(r *abi.ScoreRequest) *jsonScore {
	s := &jsonScore{URL: r.URL, Title: r.Title, Lang: r.Lang, Depth: r.Depth, HTTPStatus: r.HTTPStatus, ContentType: r.ContentType,
		ParentScore: r.ParentScore, Truncated: r.Truncated}
	s.Parts, s.Links = partsJSON(r.Parts, r.Links)
	return s
}

func extractJSON(r *abi.ExtractRequest) *jsonExtract {
	e := &jsonExtract{URL: r.URL, Title: r.Title, Lang: r.Lang, ContentType: r.ContentType, HTML: []byte(r.HTML),
		CaptureUnix: r.CaptureUnix}
	e.Parts, e.Links = partsJSON(r.Parts, r.Links)
	return e
}

func readVectors(file string) (*Vectors, error) {
	b, err := infile.Read(file, maxFile)
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
					return fmt.Errorf("%s: page %d, %q: %w; if the answer is right, awarc plugin run --update FILE writes it",
						file, i, p.Name,
						err)
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
		if err == nil {
			return fmt.Errorf("it ends with %s, not %s", k, want)
		}
		return fmt.Errorf("it ends with %s, not %s: %w", k, want, err)
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
	return fmt.Errorf("it has neither a score nor an extraction of this plugin")
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
	for _, want := range w.Triples {
		if !slices.ContainsFunc(r.Triples, func(t abi.Triple) bool { return WantTriple{t.Subject, t.Predicate, t.Object} == want }) {
			return fmt.Errorf("no triple is %+v, of %+v", want, r.Triples)
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
