package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// statedCounts is what pages say of how many things there are, read from their text by eye: the number, of what, and behind an @ the end
// of the address of what they are in.
var statedCounts = []struct{ page, url, says string }{
	{"phpbb-prosilver-topic", "viewtopic.php?t=7", "13 sioc:Post, 2 page"},
	{"phpbb-prosilver-forum", "viewforum.php?f=2", "60 sioc:Thread, 2 page, 13 sioc:Post@viewtopic.php?t=7, " +
		"4 sioc:Thread@viewforum.php?f=3, 31 sioc:Post@viewforum.php?f=3"},
	{"phpbb-prosilver-index", "index.php", "60 sioc:Thread@viewforum.php?f=2, 411 sioc:Post@viewforum.php?f=2"},
	{"phpbb-absolution-topic", "viewtopic.php?t=7", "12 sioc:Post, 2 page"},
	{"phpbb-subsilver2-topic", "viewtopic.php?t=7", "17 sioc:Post, 2 page"},
	{"phpbb-subsilver2-forum", "viewforum.php?f=2", "60 sioc:Thread, 2 page, 17 sioc:Post@viewtopic.php?t=7"},
	{"phpbb-subsilver-topic", "viewtopic.php?t=7", "2 page"},
	{"phpbb-subsilver-forum", "viewforum.php?f=2", "2 page, 2 sioc:Post@viewtopic.php?t=7"},
	{"phpbb-subsilver-index", "index.php", "64 sioc:Thread@viewforum.php?f=2, 1250 sioc:Post@viewforum.php?f=2"},
	{"vbulletin-5-topic", "forum/spars/7-hollow-masts", "2 page"},
	{"vbulletin-5-forum", "forum/spars", "2 page, 2 sioc:Post@7-hollow-masts"},
	{"vbulletin-5-index", "forum", "12 sioc:Thread@forum/spars, 1034 sioc:Post@forum/spars"},
	{"vbulletin-4-forum", "forumdisplay.php?f=2", "31 sioc:Thread, 2 page, 19 sioc:Post@showthread.php?t=7"},
	{"vbulletin-4-index", "forum.php", "31 sioc:Thread@forumdisplay.php?f=2, 1204 sioc:Post@forumdisplay.php?f=2"},
	{"vbulletin-3-forum", "forumdisplay.php?f=2", "60 sioc:Thread, 3 page, 18 sioc:Post@showthread.php?t=7"},
	{"vbulletin-3-index", "index.php", "60 sioc:Thread@forumdisplay.php?f=2, 1911 sioc:Post@forumdisplay.php?f=2"},
	{"xenforo-2-forum", "board/forums/edges.2/", "2 page, 22 sioc:Post@threads/7"},
	{"xenforo-2-index", "board/", "35 sioc:Thread@forums/2, 702 sioc:Post@forums/2"},
	{"xenforo-1-topic", "board/threads/oil-or-wax.8/", "2 page"},
	{"xenforo-1-forum", "board/forums/oils.4/", "2 page, 25 sioc:Post@threads/8"},
	{"xenforo-1-index", "board/", "40 sioc:Thread@forums/4, 913 sioc:Post@forums/4"},
	{"smf-2.1-forum", "index.php?board=2.0", "2 page, 22 sioc:Post@topic=7"},
	{"smf-1.1-forum", "index.php?board=2.0", "2 page, 26 sioc:Post@topic=9"},
	{"smf-1.1-index", "index.php", "877 sioc:Post@board=2, 64 sioc:Thread@board=2"},
	{"mybb-1.8-forum", "forumdisplay.php?fid=2", "2 page, 24 sioc:Post@tid=7"},
	{"mybb-1.8-index", "index.php", "19 sioc:Thread@Forum-Ground-tackle, 1204 sioc:Post@Forum-Ground-tackle"},
	{"ipb-4-topic", "topic/8-hoses/", "31 sioc:Post, 2 page"},
	{"ipb-4-forum", "forum/2-pumps/", "2 page, 31 sioc:Post@topic/8"},
	{"ipb-4-index", "", "346 sioc:Post@forum/2"},
	{"ipb-3-topic", "topic/6-valves/", "2 page"},
	{"ipb-3-forum", "forum/2-pumps/", "2 page, 23 sioc:Post@topic/6"},
	{"ipb-3-index", "", "48 sioc:Thread@forum/2"},
	{"fluxbb-index", "index.php", "14 sioc:Thread@viewforum.php?id=2, 208 sioc:Post@viewforum.php?id=2"},
	{"wordpress-classic-home", "", "4 sioct:BlogPost@2019/05/, 11 sioct:BlogPost@2019/04/, 13 page"},
	{"wordpress-classic-archive", "category/hulls/", "17 sioct:BlogPost@category/sails/, 3 page"},
	{"blogger-simple-home", "http://knots.example/", "22 sioct:BlogPost@2012/, 2 sioct:BlogPost@2012/03/"},

	// Real pages, kept beside the repository.
	{"phpbb/bikeradar.com/formasaurus-www.bikeradar.com-0.html", "viewforum.php?f=40058", "1 sioc:Thread, 1 page"},
	{"phpbb/zone-concours.com/autopager-63.html", "temoignages-f26.html", "96 sioc:Thread, 4 page"},
	{"phpbb/mirror-cf.net/viewforum.php?f=4&topicdays=0&start=50.html", "viewforum.php?f=4", "19 page"},
	{"vbulletin/aussiev8.com.au/autopager-194.html", "comedy-central/", "1929 sioc:Thread, 65 page"},
	{"vbulletin/terraforums.com/autopager-62.html", "showthread.php?t=1", "19 sioc:Post, 2 page"},
	{"vbulletin/mirror-klnet/showthread.php-page=2-t=7919.html", "showthread.php?t=7919", "274 sioc:Post, 3 page"},
	{"xenforo/beersmith.com/wcxb-test-5024.html", "forum/index.php?forums/recipes.3/", "35 page"},
	{"smf/mirror-bitcointalk/index.html", "https://bitcointalk.org/index.php", "2467402 sioc:Post@board=1, 97068 sioc:Thread@board=1"},
	{"smf/mirror-bitcointalk/index.php?board=77.0.html", "https://bitcointalk.org/index.php?board=77.0",
		"867 page, 57 sioc:Post@topic=76487"},
	{"mybb/forum.pokemonpets.com/autopager-89.html", "http://forum.pokemonpets.com/",
		"11 sioc:Thread@Forum-Announcements, 113 sioc:Post@Forum-Announcements"},
	{"ipb/trailgroove.com/wcxb-test-5087.html", "https://www.trailgroove.com/forums/", "346 sioc:Post@forum/7"},
	{"ipb/forum.kerbalspaceprogram.com/wcxb-dev-0544.html", "topic/225132-x/", "2 page"},
	{"vanilla/bitterkittens.com/autopager-36.html", "categories/the-t-lounge", "12 page"},
	{"blogger/facebookpostmarketing.blogspot.ru/autopager-79.html", "http://facebookpostmarketing.blogspot.ru/",
		"25 sioct:BlogPost@2015-01-01T00:00:00-08:00"},
	{"wordpress/mirror-mimiz.cn/index.php/page/3/index.html", "http://mimiz.cn/index.php/page/3/", "5 sioct:BlogPost@category/drupal/"},
}

