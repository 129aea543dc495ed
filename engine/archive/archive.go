package archive

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"regexp"
	"strings"
	"time"
)

const (
	// DefaultMaxSize is the size in bytes that a WARC file does not exceed when Options.MaxSize is zero: 1 GiB,
	// what WARC/1.1, annex C, recommends.
	DefaultMaxSize = 1 << 30

	archiveFolder = "archive"
	graphFolder   = "graph"
	workFolder    = ".awarc" // below archive: index parts and temporary files
	indexName     = "index.cdxj"
	warcSuffix    = ".warc.gz"
	graphSuffix   = ".nq.gz"
	openSuffix    = ".open"
)

// ErrDiskFull is in the chain of an error that comes from a full disk or quota, or from Options.MinSpace.
// What was written before stays whole; a crawl that sees it should stop.
var ErrDiskFull = errors.New("disk full")

// ErrClosed is returned by Write, Sync and Index after Close.
var ErrClosed = errors.New("archive: closed")

// Options of Open. The zero value is useful.
type Options struct {
	// Prefix starts every file name: PREFIX-20261121093000-00001.warc.gz. Letters, digits, '.', '_' and '-';
	// "awarc" when empty.
	Prefix string
	// MaxSize is the size in bytes that a WARC file must not exceed; 0 means DefaultMaxSize. A capture that is larger
	// by itself gets a file of its own.
	MaxSize int64
	// MinSpace is the number of bytes that must stay free on the disk; a write that would go below fails
	// with ErrDiskFull.
	MinSpace int64
	// Info is the content of the warcinfo record that starts each file: software, operator, robots, isPartOf,
	// hostname and so on (WARC/1.1, section 6.2). format and conformsTo are added when absent.
	Info map[string]string
	// NoRevisits archives a payload each time that it comes; otherwise exact copies of what is on disk become revisit records.
	NoRevisits bool
	// Earlier are folders of crawls that ended, the last one first: what they archived is referred to and not archived again. Earlier
	// crawls to which these refer come behind them.
	Earlier []string
	// Dedupe are indexes of other archives (CDXJ, also compressed), or folders with one: likewise.
	Dedupe []string
	// Now is the clock that names files and dates warcinfo records; time.Now when nil.
	Now func() time.Time
}

