package archive

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/awarc/awarc/engine/durable"
	"github.com/klauspost/compress/gzip"
)

// Span is a part of a file, in bytes.
type Span struct {
	Offset, Length int64
}

// Repair is what Recover did to a file.
type Repair struct {
	File    string
	Records int      // whole records that are in the file now
	Cut     []Span   // what was taken out, as places in the file as it was
	Saved   []string // the files that have what was taken out; none when nothing was
	// Repacked counts records that were written anew: of a member that is not whole, or with the length that they have.
	Repacked int
	// Of a file of a crawl:
	Own          bool // it is one: what was kept is where it was, and the index is made anew
	GraphMembers int  // of captures that were damaged, taken out of the graph file
	WithoutGraph int  // captures that are kept and whose statements were damaged: extract --crawl makes them again
}

// damagedSuffix is for the file that keeps what Recover takes out.
const damagedSuffix = ".damaged"

// Recover makes a torn or damaged WARC file readable again, also one that another program wrote: it keeps every record that can be read,
// those after a damaged place included, and takes out all other bytes. They are not lost: they go to a new file with ".damaged" after the
// name. Records of a compressed member that is not whole are written anew, as are those with a wrong Content-Length. A last record that is
// cut is written as far as it is there, with WARC-Truncated and without its digests. A file without
// damage is left as it is. Only form counts here; for digests see Verify.
//
// In a file of a crawl all that is kept stays where it is, since the index, the graph and the crawl log name places: what is damaged is
// overwritten by records about the damage. Statements of lost captures are removed from its graph file, and archive/index.cdxj is
// written again. A file of a crawl that is running is refused.
func Recover(name string) (Repair, error) {
	r := Repair{File: name}
	if _, err := os.Stat(name); err != nil {
		if file, _, ok := throughFile(name); ok {
			return r, inZip(file)
		}
	}
	lock, err := lockDir(filepath.Dir(name))
	if err != nil {
		return r, err
	}
	defer func() { _ = lock.Close() }()
	f, size, err := openSized(name)
	if err != nil {
		return r, err
	}
	defer func() { _ = f.Close() }()
	own := openOwn(name)
	if r.Own = own != nil; r.Own {
		err = own.repair(&r, f, size)
	} else {
		err = r.foreign(f, size)
	}
	return r, err
}

func inZip(file string) error {
	return fmt.Errorf("archive: %s is a WACZ or ZIP file and was not changed: unpack it, repair its WARC files, and pack it again",
		file)
}

// foreign repairs a file that nothing else refers to.
func (r *Repair) foreign(f *os.File, size int64) error {
	if isZip(f) {
		return inZip(r.File)
	}
	if kind := kindOf(f, size); kind != "" {
		return fmt.Errorf("archive: %s: %s", r.File, kind)
	}
	d, err := assess(r.File, f, size)
	if err == nil && d.records == 0 && d.first == nil {
		d.first = errNoRecord
	}
	if err != nil {
		return err
	}
	isZstd := formOf(r.File, f) == formZstd
	if r.Records = d.records; d.whole() && isZstd {
		return nil // a dictionary, and frames that decoders skip, are between its records
	}
	r.Cut = complement(d.kept(), size)
	switch {
	case len(r.Cut) == 0:
		return nil
	case d.records == 0:
		return fmt.Errorf("archive: the file has no intact record and was not changed: %w", d.first)
	case isZstd:
		return fmt.Errorf("archive: %s is damaged at byte %d and was not changed: unpack it with zstd -d and repair the result", r.File,
			r.Cut[0].Offset)
	}
	if err := r.save(f, r.File, r.Cut); err != nil {
		return err
	}
	for _, m := range d.members {
		if m.broken {
			r.Repacked += len(m.records)
		}
	}
	if r.Repacked == 0 {
		return r.takeOut(f, size)
	}
	err = replace(r.File, func(to io.Writer) error { return d.write(to, f, size) })
	if err != nil {
		return fmt.Errorf("archive: repairing %s: %w", r.File, full(err))
	}
	return nil
}

