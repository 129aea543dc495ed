package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// A machine does not run at one speed for an hour, so what a large store does is compared with what a small one,
// filled anew to the first mark, does in the same minute: they take slices of the window in turns, the small one in
// a process of its own, which waits meanwhile.

// turns is how many parts the window is taken in.
const turns = 10

// spent is what links cost.
type spent struct {
	clock, cpu time.Duration
}

func (s *spent) plus(other spent) { s.clock, s.cpu = s.clock+other.clock, s.cpu+other.cpu }

// slice adds links, half of them known, and tells what that cost.
func slice(s store, w *web, links int) (added int, cost spent, err error) {
	cpu, from := cpuTime(), time.Now()
	for range links / linksPerCommit {
		n, err := s.add(w.links(linksPerCommit))
		if err != nil {
			return added, cost, err
		}
		added += n
	}
	return added, spent{time.Since(from), cpuTime() - cpu}, nil
}

// small is a store of the first mark in another process.
type small struct {
	process *exec.Cmd
	ask     *os.File
	answers *bufio.Scanner
}

// startSmall returns when the small store is filled.
func startSmall(name, dir string, mark, window int) (*small, error) {
	theirs, ask, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	c := exec.Command(os.Args[0], "-only", name, "-dir", dir, "-marks", strconv.Itoa(mark), "-window", strconv.Itoa(window), "-beside")
	c.Stdin, c.Stderr = theirs, os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s := &small{c, ask, bufio.NewScanner(out)}
	if err := c.Start(); err != nil {
		return nil, err
	}
	if !s.answers.Scan() { // it says that it is filled
		return nil, fmt.Errorf("the small store: %w", c.Wait())
	}
	return s, nil
}

func (s *small) slice() (cost spent, err error) {
	if _, err = fmt.Fprintln(s.ask); err != nil {
		return cost, err
	}
	if !s.answers.Scan() {
		return cost, fmt.Errorf("the small store gave no answer: %v", s.answers.Err())
	}
	_, err = fmt.Sscan(s.answers.Text(), &cost.clock, &cost.cpu)
	return cost, err
}

func (s *small) end() error {
	s.ask.Close()
	return s.process.Wait()
}

// serve is the small store: filled to a mark, it takes a slice for each line of the standard input.
func serve(name, dir string, mark, window int) error {
	s, err := stores[name](dir)
	if err != nil {
		return err
	}
	w := newWeb()
	if _, err := fill(s, w, 0, mark-window/4); err != nil {
		return err
	}
	fmt.Println("filled")
	for asked := bufio.NewScanner(os.Stdin); asked.Scan(); {
		_, cost, err := slice(s, w, window/turns)
		if err != nil {
			return err
		}
		fmt.Println(int64(cost.clock), int64(cost.cpu))
	}
	return s.close()
}
