package archive

import (
	"errors"
	"io"
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
	// Bad are the places that are not sound records, the first 1,000 of them; nil when all is sound. Wrong counts all.
	Bad   []*BadRecord
	Wrong int
}

// Verify reads every record of the given WARC files: that it is one whole gzip member (or not compressed), that its header
// has the required fields, that its block is as long as Content-Length says, and that block and payload have their digests. A
// payload digest may be of the entity, as WARC/1.1 has it, or of the body with its chunk framing, as many writers have it. After
// what is not sound it goes on at the next record. Files, and parts of large ones, are read side by side. An error is of
// files that cannot be read, and comes with the reports of all others.
func Verify(names ...string) ([]Report, error) { return VerifyTelling(func(int64) {}, names...) }

// VerifyTelling is Verify, and tells how many more bytes were read, from several goroutines.
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
	r := Report{File: name, Records: map[string]int{}}
	f, size, err := openToRead(name)
	if err != nil {
		return r, err
	}
	defer func() { _ = f.Close() }()
	r.Size = size
	if kind := kindOf(f, size); kind != "" {
		r.add(&BadRecord{File: name, Reason: kind})
		return r, nil
	}
	if err := r.read(f, size, min(int64(parts), 1+size/leastPart), told); err != nil {
		return r, err
	}
	if len(r.Records) == 0 && r.Wrong > 0 && !r.Bad[0].isRecord() {
		r.Bad[0].Reason += "; there is no WARC record in the file"
	}
	return r, nil
}

func (r *Report) add(bad *BadRecord) {
	if r.Wrong++; r.Wrong <= badNamed {
		r.Bad = append(r.Bad, bad)
	}
}

// kindOf says what a file is that is known to hold no WARC records one by one, and what to do; "" for all others.
func kindOf(f io.ReaderAt, size int64) string {
	if size == 0 {
		return "the file is empty: remove it, or put it back from a copy"
	}
	start := make([]byte, longestMagic)
	n, _ := f.ReadAt(start, 0) // what fails here fails again when it is read
	kind, where := magicKind(start[:n]), ""
	if z, err := gzip.NewReader(io.NewSectionReader(f, 0, size)); err == nil {
		n, _ := io.ReadFull(z, start)
		kind, where = magicKind(start[:n]), "compressed with gzip, and inside "
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
		{"filedesc:", "an ARC file, the format before WARC: warcio recompress makes a WARC file of it"},
		{"PK\x03\x04", "a ZIP file: of a WACZ file, unpack it and verify archive/*.warc.gz"},
		{"\x28\xb5\x2f\xfd", "a file of zstd: unpack it with zstd -d"},
		{"\xfd7zXZ\x00", "a file of xz: unpack it with xz -d"},
		{"BZh", "a file of bzip2: unpack it with bzip2 -d"},
	} {
		if strings.HasPrefix(string(start), kind.magic) {
			return kind.name
		}
	}
	return ""
}
