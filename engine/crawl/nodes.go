package crawl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster"
)

// PasswordVariable names the variable of the environment that programs take [Nodes.FrontierPassword] from.
const PasswordVariable = "AWARC_FRONTIER_PASSWORD"

// queue is a frontier as a crawl needs it: a file in its folder, or one that several nodes share.
type queue interface {
	engine.Frontier
	engine.Families
	Pause(paused bool)
	Paused() bool
	Rules() map[string]frontier.Rule
	SetRule(ctx context.Context, domain string, r *frontier.Rule) error
	SetRules(ctx context.Context, rules map[string]*frontier.Rule) error
	Reopen() error
	EndWaits(ctx context.Context, longest time.Duration) (ended int, err error)
	Each(state frontier.State, fn func(frontier.Entry) error) error
	All(fn func(frontier.Entry) error) (found int, err error)
	Again(ctx context.Context, entries []frontier.Requeue, reason string) (again int, err error)
	Note(host string) []byte
	Queues(most int) []frontier.Queue
	EachMark(fn func(frontier.Mark) error) error
	io.Closer
}

// privateSettings are those of a node: they are about its archive, or its memory.
var privateSettings = []string{metaSpent, metaDamage, "pending page ", metaEdited, "score weights",
	"addresses of seed ", "ways ", metaMember, metaEntered}

// checkNodes complains about what a crawl of several nodes cannot do.
func (o Options) checkNodes(c *complaints) {
	if o.Frontier == "" && o.Nodes.Crawl == "" {
		return
	}
	if o.Frontier == "" || o.Nodes.Crawl == "" {
		c.add(complain("%s and %s need each other", option("Frontier"), option("Crawl")))
		return
	}
	if o.Draft {
		c.add(complain("%s works on one machine only; use awarc kb draft on a folder, then start the crawl with %s",
			option("Draft"), option("KB")))
	}
	if o.RankMass > 0 || o.Context != "" {
		c.add(complain("%s and %s work on one machine only, which knows the links of all pages", option("RankMass"), option("Context")))
	}
	if o.Pool != nil {
		c.add(complain("a crawl with %s needs its own process; start it with awarc crawl", option("Frontier")))
	}
	options, err := o.clusterOptions("check")
	if err == nil {
		err = options.Check()
	}
	if err != nil {
		c.add(complain("%s: %v", option("Frontier"), err))
	}
}

// openFrontier opens the frontier with its options.
func (c *Crawl) openFrontier() error {
	options, err := c.settings.Flags.frontierOptions()
	if err != nil {
		return err
	}
	options.BeforeCommit = func() error { return c.archive.Sync() }
	if c.settings.Node != "" {
		if c.lock, err = frontier.Lock(filepath.Join(c.dir, "state")); err != nil {
			return err
		}
	}
	c.frontier, err = c.settings.openQueue(c.stopping, c.dir, options, c.passwords.frontier, c.begun())
	if err != nil {
		c.frontier = nil
		return err
	}
	if shared, ok := c.frontier.(*cluster.Store); ok {
		c.shared = shared
		if err := c.agree(); err != nil {
			return err
		}
		if err := c.compareContents(); err != nil {
			return err
		}
		c.warnOfServers()
		return shared.Limit(c.stopping, c.settings.Flags.sharedLimits(), false)
	}
	return nil
}

// openQueue opens the frontier of a crawl.
func (s *Settings) openQueue(ctx context.Context, dir string, o frontier.Options, password string, mustExist bool) (queue, error) {
	if s.Node == "" {
		o.MustExist = mustExist
		return frontier.Open(filepath.Join(dir, "state"), o)
	}
	options, err := s.Flags.clusterOptions(s.Node)
	if err != nil {
		return nil, err
	}
	options.BeforeCommit, options.Password, options.MustExist = o.BeforeCommit, password, mustExist
	return cluster.Open(ctx, options)
}

