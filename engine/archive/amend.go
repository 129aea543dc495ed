package archive

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/nlnwa/gowarc/v2"
)

// Amendment is what was learned of a capture after it was archived: further quads, and why. Without a capture it says why there is none.
type Amendment struct {
	// Of is the id of the capture, or empty; URL its address.
	Of, URL string
	// Time is when the capture was read again, or failed; kept to the microsecond.
	Time time.Time
	// Metadata is the content of the metadata record, which refers to the capture's response record.
	Metadata []Field
	// Quads are N-Quads as Capture has them.
	Quads []byte
}

// Amend appends an amendment: a metadata record, and a member of the graph file, as Write does with a capture, both or none.
func (w *Writer) Amend(a Amendment) error {
	header := []Field{{gowarc.WarcTargetURI, a.URL}}
	if a.Of != "" {
		header = append(header, Field{gowarc.WarcRefersTo, "<" + a.Of + ">"})
	}
	header = append(header, Field{gowarc.ContentType, gowarc.ApplicationWarcFields})
	return w.alone(gowarc.Metadata, Capture{URL: a.URL, Time: a.Time, Quads: a.Quads}, header, warcFields(a.Metadata))
}

// dnsScheme begins the URI of a lookup (RFC 4501).
const dnsScheme = "dns:"

// Lookup appends what a host's name was resolved to, as Heritrix does: a response record of text/dns (RFC 4027), without the time to live,
// which resolvers do not return.
func (w *Writer) Lookup(host string, at time.Time, addrs []netip.Addr) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", at.UTC().Format("20060102150405"))
	for _, a := range addrs {
		kind := "A"
		if a.Is6() {
			kind = "AAAA"
		}
		fmt.Fprintf(&b, "%s.\tIN\t%s\t%s\n", host, kind, a)
	}
	url := dnsScheme + host
	header := []Field{
		{gowarc.WarcTargetURI, url}, {gowarc.ContentType, "text/dns"}, {gowarc.WarcPayloadDigest, sha256Digest(b.Bytes())},
	}
	return w.alone(gowarc.Response, Capture{URL: url, Time: at}, header, b.Bytes())
}

// Generated appends a resource record: what awarc made itself, and no server sent.
func (w *Writer) Generated(url string, at time.Time, mime string, block []byte) error {
	header := []Field{{gowarc.WarcTargetURI, url}, {gowarc.ContentType, mime}, {gowarc.WarcPayloadDigest, sha256Digest(block)}}
	return w.alone(gowarc.Resource, Capture{URL: url, Time: at}, header, block)
}

// alone appends a record that is one by itself.
func (w *Writer) alone(typ gowarc.RecordType, c Capture, header []Field, block []byte) error {
	if err := w.refused(); err != nil {
		return err
	}
	c.ID = NewID()
	m, err := w.graphMember(c.ID, c.Quads)
	if err != nil {
		return err
	}
	date := w.timeOf(&c).UTC().Format(dateFormat)
	_, err = w.put(&c, m, func(info string) (*group, error) {
		g := &group{dir: w.work}
		fields := append([]Field{
			{gowarc.WarcRecordID, "<" + c.ID + ">"}, {gowarc.WarcDate, date}, {gowarc.WarcWarcinfoID, "<" + info + ">"},
		}, header...)
		if err := w.blockMember(g, typ, fields, block); err != nil {
			g.close()
			return nil, fmt.Errorf("archive: record of %s: %w", c.URL, full(err))
		}
		g.response = g.size
		return g, nil
	}, func(loc Location) {
		if typ == gowarc.Response || typ == gowarc.Resource {
			rec := record{header: map[string]string{"warc-type": strings.ToLower(typ.String()), "warc-target-uri": c.URL, "warc-date": date,
				"warc-payload-digest": sha256Digest(block)}}
			for _, f := range header {
				if f.Name == gowarc.ContentType {
					rec.header["content-type"] = f.Value
				}
			}
			if e, indexed := rec.entry(); indexed {
				w.seg.lines.add(e.at(loc.File, loc.Offset, loc.Length))
			}
		}
	})
	return err
}
