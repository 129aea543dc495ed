package api

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/awarc/awarc/kb"
)

// Campaign says what is asked of which services, and for how long. In YAML:
//
//	name: elections
//	keywords: [ballot, "exit poll"]
//	from: 2026-11-01
//	to: 2026-12-01
//	interval: 15m
//	sources:
//	  - service: mastodon-api
//	    site: https://social.example/
//	    accounts: ["109876"]
//	    auth: {secret: {env: MASTODON_TOKEN}}
//	  - {service: wordpress-api, site: https://blog.example/, operations: [posts, comments]}
type Campaign struct {
	Name     string   `yaml:"name"`
	Keywords []string `yaml:"keywords"` // of all sources
	From     Moment   `yaml:"from"`
	To       Moment   `yaml:"to"`
	// Interval is the time between two rounds; 0: there is one round.
	Interval Interval `yaml:"interval"`
	// Follow says which pages that answers link to are fetched: none (default), host or any.
	Follow  string   `yaml:"follow"`
	Sources []Source `yaml:"sources"`
}

// Source is a service as a campaign uses it.
type Source struct {
	Service kb.ServiceID `yaml:"service"`
	// Site is the address of the site whose API it is, where the service is not one site.
	Site string `yaml:"site"`
	// Keywords of the source are added to the campaign's; Accounts and Feeds have the names of the service.
	Keywords   []string          `yaml:"keywords"`
	Accounts   []string          `yaml:"accounts"`
	Feeds      []string          `yaml:"feeds"`
	Operations []string          `yaml:"operations"` // none: all for which there is enough to ask
	Args       map[string]string `yaml:"args"`       // further arguments of operations
	Auth       *Login            `yaml:"auth"`
}

// Login says where the secret of a source is.
type Login struct {
	Kind   kb.AuthKind `yaml:"kind"` // empty: the first that the service has
	ID     string      `yaml:"id"`   // of the client, for oauth2
	Secret Place       `yaml:"secret"`
	Token  string      `yaml:"token"` // where tokens are given, instead of the address in the description
}

// Place is where a secret is: an environment variable or a file.
type Place struct {
	Env  string `yaml:"env"`
	File string `yaml:"file"`
}

// Moment is a day or a time (RFC 3339) in a campaign, zero for none.
type Moment struct{ time.Time }

// UnmarshalYAML reads it.
func (m *Moment) UnmarshalYAML(data []byte) (err error) {
	text := strings.Trim(strings.TrimSpace(string(data)), `"'`)
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if m.Time, err = time.Parse(form, text); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%q: expected a day such as 2026-11-01, or a time such as 2026-11-01T12:00:00Z", text)
}

// Interval is a duration such as 15m.
type Interval time.Duration

// UnmarshalYAML reads it.
func (i *Interval) UnmarshalYAML(data []byte) error {
	d, err := time.ParseDuration(strings.Trim(strings.TrimSpace(string(data)), `"'`))
	*i = Interval(d)
	return err
}

