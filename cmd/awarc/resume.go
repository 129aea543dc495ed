package main

import (
	"context"
	"os"
	"time"

	"github.com/awarc/awarc/engine/crawl"
)

type resumeCmd struct {
	Limit     *int64   `placeholder:"N" help:"A new --limit for the crawl, earlier sessions included; 0 for none."`
	SizeLimit *size    `placeholder:"SIZE" help:"A new --size-limit for the crawl, earlier sessions included; 0 for none."`
	TimeLimit *wait    `placeholder:"D" help:"A new --time-limit for this session and those to come; 0 for none."`
	Delay     *wait    `placeholder:"D" help:"A new --delay."`
	Include   []string `sep:"none" placeholder:"RE" help:"Instead of those that the crawl has; '' for none. Likewise the next three."`
	Exclude   []string `sep:"none" placeholder:"RE" help:"Instead of those that the crawl has."`
	Cookies   *string  `placeholder:"FILE" help:"Another cookies.txt; '' for none. Likewise the next."`
	Login     *string  `placeholder:"FILE" help:"Another description of a form to log in by."`
	Plugin    []string `sep:"none" placeholder:"FILE.wasm" help:"Other plugins."`
	Traps     bool     `help:"Fetch what was put off and still waits, since it may have no end."`
	Failed    bool     `help:"Request again what failed, with all its tries; nothing else is fetched twice."`
	Format    string   `enum:"text,json" default:"text" help:"Output format: text or json."`
	Dir       string   `arg:"" help:"Folder of the crawl."`
}

// Run goes on with a crawl.
func (c *resumeCmd) Run(ctx context.Context, s streams) error {
	o := crawl.ResumeOptions{Changes: crawl.Changes{
		Limit: c.Limit, SizeLimit: (*int64)(c.SizeLimit), TimeLimit: (*time.Duration)(c.TimeLimit), Delay: (*time.Duration)(c.Delay),
		Include: listed(c.Include), Exclude: listed(c.Exclude), Cookies: c.Cookies, Login: c.Login, Plugin: listed(c.Plugin),
	}, Traps: c.Traps, Failed: c.Failed, GoOn: true}
	return runSessions(ctx, s, c.Format, func() ([]*session, error) { return lone(resume(c.Dir, s, o)) })
}

// resume opens the crawl in a folder.
func resume(dir string, s streams, o crawl.ResumeOptions) (*session, error) {
	x := newSession(s, "")
	o.Software, o.Events, o.FrontierPassword = software(), x.events(), os.Getenv(crawl.PasswordVariable)
	var err error
	if x.crawl, err = crawl.Resume(dir, o); err != nil {
		return nil, inFlags(err)
	}
	return x, nil
}

// listed is a list that may be given as empty, by one empty item.
func listed(items []string) []string {
	if len(items) == 1 && items[0] == "" {
		return []string{}
	}
	return items
}
