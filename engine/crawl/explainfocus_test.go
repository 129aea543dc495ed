package crawl

import (
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
)

// TestFocusIsExplained: a URL says that the context graph had no opinion on it, and that a stop by rank may leave it.
func TestFocusIsExplained(t *testing.T) {
	s := &Settings{}
	pending, fetched := frontier.Entry{State: frontier.Pending}, frontier.Entry{State: frontier.Fetched}
	without, with := &Score{}, &Score{Parts: []score.Part{{Module: score.ModuleContext}}}
	if why := s.whyFocus(pending, without); why != nil {
		t.Errorf("a crawl without a focus explains %q", why)
	}
	s.Flags.Context, s.Flags.RankMass = ContextSelf, 0.95
	why := strings.Join(s.whyFocus(pending, without), "\n")
	if !strings.Contains(why, "no opinion") || !strings.Contains(why, "95 % of the page rank") {
		t.Errorf("a pending URL: %q", why)
	}
	if why := s.whyFocus(fetched, with); why != nil {
		t.Errorf("a fetched URL with a layer: %q", why)
	}
}