// namePattern is what a file name prefix may look like.
const namePattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`

// withDefaults fills what is zero and complains about everything that is wrong at once.
// Check says what Open would refuse of the options.
func (o Options) Check() error {
	_, err := o.withDefaults()
	return err
}

func (o Options) withDefaults() (Options, error) {
	if o.Prefix == "" {
		o.Prefix = "awarc"
	}
	if o.MaxSize == 0 {
		o.MaxSize = DefaultMaxSize
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	var errs []error
	if !regexp.MustCompile(namePattern).MatchString(o.Prefix) {
		errs = append(errs, fmt.Errorf("archive: prefix %q: want up to 100 letters, digits, '.', '_' or '-', the first a letter or digit",
			o.Prefix))
	}
	if o.MaxSize < 0 {
		errs = append(errs, fmt.Errorf("archive: greatest file size %d is negative", o.MaxSize))
	}
	if o.MinSpace < 0 {
		errs = append(errs, fmt.Errorf("archive: space to keep free %d is negative", o.MinSpace))
	}
	info := map[string]string{
		"format":     "WARC File Format 1.1",
		"conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
	}
	maps.Copy(info, o.Info)
	for name := range info {
		if !fieldName(name) {
			errs = append(errs, fmt.Errorf("archive: warcinfo field name %q: want letters, digits and '-'", name))
		}
	}
	o.Info = info
	return o, errors.Join(errs...)
}

// Field is one line of a metadata record: a name of letters, digits and '-', and a value in which line breaks and
// control characters become spaces.
type Field struct {
	Name, Value string
}

// Capture is one HTTP exchange with what was learned from it.
type Capture struct {
	// ID is the WARC-Record-ID of the response record and the name of the capture's graph, without angle brackets:
	// urn:uuid:... See NewID.
	ID string
	// URL is the requested address, without spaces and control characters.
	URL string
	// Time is when the exchange started; kept to the microsecond.
	Time time.Time
	// IP is the address of the server; may be empty.
	IP string
	// Connection are further WARC fields of response and request, such as WARC-Protocol.
	Connection []Field
	// Request holds the bytes that were sent.
	Request []byte
	// Response and Size give the bytes that came back, HTTP head included. They are read in pieces, more than once,
	// and not after Write returns.
	Response io.ReaderAt
	Size     int64
	// PayloadDigest is of the entity without transfer coding, content coding left on, BlockDigest of all of Response:
	// "sha256:" and base16. An empty one is computed.
	PayloadDigest, BlockDigest string
	// Truncated says why Response is not complete: length, time, disconnect or unspecified; empty when it is.
	Truncated string
	// MIME becomes WARC-Identified-Payload-Type; left out when it is not of the form type/subtype.
	MIME string
	// Status is the HTTP status, for error messages only: the index takes it from Response.
	Status int
	// Unmodified is what Response, which has no body, says is still so; nil for other answers. The record becomes a revisit of it.
	Unmodified *Earlier
	// Reread says that the answer will be read again by Writer.Response, so that its body must be at hand.
	Reread bool
	// Resources become resource records of the capture, such as the text of a page.
	Resources []Resource
	// Metadata is the content of the metadata record. The record is written even when there is none: it ends the group.
	Metadata []Field
	// Quads are the N-Quads of the capture, complete lines. They become one gzip member of the graph segment.
	Quads []byte
	// Locate, when set, gives further N-Quads that say where the response record is. It is called while the writer is
	// locked and must be quick.
	Locate func(Location) []byte
}

// Location is where a response record is, or the revisit record in its stead.
type Location struct {
	// File is the name of the WARC file in archive/. While the file is being written it has ".open" after that name.
	File string
	// Offset and Length are in bytes of the compressed file: the gzip member of the record.
	Offset, Length int64
	// RecordID is the WARC-Record-ID, without angle brackets.
	RecordID string
	// RefersTo is the id of the response record that has the payload, or its URL where the id is not known, where the record is a revisit
	// of it. Elsewhere says that it is in another archive.
	RefersTo  string
	Elsewhere bool
	// BodyFile and BodyOffset are the place of the record that RefersTo names; "" where it is not known.
	BodyFile   string
	BodyOffset int64
	// Unread says why a record in another archive that should have the payload was not referred to; nil for nothing.
	Unread error
}

// NewID returns a new record id: urn:uuid: and a random UUID (RFC 9562, version 4).
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, says its documentation
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// NameID returns an id of the form of NewID for a record that has another, the same each time.
func NameID(id string) string {
	b := sha256.Sum256([]byte(id))
	b[6] = b[6]&0x0f | 0x80 // RFC 9562, version 8
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// check complains about a capture that would make a malformed record.
func (c *Capture) check() error {
	switch {
	case !strings.HasPrefix(c.ID, "urn:uuid:") || strings.ContainsFunc(c.ID, notURI):
		return fmt.Errorf("archive: capture of %q: id %q is not a urn:uuid", c.URL, c.ID)
	case !strings.Contains(c.URL, ":") || strings.ContainsFunc(c.URL, notURI):
		return fmt.Errorf("archive: %q cannot be a WARC-Target-URI: want an absolute URL without spaces and control characters", c.URL)
	case len(c.URL) > maxHead/2:
		return fmt.Errorf("archive: URL of %d bytes is too long for a record", len(c.URL))
	case len(c.Request) == 0 || c.Response == nil || c.Size <= 0:
		return fmt.Errorf("archive: capture of %s: needs the bytes of the request and of the response", c.URL)
	}
	switch c.Truncated {
	case "", "length", "time", "disconnect", "unspecified":
	default:
		return fmt.Errorf("archive: capture of %s: truncated %q: want length, time, disconnect or unspecified", c.URL, c.Truncated)
	}
	for _, f := range c.Metadata {
		if !fieldName(f.Name) {
			return fmt.Errorf("archive: capture of %s: metadata field name %q: want letters, digits and '-'", c.URL, f.Name)
		}
	}
	if c.IP == "" {
		return nil
	}
	addr, err := netip.ParseAddr(c.IP)
	if err != nil {
		return fmt.Errorf("archive: capture of %s: %w", c.URL, err)
	}
	c.IP = addr.WithZone("").String()
	return nil
}

func notURI(r rune) bool {
	return r <= ' ' || r == 0x7f || r == '<' || r == '>' || r == '\uFFFD'
}

func fieldName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return s != ""
}

// oneLine makes any string fit for a line of application/warc-fields.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimSpace(s)
}
