package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
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
		return fmt.Errorf("%q is no size; expected a number of bytes, with K, M, G or T", text)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	shift := map[string]uint{"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[m[2]]
	if err != nil || n > (1<<62)>>shift {
		return fmt.Errorf("%q is too large a size", text)
	}
	*z = size(n << shift)
	return nil
}

// crawlFlags are the flags of crawl that resume goes on with.
type crawlFlags struct {
	kbFlags
	scoreFlags
	Type         string        `placeholder:"TYPE-ID" help:"Take all pages to be of this type."`
	Without      []kb.TypeID   `sep:"none" placeholder:"TYPE-ID" help:"Take a type out of the knowledge base; repeatable."`
	Workers      int           `short:"w" default:"8" help:"URLs in work at a time; one for each host and IP address."`
	Delay        time.Duration `default:"1s" help:"Least wait between two requests to one host, one IP address and one pay-level domain."`
	Limit        int64         `placeholder:"N" help:"Stop after N pages."`
	MaxHops      int           `default:"-1" placeholder:"N" help:"Links from a seed to follow at most; -1 for any number."`
	TimeLimit    time.Duration `placeholder:"D" help:"Stop after this time."`
	SizeLimit    size          `placeholder:"SIZE" help:"Stop after receiving this many bytes (500M, 2G)."`
	ScopeType    string        `default:"host" enum:"page,prefix,host,domain,any" help:"How far from a seed: page, prefix, host, domain or any."`
	Include      []string      `sep:"none" placeholder:"RE" help:"Only URLs that match one of these; repeatable."`
	Exclude      []string      `sep:"none" placeholder:"RE" help:"No URLs that match; repeatable."`
	Scope        string        `placeholder:"FILE" help:"YAML file of scope rules: exclude, only, also by url, host, path, depth, hops, mime, size, lang; edits count at once."`
	Requisites   bool          `help:"Fetch what pages need to be replayed: images, styles, scripts."`
	Sitemaps     bool          `help:"Ask each host for its sitemaps, and follow them."`
	Speculative  bool          `help:"Also ask for what only looks like an address: in scripts, texts, forms. Most of it leads nowhere."`
	Optional     bool          `help:"Follow optional actions too, such as profiles."`
	Blind        bool          `help:"Use no knowledge base: follow every link in scope."`
	NoAdapt      bool          `help:"Do not adapt actions to templates that the knowledge base does not know."`
	Previous     string        `placeholder:"DIR" help:"Folder of an earlier crawl of the same sites: what it extracted shows where a changed template has it now."`
	NoTraps      bool          `help:"Follow every link, also into calendars and other places without end."`
	TrapShare    float64       `default:"0.1" placeholder:"SHARE" help:"Part of the requests, 0 to 1, that places get which may have no end, while anything else is left."`
	TrapLimit    int           `default:"10000" placeholder:"N" help:"Pages of one place that may have no end; 0 for any number."`
	UserAgent    string        `placeholder:"S" help:"User-Agent; its first word is what robots.txt files address."`
	Contact      string        `placeholder:"URL-or-mail" help:"Whom site owners can ask; sent with each request."`
	IgnoreRobots bool          `help:"Do not ask for robots.txt, nor obey it."`
	MaxTries     int           `default:"3" placeholder:"N" help:"How often a URL is tried before it is given up."`
	Timeout      time.Duration `default:"20m" help:"Longest time of one exchange."`
	MaxBody      size          `default:"1G" placeholder:"SIZE" help:"Longest answer; the rest is cut off and marked so."`
	VerifyTLS    bool          `name:"verify-tls" help:"Refuse servers whose certificate does not verify."`
	AllowPrivate []string      `placeholder:"NET" help:"Addresses that are not public and may be reached besides seeds' hosts (10.1.0.0/16); repeatable."`
	Proxy        string        `placeholder:"URL" help:"Proxy: http, https or socks5."`
	Cookies      string        `placeholder:"FILE" help:"cookies.txt to start with."`
	WARCPrefix   string        `name:"warc-prefix" default:"awarc" placeholder:"S" help:"Start of WARC file names."`
	WARCSize     size          `name:"warc-size" default:"1G" placeholder:"SIZE" help:"Greatest size of a WARC file."`
	NoDedupe     bool          `help:"Archive a payload each time that it comes, and not as a revisit of what is in the archive already."`
	API          string        `name:"api" placeholder:"ADDR" help:"Serve the HTTP API of this crawl there, such as 127.0.0.1:8080."`
	APIToken     string        `json:"-" name:"api-token" placeholder:"S" env:"AWARC_API_TOKEN" help:"What callers of the API must send as 'Authorization: Bearer S'; needed where ADDR is not a loopback address."`
	Domains      string        `placeholder:"FILE" help:"YAML file of rules for domains (delay, budget, priority, off); edits count at once."`
	MinSpace     size          `default:"100M" placeholder:"SIZE" help:"Stop when less than this is free on the disk."`
}

