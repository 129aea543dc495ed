package fetch

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"

	"github.com/awarc/awarc/engine/httpmsg"
)

// The values of Exchange.Truncated, as WARC-Truncated has them.
const (
	TruncatedLength     = "length"     // longer than Options.MaxBody
	TruncatedTime       = "time"       // longer than Options.Timeout or Options.HeaderTimeout, or slower than Options.SpeedLimit
	TruncatedDisconnect = "disconnect" // the connection ended early, or the framing was broken and it was hung up
)

// MaxPage is the size in bytes, decoded, up to which [Exchange.HTML] reads a page.
const MaxPage = 64 << 20

// Exchange is one request and the answer to it.
type Exchange struct {
	// URL is the requested URL, as given to Do.
	URL string
	// Request is the request as an origin server gets it, but for an Authorization field of Options.Logins or of the URL, and a Secret.
	Request []byte
	Identity
	// Response is the block: the wire bytes of the answer, Size bytes from offset 0. It is readable
	// until Close, by several goroutines at once.
	Response io.ReaderAt
	Size     int64
	// HeaderSize is where the body begins in Response: status line, fields and empty line. It is 0
	// when no complete header came.
	HeaderSize int64
	// Start is when the request was sent; Duration is the time from there to the last byte.
	Start    time.Time
	Duration time.Duration
	// IP is the address of the server, "" when a proxy was used.
	IP string
	// Status is the status code, 0 when no complete header came.
	Status int
	// Header has the fields of the answer, never nil.
	Header http.Header
	// Truncated is "" or why Response is incomplete: one of the constants.
	Truncated string
	// TooSlow is set where Truncated is TruncatedTime because of Options.SpeedLimit.
	TooSlow bool
	// PayloadDigest is of the entity: the body without chunked framing, with Content-Encoding. When
	// there is no complete header it is the same as BlockDigest. The form is "sha256:" and
	// base16 in lower case.
	PayloadDigest string
	// BlockDigest is of Response.
	BlockDigest string
	// Protocol is "h2" where the server speaks HTTP/2 only: then Request and Response are the messages in the form of
	// HTTP/1.1, with fields in another order. Otherwise it is "".
	Protocol string
	Secured

	spool   *spool
	framing httpmsg.Framing
	length  int64
}

// Identity says as whom an exchange was made. It is zero for anybody.
type Identity struct {
	// Authorization is the scheme of that field, or where the secret was, "" where none was sent.
	Authorization string
	// CookiesHidden is set where a Cookie field was sent and is not in Request, or Response has other values of cookies than were sent.
	CookiesHidden bool
	// LoggedOut says why the answer is one for strangers to the site, where the caller of Do fetches as a member and finds that out.
	LoggedOut string
}

// Secured says how an https exchange was secured; it is zero for http.
type Secured struct {
	// TLS is the version, such as "tls/1.3", and CipherSuite the cipher suite as IANA names it.
	TLS, CipherSuite string
	// CertificateError says what is wrong with the certificate of the server that was
	// accepted all the same; "" means that it verified.
	CertificateError string
}

// Close gives back what the exchange occupies on disk. Closing twice is harmless.
func (e *Exchange) Close() error { return e.spool.Close() }

// Redirect returns the target of a redirect (300, 301, 302, 303, 307, 308) as the server wrote it, to be
// resolved against URL; "" when the answer is not a redirect. Bytes that are not ASCII are %-encoded as they
// are, in any charset, as browsers do.
func (e *Exchange) Redirect() string {
	switch e.Status {
	case http.StatusMultipleChoices, http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return escapeHigh(strings.TrimSpace(e.Header.Get("Location")))
	}
	return ""
}

func escapeHigh(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func (e *Exchange) setBlock(start, size int64) {
	e.Response, e.Size = io.NewSectionReader(e.spool, start, size), size
}

func (e *Exchange) digestBlock() error {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(e.Response, 0, e.Size)); err != nil {
		return &opError{"spool", KindSpool, err}
	}
	e.BlockDigest = digestText(h)
	return nil
}

// Entity returns a reader of the body without chunked framing, Content-Encoding left as it is.
// It ends in an error other than io.EOF where the answer was truncated.
func (e *Exchange) Entity() io.Reader {
	body := io.NewSectionReader(e.Response, e.HeaderSize, e.Size-e.HeaderSize)
	if e.Status == 0 {
		return body
	}
	if e.framing == httpmsg.Whole || e.framing == httpmsg.MaybeChunks {
		return httpmsg.Archived(body, body.Size(), e.framing)
	}
	return httpmsg.Entity(bufio.NewReader(body), e.framing, e.length)
}

// Body returns the first max bytes of the body, framing and Content-Encoding (gzip, deflate, br, zstd)
// undone; a max that is not positive means MaxPage. Of a body that is truncated or whose compressed data
// breaks off it returns what could be decoded. It is an *Error when nothing could be, when the
// coding is another one, or when the spool cannot be read (KindSpool).
func (e *Exchange) Body(max int64) ([]byte, error) {
	data, _, err := e.body(max, e.decoded)
	return data, err
}

