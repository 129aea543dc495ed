package archive

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// mostWaiting bounds the revisits whose originals are sought in a second reading: 200 MB.
	mostWaiting = 1 << 20
	// mostSighted bounds the records that are remembered as the original of one revisit: arbitrary.
	mostSighted = 64
	// mostSkipped bounds the bytes that are unpacked to get to originals in the midst of compressed members: some minutes of reading.
	mostSkipped = 64 << 30
	// mostHops bounds revisits of revisits.
	mostHops = 8
)

// waiting is a revisit whose original was not found where the revisit says it is, nor before it.
type waiting struct {
	Place
	keys []uint64 // of what it says of its original, the surest first
	when time.Time
	err  error
}

// sighted is a record that may be an original.
type sighted struct {
	Place
	when time.Time
}

// revisit takes a revisit record.
func (a *answers) revisit(rec *record, at Place, block []byte) error {
	if rec.hasBody(block) {
		x := a.answer(at.File, rec, block)
		x.Revisit = false
		return a.hold(x)
	}
	err := errNotThere
	if p, known := a.namedOriginal(rec); known {
		var x *Answer
		if x, err = a.complete(rec, at, block, p); err == nil {
			return a.hold(x)
		}
	}
	if key := digestKey(rec.header["warc-payload-digest"]); key != "" {
		if p, known := a.payloads[maphash.String(a.seed, key)]; known {
			if x, err := a.complete(rec, at, block, p); err == nil {
				return a.hold(x)
			}
		}
	}
	w := &waiting{Place: at, err: err}
	w.when, _ = parseDate(rec.header["warc-date"]) // zero where it cannot be read
	for _, key := range rec.originalKeys() {
		hash := maphash.String(a.seed, key)
		w.keys = append(w.keys, hash)
	}
	if len(a.waiting) >= mostWaiting {
		return a.Each(a.missing(w, rec, block, errors.New("too many revisit records precede their originals")))
	}
	for _, key := range w.keys {
		if _, known := a.wanted[key]; !known {
			a.wanted[key] = nil
		}
	}
	a.waiting = append(a.waiting, w)
	return nil
}

// hasBody reports whether a revisit has all of the answer and not only its head, as some programs write it.
func (r *record) hasBody(block []byte) bool {
	if !r.http.http || !r.http.complete || r.notModified() || r.header["warc-truncated"] != "" {
		return false
	}
	body := block[min(r.http.size, int64(len(block))):]
	return len(bytes.TrimSpace(body)) > 0 && payloadIs(body, r.http.chunked, r.header["warc-payload-digest"])
}

// payloadIs reports whether a body has a digest, with its framing or without it. An unknown digest is taken on trust.
func payloadIs(body []byte, isChunked bool, digest string) bool {
	framed, plain := parseDigest(digest), parseDigest(digest)
	if framed == nil {
		return true
	}
	_, err := entity(newLines(bytes.NewReader(body)), isChunked, framed, plain)
	return err == nil && (framed.matches() || plain.matches())
}

// namedOriginal is where a revisit says that its original is, if that file is there.
func (a *answers) namedOriginal(revisit *record) (Place, bool) {
	p, said := revisit.namedPlace()
	name, known := a.files[p.file]
	return Place{name, p.offset, 0}, said && known
}

// originalKeys are what a revisit says of its original, the surest first.
func (r *record) originalKeys() (keys []string) {
	uri := urlKey(cmp.Or(strings.Trim(r.header["warc-refers-to-target-uri"], "<> "), r.uri()))
	if id := r.refersTo(); id != "" {
		keys = append(keys, "id "+id)
	}
	if date := r.header["warc-refers-to-date"]; date != "" {
		keys = append(keys, "at "+second(date)+" "+uri)
	}
	if key := digestKey(r.header["warc-payload-digest"]); key != "" {
		keys = append(keys, "digest "+key)
	}
	return append(keys, "url "+uri)
}

// ownKeys are by what revisits may refer to a record.
func (r *record) ownKeys() []string {
	keys := []string{"id " + r.id(), "at " + second(r.header["warc-date"]) + " " + urlKey(r.uri()), "url " + urlKey(r.uri())}
	if key := digestKey(r.header["warc-payload-digest"]); key != "" {
		keys = append(keys, "digest "+key)
	}
	return keys
}

