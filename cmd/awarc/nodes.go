package main

import (
	"context"
	"fmt"
	"os"

	"github.com/awarc/awarc/engine/crawl"
)

type nodesCmd struct {
	List     nodesListCmd     `cmd:"" help:"List the nodes of the crawl and how they do."`
	Pause    nodesPauseCmd    `cmd:"" help:"Begin no URLs on any node until it continues."`
	Continue nodesContinueCmd `cmd:"" help:"End a pause."`
	Stop     nodesStopCmd     `cmd:"" help:"End the crawl on all nodes, after what they have in flight; awarc resume goes on."`
}

type nodesPauseCmd struct {
	nodeFolder
}

type nodesContinueCmd struct {
	nodeFolder
}

type nodesStopCmd struct {
	nodeFolder
}

type nodeFolder struct {
	Dir string `arg:"" help:"Folder of any node."`
}

type nodesListCmd struct {
	nodeFolder
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// Run lists the nodes.
func (c *nodesListCmd) Run(ctx context.Context, s streams) error {
	nodes, err := crawl.NodesOf(ctx, c.Dir, os.Getenv(crawl.PasswordVariable))
	if err != nil {
		return inFlags(err)
	}
	if c.Format == "json" {
		return writeJSON(s.out, nodes)
	}
	for _, n := range nodes {
		fmt.Fprintf(s.out, "%s %s: %s, %d requests, %.1f/s, %d bytes of WARC\n", printable(n.Machine), printable(n.Folder), n.State,
			n.Requests, n.Rate, n.WARCBytes)
		if n.API != "" {
			fmt.Fprintf(s.out, "  API at %s\n", printable(n.API))
		}
	}
	return nil
}

// steer tells all nodes of a crawl what to do.
func (c *nodeFolder) steer(ctx context.Context, s streams, what crawl.Steering, told string) error {
	if err := crawl.Steer(ctx, c.Dir, os.Getenv(crawl.PasswordVariable), what); err != nil {
		return inFlags(err)
	}
	fmt.Fprintln(s.out, told)
	return nil
}

// Run pauses the crawl.
func (c *nodesPauseCmd) Run(ctx context.Context, s streams) error {
	return c.steer(ctx, s, crawl.SteerPause, "all nodes pause within a second or two")
}

// Run ends the pause.
func (c *nodesContinueCmd) Run(ctx context.Context, s streams) error {
	return c.steer(ctx, s, crawl.SteerContinue, "all nodes continue within a second or two")
}

// Run stops the crawl.
func (c *nodesStopCmd) Run(ctx context.Context, s streams) error {
	return c.steer(ctx, s, crawl.SteerStop, "all nodes stop; awarc resume goes on")
}
