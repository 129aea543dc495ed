package kb

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Store is where a knowledge base is read from, and where what is learned goes.
type Store struct {
	// Under are sources that nothing is written to, usually [Builtin].
	Under []Source
	// Paths are files and folders as [ReadSources] takes them. What is learned for
	// a level that one of these files describes is written into it, beside the
	// original, unless the file is write-protected.
	Paths []string
	// Learned is the folder for all else; it may be absent. Empty: such entries are
	// refused.
	Learned string
	// Without are types that are left out of what is loaded.
	Without []TypeID
}

// Sources reads all sources. The ones of the folder Learned come last.
func (s Store) Sources() ([]Source, error) {
	sources, err := ReadSources(s.Paths...)
	if err != nil {
		return nil, err
	}
	sources = append(slices.Clone(s.Under), sources...)
	if s.Learned == "" {
		return sources, nil
	}
	names, err := xmlFiles(os.DirFS(s.Learned), s.Learned)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("knowledge base %s: %w", s.Learned, err)
	}
	for _, name := range names {
		if slices.ContainsFunc(sources, func(src Source) bool { return src.Name == name }) {
			continue
		}
		data, err := readBounded(name)
		if err != nil {
			return nil, fmt.Errorf("knowledge base %s: %w", name, err)
		}
		sources = append(sources, Source{Name: name, Data: data})
	}
	return sources, nil
}

// FileNames gives the sources names of files of one folder, each its own, and their content, in their order.
func FileNames(sources []Source) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		taken := map[string]bool{}
		for _, s := range sources {
			base := path.Base(filepath.ToSlash(s.Name))
			name := base
			for n := 2; taken[name]; n++ { // files of several folders
				name = fmt.Sprintf("%s-%d.xml", strings.TrimSuffix(base, ".xml"), n)
			}
			taken[name] = true
			if !yield(name, s.Data) {
				return
			}
		}
	}
}

// Load reads and loads all sources.
func (s Store) Load() (*Base, error) {
	sources, err := s.Sources()
	if err != nil {
		return nil, err
	}
	base, err := Load(sources...)
	if err != nil {
		return nil, err
	}
	return base.Without(s.Without...)
}

// ErrUnknownEntry is in the error of Accept and Reject for an id that no source
// holds.
var ErrUnknownEntry = errors.New("no such entry")

// Learn writes entries into the knowledge base and returns the written ones:
// an entry that is rejected, or known for its site, is passed over; one that is
// known for another site gets that site added. The files may be edited by others
// meanwhile: a change of theirs is never lost, nor is an entry. inForce is the base
// in use; it counts while the files are invalid. After an error some of the entries
// may have been written; they are returned.
func (s Store) Learn(inForce *Base, entries ...Entry) (written []Entry, err error) {
	base, err := s.Load()
	if err != nil {
		if base = inForce; base == nil {
			return nil, err
		}
	}
	var errs []error
	for _, e := range entries {
		if slices.ContainsFunc(written, func(w Entry) bool { return w.ID() == e.ID() }) {
			if again, err := s.Load(); err == nil {
				base = again // it stands somewhere now
			}
		}
		if base.knows(&e) {
			continue
		}
		if err := e.check(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", e.Place, err))
			continue
		}
		if err := s.learn(base, &e); err != nil {
			errs = append(errs, fmt.Errorf("writing the learned change of %s: %w", e.Place, err))
			continue
		}
		written = append(written, e)
	}
	return written, errors.Join(errs...)
}

