package archive

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Answer is what a server answered, as an archive holds it: a response record, a revisit record with the body of its original, or the
// content of a URL in a resource or conversion record.
type Answer struct {
	File           string // as it was named to Answers
	Offset, Length int64  // of the record's member, in bytes
	Kind           string // the record's WARC-Type
	ID             string // of the record, without brackets
	URL            string
	Time           time.Time
	IP             string
	PayloadDigest  string
	Truncated      string // the reason, as WARC-Truncated has it; "" for none
	Revisit        bool
	HTTP           bool   // Block is a message of HTTP; the head of what was archived without one is made
	Block          []byte // HTTP head and body; nil if longer than Reading.Most
	// Rendered is the document as the page's scripts left it, from a record of awarc behind the answer;
	// nil if there is none. It stays nil for a revisit that precedes its original.
	Rendered []byte
	// Method is that of the request, if it was not GET and its record follows. Such an answer is
	// not the page of the URL.
	Method string

	Body RevisitBody // of a revisit
}

// RevisitBody says what a revisit record has in place of a body.
type RevisitBody struct {
	// NotModified says that the server said so: Block is all of the original.
	NotModified bool
	Original    string // the id of the record that has the body
	// Since is when Block came, if not when the revisit did.
	Since time.Time
	// Elsewhere: the original is not in the files. Place is where it is, there or in other archives, and Missing why they
	// lack it too.
	Elsewhere bool
	Place     Place
	Missing   error
}

// Reading says which WARC files Answers reads, and who gets what is in them.
type Reading struct {
	Files     []string
	Elsewhere []string // files of other archives, to which revisits may refer
	Most      int64    // bytes of the longest block that is read
	// Each is called for the answers. Each is given to one call, which may keep it. An error ends the reading.
	Each func(*Answer) error
	// Bad gets what cannot be read, and, with Read set, what is damaged and was read all the same; Unusual records that deviate from
	// the standard. Other gets the type of each record that is not an answer. All but Bad may be nil.
	Bad     func(*BadRecord)
	Unusual func(*BadRecord)
	Other   func(kind string)
}

// answers reads files one after the other.
type answers struct {
	Reading
	shelf shelf
	files map[string]string // by their last elements, also those of other archives
	own   map[string]bool   // of files, those that are read
	seed  maphash.Seed
	seen  map[uint64]struct{} // ids of answers

	payloads map[uint64]Place     // of answers that were read, by their digests
	waiting  []*waiting           // revisits whose originals were not found yet
	wanted   map[uint64][]sighted // what was seen of what they say of them
	byAwarc  bool                 // it made the file that is read
	skipped  int64                // bytes of unpacked members that were read to get to a record in the midst of one

	held *Answer // the last one, until it is known whether a rendered document follows it

	segmented []Place // the first segments of answers
	segments  map[uint64][]segmentAt
	origins   map[uint64]bool
}

// mostSeen bounds the ids that are remembered to find two records with one: 16 MB.
const mostSeen = 1 << 20

// Answers reads WARC files, of awarc or of others, from their first record to their last, and calls Each for the answers in them. Revisits
// whose originals come later, or are found only by what they say of them, and answers in segments come after all others. Reading goes on
// after what is damaged, and after files that cannot be opened. It ends with an error of Each, or of reading a file.
func Answers(o Reading) error {
	a := newAnswers(o)
	defer a.shelf.close()
	for _, name := range o.Files {
		if err := a.read(name); err != nil {
			return err
		}
	}
	if err := a.joinSegments(); err != nil {
		return err
	}
	return a.resolveWaiting()
}

func newAnswers(o Reading) *answers {
	if o.Unusual == nil {
		o.Unusual = func(*BadRecord) {}
	}
	if o.Other == nil {
		o.Other = func(string) {}
	}
	a := &answers{Reading: o, files: map[string]string{}, own: map[string]bool{}, seed: maphash.MakeSeed(), seen: map[uint64]struct{}{},
		payloads: map[uint64]Place{}, wanted: map[uint64][]sighted{}, segments: map[uint64][]segmentAt{}, origins: map[uint64]bool{}}
	for _, name := range slices.Concat(o.Elsewhere, o.Files) {
		a.files[filepath.Base(name)] = name
	}
	for _, name := range o.Files {
		a.own[name] = true
	}
	return a
}

