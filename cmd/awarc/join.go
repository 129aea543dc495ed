package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/awarc/awarc/engine/crawl"
)

type joinCmd struct {
	Frontier string `required:"" placeholder:"URL" help:"Redis servers of the shared crawl: redis://HOST:PORT,HOST:PORT."`
	Out      string `placeholder:"DIR" help:"Write the archive of this node to this new or empty folder (default: crawl-NAME-TIME)."`
	Workers  int    `short:"w" placeholder:"N" help:"Fetch N URLs at a time on this node (default: as on the first node)."`
	API      string `name:"api" placeholder:"ADDR" help:"Serve the HTTP API of this node at this address, such as 127.0.0.1:8080."`
	APIToken string `name:"api-token" placeholder:"S" env:"AWARC_API_TOKEN" help:"Require this token from clients of the API."`
	Format   string `enum:"text,json" default:"text" help:"Output format."`
	Name     string `arg:"" help:"Name of the shared crawl (its --crawl)."`
}

// Help says what a node needs.
func (*joinCmd) Help() string {
	return `The node uses the seeds and flags of the first node. Files that these flags name (knowledge base,
rules, topic) must exist on this machine under the same names; plugins are copied by the crawl. An
interrupted node continues with awarc resume. The password of the servers is read from ` + crawl.PasswordVariable + `.`
}

// Run takes part until nothing is left.
func (c *joinCmd) Run(ctx context.Context, s streams) error {
	if c.API != "" {
		if err := checkAPI(c.API, c.APIToken); err != nil {
			return err
		}
	}
	if c.Workers < 0 {
		return usageError("--workers %d: expected 1 to 10000", c.Workers)
	}
	if c.Out == "" {
		c.Out = fmt.Sprintf("crawl-%s-%s", c.Name, time.Now().UTC().Format("20060102150405"))
	}
	return runSessions(ctx, s, c.Format, func() ([]*session, error) { return lone(c.open(ctx, s)) })
}

func (c *joinCmd) open(ctx context.Context, s streams) (*session, error) {
	x := newSession(s, c.APIToken)
	var err error
	x.crawl, err = crawl.Join(ctx, c.Out, crawl.JoinOptions{
		Nodes:   crawl.Nodes{Frontier: c.Frontier, Crawl: c.Name, FrontierPassword: os.Getenv(crawl.PasswordVariable)},
		Workers: c.Workers, API: c.API, Software: software(), Events: x.events(),
	})
	return x, inFlags(err)
}
