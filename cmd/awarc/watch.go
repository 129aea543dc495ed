package main

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/crawl"
)

type watchCmd struct {
	Budget    string    `placeholder:"N/day" help:"Most requests a day (or hour, week), such as 500/day. New pages count for later days."`
	Every     string    `placeholder:"D" help:"Time between two sessions, such as 6h or 1d."`
	Until     time.Time `placeholder:"TIME" help:"End at this time (RFC 3339). Without it the watch goes on until it is stopped."`
	Sweep     string    `placeholder:"D" help:"Fetch every page at least once in this time, such as 90d, with or without signals."`
	NoSignals bool      `help:"Ignore changes that pages, feeds and sitemaps report."`
	Weight    []string  `placeholder:"LEVEL=N" help:"Importance of the pages of a level, such as topic=2; repeatable. Others have 1."`
	API       string    `name:"api" placeholder:"ADDR" help:"Serve the HTTP API of the watch on this address."`
	APIToken  string    `placeholder:"S" env:"AWARC_API_TOKEN" help:"Require this token from clients of the API."`
	Format    string    `enum:"text,json" default:"text" help:"Output format."`
	Dir       string    `arg:"" help:"Folder of a crawl."`
}

// Help is shown below the usage.
func (c *watchCmd) Help() string {
	return `Continues a finished crawl for months. Each session fetches the pages that lists, feeds and sitemaps report as
changed, and others by how often they changed before. The captures are added to the folder. The first watch
of a folder has a budget of 500/day and a session every 6h; later ones use the values that were given last.
The same command continues a watch that was stopped or killed.`
}

// Run watches a crawl.
func (c *watchCmd) Run(ctx context.Context, s streams) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	if c.API != "" {
		if err := checkAPI(c.API, c.APIToken); err != nil {
			return err
		}
	}
	return runSessions(ctx, s, c.Format, func() ([]*session, error) {
		r := crawl.ResumeOptions{GoOn: true}
		if c.API != "" {
			r.Changes.Names, r.Changes.Options.API = []string{"API"}, c.API
		}
		x, err := resume(c.Dir, s, r)
		if err != nil {
			return nil, err
		}
		if c.APIToken != "" {
			x.token = c.APIToken
		}
		if err := x.crawl.Watch(o); err != nil {
			_ = x.crawl.Close() // the first error counts
			return nil, inFlags(err)
		}
		return lone(x, nil)
	})
}

func (c *watchCmd) options() (o crawl.WatchOptions, err error) {
	o = crawl.WatchOptions{NoSignals: c.NoSignals, Until: c.Until}
	if o.Budget, err = crawl.ReadBudget(c.Budget); err != nil {
		return o, usageError("--budget %w", err)
	}
	if o.Every, err = crawl.ReadInterval(c.Every); err != nil {
		return o, usageError("--every %w", err)
	}
	if o.Sweep, err = crawl.ReadInterval(c.Sweep); err != nil {
		return o, usageError("--sweep %w", err)
	}
	for _, w := range c.Weight {
		level, value, _ := strings.Cut(w, "=")
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || level == "" || !(n >= 0 && n <= 1e6) {
			return o, usageError("--weight %s: expected LEVEL=N, such as topic=2", w)
		}
		if o.Weights == nil {
			o.Weights = map[string]float64{}
		}
		o.Weights[level] = n
	}
	return o, nil
}

// apiWatch returns the schedule in figures.
func (x *session) apiWatch(w http.ResponseWriter, _ *http.Request) {
	r := x.crawl.WatchReport()
	if r == nil {
		refuse(w, http.StatusNotFound, "this crawl is not a watch; start one with awarc watch "+x.crawl.Dir())
		return
	}
	answer(w, http.StatusOK, r)
}

// apiSetWatch changes the budget or the interval of the watch.
func (x *session) apiSetWatch(w http.ResponseWriter, r *http.Request) {
	var given struct{ Budget, Every string }
	if !body(w, r, &given) {
		return
	}
	o, err := (&watchCmd{Budget: given.Budget, Every: given.Every}).options()
	if err == nil {
		err = x.crawl.SetWatch(o.Budget, o.Every)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	x.apiWatch(w, r)
}