type crawlCmd struct {
	crawlFlags
	Out      string   `placeholder:"DIR" help:"Where the crawl goes; must not exist or be empty. Default: crawl-HOST-TIME."`
	Config   string   `placeholder:"FILE" help:"YAML file of flags (max-hops: 3) and weights; what the command line says has precedence."`
	SeedFile []string `placeholder:"FILE" help:"File of seeds, one a line, # starts a comment; '-' is standard input; repeatable."`
	DryRun   bool     `help:"Check flags, knowledge base and seeds, print the settings, fetch nothing."`
	Format   string   `enum:"text,json" default:"text" help:"Output format: text or json."`
	Seed     []string `arg:"" optional:"" help:"Seed URLs."`
}

func userAgent(f crawlFlags) string {
	if f.UserAgent != "" {
		return f.UserAgent
	}
	return "awarc/" + version
}

func (f crawlFlags) fetchOptions(spool string) fetch.Options {
	return fetch.Options{UserAgent: userAgent(f), Contact: f.Contact, Proxy: f.Proxy, Cookies: f.Cookies, Timeout: f.Timeout, MaxBody: int64(f.MaxBody), SpoolDir: spool, VerifyTLS: f.VerifyTLS}
}

// guard makes the guard of a crawl's addresses.
func (f crawlFlags) guard(seeds []string, memory fetch.Memory) (*fetch.Guard, error) {
	var allow []netip.Prefix
	for _, text := range f.AllowPrivate {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			a, aerr := netip.ParseAddr(text)
			if aerr != nil {
				return nil, usageError("--allow-private %q: expected a network such as 10.1.0.0/16 or an address", text)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		allow = append(allow, p)
	}
	return fetch.NewGuard(seeds, allow, memory), nil
}

// seedsNamed is how many seeds the warcinfo record of each file names.
const seedsNamed = 20

// archiveOptions are those of the archive; agent is the User-Agent as it is sent.
func (f crawlFlags) archiveOptions(set settings, agent string) archive.Options {
	host, _ := os.Hostname() // left out when unknown
	robots := "obey (RFC 9309)"
	if f.IgnoreRobots {
		robots = "ignore"
	}
	seeds := strings.Join(set.Seeds[:min(len(set.Seeds), seedsNamed)], " ")
	if more := len(set.Seeds) - seedsNamed; more > 0 {
		seeds += fmt.Sprintf(" and %d more", more)
	}
	info := map[string]string{
		"software": "awarc/" + version, "hostname": host, "robots": robots, "http-header-user-agent": agent, "operator": f.Contact,
		"isPartOf": set.CrawlID, "description": "seeds: " + seeds,
	}
	for name, value := range info {
		if value == "" {
			delete(info, name)
		}
	}
	return archive.Options{Prefix: f.WARCPrefix, MaxSize: int64(f.WARCSize), MinSpace: int64(f.MinSpace), NoRevisits: f.NoDedupe, Info: info}
}

// check validates the flags that kong cannot, all complaints together where
// they are cheap, before anything is written.
func (f crawlFlags) check() error {
	switch {
	case f.Workers < 1 || f.Workers > 10_000:
		return usageError("--workers %d: expected 1 to 10000", f.Workers)
	case f.Delay < 0 || f.TimeLimit < 0 || f.Timeout <= 0:
		return usageError("a duration is negative, or --timeout is not positive")
	case !(f.TrapShare >= 0 && f.TrapShare <= 1) || f.TrapLimit < 0:
		return usageError("--trap-share %v, --trap-limit %d: expected 0 to 1, and no negative number", f.TrapShare, f.TrapLimit)
	case f.Limit < 0 || f.MaxTries < 1:
		return usageError("--limit may not be negative, --max-tries must be at least 1")
	}
	if _, err := f.frontierOptions(frontier.Options{}); err != nil {
		return err
	}
	if f.API != "" {
		if err := checkAPI(f.API, f.APIToken); err != nil {
			return err
		}
	}
	if f.Domains != "" {
		if _, err := readDomains(f.Domains); err != nil {
			return usageError("--domains: %v", err)
		}
	}
	rules, err := readScope(f.Scope)
	if err != nil {
		return usageError("--scope: %v", err)
	}
	if _, err := f.scope(nil, rules); err != nil {
		return err
	}
	base, err := f.kbFlags.load()
	if err != nil {
		return err
	}
	if base, err = base.Without(f.Without...); err != nil {
		return usageError("--without: %v; see awarc kb list", err)
	}
	if f.Type != "" && base.Type(kb.TypeID(f.Type)) == nil {
		return usageError("--type %q is not in the knowledge base; see awarc kb list", f.Type)
	}
	if _, err := f.guard(nil, nil); err != nil {
		return err
	}
	c, err := fetch.New(f.fetchOptions(""))
	if err != nil {
		return usageError("%v", err)
	}
	c.Close()
	if err := f.archiveOptions(settings{}, "").Check(); err != nil {
		return usageError("--warc-prefix: %v", err)
	}
	return nil
}

// Run starts a crawl.
func (c *crawlCmd) Run(ctx context.Context, s streams) error {
	x, err := c.open(ctx, s, nil)
	if x == nil || err != nil {
		return err
	}
	return runSessions(ctx, []*session{x}, c.Format, s.out)
}

// open makes the crawl's folder and opens it; the session is nil after a dry run.
func (c *crawlCmd) open(ctx context.Context, s streams, p *pool) (*session, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := c.absolutePaths(); err != nil {
		return nil, err
	}
	topic, err := c.readTopic()
	if err != nil {
		return nil, err
	}
	seeds, logins, err := c.seeds(s.in, topic.seeds())
	if err != nil {
		return nil, err
	}
	set := settings{
		Flags: c.crawlFlags, Seeds: seeds, logins: logins, CrawlID: newCrawlID(), Started: time.Now().UTC().Truncate(time.Millisecond),
	}
	if err := emptyDir(c.Out); c.Out != "" && err != nil {
		return nil, err
	}
	if err := c.checkScoring(ctx, topic, set); err != nil {
		return nil, err
	}
	if c.DryRun {
		return nil, c.showSettings(s.out, set)
	}
	if c.Out == "" {
		u, err := url.Parse(seeds[0])
		if err != nil {
			return nil, err
		}
		c.Out = fmt.Sprintf("crawl-%s-%s", strings.ReplaceAll(u.Host, ":", "-"), time.Now().UTC().Format("20060102150405"))
	}
	if c.Contact == "" {
		fmt.Fprintln(s.err, "awarc: no --contact: site owners cannot tell whom to ask about this crawl")
	}
	x, err := newCrawl(c.Out, set, topic, s, p)
	if err != nil {
		return nil, err
	}
	x.token = c.APIToken
	return x, nil
}

// absolutePaths keeps what resume needs findable from any folder.
func (c *crawlCmd) absolutePaths() error {
	paths := []*string{&c.Cookies, &c.Previous, &c.Domains, &c.Scope, &c.Topic}
	for _, list := range [][]string{c.KB, c.Plugin} {
		for i := range list {
			paths = append(paths, &list[i])
		}
	}
	for _, p := range paths {
		if *p == "" {
			continue
		}
		abs, err := filepath.Abs(*p)
		if err != nil {
			return err
		}
		*p = abs
	}
	return nil
}

func (c *crawlCmd) showSettings(w io.Writer, set settings) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(set)
}