// learn writes one entry: where it stands already, beside the original, or in
// the folder for all else.
func (s Store) learn(base *Base, e *Entry) error {
	for i := range base.Entries {
		k := &base.Entries[i]
		if k.ID() == e.ID() && s.writable(k.Pos.File) {
			site := strings.TrimSpace(k.Site + " " + e.Site)
			return editFile(k.Pos.File, func(data []byte) ([]byte, error) {
				return setAttrs(data, k.ID(), map[string]string{"site": site})
			})
		}
	}
	t := base.Type(e.Type)
	if t == nil {
		return fmt.Errorf("the knowledge base has no type %s", e.Type)
	}
	var beside error
	for _, l := range t.Levels {
		if !base.Has(e.Place) || l.Type != e.Type || l.ID != e.Level || l.Variant != e.Variant || !s.writable(l.Pos.File) ||
			s.isLearned(l.Pos.File) {
			continue
		}
		beside = editFile(l.Pos.File, func(data []byte) ([]byte, error) { return insertBeside(data, e) })
		if beside == nil {
			return nil
		}
	}
	if err := s.overlay(t, e); err != nil {
		return errors.Join(beside, err)
	}
	return nil
}

// overlay writes an entry into the file of its type in the folder Learned.
func (s Store) overlay(t *Type, e *Entry) error {
	if s.Learned == "" {
		return errors.New("no file with the level is writable; make one writable, or use a crawl folder")
	}
	if err := os.MkdirAll(s.Learned, 0o755); err != nil {
		return err
	}
	const most = 100
	for n := 1; n <= most; n++ {
		name := string(t.ID) + ".xml"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.xml", t.ID, n) // an edit has left no room in the one before
		}
		err := editFile(filepath.Join(s.Learned, name), func(data []byte) ([]byte, error) {
			if len(data) == 0 {
				data = newOverlay(t)
			}
			return insertOverlay(data, e)
		})
		if !errors.Is(err, errNoRoom) {
			return err
		}
	}
	return fmt.Errorf("%s: none of %d files of the type %s has a <learned> block", s.Learned, most, t.ID)
}

// Accept makes an entry permanent and good for all sites, today by the day given.
// It returns the files that it changed.
func (s Store) Accept(id string, day time.Time) ([]string, error) {
	return s.decide(id, func(e *Entry) { e.Accepted, e.Rejected = true, false },
		map[string]string{"accepted": day.UTC().Format(dayForm), "rejected": remove, "why": remove})
}

// Reject takes an entry out of force, and remembers it so that it is not learned
// again. why may be empty. It returns the files that it changed.
func (s Store) Reject(id, why string, day time.Time) ([]string, error) {
	attrs := map[string]string{"rejected": day.UTC().Format(dayForm), "accepted": remove, "why": why}
	if why == "" {
		attrs["why"] = remove
	}
	return s.decide(id, func(e *Entry) { e.Accepted, e.Rejected, e.Why = false, true, why }, attrs)
}

// decide changes the attributes of an entry wherever it stands. One that stands
// only where nothing can be written is repeated, as it is now, in the folder
// Learned.
func (s Store) decide(id string, change func(*Entry), attrs map[string]string) (files []string, err error) {
	base, err := s.Load()
	if err != nil {
		return nil, err
	}
	var found *Entry
	for i := range base.Entries {
		e := &base.Entries[i]
		if e.ID() != id {
			continue
		}
		found = e
		if !s.writable(e.Pos.File) || slices.Contains(files, e.Pos.File) {
			continue
		}
		if err := editFile(e.Pos.File, func(data []byte) ([]byte, error) { return setAttrs(data, id, attrs) }); err != nil {
			return files, err
		}
		files = append(files, e.Pos.File)
	}
	switch {
	case found == nil:
		return nil, fmt.Errorf("%s: %w", id, ErrUnknownEntry)
	case len(files) > 0:
		return files, nil
	}
	e := *found
	change(&e)
	if err := s.overlay(base.Type(e.Type), &e); err != nil {
		return nil, err
	}
	return []string{s.Learned}, nil
}

// writable reports whether a source is a file that may be changed. A file without
// any right to write is its author's wish, whoever asks.
func (s Store) writable(name string) bool {
	for _, src := range s.Under {
		if src.Name == name {
			return false
		}
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o222 != 0
}

// isLearned reports whether a file lies in the folder Learned.
func (s Store) isLearned(name string) bool {
	return s.Learned != "" && filepath.Dir(name) == filepath.Clean(s.Learned)
}
