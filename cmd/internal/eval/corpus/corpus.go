// Package corpus reads a folder of saved pages and the notes of people who read the pages.
package corpus

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
)

// Page is one line of an index.tsv.
type Page struct {
	CMS   string
	Level string // its name in the knowledge base; empty if the index has no such level
	URL   string // empty if unknown
	File  string // in the folder
}

// levels translates the level names of an index.tsv; other names are ignored.
var levels = map[string]string{
	"forum-index": "index", "topic-list": "forum", "post-list": "topic", "profile": "profile", "blog-post": "post",
	"wiki-article": "article", "home": "home", "blog-home": "home", "archive-list": "archive", "page": "page",
}

// IndexError is the reason why a folder has no usable index.
type IndexError struct{ Err error }

func (e *IndexError) Error() string { return e.Err.Error() }
func (e *IndexError) Unwrap() error { return e.Err }

// Index reads the index.tsv of a folder. The error is an [*IndexError].
func Index(dir string) ([]Page, error) {
	data, err := os.ReadFile(filepath.Join(dir, "index.tsv"))
	if err != nil {
		return nil, &IndexError{err}
	}
	var pages []Page
	for i, line := range strings.Split(string(data), "\n") {
		col := strings.Split(strings.TrimRight(line, "\r"), "\t")
		if i > 0 && len(col) >= 8 {
			pages = append(pages, Page{CMS: col[0], Level: levels[col[2]], URL: col[6], File: col[7]})
		}
	}
	if len(pages) == 0 {
		return nil, &IndexError{fmt.Errorf("%s names no page", filepath.Join(dir, "index.tsv"))}
	}
	return pages, nil
}

// Notes are the corrections of the index by readers, by file or pattern.
type Notes map[string]string

// ReadNotes reads files of notes. A line has a file or pattern, a level, type or nothing, and the
// reason.
func ReadNotes(truth, pattern string) (Notes, error) {
	files, err := filepath.Glob(filepath.Join(truth, filepath.FromSlash(pattern)))
	if err != nil {
		return nil, err
	}
	out := Notes{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for _, line := range strings.Split(string(data), "\n") {
			if col := strings.Split(line, "\t"); len(col) >= 2 && !strings.HasPrefix(line, "#") {
				out[col[0]] = col[1]
			}
		}
	}
	return out, nil
}

// Of returns the note on a file.
func (n Notes) Of(file string) (note string, found bool) {
	if l, ok := n[file]; ok {
		return l, true
	}
	for pattern, l := range n {
		if ok, _ := path.Match(pattern, file); ok {
			return l, true
		}
	}
	return "", false
}

// Level returns the true level of a page, by notes about levels; known is false without one.
func (n Notes) Level(p Page) (level string, known bool) {
	if l, ok := n.Of(p.File); ok {
		return l, true
	}
	return p.Level, p.Level != ""
}

// maxPage bounds a saved page, in bytes.
const maxPage = 64 << 20

// ReadFile reads a saved page, which may be compressed as its name says.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return io.ReadAll(io.LimitReader(r, maxPage+1))
}

// Squeeze removes white space and case, in which renderings of the same words differ.
func Squeeze(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s))
}

// Shorten returns a text for messages: one line of bounded length.
func Shorten(s string) string {
	const most = 100
	r := []rune(strings.ReplaceAll(s, "\n", " / "))
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(r)
}
