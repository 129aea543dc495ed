package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/durable"
)

// runningFile is below the folder of a crawl while a session runs: how other commands of the same user
// on the same machine reach the session. A killed session leaves it behind; the frontier's lock, not
// this file, says whether a session runs.
const runningFile = "state/running.json"

// reachable is the content of runningFile.
type reachable struct {
	Address string `json:"address"` // on loopback
	Token   string `json:"token"`   // of this session alone
}

// serveFolder answers commands that are given the folder of this session, until the function that it
// returns is called. Only who can read the file with the token is answered.
func (x *session) serveFolder() (stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serving the folder's commands: %w", err)
	}
	r := reachable{Address: l.Addr().String(), Token: rand.Text()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/explain", x.apiExplain)
	stopServing := listenOn(l, guarded(r.Token, mux), x.progress.note)
	file := filepath.Join(x.crawl.Dir(), runningFile)
	err = durable.WriteFile(file, 0o600, func(w io.Writer) error { return json.NewEncoder(w).Encode(r) })
	if err != nil {
		stopServing()
		return nil, err
	}
	return func() {
		_ = os.Remove(file) // the lock is what counts
		stopServing()
	}, nil
}

// errNotRunning says that no session answers for a folder.
var errNotRunning = errors.New("its process does not respond")

// askRunning has the session that crawls in a folder explain a URL.
func askRunning(ctx context.Context, dir string, u *url.URL) (x crawl.Explanation, err error) {
	data, err := os.ReadFile(filepath.Join(dir, runningFile))
	if err != nil {
		return x, fmt.Errorf("%w: %w", errNotRunning, err)
	}
	var at reachable
	if err := json.Unmarshal(data, &at); err != nil {
		return x, fmt.Errorf("%s: %w", filepath.Join(dir, runningFile), err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at.Address+"/api/v1/explain?url="+url.QueryEscape(u.String()), nil)
	if err != nil {
		return x, fmt.Errorf("%s: %w", filepath.Join(dir, runningFile), err)
	}
	r.Header.Set("Authorization", "Bearer "+at.Token)
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}} // no proxy
	answer, err := client.Do(r)
	if err != nil {
		return x, fmt.Errorf("%w: %w", errNotRunning, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return x, fmt.Errorf("%w: %s says %s", errNotRunning, at.Address, answer.Status)
	}
	return x, json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&x)
}