// takeOut removes what is damaged from the file.
func (r *Repair) takeOut(f *os.File, size int64) error {
	var err error
	if last := r.Cut[0]; last.Offset+last.Length == size {
		err = errors.Join(f.Truncate(last.Offset), f.Sync())
	} else {
		err = rewrite(f, r.File, complement(r.Cut, size))
	}
	if err != nil {
		return fmt.Errorf("archive: repairing %s: %w", r.File, full(err))
	}
	return nil
}

// save keeps what is taken out of a file.
func (r *Repair) save(f io.ReaderAt, name string, cut []Span) error {
	to := damagedName(name)
	if err := errors.Join(save(f, to, cut), durable.SyncDir(filepath.Dir(to))); err != nil {
		return fmt.Errorf("archive: saving the damaged bytes of %s: %w", name, full(err))
	}
	r.Saved = append(r.Saved, to)
	return nil
}

// damagedName is a name that is not taken for what is taken out of a file.
func damagedName(name string) string {
	to := name + damagedSuffix
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to
		}
		to = fmt.Sprint(name, damagedSuffix, ".", n)
	}
}

// damage finds what is not whole records in a file of a Writer, and gives those that are to each.
func damage(name string, f *os.File, size int64, each func(*record)) (cut []Span, records int, err error) {
	s := source{name, f, size}.scanner()
	var first error
	found, err := s.salvage(func() error {
		rec, err := s.next(false)
		if err == nil {
			records++
			each(rec)
		} else if first == nil {
			first = err
		}
		return err
	})
	if err == nil && records == 0 && len(found.bad) > 0 {
		err = fmt.Errorf("archive: the file has no intact record and was not changed: %w", first)
	}
	return found.bad, records, err
}

// assessed is what a file holds that can be read.
type assessed struct {
	members []*assessedMember // in order
	records int
	first   error // of what cannot be read
}

// assessedMember is a member with records that can be read; without compression, a record.
type assessedMember struct {
	Span
	across  bool // it is all members to the end of the file
	broken  bool // it is not whole, or the length of a record in it is wrong: its records are written anew
	records []assessedRecord
}

// assessedRecord is where a record is in its member.
type assessedRecord struct {
	skip, head, block int64
	forced            bool // its Content-Length is wrong
	cut               bool // the file ends within it
}

func (r *record) assessed() assessedRecord {
	return assessedRecord{r.skip, r.head, r.declared, r.forced, r.cut}
}

// assess reads all records of a file of another program.
func assess(name string, f io.ReaderAt, size int64) (*assessed, error) {
	d := &assessed{}
	s := newScanner(name, f, 0, size)
	var m *assessedMember
	broken := int64(-1)
	_, err := s.salvage(func() error {
		rec, err := s.next(false)
		var bad *BadRecord
		if errors.As(err, &bad) {
			d.first = cmp.Or(d.first, err)
			broken = bad.Offset
			if m != nil && m.Offset == broken {
				m.broken = true
			}
		}
		if err != nil {
			return err
		}
		if m == nil || m.Offset != rec.offset {
			m = &assessedMember{Span: Span{Offset: rec.offset}, broken: broken == rec.offset}
			d.members = append(d.members, m)
		}
		m.Length, m.across = rec.length, s.across
		m.broken = m.broken || rec.wrong != nil
		m.records = append(m.records, rec.assessed())
		d.records++
		return nil
	})
	return d, err
}

// whole reports whether nothing is damaged.
func (d *assessed) whole() bool {
	return d.first == nil && !slices.ContainsFunc(d.members, func(m *assessedMember) bool { return m.broken })
}

// kept are the members that stay as they are.
func (d *assessed) kept() []Span {
	var all []Span
	for _, m := range d.members {
		if !m.broken {
			all = append(all, m.Span)
		}
	}
	return joined(all)
}