// Types state what pages of their software say.
func TestStatedCounts(t *testing.T) {
	t.Parallel()
	there := 0
	for _, test := range statedCounts {
		file := filepath.Join("..", "..", "kb", "testdata", test.page+".html")
		if strings.HasSuffix(test.page, ".html") {
			if file = filepath.Join("..", "..", "..", "shared", "pages", test.page); !exists(file) {
				continue
			}
		}
		there++
		if !strings.Contains(test.url, "://") {
			test.url = "http://localhost/" + test.url
		}
		o := awarc(t, "", "extract", "--format", "json", "--url", test.url, file)
		var got struct{ Totals []totalJSON }
		if err := json.Unmarshal([]byte(o.out), &got); err != nil {
			t.Fatalf("%s: %v\n%s", test.page, err, o.out)
		}
		for want := range strings.SplitSeq(test.says, ", ") {
			count, in, _ := strings.Cut(want, "@")
			if !slices.ContainsFunc(got.Totals, func(of totalJSON) bool {
				return count == fmt.Sprint(of.Count, " ", of.Of) && strings.HasSuffix(of.In, in)
			}) {
				t.Errorf("%s says %s; found %+v", test.page, want, got.Totals[:min(len(got.Totals), 8)])
			}
		}
	}
	t.Logf("%d of %d pages are there", there, len(statedCounts))
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
