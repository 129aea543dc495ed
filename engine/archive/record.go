package archive

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"mime"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/durable"
	"github.com/klauspost/compress/gzip"
	"github.com/nlnwa/gowarc/v2"
)

const (
	// compression is the gzip level: 5 measured within 2 % of the ratio of 6, and faster.
	compression = 5
	// spillSize is how many compressed bytes of a group stay in memory; the rest goes to a temporary file.
	spillSize = 8 << 20

	dateFormat = "2006-01-02T15:04:05.000000Z"
)

// group is a capture as the gzip members that go into a WARC file one after the other. It is made without the writer's
// lock, in memory up to spillSize and in an unnamed temporary file beyond.
type group struct {
	dir      string // for the temporary file
	head     bytes.Buffer
	spill    *os.File
	size     int64
	typ      gowarc.RecordType // of the first record
	digest   string            // of the payload, as that has it
	response int64             // length of its member
	further  []indexed         // records behind it that the index names
}

// indexed is a record of a group with its line of the index.
type indexed struct {
	Span  // within the group
	entry cdxEntry
}

// Write appends to the group.
func (g *group) Write(p []byte) (int, error) {
	if g.spill == nil && g.head.Len()+len(p) > spillSize {
		f, err := os.CreateTemp(g.dir, durable.Temporary+"*")
		if err != nil {
			return 0, err
		}
		// Without a name the file is gone when the process is, however that ends.
		if err := os.Remove(f.Name()); err != nil {
			_ = f.Close()
			return 0, err
		}
		g.spill = f
	}
	if g.spill == nil {
		g.size += int64(len(p))
		return g.head.Write(p)
	}
	n, err := g.spill.Write(p)
	g.size += int64(n)
	return n, err
}

// writeTo copies the group to an offset of a file.
func (g *group) writeTo(f file, off int64) error {
	if _, err := f.WriteAt(g.head.Bytes(), off); err != nil {
		return err
	}
	if g.spill == nil {
		return nil
	}
	head := int64(g.head.Len())
	_, err := io.Copy(io.NewOffsetWriter(f, off+head), io.NewSectionReader(g.spill, 0, g.size-head))
	return err
}

// close frees the temporary file, if there is one.
func (g *group) close() {
	if g.spill != nil {
		_ = g.spill.Close()
	}
}

// group compresses the records of a capture. The caller closes the group. An answer that is not HTTP is not said
// to be: readers would look for its head. With an original, the first record is a revisit of it. info is the id of the warcinfo record of
// the file that they go to.
func (w *Writer) group(c *Capture, head httpHead, of *original, info string) (*group, error) {
	g := &group{dir: w.work, typ: gowarc.Response, digest: c.PayloadDigest}
	date := c.Time.UTC().Format(dateFormat)
	about := func(id, contentType string) []Field {
		fields := []Field{
			{gowarc.WarcRecordID, "<" + id + ">"},
			{gowarc.WarcDate, date},
			{gowarc.WarcTargetURI, c.URL},
		}
		if id != c.ID {
			fields = append(fields, Field{gowarc.WarcConcurrentTo, "<" + c.ID + ">"})
		}
		if c.IP != "" {
			fields = append(fields, Field{gowarc.WarcIPAddress, c.IP})
		}
		fields = append(fields, Field{gowarc.WarcWarcinfoID, "<" + info + ">"})
		if contentType != "" {
			fields = append(fields, Field{gowarc.ContentType, contentType})
		}
		return fields
	}

	first, err := c.first(g, head, of)
	if err != nil {
		return nil, fmt.Errorf("archive: capture of %s: %w", c.URL, err)
	}
	err = w.member(g, g.typ, append(about(c.ID, first.contentType), first.fields...), first.block)
	g.response = g.size
	if err == nil {
		request := append(about(NewID(), "application/http; msgtype=request"), c.Connection...)
		err = w.blockMember(g, gowarc.Request, request, c.Request)
	}
	for _, r := range c.Resources {
		if err != nil {
			break
		}
		start := g.size
		rec := record{header: map[string]string{
			"warc-type": "resource", "warc-target-uri": r.URI, "warc-date": date, "content-type": r.MIME,
		}}
		rec.header["warc-payload-digest"], err = w.resource(g, r, Field{gowarc.WarcDate, date},
			Field{gowarc.WarcWarcinfoID, "<" + info + ">"}, Field{gowarc.WarcConcurrentTo, "<" + c.ID + ">"})
		if e, ok := rec.entry(); ok {
			g.further = append(g.further, indexed{Span{start, g.size - start}, e})
		}
	}
	if err == nil {
		metadata := about(NewID(), gowarc.ApplicationWarcFields)
		err = w.blockMember(g, gowarc.Metadata, metadata, warcFields(c.Metadata))
	}
	if err != nil {
		g.close()
		return nil, fmt.Errorf("archive: capture of %s: %w", c.URL, full(err))
	}
	return g, nil
}