func (a *answers) read(name string) error {
	f, err := a.shelf.open(name)
	if err != nil { // the other files are read
		a.Bad(&BadRecord{File: name, Reason: err.Error(), err: err})
		return nil
	}
	defer func() { _ = f.Close() }()
	if f.wrong != nil {
		a.Bad(&BadRecord{File: name, Reason: f.wrong.Error(), Read: true, err: f.wrong})
	}
	if kind := kindOf(f, f.size); kind != "" {
		a.Bad(&BadRecord{File: name, Reason: kind})
		return nil
	}
	s := newScanner(name, f, 0, f.size)
	var block bytes.Buffer
	s.keep = func(rec *record, length int64) io.Writer {
		block.Reset()
		if !rec.holdsContent() && rec.typ() != "warcinfo" || length > a.Most {
			return nil
		}
		return &block
	}
	read := 0
	a.byAwarc = false
	first, err := s.walk(true, func(rec *record) error {
		read++
		return a.record(name, rec, block.Bytes())
	}, a.Bad)
	if err == nil && first == nil && read == 0 {
		a.Bad(&BadRecord{File: name, Reason: errNoRecord.Error()})
	}
	if err == nil {
		err = a.release()
	}
	return err
}

// hold calls Each with an answer after the records about it were read.
func (a *answers) hold(x *Answer) error {
	err := a.release()
	a.held = x
	return err
}

// release calls Each with the held answer.
func (a *answers) release() error {
	x := a.held
	a.held = nil
	if x == nil {
		return nil
	}
	return a.Each(x)
}

// bareContent readies a response of another program whose block is not a message of HTTP to be read as the content of its URL, whatever
// type that has. Awarc archives answers that are not HTTP so, which are not read.
func (a *answers) bareContent(rec *record) {
	contentType, _, _ := strings.Cut(strings.ToLower(rec.header["content-type"]), ";")
	if rec.typ() == "response" && !a.byAwarc && !rec.http.http && contentType == "application/octet-stream" {
		delete(rec.header, "content-type")
	}
}

// holdsContent reports whether the block of a record is, or stands for, the content of its URL.
func (r *record) holdsContent() bool {
	switch r.typ() {
	case "response", "revisit", "resource", "conversion", "continuation", "":
		return true
	}
	return false
}

// record takes a record that was read. block is of the scanner.
func (a *answers) record(name string, rec *record, block []byte) error {
	if rec.wrong != nil {
		bad := rec.bad(name, rec.wrong)
		bad.Read = true
		a.Bad(bad)
	}
	for _, n := range rec.notes {
		a.Unusual(rec.unusual(name, n))
	}
	if rec.typ() == "warcinfo" {
		a.byAwarc = bytes.Contains(block, []byte("software: awarc"))
	}
	a.beside(rec, block)
	switch why, ok := a.isAnswer(rec); {
	case !ok:
		return nil
	case why != "":
		a.Bad(rec.bad(name, errors.New(why+": "+string(OddUnread))))
		return nil
	}
	a.bareContent(rec)
	at := Place{name, rec.offset, rec.skip}
	switch rec.typ() {
	case "continuation":
		a.continues(rec, at)
		return nil
	case "revisit":
		return a.revisit(rec, at, slices.Clone(block))
	}
	if rec.header["warc-segment-number"] != "" {
		a.origins[maphash.String(a.seed, rec.id())] = true
		a.segmented = append(a.segmented, at)
		return nil
	}
	if key := digestKey(rec.header["warc-payload-digest"]); key != "" && len(a.payloads) < mostSeen {
		if hash := maphash.String(a.seed, key); a.payloads[hash].File == "" {
			a.payloads[hash] = at
		}
	}
	return a.hold(a.answer(name, rec, block))
}

