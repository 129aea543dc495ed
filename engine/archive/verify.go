package archive

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"
)

// badNamed is how many bad records of a file a Report names.
const badNamed = 1000

// Report is what Verify found in one file.
type Report struct {
	File    string
	Size    int64          // in bytes, compressed
	Records map[string]int // sound records by WARC-Type
	// Unchecked counts records with a digest of an algorithm other than sha256, sha1, sha512 and md5. Their form was
	// checked all the same.
	Unchecked int
	// Bad are the damaged places, the first 1,000 of them; nil when there is none. Wrong counts all.
	Bad   []*BadRecord
	Wrong int
	// Unusual counts sound records that deviate from the standard and are read all the same, by what is unusual. Odd are the
	// first ten of each kind.
	Unusual map[Oddity]int
	Odd     []*BadRecord
	// Packed says that it is a WACZ file, with Files files that are as datapackage.json says. The WARC files in it have reports of their
	// own, if they are named.
	Packed bool
	Files  int
}

// oddNamed is how many unusual records of a kind a Report names: arbitrary, as all of a file tend to be alike.
const oddNamed = 10

func newReport(name string, size int64) Report {
	return Report{File: name, Size: size, Records: map[string]int{}, Unusual: map[Oddity]int{}}
}

// addRecord takes a record that was read.
func (r *Report) addRecord(file string, rec *record) {
	if rec.wrong != nil {
		r.add(rec.bad(file, rec.wrong))
		return
	}
	r.Records[rec.typ()]++
	if rec.unchecked {
		r.Unchecked++
	}
	if why := rec.unread(); why != "" {
		rec.odd(OddUnread, "%s", why)
	}
	for _, n := range rec.notes {
		if r.Unusual[n.kind]++; r.Unusual[n.kind] <= oddNamed {
			r.Odd = append(r.Odd, rec.unusual(file, n))
		}
	}
}

// take adds what was found in a part of the file.
func (r *Report) take(p *Report) {
	for typ, n := range p.Records {
		r.Records[typ] += n
	}
	r.Unchecked += p.Unchecked
	r.Wrong += p.Wrong
	r.Bad = append(r.Bad, p.Bad[:min(len(p.Bad), badNamed-len(r.Bad))]...)
	named := maps.Clone(r.Unusual)
	for _, o := range p.Odd {
		if named[o.Kind]++; named[o.Kind] <= oddNamed {
			r.Odd = append(r.Odd, o)
		}
	}
	for kind, n := range p.Unusual {
		r.Unusual[kind] += n
	}
}

// Verify reads every record of the given WARC files: that it is whole, that its block is as long as Content-Length says, and that block
// and payload have their digests. A payload digest may be of the entity, as WARC/1.1 has it, or of the body with its chunk framing, as
// many writers have it. Records that deviate from the standard and can be read all the same are unusual, not damaged. After what is
// damaged it goes on at the next record. Files, and parts of large ones, are read side by side. An error is of
// files that cannot be read, and comes with the reports of all others.
func Verify(names ...string) ([]Report, error) { return VerifyTelling(func(int64) {}, names...) }

// VerifyTelling is Verify that also reports how many more bytes were read, from several goroutines.
func VerifyTelling(told func(read int64), names ...string) ([]Report, error) {
	reports, errs := make([]Report, len(names)), make([]error, len(names))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range names {
		group.Go(func() error {
			reports[i], errs[i] = verify(name, max(1, runtime.GOMAXPROCS(0)/len(names)), told)
			return nil
		})
	}
	_ = group.Wait()
	for i := len(names) - 1; i >= 0; i-- {
		if errs[i] != nil {
			reports = slices.Delete(reports, i, i+1)
		}
	}
	return reports, errors.Join(errs...)
}

// leastPart is how many bytes of a file are worth a goroutine.
const leastPart = 1 << 20

// verify reads a file in so many parts side by side, if it is large.
func verify(name string, parts int, told func(read int64)) (Report, error) {
	f, err := openToRead(name)
	if err != nil {
		return newReport(name, 0), err
	}
	defer func() { _ = f.Close() }()
	size := f.size
	r := newReport(name, size)
	if f.wrong != nil {
		r.add(&BadRecord{File: name, Reason: f.wrong.Error(), err: f.wrong})
	}
	if isZip(f) {
		return r, r.readZip(f, told)
	}
	if kind := kindOf(f, size); kind != "" {
		r.add(&BadRecord{File: name, Reason: kind})
		return r, nil
	}
	if formOf(name, f) == formZstd {
		parts = 1 // frames need the dictionary, which is at the start
	}
	if err := r.read(f, size, min(int64(parts), 1+size/leastPart), told); err != nil {
		return r, err
	}
	switch {
	case len(r.Records) > 0 || r.Wrong > 0 && r.Bad[0].isRecord():
	case r.Wrong > 0:
		r.Bad[0].Reason += "; " + errNoRecord.Error()
	default:
		r.add(&BadRecord{File: name, Reason: errNoRecord.Error()})
	}
	return r, nil
}

var errNoRecord = errors.New("the file has no WARC record")

func (r *Report) add(bad *BadRecord) {
	if r.Wrong++; r.Wrong <= badNamed {
		r.Bad = append(r.Bad, bad)
	}
}

// kindOf says what a file is that is known to hold no WARC records one by one, and what to do; "" for all others.
func kindOf(f io.ReaderAt, size int64) string {
	if size == 0 {
		return "the file is empty: remove it, or restore it from a copy"
	}
	start := make([]byte, longestMagic)
	n, _ := f.ReadAt(start, 0) // what fails here fails again when it is read
	kind, where := magicKind(start[:n]), ""
	if z, err := gzip.NewReader(io.NewSectionReader(f, 0, size)); err == nil {
		n, _ := io.ReadFull(z, start)
		kind, where = magicKind(start[:n]), "compressed with gzip, and inside "
		if bytes.HasPrefix(start[:n], gzipMagic) {
			kind = "another file of gzip: unpack it once, with gunzip"
		}
	}
	if kind == "" {
		return ""
	}
	return where + kind
}

// longestMagic is how many of its first bytes tell a kind of file.
const longestMagic = 10

// magicKind names the kind of what begins so.
func magicKind(start []byte) string {
	for _, kind := range []struct{ magic, name string }{
		{"filedesc:", "an ARC file, the format before WARC: convert it with warcio recompress"},
		{zipEmpty, "an empty ZIP file: restore it from a copy"},
		{zipMagic, "a ZIP file without a WARC file, or a damaged one: recover its members with zip -FF, unpack it and name " +
			"the WARC files in it"},
		{"\xfd7zXZ\x00", "a file of xz: unpack it with xz -d"},
		{"BZh", "a file of bzip2: unpack it with bzip2 -d"},
		{"\x04\x22\x4d\x18", "a file of lz4: unpack it with lz4 -d"},
	} {
		if strings.HasPrefix(string(start), kind.magic) {
			return kind.name
		}
	}
	return ""
}