// seeds gathers the seeds of the command line, of files and of the topic, made absolute and without passwords; logins are
// those that had one, with it.
func (c *crawlCmd) seeds(stdin io.Reader, ofTopic []string) (seeds, logins []string, err error) {
	texts := slices.Concat(c.Seed, ofTopic)
	for _, name := range c.SeedFile {
		more, err := readSeeds(name, stdin)
		if err != nil {
			return nil, nil, err
		}
		texts = append(texts, more...)
	}
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
		return nil, nil, usageError("no seed URL; expected at least one, such as https://example.org/forum/")
	}
	return seeds, logins, nil
}

func readSeeds(name string, stdin io.Reader) ([]string, error) {
	r := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, usageError("--seed-file: %v", err)
		}
		defer f.Close()
		r = f
	}
	var seeds []string
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<10)
	for lines.Scan() {
		line, _, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "\ufeff"), " #")
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			seeds = append(seeds, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, usageError("--seed-file %s: %v", name, err)
	}
	return seeds, nil
}

type resumeCmd struct {
	Limit     *int64         `placeholder:"N" help:"A new --limit for the crawl, earlier sessions included; 0 for none."`
	SizeLimit *size          `placeholder:"SIZE" help:"A new --size-limit for the crawl, earlier sessions included; 0 for none."`
	TimeLimit *time.Duration `placeholder:"D" help:"A new --time-limit for this session and those to come; 0 for none."`
	Traps     bool           `help:"Fetch what was put off and still waits, since it may have no end."`
	Format    string         `enum:"text,json" default:"text" help:"Output format: text or json."`
	Dir       string         `arg:"" help:"Folder of the crawl."`
}