// ReadCampaign reads a campaign; name is what errors call it.
func ReadCampaign(name string, data []byte) (*Campaign, error) {
	c := &Campaign{}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(c); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// Query is what a round begins with: an operation of a source, with arguments.
type Query struct {
	Source    *Source
	Service   *kb.Service
	Base      *url.URL
	Operation *kb.Operation
	Args      Args
}

// URL returns the address of the query. A since that is not empty continues an earlier round.
func (q *Query) URL(since string) *url.URL {
	u := Address(q.Base, q.Operation, q.Args)
	if s := q.Operation.Since; u != nil && since != "" && s != nil && s.Param != "" {
		u.RawQuery = setParam(u.RawQuery, s.Param, since)
	}
	return u
}

// Queries returns the queries of a campaign, in the order of its sources. The error lists all its faults.
func (c *Campaign) Queries(base *kb.Base) (queries []Query, err error) {
	var errs []error
	if len(c.Sources) == 0 {
		errs = append(errs, errors.New("no sources; expected at least one, such as {service: wordpress-api, site: https://blog.example/}"))
	}
	if c.Interval < 0 || !c.To.IsZero() && c.To.Before(c.From.Time) {
		errs = append(errs, errors.New("interval is negative, or to is before from"))
	}
	if !slices.Contains([]string{"", "none", "host", "any"}, c.Follow) {
		errs = append(errs, fmt.Errorf("follow: %q; expected none, host or any", c.Follow))
	}
	for i := range c.Sources {
		of, err := c.queriesOf(base, &c.Sources[i])
		if err != nil {
			errs = append(errs, fmt.Errorf("source %d (%s): %w", i+1, c.Sources[i].Service, err))
		}
		queries = append(queries, of...)
	}
	return queries, errors.Join(errs...)
}

func (c *Campaign) queriesOf(base *kb.Base, s *Source) (queries []Query, err error) {
	service := base.Service(s.Service)
	if service == nil {
		return nil, errors.New("no such service; see awarc api list")
	}
	at, err := BaseOf(service, s.Site)
	if err != nil {
		return nil, err
	}
	if _, err := s.login(service); err != nil {
		return nil, err
	}
	for _, id := range s.Operations {
		if service.Operation(id) == nil {
			return nil, fmt.Errorf("no operation %q; see awarc api list", id)
		}
	}
	shared := Args{"from": moment(c.From), "to": moment(c.To), "from-epoch": epochOf(c.From), "to-epoch": epochOf(c.To)}
	for name, value := range s.Args {
		shared[name] = value
	}
	for _, o := range service.Operations {
		if len(s.Operations) > 0 && !slices.Contains(s.Operations, o.ID) {
			continue
		}
		for _, args := range combinations(o, shared, slices.Concat(c.Keywords, s.Keywords), s.Accounts, s.Feeds) {
			if Address(at, o, args) != nil {
				queries = append(queries, Query{s, service, at, o, args})
			}
		}
	}
	if len(queries) == 0 {
		return nil, errors.New("no query: its operations need other arguments (keywords, accounts, feeds or args); see awarc api list")
	}
	return queries, nil
}

func moment(m Moment) string {
	if m.IsZero() {
		return ""
	}
	return m.UTC().Format(time.RFC3339)
}

// epochOf is a moment as Unix time.
func epochOf(m Moment) string {
	if m.IsZero() {
		return ""
	}
	return strconv.FormatInt(m.Unix(), 10)
}

// combinations are the arguments with which an operation is asked for: one keyword, account or feed at a time, of those that it takes.
// Where the source names some, and the operation takes none of these kinds, it is not asked for.
func combinations(o *kb.Operation, shared Args, keywords, accounts, feeds []string) (all []Args) {
	none := true
	for _, kind := range []struct {
		arg    string
		values []string
	}{{"keyword", keywords}, {"account", accounts}, {"feed", feeds}} {
		none = none && len(kind.values) == 0
		if !slices.Contains(o.Args(), kind.arg) {
			continue
		}
		for _, v := range kind.values {
			args := Args{kind.arg: v}
			for name, value := range shared {
				args[name] = value
			}
			all = append(all, args)
		}
	}
	if none {
		all = append(all, shared)
	}
	return all
}

// BaseOf is the address of a service, of a site where it belongs to one.
func BaseOf(s *kb.Service, site string) (*url.URL, error) {
	base, err := url.Parse(s.Base)
	if err != nil {
		return nil, err
	}
	if site != "" {
		of, err := url.Parse(site)
		if err != nil || of.Host == "" || of.User != nil || of.Scheme != "http" && of.Scheme != "https" {
			return nil, fmt.Errorf("site: %q; expected an address such as https://example.org/", site)
		}
		if of.Path = cmp.Or(of.Path, "/"); !strings.HasSuffix(of.Path, "/") {
			of.Path += "/"
		}
		of.RawQuery, of.Fragment = "", ""
		if base.IsAbs() { // a site of one's own that speaks as the service does
			base, err = url.Parse(strings.TrimPrefix(base.EscapedPath(), "/"))
			if err != nil {
				return nil, err
			}
		}
		return of.ResolveReference(base), nil
	}
	if !base.IsAbs() {
		return nil, errors.New("the service needs a site; expected site: https://example.org/")
	}
	return base, nil
}
