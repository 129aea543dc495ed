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

// None means 0 in an option whose zero value stands for a default, such as Delay or TrapShare.
const None = -1 << 31

// Options are the options of a new crawl, in embedded groups. With seeds and nothing else they
// describe a polite crawl of the hosts of the seeds. Sizes are in bytes; 0 means no limit unless
// stated otherwise.
type Options struct {
	// Seeds are URLs; the default scheme is http. A file that only the owner can read stores their
	// passwords.
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

	// Campaign makes this a crawl of APIs, with the queries of the campaign as seeds.
	Campaign *api.Campaign `json:",omitempty"`
	Workers  int           // URLs requested at a time, while a few more are parsed; 0: 8
	API      string        // address, stored for the program that serves the API; this package does not listen
	Pprof    bool          `json:",omitempty"` // likewise: the program serves profiles of the process there
	Pool     *Pool         `json:"-"`          // nil: no other crawl in this process
	Events   Events        `json:"-"`
	// Software is the name and version in requests and WARC files; default: awarc.
	Software string `json:"-"`
}

// Knowledge selects the knowledge base of a crawl and how the crawl uses it.
type Knowledge struct {
	// KB are files and folders of knowledge base XML. They extend the built-in knowledge base, or
	// replace it with Alone.
	KB       []string
	Alone    bool
	Without  []kb.TypeID // types to remove from the knowledge base
	Type     string      // the type of all pages, instead of detection
	Blind    bool        // use no knowledge base
	NoAdapt  bool        // do not adapt actions to unknown templates
	Previous string      // folder of an earlier crawl of the same sites; see also Output
	Draft    bool        // draft types for sites of unknown software during the crawl, and use them
}

// Scoring selects the scorers of pages and links.
type Scoring struct {
	// Topic is a crawl definition (YAML). It sets keywords, entities, references, weights and
	// seeds. Its scope and order count only if these options have them.
	Topic string
	// Plugin are plugin files, PluginConfig the configurations of plugins (JSON) by name.
	Plugin       []string
	PluginConfig map[string]string
	// PluginAllow grants permissions to plugins by name: "blacklist" lets a plugin exclude more
	// than a tenth of the pages and links that it receives, "blacklist_host" also whole hosts.
	PluginAllow map[string]string
	// Weights are the weights of modules and plugins (default: 1). They override the weights of
	// Topic.
	Weights map[string]float64
	Learn   bool // learn the weights from the fetched target pages of links
	// Targets are the kinds of files or records that the crawl looks for, as [engine.ParseTargets] reads them. The crawl leaves link
	// patterns that lead to none.
	Targets []string `json:",omitempty"`
	// Context is the folder of an earlier crawl, whose pages are the examples of a context graph, or [ContextSelf]: only the pages of
	// this crawl are. Targets says what the targets are; without Targets they are the pages about Topic.
	Context string `json:",omitempty"`
}

// Order sets the order of URLs.
type Order struct {
	// Update sets how a further score changes the priority of a waiting URL, by the names of
	// [frontier.ParseUpdate].
	Update    string
	Batch     int // number of pages after which their links are scheduled; 0: at once
	PerTurn   int // URLs per turn of a host; 0: 1
	BestFirst bool
	// DomainBudget is the number of requests to a domain without a seed, DomainBudgetPerLink the
	// extra requests per linking domain, and DomainBudgetLinks the number of linking domains that
	// count.
	DomainBudget        int
	DomainBudgetPerLink int
	DomainBudgetLinks   int
}

// Reach selects the links to follow.
type Reach struct {
	ScopeType  string   // an [engine.ScopeType]; default: host
	Include    []string // regular expressions; a URL must match one of them
	Exclude    []string // regular expressions; a URL must match none of them
	Scope      string   // file of scope rules; edits apply at once
	MaxHops    int      // largest number of links from a seed; 0, -1: any number
	Requisites bool     // fetch the styles, images, scripts, ... that replay needs
	// Sitemaps fetches /sitemap.xml from each host, besides the sitemaps that its robots.txt names.
	// NoSitemaps fetches no sitemap.
	Sitemaps    bool
	NoSitemaps  bool
	Speculative bool // follow strings that only resemble addresses, too
	Optional    bool // follow optional actions
	Productive  bool // on sites of unknown software, skip links with almost no expected new text
	APISources  bool // fetch data that pages lack from the API of the site, if its type has one
	// Reached reports that a later session changed the scope, which then applies to waiting URLs
	// too. The crawl sets it.
	Reached bool `json:",omitempty"`
}

