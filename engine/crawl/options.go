package crawl

import (
	"cmp"
	"net/netip"
	"path/filepath"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/api"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster"
	"github.com/awarc/awarc/kb"
)

// None says 0 in an option of which 0 stands for a default, as a Delay or a TrapShare.
const None = -1 << 31

// Options are the options of a new crawl, in embedded groups. The zero value, given seeds, is a
// polite crawl of their hosts. Sizes are in bytes, and 0 is no limit unless stated otherwise.
type Options struct {
	// Seeds are URLs; without a scheme they are taken as http. Passwords in them are kept in a file that only the owner can read.
	Seeds []string `json:"-"`

	Knowledge
	Scoring
	Order
	Reach
	Traps
	Limits
	Politeness
	Fetching
	Output
	Nodes

	// Campaign makes the crawl one of APIs: its queries are the seeds.
	Campaign *api.Campaign `json:",omitempty"`
	Workers  int           // URLs requested at a time, besides which a few more are read; 0: 8
	API      string        // kept for the program that serves one; nothing here listens
	Pprof    bool          `json:",omitempty"` // likewise: profiles of the process are served there
	Pool     *Pool         `json:"-"`          // nil: the crawl is alone in its process
	Events   Events        `json:"-"`
	// Software is the name and version in requests and WARC files; empty: awarc.
	Software string `json:"-"`
}

// Knowledge selects the knowledge base of a crawl and its use.
type Knowledge struct {
	// KB are files and folders of knowledge base XML, added to the built-in ones, or used Alone.
	KB       []string
	Alone    bool
	Without  []kb.TypeID // of the knowledge base that are taken out
	Type     string      // that all pages are taken to be of
	Blind    bool        // use no knowledge base
	NoAdapt  bool        // leave actions as they are
	Previous string      // folder of an earlier crawl of the same sites, see also Output
	Draft    bool        // describe sites of unknown software while they are crawled, and read them by that
}

// Scoring is what pages and links are scored by.
type Scoring struct {
	// Topic is a crawl definition (YAML): its seeds, keywords, entities, references and weights. Its scope and
	// order count only if these options have them.
	Topic string
	// Plugin are files of plugins, and PluginConfig their configurations (JSON) by name.
	Plugin       []string
	PluginConfig map[string]string
	// PluginAllow gives plugins, by name, what they may only with consent: "blacklist", to keep
	// more than a tenth of what they are shown out, or "blacklist_host", to keep whole hosts out
	// besides.
	PluginAllow map[string]string
	// Weights are the weights of modules and plugins (default: 1); they have precedence over the topic's.
	Weights map[string]float64
	Learn   bool // learn the weights from the pages that links lead to
}

// Order is which URL comes first.
type Order struct {
	// Update is what a further score of a waiting URL does to its priority, by the names of [frontier.ParseUpdate].
	Update    string
	Batch     int // pages after each of which links are scheduled; 0: at once
	PerTurn   int // URLs that a host gives in its turn; 0: 1
	BestFirst bool
	// DomainBudget is how many requests a domain without a seed gets: the base, more for each domain that links to it, and
	// for how many of them.
	DomainBudget        int
	DomainBudgetPerLink int
	DomainBudgetLinks   int
}

// Reach is which links are followed.
type Reach struct {
	ScopeType  string   // an [engine.ScopeType]; empty: host
	Include    []string // regular expressions, one of which a URL must match
	Exclude    []string // regular expressions that none may match
	Scope      string   // file of scope rules, whose edits count at once
	MaxHops    int      // links from a seed that are followed; 0, -1: any number
	Requisites bool     // fetch what pages need to be replayed
	// Sitemaps asks each host for /sitemap.xml, besides the sitemaps that its robots.txt names; NoSitemaps follows none.
	Sitemaps    bool
	NoSitemaps  bool
	Speculative bool // ask for what only looks like an address, too
	Optional    bool // follow optional actions
	Productive  bool // leave what of sites of unknown software is expected to say next to nothing new
	APISources  bool // ask the APIs of sites, where their type has one, for what the pages miss
	// Reached says that a later session changed what is followed: what waits is held to it. It is filled in.
	Reached bool `json:",omitempty"`
}

// Traps bound suspected crawler traps.
type Traps struct {
	NoTraps   bool
	TrapShare float64 // part of the requests that they get; 0: 0.1
	TrapLimit int     // pages of one such place; 0: 10,000; None: any number
}

// Limits end a session.
type Limits struct {
	Limit     int64 // pages
	SizeLimit int64 `json:",string"` // received
	TimeLimit time.Duration
	MinSpace  int64 `json:",string"` // stop when less is free on the disk; 0: 100 MiB
}