// escapeText matches an escape, and what one program escapes and another does not.
var escapeText = regexp.MustCompile(`%[0-9a-fA-F]{2}|[^!-~]`)

// urlKey is a URL as all programs would write it: with escapes in one case, and without a default port or fragment.
func urlKey(uri string) string {
	uri, _, _ = strings.Cut(uri, "#")
	uri = escapeText.ReplaceAllStringFunc(uri, func(text string) string {
		if text[0] == '%' {
			return strings.ToUpper(text)
		}
		return strings.ToUpper(url.PathEscape(text))
	})
	u, err := url.Parse(uri)
	if err != nil {
		return uri
	}
	u.Host = strings.ToLower(u.Host)
	if port := u.Port(); port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	if u.Path == "" && u.Opaque == "" {
		u.Path = "/"
	}
	return u.String()
}

// resolveWaiting reads all files again for the originals of the revisits that wait, and then the revisits.
func (a *answers) resolveWaiting() error {
	if len(a.waiting) == 0 {
		return nil
	}
	for _, name := range slices.Concat(a.Files, a.Elsewhere) {
		if err := a.sight(name); err != nil {
			return err
		}
	}
	for _, w := range a.waiting {
		rec, block, err := a.readAt(w.Place)
		if err != nil { // it was read a moment ago
			a.Bad(&BadRecord{File: w.File, Offset: w.Offset, Reason: reason(err), err: err})
			continue
		}
		if err := a.Each(a.resolve(w, rec, block)); err != nil {
			return err
		}
	}
	return nil
}

// sight remembers the records of a file that waiting revisits may refer to.
func (a *answers) sight(name string) error {
	f, err := a.shelf.open(name)
	if err != nil {
		if !a.own[name] {
			a.Bad(&BadRecord{File: name, Reason: err.Error(), err: err})
		}
		return nil
	}
	defer func() { _ = f.Close() }()
	if kindOf(f, f.size) != "" {
		return nil
	}
	_, err = newScanner(name, f, 0, f.size).walk(false, func(rec *record) error {
		if !rec.holdsContent() || rec.typ() == "continuation" || rec.notModified() {
			return nil
		}
		when, _ := parseDate(rec.header["warc-date"]) // zero where it cannot be read
		for _, key := range rec.ownKeys() {
			hash := maphash.String(a.seed, key)
			if all, wanted := a.wanted[hash]; wanted && len(all) < mostSighted {
				a.wanted[hash] = append(all, sighted{Place{name, rec.offset, rec.skip}, when})
			}
		}
		return nil
	}, func(*BadRecord) {})
	return err
}

// resolve makes an answer of a revisit that waited.
func (a *answers) resolve(w *waiting, rec *record, block []byte) *Answer {
	err := w.err
	for i, key := range w.keys {
		last := i == len(w.keys)-1
		for _, candidate := range a.nearest(a.wanted[key], w, last) {
			if candidate == w.Place {
				continue
			}
			x, cerr := a.complete(rec, w.Place, block, candidate)
			if cerr == nil {
				return x
			}
			err = cerr
		}
	}
	return a.missing(w, rec, block, err)
}

// nearest sorts records that may be an original: of those that have no more than the URL in common with the revisit, the last before it is
// likeliest.
func (a *answers) nearest(all []sighted, w *waiting, byURL bool) (places []Place) {
	all = slices.Clone(all)
	if byURL {
		slices.SortStableFunc(all, func(x, y sighted) int {
			if xAfter, yAfter := x.when.After(w.when), y.when.After(w.when); xAfter != yAfter {
				return cmp.Compare(strconv.FormatBool(xAfter), strconv.FormatBool(yAfter))
			}
			return cmp.Compare(x.when.Sub(w.when).Abs(), y.when.Sub(w.when).Abs())
		})
	}
	for _, s := range all {
		places = append(places, s.Place)
	}
	return places
}

