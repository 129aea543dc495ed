package crawl

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
)

// Bounds of a first look.
const (
	lookedSeeds   = 20
	lookTime      = 20 * time.Second
	mostLooked    = 4 << 20 // bytes of an answer
	followedShown = 5
)

// SeedLook is the result of a first look at a seed.
type SeedLook struct {
	URL      string
	Fault    string // why nothing is known, or what robots.txt says
	Status   int
	Redirect string // where it leads; nothing else is known then
	Type     kb.TypeID
	Level    kb.LevelID
	Objects  int
	Follows  int // links that a crawl would follow, as long as the scope lets it
	Links    []string
}

// FirstLook fetches robots.txt and one page of each of the first seeds, as a crawl with these options would, and returns
// their types, links and faults. Nothing is written. The error is as of [Check].
func FirstLook(ctx context.Context, o Options) ([]SeedLook, error) {
	p, err := plan("", o)
	if err != nil {
		return nil, err
	}
	set := &p.settings
	base, err := set.Store("").Load()
	if err != nil {
		return nil, err
	}
	options := set.Flags.fetchOptions("")
	options.Timeout, options.MaxBody = lookTime, mostLooked
	p.logins.into(&options)
	if options.Guard, err = set.Flags.guard(set.Seeds, nil); err != nil {
		return nil, err
	}
	client, err := fetch.New(options)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	d := detect.New(base)
	looks := make([]SeedLook, min(len(set.Seeds), lookedSeeds))
	var all sync.WaitGroup
	for i := range looks {
		looks[i].URL = set.Seeds[i]
		all.Go(func() {
			if err := looks[i].look(ctx, client, d, set.Flags); err != nil {
				looks[i].Fault = err.Error()
			}
		})
	}
	all.Wait()
	return looks, nil
}

func (l *SeedLook) look(ctx context.Context, client *fetch.Client, d *detect.Detector, o Options) error {
	u, err := url.Parse(l.URL)
	if err != nil {
		return err
	}
	if !o.IgnoreRobots {
		r, err := robotsOf(ctx, client, u)
		if err != nil {
			return err
		}
		if !r.Allowed(fetch.ProductToken(o.agent()), fetch.Escape(l.URL)) {
			return errors.New("robots.txt forbids it")
		}
	}
	ex, err := client.Do(ctx, l.URL, nil)
	if ex != nil {
		defer ex.Close()
	}
	if err != nil {
		return err
	}
	if l.Status = ex.Status; ex.Redirect() != "" {
		to, err := u.Parse(ex.Redirect())
		if err == nil {
			l.Redirect = to.String()
		}
		return err
	}
	text, err := ex.HTML()
	if err != nil {
		return err
	}
	p, err := engine.Inspect(d, engine.Answer{URL: u, Status: ex.Status, Header: ex.Header, HTML: text.HTML, Charset: text.Charset,
		Captured: ex.Start}, engine.Hints{Force: kb.TypeID(o.Type)})
	if t := p.Finding.Type; t != nil {
		l.Type = t.ID
	}
	if v := p.Finding.Level(); v != nil {
		l.Level = v.ID
	}
	l.Objects = len(p.Harvest.Objects)
	for _, link := range p.Harvest.Links {
		if link.Optional && !o.Optional {
			continue
		}
		if l.Follows++; len(l.Links) < followedShown {
			l.Links = append(l.Links, link.URL)
		}
	}
	return err
}

// robotsOf asks for the robots.txt of a host.
func robotsOf(ctx context.Context, client *fetch.Client, u *url.URL) (*fetch.Robots, error) {
	ex, err := client.Do(ctx, u.Scheme+"://"+u.Host+"/robots.txt", nil)
	if ex != nil {
		defer ex.Close()
	}
	if err != nil {
		return nil, err
	}
	body, err := ex.Body(fetch.MaxRobotsSize)
	if err != nil {
		return nil, err
	}
	return fetch.ParseRobots(ex.Status, body, ex.Start), nil
}
