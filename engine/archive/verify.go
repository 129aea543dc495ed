package archive

import (
	"errors"
	"io"
	"os"
)

// Report is what Verify found in one file.
type Report struct {
	File    string
	Size    int64          // in bytes, compressed
	Records map[string]int // sound records by WARC-Type
	// Unchecked counts records with a digest of an algorithm other than sha256, sha1, sha512 and md5. Their form was
	// checked all the same.
	Unchecked int
	// Bad is the first record that is not sound; nil when all are. Nothing after it was read.
	Bad *BadRecord
}

// Verify reads every record of the given WARC files: that it is one whole gzip member (or not compressed), that its header
// has the required fields, that its block is as long as Content-Length says, and that block and payload have their digests. A
// payload digest may be of the entity, as WARC/1.1 has it, or of the body with its chunk framing, as many writers have it. An error
// is one of reading a file, and comes with the reports so far.
func Verify(names ...string) ([]Report, error) {
	var reports []Report
	for _, name := range names {
		r, err := verify(name)
		if err != nil {
			return reports, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}

func verify(name string) (Report, error) {
	r := Report{File: name, Records: map[string]int{}}
	f, err := os.Open(name)
	if err != nil {
		return r, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return r, err
	}
	r.Size = info.Size()
	if r.Size == 0 {
		r.Bad = &BadRecord{File: name, Reason: "the file is empty"}
	}
	for s := newScanner(name, f, 0, r.Size); ; {
		rec, err := s.next(true)
		if err == io.EOF {
			return r, nil
		}
		if err != nil {
			if onlyIO(err) != nil {
				return r, err
			}
			errors.As(err, &r.Bad)
			return r, nil
		}
		r.Records[rec.typ()]++
		if rec.unchecked {
			r.Unchecked++
		}
	}
}