// missing is the answer of a revisit whose original is not there.
func (a *answers) missing(w *waiting, rec *record, block []byte, err error) *Answer {
	x := a.answer(w.File, rec, block)
	x.Truncated = "" // says that the body is elsewhere
	x.Block, x.HTTP = append([]byte{}, block...), rec.http.http && rec.http.complete
	p, said := rec.namedPlace()
	name, known := a.files[p.file]
	switch {
	case !errors.Is(err, errNotThere):
	case said:
		err = fmt.Errorf("its body is in %s, of another archive: name that with --previous", p.file)
	default:
		err = fmt.Errorf("its body is in another archive (%s of %s): name that with --previous",
			cmp.Or(strings.Trim(rec.header["warc-refers-to-target-uri"], "<> "), rec.uri()),
			cmp.Or(rec.header["warc-refers-to-date"], "an unknown time"))
	}
	x.Body.Elsewhere, x.Body.Missing = !said || !known || !a.own[name], err
	return x
}

// complete makes an answer of a revisit and the record at a place, if that is its original.
func (a *answers) complete(revisit *record, at Place, block []byte, from Place) (*Answer, error) {
	original, body, err := a.original(revisit, from)
	if err != nil {
		return nil, err
	}
	x := a.answer(at.File, revisit, block)
	x.Truncated = "" // says that the body is elsewhere
	x.Body.Place, x.Body.Elsewhere, x.Body.Original = from, !a.own[from.File], original.id()
	if body == nil || revisit.declared > a.Most {
		x.Block = nil
		return x, nil
	}
	message, isHTTP := original.message(body)
	head, err := readHTTPHead(newLines(bytes.NewReader(message)))
	if err != nil {
		return nil, err
	}
	switch {
	case revisit.notModified():
		x.Body.NotModified = true
		x.Body.Since, _ = parseDate(original.header["warc-date"]) // zero where it cannot be read
		x.Block, x.HTTP = message, isHTTP
	case !revisit.http.http || !revisit.http.complete || !sameCoding(revisit.http, head):
		x.Block, x.HTTP = message, isHTTP // the revisit has no head, or not that of this body
	default:
		x.Block, x.HTTP = append(block[:min(revisit.http.size, int64(len(block)))], message[min(head.size, int64(len(message))):]...), true
	}
	return x, nil
}

// sameCoding reports whether a body that came with one head can be read by the other.
func sameCoding(a, b httpHead) bool {
	return a.chunked == b.chunked && strings.EqualFold(a.fields.Get("Content-Encoding"), b.fields.Get("Content-Encoding"))
}

// original reads the record that a revisit refers to; its block is nil if it is longer than a.Most.
func (a *answers) original(revisit *record, p Place) (*record, []byte, error) {
	for range mostHops {
		if a.skipped += p.Skip; a.skipped > mostSkipped {
			return nil, nil, fmt.Errorf("its original is in %s, which is compressed as a whole: unpack the file", filepath.Base(p.File))
		}
		rec, block, err := a.readAt(p)
		if err != nil {
			return nil, nil, err
		}
		if rec.typ() == "revisit" && rec.uri() != "" {
			next, known := a.namedOriginal(rec)
			if !known {
				if next, known = a.sightedOriginal(rec, p); !known {
					return nil, nil, errNotThere
				}
			}
			p = next
			continue
		}
		if !rec.holdsContent() || rec.typ() == "continuation" {
			return nil, nil, notOriginal(p, revisit)
		}
		if block != nil && !rec.hasPayload(block, revisit.header["warc-payload-digest"]) {
			return nil, nil, notOriginal(p, revisit)
		}
		return rec, block, nil
	}
	return nil, nil, errors.New("revisits refer to each other")
}

var errNotThere = errors.New("its original is missing")

func notOriginal(p Place, revisit *record) error {
	return fmt.Errorf("the record at byte %d of %s is not the original of %s: it has another payload", p.Offset, p.File, revisit.id())
}

// sightedOriginal finds the original of a revisit to which another refers.
func (a *answers) sightedOriginal(rec *record, at Place) (Place, bool) {
	for _, key := range rec.originalKeys() {
		for _, s := range a.wanted[maphash.String(a.seed, key)] {
			if s.Place != at {
				return s.Place, true
			}
		}
	}
	return Place{}, false
}

// hasPayload reports whether a record has the payload of a digest: by what it says of it, or else by its bytes.
func (r *record) hasPayload(block []byte, digest string) bool {
	switch {
	case digest == "" || sameDigest(r.header["warc-payload-digest"], digest):
		return true
	case r.holdsFile() || !r.http.complete:
		return payloadIs(block, false, digest)
	}
	return payloadIs(block[min(r.http.size, int64(len(block))):], r.http.chunked, digest)
}
