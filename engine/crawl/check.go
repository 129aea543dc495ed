package crawl

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
)

// OptionsError lists the invalid options of a call. Nothing was changed.
type OptionsError struct{ complaints []complaint }

// complaint is a message; those of its args that are options are names of fields of [Options].
type complaint struct {
	format string
	args   []any
}

type option string

// Error lists all complaints, one a line.
func (e *OptionsError) Error() string { return e.Text(func(field string) string { return field }) }

// Text is Error with the fields of [Options] called as name does: a program has names of its own for them.
func (e *OptionsError) Text(name func(field string) string) string {
	var lines []string
	for _, c := range e.complaints {
		lines = append(lines, Sprintf(name, c.format, c.args...))
	}
	return strings.Join(lines, "\n")
}

// Sprintf formats a message of [Events.Noted], with the fields of [Options] in it called as name does.
func Sprintf(name func(field string) string, format string, args ...any) string {
	named := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case option:
			named[i] = name(string(a))
		case *OptionsError:
			named[i] = a.Text(name)
		default:
			named[i] = a
		}
	}
	return fmt.Sprintf(format, named...)
}

// complain makes an error of one complaint.
func complain(format string, args ...any) error {
	return &OptionsError{[]complaint{{format, args}}}
}

// complaints gathers the complaints about options; any other error ends the gathering.
type complaints struct {
	all   []complaint
	other error
}

func (c *complaints) add(err error) {
	var of *OptionsError
	switch {
	case err == nil:
	case errors.As(err, &of):
		c.all = append(c.all, of.complaints...)
	case c.other == nil:
		c.other = err
	}
}

func (c *complaints) err() error {
	if c.other == nil && len(c.all) > 0 {
		return &OptionsError{c.all}
	}
	return c.other
}

// Check validates options as [New] does, writes nothing, and gives the settings that the crawl would be kept with. dir may be
// empty. All complaints come together, in an [*OptionsError]; those about plugins and weights once there are no others.
func Check(dir string, o Options) (Settings, error) {
	p, err := plan(dir, o)
	return p.settings, err
}

// planned is a crawl that nothing speaks against.
type planned struct {
	settings Settings
	logins   secrets
	topic    *topic // nil: none
	examples []byte // of the context graph; nil: none
}

func plan(dir string, o Options) (p planned, err error) {
	var c complaints
	o = o.filled()
	o.UserAgent = o.agent() // which is the same once a newer version goes on with the crawl
	o.check(&c)
	if o, err = o.absolute(); err != nil {
		return p, err
	}
	p.topic, err = o.readTopic()
	c.add(err)
	o.Seeds = append(o.Seeds, o.campaign(&c)...)
	p.settings = Settings{Flags: o, CrawlID: archive.NewID(), Started: time.Now().UTC().Truncate(time.Millisecond)}
	if o.Frontier != "" {
		p.settings.Node = archive.NewID()
	}
	p.settings.Seeds, p.logins.Seeds, err = splitSeeds(append(append([]string{}, o.Seeds...), p.topic.seeds()...))
	c.add(err)
	for _, seed := range p.topic.seeds() {
		if _, had := fetch.WithoutPassword(seed); had { // the archive has the file
			c.add(complain("%s: a seed has a password, which would be archived; give this seed as an argument", option("Topic")))
		}
	}
	p.logins.take(&p.settings.Flags)
	if dir != "" {
		c.add(CheckDir(dir))
	}
	if err := c.err(); err != nil {
		return p, err
	}
	if o.joins {
		return p, nil
	}
	if p.examples, err = o.contextExamples(p.topic); err != nil {
		return p, err
	}
	return p, o.checkScoring(p.topic, p.settings)
}