// Run goes on with a crawl.
func (c *resumeCmd) Run(ctx context.Context, s streams) error {
	if c.Limit != nil && *c.Limit < 0 || c.TimeLimit != nil && *c.TimeLimit < 0 {
		return usageError("a limit is negative")
	}
	x, err := openCrawl(c.Dir, s, nil)
	if err != nil {
		return err
	}
	if c.Traps {
		if err := x.frontier.Reopen(); err != nil {
			return errors.Join(err, x.close())
		}
	}
	if c.Traps || c.Limit != nil || c.SizeLimit != nil || c.TimeLimit != nil { // the engine is to know of it
		if err := x.setLimits(c.limits); err != nil {
			return errors.Join(err, x.close())
		}
	}
	return runSessions(ctx, []*session{x}, c.Format, s.out)
}

// limits puts the new limits into the flags of the crawl.
func (c *resumeCmd) limits(f *crawlFlags) {
	if c.Limit != nil {
		f.Limit = *c.Limit
	}
	if c.SizeLimit != nil {
		f.SizeLimit = *c.SizeLimit
	}
	if c.TimeLimit != nil {
		f.TimeLimit = *c.TimeLimit
	}
}

// runSessions runs open crawls side by side: the first Ctrl-C ends them gracefully, the
// second at once. What each came to is printed when all have ended, in the order given.
func runSessions(ctx context.Context, crawls []*session, format string, out io.Writer) error {
	graceful, stop := context.WithCancel(ctx)
	hard, abort := context.WithCancel(ctx)
	defer stop()
	defer abort()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		for {
			select {
			case <-hard.Done():
				return
			case <-signals:
			}
			if graceful.Err() == nil {
				crawls[0].progress.note("finishing what is in flight; once more to stop at once")
				stop()
				continue
			}
			signal.Stop(signals) // a third one ends the program whatever it is doing
			abort()
			return
		}
	}()
	statuses, errs, summaries := make([]int, len(crawls)), make([]error, len(crawls)), make([]summary, len(crawls))
	var all sync.WaitGroup
	for i, x := range crawls {
		all.Go(func() {
			statuses[i], errs[i] = x.run(hard, graceful)
			summaries[i] = x.summary(statuses[i])
			if err := x.close(); errs[i] == nil {
				errs[i] = err
			}
		})
	}
	all.Wait()
	for i := range crawls {
		if err := summaries[i].print(out, format); errs[i] == nil {
			errs[i] = err
		}
		if errs[i] != nil && statuses[i] == exitDone {
			statuses[i] = exitFailed
		}
	}
	if status := worst(statuses); status != exitDone {
		return &statusError{status, errors.Join(errs...)}
	}
	return nil
}

// worst is the exit status of several crawls: what keeps most from being done.
func worst(statuses []int) int {
	for _, status := range []int{exitInterrupted, exitUsage, exitFailed, exitLimit, exitWithFaults} {
		if slices.Contains(statuses, status) {
			return status
		}
	}
	return exitDone
}

// defaultCrawlFlags are the flags of a crawl that was given none.
func defaultCrawlFlags() (crawlFlags, error) {
	var f crawlFlags
	k, err := kong.New(&f)
	if err == nil {
		_, err = k.Parse(nil)
	}
	return f, err
}

// MarshalText writes the number of bytes.
func (z size) MarshalText() ([]byte, error) { return []byte(strconv.FormatInt(int64(z), 10)), nil }
