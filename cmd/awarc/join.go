package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/awarc/awarc/engine/crawl"
)

type joinCmd struct {
	Frontier string `required:"" placeholder:"URL" help:"Redis servers that keep the frontier: redis://HOST:PORT,HOST:PORT."`
	Out      string `placeholder:"DIR" help:"Where what this node fetches goes; must not exist or be empty. Default: crawl-NAME-TIME."`
	Workers  int    `short:"w" placeholder:"N" help:"URLs asked for at a time on this node; as on the first one where nothing is said."`
	API      string `name:"api" placeholder:"ADDR" help:"Serve the HTTP API of this node there, such as 127.0.0.1:8080."`
	APIToken string `name:"api-token" placeholder:"S" env:"AWARC_API_TOKEN" help:"Token that callers of the API send."`
	Format   string `enum:"text,json" default:"text" help:"Output format: text or json."`
	Name     string `arg:"" help:"Name of the crawl, as it was begun with."`
}

// Help says what a node needs.
func (*joinCmd) Help() string {
	return `The node crawls with the seeds and the flags that the crawl was begun with. Files that these name, of
knowledge base, rules and topics, must be there under the same names; plugins come with the crawl. A node that was
interrupted goes on with awarc resume. The password of the servers is taken from ` + crawl.PasswordVariable + `.`
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
