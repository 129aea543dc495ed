package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/frontier"
)

// Changes are options that a session that goes on has from then on, instead of those that the crawl has. Limits include earlier
// sessions.
type Changes struct {
	Options Options
	// Names are those of the fields of Options that count, such as "MaxHops".
	Names []string
}

// begunWith are the options that a crawl keeps, and why.
var begunWith = func() map[string]string {
	const (
		rules = "pages read by other rules would stand beside those that were read by these. Edits of the files that the crawl was begun " +
			"with count at once; awarc extract reads an archive again with another knowledge base"
		scores = "the URLs that wait have their order by it; give it to a new crawl"
		place  = "what the crawl has already is there; give it to a new crawl"
		learns = "what the crawl has learned depends on it; give it to a new crawl"
	)
	return map[string]string{
		"KB": rules, "Alone": rules, "Without": rules, "Type": rules, "Blind": rules, "Draft": learns,
		"Topic": scores, "Weights": scores, "Learn": learns, "Update": scores,
		"DomainBudget": scores, "DomainBudgetPerLink": scores, "DomainBudgetLinks": scores,
		"Previous": "pages that are archived already were compared with it; give it to a new crawl",
		"Frontier": place, "Crawl": place, "WARCPrefix": place,
		"Campaign": place, "Seeds": "seeds are given to a running crawl over its API, or to a new crawl",
	}
}()

// Keeps reports whether one of the options that a crawl keeps, whatever a later session asks for, is so.
func Keeps(is func(option string) bool) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(begunWith)), is)
}

// ofNode are the options that one node of several can change, since they are its own or said to all nodes; plugins, of which all nodes use
// the new version of a file, are not among them.
var ofNode = []string{"Limit", "SizeLimit", "TimeLimit", "MinSpace", "Workers", "API", "Pprof", "WARCSize", "PageRecords", "Index",
	"NoDedupe", "Dedupe", "Delay", "Timeout", "SpeedLimit", "SpeedTime", "Proxy", "Cookies", "Login", "KeepCookies", "VerifyTLS"}

// reaching are the options by which more, or less, of what the archived pages link to is followed.
var reaching = []string{"ScopeType", "Include", "Exclude", "Scope", "MaxHops", "Requisites", "Sitemaps", "NoSitemaps", "Speculative",
	"Optional", "Productive", "APISources", "Nofollow", "IgnoreRobots", "UserAgent"}

// change reports whether one of some options changes.
func (c Changes) change(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(c.Names, name) })
}

// apply changes the options of a crawl. Complaints come together, and with one nothing is changed.
func (c Changes) apply(set *Settings, passwords *secrets) error {
	if len(c.Names) == 0 {
		return nil
	}
	var wrong complaints
	changed, err := c.Options.filled().absolute()
	if err != nil {
		return err
	}
	o := set.Flags
	for _, name := range c.Names {
		switch why := begunWith[name]; {
		case why != "":
			wrong.add(complain("%s: a crawl keeps what it was begun with: %s", option(name), why))
		case set.Node != "" && name == "Plugin":
			wrong.add(complain("%s: a crawl of several nodes keeps the plugins that it was begun with; for a new version, write it to the "+
				"file that a running node was given, and all nodes use it", option(name)))
		case set.Node != "" && !slices.Contains(ofNode, name):
			wrong.add(complain("%s: a crawl of several nodes keeps it, since all nodes must have the same", option(name)))
		default:
			reflect.ValueOf(&o).Elem().FieldByName(name).Set(reflect.ValueOf(changed).FieldByName(name))
		}
	}
	o.check(&wrong)
	if err := wrong.err(); err != nil {
		return err
	}
	if c.change("Proxy") {
		passwords.Proxy = ""
	}
	if c.change("PluginConfig") {
		passwords.PluginConfig = nil
	}
	passwords.take(&o)
	o.Reached = o.Reached || c.change(reaching...)
	set.Flags = o
	return nil
}