// beside adds to the held answer what a record behind it says of it.
func (a *answers) beside(rec *record, block []byte) {
	switch {
	case a.held == nil:
	case rec.isRendered(a.held.ID) && rec.declared <= a.Most:
		a.held.Rendered = slices.Clone(block)
	case rec.typ() == "request" && rec.concurrentTo() == a.held.ID:
		a.held.Method = sentIn([]byte(rec.http.line)).method
	}
}

// DOMScheme begins the URI of the resource record of a rendered document; the page's URL follows it.
const DOMScheme = "urn:dom:"

// isRendered reports whether a record is the rendered document of the response with an id.
func (r *record) isRendered(id string) bool {
	return r.typ() == "resource" && strings.HasPrefix(r.uri(), DOMScheme) && r.concurrentTo() == id
}

// otherTypes are the types of records that hold no content of a URL.
var otherTypes = []string{"warcinfo", "request", "metadata"}

// isAnswer reports whether a record is an answer, and if it should be and cannot be, why.
func (a *answers) isAnswer(rec *record) (why string, ok bool) {
	typ := rec.typ()
	if slices.Contains(otherTypes, typ) {
		a.Other(typ)
		return "", false
	}
	scheme := scheme(rec.uri())
	if why = rec.unread(); why == "" && scheme != "" && !slices.Contains(pageSchemes, scheme) {
		a.Other(typ + " of " + scheme + ":")
		return "", false
	}
	return why, true
}

// unread says why the content of a record cannot be read, although nothing is damaged; "" where it can, and for records without content.
func (r *record) unread() string {
	typ, uri := r.typ(), r.uri()
	switch {
	case slices.Contains(otherTypes, typ) || typ == "continuation" && uri == "":
		return ""
	case !r.holdsContent():
		return fmt.Sprintf("a record of the unknown type %.40q", typ)
	case uri == "":
		return "no warc-target-uri"
	case scheme(uri) == "":
		return fmt.Sprintf("warc-target-uri %.80q is not a URL", uri)
	case typ == "response" && r.http.http && r.http.code == 0:
		return fmt.Sprintf("no status in the status line %.60q", r.http.line)
	}
	return ""
}

// scheme is that of a URL, in lower case; "" where there is none.
func scheme(uri string) string {
	name, _, found := strings.Cut(uri, ":")
	if !found || strings.ContainsAny(name, "/?#. ") {
		return ""
	}
	return strings.ToLower(name)
}

// pageSchemes are those of URLs whose content is read. Resources of others are thumbnails, texts, DNS answers and the like.
var pageSchemes = []string{"http", "https", "ftp", "file"}

// answer makes an answer of a record.
func (a *answers) answer(file string, rec *record, block []byte) *Answer {
	when, _ := parseDate(rec.header["warc-date"]) // zero where it cannot be read, which the scanner noted
	x := &Answer{File: file, Offset: rec.offset, Length: rec.length, ID: rec.id(), URL: rec.url(), Time: when, Kind: rec.typ(),
		IP: rec.header["warc-ip-address"], PayloadDigest: rec.header["warc-payload-digest"], Truncated: rec.header["warc-truncated"],
		Revisit: rec.typ() == "revisit"}
	key := maphash.String(a.seed, x.ID)
	if _, known := a.seen[key]; known || x.ID == "" {
		if known {
			a.Unusual(rec.unusual(file, note{OddDuplicate, "all of them are read"}))
		}
		x.ID = NameID(fmt.Sprint(x.ID, " ", filepath.Base(file), " ", rec.offset, " ", rec.skip))
	} else if len(a.seen) < mostSeen {
		a.seen[key] = struct{}{}
	}
	if rec.declared <= a.Most {
		x.Block, x.HTTP = rec.message(block)
	}
	return x
}

