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

// activity counts the requests of a crawl log over time. A log that is not there has none.
func activity(file string) (out []Interval, err error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	var counts []int
	var start time.Time
	length := time.Second
	for {
		line, err := in.ReadSlice('\n')
		if at, ok := timeOf(line); ok {
			if start.IsZero() {
				start = at.Truncate(time.Second)
			}
			for at.Sub(start) >= mostIntervals*length {
				counts, length = halved(counts), 2*length
			}
			i := max(0, int(at.Sub(start)/length)) // lines are in the order in which exchanges ended
			for len(counts) <= i {
				counts = append(counts, 0)
			}
			counts[i]++
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a long line
			_, err = in.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	for i, n := range counts {
		out = append(out, Interval{start.Add(time.Duration(i) * length), n})
	}
	return out, nil
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