// firstRecord is what the response or revisit record of a capture has besides the fields of each record.
type firstRecord struct {
	contentType string
	fields      []Field
	block       *io.SectionReader
}

// first makes the first record of a capture, and gives the group its type and digest. That of an answer that nothing was modified has no
// block: what replays it would replay the status and not the page.
func (c *Capture) first(g *group, head httpHead, of *original) (r firstRecord, err error) {
	r.contentType, r.block = "application/http; msgtype=response", io.NewSectionReader(c.Response, 0, c.Size)
	if !head.complete || !head.http {
		r.contentType = "application/octet-stream"
	}
	blockDigest := c.BlockDigest
	var also []Field
	if of != nil {
		g.typ, also = gowarc.Revisit, of.fields()
		if of.earlier {
			g.digest = of.digest // by which others look it up
		}
		if c.Unmodified == nil {
			r.block = io.NewSectionReader(c.Response, 0, head.size)
			also = append(also, Field{gowarc.WarcProfile, gowarc.ProfileIdenticalPayloadDigestV1_1},
				Field{gowarc.WarcTruncated, "length"}) // the body is left out
		} else {
			r.contentType, r.block = "", io.NewSectionReader(c.Response, 0, 0)
			also = append(also, c.Unmodified.fields()...)
		}
		h := sha256.New()
		if _, err := io.Copy(h, io.NewSectionReader(r.block, 0, r.block.Size())); err != nil {
			return r, err
		}
		blockDigest = digestText(h)
	}
	r.fields = slices.Concat([]Field{{gowarc.WarcPayloadDigest, g.digest}}, c.Connection, also,
		[]Field{{gowarc.WarcBlockDigest, blockDigest}})
	if t, _, err := mime.ParseMediaType(c.MIME); err == nil && strings.Contains(t, "/") {
		r.fields = append(r.fields, Field{gowarc.WarcIdentifiedPayloadType, t})
	}
	if c.Truncated != "" {
		r.fields = append(r.fields, Field{gowarc.WarcTruncated, c.Truncated})
	}
	return r, nil
}

// warcinfo returns the record that starts the file of that name, compressed.
func (w *Writer) warcinfo(name, id string) ([]byte, error) {
	var fields []Field
	for _, key := range slices.Sorted(maps.Keys(w.opts.Info)) {
		fields = append(fields, Field{key, w.opts.Info[key]})
	}
	header := []Field{
		{gowarc.WarcRecordID, "<" + id + ">"},
		{gowarc.WarcDate, w.opts.Now().UTC().Format(dateFormat)},
		{gowarc.WarcFilename, name},
		{gowarc.ContentType, gowarc.ApplicationWarcFields},
	}
	var b bytes.Buffer
	err := w.blockMember(&b, gowarc.Warcinfo, header, warcFields(fields))
	return b.Bytes(), err
}

// warcFields is the text of application/warc-fields.
func warcFields(fields []Field) []byte {
	var b bytes.Buffer
	for _, f := range fields {
		b.WriteString(f.Name + ": " + oneLine(f.Value) + "\r\n")
	}
	return b.Bytes()
}

