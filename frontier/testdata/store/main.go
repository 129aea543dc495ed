// Store measures how fast a frontier takes in links when many URLs are known: each
// is looked up and, if it is new, recorded and scheduled. It compares awarc's frontier
// with a plain bbolt bucket, with Pebble and with files in the manner of DRUM.
//
//	go run . -marks 1000000,5000000 -stores awarc,bbolt,pebble,drum -dir /tmp/store
//
// It is a module of its own, so that Pebble and what that needs stay out of awarc's.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/awarc/awarc/frontier"
)

// linksPerCommit is how many links one durable transaction takes: those of twenty pages.
const linksPerCommit = 20 * linksPerPage

// fillPerCommit is the same between the marks, where all links are new.
const fillPerCommit = 10 * linksPerCommit

// A store takes links in.
type store interface {
	// add looks the links up and records and schedules the new ones.
	add(links []frontier.URL) (added int, err error)
	close() error
}

var stores = map[string]func(dir string) (store, error){
	"awarc": openFrontier, "bbolt": openBolt, "pebble": openPebble, "drum": openDrum,
}

func main() {
	marks := flag.String("marks", "1000000,5000000", "numbers of known URLs at which to measure")
	names := flag.String("stores", "awarc,bbolt,pebble,drum", "stores to measure, each in a process of its own")
	window := flag.Int("window", 1_000_000, "links of one measurement")
	dir := flag.String("dir", os.TempDir(), "where the files go; they are removed afterwards")
	profile := flag.String("cpuprofile", "", "write a profile of each measurement to this name with the mark")
	only := flag.String("only", "", "measure this store in this process")
	beside := flag.Bool("beside", false, "be the small store that another process measures itself against")
	flag.Parse()
	if *only == "" {
		fmt.Printf("%-7s %11s %9s %7s %9s %9s %9s %9s %8s %8s %8s %7s %5s\n", "store", "known", "links/s", "ratio", "small", "cpu us", "small",
			"disk B", "write B", "RSS MiB", "anon", "open s", "load")
		for _, name := range strings.Split(*names, ",") {
			child := exec.Command(os.Args[0], append(os.Args[1:], "-only", name)...)
			child.Stdout, child.Stderr = os.Stdout, os.Stderr
			if err := child.Run(); err != nil {
				log.Printf("%s: %v", name, err)
			}
		}
		return
	}
	all, err := numbers(*marks)
	if err != nil {
		log.Fatal(err)
	}
	under, err := os.MkdirTemp(*dir, "store-"+*only+"-")
	if err != nil {
		log.Fatal(err)
	}
	if *beside {
		err = serve(*only, under, all[0], *window)
	} else {
		err = measure(*only, under, all, *window, *profile)
	}
	if err := errors.Join(err, os.RemoveAll(under)); err != nil {
		log.Fatal(err)
	}
}

func numbers(list string) (all []int, err error) {
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// measure prints a row for each mark. Its ratio is that of the rates of the store and of the small one.
func measure(name, dir string, marks []int, window int, profile string) error {
	s, err := stores[name](dir)
	if err != nil {
		return err
	}
	w, known := newWeb(), 0
	for i, mark := range marks {
		if known, err = fill(s, w, known, mark-window/4); err != nil { // half of the window's links are new
			return err
		}
		var other *small
		if i > 0 {
			if other, err = startSmall(name, filepath.Dir(dir), marks[0], window); err != nil {
				return err
			}
		}
		if profile != "" {
			file, err := os.Create(profile + "." + strconv.Itoa(mark))
			if err != nil {
				return err
			}
			defer file.Close()
			if err := pprof.StartCPUProfile(file); err != nil {
				return err
			}
		}
		debug.FreeOSMemory()
		peak, written := watchMemory(), writtenBytes()
		var own, others spent
		for range turns {
			n, cost, err := slice(s, w, window/turns)
			if err != nil {
				return err
			}
			known += n
			own.plus(cost)
			if other != nil {
				if cost, err = other.slice(); err != nil {
					return err
				}
				others.plus(cost)
			}
		}
		pprof.StopCPUProfile()
		busy := load()
		written = writtenBytes() - written
		rss, anon := peak()
		if other == nil {
			others = own
		} else if err := other.end(); err != nil {
			return err
		}
		if err := s.close(); err != nil {
			return err
		}
		size := diskBytes(dir)
		runtime.GC()
		from := time.Now()
		if s, err = stores[name](dir); err != nil {
			return err
		}
		rate := func(c spent) float64 { return float64(window) / c.clock.Seconds() }
		micros := func(c spent) float64 { return float64(c.cpu.Microseconds()) / float64(window) }
		fmt.Printf("%-7s %11d %9.0f %7.2f %9.0f %9.2f %9.2f %9.0f %8d %8d %8d %7.1f %5s\n", name, known, rate(own), rate(own)/rate(others),
			rate(others),
			micros(own), micros(others), float64(size)/float64(known), written/int64(window), rss>>20, anon>>20, time.Since(from).Seconds(), busy)
	}
	return s.close()
}

// fill adds links until a number is known. The next ones are made up meanwhile.
func fill(s store, w *web, known, target int) (int, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(200)) // it is not measured
	next := make(chan []frontier.URL)
	go func() {
		defer close(next)
		for n := known; n < target; n += fillPerCommit {
			next <- w.fill(fillPerCommit)
		}
	}()
	for links := range next {
		n, err := s.add(links)
		if err != nil {
			return known, err
		}
		known += n
	}
	return known, nil
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// watchMemory samples the resident memory, all of it and without pages of files, and
// returns a function that stops and gives the largest values.
func watchMemory() func() (rss, anon int64) {
	stop, result := make(chan struct{}), make(chan [2]int64)
	go func() {
		var most [2]int64
		for {
			for i, field := range []string{"VmRSS:", "RssAnon:"} {
				most[i] = max(most[i], procValue("/proc/self/status", field)<<10)
			}
			select {
			case <-stop:
				result <- most
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	return func() (int64, int64) {
		close(stop)
		most := <-result
		return most[0], most[1]
	}
}

func writtenBytes() int64 { return procValue("/proc/self/io", "write_bytes:") }

// procValue returns the number after a field, 0 where there is none, as on other
// systems than Linux.
func procValue(path, field string) int64 {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut("\n"+string(data), "\n"+field)
	words := strings.Fields(rest)
	if len(words) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(words[0], 10, 64)
	return n
}

// load returns how many processes were at work in the last minute, on average; "-" where nobody says it.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "-"
	}
	one, _, _ := strings.Cut(string(data), " ")
	return one
}

func diskBytes(dir string) (n int64) {
	filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			n += info.Size()
		}
		return nil
	})
	return n
}
