package engine_test

import "testing"

// TestForums1Templates holds what is taken from one page of each family of
// templates, as TestForumTemplates does for phpBB and vBulletin.
func TestForums1Templates(t *testing.T) {
	checkTemplates(t, []templateCase{
		{"mybb-1.8-topic", "Anchors for mud",
			[]string{"Elin|2018-08-23T23:22:00|Fluke or plough?", "Rower|2018-08-25T07:05:00|(08-23-2018, 11:22 PM)Elin Wrote: Fluke or plough? Fluke."},
			[]string{"forum forumdisplay.php?fid=1", "forum forumdisplay.php?fid=2&page=3", "index ", "topic+ showthread.php?page=2&tid=7"}},
		{"mybb-1.6-topic", "Bilge paint",
			[]string{"Olav|2012-02-13T22:15:00|Grey or white?", "Pia|2012-02-15T07:30:00|White."},
			[]string{"forum forumdisplay.php?fid=1", "forum forumdisplay.php?fid=2", "index ", "topic+ showthread.php?page=2&tid=8"}},
		{"mybb-1.2-topic", "Tar",
			[]string{"Olav|2007-02-13T22:15:00|Hot or cold?", "Passer-by|2007-02-14T06:00:00|Hot."},
			[]string{"forum forumdisplay.php?fid=2", "index ", "topic+ showthread.php?page=2&tid=9"}},
		{"mybb-1.8-forum", "", nil,
			[]string{"forum forumdisplay.php?fid=1", "forum forumdisplay.php?fid=3", "forum+ forumdisplay.php?fid=2&page=2", "index ", "topic announcements.php?aid=1", "topic showthread.php?tid=7"}},
		{"mybb-lite", "", nil, []string{"topic showthread.php?tid=7"}},
		{"xenforo-1-index", "", nil, []string{"forum board/forums/4"}},
		{"mybb-1.8-index", "", nil, []string{"forum Forum-Boats", "forum Forum-Chain", "forum Forum-Ground-tackle"}},

		{"smf-2.1-topic", "Bees in the attic",
			[]string{"Tomas|2024-05-04T11:23:55|They moved in on Sunday.", "Neighbour|2024-05-06T21:00:01|Quote from: Tomas on May 04, 2024, 11:23:55 AMThey moved in on Sunday. Call a keeper."},
			[]string{"forum index.php?board=2", "index ", "topic+ index.php?start=20&topic=7"}},
		{"smf-2.0-topic", "Schnecken im Salat",
			[]string{"Heike|2011-06-07T18:20:11|Was hilft?", "Gast Emil|2011-06-12T09:05:00|Laufenten."},
			[]string{"forum index.php?board=2", "index ", "topic+ index.php?start=15&topic=8"}},
		{"smf-1.1-topic", "Compost heat",
			[]string{"Ruth|2008-03-02T13:41:38|Sixty degrees today.", "Otto|2008-03-04T06:00:00|Turn it."},
			[]string{"forum index.php?board=2", "index ", "topic+ index.php?start=20&topic=9"}},
		{"smf-2.1-forum", "", nil, []string{"forum index.php?board=2", "forum index.php?board=3", "forum+ index.php?board=2&start=20", "index ", "topic index.php?topic=7"}},
		{"smf-1.1-forum", "", nil, []string{"forum index.php?board=2", "forum+ index.php?board=2&start=20", "index ", "topic index.php?topic=9"}},
		{"smf-1.1-index", "", nil, []string{"forum index.php?board=2", "forum index.php?board=3"}},

		{"xenforo-2-topic", "Sharpening chisels",
			[]string{"Mara|2024-04-12T13:23:57-04:00|Which angle?", "Old hand|2024-04-14T17:39:00|Mara said: Which angle? Thirty degrees."},
			[]string{"forum board/forums/2", "index board/", "topic+ board/threads/7", "topic+ board/threads/7/page-2"}},
		{"xenforo-cards-topic", "Dovetails",
			[]string{"Greta|2024-06-02T20:22:24-04:00|Pins first?", "Ivo|2024-06-05T15:58:03-04:00|Tails."},
			[]string{"forum forums/3", "index forums/"}},
		{"xenforo-1-topic", "Oil or wax?",
			[]string{"Finn|2014-05-11T09:22:00|For a table.", "Guest Uma|2014-05-13T12:00:00Z|Finn said: For a table. Oil."},
			[]string{"forum board/forums/4", "index board/", "topic+ board/threads/8/page-2", "topic+ threads/8"}},
		{"xenforo-2-forum", "", nil,
			[]string{"forum board/categories/1", "forum board/forums/3", "forum board/forums/5", "forum+ board/forums/2", "forum+ board/forums/2/page-2", "index board/", "topic board/threads/7"}},
		{"xenforo-1-forum", "", nil,
			[]string{"forum board/forums/5", "forum board/forums/9", "forum+ board/forums/4", "forum+ board/forums/4/page-2", "index board/", "topic board/threads/8"}},
		{"xenforo-2-index", "", nil, []string{"forum board/categories/1", "forum board/forums/2"}},

		{"fluxbb-topic", "Dry stone walls",
			[]string{"Siv|2025-11-01T15:14:37|How wide a base?", "Passing|2025-11-02T06:23:21|Siv wrote: How wide a base? Twice the top."},
			[]string{"forum viewforum.php?id=2", "index ", "topic+ viewtopic.php?id=7&p=2"}},
		{"fluxbb-punbb-topic", "Lime mortar",
			[]string{"Bram|2010-05-06T07:08:09|Hot mixed?", "Wanderer|2010-05-08T11:12:13|In summer."},
			[]string{"forum viewforum.php?id=2", "index ", "topic+ viewtopic.php?id=8&p=2"}},
		{"fluxbb-forum", "", nil, []string{"forum+ viewforum.php?id=2&p=2", "index ", "topic viewtopic.php?id=7"}},
		{"fluxbb-index", "", nil, []string{"forum viewforum.php?id=2"}},
		{"fluxbb-punbb-forum", "", nil, []string{"forum+ viewforum.php?id=2&p=2", "index ", "topic viewtopic.php?id=8"}},
		{"fluxbb-punbb-index", "", nil, []string{"forum viewforum.php?id=2"}},
	})
}
