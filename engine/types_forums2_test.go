package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/kb"
)

// TestForums2Templates holds what is taken from one page of each family of
// templates, as TestForumTemplates does for phpBB and vBulletin.
func TestForums2Templates(t *testing.T) {
	for _, c := range []struct {
		page, title  string
		posts, links []string
	}{
		{"discourse-crawler-topic", "Chain or rope?",
			[]string{"mira|2024-03-02T08:15:00Z|Which of the two for mud?", "olek|2024-03-02T09:40:12Z|mira: for mud? Chain.",
				"system|2024-05-01T00:00:00Z|This topic was closed."},
			[]string{"forum c/anchors/5", "index categories", "topic+ t/7?page=2"}},
		{"discourse-crawler-topic-old", "Tides",
			[]string{"ede|2016-02-03T10:00:00Z|Spring or neap?", "ulla|2016-02-03T11:30:00Z|Neap."},
			nil},
		{"discourse-plain-topic", "Knots",
			[]string{"ann|2013-02-05T19:32:00|Which first?", "ben|2013-02-06T07:05:00|The bowline."},
			[]string{"topic+ t/4?page=2"}},
		{"discourse-app-topic", "Buoys",
			[]string{"rut|2024-05-04T10:00:00Z|Red or white?", "sol|2024-05-04T11:00:00Z|White."},
			[]string{"forum c/anchors/5"}},
		{"discourse-shell-topic", "",
			nil,
			[]string{"topic+ t/8?page=2"}},
		{"discourse-forum", "",
			nil,
			[]string{"forum c/anchors/5", "forum c/gear/2", "forum c/plough/6", "forum+ c/anchors/5?page=1", "index categories",
				"topic t/12", "topic t/7"}},
		{"discourse-index", "",
			nil,
			[]string{"forum c/anchors/5", "forum c/gear/2"}},
		{"discourse-profile", "",
			nil,
			nil},
		{"ipb-5-topic", "Bilge",
			[]string{"Inga|2024-06-14T13:22:54Z|Hand or electric?", "Tom|2024-06-15T07:00:00Z|Inga said: Hand? Both."},
			[]string{"forum forum/1", "forum forum/2", "topic+ topic/7", "topic+ topic/7/page/2"}},
		{"ipb-4-topic", "Hoses",
			[]string{"Vera|2024-06-14T13:22:54Z|Rubber or plastic?", "Guest Kim|2024-06-15T08:00:00Z|Rubber."},
			[]string{"forum forum/1", "forum forum/2", "topic+ topic/8", "topic+ topic/8/page/2"}},
		{"ipb-3-topic", "Valves",
			[]string{"Rolf|2012-03-03T21:43:10Z|Ball or gate?", "Pia|2012-03-04T08:00:00Z|Ball? Ball."},
			[]string{"forum forum/2", "index ", "topic+ topic/6/page/2"}},
		{"ipb-2-topic", "Keels",
			[]string{"Arne|2007-03-03T21:43:00|Long or short?", "Gast|2007-03-14T06:05:00|Short."},
			[]string{"forum index.php?showforum=1", "forum index.php?showforum=2", "index ", "topic+ index.php?showtopic=5&st=15"}},
		{"ipb-4-forum", "",
			nil,
			[]string{"forum forum/1", "forum forum/3", "forum+ forum/2", "forum+ forum/2/page/2", "topic topic/8"}},
		{"ipb-3-forum", "",
			nil,
			[]string{"forum forum/1", "forum+ forum/2/page/2", "index ", "topic topic/6"}},
		{"ipb-2-forum", "",
			nil,
			[]string{"forum index.php?showforum=1", "forum index.php?showforum=2", "forum+ index.php?showforum=2&st=30", "index ",
				"topic index.php?showtopic=5"}},
		{"ipb-4-index", "",
			nil,
			[]string{"forum forum/1", "forum forum/2"}},
		{"ipb-3-index", "",
			nil,
			[]string{"forum forum/1", "forum forum/2"}},
		{"ipb-2-index", "",
			nil,
			[]string{"forum index.php?showforum=2"}},
		{"ipb-4-profile", "",
			nil,
			nil},
		{"vanilla-topic", "Primer",
			[]string{"Una|2015-05-15T07:54:10Z|One coat or two?", "Sten|2015-05-15T08:38:08Z|Una said: Two? Two.",
				"Una|2015-05-16T10:00:00Z|"},
			[]string{"forum categories/paint", "topic+ discussion/9", "topic+ discussion/9/p2"}},
		{"vanilla-forum", "",
			nil,
			[]string{"forum categories/hull", "forum categories/paint", "forum+ categories/paint", "forum+ categories/paint/p2",
				"topic discussion/10", "topic discussion/9"}},
		{"vanilla-index", "",
			nil,
			[]string{"forum categories/paint"}},
		{"vanilla-profile", "",
			nil,
			nil},
		{"nodebb-topic", "Rudder",
			[]string{"ivo|2026-01-13T00:29:24Z|Steel or oak?", "eli|2026-01-13T08:00:18Z|@ivo Oak."},
			[]string{"forum category/2", "topic+ ", "topic+ ?page=2"}},
		{"nodebb-forum", "",
			nil,
			[]string{"forum category/1", "forum category/3", "forum+ ", "forum+ ?page=2", "topic topic/5"}},
		{"nodebb-index", "",
			nil,
			[]string{"forum category/2", "forum category/3", "index+ ?page=2"}},
		{"ubb-7-topic", "Ballast",
			[]string{"Mats|2020-10-06T13:06:00|Lead or iron?", "Eino|2020-10-14T07:30:00|Lead."},
			[]string{"forum ubbthreads.php?Board=2&ubb=postlist", "index ", "index ubbthreads.php?c=1&ubb=cfrm",
				"topic+ ubbthreads.php?Number=31&page=2&ubb=showflat"}},
		{"ubb-6-topic", "Stays",
			[]string{"Kaarel|2005-10-10T15:22:00|Wire or rope?", "Juta|2005-10-25T09:00:00|Wire."},
			[]string{"forum ubbthreads/postlist.php?Board=rig", "topic+ ubbthreads/showflat.php?Number=21&fpart=2"}},
		{"ubb-classic-topic", "Cleats",
			[]string{"Leida|2003-04-05T10:21:00|Brass or wood?", "Villu|2003-04-06T20:00:00|Wood."},
			[]string{"forum cgi-bin/ultimatebb.cgi?ubb=forum;f=3", "topic+ cgi-bin/ultimatebb.cgi?f=3&p=2&t=000011&ubb=get_topic"}},
		{"ubb-5-topic", "Fenders",
			[]string{"Riho|1998-09-12T16:56:00|Rope or rubber? For wood.", "Saima|1998-09-25T07:05:00|Rope."},
			[]string{"forum cgi-bin/forum/forumdisplay.cgi?action=topics&number=1"}},
		{"ubb-5-forum", "", nil, []string{"topic forum/Forum1/HTML/000035.html"}},
		{"ubb-5-index", "", nil, []string{"forum cgi-bin/forum/forumdisplay.cgi?action=topics&number=1"}},
		{"ubb-7-forum", "",
			nil,
			[]string{"forum ubbthreads.php?Board=5&ubb=postlist", "forum+ ubbthreads.php?Board=2&page=2&ubb=postlist", "index ",
				"topic ubbthreads.php?Number=31&ubb=showflat"}},
		{"ubb-7-index", "",
			nil,
			[]string{"forum ubbthreads.php?Board=2&ubb=postlist", "index ubbthreads.php?c=2&ubb=cfrm"}},
		{"hyperkitty-topic", "Winches",
			[]string{"Hille|2024-05-04T10:15:00|Oil or grease?", "Märt|2024-05-05T19:05:00|> Oil? Grease."},
			[]string{"forum archives/list/deck@lists.localhost/2024/5/", "index archives/list/deck@lists.localhost/"}},
		{"hyperkitty-message", "Winches",
			[]string{"Märt|2024-05-05T19:05:00|Grease."},
			[]string{"forum archives/list/deck@lists.localhost/2024/5/", "index archives/list/deck@lists.localhost/",
				"topic archives/list/deck@lists.localhost/thread/AAA1/"}},
		{"hyperkitty-forum", "",
			nil,
			[]string{"forum archives/list/deck@lists.localhost/2024/4/", "forum archives/list/deck@lists.localhost/2024/5/",
				"forum+ archives/list/deck@lists.localhost/2024/5/", "forum+ archives/list/deck@lists.localhost/2024/5/?page=2",
				"index archives/list/deck@lists.localhost/", "topic archives/list/deck@lists.localhost/thread/AAA1/"}},
		{"hyperkitty-index", "",
			nil,
			[]string{"forum archives/list/deck@lists.localhost/2024/4/", "forum archives/list/deck@lists.localhost/2024/5/"}},
		{"hyperkitty-site", "",
			nil,
			[]string{"index archives/list/deck@lists.localhost/", "index+ ?page=2"}},
		{"pipermail-topic", "",
			[]string{"Endel T.|2004-03-02T08:12:35+01:00|Oil or gas? > who asks Endel"},
			[]string{"forum pipermail/deck/2004-March/thread.html"}},
		{"pipermail-forum", "",
			nil,
			[]string{"topic pipermail/deck/2004-March/000001.html", "topic pipermail/deck/2004-March/000002.html"}},
		{"pipermail-index", "",
			nil,
			[]string{"forum pipermail/deck/2004-March/thread.html"}},
	} {
		t.Run(c.page, func(t *testing.T) {
			p := inspectExample(t, forums2Example(t, c.page))
			if p.Finding.Type == nil {
				t.Fatal("no type")
			}
			title, posts := threadOf(p.Harvest)
			if title != c.title {
				t.Errorf("title %q, want %q", title, c.title)
			}
			if got := shownPosts(p); !slices.Equal(got, c.posts) {
				t.Errorf("posts\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.posts, "\n"))
			}
			for _, o := range posts {
				if title != "" && o.Parent == "" {
					t.Errorf("%s is in no thread", o.ID)
				}
			}
			if links := followed(t, p); !slices.Equal(links, c.links) {
				t.Errorf("links\n%s\nwant\n%s", strings.Join(links, "\n"), strings.Join(c.links, "\n"))
			}
		})
	}
}

// forums2Example finds the example of a page, so that the test runs what the
// knowledge base states.
func forums2Example(t *testing.T, page string) kb.Example {
	t.Helper()
	typ, _, _ := strings.Cut(page, "-")
	for _, x := range builtinDetector(t).Base().Type(kb.TypeID(typ)).Examples {
		if x.Page == "testdata/"+page+".html" {
			return x
		}
	}
	t.Fatalf("no example of the page %s", page)
	return kb.Example{}
}

// shownPosts lists posts as creator|created|content.
func shownPosts(p engine.Page) []string {
	var out []string
	_, posts := threadOf(p.Harvest)
	for _, o := range posts {
		out = append(out, o.Value("creator")+"|"+o.Value("created")+"|"+strings.ReplaceAll(o.Value("content"), "\n", " "))
	}
	return out
}

// TestMailIDs holds that a message has one id wherever it is shown, and its
// thread too.
func TestMailIDs(t *testing.T) {
	ids := func(page string) (thread, last string) {
		for _, o := range inspectExample(t, forums2Example(t, page)).Harvest.Objects {
			if last = o.ID; o.Class == "sioc:Thread" {
				thread = o.ID
			}
		}
		return thread, last
	}
	thread, reply := ids("hyperkitty-topic")
	other, message := ids("hyperkitty-message")
	if thread != other || reply != message {
		t.Errorf("a thread shows %s in %s, the message alone %s in %s", reply, thread, message, other)
	}
}
