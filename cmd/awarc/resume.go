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
	Traps  bool   `help:"Fetch the deferred URLs, which are suspected crawler traps."`
	Failed bool   `help:"Retry the failed URLs, and end the waits of hosts."`
	Format string `enum:"text,json" default:"text" help:"Output format."`
	Dir    string `arg:"" help:"Folder of the crawl."`
	crawlFlags
}

// Help is shown below the usage.
func (c *resumeCmd) Help() string {
	return `The crawl continues with its flags. A flag of awarc crawl that is given here replaces the earlier value, in this session and
later ones: --cookies= removes a file, --include= a list, and --requisites=false switches a flag off. Limits include earlier sessions.
If more links are to be followed, awarc reads the archived pages again for them, without a request. Some flags, such as --kb, cannot
change; the error gives the reason.`
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

// changes returns the options whose flags were given.
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
	for _, name := range optionNames() {
		if given[flagOf(name)] {
			changes.Names = append(changes.Names, name)
		}
	}
	return changes
}

// optionNames lists the fields of crawl.Options.
func optionNames() (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[crawl.Options]()) {
		if !field.Anonymous {
			names = append(names, field.Name)
		}
	}
	return names
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

// listed returns items, or an empty list for a single empty item, as of --include=.
func listed(items []string) []string {
	if len(items) == 1 && items[0] == "" {
		return []string{}
	}
	return items
}

// hideKept hides the flags in the help of resume that cannot change.
func hideKept(k *kong.Kong) error {
	hidden := map[string]bool{}
	for _, name := range optionNames() {
		hidden[flagOf(name)] = crawl.Keeps(name)
	}
	for _, command := range k.Model.Children {
		for _, flag := range command.Flags {
			flag.Hidden = flag.Hidden || command.Name == "resume" && hidden["--"+flag.Name]
		}
	}
	return nil
}