// agree makes the settings those of the crawl, if this node is not its first: then they must be the same.
func (c *Crawl) agree() error {
	proposed, err := json.Marshal(c.settings)
	if err != nil {
		return err
	}
	kept, err := c.shared.Settings(c.stopping, proposed)
	if err != nil || bytes.Equal(kept, proposed) {
		return err
	}
	var of Settings
	if err := json.Unmarshal(kept, &of); err != nil {
		return fmt.Errorf("the settings of the crawl %s cannot be read: %w", c.settings.Flags.Nodes.Crawl, err)
	}
	if !reflect.DeepEqual(common(of.Flags), common(c.settings.Flags)) {
		name := c.settings.Flags.Nodes.Crawl
		return complain("a crawl %s with other settings exists: join it with awarc join %s, or use another name",
			name, name)
	}
	c.settings.CrawlID, c.settings.Started = of.CrawlID, of.Started
	return writeSettings(filepath.Join(c.dir, SettingsFile), c.settings)
}

// limits are those of the engine, which knows what this node does only: those of several nodes are in their frontier.
func (c *Crawl) limits() engine.Limits {
	if c.shared != nil || c.watch != nil {
		return engine.Limits{}
	}
	flags := &c.settings.Flags
	return engine.Limits{Pages: flags.Limit, Bytes: flags.SizeLimit, Time: flags.TimeLimit}
}

// sharedLimits are the limits of all nodes together.
func (o Options) sharedLimits() (limits []cluster.Limit) {
	if o.Limit > 0 {
		limits = append(limits, cluster.Limit{Reason: string(engine.PageLimit), Counter: engine.CounterPages, Most: o.Limit})
	}
	if o.SizeLimit > 0 {
		limits = append(limits, cluster.Limit{Reason: string(engine.ByteLimit), Counter: engine.CounterBytes, Most: o.SizeLimit})
	}
	if o.TimeLimit > 0 {
		limits = append(limits, cluster.Limit{Reason: string(engine.TimeLimit), Time: o.TimeLimit})
	}
	return limits
}

// goOn takes over what a session that goes on is to do differently on all nodes. Limits that are not named stay as they were said last, on
// any node.
func (c *Crawl) goOn(o ResumeOptions) error {
	named := map[string]bool{
		string(engine.PageLimit): o.change("Limit"),
		string(engine.ByteLimit): o.change("SizeLimit"),
		string(engine.TimeLimit): o.change("TimeLimit"),
	}
	limits := slices.DeleteFunc(c.shared.Limits(), func(l cluster.Limit) bool { return named[l.Reason] })
	for _, l := range c.settings.Flags.sharedLimits() {
		if named[l.Reason] {
			limits = append(limits, l)
		}
	}
	if err := c.shared.Limit(c.stopping, limits, true); err != nil {
		return err
	}
	if !o.GoOn {
		return nil
	}
	return c.shared.GoOn(c.stopping, c.began)
}

// followNodes ends this node's session when the crawl is stopped as a whole.
func (c *Crawl) followNodes(ctx context.Context) {
	if c.shared == nil {
		return
	}
	if reason, err := c.shared.Stopped(ctx); err == nil {
		c.note("the crawl was stopped on all nodes: %s; awarc resume continues", reason)
		c.engine.End(engine.Reason(reason))
	}
}

// trapsEvery is how often a node asks what others have found out about places without end. Each partition is asked.
const trapsEvery = 20 * time.Second

// shareTraps goes on until ctx ends.
func (c *Crawl) shareTraps(ctx context.Context) {
	if c.shared == nil || c.settings.Flags.NoTraps {
		return
	}
	every(ctx, trapsEvery, c.engine.ShareTraps)
}

// every does something again and again until ctx ends.
func every(ctx context.Context, length time.Duration, do func()) {
	tick := time.NewTicker(length)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do()
		}
	}
}

// StopAll is Stop for all nodes of the crawl.
func (c *Crawl) StopAll() error {
	if c.shared == nil {
		c.Stop()
		return nil
	}
	return c.shared.Stop(c.stopping, string(engine.Interrupted))
}

// Steering is a command to all nodes of a crawl.
type Steering string

// Commands to nodes.
const (
	SteerPause    Steering = "pause"
	SteerContinue Steering = "continue"
	SteerStop     Steering = "stop"
)

