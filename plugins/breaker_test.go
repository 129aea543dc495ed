package plugins

import (
	"testing"
	"time"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module/moduletest"
)

func TestBreakerOpensAfterFiveInARow(t *testing.T) {
	var b breaker
	now := time.Unix(0, 0)
	for range breakerRow - 1 {
		if b.record(true, now) {
			t.Fatal("open too early")
		}
	}
	b.record(false, now)
	for range breakerRow - 1 {
		if b.record(true, now) {
			t.Fatal("a success does not count")
		}
	}
	if !b.record(true, now) || b.allow(now) || b.allow(now.Add(breakerPause-1)) {
		t.Error("not open after five failures")
	}
}

func TestBreakerOpensAtOneInTen(t *testing.T) {
	var b breaker
	now := time.Unix(0, 0)
	for i := range 2000 { // one in ten is borne
		if b.record(i%10 == 0, now) {
			t.Fatalf("open at call %d", i)
		}
	}
	opened := false
	for i := range 400 { // one in five is not
		opened = opened || b.record(i%5 == 0, now)
	}
	if !opened {
		t.Error("not open at one failure in five")
	}
}

func TestBreakerTriesOneCall(t *testing.T) {
	var b breaker
	now := time.Unix(0, 0)
	fail := func() (opened bool) {
		for range breakerRow {
			opened = b.record(true, now)
		}
		return opened
	}
	fail()
	now = now.Add(breakerPause)
	if !b.allow(now) || b.allow(now) {
		t.Fatal("not exactly one call after the pause")
	}
	b.cancel()
	if !b.allow(now) {
		t.Fatal("a call that says nothing uses up the chance")
	}
	if !b.record(true, now) || b.allow(now) {
		t.Fatal("the failure of the trial does not open")
	}
	now = now.Add(breakerPause)
	if !b.allow(now) || b.record(false, now) || !b.allow(now) || !b.allow(now) {
		t.Fatal("the success of the trial does not close")
	}
	if b.pause() == 0 || !fail() || b.pause() != 0 || b.allow(now.Add(1000*breakerPause)) {
		t.Error("not off for good after three openings")
	}
}

// A plugin that fails is left alone, and a new version of it gets a new chance.
func TestFailingPluginsAreLeftAlone(t *testing.T) {
	inProcess(t)
	var told []time.Duration
	s := openSet(t, Options{Events: Events{Breaker: func(_ Identity, pause time.Duration) { told = append(told, pause) }}})
	now := time.Unix(0, 0)
	s.now = func() time.Time { return now }
	p, err := install(s, moduletest.Plugin(moduletest.Module{}, moduletest.Code(moduletest.Unreachable)).Bytes())
	if err != nil {
		t.Fatal(err)
	}
	score := func() Kind { return s.Score(t.Context(), &abi.ScoreRequest{})[0].Kind }
	for range breakerRow {
		if k := score(); k != KindTrap {
			t.Fatalf("ended with %s", k)
		}
	}
	if k := score(); k != KindDisabled {
		t.Errorf("the sixth call ended with %s", k)
	}
	now = now.Add(breakerPause)
	if first, second := score(), score(); first != KindTrap || second != KindDisabled {
		t.Errorf("after the pause: %s, %s", first, second)
	}
	if _, u := p.report(); u.Calls != 6 || u.Errors != 6 || u.Kinds[KindDisabled] != 2 || len(told) != 2 {
		t.Errorf("report %+v, told %v", u, told)
	}
	g, err := s.load(t.Context(), answering(0.5), s.config.Load())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.use(g); err != nil || score() != KindOK {
		t.Error("a new version is not called")
	}
}

// TestErrorsOfPagesOpenTheBreaker: an error that the plugin returns is a failure, no opinion is
// none.
func TestErrorsOfPagesOpenTheBreaker(t *testing.T) {
	inProcess(t)
	s := openSet(t, Options{})
	for _, status := range []int{1, 2} {
		if _, err := install(s, moduletest.Plugin(moduletest.Module{}, moduletest.I32Const(status)).Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 30 {
		want := KindPlugin
		if n >= breakerRow {
			want = KindDisabled
		}
		if r := s.Score(t.Context(), &abi.ScoreRequest{}); r[0].Kind != KindNone || r[1].Kind != want {
			t.Fatalf("%s, %s after %d calls", r[0].Kind, r[1].Kind, n)
		}
	}
}
