package score

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk"
)

// run scores a page with two links.
func run(t *testing.T, f func(*Page, *Result) error) (sdk.Call, abi.ScoreResponse) {
	t.Helper()
	OnPage(f)
	defer OnPage(nil)
	page := Page{URL: "u", Links: []Link{{URL: "a"}, {URL: "b"}}}
	call := Native(page.Append(nil, abi.NeedAll))
	var r abi.ScoreResponse
	if err := r.Decode(string(call.Output), 2); err != nil {
		t.Fatal(err)
	}
	return call, r
}

func TestLinksThatAreNotScored(t *testing.T) {
	_, r := run(t, func(_ *Page, out *Result) error { out.Doc = 0.5; return nil })
	if r.Doc != 0.5 || len(r.Links) != 0 || len(r.LinkFlags) != 0 {
		t.Errorf("no link scored: %+v", r)
	}
	_, r = run(t, func(_ *Page, out *Result) error { out.Link(1, 0.25); return nil })
	if !slices.Equal(r.Links, []float32{0, 0.25}) || !slices.Equal(r.LinkFlags, []abi.ScoreFlag{abi.NoOpinion, 0}) {
		t.Errorf("one link scored: %+v", r)
	}
	_, r = run(t, func(_ *Page, out *Result) error {
		out.Link(0, 0.1)
		out.BlacklistURL(0)
		out.BlacklistHost(1)
		out.BlacklistPage()
		out.NoDoc()
		out.Reason = "why"
		return nil
	})
	want := abi.ScoreResponse{Links: []float32{0.1, 0}, LinkFlags: []abi.ScoreFlag{abi.BlacklistURL, abi.NoOpinion | abi.BlacklistHost},
		DocFlags: abi.BlacklistURL | abi.NoOpinion, Reason: "why"}
	if r.DocFlags != want.DocFlags || r.Reason != want.Reason || !slices.Equal(r.LinkFlags, want.LinkFlags) ||
		!slices.Equal(r.Links, want.Links) {
		t.Errorf("flags: %+v, want %+v", r, want)
	}
}

func TestScoresAreMovedIntoTheirRange(t *testing.T) {
	call, r := run(t, func(_ *Page, out *Result) error {
		out.Doc = float32(math.NaN())
		out.Link(0, 7)
		out.Link(1, -1)
		return nil
	})
	if r.Doc != 0 || !slices.Equal(r.Links, []float32{1, 0}) || len(call.Logs) != 3 {
		t.Errorf("%+v, logs %q", r, call.Logs)
	}
}

func TestHowAHandlerEnds(t *testing.T) {
	for name, c := range map[string]struct {
		f       func(*Page, *Result) error
		status  sdk.Status
		message string
	}{
		"no opinion": {func(*Page, *Result) error { return NoOpinion }, sdk.StatusNoOpinion, ""},
		"error":      {func(*Page, *Result) error { return errors.New("broken") }, sdk.StatusError, "broken"},
		"panic":      {func(*Page, *Result) error { panic("at the disco") }, sdk.StatusError, "panic: at the disco"},
		"index": {func(p *Page, _ *Result) error { _ = p.Links[9]; return nil }, sdk.StatusError,
			"panic: runtime error: index out of range [9] with length 2"},
		"not there": {nil, sdk.StatusNoOpinion, ""},
	} {
		if call, _ := run(t, c.f); call.Status != c.status || call.Message != c.message || len(call.Output) != 0 {
			t.Errorf("%s: %+v", name, call)
		}
	}
	if call := Native([]byte("\xff")); call.Status != sdk.StatusUnsupported || !strings.Contains(call.Message, "byte 1") {
		t.Errorf("garbled request: %+v", call)
	}
}

// What one page set does not show up in the next.
func TestResultsAreApart(t *testing.T) {
	_, _ = run(t, func(_ *Page, out *Result) error {
		out.Link(0, 1)
		out.BlacklistPage()
		out.Reason = "first"
		return nil
	})
	if _, r := run(t, func(*Page, *Result) error { return nil }); len(r.Links) != 0 || r.DocFlags != 0 || r.Reason != "" {
		t.Errorf("second page: %+v", r)
	}
}