// keepChanges keeps the settings for sessions to come, and has what is archived followed again where other links count now. A
// session that is killed here leaves the old settings, or the new ones and all that follows from them.
func (c *Crawl) keepChanges(changes Changes) error {
	if len(changes.Names) == 0 {
		return nil
	}
	if changes.change(reaching...) {
		counters := engine.UncountLinks(c.frontier.Counters())
		if _, err := c.frontier.Again(context.Background(), nil, "", counters); err != nil {
			return err
		}
		if err := c.putFollow(follow{To: c.log.size()}); err != nil {
			return err
		}
	}
	if changes.change("Proxy", "PluginConfig") {
		if err := writeLogins(filepath.Join(c.dir, loginsFile), c.passwords); err != nil {
			return err
		}
	}
	return writeSettings(filepath.Join(c.dir, SettingsFile), c.settings)
}

// readmit makes pending what rules excluded that have changed.
func (c *Crawl) readmit(changes Changes) error {
	own, alone := c.frontier.(*frontier.Frontier)
	if !changes.change(reaching...) || !alone { // nodes do not change these
		return nil
	}
	agent := changes.change("IgnoreRobots", "UserAgent")
	var again []frontier.Entry
	err := c.frontier.Each(frontier.Excluded, func(e frontier.Entry) error {
		if c.engine.Readmits(e, agent) {
			again = append(again, e)
		}
		return nil
	})
	if err != nil || len(again) == 0 {
		return err
	}
	c.note("%d URLs that were excluded are requested, by the options of this session", len(again))
	return c.makePending(again, "the URL was excluded and is requested by new options", "it was excluded before", engine.UncountExcluded,
		own.Readmit)
}

// metaFollow names what is still to be followed again, in the frontier.
const metaFollow = "follow again"

// follow is which lines of the crawl log are to be followed again, in bytes.
type follow struct{ From, To int64 }

func (c *Crawl) putFollow(f follow) error {
	var data []byte
	if f.From < f.To {
		data, _ = json.Marshal(f) // numbers
	}
	return c.frontier.PutMeta(metaFollow, data)
}

// toFollow is what is still to be followed again.
func (c *Crawl) toFollow() (f follow) {
	_ = json.Unmarshal(c.frontier.Meta(metaFollow), &f) // absent: nothing
	return f
}

// followAgain reads what the crawl archived before its options changed again, for where it leads, until that is done or ctx ends.
func (c *Crawl) followAgain(ctx context.Context, todo follow) {
	sum, err := c.followLines(ctx, todo)
	switch {
	case errors.Is(err, context.Canceled): // the rest is remembered
	case err != nil:
		c.note("following what is archived by the options of this session: %v", err)
	default:
		c.note("%d archived answers were read again for where they lead by the options of this session", sum.Answers)
	}
	if sum.Without > 0 {
		c.note("%d answers that the archive has as revisits were not: of what only they link to nothing is known", sum.Without)
	}
}

func (c *Crawl) followLines(ctx context.Context, todo follow) (sum engine.FollowedAgain, err error) {
	log, err := os.Open(filepath.Join(c.dir, "log", "crawl.jsonl"))
	if err != nil {
		return sum, err
	}
	defer log.Close()
	for todo.From < todo.To {
		lines, read, err := logLines(io.NewSectionReader(log, todo.From, todo.To-todo.From), func(*engine.Exchanged) bool { return true })
		if err != nil {
			return sum, err
		}
		some, err := c.engine.FollowAgain(ctx, lines)
		sum.Answers, sum.Without = sum.Answers+some.Answers, sum.Without+some.Without
		if err != nil {
			return sum, err
		}
		if todo.From += read; read == 0 {
			todo.From = todo.To
		}
		if err := c.putFollow(todo); err != nil {
			return sum, err
		}
	}
	return sum, nil
}