// Politeness is how a crawl behaves towards sites and their owners.
type Politeness struct {
	UserAgent string // empty: Software
	Contact   string // whom site owners can ask, sent with each request
	// Delay is the least wait between two requests to one host, address and pay-level domain. 0: a second.
	Delay        time.Duration
	Domains      string // file of rules for domains, whose edits count at once
	IgnoreRobots bool
	// Nofollow says what becomes of links on a page that asks by robots meta element or X-Robots-Tag that they be left alone:
	// "obey" leaves them, "ignore" follows them. Empty: obey. IgnoreRobots ignores it, too.
	Nofollow string
}

// Fetching is how a URL is fetched.
type Fetching struct {
	MaxTries int // 0: 3
	// RetryDelay is the wait before the second try of a URL that fails while its host answers
	// others; it doubles. 0: a minute.
	RetryDelay time.Duration
	Patience   time.Duration // how long a host may refuse all requests; 0: 2 hours
	Timeout    time.Duration // of one exchange; 0: 20 minutes
	// SpeedLimit is the least speed of an answer in bytes a second, over each SpeedTime; 0: 100, over a minute. None: none.
	SpeedLimit   int64 `json:",string"`
	SpeedTime    time.Duration
	MaxBody      int64 `json:",string"` // 0: 1 GiB
	VerifyTLS    bool
	AllowPrivate []string // networks and addresses that are not public and may be reached besides the seeds'
	PublicSeeds  bool     // private addresses of seeds are refused too
	Proxy        string
	// Withheld names the options with passwords, which are in a file for the owner alone. It is filled in when a crawl begins.
	Withheld []string `json:",omitempty"`
	Cookies  string   // file to start with
	Login    string   // file that describes a form to log in by
	// KeepCookies records cookies. Otherwise their values are left out of the archive where Cookies or Login says who asks.
	KeepCookies bool
}

// Output is what is archived where.
type Output struct {
	WARCPrefix string // empty: awarc
	WARCSize   int64  `json:",string"` // 0: 1 GiB
	// NoDedupe archives a payload each time that it comes. Otherwise what Previous or an index in Dedupe (CDXJ, or a folder with one) has
	// is referred to and not archived again, and the server is asked whether what Previous has is still so.
	NoDedupe bool
	Dedupe   []string
	// PageRecords archives the text of each page, and what the page is, as resource records.
	PageRecords bool
	// Index keeps the index that queries are answered from up to date while the crawl runs.
	Index bool
}

// Nodes lets a crawl run on several machines, each with a folder, an archive and a report of its own.
type Nodes struct {
	// Frontier names the Redis servers that have the frontier, as [cluster.Options.URL]; empty: it is a file in the folder.
	Frontier string
	Crawl    string // its name there
	// FrontierPassword is that of the servers; it is kept in no file.
	FrontierPassword string `json:"-"`

	joins bool // the crawl is there, and what it was begun with was checked on another node
}

// filled gives options in which 0 says 0: what is kept with the crawl.
func (o Options) filled() Options {
	fill(&o.Workers, 8)
	fill(&o.Delay, time.Second)
	fill(&o.MaxHops, -1)
	fill(&o.ScopeType, string(engine.ScopeHost))
	fill(&o.TrapShare, 0.1)
	fill(&o.Nofollow, "obey")
	fill(&o.TrapLimit, 10_000)
	fill(&o.MaxTries, 3)
	fill(&o.RetryDelay, time.Minute)
	fill(&o.Patience, 2*time.Hour)
	fill(&o.Timeout, 20*time.Minute)
	fill(&o.MaxBody, 1<<30)
	fill(&o.SpeedLimit, leastSpeed)
	fill(&o.WARCPrefix, "awarc")
	fill(&o.WARCSize, 1<<30)
	fill(&o.MinSpace, 100<<20)
	for _, n := range []*int{&o.Workers, &o.MaxHops, &o.TrapLimit, &o.MaxTries} {
		unsay(n)
	}
	for _, n := range []*int64{&o.MaxBody, &o.WARCSize, &o.MinSpace, &o.SpeedLimit} {
		unsay(n)
	}
	unsay(&o.Delay)
	unsay(&o.Timeout)
	unsay(&o.RetryDelay)
	unsay(&o.Patience)
	unsay(&o.TrapShare)
	return o
}

// leastSpeed is the default of SpeedLimit. The slowest lines that web servers were ever behind, modems
// of 2400 bit/s, are more than twice as fast. A minute is what a server may be silent for anyway.
const leastSpeed = 100

