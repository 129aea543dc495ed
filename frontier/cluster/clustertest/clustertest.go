// Package clustertest starts Redis servers on loopback for tests, alone or as a cluster, and does to them what may happen to servers.
package clustertest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Servers are processes that the test started, which end with it.
type Servers struct {
	Addresses []string // masters first, as they were at the start
	dir       string
	commands  []*exec.Cmd
	binary    string
}

// URL names all servers.
func (s *Servers) URL() string { return "redis://" + strings.Join(s.Addresses, ",") }

// binary finds redis-server, or the server that AWARC_REDIS names.
func binary() (string, error) {
	if name := os.Getenv("AWARC_REDIS"); name != "" {
		return exec.LookPath(name)
	}
	return exec.LookPath("redis-server")
}

// Start starts a cluster of so many masters, each with so many replicas; with one master and no replicas, a server alone. The test
// is skipped where there is no redis-server.
func Start(t testing.TB, masters, replicas int) *Servers {
	t.Helper()
	s, err := StartIn(t.TempDir(), masters, replicas)
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("redis-server is not installed, which make tools does: nothing is tested of crawls of several nodes")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// StartIn is Start for what several tests share. Without redis-server the error is exec.ErrNotFound.
func StartIn(dir string, masters, replicas int) (*Servers, error) {
	name, err := binary()
	if err != nil {
		return nil, exec.ErrNotFound
	}
	s := &Servers{dir: dir, binary: name}
	n := masters * (1 + replicas)
	for range n {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		s.Addresses = append(s.Addresses, fmt.Sprint("127.0.0.1:", port))
		s.commands = append(s.commands, nil)
	}
	for i := range n {
		if err := s.Restart(i, n > 1); err != nil {
			s.Stop()
			return nil, err
		}
	}
	if n > 1 {
		if err := s.join(replicas); err != nil {
			s.Stop()
			return nil, err
		}
	}
	return s, nil
}

// freePort finds a port that is free, as is the one 10,000 above it, on which nodes of a cluster talk to each other.
func freePort() (int, error) {
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		port := l.Addr().(*net.TCPAddr).Port
		l.Close()
		if port > 55000 {
			port -= 20000
		}
		free := true
		for _, p := range []int{port, port + 10000} {
			l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", p))
			if free = free && err == nil; err == nil {
				l.Close()
			}
		}
		if free {
			return port, nil
		}
	}
	return 0, errors.New("no two free ports 10,000 apart")
}

// Restart starts a server, over what it wrote before.
func (s *Servers) Restart(i int, clustered bool) error {
	dir := filepath.Join(s.dir, fmt.Sprint(i))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	host, port, _ := net.SplitHostPort(s.Addresses[i])
	args := []string{"--port", port, "--bind", host, "--dir", dir, "--save", "", "--appendonly", "yes", "--appendfsync", "everysec",
		"--logfile", filepath.Join(dir, "log")}
	if clustered {
		args = append(args, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--cluster-config-file", "nodes.conf",
			"--repl-diskless-sync-delay", "0")
	}
	s.commands[i] = exec.Command(s.binary, args...)
	if err := s.commands[i].Start(); err != nil {
		return err
	}
	if !poll(func() bool { out, err := s.Command(i, "PING"); return err == nil && strings.Contains(out, "PONG") }) {
		return fmt.Errorf("server %d does not answer", i)
	}
	return nil
}

// patience bounds each wait for a server. It only has to be longer than any wait on a busy machine:
// a test takes that long only when it fails.
const patience = 5 * time.Minute

