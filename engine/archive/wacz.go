package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/awarc/awarc/engine/infile"
)

// warcName matches the end of the name of a WARC file, and of files that are named as unsupported: ARC
// files, and those that are compressed in other ways.
var warcName = regexp.MustCompile(`(?i)\.w?arc(\.(gz|zst|zstd|xz|bz2|lz4))?$`)

// waczName matches the end of the name of a WACZ file.
var waczName = regexp.MustCompile(`(?i)\.wacz$`)

// IsWARCName reports whether a file is a WARC file by its name.
func IsWARCName(name string) bool { return warcName.MatchString(name) }

// TrimWARCName returns a name without the ending of a WARC file.
func TrimWARCName(name string) string { return warcName.ReplaceAllString(name, "") }

// Below lists the WARC and WACZ files in a folder and in all folders below it, as Heritrix and
// Browsertrix lay them out.
func Below(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !e.IsDir() && (warcName.MatchString(e.Name()) || waczName.MatchString(e.Name())):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// WithMembers returns a file and, of a WACZ file or another ZIP file, the WARC files in it, as paths
// through it such as crawl.wacz/archive/data.warc.gz.
func WithMembers(name string) []string { return append([]string{name}, members(name, warcName)...) }

// members lists the members of a WACZ file whose names match, as paths through it. There are none in a
// file that is not a ZIP file or cannot be read, which is named when it is read.
func members(name string, want *regexp.Regexp) (paths []string) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	if !isZip(f) {
		return nil
	}
	z, err := openZip(f)
	if err != nil {
		return nil
	}
	for _, m := range z.File {
		if want.MatchString(m.Name) {
			paths = append(paths, filepath.Join(name, filepath.FromSlash(m.Name)))
		}
	}
	return paths
}

// cdxjName matches the name of an index in a WACZ file.
var cdxjName = regexp.MustCompile(`(?i)^indexes/[^/]*\.cdxj?(\.gz)?$`)

// indexOf returns the index in a WACZ file, as a path through it; "" where there is none.
func indexOf(name string) string {
	for _, member := range members(name, cdxjName) {
		return member
	}
	return ""
}

// Unfold is WithMembers without files that have members.
func Unfold(files ...string) (warcs []string) {
	for _, name := range files {
		all := WithMembers(name)
		warcs = append(warcs, all[min(1, len(all)-1):]...)
	}
	return warcs
}

// How a ZIP file begins, and one without members.
const (
	zipMagic = "PK\x03\x04"
	zipEmpty = "PK\x05\x06"
)

func isZip(f io.ReaderAt) bool {
	start := make([]byte, len(zipMagic))
	n, _ := f.ReadAt(start, 0) // a failure comes again when the file is read
	return string(start[:n]) == zipMagic || string(start[:n]) == zipEmpty
}

// openZip reads the directory of a ZIP file. Members that overlap are an error: such files unpack to
// more than any disk holds.
func openZip(f *os.File) (*zip.Reader, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%w: it is damaged; zip -FF recovers its intact members", err)
	}
	left := uint64(info.Size())
	for _, m := range z.File {
		if m.CompressedSize64 > left {
			return nil, errors.New("its members overlap or exceed the file")
		}
		left -= m.CompressedSize64
	}
	return z, nil
}

// shelf opens files to read, also those within ZIP files. It keeps ZIP files open, and members that it
// had to unpack, until it is closed.
type shelf struct{ kept map[string]*keptFile }

// keptFile is a ZIP file, or an unpacked member, and how many use it.
type keptFile struct {
	file  *os.File
	zip   map[string]*zip.File // its members by their names; nil of a member
	size  int64
	wrong error // of unpacking, after size bytes
	uses  int
}

// mostKept bounds the files that are kept open without being read: arbitrary.
const mostKept = 16

// readFile is a file that is being read.
type readFile struct {
	io.ReaderAt
	size  int64
	wrong error // it is damaged, and what could be unpacked is read
	close func() error
}

// Close implements io.Closer.
func (r *readFile) Close() error { return r.close() }

// open opens a file, or by a path through a ZIP file a member of it.
func (s *shelf) open(name string) (*readFile, error) {
	info, err := os.Stat(name)
	if err != nil {
		if file, member, ok := throughFile(name); ok {
			return s.member(file, member)
		}
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("archive: %s is a folder: name the WARC files in it", name)
	}
	f, err := infile.Open(name)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	return &readFile{f, info.Size(), nil, f.Close}, nil
}

