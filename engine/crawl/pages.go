package crawl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
)

// LogTail is how much of the end of a log is read, in bytes: looking at a long crawl costs no more than looking at a short one.
const LogTail = 4 << 20

// Folders are the folders of a crawl, which may be running: one, or one for each node.
type Folders struct {
	Dirs []string
	// Elsewhere reads the answer at an offset of a WARC file that is in none of them; nil: there are no others.
	Elsewhere func(ctx context.Context, file string, offset int64) (*archive.Answer, error)
}

// Folder is the one folder of a crawl.
func Folder(dir string) Folders { return Folders{Dirs: []string{dir}} }

// Tail calls fn with the lines of a log of the crawl, such as "adaptation.jsonl", the last first, until it returns false or LogTail bytes
// of each folder's log are read. A log that is not there has no lines.
func (f Folders) Tail(log string, fn func(line []byte) bool) error {
	var tails [][][]byte
	for _, dir := range f.Dirs {
		lines, err := tail(filepath.Join(dir, "log", log))
		if err != nil {
			return err
		}
		if len(lines) > 0 {
			tails = append(tails, lines)
		}
	}
	for len(tails) > 0 {
		at := 0
		if len(tails) > 1 {
			at = latest(tails)
		}
		last := len(tails[at]) - 1
		line := tails[at][last]
		if tails[at] = tails[at][:last]; last == 0 {
			tails = slices.Delete(tails, at, at+1)
		}
		if !fn(line) {
			break
		}
	}
	return nil
}

// latest is the log whose last line is the latest.
func latest(tails [][][]byte) (at int) {
	var newest time.Time
	for i, lines := range tails {
		_, text, _ := bytes.Cut(lines[len(lines)-1], []byte(`"time":"`))
		text, _, _ = bytes.Cut(text, []byte(`"`))
		if t, err := time.Parse(time.RFC3339, string(text)); err == nil && t.After(newest) {
			at, newest = i, t
		}
	}
	return at
}

// tail gives the last lines of a log.
func tail(name string) ([][]byte, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	end, err := lastLineEnd(f)
	if err != nil {
		return nil, err
	}
	start := max(0, end-LogTail)
	buf := make([]byte, end-start)
	if _, err := f.ReadAt(buf, start); err != nil {
		return nil, err
	}
	lines := bytes.Split(bytes.TrimSuffix(buf, []byte("\n")), []byte("\n"))
	if start > 0 {
		lines = lines[1:] // it is not whole
	}
	return slices.DeleteFunc(lines, func(line []byte) bool { return len(line) == 0 }), nil
}

// Exchanges are the last exchanges of the crawl that are wanted, each URL once, the last first, at most so many.
func (f Folders) Exchanges(most int, wanted func(*engine.Exchanged) bool) (out []engine.Exchanged, err error) {
	seen := map[string]bool{}
	err = f.Tail("crawl.jsonl", func(line []byte) bool {
		var e engine.Exchanged
		if json.Unmarshal(line, &e) == nil && !seen[e.URL] && wanted(&e) {
			seen[e.URL] = true
			out = append(out, e)
		}
		return len(out) < most
	})
	return out, err
}

// ExchangesOf are the exchanges of one URL, as Exchanges are of all: at most one.
func (f Folders) ExchangesOf(address string, wanted func(*engine.Exchanged) bool) (out []engine.Exchanged, err error) {
	written, err := json.Marshal(address) // as it is in the log
	if err != nil {
		return nil, err
	}
	err = f.Tail("crawl.jsonl", func(line []byte) bool {
		var e engine.Exchanged
		// Most lines are of other URLs: they are not decoded, which takes a tenth of a second for all.
		if bytes.Contains(line, written) && json.Unmarshal(line, &e) == nil && e.URL == address && wanted(&e) {
			out = append(out, e)
		}
		return len(out) == 0
	})
	return out, err
}

