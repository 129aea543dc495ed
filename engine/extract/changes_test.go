package extract

import (
	"testing"
	"time"
)

// TestChangesOfRows: each row of a list has the address, the time and the numbers of a page that
// changed, and the order of its list.
func TestChangesOfRows(t *testing.T) {
	typ := typeOf(t, "", topic(`<changes to="topic" order="newest" at="li[a]" link="a"><time>i</time><count>b</count></changes>
<changes to="topic" at="tr" link="a"><count>td[2]</count></changes>`))
	got := harvest(t, typ, `<ul><li><a href="?id=1">One</a> <i>2020-03-04T05:06:07Z</i> <b>12</b></li><li>no link</li></ul>
<table><tr><td><a href="?id=2">Two</a></td><td>34</td></tr></table>`).Changes
	want := []Change{
		{URL: "http://h.example/f/topic?id=1", Time: time.Date(2020, 3, 4, 5, 6, 7, 0, time.UTC), Exact: true,
			Said: "2020-03-04T05:06:07Z | 12", Newest: true},
		{URL: "http://h.example/f/topic?id=2", Said: "34"},
	}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}