// Traps bound suspected crawler traps.
type Traps struct {
	NoTraps   bool
	TrapShare float64 // their share of the requests; 0: 0.1
	TrapLimit int     // pages per trap; 0: 10,000; None: any number
}

// Limits stop a session.
type Limits struct {
	Limit     int64 // pages
	SizeLimit int64 `json:",string"` // received bytes
	TimeLimit time.Duration
	MinSpace  int64 `json:",string"` // least free space on the disk; 0: 100 MiB
	// RankMass stops the crawl when the fetched pages have this share of the personalised PageRank from the seeds; 0 means never. It
	// cannot be set later if it was 0.
	RankMass float64 `json:",omitempty"`
}

// Politeness bounds the load on sites and identifies the crawl to their owners.
type Politeness struct {
	UserAgent string // default: Software
	Contact   string // address for site owners, sent with each request
	// Delay is the least time between two requests to one host, IP address or pay-level domain. 0:
	// 1 s.
	Delay        time.Duration
	Domains      string // file of rules for domains; edits apply at once
	IgnoreRobots bool
	// Nofollow decides about the links of a page that forbids following them with a robots meta
	// element or X-Robots-Tag: "obey" (the default) skips them, "ignore" follows them. IgnoreRobots
	// implies "ignore".
	Nofollow string
}

// Fetching sets how URLs are fetched.
type Fetching struct {
	MaxTries int // 0: 3
	// RetryDelay is the time before the second try of a URL that fails while its host answers other
	// requests. It doubles with each try. 0: 1 min.
	RetryDelay time.Duration
	Patience   time.Duration // how long a host may refuse all requests; 0: 2 h
	Timeout    time.Duration // of one exchange; 0: 20 min
	// SpeedLimit is the least speed of a response in bytes per second, over each SpeedTime. 0: 100,
	// over 1 min; None: no limit.
	SpeedLimit   int64 `json:",string"`
	SpeedTime    time.Duration
	MaxBody      int64 `json:",string"` // 0: 1 GiB
	VerifyTLS    bool
	AllowPrivate []string // private networks and addresses that the crawl may reach, besides addresses of seeds
	PublicSeeds  bool     // refuse private addresses of seeds too
	Proxy        string
	// Withheld names the options with passwords. A file that only the owner can read stores them.
	// The crawl sets it at its start.
	Withheld []string `json:",omitempty"`
	Cookies  string   // file of cookies to start with
	Login    string   // file that describes a login form
	// KeepCookies archives the values of cookies. By default the archive omits them with Cookies or
	// Login.
	KeepCookies bool
	// Browser decides which pages a Chromium renders: "auto" (the default) those with scripts and
	// hardly any text, if one is installed, "always" all pages, "never" none.
	Browser     string
	Screenshots bool // archive a picture of each page that the browser renders
	// BrowserShare is the greatest share of pages that the browser renders, beyond the first ten of
	// a session. Default: 0, no limit.
	BrowserShare float64
	// BrowserMethods are the methods besides GET that scripts of pages may use, or "none". Default:
	// POST, and none with Cookies or Login.
	BrowserMethods []string
}

// Output selects the contents of the archive.
type Output struct {
	WARCPrefix string // default: awarc
	WARCSize   int64  `json:",string"` // 0: 1 GiB
	// NoDedupe archives each payload, duplicates included. By default revisit records replace
	// payloads that Previous or an index in Dedupe (CDXJ, or a folder with one) has, and
	// conditional requests avoid payloads of Previous that are unchanged.
	NoDedupe bool
	Dedupe   []string
	// PageRecords archives the text and the classification of each page as resource records.
	PageRecords bool
	// Index updates the index for queries while the crawl runs.
	Index bool
}

