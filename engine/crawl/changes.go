package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/frontier"
)

// Changes replace options of a crawl, for this session and later ones. Limits include earlier sessions.
type Changes struct {
	Options Options
	// Names lists the fields of Options that replace the crawl's, such as "MaxHops".
	Names []string
}

// Reasons why a crawl keeps an option.
const (
	keptRules = "the archive would mix pages read by two sets of rules. Edits of the files that the crawl started with apply at once; " +
		"awarc extract reads an archive again with another knowledge base"
	keptOrder   = "the pending URLs are ordered by it; start a new crawl with it"
	keptPlace   = "the data of the crawl is stored there; start a new crawl with it"
	keptLearned = "the learned data of the crawl depends on it; start a new crawl with it"
)

// keptOptions maps each option that no later session can change to the reason.
var keptOptions = map[string]string{
	"KB": keptRules, "Alone": keptRules, "Without": keptRules, "Type": keptRules, "Blind": keptRules, "Draft": keptLearned,
	"Topic": keptOrder, "Targets": keptLearned, "Context": keptLearned, "Weights": keptOrder, "Learn": keptLearned, "Update": keptOrder,
	"DomainBudget": keptOrder, "DomainBudgetPerLink": keptOrder, "DomainBudgetLinks": keptOrder,
	"Previous": "archived pages were compared with it; start a new crawl with it",
	"Frontier": keptPlace, "Crawl": keptPlace, "WARCPrefix": keptPlace,
	"Campaign": keptPlace, "Seeds": "add seeds over the API of a running crawl, or start a new crawl with them",
}

// Keeps reports whether no later session can change an option, a field of [Options].
func Keeps(option string) bool { return keptOptions[option] != "" }