// write writes the repaired file: whole members as they are, and the records of others anew.
func (d *assessed) write(to io.Writer, f io.ReaderAt, size int64) error {
	s := newScanner("", f, 0, size)
	for _, m := range d.members {
		var err error
		if m.broken {
			err = s.renew(to, m)
		} else {
			_, err = io.Copy(to, io.NewSectionReader(f, m.Offset, m.Length))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// What is not true any more of a record with another length, and of one of which a part is left.
var (
	lengthField = regexp.MustCompile(`(?im)^content-length[ \t]*:.*\r?\n(?:[ \t].*\r?\n)*`)
	wholeFields = regexp.MustCompile(`(?im)^warc-(?:block-digest|payload-digest|truncated)[ \t]*:.*\r?\n(?:[ \t].*\r?\n)*`)
)

// renewed is the header of a record with the length that its block has.
func (r assessedRecord) renewed(head []byte) []byte {
	head = lengthField.ReplaceAll(head, nil)
	more := ""
	if r.cut {
		head, more = wholeFields.ReplaceAll(head, nil), "WARC-Truncated: unspecified\r\n"
	}
	line, rest, _ := bytes.Cut(bytes.TrimLeft(head, "\r\n"), []byte("\n"))
	return fmt.Appendf(nil, "%s\nContent-Length: %d\r\n%s%s", line, r.block, more, rest)
}

// renew writes the records of a member anew, each with its right length, and compressed by itself if the member is compressed.
func (s *scanner) renew(to io.Writer, m *assessedMember) error {
	s.restart(m.Offset)
	s.across = m.across
	if err := s.open(); err != nil {
		return err
	}
	at := s.inner()
	for _, rec := range m.records {
		if _, err := s.from.Discard64(rec.skip - at); err != nil {
			return err
		}
		at = rec.skip + rec.head + rec.block
		head := make([]byte, rec.head)
		if _, err := io.ReadFull(s.from, head); err != nil {
			return err
		}
		if rec.forced {
			head = rec.renewed(head)
		}
		if err := s.renewRecord(to, head, rec.block); err != nil {
			return err
		}
	}
	return nil
}

// renewRecord writes a header, and the block that follows in the open member.
func (s *scanner) renewRecord(to io.Writer, head []byte, block int64) error {
	out, z := to, (*gzip.Writer)(nil)
	if !s.plain {
		z = gzip.NewWriter(to)
		out = z
	}
	_, err := out.Write(head)
	if err == nil {
		_, err = io.CopyN(out, s.from, block)
	}
	if err == nil {
		_, err = io.WriteString(out, "\r\n\r\n")
	}
	if z != nil {
		err = errors.Join(err, z.Close())
	}
	return err
}

// complement returns what is left of a file without the spans.
func complement(cut []Span, size int64) []Span {
	var kept []Span
	var at int64
	for _, c := range append(cut[:len(cut):len(cut)], Span{Offset: size}) {
		if c.Offset > at {
			kept = append(kept, Span{at, c.Offset - at})
		}
		at = c.Offset + c.Length
	}
	return kept
}

// save copies spans to a new file.
func save(from io.ReaderAt, name string, spans []Span) (err error) {
	return create(name, func(f io.Writer) error { return copySpans(f, from, spans) })
}

func copySpans(to io.Writer, from io.ReaderAt, spans []Span) error {
	for _, s := range spans {
		if _, err := io.Copy(to, io.NewSectionReader(from, s.Offset, s.Length)); err != nil {
			return err
		}
	}
	return nil
}

// create writes a new file, and none where that fails.
func create(name string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			_ = os.Remove(name)
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	return f.Sync()
}

// rewrite replaces a file by some of its spans, atomically.
func rewrite(from *os.File, name string, spans []Span) error {
	return replace(name, func(to io.Writer) error { return copySpans(to, from, spans) })
}

// replace replaces a file, atomically.
func replace(name string, write func(io.Writer) error) error {
	temp := name + ".tmp"
	_ = os.Remove(temp) // of a repair that was killed
	if err := create(temp, write); err != nil {
		return err
	}
	if err := os.Rename(temp, name); err != nil {
		_ = os.Remove(temp)
		return err
	}
	return durable.SyncDir(filepath.Dir(name))
}
