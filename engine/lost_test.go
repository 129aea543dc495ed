package engine

import (
	"maps"
	"testing"

	"github.com/awarc/awarc/frontier"
)

func TestArchived(t *testing.T) {
	for reason, want := range map[string]struct {
		state    frontier.State
		status   int
		archived bool
	}{
		"status 404":                             {frontier.Fetched, 404, true},
		"":                                       {frontier.Fetched, 0, false},
		"http_503: Service Unavailable":          {frontier.Failed, 0, true},
		"redirect_loop: more than 20":            {frontier.Failed, 0, true},
		"dns: no such host":                      {frontier.Failed, 0, false},
		"robots.txt of a forbids it to awarc":    {frontier.Excluded, 0, false},
		"status 200 was before, and now pending": {frontier.Pending, 0, false},
	} {
		if status, archived := Archived(frontier.Entry{State: want.state, Reason: reason}); status != want.status || archived !=
			want.archived {
			t.Errorf("%q: %d, %v", reason, status, archived)
		}
	}
}

func TestUncountIsTheOppositeOfTheLog(t *testing.T) {
	e := &Exchanged{Status: 200, MIME: "text/html", Type: "phpbb", Level: "topic", KB: "h", Triples: 7,
		Missing: []string{"sioc:Post creator http://a/#1"}}
	want := map[string]int64{"faults/capture_lost": 1, "pages": -1, "types/phpbb": -1, "levels/phpbb/topic": -1, "kb/h": -1, "triples": -7,
		"missing/sioc:Post.creator": -1, "seeds/good": -1}
	if got := Uncount(frontier.Entry{URL: frontier.URL{Seed: true}}, e); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	e.Status, e.Revisit, e.Elsewhere = 304, "urn:uuid:1", true // the page of an earlier crawl
	want["revisits"], want["revisits elsewhere"] = -1, -1
	if got := Uncount(frontier.Entry{URL: frontier.URL{Seed: true}}, e); !maps.Equal(got, want) {
		t.Errorf("of what was not modified: got %v, want %v", got, want)
	}
	if got := Uncount(frontier.Entry{}, nil); !maps.Equal(got, map[string]int64{"faults/capture_lost": 1}) {
		t.Errorf("without a line: %v", got)
	}
}