// message gives the block of a record as a message of HTTP; false where it is none and is not said to be one. What was archived without a
// head gets one.
func (r *record) message(block []byte) ([]byte, bool) {
	typ, h := r.typ(), &r.http
	contentType, _, _ := strings.Cut(strings.ToLower(r.header["content-type"]), ";")
	switch {
	case h.http && h.complete:
		return slices.Clone(block), true
	case typ == "resource" || typ == "conversion":
		return withHead(block, r.header["content-type"]), true
	case h.otherStatus() != "":
		_, rest := nextLine(block)
		return slices.Concat([]byte("HTTP/1.1 "+h.otherStatus()+"\r\n"), rest), true
	case h.http:
		// The head has no empty line. Where markup begins, it is over.
		head := block[:min(h.size, int64(len(block)))]
		at := bytes.Index(head, []byte("\n<"))
		if at < 0 {
			at = len(head) - 1
		}
		return slices.Concat(head[:at+1], []byte("\r\n\r\n"), block[at+1:]), true
	case h.complete && len(h.fields) > 0 && strings.Contains(h.line, ":"):
		return slices.Concat([]byte("HTTP/1.1 200 OK\r\n"), block), true
	case contentType == "application/octet-stream":
		return slices.Clone(block), false // as awarc writes what is not HTTP
	case strings.HasPrefix(contentType, "application/http"):
		contentType = r.header["warc-identified-payload-type"]
	default:
		contentType = r.header["content-type"]
	}
	return withHead(block, contentType), true
}

// withHead puts a head before a body.
func withHead(body []byte, contentType string) []byte {
	head := "HTTP/1.1 200 OK\r\n"
	if contentType != "" {
		head += "Content-Type: " + oneLine(contentType) + "\r\n"
	}
	return slices.Concat([]byte(head+"\r\n"), body)
}

// url is the URL of an answer; that of a file always has the slashes of an authority.
func (r *record) url() string {
	uri := r.uri()
	if path, ok := strings.CutPrefix(uri, "file:/"); ok && !strings.HasPrefix(path, "/") {
		return "file:///" + path
	}
	return uri
}

// AnswerAt reads the answer whose record is at an offset of a WARC file, also of one that is being written; others are the files to which
// it may refer. The error says what is there instead.
func AnswerAt(name string, offset int64, others []string, most int64) (*Answer, error) {
	var answer *Answer
	var bad error
	a := newAnswers(Reading{Files: []string{name}, Most: most, Bad: func(b *BadRecord) { bad = b },
		Each: func(x *Answer) error {
			answer = x
			return nil
		}})
	defer a.shelf.close()
	for _, other := range others {
		a.files[strings.TrimSuffix(filepath.Base(other), openSuffix)], a.own[other] = other, true
	}
	a.byAwarc = true
	rec, block, err := a.readAt(Place{name, offset, 0})
	if err == nil {
		err = errors.Join(a.record(name, rec, block), a.release())
	}
	if err == nil && len(a.waiting) > 0 {
		err = a.Each(a.missing(a.waiting[0], rec, block, a.waiting[0].err))
	}
	switch {
	case err != nil:
		return nil, err
	case answer == nil && bad != nil:
		return nil, bad
	case answer == nil:
		return nil, fmt.Errorf("%s: the record at byte %d is a %s, not a response", name, offset, rec.typ())
	}
	f, err := a.shelf.open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	answer.Rendered, _ = renderedBehind(newScanner(name, f, offset, f.size), most) // damage behind the answer is another matter
	return answer, nil
}

// readAt reads the record at a place, with its block if that has at most Most bytes; else the block is nil.
func (a *answers) readAt(p Place) (*record, []byte, error) {
	f, err := a.shelf.open(p.File)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	s := newScanner(p.File, f, p.Offset, f.size)
	var block *bytes.Buffer
	s.keep = func(_ *record, length int64) io.Writer {
		if block = nil; length > a.Most {
			return nil
		}
		block = bytes.NewBuffer([]byte{})
		return block
	}
	rec, err := s.at(p)
	if err == io.EOF {
		err = &BadRecord{File: p.File, Offset: p.Offset, Reason: reason(err), err: err}
	}
	if err != nil || block == nil {
		return rec, nil, err
	}
	return rec, block.Bytes(), nil
}
