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

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
)

// LogTail is how much of the end of a log is read, in bytes: looking at a long crawl costs no more than looking at a short one.
const LogTail = 4 << 20

// Tail calls fn with the lines of a log of the crawl in a folder, such as "adaptation.jsonl", the last first, until it returns false or
// LogTail bytes are read. A log that is not there has no lines.
func Tail(dir, log string, fn func(line []byte) bool) error {
	f, err := os.Open(filepath.Join(dir, "log", log))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := lastLineEnd(f)
	if err != nil {
		return err
	}
	start := max(0, end-LogTail)
	buf := make([]byte, end-start)
	if _, err := f.ReadAt(buf, start); err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSuffix(buf, []byte("\n")), []byte("\n"))
	if start > 0 {
		lines = lines[1:] // it is not whole
	}
	for _, line := range slices.Backward(lines) {
		if len(line) > 0 && !fn(line) {
			break
		}
	}
	return nil
}

// Exchanges are the last exchanges of the crawl in a folder that are wanted, each URL once, the last first, at most so many.
func Exchanges(dir string, most int, wanted func(*engine.Exchanged) bool) (out []engine.Exchanged, err error) {
	seen := map[string]bool{}
	err = Tail(dir, "crawl.jsonl", func(line []byte) bool {
		var e engine.Exchanged
		if json.Unmarshal(line, &e) == nil && !seen[e.URL] && wanted(&e) {
			seen[e.URL] = true
			out = append(out, e)
		}
		return len(out) < most
	})
	return out, err
}

// ExchangesOf are the exchanges of one URL, as [Exchanges] are of all: at most one.
func ExchangesOf(dir, address string, wanted func(*engine.Exchanged) bool) (out []engine.Exchanged, err error) {
	written, err := json.Marshal(address) // as it is in the log
	if err != nil {
		return nil, err
	}
	err = Tail(dir, "crawl.jsonl", func(line []byte) bool {
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

// ReadPage reads the page of an exchange of the crawl in a folder from its archive, also while the crawl runs. The error says why there is
// none, or why it could not be read in all steps; what could be is returned with it.
func ReadPage(ctx context.Context, dir string, d *detect.Detector, e *engine.Exchanged) (*Page, error) {
	if e.File == "" || e.Record == "" {
		return nil, fmt.Errorf("%s: nothing of it is in the archive", e.URL)
	}
	folder := filepath.Join(dir, "archive")
	names, err := filepath.Glob(filepath.Join(folder, "*.warc.gz*"))
	if err != nil {
		return nil, err
	}
	name := filepath.Join(folder, filepath.Base(e.File))
	if slices.Contains(names, name+".open") {
		name += ".open"
	}
	answer, err := archive.AnswerAt(name, e.Offset, names, engine.StoredMost)
	if err != nil {
		return nil, err
	}
	p, err := engine.ReadStored(ctx, d, answer, "")
	if p.Doc == nil {
		return nil, errors.Join(err, fmt.Errorf("%s: what is archived is no page", e.URL))
	}
	return &Page{StoredPage: p, Answer: answer}, err
}

// FindPage reads the page that the crawl in a folder archived last of a URL.
func FindPage(ctx context.Context, dir string, d *detect.Detector, address string) (*Page, error) {
	found, err := ExchangesOf(dir, address, func(e *engine.Exchanged) bool { return e.Record != "" })
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: the crawl in %s has no such page among the last %d MiB of its log", address, dir, LogTail>>20)
	}
	return ReadPage(ctx, dir, d, &found[0])
}

// PagesLike reads other pages that the crawl in a folder took to be of the type and level of a page: the last, at most so many.
func PagesLike(ctx context.Context, dir string, d *detect.Detector, p *Page, most int) (out []extract.Page, err error) {
	if p.Finding.Type == nil || p.Harvest.Level == nil {
		return nil, nil
	}
	typ, level := string(p.Finding.Type.ID), string(p.Harvest.Level.ID)
	found, err := Exchanges(dir, most, func(e *engine.Exchanged) bool {
		return e.Type == typ && e.Level == level && e.Record != "" && e.URL != p.Answer.URL
	})
	if err != nil {
		return nil, err
	}
	for i := range found {
		other, err := ReadPage(ctx, dir, d, &found[i])
		if err == nil && other.Harvest.Level != nil && string(other.Harvest.Level.ID) == level {
			out = append(out, other.Extracted())
		}
	}
	return out, ctx.Err()
}
