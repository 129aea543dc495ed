package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"github.com/alecthomas/kong"

	"github.com/awarc/awarc/engine/crawl"
)

type jobsCmd struct {
	AtOnce int    `default:"16" placeholder:"N" help:"Fetch N URLs at a time, over all crawls."`
	Format string `enum:"text,json" default:"text" help:"Output format."`
	File   string `arg:"" help:"File with one crawl a line: the flags (with --out) and seeds of awarc crawl; # starts a comment."`
}

// Help describes the file.
func (*jobsCmd) Help() string {
	return `Each line of the file is a crawl, for example:

    --out boards --contact me@example.org https://example.org/forum/
    --out blogs  --config blogs.yaml

If the --out folder already holds a crawl, this crawl continues with its flags. Crawls that share a
host, an IP address or a pay-level domain send it one request at a time. Each crawl keeps its own
--delay after the requests of the others too.`
}

// Run runs all crawls of a file.
func (c *jobsCmd) Run(ctx context.Context, s streams) error {
	if c.AtOnce < 1 {
		return usageError("--at-once %d: expected at least 1", c.AtOnce)
	}
	jobs, err := readJobs(c.File)
	if err != nil {
		return err
	}
	return runSessions(ctx, s, c.Format, func() ([]*session, error) { return c.openAll(jobs, s) })
}

// openAll opens the crawls of all jobs, or none.
func (c *jobsCmd) openAll(jobs []*job, s streams) (crawls []*session, err error) {
	p := crawl.NewPool(c.AtOnce)
	errs := &sync.Mutex{}
	for _, j := range jobs {
		labelled := s
		labelled.in, labelled.err = strings.NewReader(""), &label{errs, s.err, filepath.Base(j.crawl.Out)}
		x, err := j.open(labelled, p)
		if err != nil {
			err = fmt.Errorf("%s:%d: %w", c.File, j.line, err)
			for _, x := range crawls {
				err = errors.Join(err, x.crawl.Close())
			}
			return nil, err
		}
		crawls = append(crawls, x)
	}
	return crawls, nil
}

// job is one line of a file of jobs.
type job struct {
	line  int
	crawl crawlCmd
}

// open begins the crawl, or goes on with it.
func (j *job) open(s streams, p *crawl.Pool) (*session, error) {
	if _, err := os.Stat(filepath.Join(j.crawl.Out, crawl.SettingsFile)); err == nil {
		return resume(j.crawl.Out, s, crawl.ResumeOptions{Pool: p})
	}
	return j.crawl.open(s, p)
}

// readJobs reads all lines before anything is begun.
func readJobs(file string) ([]*job, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, usageError("%v", err)
	}
	var jobs []*job
	folders := make(map[string]int)
	for i, line := range strings.Split(string(data), "\n") {
		words, err := splitWords(line)
		if err == nil && len(words) == 0 {
			continue
		}
		j := &job{line: i + 1}
		if err == nil {
			err = j.parse(words)
		}
		if err != nil {
			return nil, usageError("%s:%d: %v", file, i+1, err)
		}
		folder := filepath.Clean(j.crawl.Out)
		if before := folders[folder]; before > 0 {
			return nil, usageError("%s:%d: --out %s is already used in line %d", file, i+1, j.crawl.Out, before)
		}
		folders[folder] = i + 1
		jobs = append(jobs, j)
	}
	if len(jobs) == 0 {
		return nil, usageError("%s: no crawl in the file; expected lines such as: --out DIR https://example.org/", file)
	}
	return jobs, nil
}

func (j *job) parse(words []string) error {
	parser, err := kong.New(&j.crawl, kong.Name("awarc crawl"), kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
	if err != nil {
		return err
	}
	if _, err := parser.Parse(words); err != nil {
		return err
	}
	switch {
	case j.crawl.Out == "":
		return errors.New("--out is missing; each crawl needs its own folder")
	case j.crawl.DryRun:
		return errors.New("--dry-run works in awarc crawl only")
	}
	return nil
}

// splitWords splits a line as a shell does: at spaces outside of quotes, up to a # that begins a word.
func splitWords(line string) (words []string, err error) {
	var word strings.Builder
	var quote rune
	inWord := false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inWord = r, true
		case unicode.IsSpace(r):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		case r == '#' && !inWord:
			return words, nil
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("missing closing quote %c", quote)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// label puts the name of a crawl before its messages, one at a time.
type label struct {
	turn *sync.Mutex // of all crawls that write to w
	w    io.Writer
	name string
}

// Write writes one message.
func (l *label) Write(p []byte) (int, error) {
	l.turn.Lock()
	defer l.turn.Unlock()
	if _, err := fmt.Fprintf(l.w, "%s: %s", l.name, p); err != nil {
		return 0, err
	}
	return len(p), nil
}
