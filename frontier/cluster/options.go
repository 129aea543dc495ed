package cluster

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/awarc/awarc/frontier"
)

// Options are the servers and the behaviour of a frontier. The options of package frontier must be the same on all nodes.
type Options struct {
	frontier.Options

	// URL names the servers: redis://[USER@]HOST[:PORT][,HOST[:PORT]...], with rediss for TLS, and after a ? settings that have
	// precedence: wait=N&lease=DURATION&failover=DURATION&patience=DURATION&partitions=N&domain=N.
	// It holds no password, since it is shown and kept.
	URL, Password string

	// Crawl is the name of the crawl, the same on all nodes: 1 to 64 letters, digits, dots, dashes and underscores.
	Crawl string

	// Node names this node: never two processes at a time, and the same again when it goes on.
	Node string

	// Private are the beginnings of keys of settings that each node has for itself.
	Private []string

	// Lease is how long a lease lasts that is not renewed, which a node does four times as often: after that long, what a
	// node that died had in work is given to others. Default 1 min, least 1 s.
	Lease time.Duration

	// Partitions is into how many parts a new crawl is divided: the most shards that it can make use of, and some more so that they
	// are even. Default 256, at most 4096.
	Partitions int

	// TooLarge is about how many URLs of a pay-level domain are kept in one place: the hosts that are found after that have places of
	// their own. Default 5,000,000.
	TooLarge int

	// Wait is by how many replicas each change must be known before it counts, as far as a server has so many. -1: 1 for a
	// cluster, 0 for a server alone.
	Wait int

	// Poll is after how long a node looks again where nothing was to be done. Default 1 s.
	Poll time.Duration

	// Patience is for how long servers may be away before that ends the crawl on this node. Default 5 min.
	Patience time.Duration

	// Failover is longer than it takes a replica to replace its master. Servers that are away for longer are left out: the others are
	// crawled on, and changes for them are kept until they are back. Default 30 s, twice what servers need with their default settings.
	Failover time.Duration

	// MustExist makes Open refuse a crawl that is not there.
	MustExist bool
}

var crawlName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Check reports all that is wrong with the options, without asking the servers.
func (o Options) Check() error {
	_, err := o.complete()
	return err
}

// complete fills in the defaults and what the URL says, and reports all that is wrong together.
func (o *Options) complete() (servers, error) {
	named, err := parseURL(o.URL)
	errs := []error{err, o.Options.Complete()}
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf("cluster: "+format, args...)) }
	if !crawlName.MatchString(o.Crawl) {
		wrong("invalid crawl name %q; expected 1 to 64 letters, digits, dots, dashes and underscores", o.Crawl)
	}
	if o.Node == "" || len(o.Node) > 100 {
		wrong("the name of the node has %d bytes, want 1 to 100", len(o.Node))
	}
	o.Lease, o.Partitions = cmp.Or(named.lease, o.Lease, time.Minute), cmp.Or(named.partitions, o.Partitions, 256)
	o.TooLarge = cmp.Or(named.tooLarge, o.TooLarge, 5_000_000)
	o.Poll, o.Patience = cmp.Or(o.Poll, time.Second), cmp.Or(named.patience, o.Patience, 5*time.Minute)
	o.Failover = cmp.Or(named.failover, o.Failover, 30*time.Second)
	if named.wait >= 0 {
		o.Wait = named.wait
	}
	if o.Lease < time.Second || o.Poll < 0 || o.Patience < 0 || o.Failover < 0 || o.TooLarge < 0 {
		wrong("a lease is shorter than a second, or a time or the size of a domain is negative")
	}
	if o.Partitions < 1 || o.Partitions > 4096 {
		wrong("%d partitions; expected 1 to 4096", o.Partitions)
	}
	for what, set := range map[string]bool{
		"update functions avg and sum": o.Update == frontier.Avg || o.Update == frontier.Sum,
		"batches of pages":             o.Batch > 0,
		"turns of more than one URL":   o.PerTurn > 1,
		"the best host first":          o.BestFirst,
	} {
		if set {
			wrong("a crawl of several nodes does not support %s", what)
		}
	}
	return named, errors.Join(errs...)
}

// servers are what a URL names.
type servers struct {
	addresses []string
	user      string
	tls       *tls.Config
	wait      int // -1: not said

	lease      time.Duration // 0: not said
	failover   time.Duration // likewise
	patience   time.Duration // likewise
	partitions int           // 0: not said
	tooLarge   int           // 0: not said
}

func parseURL(text string) (s servers, err error) {
	fail := func(why string) (servers, error) {
		return servers{}, fmt.Errorf("cluster: %s: %s; expected redis://HOST:PORT,HOST:PORT", hidden(text), why)
	}
	scheme, rest, _ := strings.Cut(text, "://")
	switch scheme {
	case "redis":
	case "rediss":
		s.tls = &tls.Config{MinVersion: tls.VersionTLS12}
	default:
		return fail("not a redis:// or rediss:// address")
	}
	rest, query, _ := strings.Cut(rest, "?")
	rest = strings.TrimSuffix(rest, "/")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		if s.user, rest = rest[:i], rest[i+1:]; strings.Contains(s.user, ":") {
			return fail("do not put a password there, where others can read it")
		}
	}
	for _, a := range strings.Split(rest, ",") {
		host, port, err := net.SplitHostPort(a)
		if err != nil {
			host, port = strings.Trim(a, "[]"), "6379"
		}
		if n, err := strconv.Atoi(port); host == "" || err != nil || n < 1 || n > 65535 {
			return fail(fmt.Sprintf("invalid server %q", a))
		}
		s.addresses = append(s.addresses, net.JoinHostPort(host, port))
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return fail("its settings cannot be read")
	}
	s.wait = -1
	for name, value := range values {
		n, err := strconv.Atoi(value[0])
		switch {
		case name == "wait" && err == nil && n >= 0 && n <= 10:
			s.wait = n
		case name == "partitions" && err == nil && n > 0:
			s.partitions = n
		case name == "domain" && err == nil && n > 0:
			s.tooLarge = n
		default:
			if s.setTime(name, value[0]) {
				break
			}
			return fail(fmt.Sprintf("setting %s=%s; expected wait=0 to wait=10, lease=1m, failover=30s, patience=5m, partitions=256 "+
				"or domain=5000000", name, value[0]))
		}
	}
	return s, nil
}

// setTime sets a duration by its name in a URL, and reports whether there is one with that name and
// value.
func (s *servers) setTime(name, value string) bool {
	times := map[string]*time.Duration{"lease": &s.lease, "failover": &s.failover, "patience": &s.patience}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 || times[name] == nil {
		return false
	}
	*times[name] = d
	return true
}

// hidden is an address without its password.
func hidden(text string) string {
	i, j := strings.Index(text, "://"), strings.LastIndexByte(text, '@')
	if i < 0 || j < i {
		return text
	}
	return text[:i+3] + "..." + text[j:]
}