// check adds all complaints that need no other part of the crawl.
func (o Options) check(c *complaints) {
	if o.Workers < 1 || o.Workers > 10_000 {
		c.add(complain("%s %d: expected 1 to 10000", option("Workers"), o.Workers))
	}
	if o.Delay < 0 || o.TimeLimit < 0 || o.Timeout <= 0 {
		c.add(complain("negative duration, or %s not above 0", option("Timeout")))
	}
	if o.SpeedLimit < 0 || o.SpeedLimit > 1<<30 || o.SpeedTime < 0 || o.SpeedTime > time.Hour {
		c.add(complain("%s %d, %s %s: expected 0 (no limit) to 1G, and at most 1h", option("SpeedLimit"), o.SpeedLimit,
			option("SpeedTime"), o.SpeedTime))
	}
	if !(o.TrapShare >= 0 && o.TrapShare <= 1) || o.TrapLimit < 0 {
		c.add(complain("%s %v, %s %d: expected 0 to 1, and 0 or more", option("TrapShare"), o.TrapShare,
			option("TrapLimit"), o.TrapLimit))
	}
	if o.Limit < 0 || o.MaxTries < 1 {
		c.add(complain("%s may not be negative, %s must be at least 1", option("Limit"), option("MaxTries")))
	}
	if !(o.RankMass >= 0 && o.RankMass <= 1) {
		c.add(complain("%s %g: expected 0 to 1", option("RankMass"), o.RankMass))
	}
	c.add(o.checkBrowser())
	_, err := o.frontierOptions()
	c.add(err)
	o.checkNodes(c)
	if o.Domains != "" {
		if _, err := readDomains(o.Domains); err != nil {
			c.add(complain("%s: %v", option("Domains"), err))
		}
	}
	if rules, err := readScope(o.Scope); err != nil {
		c.add(complain("%s: %v", option("Scope"), err))
	} else {
		_, err := o.scope(nil, rules)
		c.add(err)
	}
	c.add(o.checkKB())
	if o.Draft && o.Blind {
		c.add(complain("%s and %s cannot be used together", option("Draft"), option("Blind")))
	}
	c.add(o.checkEarlier())
	_, err = o.guard(nil, nil)
	c.add(err)
	if o.Login != "" {
		if _, err := readLogin(o.Login); err != nil {
			c.add(complain("%s: %v", option("Login"), err))
		}
	}
	if f, err := fetch.New(o.fetchOptions("")); err != nil {
		c.addFetch(err)
	} else {
		f.Close()
	}
	if err := o.archiveOptions().Check(); err != nil {
		c.add(complain("%s: %v", option("WARCPrefix"), err))
	}
}

// fetchOption finds the option at the start of a complaint of [fetch.New] that has the same name here.
var fetchOption = regexp.MustCompile(`^option (Cookies|Proxy|UserAgent|Contact)\b`)

// addFetch adds the complaints of [fetch.New].
func (c *complaints) addFetch(err error) {
	for line := range strings.Lines(strings.TrimPrefix(err.Error(), "fetch options: ")) {
		line = strings.TrimSpace(line)
		if name := fetchOption.FindStringSubmatch(line); name != nil {
			c.add(complain("%s%s", option(name[1]), line[len(name[0]):]))
			continue
		}
		c.add(complain("%s", line))
	}
}

// checkKB complains about what is not in the knowledge base.
func (o Options) checkKB() error {
	base, err := o.loadKB()
	if err != nil {
		return err
	}
	if base, err = base.Without(o.Without...); err != nil {
		return complain("%s: %v; see awarc kb list", option("Without"), err)
	}
	if o.Type != "" && base.Type(kb.TypeID(o.Type)) == nil {
		return complain("%s %q is not in the knowledge base; see awarc kb list", option("Type"), o.Type)
	}
	return nil
}

// loadKB loads the knowledge base without what a crawl learned.
func (o Options) loadKB() (*kb.Base, error) {
	added, err := kb.ReadSources(o.KB...)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, complain("%s: %v", option("KB"), err)
	case err != nil:
		return nil, err
	case o.Alone && len(added) == 0:
		return nil, complain("%s needs %s", option("Alone"), option("KB"))
	}
	return kb.Load(append(o.under(), added...)...)
}

// splitSeeds makes seeds absolute, each once and without its password; logins are those that had one, with it.
func splitSeeds(texts []string) (seeds, logins []string, err error) {
	parsed, err := parseSeeds(texts)
	if err != nil {
		return nil, nil, err
	}
	known := map[string]bool{}
	for i, u := range parsed {
		if named, err := url.Parse(texts[i]); err == nil && named.User != nil {
			login := *u
			login.User = named.User
			logins = append(logins, login.String())
		}
		if !known[u.String()] {
			known[u.String()] = true
			seeds = append(seeds, u.String())
		}
	}
	if len(seeds) == 0 {
		return nil, nil, complain("no seed URL; name at least one, such as https://example.org/forum/")
	}
	return seeds, logins, nil
}

// parseSeeds makes seeds absolute; a seed without a scheme is taken as http, as browsers and wget do.
func parseSeeds(texts []string) ([]*url.URL, error) {
	var seeds []*url.URL
	for _, t := range texts {
		u, err := engine.SeedURL(t)
		if err != nil {
			shown, _ := fetch.WithoutPassword(t)
			return nil, complain("seed %q: %v", shown, err)
		}
		seeds = append(seeds, u)
	}
	return seeds, nil
}
