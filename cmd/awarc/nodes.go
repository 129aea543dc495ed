package main

import (
	"context"
	"fmt"
	"os"

	"github.com/awarc/awarc/engine/crawl"
)

type nodesCmd struct {
	List     nodesListCmd     `cmd:"" help:"List the nodes of the crawl and their state."`
	Pause    nodesPauseCmd    `cmd:"" help:"Pause all nodes."`
	Continue nodesContinueCmd `cmd:"" help:"Continue after a pause."`
	Stop     nodesStopCmd     `cmd:"" help:"Stop all nodes after the requests in flight; awarc resume continues."`
	Recover  nodesRecoverCmd  `cmd:"" help:"Fetch the pages of lost folders again."`
}

type nodesRecoverCmd struct {
	nodeFolder
	Lost []string `arg:"" optional:"" help:"Names or folders of lost nodes (default: nodes of this machine whose folders are missing)."`
}

// Run makes pending what lost nodes archived.
func (c *nodesRecoverCmd) Run(ctx context.Context, s streams) error {
	nodes, again, err := crawl.Recover(ctx, c.Dir, os.Getenv(crawl.PasswordVariable), c.Lost)
	if err != nil {
		return inFlags(err)
	}
	for _, n := range nodes {
		fmt.Fprintf(s.out, "lost: %s %s\n", printable(n.Machine), printable(n.Folder))
	}
	if len(nodes) == 0 {
		fmt.Fprintln(s.out, "no folder of a node on this machine is missing; name nodes of other machines")
		return nil
	}
	fmt.Fprintf(s.out, "%d URLs are pending again; running nodes fetch them, or run awarc resume %s\n", again, c.Dir)
	return nil
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
	Format string `enum:"text,json" default:"text" help:"Output format."`
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
		if n.FolderGone() {
			fmt.Fprintln(s.out, "  its folder is missing; awarc nodes recover fetches its pages again")
		}
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
	return c.steer(ctx, s, crawl.SteerStop, "all nodes stop; awarc resume continues")
}
