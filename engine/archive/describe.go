package archive

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/awarc/awarc/engine/durable"
	"github.com/nlnwa/gowarc/v2"
)

// MetaSuffix ends the name of the WARC file that describes the others.
const MetaSuffix = "-meta" + warcSuffix

// Resource is a record that no server sent: a file that the archive was made with, or data of a page.
type Resource struct {
	URI  string // urn:...
	MIME string
	Data io.ReaderAt
	Size int64 // in bytes
}

// serialEnd is what follows the time in the base name of a WARC file.
var serialEnd = regexp.MustCompile(`-\d+$`)

// Describe writes resources to a WARC file of their own, in the place of the one that an earlier session wrote. An archive without captures
// is not described.
func (w *Writer) Describe(resources []Resource) error {
	w.indexMu.Lock()
	defer w.indexMu.Unlock()
	if err := w.refused(); err != nil {
		return err
	}
	name := w.metaName()
	if name == "" {
		return nil
	}
	var size int64
	for _, r := range resources {
		size += r.Size
	}
	if err := w.space(size); err != nil {
		return err
	}
	err := w.writeMeta(name, resources)
	if err != nil {
		return fmt.Errorf("archive: describing the archive in %s: %w", name, full(err))
	}
	w.indexed = false
	return nil
}

// metaName is the name of the file that describes the archive: that of the one that is there, or one like that of the first file. It is
// "" where there is none.
func (w *Writer) metaName() string {
	for _, suffix := range []string{MetaSuffix, warcSuffix, warcSuffix + openSuffix} {
		names, _ := filepath.Glob(filepath.Join(w.archive, "*"+suffix)) // the pattern is well-formed
		switch {
		case len(names) == 0:
		case suffix == MetaSuffix:
			return filepath.Base(names[0])
		default:
			return serialEnd.ReplaceAllString(strings.TrimSuffix(filepath.Base(names[0]), suffix), "") + MetaSuffix
		}
	}
	return ""
}

func (w *Writer) writeMeta(name string, resources []Resource) error {
	temp, err := durable.Temp(w.work, 0o644, func(f io.Writer) error {
		info := NewID()
		head, err := w.warcinfo(name, info)
		if err == nil {
			_, err = f.Write(head)
		}
		for _, r := range resources {
			if err == nil {
				_, err = w.resource(f, r, Field{gowarc.WarcDate, w.opts.Now().UTC().Format(dateFormat)},
					Field{gowarc.WarcWarcinfoID, "<" + info + ">"})
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	_ = os.Remove(w.partName(name)) // one that is stale and of the same size would stay
	if err := os.Rename(temp, filepath.Join(w.archive, name)); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return durable.SyncDir(w.archive)
}

// resource writes a resource record with further fields, and returns its digest.
func (w *Writer) resource(to io.Writer, r Resource, fields ...Field) (digest string, err error) {
	block := io.NewSectionReader(r.Data, 0, r.Size)
	h := sha256.New()
	if _, err := io.Copy(h, block); err != nil {
		return "", fmt.Errorf("%s: %w", r.URI, err)
	}
	if _, err := block.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	digest = digestText(h)
	return digest, w.member(to, gowarc.Resource, append([]Field{
		{gowarc.WarcRecordID, "<" + NewID() + ">"},
		{gowarc.WarcTargetURI, r.URI},
		{gowarc.ContentType, r.MIME},
		{gowarc.WarcPayloadDigest, digest},
		{gowarc.WarcBlockDigest, digest},
	}, fields...), block)
}

// Resources reads the resource records of a WARC file, of up to most bytes each, whose URIs wanted accepts. Of records with one
// URI the last counts for the caller, who gets all.
func Resources(name string, most int64, wanted func(uri string) bool, each func(uri string, data []byte) error) error {
	f, err := openToRead(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	s := newScanner(name, f, 0, f.size)
	var data *bytes.Buffer
	s.keep = func(rec *record, length int64) io.Writer {
		data = nil
		if rec.typ() != "resource" || length > most || !wanted(rec.uri()) {
			return nil
		}
		data = &bytes.Buffer{}
		return data
	}
	for {
		rec, err := s.next(false)
		if err == io.EOF {
			return nil
		}
		if err == nil && rec.wrong != nil {
			err = rec.bad(name, rec.wrong)
		}
		if err == nil && data != nil {
			err = each(rec.uri(), data.Bytes())
		}
		if err != nil {
			return err
		}
	}
}