// openToRead opens a file alone.
func openToRead(name string) (*readFile, error) {
	s := new(shelf)
	f, err := s.open(name)
	if err != nil {
		s.close()
		return nil, err
	}
	done := f.close
	f.close = func() error {
		err := done()
		s.close()
		return err
	}
	return f, nil
}

// throughFile cuts a path at the file that it goes through.
func throughFile(name string) (file, member string, ok bool) {
	for file = filepath.Dir(name); ; {
		if info, err := os.Stat(file); err == nil {
			return file, filepath.ToSlash(name[min(len(name), len(file)+1):]), info.Mode().IsRegular()
		}
		above := filepath.Dir(file)
		if above == file {
			return "", "", false
		}
		file = above
	}
}

// member opens a member of a ZIP file.
func (s *shelf) member(file, name string) (*readFile, error) {
	z, err := s.keep(file, func() (*keptFile, error) {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		r, err := openZip(f)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		k := &keptFile{file: f, zip: map[string]*zip.File{}}
		for _, m := range r.File {
			k.zip[m.Name] = m
		}
		return k, nil
	})
	path := file + "/" + name
	if err != nil {
		return nil, fmt.Errorf("archive: %s: %w", path, err)
	}
	m := z.zip[name]
	if m == nil {
		z.uses--
		return nil, fmt.Errorf("archive: %s: %w", path, fs.ErrNotExist)
	}
	if m.Method == zip.Store && m.Flags&1 == 0 {
		at, err := m.DataOffset()
		if err != nil {
			z.uses--
			return nil, fmt.Errorf("archive: %s: %w", path, err)
		}
		return z.reading(io.NewSectionReader(z.file, at, int64(m.CompressedSize64)), int64(m.CompressedSize64)), nil
	}
	defer func() { z.uses-- }()
	u, err := s.keep(path, func() (*keptFile, error) { return unpackMember(m) })
	if err != nil {
		return nil, fmt.Errorf("archive: %s: unpacking it: %w", path, full(err))
	}
	return u.reading(u.file, u.size), nil
}

// reading returns a reader of a kept file, which is used until it is closed.
func (k *keptFile) reading(r io.ReaderAt, size int64) *readFile {
	return &readFile{r, size, k.wrong, func() error {
		k.uses--
		return nil
	}}
}

// keep returns a kept file, which the caller uses, and opens it if it is not kept yet.
func (s *shelf) keep(name string, open func() (*keptFile, error)) (*keptFile, error) {
	k := s.kept[name]
	if k == nil {
		if len(s.kept) >= mostKept {
			_ = s.closeUnused() // they were only read
		}
		var err error
		if k, err = open(); err != nil {
			return nil, err
		}
		if s.kept == nil {
			s.kept = map[string]*keptFile{}
		}
		s.kept[name] = k
	}
	k.uses++
	return k, nil
}

// unpackMember unpacks a member that is compressed to a temporary file without a name.
func unpackMember(m *zip.File) (*keptFile, error) {
	if m.Flags&1 != 0 {
		return nil, errors.New("it is encrypted")
	}
	if free, err := FreeSpace(os.TempDir()); err == nil && m.UncompressedSize64 > uint64(free)/2 {
		return nil, fmt.Errorf("it needs %d bytes in %s, where %d are free: set TMPDIR to another folder", m.UncompressedSize64,
			os.TempDir(), free)
	}
	from, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = from.Close() }()
	f, err := os.CreateTemp("", "awarc-member-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // where open files can be removed; otherwise closing does it
	n, err := io.Copy(f, io.LimitReader(from, int64(m.UncompressedSize64)+1))
	k := &keptFile{file: f, size: n}
	switch {
	case onlyIO(err) != nil || err != nil && n == 0:
		return nil, errors.Join(err, k.close())
	case err != nil:
		k.wrong = fmt.Errorf("unpacking it ends after %d of %d bytes: %w", n, m.UncompressedSize64, err)
	}
	return k, nil
}

// close closes a kept file.
func (k *keptFile) close() error {
	err := k.file.Close()
	if k.zip == nil {
		_ = os.Remove(k.file.Name()) // it is gone already where it could be
	}
	return err
}

// closeUnused closes the kept files that nobody reads.
func (s *shelf) closeUnused() (err error) {
	for name, k := range s.kept {
		if k.uses == 0 {
			err = errors.Join(err, k.close())
			delete(s.kept, name)
		}
	}
	return err
}

// close closes all kept files.
func (s *shelf) close() {
	for _, k := range s.kept {
		_ = k.close() // they were only read
	}
	s.kept = nil
}