// Nodes runs a crawl on several machines, each with its own folder, archive and report.
type Nodes struct {
	// Frontier names the Redis servers of the frontier, as [cluster.Options.URL]; empty: the
	// frontier is a file in the folder.
	Frontier string
	Crawl    string // name of the crawl there
	// FrontierPassword is the password of the servers. No file stores it.
	FrontierPassword string `json:"-"`

	joins bool // the crawl exists; another node checked the options that it started with
}

// filled replaces zero values by their defaults and None by 0, for the stored options.
func (o Options) filled() Options {
	fill(&o.Workers, 8)
	fill(&o.Delay, time.Second)
	fill(&o.MaxHops, -1)
	fill(&o.ScopeType, string(engine.ScopeHost))
	fill(&o.TrapShare, 0.1)
	fill(&o.Nofollow, "obey")
	fill(&o.Browser, BrowserAuto)
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

// leastSpeed is the default of SpeedLimit. Even a modem of 2400 bit/s, the slowest line of a web
// server, is more than twice as fast. A minute is also the longest permitted silence of a server.
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

// absolute makes paths absolute, since later sessions may start in another folder.
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
	if o.Context != ContextSelf {
		o.Context = abs(o.Context)
	}
	o.KB, o.Plugin, o.Dedupe = list(o.KB), list(o.Plugin), list(o.Dedupe)
	return o, err
}

// scores reports whether pages and links are scored.
func (o Options) scores() bool {
	return o.Topic != "" || len(o.Plugin) > 0 || o.Learn || o.Context != ""
}

// reach returns which links to follow.
func (o Options) reach() (engine.Reach, error) {
	r := engine.Reach{Optional: o.Optional, Requisites: o.Requisites, Speculative: o.Speculative, Productive: o.Productive}
	var err error
	if r.Targets, err = engine.ParseTargets(o.Targets); err != nil {
		return r, complain("%s: %v", option("Targets"), err)
	}
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

// adapts reports whether the crawl repairs actions.
func (o Options) adapts() bool { return !o.Blind && !o.NoAdapt }

// under returns the sources that the files of KB extend.
func (o Options) under() []kb.Source {
	if o.Alone {
		return nil
	}
	return kb.Builtin()
}

// retryAfter is the time before the second try of a URL; it doubles with each try.
const retryAfter = 5 * time.Second

func (o Options) frontierOptions() (frontier.Options, error) {
	f := frontier.Options{
		Delay: o.Delay, IPDelay: o.Delay, DomainDelay: o.Delay, MaxTries: o.MaxTries, Backoff: retryAfter,
		PutOffShare: o.TrapShare, PutOffLimit: o.TrapLimit, Batch: o.Batch, PerTurn: o.PerTurn, BestFirst: o.BestFirst,
		MinSpace: o.MinSpace / 2, // pending URLs still get an outcome after the archive stops
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

// clusterOptions returns the options of a frontier that nodes share.
func (o Options) clusterOptions(node string) (cluster.Options, error) {
	f, err := o.frontierOptions()
	return cluster.Options{
		Options: f, URL: o.Frontier, Password: o.FrontierPassword, Crawl: o.Nodes.Crawl, Node: node, Private: privateSettings, Wait: -1,
	}, err
}

// agent returns the User-Agent without the contact.
func (o Options) agent() string { return cmp.Or(o.UserAgent, o.software()) }

func (o Options) software() string { return cmp.Or(o.Software, "awarc") }

func (o Options) fetchOptions(spool string) fetch.Options {
	return fetch.Options{
		UserAgent: o.agent(), Contact: o.Contact, Proxy: o.Proxy, Cookies: o.Cookies, Timeout: o.Timeout, MaxBody: o.MaxBody,
		SpeedLimit: o.SpeedLimit, SpeedTime: cmp.Or(o.SpeedTime, time.Minute),
		SpoolDir: spool, VerifyTLS: o.VerifyTLS, HideCookies: (o.Cookies != "" || o.Login != "") && !o.KeepCookies,
	}
}

// guard returns the guard that restricts the crawl to permitted addresses.
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
