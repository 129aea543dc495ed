// Command awarc is a web archiver that recognises the software behind a site.
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

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/plugins"
)

// Exit statuses, as docs/crawl.md lists them.
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
	Crawl         crawlCmd `group:"Crawl:" cmd:"" help:"Crawl sites, starting from seed URLs."`
	Join          joinCmd  `group:"Crawl:" cmd:"" help:"Join a crawl that several machines share."`
	Nodes         nodesCmd `group:"Crawl:" cmd:"" help:"Control all machines of a shared crawl."`
	Jobs          jobsCmd  `group:"Crawl:" cmd:"" help:"Run several crawls with one set of workers and shared politeness."`
	Serve         serveCmd `group:"Crawl:" cmd:"" help:"Start, watch and search crawls in a browser (the cockpit)."`
	againCommands `group:"Crawl:"`
	Demo          demoCmd    `group:"Crawl:" cmd:"" help:"Crawl built-in test sites on this machine and compare with a blind crawl."`
	Detect        detectCmd  `group:"Pages and archives:" cmd:"" help:"Detect the software (type) and kind (level) of pages."`
	Extract       extractCmd `group:"Pages and archives:" cmd:"" help:"Show the objects and links that awarc extracts from pages."`
	Explain       explainCmd `group:"Use a crawl:" cmd:"" help:"Explain why a crawl fetched, queued or skipped a URL."`
	Pack          packCmd    `group:"Use a crawl:" cmd:"" help:"Pack a crawl as one WACZ file for ReplayWeb.page and other players."`
	askCommands   `group:"Use a crawl:"`
	APIs          apiCmd      `group:"Crawl:" cmd:"" name:"api" help:"Collect data from web APIs that return JSON."`
	KB            kbCmd       `group:"Extend and test awarc:" cmd:"" name:"kb" help:"Write, check and test the knowledge base."`
	Plugin        pluginCmd   `group:"Extend and test awarc:" cmd:"" help:"Write, pack and test plugins."`
	Robots        robotsCmd   `group:"Pages and archives:" cmd:"" help:"Check a URL against a robots.txt: exit 0 when allowed, 1 when not."`
	WARC          warcCmd     `group:"Pages and archives:" cmd:"" name:"warc" help:"Verify and repair WARC files."`
	Eval          evalCmd     `group:"Extend and test awarc:" cmd:"" help:"Print the evaluation tables of the papers."`
	Testsite      testsiteCmd `group:"Extend and test awarc:" cmd:"" help:"Serve one test site."`
	ownCommands   `group:"About awarc:"`
}

// againCommands go on with a crawl.
type againCommands struct {
	Resume resumeCmd `cmd:"" help:"Continue an interrupted or killed crawl."`
	Watch  watchCmd  `cmd:"" help:"Crawl a site again and again, where it changed."`
}

// ownCommands are about the program itself.
type ownCommands struct {
	Version    versionCmd                `cmd:"" help:"Print the versions of awarc, Go and the knowledge base."`
	Completion kongcompletion.Completion `cmd:"" help:"Print the completion script for bash, zsh or fish."`
	Man        mangokong.ManFlag         `help:"Print a man page." hidden:""`
}

// askCommands are about what crawls extracted.
type askCommands struct {
	Index  indexCmd  `cmd:"" help:"Create or update the index that query and search use."`
	Query  queryCmd  `cmd:"" help:"Query extracted data with SPARQL."`
	Search searchCmd `cmd:"" help:"Search extracted texts."`
	Export exportCmd `cmd:"" help:"Export extracted objects as CSV, JSON, RSS or mbox."`
	Report reportCmd `cmd:"" help:"Report what a crawl fetched, what is missing, and why."`
	Trends trendsCmd `cmd:"" help:"Count words and entities in extracted texts over time."`
	Diff   diffCmd   `cmd:"" help:"List the objects that differ between two crawls."`
	Graph  graphCmd  `cmd:"" help:"Upload the graph of a crawl, or print its vocabulary."`
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
		kong.Description("awarc is a web archiver that recognises the software behind a site and fetches its content."),
		kong.Writers(s.out, s.err), kong.Exit(func(status int) { exit = status }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.ValueFormatter(valueHelp),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(s), kong.PostBuild(hideKept), kong.PostBuild(arrangeHelp))
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
		fmt.Fprintf(s.err, "awarc: %v\nTry: awarc %s--help\n", err, commandOf(parser.Model.Node, args))
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

// commandOf returns the command that a wrong command line names, for a hint, or "" if it names none.
func commandOf(node *kong.Node, args []string) string {
	for _, child := range node.Children {
		if len(args) > 0 && child.Name == args[0] {
			return child.Name + " " + commandOf(child, args[1:])
		}
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
