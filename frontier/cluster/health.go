package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// skewWarned is how far two servers' clocks may be apart: less changes no wait that a user would notice.
const skewWarned = 2 * time.Second

// Risks returns what of the servers' settings can lose URLs or stop the whole crawl, a sentence each
// with its remedy. A server that does not answer, or refuses the question, is named.
func (s *Store) Risks(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	f := &findings{}
	look := func(ctx context.Context, server *redis.Client) error {
		f.look(ctx, server)
		return nil
	}
	if c, ok := s.client.(*redis.ClusterClient); ok {
		if err := c.ForEachMaster(ctx, look); err != nil {
			f.add("the settings of the cluster's masters are unreadable: %v", err)
		}
		f.replicas(ctx, c)
	} else if server, err := s.server(ctx, crawlKey(s.options.Crawl)); err == nil {
		_ = look(ctx, server) // has no error
	}
	if len(f.offsets) > 0 {
		if apart := slices.Max(f.offsets) - slices.Min(f.offsets); apart > skewWarned {
			f.add("the clocks of the servers differ by %v: waits end early or late after a failover; run NTP on all servers",
				apart.Round(time.Second))
		}
	}
	slices.Sort(f.list)
	return f.list
}

// findings collects risks from several servers.
type findings struct {
	mu      sync.Mutex
	list    []string
	offsets []time.Duration // of the servers' clocks from that of this node
}

func (f *findings) add(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Contains(f.list, text) {
		f.list = append(f.list, text)
	}
}

// look asks a master for its settings and its clock.
func (f *findings) look(ctx context.Context, server *redis.Client) {
	addr := server.Options().Addr
	setting := func(name string) (value string, known bool) {
		all, err := server.ConfigGet(ctx, name).Result()
		if err != nil {
			f.add("the settings of %s are unreadable (%v): check appendonly and maxmemory-policy", addr, err)
			return "", false
		}
		value, known = all[name]
		return value, known
	}
	if v, known := setting("appendonly"); known && v != "yes" {
		f.add("%s has no AOF: a restart loses all URLs of its partitions and stops the crawl; set appendonly yes", addr)
	}
	if v, known := setting("maxmemory-policy"); known && v != "noeviction" {
		f.add("%s evicts keys when its memory is full (maxmemory-policy %s): URLs would be lost; set noeviction", addr, v)
	}
	if v, known := setting("cluster-require-full-coverage"); known && v == "yes" && f.clustered(ctx, server) {
		f.add("%s has cluster-require-full-coverage yes: if one master and its replica fail, all nodes stop; set it to no", addr)
	}
	asked := time.Now()
	at, err := server.Time(ctx).Result()
	if err != nil {
		return
	}
	took := time.Since(asked)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.offsets = append(f.offsets, at.Sub(asked.Add(took/2)))
}

func (f *findings) clustered(ctx context.Context, server *redis.Client) bool {
	info, err := server.Info(ctx, "cluster").Result()
	return err == nil && strings.Contains(info, "cluster_enabled:1")
}

// replicas names the masters that no replica could replace.
func (f *findings) replicas(ctx context.Context, c *redis.ClusterClient) {
	text, err := c.ClusterNodes(ctx).Result()
	if err != nil {
		return // the servers do not answer: that is said
	}
	masters, has := map[string]string{}, map[string]bool{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line) // id, address, flags, master, ..., slots from the ninth on
		if len(fields) < 4 {
			continue
		}
		flags := strings.Split(fields[2], ",")
		switch {
		case slices.Contains(flags, "master") && len(fields) > 8:
			masters[fields[0]], _, _ = strings.Cut(fields[1], "@")
		case slices.Contains(flags, "slave") && !slices.Contains(flags, "fail"):
			has[fields[3]] = true
		}
	}
	for id, addr := range masters {
		if !has[id] {
			f.add("%s has no replica: its URLs wait while it is unreachable, and are lost with its disk; add a replica", addr)
		}
	}
}
