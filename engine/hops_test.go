package engine

import (
	"strings"
	"testing"

	"github.com/awarc/awarc/frontier"
)

func TestHopPaths(t *testing.T) {
	for _, c := range []struct {
		path string
		kind byte
		want string
	}{
		{"", hopLink, "L"},
		{"LR", hopEmbed, "LRE"},
		{strings.Repeat("L", 49), hopRedirect, strings.Repeat("L", 49) + "R"},
		{"E" + strings.Repeat("L", 49), hopRedirect, "1+" + strings.Repeat("L", 49) + "R"},
		{"9+E" + strings.Repeat("L", 49), hopPrerequisite, "10+" + strings.Repeat("L", 49) + "P"},
	} {
		l := leased{Lease: frontier.Lease{URL: frontier.URL{Path: c.path}}}
		if have := l.hop(c.kind); have != c.want {
			t.Errorf("%s and %c: %s, want %s", c.path, c.kind, have, c.want)
		}
	}
}
