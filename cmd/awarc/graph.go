package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/awarc/awarc/engine/endpoint"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/engine/quads"
)

type graphCmd struct {
	Push       pushCmd       `cmd:"" help:"Upload the graph of crawls to a SPARQL server; sends only new statements."`
	Vocabulary vocabularyCmd `cmd:"" help:"Print the vocabulary (Turtle) and the shapes (SHACL) of the graph."`
}

type vocabularyCmd struct{}

// Run prints the vocabulary.
func (vocabularyCmd) Run(s streams) error {
	_, err := io.WriteString(s.out, graph.Vocabulary())
	return err
}

type pushCmd struct {
	indexFlags
	Crawl       []string `required:"" sep:"none" placeholder:"DIR" help:"Read this folder of a crawl or of N-Quads; repeatable."`
	Endpoint    string   `required:"" placeholder:"URL" help:"URL of the SPARQL service."`
	Protocol    string   `enum:"gsp,update" default:"gsp" help:"Use the Graph Store Protocol (gsp) or SPARQL Update (update)."`
	GraphParam  string   `default:"graph" placeholder:"NAME" help:"With gsp: name of the graph parameter (Virtuoso: graph-uri)."`
	Credentials string   `placeholder:"FILE" help:"File with basic USER:PASSWORD, digest USER:PASSWORD or bearer TOKEN."`
	Again       bool     `help:"Send all graphs again."`
	Tries       int      `default:"6" help:"Try a request N times when the server is busy or unreachable."`
	Format      string   `enum:"text,json" default:"text" help:"Output format."`
}

// Run sends the graph.
func (c *pushCmd) Run(ctx context.Context, s streams) error {
	credentials := ""
	if c.Credentials != "" {
		text, err := infile.ReadStream(c.Credentials, maxInput)
		if err != nil {
			return usageError("%v", err)
		}
		credentials = string(text)
	}
	ctx, stop := interruptible(ctx, s.err)
	defer stop()
	built, err := c.build(ctx, s, c.Crawl, false)
	if err != nil {
		return err
	}
	index, err := quads.Open(ctx, built.File)
	if err != nil {
		return err
	}
	defer index.Close()
	sum := sha256.Sum256([]byte(c.Endpoint))
	log := fmt.Sprintf("%s.pushed-%x", built.File, sum[:6])
	if c.Again {
		if err := os.Remove(log); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	show := newWorkProgress(s)
	result, err := endpoint.Push(ctx, index, endpoint.Options{
		Endpoint: c.Endpoint, Protocol: endpoint.Protocol(c.Protocol), GraphParam: c.GraphParam, Credentials: credentials, Log: log,
		Tries: c.Tries, Wait: time.Second, Noted: show.note,
		Progress: func(r endpoint.Result) { show.say(fmt.Sprintf("%d triples sent", r.Triples)) },
	})
	show.clear()
	if result == nil {
		return usageError("%v", err)
	}
	if c.Format == "json" {
		err = errors.Join(err, writeJSON(s.out, result))
	} else {
		fmt.Fprintf(s.out, "sent %d triples to %s, by %d requests, in %.1f s\n", result.Triples, result.Endpoint, result.Requests,
			result.Took)
		fmt.Fprintf(s.out, "  graphs (large ones in parts): %d sent, %d already there, %d refused\n", result.Sent,
			result.Unchanged, result.Refused)
	}
	if errors.Is(err, context.Canceled) {
		return &statusError{exitInterrupted, errors.New("interrupted; run the same command to continue")}
	}
	if err == nil && result.Refused+int(built.Skipped) > 0 {
		err = &statusError{exitWithFaults, nil}
	}
	return err
}