// ofNode are the options that one node of several can change: its own, and limits, which it publishes to all.
var ofNode = []string{"Limit", "SizeLimit", "TimeLimit", "MinSpace", "Workers", "API", "Pprof", "WARCSize", "PageRecords", "Index",
	"NoDedupe", "Dedupe", "Delay", "RetryDelay", "Timeout", "SpeedLimit", "SpeedTime", "Proxy", "Cookies", "Login", "KeepCookies",
	"Browser", "BrowserMethods", "BrowserShare", "Screenshots", "VerifyTLS"}

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
		switch why := keptOptions[name]; {
		case why != "":
			wrong.add(complain("%s cannot change: %s", option(name), why))
		case name == "RankMass" && o.RankMass == 0:
			wrong.add(complain("%s cannot be set later: earlier sessions did not keep the links of their pages", option(name)))
		case set.Node != "" && name == "Plugin":
			wrong.add(complain("%s cannot change in a crawl of several nodes; to replace a plugin, overwrite the "+
				"file on a running node, and all nodes use the new version", option(name)))
		case set.Node != "" && !slices.Contains(ofNode, name):
			wrong.add(complain("%s cannot change in a crawl of several nodes, since all nodes must share it", option(name)))
		default:
			reflect.ValueOf(&o).Elem().FieldByName(name).Set(reflect.ValueOf(changed).FieldByName(name))
		}
	}
	if c.change("Sitemaps") && o.Sitemaps && !c.change("NoSitemaps") {
		o.NoSitemaps = false // the two exclude each other
	}
	if c.change("NoSitemaps") && o.NoSitemaps && !c.change("Sitemaps") {
		o.Sitemaps = false
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

// keepChanges stores the changed settings for later sessions. If the followed links change, it schedules the archived answers to be read
// again and the excluded URLs to be evaluated again. The settings are stored last: a session that is killed before leaves the old ones.
func (c *Crawl) keepChanges(changes Changes) error {
	if len(changes.Names) == 0 {
		return nil
	}
	if changes.change(reaching...) {
		todo := frontier.Outcome{Counters: engine.UncountLinks(c.frontier.Counters()),
			Meta: map[string][]byte{metaFollow: follow{To: c.log.size()}.encode()}}
		if err := c.frontier.Amend("", todo); err != nil {
			return err
		}
		if err := c.readmit(changes); err != nil {
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

// readmit schedules excluded URLs that the changed options admit.
func (c *Crawl) readmit(changes Changes) error {
	own, alone := c.frontier.(*frontier.Frontier)
	if !alone { // nodes do not change these options
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
	c.note("%d formerly excluded URLs are requested by the new options", len(again))
	return c.makePending(again, "the URL was excluded and is requested by new options", "it was excluded before", engine.UncountExcluded,
		own.Readmit)
}

// metaFollow is the key of the follow setting in the frontier.
const metaFollow = "follow again"

// follow is the range of the crawl log, in bytes, whose answers are still to be read again for their links.
type follow struct{ From, To int64 }

// encode returns the setting, nil for an empty range.
func (f follow) encode() []byte {
	if f.From >= f.To {
		return nil
	}
	data, _ := json.Marshal(f) // numbers
	return data
}

// toFollow returns the range that is still to be followed again.
func (c *Crawl) toFollow() (f follow) {
	_ = json.Unmarshal(c.frontier.Meta(metaFollow), &f) // absent: nothing
	return f
}

// followAgain reads the answers that were archived before the options changed, and schedules their links, until ctx ends.
func (c *Crawl) followAgain(ctx context.Context, todo follow) {
	answers, err := c.followLines(ctx, todo)
	switch {
	case errors.Is(err, context.Canceled): // the next session goes on
	case err != nil:
		c.note("archived pages were not all read again for the new options: %v; run awarc resume", err)
	default:
		c.note("%d archived pages were read again for links that the new options follow", answers)
	}
}

// followLines follows the answers of a range of the log and returns how many it read.
func (c *Crawl) followLines(ctx context.Context, todo follow) (answers int, err error) {
	log, err := os.Open(filepath.Join(c.dir, "log", "crawl.jsonl"))
	if err != nil {
		return 0, err
	}
	defer log.Close()
	originals, err := originalsOf(log, todo)
	if err != nil {
		return 0, err
	}
	for todo.From < todo.To {
		lines, read, err := logLines(io.NewSectionReader(log, todo.From, todo.To-todo.From), func(*engine.Exchanged) bool { return true })
		if err != nil {
			return answers, err
		}
		for i := range lines {
			x := &lines[i]
			if o := originals[x.Revisit]; o != nil && o.Record != "" {
				x.Record, x.File, x.Offset, x.Revisit = o.Record, o.File, o.Offset, ""
			}
		}
		n, err := c.engine.FollowAgain(ctx, lines)
		answers += n
		if err != nil {
			return answers, err
		}
		if todo.From += read; read == 0 {
			todo.From = todo.To
		}
		if err := c.frontier.PutMeta(metaFollow, todo.encode()); err != nil {
			return answers, err
		}
	}
	return answers, nil
}

// originalsOf returns the lines of the records that revisits in a range of the log refer to, by record.
func originalsOf(log io.ReaderAt, todo follow) (map[string]*engine.Exchanged, error) {
	originals := map[string]*engine.Exchanged{}
	each := func(from int64, fn func(*engine.Exchanged)) error {
		for from < todo.To {
			_, read, err := logLines(io.NewSectionReader(log, from, todo.To-from), func(x *engine.Exchanged) bool {
				fn(x)
				return false
			})
			if err != nil || read == 0 {
				return err
			}
			from += read
		}
		return nil
	}
	err := each(todo.From, func(x *engine.Exchanged) {
		if x.Revisit != "" && !x.Elsewhere {
			originals[x.Revisit] = nil
		}
	})
	if err == nil && len(originals) > 0 {
		err = each(0, func(x *engine.Exchanged) {
			if _, wanted := originals[x.Record]; wanted {
				original := *x
				originals[x.Record] = &original
			}
		})
	}
	return originals, err
}