// Steer sends a command to all nodes of the crawl of the node in a folder.
func Steer(ctx context.Context, dir, password string, what Steering) error {
	set, err := ReadSettings(dir)
	if err != nil {
		return err
	}
	if set.Node == "" {
		return complain("%s: a crawl of one machine; use its API or Ctrl-C", dir)
	}
	o := cluster.Options{URL: set.Flags.Frontier, Password: password, Crawl: set.Flags.Nodes.Crawl}
	if what == SteerStop {
		return cluster.Stop(ctx, o, string(engine.Interrupted))
	}
	return cluster.Pause(ctx, o, what == SteerPause)
}

// common are the options that all nodes of a crawl must have, without those that are each node's own.
func common(o Options) Options {
	o.Workers, o.API, o.Seeds, o.Pool, o.Events, o.Software, o.FrontierPassword = 0, "", nil, nil, Events{}, "", ""
	o.Plugin = slices.Clone(o.Plugin)
	o.Output, o.Frontier, o.MinSpace, o.SizeLimit, o.Limit, o.TimeLimit = Output{}, "", 0, 0, 0, 0
	for i, file := range o.Plugin { // which are compared by their hashes
		o.Plugin[i] = filepath.Base(file)
	}
	withheld := slices.Concat(o.Withheld, new(secrets).take(&o)) // crawls of earlier versions have them there
	slices.Sort(withheld)
	o.Withheld = slices.Compact(withheld)
	data, _ := json.Marshal(o) // as it was read from the servers
	var read Options
	_ = json.Unmarshal(data, &read)
	return read
}

// JoinOptions are the options of a node that joins a crawl.
type JoinOptions struct {
	Nodes
	Workers  int    // 0: as the first node
	API      string // as in [Options]
	Software string
	Events   Events
}

// Join joins a crawl, in a folder that is absent or empty, with the seeds and options of its first node.
// Files that these name (knowledge base, rules, topics) must have the same names on this machine; plugins come with the frontier.
func Join(ctx context.Context, dir string, o JoinOptions) (*Crawl, error) {
	var c complaints
	if o.Frontier == "" || o.Nodes.Crawl == "" {
		c.add(complain("%s and the name of the crawl are needed", option("Frontier")))
		return nil, c.err()
	}
	kept, err := cluster.Describe(ctx, cluster.Options{URL: o.Frontier, Password: o.FrontierPassword, Crawl: o.Nodes.Crawl})
	if err != nil {
		return nil, err
	}
	var of Settings
	if err := json.Unmarshal(kept, &of); err != nil {
		return nil, fmt.Errorf("the settings of the crawl %s cannot be read: %w", o.Nodes.Crawl, err)
	}
	if len(of.Flags.Withheld) > 0 {
		return nil,
			complain("the crawl %s has secrets (%s), which are not shared: on this machine run awarc crawl %s ... with the flags "+
				"and seeds of its first node", o.Nodes.Crawl, strings.Join(of.Flags.Withheld, ", "), option("Crawl"))
	}
	joined := of.Flags
	joined.Seeds, joined.Nodes, joined.API, joined.Software, joined.Events = of.Seeds, o.Nodes, o.API, o.Software, o.Events
	joined.joins = true
	if o.Workers != 0 {
		joined.Workers = o.Workers
	}
	for _, n := range []*int{&joined.Workers, &joined.MaxTries, &joined.TrapLimit} {
		say(n)
	}
	for _, n := range []*int64{&joined.MaxBody, &joined.WARCSize, &joined.MinSpace, &joined.SpeedLimit} {
		say(n)
	}
	say(&joined.Delay)
	say(&joined.Timeout)
	say(&joined.TrapShare)
	if joined.MaxHops == 0 {
		joined.MaxHops = None
	}
	return New(dir, joined)
}

// say makes a 0 that says 0 an option again.
func say[T int | int64 | float64 | time.Duration](v *T) {
	if *v == 0 {
		*v = None
	}
}

// filePrefix begins the names of WARC files: those of several nodes differ.
func (s *Settings) filePrefix() string {
	return s.Flags.WARCPrefix + nodeMark(s.Node)
}

// certain makes no request while it is not certain that no other node has what this one has leased.
type certain struct {
	*fetch.Client
	store *cluster.Store
}

// Do makes one exchange.
func (c certain) Do(ctx context.Context, rawURL string, header http.Header) (*fetch.Exchange, error) {
	if err := c.store.Sure(ctx); err != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	return c.Client.Do(ctx, rawURL, header)
}
