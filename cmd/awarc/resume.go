package main

import (
	"cmp"
	"context"
	"os"
	"reflect"

	"github.com/alecthomas/kong"

	"github.com/awarc/awarc/engine/crawl"
)

type resumeCmd struct {
	Traps  bool   `help:"Fetch what was put off and still waits, since it may have no end."`
	Failed bool   `help:"Request again what failed, with all its tries; nothing else is fetched twice."`
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
	Dir    string `arg:"" help:"Folder of the crawl."`
	crawlFlags
}

// Help is shown below the usage.
func (c *resumeCmd) Help() string {
	return `The crawl goes on with the flags that it was begun with. A flag of crawl that is given here holds from then on; --cookies= and
--include= take a file or a list away, --requisites=false switches off. Limits include earlier sessions. Where more links are to be
followed than before, what is archived is read again for them, without a request. Flags that a crawl keeps, such as --kb, say why.`
}

// Run goes on with a crawl.
func (c *resumeCmd) Run(ctx context.Context, k *kong.Context, s streams) error {
	if c.API != "" {
		if err := checkAPI(c.API, c.APIToken); err != nil {
			return err
		}
	}
	o := crawl.ResumeOptions{Changes: c.changes(k), Traps: c.Traps, Failed: c.Failed, GoOn: true}
	return runSessions(ctx, s, c.Format, func() ([]*session, error) {
		x, err := resume(c.Dir, s, o)
		if err == nil {
			x.token = cmp.Or(c.APIToken, x.token)
		}
		return lone(x, err)
	})
}

// changes are the options whose flags were given.
func (c *resumeCmd) changes(k *kong.Context) crawl.Changes {
	changes := crawl.Changes{Options: c.options()}
	for _, list := range []*[]string{&changes.Options.Include, &changes.Options.Exclude, &changes.Options.Plugin,
		&changes.Options.Dedupe, &changes.Options.AllowPrivate} {
		*list = listed(*list)
	}
	given := map[string]bool{}
	for _, p := range k.Path {
		if p.Flag != nil {
			given["--"+p.Flag.Name] = true
		}
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[crawl.Options]()) {
		if !field.Anonymous && given[flagOf(field.Name)] {
			changes.Names = append(changes.Names, field.Name)
		}
	}
	return changes
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

// hideKept leaves the flags out of the help of resume that a crawl keeps.
func hideKept(k *kong.Kong) error {
	for _, command := range k.Model.Children {
		if command.Name != "resume" {
			continue
		}
		for _, flag := range command.Flags {
			flag.Hidden = flag.Hidden || crawl.Keeps(func(option string) bool { return flagOf(option) == "--"+flag.Name })
		}
	}
	return nil
}
