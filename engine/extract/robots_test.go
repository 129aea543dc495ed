package extract

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter"
)

func TestRobotsOf(t *testing.T) {
	for _, c := range []struct {
		page, header, want string
		nofollow           bool
	}{
		{`<meta name=robots content="noindex">`, "", "noindex", false},
		{`<meta name=ROBOTS content="NoIndex,NoFollow">`, "", "noindex, nofollow", true},
		{`<meta name=robots content=none><meta name=robots content="none, noarchive">`, "", "none, noarchive", true},
		{`<meta name=googlebot content=nofollow><meta name=Awarc content=nosnippet>`, "", "nosnippet", false},
		{`<meta name=keywords content=nofollow><body><meta name=robots content=nofollow>`, "", "", false},
		{"", "noindex, nofollow", "noindex, nofollow", true},
		{"", "otherbot: noindex, nofollow", "", false},
		{"", "otherbot: nofollow, awarc: noindex, max-snippet: 20", "noindex, max-snippet: 20", false},
		{"", "unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow", "unavailable_after: 25 jun 2030 15:00:00 pst, nofollow", true},
	} {
		root, err := html.Parse(strings.NewReader(c.page))
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{}
		if c.header != "" {
			header.Set("X-Robots-Tag", c.header)
		}
		r := RobotsOf(Page{Doc: yfilter.Document(root, yfilter.Meta{Header: header}), URL: fuzzBase}, "awarc")
		if r.String() != c.want || r.NoFollow() != c.nofollow {
			t.Errorf("%s%s: %q, nofollow %t", c.page, c.header, r, r.NoFollow())
		}
	}
}