// blockMember is member for a block in memory; it adds the block digest.
func (w *Writer) blockMember(to io.Writer, typ gowarc.RecordType, header []Field, block []byte) error {
	header = append(header, Field{gowarc.WarcBlockDigest, sha256Digest(block)})
	return w.member(to, typ, header, io.NewSectionReader(bytes.NewReader(block), 0, int64(len(block))))
}

// member writes one record as one gzip member.
//
// gowarc builds, checks and serialises the header. The block is not given to its builder, which would copy and hash it
// again, but handed over when the record is marshalled; so a block of any size passes through once, in pieces.
func (w *Writer) member(to io.Writer, typ gowarc.RecordType, header []Field, block *io.SectionReader) error {
	rb := newBuilder(typ)
	var digest string
	for _, f := range header {
		if f.Name == gowarc.WarcBlockDigest {
			digest = f.Value // of the block that the builder does not see
			continue
		}
		rb.AddWarcHeader(f.Name, f.Value)
	}
	rec, _, err := rb.Build()
	if err != nil {
		_ = rb.Close()
		return err
	}
	defer func() { _ = rec.Close() }()
	for _, f := range *rec.WarcHeader() {
		if rest, extension := strings.CutPrefix(f.Name, "Warc-"); extension { // gowarc writes fields that it does not know so
			f.Name = "WARC-" + rest
		}
	}
	rec.WarcHeader().Set(gowarc.WarcBlockDigest, digest)
	rec.WarcHeader().SetInt64(gowarc.ContentLength, block.Size())

	zw, _ := w.pools.gzips.Get().(*gzip.Writer)
	defer w.pools.gzips.Put(zw)
	zw.Reset(to)
	src := &blockReader{SectionReader: block, digest: digest}
	_, _, err = gowarc.NewMarshaler().Marshal(zw, streamed{rec, src}, 0)
	return cmp.Or(src.err, err, zw.Close())
}

// builders serialises newBuilder: each new builder of gowarc v2.0.1 sets a variable of package uuid, without a lock. For the same
// reason NewID does not use that package. The lock is global because that variable is.
var builders sync.Mutex //nolint:gochecknoglobals // see above

func newBuilder(typ gowarc.RecordType) gowarc.WarcRecordBuilder {
	builders.Lock()
	defer builders.Unlock()
	return gowarc.NewRecordBuilder(typ, gowarc.WithVersion(gowarc.V1_1), gowarc.WithSpecViolationPolicy(gowarc.ErrFail),
		gowarc.WithSyntaxErrorPolicy(gowarc.ErrFail), gowarc.WithUnknownRecordTypePolicy(gowarc.ErrFail),
		gowarc.WithSkipParseBlock(), gowarc.WithAddMissingDigest(false), gowarc.WithFixDigest(false))
}

// streamed is a record whose block is read from elsewhere.
type streamed struct {
	gowarc.WarcRecord
	block *blockReader
}

// Block returns the block that is read from elsewhere.
func (s streamed) Block() gowarc.Block { return s.block }

// blockReader implements gowarc.Block. It turns a source that ends early into an error: a record shorter than its
// Content-Length would make everything after it unreadable.
type blockReader struct {
	*io.SectionReader
	digest string
	read   int64
	err    error
}

func (b *blockReader) Read(p []byte) (int, error) {
	n, err := b.SectionReader.Read(p)
	b.read += int64(n)
	if err == io.EOF && b.read < b.Size() {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && err != io.EOF {
		b.err = fmt.Errorf("reading the block after %d of %d bytes: %w", b.read, b.Size(), err)
	}
	return n, err
}

func (b *blockReader) RawBytes() (io.Reader, error) { return struct{ io.Reader }{b}, nil }
func (b *blockReader) BlockDigest() string          { return b.digest }
func (b *blockReader) IsCached() bool               { return true }
func (b *blockReader) Cache() error                 { return nil }
func (b *blockReader) Close() error                 { return nil }

// timeOf returns the capture's time, or the clock's when it has none.
func (w *Writer) timeOf(c *Capture) time.Time {
	if c.Time.IsZero() {
		return w.opts.Now()
	}
	return c.Time
}