// poll calls holds until it returns true, and reports false if it did not in patience. Servers offer no event.
func poll(holds func() bool) bool {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// join makes a cluster of the servers.
func (s *Servers) join(replicas int) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	args := append([]string{"--cluster", "create"}, s.Addresses...)
	args = append(args, "--cluster-replicas", fmt.Sprint(replicas), "--cluster-yes")
	if out, err := exec.CommandContext(ctx, "redis-cli", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("redis-cli %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	ready := func() bool {
		ready := true
		for i := range s.Addresses {
			out, err := s.Command(i, "CLUSTER", "INFO")
			replication, _ := s.Command(i, "INFO", "replication")
			linked := strings.Contains(replication, "master_link_status:up") ||
				strings.Contains(replication, fmt.Sprint("connected_slaves:", replicas))
			nodes, _ := s.Command(i, "CLUSTER", "NODES")
			known := strings.Count(nodes, "slave ") == len(s.Addresses)*replicas/(1+replicas)
			ready = ready && err == nil && linked && known && strings.Contains(out, "cluster_state:ok")
		}
		return ready
	}
	if !poll(ready) {
		return errors.New("the cluster does not become ready")
	}
	return nil
}

// Command has a server do something.
func (s *Servers) Command(i int, args ...string) (string, error) {
	_, port, _ := net.SplitHostPort(s.Addresses[i])
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "redis-cli", append([]string{"-p", port}, args...)...).CombinedOutput()
	return string(out), err
}

// Masters are the servers that are masters now, as one that is alive sees it.
func (s *Servers) Masters() (masters []int) {
	for i := range s.Addresses {
		if s.commands[i] == nil {
			continue
		}
		if out, err := s.Command(i, "ROLE"); err == nil && strings.HasPrefix(out, "master") {
			masters = append(masters, i)
		}
	}
	return masters
}

// Kill ends a server as a power cut would.
func (s *Servers) Kill(i int) {
	if c := s.commands[i]; c != nil {
		_ = c.Process.Signal(syscall.SIGKILL) // it may have ended
		_ = c.Wait()
		s.commands[i] = nil
	}
}

// stateOf lists what a partition has of keys that are small, as text.
const stateOf = `local out = {}
for _, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  local all = kind == 'hash' and redis.call('HGETALL', key) or kind == 'zset' and redis.call('ZRANGE', key, 0, 49, 'WITHSCORES') or {}
  for i = 1, math.min(#all, 100) do
    local ok, v = pcall(cmsgpack.unpack, all[i])
    all[i] = ok and type(v) == 'table' and cjson.encode(v) or all[i]
  end
  out[#out + 1] = key .. ': ' .. table.concat(all, ' ')
end
return table.concat(out, '\n')`

// State returns the pending work and the cluster state of the servers, for debugging.
func (s *Servers) State() string {
	var out strings.Builder
	say := func(i int, args ...string) string {
		text, err := s.Command(i, args...)
		if err != nil {
			text += err.Error() + "\n"
		}
		return text
	}
	for _, i := range s.Masters() {
		fmt.Fprintf(&out, "== %s\n%s%s", s.Addresses[i], say(i, "CLUSTER", "NODES"), say(i, "INFO", "replication"))
		for _, sums := range strings.Fields(say(i, "--scan", "--pattern", "awarc:*}:sums")) {
			partition := strings.TrimSuffix(sums, "sums")
			if pending := say(i, "HGET", sums, "state0"); strings.Trim(pending, "0\n") == "" {
				continue
			}
			args := []string{"EVAL", stateOf, "8"}
			for _, name := range []string{"sums", "hosts", "domains", "ready-domains", "timed-domains", "leases", "expiries", "addresses"} {
				args = append(args, partition+name)
			}
			out.WriteString(say(i, args...))
		}
	}
	return out.String()
}

// Freeze lets a server stand still, or go on.
func (s *Servers) Freeze(i int, frozen bool) error {
	if frozen {
		return s.commands[i].Process.Signal(syscall.SIGSTOP)
	}
	return s.commands[i].Process.Signal(syscall.SIGCONT)
}

// Stop kills all servers.
func (s *Servers) Stop() {
	for i := range s.commands {
		s.Kill(i)
	}
}
