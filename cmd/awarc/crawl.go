package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/kb"
)

// version is the program's; releases set it at link time.
var version = "0.1.0-dev"

// size is a number of bytes, written like 500M.
type size int64

var sizeForm = regexp.MustCompile(`^(\d+)([KMGT]?)(?:I?B)?$`)

// UnmarshalText reads 1000000, 64K, 500M, 2G or 1T; the units are powers of 1024.
func (z *size) UnmarshalText(text []byte) error {
	m := sizeForm.FindStringSubmatch(strings.ToUpper(string(text)))
	if m == nil {
		return fmt.Errorf("invalid size %q; expected a number of bytes such as 500M or 2G", text)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	shift := map[string]uint{"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[m[2]]
	if err != nil || n > (1<<62)>>shift {
		return fmt.Errorf("size %q is too large; the limit is 4194304T", text)
	}
	*z = size(n << shift)
	return nil
}

// wait is a duration; a number without a unit is one of seconds.
type wait time.Duration

// UnmarshalText reads 1.5, 90s, 20m or 1h30m.
func (d *wait) UnmarshalText(text []byte) error {
	if seconds, err := strconv.ParseFloat(string(text), 64); err == nil && math.Abs(seconds) < 1e9 {
		*d = wait(seconds * float64(time.Second))
		return nil
	}
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("invalid duration %q; expected seconds, or a number with a unit such as 500ms, 20m or 2h", text)
	}
	*d = wait(parsed)
	return nil
}

// scoreFlags say what the pages and links of a crawl are scored by, and how the
// frontier orders URLs.
type scoreFlags struct {
	Topic        string             `placeholder:"FILE" help:"Topic of a focused crawl (YAML), or its ontology (SKOS, OWL)."`
	Plugin       []string           `sep:"none" placeholder:"FILE.wasm" help:"Run this plugin (a scorer or an extractor); repeatable."`
	PluginConfig map[string]config  `mapsep:"none" placeholder:"NAME=TEXT" help:"Configure a plugin with a text or a file (@FILE)."`
	PluginAllow  map[string]string  `mapsep:"none" placeholder:"NAME=blacklist" help:"Let a plugin exclude URLs or hosts (blacklist_host)."`
	Targets      []string           `sep:"none" placeholder:"KIND,..." help:"Look for files or records: media types, .csv, classes, XPath."`
	Context      string             `placeholder:"DIR" help:"Learn the distance of pages from targets from this earlier crawl, or self."`
	Weights      map[string]float64 `placeholder:"MODULE=W" help:"Weight of a scoring module or plugin; overrides the topic's."`
	Learn        bool               `help:"Learn the weights from the pages that the links lead to."`
	Update       string             `placeholder:"NAME" help:"Combine scores of one URL by max (default), first, last, avg or sum."`
	Batch        int                `placeholder:"N" help:"Schedule new links after every N pages; 0: immediately (default: 0)."`
	PerTurn      int                `placeholder:"N" help:"Take N URLs from a host before the next host's turn (default: 1)."`
	BestFirst    bool               `help:"Fetch the URL with the highest score first, instead of taking turns between hosts."`

	DomainBudget        int `placeholder:"N" help:"Send at most N requests to a domain without a seed; 0 means no limit (default: 0)."`
	DomainBudgetPerLink int `placeholder:"N" help:"Add N requests to that budget for each domain that links to it."`
	DomainBudgetLinks   int `placeholder:"N" help:"Count at most N linking domains."`
}

// knowledgeFlags are what a crawl knows of applications.
type knowledgeFlags struct {
	kbFlags
	Type     string      `placeholder:"TYPE-ID" help:"Treat all pages as this type."`
	Without  []kb.TypeID `sep:"none" placeholder:"TYPE-ID" help:"Ignore a type of the knowledge base; repeatable."`
	Blind    bool        `help:"Follow every link in scope, without the knowledge base."`
	NoAdapt  bool        `help:"Do not adapt extraction rules to unknown templates."`
	Draft    bool        `help:"Draft a type for sites of unknown software during the crawl, and extract with it."`
	Previous string      `placeholder:"DIR" help:"Recrawl: unchanged pages become revisit records of this earlier crawl."`
}

// reachFlags are which links are followed.
type reachFlags struct {
	MaxHops     int      `default:"-1" placeholder:"N" help:"Follow at most N links from a seed; -1 means no limit."`
	ScopeType   string   `default:"host" enum:"page,prefix,host,domain,any" help:"Follow links within this distance of a seed."`
	Include     []string `sep:"none" placeholder:"RE" help:"Fetch only URLs that match this regular expression; repeatable."`
	Exclude     []string `sep:"none" placeholder:"RE" help:"Skip URLs that match this regular expression; repeatable."`
	Scope       string   `placeholder:"FILE" help:"Read scope rules (exclude, only, also) from a YAML file; edits apply immediately."`
	Requisites  bool     `help:"Fetch images, styles and scripts that replay needs."`
	Sitemaps    bool     `xor:"sitemaps" help:"Also try /sitemap.xml on each host; sitemaps in robots.txt are always used."`
	NoSitemaps  bool     `xor:"sitemaps" help:"Ignore sitemaps."`
	Speculative bool     `help:"Also fetch probable addresses in scripts, texts and forms; most do not exist."`
	APISources  bool     `name:"api-sources" help:"Use the API of known software for content that its pages omit."`
	Productive  bool     `help:"Skip link patterns that yield no new content on sites of unknown software."`
	Optional    bool     `help:"Also follow optional links, such as profiles."`
}

// trapFlags bound places that may have no end.
type trapFlags struct {
	NoTraps   bool    `help:"Follow every link, also into suspected crawler traps such as calendars."`
	TrapShare float64 `default:"0.1" placeholder:"SHARE" help:"Spend at most this share of requests (0 to 1) on suspected traps."`
	TrapLimit int     `default:"10000" placeholder:"N" help:"Fetch at most N pages of one suspected trap; 0 means no limit."`
}

// limitFlags end a session.
type limitFlags struct {
	Limit     int64   `placeholder:"N" help:"Stop after N pages (default: no limit)."`
	TimeLimit wait    `placeholder:"D" help:"Stop after this time, such as 90s, 20m or 2h (default: no limit)."`
	SizeLimit size    `placeholder:"SIZE" help:"Stop after receiving this many bytes, such as 500M or 2G (default: no limit)."`
	RankMass  float64 `placeholder:"SHARE" help:"Stop when this share (0 to 1) of the page rank from the seeds is covered."`
	MinSpace  size    `default:"100M" placeholder:"SIZE" help:"Stop when the disk has less free space than this."`
}

// politeFlags are how a crawl behaves towards sites and their owners.
type politeFlags struct {
	Delay        wait   `default:"1s" placeholder:"D" help:"Wait at least this long between requests to one host, IP address or domain."`
	UserAgent    string `placeholder:"S" help:"Send this User-Agent; robots.txt rules match its first word."`
	Contact      string `placeholder:"URL-or-mail" help:"Send this contact with each request, for site owners."`
	IgnoreRobots bool   `help:"Ignore robots.txt."`
	Nofollow     string `default:"obey" enum:"obey,ignore" help:"Obey or ignore nofollow on pages and links."`
	Domains      string `placeholder:"FILE" help:"Read rules for domains from a YAML file; edits apply immediately."`
}

// fetchFlags are how a URL is fetched.
type fetchFlags struct {
	RetryDelay   wait     `default:"1m" placeholder:"D" help:"Wait before retrying a failed URL; doubles with each try."`
	Patience     wait     `default:"2h" placeholder:"D" help:"Fail the URLs of a host that refuses all requests for this long."`
	MaxTries     int      `default:"3" placeholder:"N" help:"Try a URL N times before it fails."`
	Timeout      wait     `default:"20m" placeholder:"D" help:"Stop a request after this time."`
	SpeedLimit   size     `default:"100" placeholder:"SIZE" help:"Stop responses slower than this many bytes a second; 0 means no limit."`
	SpeedTime    wait     `default:"1m" placeholder:"D" help:"Measure --speed-limit over this time, after the first byte."`
	MaxBody      size     `default:"1G" placeholder:"SIZE" help:"Truncate longer responses; their records are marked as truncated."`
	VerifyTLS    bool     `name:"verify-tls" help:"Refuse invalid TLS certificates."`
	AllowPrivate []string `placeholder:"NET" help:"Allow requests to private addresses, such as 10.1.0.0/16; repeatable."`
	PublicSeeds  bool     `help:"Refuse private addresses of seeds too, unless --allow-private has them."`
	Proxy        string   `placeholder:"URL" help:"Use this proxy (http, https or socks5)."`
	Cookies      string   `placeholder:"FILE" help:"Start with the cookies of a cookies.txt; their values are not archived."`
	Login        string   `placeholder:"FILE" help:"Log in with the form that a YAML file describes; passwords come from the environment."`
	Browser      string   `default:"auto" enum:"auto,always,never" help:"Run scripts on pages with little text, on all, or on none."`
	KeepCookies  bool     `help:"Archive cookie values too, also of --cookies and --login."`

	Screenshots    bool     `help:"Archive a picture of each page that the browser shows, as urn:view: records."`
	BrowserShare   float64  `default:"0" placeholder:"SHARE" help:"Run scripts on this share of pages at most (0: no limit)."`
	BrowserMethods []string `placeholder:"METHOD" help:"Let scripts send POST, PUT, PATCH, DELETE or none (default: POST)."`
}

// outputFlags are what is archived where.
type outputFlags struct {
	WARCPrefix  string `name:"warc-prefix" default:"awarc" placeholder:"S" help:"Start WARC file names with this."`
	WARCSize    size   `name:"warc-size" default:"1G" placeholder:"SIZE" help:"Start a new WARC file at this size."`
	PageRecords bool   `help:"Also archive text and type of each page, as urn:text: and urn:pageinfo: records."`
	Index       bool   `help:"Update the index for query and search during the crawl."`
	NoDedupe    bool   `help:"Archive repeated payloads in full, not as revisit records."`

	Dedupe []string `sep:"none" placeholder:"CDXJ-or-DIR" help:"Do not store payloads of this archive again; repeatable."`
}

// nodeFlags let several machines share a crawl.
type nodeFlags struct {
	Frontier string `placeholder:"URL" help:"Share the crawl between machines by Redis servers: redis://HOST:PORT,HOST:PORT."`
	Crawl    string `placeholder:"NAME" help:"Name of the shared crawl on these servers."`
}

// crawlFlags are the flags of crawl that resume goes on with.
type crawlFlags struct {
	reachFlags     `group:"Scope:"`
	limitFlags     `group:"Limits:"`
	politeFlags    `group:"Politeness:"`
	fetchFlags     `group:"Requests:"`
	outputFlags    `group:"Archive:"`
	knowledgeFlags `group:"Software and knowledge base:"`
	trapFlags      `group:"Crawler traps:"`
	scoreFlags     `group:"Topics, plugins and order:"`
	nodeFlags      `group:"Several machines:"`

	Workers  int    `group:"Requests:" short:"w" default:"8" help:"Fetch N URLs at a time; at most one for each host and IP address."`
	API      string `group:"HTTP API:" name:"api" placeholder:"ADDR" help:"Serve the HTTP API here, such as at 127.0.0.1:8080."`
	Pprof    bool   `group:"HTTP API:" name:"pprof" help:"Serve profiles at /debug/pprof/ of the API, for go tool pprof."`
	APIToken string `group:"HTTP API:" json:"-" placeholder:"S" env:"AWARC_API_TOKEN" help:"Require this token from clients of the API."`
}

type crawlCmd struct {
	crawlFlags
	Out      string   `placeholder:"DIR" help:"Write the crawl to this new or empty folder (default: crawl-HOST-TIME)."`
	Config   string   `group:"Seeds and output:" placeholder:"FILE" help:"Read flags from YAML; the command line overrides them."`
	SeedFile []string `group:"Seeds and output:" placeholder:"FILE" help:"Read seeds from a file, one a line; - is standard input."`
	DryRun   bool     `help:"Check and print the settings; fetch nothing."`
	Format   string   `group:"Seeds and output:" enum:"text,json" default:"text" help:"Output format."`
	Seed     []string `arg:"" optional:"" help:"URLs to start from."`
}

// config is what a plugin is configured with: a text, or @ and the name of the file that has it.
type config string

// longestConfig is how many bytes the file may have.
const longestConfig = 8 << 20

// UnmarshalText reads the file.
func (c *config) UnmarshalText(text []byte) error {
	name, file := strings.CutPrefix(string(text), "@")
	if !file {
		*c = config(text)
		return nil
	}
	text, err := infile.ReadStream(name, longestConfig)
	*c = config(text)
	return err
}

func configs(all map[string]config) map[string]string {
	texts := make(map[string]string, len(all))
	for name, c := range all {
		texts[name] = string(c)
	}
	return texts
}

// options are those that the flags say.
func (f crawlFlags) options() crawl.Options {
	return crawl.Options{
		Knowledge: crawl.Knowledge{
			KB: f.KB, Alone: f.Alone, Without: f.Without, Type: f.Type, Blind: f.Blind, NoAdapt: f.NoAdapt, Draft: f.Draft,
			Previous: f.Previous,
		},
		Scoring: crawl.Scoring{Topic: f.Topic, Plugin: f.Plugin, PluginConfig: configs(f.PluginConfig), PluginAllow: f.PluginAllow,
			Weights: f.Weights, Learn: f.Learn, Targets: f.Targets, Context: f.Context},
		Order: crawl.Order{
			Update: f.Update, Batch: f.Batch, PerTurn: f.PerTurn, BestFirst: f.BestFirst,
			DomainBudget: f.DomainBudget, DomainBudgetPerLink: f.DomainBudgetPerLink, DomainBudgetLinks: f.DomainBudgetLinks,
		},
		Reach: crawl.Reach{
			ScopeType: f.ScopeType, Include: f.Include, Exclude: f.Exclude, Scope: f.Scope, MaxHops: given(f.MaxHops),
			Requisites: f.Requisites, Sitemaps: f.Sitemaps, NoSitemaps: f.NoSitemaps, Speculative: f.Speculative, Optional: f.Optional,
			Productive: f.Productive, APISources: f.APISources,
		},
		Traps: crawl.Traps{NoTraps: f.NoTraps, TrapShare: given(f.TrapShare), TrapLimit: given(f.TrapLimit)},
		Limits: crawl.Limits{
			Limit: f.Limit, SizeLimit: int64(f.SizeLimit), TimeLimit: time.Duration(f.TimeLimit), MinSpace: given(int64(f.MinSpace)),
			RankMass: f.RankMass,
		},
		Politeness: crawl.Politeness{
			UserAgent: f.UserAgent, Contact: f.Contact, Delay: given(time.Duration(f.Delay)), Domains: f.Domains,
			IgnoreRobots: f.IgnoreRobots, Nofollow: f.Nofollow,
		},
		Fetching: crawl.Fetching{
			MaxTries: given(f.MaxTries), Patience: given(time.Duration(f.Patience)),
			RetryDelay: given(time.Duration(f.RetryDelay)),
			Timeout:    given(time.Duration(f.Timeout)), MaxBody: given(int64(f.MaxBody)),
			SpeedLimit: given(int64(f.SpeedLimit)), SpeedTime: time.Duration(f.SpeedTime), VerifyTLS: f.VerifyTLS,
			AllowPrivate: f.AllowPrivate, PublicSeeds: f.PublicSeeds, Proxy: f.Proxy, Cookies: f.Cookies,
			Login: f.Login, KeepCookies: f.KeepCookies, Browser: f.Browser, BrowserMethods: f.BrowserMethods,
			BrowserShare: f.BrowserShare, Screenshots: f.Screenshots,
		},
		Output: crawl.Output{WARCPrefix: f.WARCPrefix, WARCSize: given(int64(f.WARCSize)), NoDedupe: f.NoDedupe, Dedupe: f.Dedupe,
			PageRecords: f.PageRecords, Index: f.Index},
		Nodes:   f.nodes(),
		Workers: given(f.Workers), API: f.API, Pprof: f.Pprof, Software: software(),
	}
}

func (f nodeFlags) nodes() crawl.Nodes {
	return crawl.Nodes{Frontier: f.Frontier, Crawl: f.Crawl, FrontierPassword: os.Getenv(crawl.PasswordVariable)}
}

// given keeps a 0 that was given from being taken for the default.
func given[T int | int64 | float64 | time.Duration](v T) T {
	if v == 0 {
		return crawl.None
	}
	return v
}

func software() string { return "awarc/" + version }

// flagOf names the flag of an option, as kong does.
func flagOf(option string) string {
	switch option {
	case "Dir":
		return "--out"
	case "KB", "API":
		return "--" + strings.ToLower(option)
	}
	return "--" + strings.ToLower(wordEnds.ReplaceAllString(option, "$1$3-$2$4"))
}

// wordEnds finds where a word of an identifier ends and the next begins.
var wordEnds = regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`)

// inFlags makes complaints about options complaints about flags, and gives an error that a full disk caused the exit status of
// a limit.
func inFlags(err error) error {
	var wrong *crawl.OptionsError
	switch {
	case errors.As(err, &wrong):
		text := strings.Replace(err.Error(), wrong.Error(), wrong.Text(flagOf), 1)
		return &statusError{exitUsage, errors.New(text)}
	case engine.IsDiskFull(err):
		return &statusError{exitLimit, err}
	}
	return err
}

// Run starts a crawl.
func (c *crawlCmd) Run(ctx context.Context, s streams) error {
	return runSessions(ctx, s, c.Format, func() ([]*session, error) { return lone(c.open(s, nil)) })
}

// open makes the crawl's folder and opens it; the session is nil after a dry run.
func (c *crawlCmd) open(s streams, p *crawl.Pool) (*session, error) {
	if c.API != "" {
		if err := checkAPI(c.API, c.APIToken); err != nil {
			return nil, err
		}
	}
	if c.takesPart() {
		return resume(c.Out, s, crawl.ResumeOptions{Pool: p})
	}
	o := c.options()
	var err error
	if o.Seeds, err = c.seeds(s.in); err != nil {
		return nil, err
	}
	if c.DryRun {
		settings, err := crawl.Check(c.Out, o)
		if err != nil {
			return nil, inFlags(err)
		}
		return nil, showSettings(s.out, settings, c.Format)
	}
	if c.Out == "" {
		c.Out = folderFor(o.Seeds)
	}
	if err := free(c.API); err != nil {
		return nil, err
	}
	x := newSession(s, c.APIToken)
	o.Pool, o.Events = p, x.events()
	if x.crawl, err = crawl.New(c.Out, o); err != nil {
		return nil, inFlags(err)
	}
	return x, nil
}

// takesPart reports whether the folder holds a node of the crawl already: then all nodes can be started by one command, again and again.
func (c *crawlCmd) takesPart() bool {
	if c.Frontier == "" || c.Out == "" || c.DryRun {
		return false
	}
	set, err := crawl.ReadSettings(c.Out)
	return err == nil && set.Node != "" && set.Flags.Nodes.Crawl == c.nodeFlags.Crawl
}

// folderFor names the folder of a crawl by its first seed.
func folderFor(seeds []string) string {
	host := ""
	if len(seeds) > 0 {
		if u, err := engine.SeedURL(seeds[0]); err == nil {
			host = strings.ReplaceAll(u.Host, ":", "-")
		}
	}
	return fmt.Sprintf("crawl-%s-%s", host, time.Now().UTC().Format("20060102150405"))
}

// showSettings says what a crawl would do.
func showSettings(w io.Writer, set crawl.Settings, format string) error {
	if format == "json" {
		return writeJSON(w, set)
	}
	o := set.Flags
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %-10s "+format+"\n", append([]any{name}, args...)...)
	}
	fmt.Fprintf(w, "nothing was fetched; without --dry-run awarc starts this crawl:\n")
	for _, seed := range set.Seeds {
		line("seed", "%s", seed)
	}
	scope, err := placesOf(set)
	if err != nil {
		return err
	}
	for _, part := range []struct{ name, value string }{
		{"only", strings.Join(o.Include, " or ")}, {"not", strings.Join(o.Exclude, " or ")}, {"rules of", o.Scope}} {
		if part.value != "" {
			scope += "; " + part.name + " " + part.value
		}
	}
	if o.MaxHops >= 0 {
		scope += fmt.Sprintf("; at most %d links from a seed", o.MaxHops)
	}
	line("scope", "%s", scope)
	line("follows", "%s", followed(o))
	line("waits", "%s between two requests to a host, an address or a domain; %d URLs at a time", o.Delay, o.Workers)
	robots := "obeyed"
	if o.IgnoreRobots {
		robots = "ignored"
	}
	line("robots.txt", "%s", robots)
	line("contact", "%s", cmp.Or(o.Contact, "none; site owners cannot reach you: add --contact"))
	line("ends", "%s", limitsOf(o))
	if len(o.Plugin) > 0 {
		line("plugins", "%s", strings.Join(o.Plugin, " "))
	}
	return nil
}

const placesShown = 10

// placesOf says where a crawl may go. Redirects of seeds may add to it.
func placesOf(set crawl.Settings) (string, error) {
	var seeds []*url.URL
	for _, text := range set.Seeds {
		u, err := engine.SeedURL(text)
		if err != nil {
			return "", err
		}
		seeds = append(seeds, u)
	}
	scope, err := engine.NewScope(engine.ScopeRules{Type: engine.ScopeType(set.Flags.ScopeType), MaxHops: -1}, seeds)
	if err != nil {
		return "", err
	}
	places := scope.Places()
	text := strings.Join(places[:min(len(places), placesShown)], "; ")
	if more := len(places) - placesShown; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text, nil
}

// followed says which links a crawl would follow.
func followed(o crawl.Options) string {
	if o.Blind {
		return "every link (--blind)"
	}
	text := "links to content on known software; every link on other software"
	if len(o.Targets) > 0 {
		text = "every link, in the order of the expected targets; link patterns without any are left"
	}
	if o.Optional {
		text += "; optional links such as profiles"
	}
	if o.Requisites {
		text += "; images, styles and scripts"
	}
	return text
}

// limitsOf says what would end a crawl.
func limitsOf(o crawl.Options) string {
	var limits []string
	if o.Limit > 0 {
		limits = append(limits, fmt.Sprintf("after %d pages", o.Limit))
	}
	if o.TimeLimit > 0 {
		limits = append(limits, fmt.Sprintf("after %s", o.TimeLimit))
	}
	if o.SizeLimit > 0 {
		limits = append(limits, fmt.Sprintf("after %d bytes", o.SizeLimit))
	}
	if o.RankMass > 0 {
		limits = append(limits, fmt.Sprintf("when %g %% of the rank from the seeds is covered", 100*o.RankMass))
	}
	return strings.Join(append(limits, "when no URL is left"), ", or ")
}

// seeds gathers the seeds of the command line, of the topic and of files.
func (c *crawlCmd) seeds(stdin io.Reader) ([]string, error) {
	texts := slices.Clone(c.Seed)
	if c.Topic != "" {
		d, err := readDefinition(c.Topic)
		if err != nil {
			return nil, err
		}
		texts = append(texts, d.Seeds...)
	}
	for _, name := range c.SeedFile {
		more, err := readSeeds(name, stdin)
		if err != nil {
			return nil, err
		}
		texts = append(texts, more...)
	}
	return texts, nil
}

// maxSeeds bounds a file of seeds, in bytes: some millions of addresses.
const maxSeeds = 256 << 20

func readSeeds(name string, stdin io.Reader) ([]string, error) {
	var data []byte
	var err error
	if name == "-" {
		if data, err = io.ReadAll(io.LimitReader(stdin, maxSeeds+1)); err == nil && len(data) > maxSeeds {
			err = fmt.Errorf("standard input: larger than %d bytes", maxSeeds)
		}
	} else {
		data, err = infile.ReadStream(name, maxSeeds)
	}
	if err != nil {
		return nil, usageError("--seed-file: %v", err)
	}
	var seeds []string
	for i, line := range infile.Lines(infile.Text(data)) {
		line, _, _ = strings.Cut(line, " #")
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := engine.SeedURL(line); err != nil {
			shown, _ := fetch.WithoutPassword(line)
			return nil, usageError("--seed-file: %s:%d: seed %q: %v", name, i+1, shown, err)
		}
		seeds = append(seeds, line)
	}
	return seeds, nil
}
