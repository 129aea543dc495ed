package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/cockpit"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/durable"
)

// schedule are the crawls that begin later. Each is a file in the folder that the crawl will have, so that it outlives the process.
type schedule struct {
	turn sync.Mutex // of what changes it
	mu   sync.Mutex
	all  map[string]cockpit.Scheduled
}

func (s *schedule) find(name string) *cockpit.Scheduled {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x, ok := s.all[name]; ok {
		return &x
	}
	return nil
}

func (s *schedule) set(name string, x cockpit.Scheduled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[name] = x
}

func (s *schedule) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, name)
}

func (s *schedule) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.all))
}

func (m *served) scheduleFile(name string) string {
	return filepath.Join(m.folder(name), crawl.ScheduledFile)
}

// readSchedule finds what earlier processes left.
func (m *served) readSchedule() {
	m.schedule.all = map[string]cockpit.Scheduled{}
	files, _ := filepath.Glob(m.scheduleFile("*")) // badly formed: none
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		if m.exists(name) { // it began, and the process was killed then
			_ = os.Remove(file)
			continue
		}
		_ = os.Chmod(file, 0o600) // earlier versions let others read it, and seeds may have passwords
		var x cockpit.Scheduled
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &x)
		}
		if err != nil {
			x.Fault = err.Error()
		}
		m.schedule.all[name] = x
	}
}

// keepSchedule begins crawls that are due, until ctx ends.
func (m *served) keepSchedule(ctx context.Context) {
	tick := time.NewTicker(time.Second) // of the clock on the wall, which may be set
	defer tick.Stop()
	for {
		for _, name := range m.schedule.names() {
			if x := m.schedule.find(name); x != nil && x.Fault == "" && !time.Now().Before(x.At) {
				_ = m.Unschedule(name, true) // the page of the crawl says why it did not begin
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Schedule has a crawl begin later.
func (m *served) Schedule(name string, at time.Time, args []string) error {
	m.schedule.turn.Lock()
	defer m.schedule.turn.Unlock()
	j, err := m.named(name, args)
	if err != nil {
		return err
	}
	if m.Folder(name) != "" {
		return errRunning
	}
	o := j.crawl.options()
	o.Seeds = j.crawl.Seed
	if _, err := crawl.Check(m.folder(name), o); err != nil {
		return inFlags(err)
	}
	if err := os.MkdirAll(m.folder(name), 0o755); err != nil {
		return err
	}
	x := cockpit.Scheduled{At: at, Args: m.allowed(args)}
	err = durable.WriteFile(m.scheduleFile(name), 0o600, func(w io.Writer) error { return json.NewEncoder(w).Encode(x) })
	if err == nil {
		m.schedule.set(name, x)
	}
	return err
}

// Scheduled is a crawl that begins later.
func (m *served) Scheduled(name string) *cockpit.Scheduled { return m.schedule.find(name) }

// Unschedule begins such a crawl now, or removes it.
func (m *served) Unschedule(name string, begin bool) error {
	m.schedule.turn.Lock()
	defer m.schedule.turn.Unlock()
	x := m.schedule.find(name)
	if x == nil {
		return errNone
	}
	var err error
	if begin && !m.exists(name) { // or somebody began it by hand
		err = m.Begin(name, x.Args)
	}
	switch {
	case errors.Is(err, errClosed): // it begins when this is started again
		return err
	case err != nil:
		x.Fault = fmt.Sprintf("%s: %v", time.Now().Format(time.RFC3339), err)
		m.schedule.set(name, *x)
		return err
	}
	m.schedule.forget(name)
	err = os.Remove(m.scheduleFile(name))
	if !begin {
		err = errors.Join(err, os.Remove(m.folder(name))) // what else is in it stays
	}
	return err
}
