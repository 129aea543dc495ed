// Command awarc archives web sites knowing what software runs them.
//
// This file is wiring: it parses the command line, runs one command and turns
// what it returns into an exit status. Each command has a file of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/plugins"
)

// Exit statuses, as docs/archivist.md has them.
const (
	exitDone        = int(crawl.Done)
	exitFailed      = int(crawl.Failed)
	exitUsage       = 2
	exitWithFaults  = int(crawl.WithFaults)
	exitLimit       = int(crawl.LimitReached)
	exitInterrupted = int(crawl.Interrupted)
)

// commands is the command line.
type commands struct {
	Crawl   crawlCmd   `cmd:"" help:"Crawl sites from seed URLs; the main job."`
	Join    joinCmd    `cmd:"" help:"Take part in a crawl of several machines."`
	Nodes   nodesCmd   `cmd:"" help:"Steer a crawl of several machines, on all of them."`
	Jobs    jobsCmd    `cmd:"" help:"Run several crawls at once over one pool of fetchers, polite across them."`
	Serve   serveCmd   `cmd:"" help:"Begin, watch and search crawls in a browser: the cockpit."`
	Resume  resumeCmd  `cmd:"" help:"Go on with an interrupted or killed crawl."`
	Demo    demoCmd    `cmd:"" help:"Serve the test sites on loopback, crawl them and compare with a blind crawl."`
	Detect  detectCmd  `cmd:"" help:"Tell type and level of saved pages or URLs."`
	Extract extractCmd `cmd:"" help:"Show the objects and links that the actions yield."`
	Explain explainCmd `cmd:"" help:"Tell why a crawl fetched a URL, will fetch it, or will not."`
	Pack    packCmd    `cmd:"" help:"Pack a crawl as one WACZ file, which ReplayWeb.page and others open."`
	askCommands
	APIs     apiCmd      `cmd:"" name:"api" help:"Ask web services that answer in JSON."`
	KB       kbCmd       `cmd:"" name:"kb" help:"Knowledge-base tools."`
	Plugin   pluginCmd   `cmd:"" help:"Plugin tools."`
	Robots   robotsCmd   `cmd:"" help:"Tell whether a robots.txt allows a URL: exit 0 allowed, 1 not."`
	WARC     warcCmd     `cmd:"" name:"warc" help:"WARC tools."`
	Eval     evalCmd     `cmd:"" help:"Print the evaluation tables."`
	Testsite testsiteCmd `cmd:"" help:"Serve one fixture site."`
	ownCommands
}

// ownCommands are about the program itself.
type ownCommands struct {
	Version    versionCmd                `cmd:"" help:"Show versions."`
	Completion kongcompletion.Completion `cmd:"" help:"Tell how a shell completes command lines: bash, zsh or fish."`
	Man        mangokong.ManFlag         `help:"Print a man page." hidden:""`
}

// askCommands are about what crawls extracted.
type askCommands struct {
	Index  indexCmd  `cmd:"" help:"Make or renew the index of what crawls extracted, for query and search."`
	Query  queryCmd  `cmd:"" help:"Ask what crawls extracted, in SPARQL."`
	Search searchCmd `cmd:"" help:"Search the texts that crawls extracted."`
	Export exportCmd `cmd:"" help:"Write what crawls extracted as a table, a feed or mail."`
	Report reportCmd `cmd:"" help:"Report on a crawl: what it did, and what of the site is missing, and why."`
	Trends trendsCmd `cmd:"" help:"Count over time how many texts have words or mention entities."`
	Diff   diffCmd   `cmd:"" help:"Tell what changed between two crawls, object by object."`
	Graph  graphCmd  `cmd:"" help:"Tools for the graph of a crawl."`
}

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// statusError ends the program with a status other than 1.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &statusError{exitUsage, fmt.Errorf(format, args...)}
}

// ballast is memory that is never touched, and so never there. A crawl holds little and makes much garbage, for which the collector by
// itself runs many times a second; what it counts here lets the garbage grow to twice as much before it does. On a large heap it means
// nothing.
const ballast = 40 << 20 // bytes

func main() {
	plugins.CompileInChild()
	held := make([]byte, ballast)
	status := run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	runtime.KeepAlive(held)
	os.Exit(status)
}

// run runs one command line and returns its exit status.
func run(ctx context.Context, args []string, s streams) int {
	var c commands
	exit := -1
	parser, err := kong.New(&c, kong.Name("awarc"),
		kong.Description("awarc archives web sites knowing what software runs them."),
		kong.Writers(s.out, s.err), kong.Exit(func(status int) { exit = status }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(s), kong.PostBuild(hideKept))
	if err != nil {
		fmt.Fprintln(s.err, "awarc:", err)
		return exitFailed
	}
	if asked, err := answerShell(parser); asked {
		return statusOf(err, s)
	}
	args = customary(args)
	k, err := parser.Parse(args)
	if exit >= 0 {
		return exit // --help was printed
	}
	if err != nil {
		fmt.Fprintf(s.err, "awarc: %v\nTry: awarc %s--help\n", err, commandOf(args))
		return exitUsage
	}
	return statusOf(k.Run(), s)
}

// customary takes what people type by custom: nothing at all, --version, and help before a command.
func customary(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// commandOf gives the command that a wrong command line meant, for a hint.
func commandOf(args []string) string {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") && !strings.ContainsAny(args[0], " ./:") {
		return args[0] + " "
	}
	return ""
}

func statusOf(err error, s streams) int {
	if err == nil {
		return exitDone
	}
	status := exitFailed
	var withStatus *statusError
	if errors.As(err, &withStatus) {
		status = withStatus.status
	}
	if msg := err.Error(); msg != "" {
		fmt.Fprintln(s.err, "awarc:", msg)
	}
	return status
}
