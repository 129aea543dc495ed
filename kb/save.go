package kb

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrSavedMeanwhile is in the error of Save for a file that changed after the caller read it.
var ErrSavedMeanwhile = errors.New("the file was changed meanwhile; reload it")

// Digest identifies the text of a file, in any encoding; a missing file has the digest of an empty text.
func Digest(data []byte) string {
	sum := sha256.Sum256(SourceText(data))
	return hex.EncodeToString(sum[:])
}

// LoadWith loads the knowledge base as it would be if a source held a [SourceText]: one that it has, or one more behind them.
func (s Store) LoadWith(name string, data []byte) (*Base, error) {
	sources, err := s.Sources()
	if err != nil {
		return nil, err
	}
	sources = slices.Clone(sources)
	if i := slices.IndexFunc(sources, func(src Source) bool { return src.Name == name }); i >= 0 {
		sources[i].Data = encodedAs(sources[i].Data, data)
	} else {
		sources = append(sources, Source{Name: name, Data: data})
	}
	base, err := Load(sources...)
	if err != nil {
		return nil, err
	}
	return base.Without(s.Without...)
}

// Editable reports whether Save takes a name: that of a file of the knowledge base which may be written, or of one that is to be in the
// folder Learned.
func (s Store) Editable(name string) bool {
	if _, err := os.Lstat(name); err != nil {
		return s.isLearned(name) && strings.HasSuffix(name, ".xml") && !strings.HasPrefix(filepath.Base(name), ".")
	}
	sources, err := s.Sources()
	return err == nil && s.writable(name) && slices.ContainsFunc(sources, func(src Source) bool { return src.Name == name })
}

// Save replaces the [SourceText] of a file of the knowledge base, or makes one, at one stroke. A file keeps its encoding. digest is
// that of the text when it was read; where another is there by now, nothing is changed. Nor is it where the knowledge base would not
// load with it.
func (s Store) Save(name, digest string, data []byte) error {
	if !s.Editable(name) {
		return fmt.Errorf("%s: not a writable file of the knowledge base", name)
	}
	if _, err := s.LoadWith(name, data); err != nil {
		return err
	}
	if s.isLearned(name) {
		if err := os.MkdirAll(s.Learned, 0o755); err != nil {
			return err
		}
	}
	return editFile(name, func(old []byte) ([]byte, error) {
		if Digest(old) != digest {
			return nil, ErrSavedMeanwhile
		}
		return encodedAs(old, data), nil
	})
}