// FirstExchanges are the first exchanges of the crawl in a folder that are wanted, each URL once, the first first, at most so many. It
// reads the whole log.
func FirstExchanges(dir string, most int, wanted func(*engine.Exchanged) bool) (out []engine.Exchanged, err error) {
	f, err := os.Open(filepath.Join(dir, "log", "crawl.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	seen := map[string]bool{}
	for r := bufio.NewReader(f); len(out) < most; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			if err == io.EOF { // what has no end is being written
				return out, nil
			}
			return out, err
		}
		var e engine.Exchanged
		if json.Unmarshal(line, &e) == nil && !seen[e.URL] && wanted(&e) {
			seen[e.URL] = true
			out = append(out, e)
		}
	}
	return out, nil
}

// Page is an archived page as it is read now.
type Page struct {
	engine.StoredPage
	Answer *archive.Answer
}

// Extracted is the page as its actions see it.
func (p *Page) Extracted() extract.Page {
	return extract.Page{Doc: p.Doc, URL: p.URL, Charset: p.Charset, Captured: p.Answer.Time, Type: p.Finding.Type, Levels: p.Finding.Levels,
		Generic: true}
}

// Answer reads the answer at an offset of a WARC file of the crawl, with a block of at most so many bytes.
func (f Folders) Answer(ctx context.Context, file string, offset, most int64) (*archive.Answer, error) {
	for _, dir := range f.Dirs {
		folder := filepath.Join(dir, "archive")
		names, err := filepath.Glob(filepath.Join(folder, "*.warc.gz*"))
		if err != nil {
			return nil, err
		}
		name := filepath.Join(folder, filepath.Base(file))
		if slices.Contains(names, name+".open") {
			name += ".open"
		}
		if slices.Contains(names, name) {
			return archive.AnswerAt(name, offset, names, most)
		}
	}
	if f.Elsewhere == nil {
		return nil, fmt.Errorf("%s: no such file in the archive", filepath.Base(file))
	}
	return f.Elsewhere(ctx, file, offset)
}

// ReadPage reads the page of an exchange of the crawl from its archive, also while the crawl runs. The error says why there is none, or why
// it could not be read in all steps; what could be is returned with it.
func (f Folders) ReadPage(ctx context.Context, d *detect.Detector, e *engine.Exchanged) (*Page, error) {
	if e.File == "" || e.Record == "" {
		return nil, fmt.Errorf("%s: not in the archive", e.URL)
	}
	answer, err := f.Answer(ctx, e.File, e.Offset, engine.StoredMost)
	if err != nil {
		return nil, err
	}
	p, err := engine.ReadStored(ctx, d, answer, "")
	if p.Doc == nil {
		return nil, errors.Join(err, fmt.Errorf("%s: the archived response is not a page", e.URL))
	}
	return &Page{StoredPage: p, Answer: answer}, err
}

// FindPage reads the page that the crawl archived last of a URL.
func (f Folders) FindPage(ctx context.Context, d *detect.Detector, address string) (*Page, error) {
	found, err := f.ExchangesOf(address, func(e *engine.Exchanged) bool { return e.Record != "" && e.Method == "" })
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: not in the last %d MiB of the log of the crawl in %s", address, LogTail>>20, f.Dirs[0])
	}
	return f.ReadPage(ctx, d, &found[0])
}

// PagesLike reads other pages that the crawl took to be of the type and level of a page: the last, at most so many.
func (f Folders) PagesLike(ctx context.Context, d *detect.Detector, p *Page, most int) (out []extract.Page, err error) {
	if p.Finding.Type == nil || p.Harvest.Level == nil {
		return nil, nil
	}
	typ, level := string(p.Finding.Type.ID), string(p.Harvest.Level.ID)
	found, err := f.Exchanges(most, func(e *engine.Exchanged) bool {
		return e.Type == typ && e.Level == level && e.Record != "" && e.URL != p.Answer.URL
	})
	if err != nil {
		return nil, err
	}
	for i := range found {
		other, err := f.ReadPage(ctx, d, &found[i])
		if err == nil && other.Harvest.Level != nil && string(other.Harvest.Level.ID) == level {
			out = append(out, other.Extracted())
		}
	}
	return out, ctx.Err()
}
