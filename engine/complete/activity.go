package complete

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// Interval counts the requests of some time.
type Interval struct {
	From     time.Time `json:"from"`
	Requests int       `json:"requests"`
}

// mostIntervals is how many intervals a crawl is shown in; they grow with it, to twice their length each time.
const mostIntervals = 60

// timeline counts requests over time.
type timeline struct {
	start  time.Time // zero: that of the first request
	length time.Duration
	counts []int
}

// activity counts the requests of crawl logs over time, of several from start on. A log that is not there has none.
func activity(start time.Time, files ...string) (out []Interval, err error) {
	t := timeline{length: time.Second}
	if len(files) > 1 {
		t.start = start.Truncate(time.Second)
	}
	for _, file := range files {
		if err := t.read(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	for i, n := range t.counts {
		out = append(out, Interval{t.start.Add(time.Duration(i) * t.length), n})
	}
	return out, nil
}

// add counts a request.
func (t *timeline) add(at time.Time) {
	if t.start.IsZero() {
		t.start = at.Truncate(time.Second)
	}
	for at.Sub(t.start) >= mostIntervals*t.length {
		t.counts, t.length = halved(t.counts), 2*t.length
	}
	i := max(0, int(at.Sub(t.start)/t.length)) // lines are in the order in which exchanges ended
	for len(t.counts) <= i {
		t.counts = append(t.counts, 0)
	}
	t.counts[i]++
}

func (t *timeline) read(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	for {
		line, err := in.ReadSlice('\n')
		if at, ok := timeOf(line); ok {
			t.add(at)
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a long line
			_, err = in.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// timeOf reads the time that a line of the log begins with.
func timeOf(line []byte) (time.Time, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"time":"`))
	text, _, found := bytes.Cut(rest, []byte(`"`))
	if !ok || !found {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, string(text))
	return t, err == nil
}

// halved adds pairs of counts.
func halved(counts []int) []int {
	for i, n := range counts {
		if i%2 == 0 {
			counts[i/2] = n
		} else {
			counts[i/2] += n
		}
	}
	return counts[:(len(counts)+1)/2]
}
