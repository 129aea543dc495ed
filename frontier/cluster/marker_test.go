package cluster_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster"
	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// TestLostPartitionsEndTheCrawl: a crawl whose server was emptied ends with an error that names the
// partition and the server, neither as if nothing were left nor after waiting for ever, and cannot be
// taken for a new one.
func TestLostPartitionsEndTheCrawl(t *testing.T) {
	server := clustertest.Start(t, 1, 0)
	for name, lose := range map[string]func(h *harness) error{
		"emptied": func(*harness) error {
			_, err := server.Command(0, "FLUSHALL")
			return err
		},
		"one partition": func(h *harness) error { return h.LosePartition(2) },
	} {
		o := cluster.Options{URL: server.URL(), Crawl: "lost." + strings.ReplaceAll(name, " ", "."),
			Node: "node", Wait: -1, Partitions: 4, Poll: 50 * time.Millisecond}
		h := open(t, o)
		h.addAll("http://a.test/1", "http://b.test/1")
		l := h.next()
		if err := lose(h); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, err := h.Next(ctx)
		var known *frontier.Error
		if !errors.As(err, &known) || known.Kind != frontier.Corrupt || !strings.Contains(err.Error(), server.Addresses[0]+" has lost") {
			t.Errorf("%s: %v", name, err)
		}
		if err := h.Done(l, frontier.Outcome{State: frontier.Fetched}); err == nil && name == "emptied" {
			t.Errorf("%s: an outcome was accepted", name)
		}
		o.MustExist, o.Node = true, "later"
		if again, err := cluster.Open(context.Background(), o); err == nil {
			if _, err = again.Next(ctx); err == nil || errors.Is(err, frontier.ErrDrained) {
				t.Errorf("%s: a node that resumes: %v", name, err)
			}
			again.Close()
		}
	}
}
