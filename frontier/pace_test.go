package frontier

import (
	"fmt"
	"testing"
	"time"
)

// at is a simulated time: seconds of one afternoon.
func at(seconds int) time.Time { return time.Unix(1_700_000_000+int64(seconds), 0) }

func TestPaceTakesTheLatestOfWhatHoldsTheHostBack(t *testing.T) {
	const floor = 2 * time.Second
	for _, test := range []struct {
		name   string
		pace   pace
		opened time.Time
		want   time.Time
	}{
		{name: "never asked"},
		{name: "floor", pace: pace{lastEnd: at(10)}, want: at(12)},
		{name: "crawl delay above the floor", pace: pace{lastEnd: at(10), delay: 30 * time.Second}, want: at(40)},
		{name: "crawl delay below the floor", pace: pace{lastEnd: at(10), delay: time.Second}, want: at(12)},
		{name: "retry after", pace: pace{lastEnd: at(10), notBefore: at(100)}, want: at(100)},
		{name: "retry after is over", pace: pace{lastEnd: at(10), notBefore: at(11)}, want: at(12)},
		{name: "reopened", pace: pace{lastEnd: at(10)}, opened: at(15), want: at(17)},
		{name: "reopened, never asked", opened: at(15), want: at(17)},
		{name: "clock was put back", pace: pace{lastEnd: at(9999)}, opened: at(15), want: at(17)},
	} {
		t.Run(test.name, func(t *testing.T) {
			if have := test.pace.due(floor, test.opened, at(20)); !have.Equal(test.want) {
				t.Errorf("due %v, want %v", have, test.want)
			}
		})
	}
}

func TestPaceLearnsFromOutcomes(t *testing.T) {
	var p pace
	steps := []struct {
		end  int
		o    Outcome
		want pace
	}{
		{10, Outcome{IP: "192.0.2.1", HostDelay: 5 * time.Second}, pace{lastEnd: at(10), delay: 5 * time.Second, ip: "192.0.2.1"}},
		{20, Outcome{NoRequest: true}, pace{lastEnd: at(10), delay: 5 * time.Second, ip: "192.0.2.1"}},
		{30, Outcome{HostNotBefore: at(300)}, pace{lastEnd: at(30), delay: 5 * time.Second, ip: "192.0.2.1", notBefore: at(300)}},
		{40, Outcome{HostNotBefore: at(60), HostDelay: 3 * time.Second},
			pace{lastEnd: at(40), delay: 3 * time.Second, ip: "192.0.2.1", notBefore: at(300)}},
		{35, Outcome{}, pace{lastEnd: at(40), delay: 3 * time.Second, ip: "192.0.2.1", notBefore: at(300)}},
		{50, Outcome{HostDelay: -1, IP: "192.0.2.2"}, pace{lastEnd: at(50), ip: "192.0.2.2", notBefore: at(300)}},
	}
	for i, step := range steps {
		p.settle(at(step.end), at(60), &step.o, 0)
		if p != step.want {
			t.Errorf("step %d: %+v, want %+v", i, p, step.want)
		}
	}
}

func TestBackoffDoublesUpToItsLimit(t *testing.T) {
	var have []time.Duration
	for tries := 1; tries <= 7; tries++ {
		have = append(have, backoff(10*time.Second, 5*time.Minute, tries))
	}
	if fmt.Sprint(have) != "[10s 20s 40s 1m20s 2m40s 5m0s 5m0s]" {
		t.Error(have)
	}
	if have := backoff(10*time.Second, time.Hour, 1<<40); have != time.Hour {
		t.Errorf("after very many tries: %v", have)
	}
	if have := backoff(10*time.Second, time.Second, 1); have != time.Second {
		t.Errorf("limit below the first wait: %v", have)
	}
}

// TestScheduleKeepsAnAddressBusyAfterItsHostMoved covers a lease that outlives the
// membership of its host in the group of its address.
func TestScheduleKeepsAnAddressBusyAfterItsHostMoved(t *testing.T) {
	s := newSchedule(&Options{PerHost: 1, PerDomain: 1, PerTurn: 1}, time.Time{})
	put := func(name, ip string) *host {
		h := s.set(name, &hostRecord{pace: pace{ip: ip}, ready: 9})
		s.place(h, at(0))
		return h
	}
	moving := put("moving.test", "192.0.2.1")
	l := s.lease(moving, queueReady, at(0))
	put("moving.test", "192.0.2.2")
	put("other.test", "192.0.2.1")
	if h := s.next(at(0)); h != nil {
		t.Fatalf("%s may be asked while a lease on its address is held", h.name)
	}
	s.release(l, time.Time{})
	s.place(moving, at(0))
	s.lease(s.next(at(0)), queueReady, at(0)) // moving.test, whose turn is older
	if h := s.next(at(0)); h == nil || h.name != "other.test" {
		t.Fatalf("next is %+v, want other.test", h)
	}
}
