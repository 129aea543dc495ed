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

// Values of Exchange.Truncated, as in the WARC-Truncated field.
const (
	TruncatedLength     = "length"     // longer than Options.MaxBody
	TruncatedTime       = "time"       // longer than Options.Timeout or Options.HeaderTimeout, or slower than Options.SpeedLimit
	TruncatedDisconnect = "disconnect" // the connection ended early, or the client closed it because of broken framing
)

// MaxPage is the decoded size in bytes up to which [Exchange.HTML] reads a page.
const MaxPage = 64 << 20

// Exchange is one request and its response.
type Exchange struct {
	// URL is the requested URL, as given to Do.
	URL string
	// Request is the request as the origin server receives it, without the Authorization field of
	// Options.Logins or of the URL, and without a Secret.
	Request []byte
	Identity
	// Response is the block: the wire bytes of the response, Size bytes from offset 0. Several
	// goroutines may read it at once, until Close.
	Response io.ReaderAt
	Size     int64
	// HeaderSize is the offset of the body in Response: the size of status line, fields and empty
	// line. It is 0 if no complete header arrived.
	HeaderSize int64
	// Start is the time of sending the request, Duration the time from Start to the last byte.
	Start    time.Time
	Duration time.Duration
	// IP is the address of the server, "" with a proxy.
	IP string
	// Status is the status code, 0 if no complete header arrived.
	Status int
	// Header has the fields of the response. It is never nil.
	Header http.Header
	// Truncated is the reason why Response is incomplete, one of the constants, or "".
	Truncated string
	// TooSlow reports that Truncated is TruncatedTime because of Options.SpeedLimit.
	TooSlow bool
	// PayloadDigest is the digest of the entity: the body without chunked framing, with
	// Content-Encoding. Without a complete header it equals BlockDigest. The form is "sha256:" and
	// base16 in lower case.
	PayloadDigest string
	// BlockDigest is the digest of Response.
	BlockDigest string
	// Protocol is "h2" if the server supports HTTP/2 only, otherwise "". With "h2", Request and
	// Response have the form of HTTP/1.1, with the fields in another order.
	Protocol string
	Secured

	spool   *spool
	framing httpmsg.Framing
	length  int64
}

// Identity is the identity that the crawler used for an exchange. It is zero for anonymous
// exchanges.
type Identity struct {
	// Authorization is the scheme of the Authorization field, or the place of the secret, or "" if
	// none was sent.
	Authorization string
	// CookiesHidden reports that Request lacks a Cookie field that was sent, or that Response has
	// other values of cookies than the server sent.
	CookiesHidden bool
	// LoggedOut is why the caller of Do, which fetches as a member, takes the response for one to
	// an anonymous visitor.
	LoggedOut string
}

// Secured has the TLS parameters of an https exchange. It is zero for http.
type Secured struct {
	// TLS is the version, such as "tls/1.3", and CipherSuite the cipher suite as IANA names it.
	TLS, CipherSuite string
	// CertificateError is the fault of an accepted server certificate; "" means that it verified.
	CertificateError string
}

// Close frees the disk space of the exchange. Closing twice is harmless.
func (e *Exchange) Close() error { return e.spool.Close() }

// Redirect returns the target of a redirect (300, 301, 302, 303, 307, 308) as the server wrote it,
// or "" if the response is not a redirect. The caller resolves it against URL. Redirect %-encodes
// bytes outside ASCII one by one in any charset, as browsers do.
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

// Entity returns a reader of the body without chunked framing and with Content-Encoding. It ends in
// an error other than io.EOF if the response was truncated.
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

// Body returns the first max bytes of the body without framing and Content-Encoding (gzip, deflate,
// br, zstd). A max below 1 means MaxPage. Body returns the decodable part of a body that is
// truncated or whose compressed data breaks off. It returns an *Error if no byte is decodable, the
// coding is unknown, or the spool is unreadable (KindSpool).
func (e *Exchange) Body(max int64) ([]byte, error) {
	data, _, err := e.body(max, e.decoded)
	return data, err
}

// body is Body with a function that opens the body. cut reports that compressed data breaks off in
// a complete response.
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

// decoders holds a token for each body that is being decoded. The server determines the memory that
// decoding takes, up to 16 MiB per layer of coding. The crawls of a process share the tokens.
var decoders = make(chan struct{}, 4)

// longBody is the size in bytes from which a body is measured before its buffer is allocated: a
// buffer that grows during reading takes twice the size of the body and more.
const longBody = 1 << 20

// longBodyOf reads a body of more than longBody bytes; r is at the end of these.
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

// Length returns the length in bytes of the body, decoded as by Body, and at most the given bound.
// It keeps no byte in memory, so a caller can free memory before it reads a long body.
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

// MediaType returns the media type of the body in lower case, without parameters. Content-Type
// decides, unless it is missing, unspecific, or a text/plain that contradicts the content: then the
// content decides. The root element of XML decides between XML, XHTML and feeds. MediaType returns
// "" if the type is unknown.
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

// DeclaredType returns the media type that a header declares, as [Exchange.MediaType] does, or ""
// if the content decides.
func DeclaredType(h http.Header) string {
	if declared, specific := declaredType(h); specific {
		return declared
	}
	return ""
}

// declaredType returns the type in Content-Type, and whether it decides without the content.
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

// xmlType returns the media type of a document that is declared as XML or HTML, by its root
// element.
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