// body is Body with a way to open it, and reports whether compressed data breaks off though the answer is whole.
func (e *Exchange) body(max int64, open func() (io.Reader, error)) (data []byte, cut bool, err error) {
	if max <= 0 {
		max = MaxPage
	}
	decoders <- struct{}{}
	defer func() { <-decoders }()
	r, err := open()
	if err != nil {
		return nil, false, &Error{Op: "decode", URL: e.URL, Kind: KindProtocol, Err: err}
	}
	data, err = io.ReadAll(io.LimitReader(r, min(max, longBody)))
	if len(data) == longBody {
		data, err = longBodyOf(r, max, open)
	}
	var disk *fs.PathError
	switch {
	case errors.As(err, &disk):
		return nil, false, &Error{Op: "spool", URL: e.URL, Kind: KindSpool, Err: err}
	case err != nil && len(data) == 0 && e.Truncated == "":
		return nil, false, &Error{Op: "decode", URL: e.URL, Kind: KindProtocol, Err: err}
	}
	return data, err != nil && e.Truncated == "", nil
}

// decoders holds a token for each body that is being decoded: how much memory that takes, up to 16 MiB and that for each layer of
// coding, a server says. Crawls of one process share them.
var decoders = make(chan struct{}, 4)

// longBody is the size in bytes from which on a body is measured before there is room made
// for it: one that grows as it is read takes twice its size and more.
const longBody = 1 << 20

// longBodyOf is body for one of which r is the part after its first longBody bytes.
func longBodyOf(r io.Reader, max int64, open func() (io.Reader, error)) ([]byte, error) {
	rest, _ := io.Copy(io.Discard, io.LimitReader(r, max-longBody)) // an error comes again
	r, err := open()
	if err != nil {
		return nil, err
	}
	data := make([]byte, longBody+rest)
	n, err := io.ReadFull(r, data)
	return data[:n], err
}

// Length returns the length in bytes of the body, decoded as Body does it, counted up to most. It keeps nothing of it,
// so that a caller can free memory before it reads a long body.
func (e *Exchange) Length(most int64) int64 {
	decoders <- struct{}{}
	defer func() { <-decoders }()
	r, err := e.decoded()
	if err != nil {
		return 0
	}
	n, _ := io.CopyN(io.Discard, r, most) // what ends it sooner makes it no longer
	return n
}

// MediaType returns the media type of the body, lower case and without parameters. It is that
// of Content-Type unless that is missing or unspecific, or calls text/plain what
// is not: then the content decides. The root element decides which XML is XHTML or a feed. It is "" when
// nothing says anything.
func (e *Exchange) MediaType() string {
	declared, specific := declaredType(e.Header)
	switch declared {
	case "text/xml", "application/xml", "text/html":
		if start, err := e.Body(4096); err == nil {
			if bytes.HasPrefix(start, gzipMagic) {
				if inner, _, err := e.body(4096, e.unpacked); err == nil && startsAsHTML(inner) {
					return "text/html" // its coding is not declared
				}
				return "application/gzip"
			}
			return xmlType(start, declared)
		}
	}
	if specific {
		return declared
	}
	start, err := e.Body(4096)
	if err != nil || len(start) == 0 {
		return declared
	}
	found := mimetype.Detect(start)
	name, _, _ := strings.Cut(found.String(), ";")
	switch {
	case name == "application/octet-stream" && declared != "":
		return declared
	case declared == "text/plain" && isText(found) && !startsAsHTML(start):
		return declared
	}
	return name
}

// DeclaredType returns the media type that a header declares, as [Exchange.MediaType] does; "" where
// the content decides.
func DeclaredType(h http.Header) string {
	if declared, specific := declaredType(h); specific {
		return declared
	}
	return ""
}

// declaredType gives what Content-Type says, and whether that is to be believed.
func declaredType(h http.Header) (declared string, specific bool) {
	declared, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || !strings.Contains(declared, "/") {
		declared = ""
	}
	switch declared {
	case "", "text/plain", "application/octet-stream", "application/unknown", "unknown/unknown", "*/*", "application/force-download":
		return declared, false
	}
	return declared, true
}

var (
	xmlProlog = regexp.MustCompile(`^(?:\xEF\xBB\xBF)?(?s:\s+|<\?.*?\?>|<!--.*?-->|<![^>\[]*(?:\[[^\]]*\])?\s*>)*`)
	xmlRoot   = regexp.MustCompile(`^<([\w:.-]+)([^<>]*)`)
)

// xmlType is the media type of a document that was declared as XML or HTML, by its root element.
func xmlType(start []byte, declared string) string {
	m := xmlRoot.FindSubmatch(start[len(xmlProlog.Find(start)):])
	if m == nil {
		return declared
	}
	switch root := string(m[1]); {
	case root == "rss", root == "rdf:RDF" && bytes.Contains(start, []byte("http://purl.org/rss/1.0/")):
		return "application/rss+xml"
	case root == "feed" && bytes.Contains(m[2], []byte("http://www.w3.org/2005/Atom")):
		return "application/atom+xml"
	case root == "urlset", root == "sitemapindex":
		return "application/xml" // also where it names XHTML, for pages in other languages
	case declared != "text/html" && bytes.Contains(m[2], []byte("http://www.w3.org/1999/xhtml")):
		return xhtml
	}
	return declared
}

func isText(m *mimetype.MIME) bool {
	for ; m != nil; m = m.Parent() {
		if m.Is("text/plain") {
			return true
		}
	}
	return false
}

// startsAsHTML is stricter than sniffing, because a text file may well begin with some tag.
func startsAsHTML(b []byte) bool {
	b = bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), " \t\r\n\f"))
	return bytes.HasPrefix(b, []byte("<!doctype html")) || bytes.HasPrefix(b, []byte("<html"))
}