func fill[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

func unsay[T int | int64 | float64 | time.Duration](v *T) {
	if *v == None {
		*v = 0
	}
}

// absolute makes paths findable from any folder, for sessions to come.
func (o Options) absolute() (Options, error) {
	var err error
	abs := func(path string) string {
		if path == "" || err != nil {
			return path
		}
		path, err = filepath.Abs(path)
		return path
	}
	list := func(paths []string) []string {
		var out []string
		for _, p := range paths {
			out = append(out, abs(p))
		}
		return out
	}
	o.Login = abs(o.Login)
	o.Cookies, o.Previous, o.Domains, o.Scope, o.Topic = abs(o.Cookies), abs(o.Previous), abs(o.Domains), abs(o.Scope), abs(o.Topic)
	o.KB, o.Plugin, o.Dedupe = list(o.KB), list(o.Plugin), list(o.Dedupe)
	return o, err
}

// scores reports whether pages and links are scored.
func (o Options) scores() bool { return o.Topic != "" || len(o.Plugin) > 0 || o.Learn }

// reach says which links are followed.
func (o Options) reach() (engine.Reach, error) {
	r := engine.Reach{Optional: o.Optional, Requisites: o.Requisites, Speculative: o.Speculative, Productive: o.Productive}
	switch {
	case o.Sitemaps && o.NoSitemaps:
		return r, complain("%s and %s cannot be used together", option("Sitemaps"), option("NoSitemaps"))
	case o.Sitemaps:
		r.Sitemaps = engine.AllSitemaps
	case o.NoSitemaps:
		r.Sitemaps = engine.NoSitemaps
	}
	switch o.Nofollow {
	case "", "obey":
	case "ignore":
		r.Follow = true
	default:
		return r, complain("%s %q: expected obey or ignore", option("Nofollow"), o.Nofollow)
	}
	return r, nil
}

// adapts reports whether a crawl mends actions.
func (o Options) adapts() bool { return !o.Blind && !o.NoAdapt }

// under are the sources that the files of KB are added to.
func (o Options) under() []kb.Source {
	if o.Alone {
		return nil
	}
	return kb.Builtin()
}

// retryAfter is the wait before the second try of a URL; it doubles.
const retryAfter = 5 * time.Second

func (o Options) frontierOptions() (frontier.Options, error) {
	f := frontier.Options{
		Delay: o.Delay, IPDelay: o.Delay, DomainDelay: o.Delay, MaxTries: o.MaxTries, Backoff: retryAfter,
		PutOffShare: o.TrapShare, PutOffLimit: o.TrapLimit, Batch: o.Batch, PerTurn: o.PerTurn, BestFirst: o.BestFirst,
		MinSpace: o.MinSpace / 2, // what is under way when the archive stops can be settled
	}
	var err error
	if f.Update, err = frontier.ParseUpdate(cmp.Or(o.Update, frontier.Max.String())); err != nil {
		return f, complain("%s: %v", option("Update"), err)
	}
	if o.Batch < 0 || o.PerTurn < 0 {
		return f, complain("%s %d, %s %d: expected 0 or more", option("Batch"), o.Batch, option("PerTurn"), o.PerTurn)
	}
	farms := frontier.InDegree{Base: o.DomainBudget, Each: o.DomainBudgetPerLink, Until: o.DomainBudgetLinks}
	if farms.Base < 0 || farms.Each < 0 || farms.Until < 0 || farms.Base == 0 && farms != (frontier.InDegree{}) {
		return f, complain("%s %d, %s %d, %s %d: expected 0 or more, and the first with either of the others", option("DomainBudget"),
			farms.Base,
			option("DomainBudgetPerLink"), farms.Each, option("DomainBudgetLinks"), farms.Until)
	}
	f.InDegree = farms
	return f, nil
}

// clusterOptions are those of a frontier that nodes share.
func (o Options) clusterOptions(node string) (cluster.Options, error) {
	f, err := o.frontierOptions()
	return cluster.Options{
		Options: f, URL: o.Frontier, Password: o.FrontierPassword, Crawl: o.Nodes.Crawl, Node: node, Private: privateSettings, Wait: -1,
	}, err
}

// agent is the User-Agent without the contact.
func (o Options) agent() string { return cmp.Or(o.UserAgent, o.software()) }

func (o Options) software() string { return cmp.Or(o.Software, "awarc") }

func (o Options) fetchOptions(spool string) fetch.Options {
	return fetch.Options{
		UserAgent: o.agent(), Contact: o.Contact, Proxy: o.Proxy, Cookies: o.Cookies, Timeout: o.Timeout, MaxBody: o.MaxBody,
		SpeedLimit: o.SpeedLimit, SpeedTime: cmp.Or(o.SpeedTime, time.Minute),
		SpoolDir: spool, VerifyTLS: o.VerifyTLS, HideCookies: (o.Cookies != "" || o.Login != "") && !o.KeepCookies,
	}
}

// guard makes the guard of a crawl's addresses.
func (o Options) guard(seeds []string, memory fetch.Memory) (*fetch.Guard, error) {
	var allow []netip.Prefix
	for _, text := range o.AllowPrivate {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			a, aerr := netip.ParseAddr(text)
			if aerr != nil {
				return nil, complain("%s %q: expected a network such as 10.1.0.0/16 or an address", option("AllowPrivate"), text)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		allow = append(allow, p)
	}
	if o.PublicSeeds {
		seeds = nil
	}
	return fetch.NewGuard(seeds, allow, memory), nil
}
